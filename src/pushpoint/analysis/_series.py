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


def recorded(run: Recording, variable: str) -> FloatArray:
    """A variable of the recording as plain numbers, one row per instant."""
    return np.asarray(run.data[variable].values, dtype=float)


def times(run: Recording) -> FloatArray:
    """Times of the rows [s]."""
    return recorded(run, "time")


def link_path(run: Recording, link: int) -> FloatArray:
    """Centre of a link [m], (rows, 2)."""
    paths = recorded(run, "link_position")
    return paths[:, checked("link", link, paths.shape[1]), :2]


def mass_path(run: Recording) -> FloatArray:
    """Centre of mass [m], (rows, 2)."""
    return recorded(run, "centre_of_mass")[:, :2]


def mean_heading(run: Recording) -> FloatArray:
    """Direction [rad] (rows,) of the mean forward axis of all links in the horizontal plane, without jumps."""
    if "link_angle" in run.data:
        angle = recorded(run, "link_angle")
        forward = np.stack([np.cos(angle), np.sin(angle)], axis=2)
    else:
        w, x, y, z = np.moveaxis(recorded(run, "link_orientation"), -1, 0)
        forward = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z)], axis=2)
    mean = forward.mean(axis=1)
    return np.asarray(np.unwrap(np.arctan2(mean[:, 1], mean[:, 0])))


def contact_rows(run: Recording) -> np.ndarray:
    """Of each line of the contact table the row of the recording that it belongs to."""
    return np.searchsorted(times(run), np.asarray(run.contacts["time"].values, dtype=float) - ROUNDING)


def column(axis: str, axes: str = "xy") -> int:
    """0 for x, 1 for y, and 2 for z if there is one."""
    if axis not in tuple(axes):
        raise UnknownName("axis", axis, axes)
    return axes.index(axis)


def checked(what: str, number: int, count: int) -> int:
    """The number of a link or joint, if the recording has it; negative ones do not count from the end."""
    if not 0 <= number < count:
        raise InvalidInput(f"{what} = {number}: the recording has {what}s 0 (tail) to {count - 1}")
    return number


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


def displaced(run: Recording, start: float, end: float) -> FloatArray:
    """Displacement of the centre of mass from `start` to `end` [s], in the horizontal plane [m], (2,)."""
    first, last = at(run, mass_path(run), np.array([start, end]))
    return np.asarray(last - first)


def rms(difference: FloatArray) -> float:
    """Root mean square of the lengths of the rows."""
    return float(np.sqrt(np.mean(np.sum(difference**2, axis=1))))
