"""Measures: questions about recordings, each answered by one number; one module per group of questions.

A measure takes one or more recordings, in the order its signature names them, and keyword options. Lengths
are in metres, times in seconds, links are counted from the tail. `unit_of` and `meaning_of` describe a measure by name.
`Recording.metrics()` is the list `METRICS` of measures that need no options (`metrics.py`).
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
    """Decorator: registers a function by its name, with the unit of its result; `former` is a name it had before."""

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
    """Unit of what a measure returns; empty for ratios, counts, and measures of others that do not say."""
    _ = measures[name]  # refuses unknown names, and imports the module that declares the unit
    return _units.get(name, "")


def meaning_of(name: str) -> str:
    """What a measure returns, in a sentence or two."""
    return " ".join((inspect.getdoc(measures[name]) or "").partition("\n\n")[0].split())


__all__ = ["Curve", "Measure", "meaning_of", "measure", "measures", "unit_of"]
