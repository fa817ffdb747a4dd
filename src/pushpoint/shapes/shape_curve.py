"""Shape control points and the curve through them, P3 III-B."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.shapes.hermite import Curve, ahead, length_between, sample, sample_slope
from pushpoint.types import FloatArray

Interpolation = Literal["pchip", "vector-pchip"]
COINCIDENT = 1e-9  # [m]: points nearer than this have no direction between them


def pchip_slopes(points: FloatArray) -> FloatArray:
    """Slopes of Fritsch and Carlson's piecewise cubic, as P3 uses it, coordinate by coordinate: it never overshoots,
    but other axes give another curve (erratum P3-5)."""
    step = np.diff(points, axis=0)
    if len(step) == 1:
        return np.concatenate([step, step])
    before, after = step[:-1], step[1:]
    same = before * after > 0.0
    total = np.where(same, before + after, 1.0)
    inner = np.where(same, 2.0 * before * after / total, 0.0)
    return np.concatenate([_end(step[0], step[1])[np.newaxis], inner, _end(step[-1], step[-2])[np.newaxis]])


def _end(step: FloatArray, further: FloatArray) -> FloatArray:
    """Slope at an end: three points, but never against the first step, nor steeper than three of it."""
    free = 0.5 * (3.0 * step - further)
    kept = np.where(free * step > 0.0, free, 0.0)
    return np.where((step * further < 0.0) & (np.abs(kept) > 3.0 * np.abs(step)), 3.0 * step, kept)


def vector_slopes(points: FloatArray) -> FloatArray:
    """The same rule for vectors: (d |d'| + d' |d|) / (|d| + |d'|) between the steps d and d'.

    On a straight line this is pchip's harmonic mean where the points go on, and zero where they turn back; turned
    points give the turned curve. It may overshoot at corners by a little.
    """
    step = np.diff(points, axis=0)
    if len(step) == 1:
        return np.concatenate([step, step])
    size = np.linalg.norm(step, axis=1, keepdims=True)
    inner = (step[:-1] * size[1:] + step[1:] * size[:-1]) / (size[:-1] + size[1:])
    return np.concatenate(
        [_vector_end(step[0], step[1])[np.newaxis], inner, _vector_end(step[-1], step[-2])[np.newaxis]]
    )


def _vector_end(step: FloatArray, further: FloatArray) -> FloatArray:
    free = 0.5 * (3.0 * step - further)
    if free @ step <= 0.0:
        return np.zeros(3)
    size, most = float(np.linalg.norm(free)), 3.0 * float(np.linalg.norm(step))
    return np.asarray(free * most / size if step @ further < 0.0 and size > most else free)


SLOPES: dict[str, Callable[[FloatArray], FloatArray]] = {"pchip": pchip_slopes, "vector-pchip": vector_slopes}


def shape_control_points(points: Sequence[Sequence[float]] | FloatArray, what: str = "points") -> FloatArray:
    """Points [m] (n, 3), checked; two coordinates lie in the plane z = 0."""
    rows = [tuple(float(value) for value in point) for point in points]
    for k, row in enumerate(rows):
        if len(row) not in (2, 3):
            raise InvalidInput(f"{what}[{k}] = {row}: should be x, y or x, y, z [m]")
    array = np.array([(*row, 0.0)[:3] for row in rows]).reshape(-1, 3)
    if len(array) < 2:
        raise InvalidInput(f"{what}: {len(array)} shape control points make no curve; at least 2 are needed")
    if not np.isfinite(array).all():
        k = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise InvalidInput(f"{what}[{k}] = {rows[k]}: should be finite")
    steps = np.linalg.norm(np.diff(array, axis=0), axis=1)
    if (steps < COINCIDENT).any():
        k = int(np.argmin(steps))
        raise InvalidInput(
            f"{what}[{k}] and {what}[{k + 1}] coincide at {rows[k]} m; the curve needs a way between them"
        )
    return array


class ShapeCurve:
    """S(s) with S(i) = P_i, s from 0 to n - 1; straight beyond its ends."""

    def __init__(self, points: Sequence[Sequence[float]] | FloatArray, interpolation: Interpolation = "pchip") -> None:
        if interpolation not in SLOPES:
            raise UnknownName("interpolation", interpolation, SLOPES)
        checked = np.ascontiguousarray(shape_control_points(points))
        self.curve = Curve(checked, np.ascontiguousarray(SLOPES[interpolation](checked)))

    @property
    def points(self) -> FloatArray:
        """[m], (n, 3)."""
        return self.curve.point

    @property
    def last(self) -> float:
        """The parameter of the last point."""
        return float(len(self.curve.point) - 1)

    def at(self, s: float | FloatArray) -> FloatArray:
        """Places [m], (..., 3)."""
        return self._sampled(sample, s)

    def slope(self, s: float | FloatArray) -> FloatArray:
        """dS/ds [m], (..., 3)."""
        return self._sampled(sample_slope, s)

    def _sampled(self, kernel: Callable[[Curve, FloatArray, FloatArray], None], s: float | FloatArray) -> FloatArray:
        where = np.ascontiguousarray(np.asarray(s, dtype=float).ravel())
        out = np.empty((len(where), 3))
        kernel(self.curve, where, out)
        return out.reshape(*np.shape(s), 3)

    def length(self, low: float = 0.0, high: float | None = None) -> float:
        """Length [m] from one parameter to a larger one; of the whole by default."""
        end = self.last if high is None else float(high)
        if not low <= end:
            raise InvalidInput(f"low = {low:g}: should be at most high = {end:g}")
        return float(length_between(self.curve, float(low), end))

    def ahead(self, s: float, way: float) -> float:
        """The parameter `way` >= 0 [m] along the curve after s."""
        if way < 0.0:
            raise InvalidInput(f"way = {way} m: should not be negative")
        return float(ahead(self.curve, float(s), float(way)))

    def nearest(self, places: FloatArray, samples_per_piece: int = 16) -> FloatArray:
        """Parameters (k,) of about the nearest points of the curve to places (k, 3) [m]: a sample's distance off."""
        s = np.linspace(0.0, self.last, int(self.last) * samples_per_piece + 1)
        away = np.linalg.norm(places[:, np.newaxis] - self.at(s), axis=2)
        return np.asarray(s[np.argmin(away, axis=1)])
