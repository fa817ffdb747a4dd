"""Errors that say what is wrong, what is allowed and what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


SHOWN = 80  # characters of a bad value


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
        close = [stem + match for match in difflib.get_close_matches(name, known, n=3, cutoff=0.5)]
        hint = f" Did you mean {' or '.join(repr(c) for c in close)}?" if close else ""
        listed = ", ".join(stem + each for each in known) or "none"
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
    """A signal (Ctrl-C, SIGTERM) ended a run. As Python's own it is no `Exception`.

    Parameters
    ----------
    signal
        Its number; an attribute too.
    recording
        What was recorded until then, with a checkpoint from which the run goes on; an attribute too.
    """

    def __init__(self, signal: int, recording: Recording) -> None:
        super().__init__("interrupted")
        self.signal, self.recording = signal, recording
