"""Time series out of recordings, with checks that name what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

ROUNDING = 1e-9  # [s], times of rows are multiples of the control period up to this


class Curve(NamedTuple):
    """A path in time, such as one read off a published figure."""

    time: FloatArray  # [s], increasing
    x: FloatArray  # [m]
    y: FloatArray  # [m]


def times(run: Recording) -> FloatArray:
    """Times of the rows [s]."""
    return np.asarray(run.data["time"].values, dtype=float)


def link_path(run: Recording, link: int) -> FloatArray:
    """Centre of a link [m], (rows, 2)."""
    paths = np.asarray(run.data["link_position"].values, dtype=float)
    if not 0 <= link < paths.shape[1]:
        raise InvalidInput(f"link = {link}: the recording has links 0 (tail) to {paths.shape[1] - 1}")
    return paths[:, link, :2]


def mass_path(run: Recording) -> FloatArray:
    """Centre of mass [m], (rows, 2)."""
    return np.asarray(run.data["centre_of_mass"].values, dtype=float)[:, :2]


def column(axis: str) -> int:
    """0 for x, 1 for y."""
    if axis not in ("x", "y"):
        raise UnknownName("axis", axis, ("x", "y"))
    return "xy".index(axis)


def between(run: Recording, start: float, end: float | None) -> slice:
    """The rows from `start` to `end` [s], both included; None is the end of the recording."""
    t = times(run)
    last = t[-1] if end is None else end
    require(run, start)
    require(run, last)
    if last < start:
        raise InvalidInput(f"end = {last} s lies before start = {start} s")
    return slice(int(np.searchsorted(t, start - ROUNDING)), int(np.searchsorted(t, last + ROUNDING, side="right")))


def require(run: Recording, time: float) -> None:
    """Refuse a time that was not recorded: nothing is extrapolated."""
    t = times(run)
    if not t[0] - ROUNDING <= time <= t[-1] + ROUNDING:
        raise InvalidInput(f"time = {time} s: the recording runs from {t[0]:g} to {t[-1]:g} s")


def at(run: Recording, values: FloatArray, moments: FloatArray) -> FloatArray:
    """Rows of `values` (rows, 2) at other times, linear in between."""
    require(run, float(moments[0]))
    require(run, float(moments[-1]))
    t = times(run)
    return np.stack([np.interp(moments, t, values[:, k]) for k in range(2)], axis=1)


def rms(difference: FloatArray) -> float:
    """Root mean square of the lengths of the rows."""
    return float(np.sqrt(np.mean(np.sum(difference**2, axis=1))))
