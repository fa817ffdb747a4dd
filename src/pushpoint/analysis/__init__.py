"""Measures: questions about recordings, each answered by one number; one module per group of questions.

A measure takes one or more recordings, in the order its signature names them, and keyword options. Lengths
are in metres, times in seconds, links are counted from the tail. `unit_of` and `meaning_of` describe a measure by name.
`Recording.metrics()` is the list `METRICS` of measures that need no options (`metrics.py`).

Parameters that many measures share:

run
    The recording.
reference
    Another recording, to compare with.
start, end
    [s], both included; `end` None: the end of the recording.
time
    [s].
link, joint
    Counted from the tail.
other
    Another link, joint or peg, as the one that is named before.
axis
    "x" or "y".
relative_to
    A link from which angles are counted; None: the x axis.
curve
    A `Curve`.
peg
    Index of an obstacle of the world.
pairs
    Pairs (link, peg) that should touch.
window
    [s], before the first of these contacts is lost.
centre
    The joint in the middle, counted from the tail.
name
    Of an event.
amplitude, wavelength
    [m], of the sine y(x).
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from pushpoint.analysis._series import Curve
from pushpoint.registry import Registry

Measure = Callable[..., float]
M = TypeVar("M", bound=Measure)

measures: Registry[Measure] = Registry("measure", __name__)
_units: dict[str, str] = {}


def measure(unit: str = "", former: str = "") -> Callable[[M], M]:
    """Decorator: registers a function by its name.

    Parameters
    ----------
    unit
        Of the result, such as "m"; empty for ratios and counts.
    former
        A name it had before, which works with a DeprecationWarning.
    """

    def add(function: M) -> M:
        measures.add(function.__name__, function)
        _units[function.__name__] = unit
        if former:
            measures.add(former, _renamed(former, function))
            _units[former] = unit
        return function

    return add


def _renamed(former: str, function: Measure) -> Measure:
    @wraps(function)
    def warned(*runs: Any, **options: Any) -> float:
        now = function.__name__
        warnings.warn(f"measure {former!r} is now called {now!r}", DeprecationWarning, stacklevel=2)
        return function(*runs, **options)

    return warned


def unit_of(name: str) -> str:
    """Unit of what a measure returns; empty for ratios, counts, and measures of others that do not say.

    Parameters
    ----------
    name
        Of the measure.

    Examples
    --------
    >>> pp.analysis.unit_of("displacement")
    'm'
    """
    _ = measures[name]  # refuses unknown names, and imports the module that declares the unit
    return _units.get(name, "")


def meaning_of(name: str) -> str:
    """What a measure returns, in a sentence or two.

    Parameters
    ----------
    name
        Of the measure.
    """
    return " ".join((inspect.getdoc(measures[name]) or "").partition("\n\n")[0].split())


__all__ = ["Curve", "Measure", "meaning_of", "measure", "measures", "unit_of"]
