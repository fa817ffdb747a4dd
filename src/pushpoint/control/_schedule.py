"""Parameters that change in time: knots, linear in between, constant outside."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from pushpoint import limits
from pushpoint.quantities import Angle, Bend, Instant
from pushpoint.types import FloatArray

# Ticks and holds are multiples of each other up to rounding; without it a hold would begin one tick late.
HOLD_ROUNDING = 1e-9  # of a period

Knots = tuple[tuple[Instant, Angle], ...]
Bends = tuple[tuple[Instant, Bend], ...]


def increasing(times: Sequence[float]) -> None:
    """Refuse times that do not increase strictly; the message names the first pair."""
    for before, after in pairwise(times):
        if not after > before:
            raise ValueError(f"times must increase; {after} s follows {before} s")


def _checked(knots: Knots) -> Knots:
    increasing([time for time, _ in knots])
    return knots


# A number (of angles, rates and speeds alike), or a list of (time [s], value) knots.
Scheduled = (
    Angle | Annotated[Knots, Field(min_length=1, fail_fast=True, max_length=limits.POINTS), AfterValidator(_checked)]
)
ScheduledBend = (
    Bend | Annotated[Bends, Field(min_length=1, fail_fast=True, max_length=limits.POINTS), AfterValidator(_checked)]
)


def gait_time(times: FloatArray, delay: float, hold: float) -> tuple[FloatArray, np.ndarray]:
    """The time since a delay, or that of the last sample if it is sampled every `hold` [s], and where the gait stands
    still: before the delay, and between samples."""
    since = times - delay
    begun = np.maximum(since, 0.0)
    if hold > 0.0:
        begun = np.floor(begun / hold + HOLD_ROUNDING) * hold
    return begun, (since < 0.0) | (hold > 0.0)


class Schedule:
    """A piecewise linear function of time with one or more columns.

    Every method maps times (t,) to an array (t, columns), element by element: the result for one time does
    not depend on the others.
    """

    def __init__(self, times: FloatArray, values: FloatArray) -> None:
        """`times` (k,) [s], increasing; `values` (k, columns)."""
        self._times, self._values = times, values
        span = np.diff(times)[:, np.newaxis]
        flat = np.zeros((1, values.shape[1]))
        self._slopes = np.concatenate([flat, np.diff(values, axis=0) / span, flat])  # outside: constant
        areas = np.cumsum(span * (values[:-1] + values[1:]) / 2, axis=0)
        self._areas = np.concatenate([flat, areas])
        self._knots: list[float] = times.tolist()
        self._column: list[float] = values[:, 0].tolist()
        self._slope_of: list[float] = self._slopes[:, 0].tolist()
        self._area_until: list[float] = self._areas[:, 0].tolist()

    @classmethod
    def of(cls, parameter: Scheduled) -> Schedule:
        """The schedule of an option: one column."""
        knots = parameter if isinstance(parameter, tuple) else ((0.0, parameter),)
        return cls(np.array([t for t, _ in knots]), np.array([[v] for _, v in knots]))

    def value(self, times: FloatArray) -> FloatArray:
        piece, knot, since = self._locate(times)
        return np.asarray(self._values[knot] + self._slopes[piece] * since)

    def at(self, time: float) -> float:
        """The value of a schedule with one column, equal to the bit to that of `value`."""
        piece, knot, since = self._locate_one(time)
        return self._column[knot] + self._slope_of[piece] * since

    def slope(self, times: FloatArray) -> FloatArray:
        """Derivative; at a knot that of the piece that begins there."""
        return np.asarray(self._slopes[self._locate(times)[0]])

    def integral(self, times: FloatArray) -> FloatArray:
        """Integral from zero to each time, exact."""
        return self._primitive(times) - self._primitive(np.zeros(1))

    def between(self, begin: float, end: float) -> float:
        """Integral of a schedule with one column, equal to the bit to a difference of `integral`."""
        zero = self._primitive_one(0.0)
        return (self._primitive_one(end) - zero) - (self._primitive_one(begin) - zero)

    def _primitive_one(self, time: float) -> float:
        piece, knot, since = self._locate_one(time)
        return self._area_until[knot] + since * (self._column[knot] + 0.5 * self._slope_of[piece] * since)

    def _locate_one(self, time: float) -> tuple[int, int, float]:
        """The same as `_locate`; a tenth of its time for a single one."""
        piece = bisect_right(self._knots, time)
        knot = max(piece - 1, 0)
        return piece, knot, time - self._knots[knot]

    def _primitive(self, times: FloatArray) -> FloatArray:
        piece, knot, since = self._locate(times)
        mean = self._values[knot] + 0.5 * self._slopes[piece] * since
        return np.asarray(self._areas[knot] + since * mean)

    def _locate(self, times: FloatArray) -> tuple[np.ndarray, np.ndarray, FloatArray]:
        """Piece (0: before the first knot), the knot it is measured from, time since that knot (a column)."""
        piece = np.searchsorted(self._times, times, side="right")
        knot = np.maximum(piece - 1, 0)
        return piece, knot, (times - self._times[knot])[:, np.newaxis]
