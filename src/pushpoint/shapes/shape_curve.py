"""Shape control points and the curve through them, P3 III-B."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.shapes.hermite import Curve, ahead, length_between, sample, sample_slope
from pushpoint.shapes.interpolations import slopes_of
from pushpoint.types import FloatArray

COINCIDENT = 1e-9  # [m]: points nearer than this have no direction between them


def shape_control_points(points: Sequence[Sequence[float]] | FloatArray, what: str = "points") -> FloatArray:
    """Points [m] (n, 3), checked; two coordinates lie in the plane z = 0."""
    array = _as_array(points, what)
    if len(array) < 2:
        raise InvalidInput(f"{what}: {len(array)} shape control points make no curve; at least 2 are needed")
    if not np.isfinite(array).all():
        k = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise InvalidInput(f"{what}[{k}] = {tuple(float(value) for value in points[k])}: should be finite")
    steps = distances(array)
    if (steps < COINCIDENT).any():
        k = int(np.argmin(steps))
        at = tuple(float(value) for value in points[k])
        raise InvalidInput(
            f"{what}[{k}] and {what}[{k + 1}] coincide at {at} m; the curve needs a distance between them"
        )
    return array


def distances(points: FloatArray) -> FloatArray:
    """[m], (n - 1,): from each of the points (n, 3) to the next."""
    step = points[1:] - points[:-1]
    return np.asarray(np.sqrt((step * step).sum(axis=1)))


def _as_array(points: Sequence[Sequence[float]] | FloatArray, what: str) -> FloatArray:
    if isinstance(points, np.ndarray) and points.ndim == 2 and points.shape[1] == 3:
        return np.array(points, dtype=float)
    rows = [tuple(float(value) for value in point) for point in points]
    for k, row in enumerate(rows):
        if len(row) not in (2, 3):
            raise InvalidInput(f"{what}[{k}] = {row}: should be x, y or x, y, z [m]")
    return np.array([(*row, 0.0)[:3] for row in rows]).reshape(-1, 3)


class ShapeCurve:
    """S(s) with S(i) = P_i; straight beyond its ends. `interpolation`: a registered name. `first` is the number of the
    first point, zero unless points before it were left out."""

    def __init__(
        self, points: Sequence[Sequence[float]] | FloatArray, interpolation: str = "pchip", first: int = 0
    ) -> None:
        checked = np.ascontiguousarray(shape_control_points(points))
        self.curve = Curve(checked, slopes_of(interpolation, checked), float(first))

    @property
    def points(self) -> FloatArray:
        """[m], (n, 3)."""
        return self.curve.point

    @property
    def first(self) -> float:
        """The parameter of the first point."""
        return self.curve.first

    @property
    def last(self) -> float:
        """The parameter of the last point."""
        return self.curve.first + len(self.curve.point) - 1

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

    def length(self, low: float | None = None, high: float | None = None) -> float:
        """Length [m] from one parameter to a larger one; of the whole by default."""
        begin, end = self.first if low is None else float(low), self.last if high is None else float(high)
        if not begin <= end:
            raise InvalidInput(f"low = {begin:g}: should be at most high = {end:g}")
        return float(length_between(self.curve, begin, end))

    def ahead(self, s: float, distance: float) -> float:
        """The parameter `distance` >= 0 [m] along the curve after s."""
        if distance < 0.0:
            raise InvalidInput(f"distance = {distance} m: should not be negative")
        return float(ahead(self.curve, float(s), float(distance)))

    def nearest(self, places: FloatArray, samples_per_piece: int = 16) -> FloatArray:
        """Parameters (k,) of about the nearest points of the curve to places (k, 3) [m]: a sample's distance off."""
        s = np.linspace(self.first, self.last, int(self.last - self.first) * samples_per_piece + 1)
        away = np.linalg.norm(places[:, np.newaxis] - self.at(s), axis=2)
        return np.asarray(s[np.argmin(away, axis=1)])
