"""Errors that say what is wrong, what is allowed and what to do next."""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


SHOWN = 80  # characters of a bad value
NEAREST = 3  # names that are suggested
LEAST_LIKENESS, LEAST_BEHIND = 0.5, 0.65  # of such names, and of their parts behind a slash
MOST_KNOWN = 50  # names that are listed, if some of them are near


def shown(value: object) -> str:
    """A value as it is written, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # a whole number of thousands of digits
        text = "a number that is too long to be shown"
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


class PushpointError(Exception):
    """Base of every error that pushpoint raises on purpose."""


class InvalidInput(PushpointError, ValueError):
    """A value that cannot be used: the message names the field, the value and what is allowed."""


class StartOverlap(InvalidInput):
    """A robot that would start inside an obstacle."""


def _nearest(name: str, known: list[str]) -> list[str]:
    """The nearest names, at most three."""
    near = ((_likeness(name, each), each) for each in known)
    return [each for _, each in heapq.nlargest(NEAREST, (pair for pair in near if pair[0] >= LEAST_LIKENESS))]


def _likeness(name: str, known: str) -> float:
    """From 0 to 1. Of names with a slash the part behind it may be all that somebody remembers."""
    whole = _ratio(name, known)
    if "/" not in known:
        return whole
    (key, _, tail), (known_key, _, known_tail) = name.rpartition("/"), known.rpartition("/")
    behind = _ratio(tail, known_tail)
    if key:
        behind *= 0.75 + 0.25 * _ratio(key, known_key)
    return max(whole, 0.98 * behind) if behind >= LEAST_BEHIND else whole


def _ratio(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, other, one).ratio()


class UnknownName(InvalidInput):
    """A name that is not registered; the message suggests the nearest ones and lists the rest.

    Parameters
    ----------
    kind
        What the name is of, such as "robot".
    name
        What was given.
    known
        All names that there are.
    stem
        What all names share, such as "plant."; they are shown behind it. It makes none of them more alike.

    Attributes
    ----------
    name
        What was given, with its stem.
    suggestions
        The nearest names, at most three.

    Examples
    --------
    >>> try:
    ...     pp.robots.robots["aikoo"]
    ... except pp.UnknownName as error:
    ...     error.suggestions[0]
    'aiko'
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], stem: str = "") -> None:
        known = sorted(known)
        close = [stem + match for match in _nearest(name, known)]
        hint = f" Did you mean {' or '.join(repr(c) for c in close)}?" if close else ""
        listed = ", ".join(stem + each for each in known) or "none"
        if close and len(known) > MOST_KNOWN:
            listed = f"{len(known)} names; pushpoint list shows them"
        super().__init__(f"unknown {kind} {shown(stem + name)}.{hint} Known: {listed}.")
        self.name = stem + name
        self.suggestions = close


class MissingExtra(PushpointError, ImportError):
    """An optional dependency is not installed.

    Parameters
    ----------
    what
        What needs it.
    extra
        Of pushpoint's optional dependencies, the one that installs it.
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package: pip install 'pushpoint[{extra}]'")


class SolverFailure(PushpointError, RuntimeError):
    """A step of a plant failed.

    Parameters
    ----------
    message
        When, where and why, and what to do.
    recording
        What was recorded until then (also saved by the command line); an attribute too.
    """

    def __init__(self, message: str, recording: Recording | None = None) -> None:
        super().__init__(message)
        self.recording = recording


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or SIGTERM in the command line, stopped a run between two of its ticks.

    It is a KeyboardInterrupt, and as such no PushpointError: `except Exception` does not swallow it.

    Parameters
    ----------
    message
        When it was.
    recording
        What was recorded until then, with a checkpoint to go on from by `resume`; an attribute too. There is no
        checkpoint if the controller had to be stopped inside a step.
    signal
        The number of the signal; an attribute too.
    recordings
        Of `simulate_many`, the same for each of its runs, None for those that had not begun; an attribute too.
    """

    def __init__(
        self,
        message: str,
        recording: Recording | None = None,
        signal: int = 2,
        recordings: Sequence[Recording | None] = (),
    ) -> None:
        super().__init__(message)
        self.recording = recording
        self.signal = signal
        self.recordings = recordings
