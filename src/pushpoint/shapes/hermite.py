"""Curves made of cubic pieces, compiled: places, slopes, lengths, and how far to go for a given length.

Piece k goes from point k to point k + 1 while the parameter s goes from k to k + 1. Before the first and after the last
point the curve goes on straight, P3 says nothing of that: erratum P3-3. Points that a long curve no longer needs are
left out, and the others keep their numbers: s - `first` is exact, so that nothing changes by that, not even a bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from pushpoint._jit import entry_point, kernel
from pushpoint.types import FloatArray

PANELS = 4  # of each piece, for lengths: five points each leave 1e-9 of P3's curves
NODES = (-0.906179845938664, -0.5384693101056831, 0.0, 0.5384693101056831, 0.906179845938664)  # Gauss, Legendre
WEIGHTS = (0.23692688505618908, 0.47862867049936647, 0.5688888888888889, 0.47862867049936647, 0.23692688505618908)
NO_SLOPE = 1e-3  # of the distance to the next point: an end with less has no direction of its own
HALVINGS = 60  # of an interval of s: down to round-off

Vector = tuple[float, float, float]


class Curve(NamedTuple):
    """What kernels know of a shape curve."""

    point: FloatArray  # [m], (n, 3)
    slope: FloatArray  # [m], (n - 1, 2, 3): dS/ds at the begin and at the end of each piece
    first: float  # number of the first point; the others follow


@kernel
def end_slope(curve: Curve, at_end: bool) -> Vector:
    """dS/ds of the straight parts outside; where a curve begins with slope zero, the vector to its next point."""
    last = len(curve.point) - 1
    low, side = (last - 1, 1) if at_end else (0, 0)
    x, y, z = curve.slope[low, side, 0], curve.slope[low, side, 1], curve.slope[low, side, 2]
    p = curve.point
    dx, dy, dz = p[low + 1, 0] - p[low, 0], p[low + 1, 1] - p[low, 1], p[low + 1, 2] - p[low, 2]
    if x * x + y * y + z * z > NO_SLOPE**2 * (dx * dx + dy * dy + dz * dz):
        return x, y, z
    return dx, dy, dz


@kernel
def place(curve: Curve, s: float) -> Vector:
    """S(s) [m]."""
    last, s = len(curve.point) - 1, s - curve.first
    if s < 0.0 or s > last:
        outside, k = (s, 0) if s < 0.0 else (s - last, last)
        x, y, z = end_slope(curve, s > last)
        p = curve.point
        return p[k, 0] + outside * x, p[k, 1] + outside * y, p[k, 2] + outside * z
    k = min(int(s), last - 1)
    u = s - k
    c = u * u * (3.0 - 2.0 * u)  # Hermite's polynomials, of the second point ...
    a, b, d = 1.0 - c, u * (1.0 - u) * (1.0 - u), -u * u * (1.0 - u)  # ... of the first, of the slopes
    p, m = curve.point, curve.slope
    return (
        a * p[k, 0] + b * m[k, 0, 0] + c * p[k + 1, 0] + d * m[k, 1, 0],
        a * p[k, 1] + b * m[k, 0, 1] + c * p[k + 1, 1] + d * m[k, 1, 1],
        a * p[k, 2] + b * m[k, 0, 2] + c * p[k + 1, 2] + d * m[k, 1, 2],
    )


@kernel
def slope(curve: Curve, s: float) -> Vector:
    """dS/ds [m]."""
    last, s = len(curve.point) - 1, s - curve.first
    if s < 0.0 or s > last:
        return end_slope(curve, s > last)
    k = min(int(s), last - 1)
    u = s - k
    c = 6.0 * u * (1.0 - u)
    b, d = (1.0 - u) * (1.0 - 3.0 * u), u * (3.0 * u - 2.0)
    p, m = curve.point, curve.slope
    return (
        c * (p[k + 1, 0] - p[k, 0]) + b * m[k, 0, 0] + d * m[k, 1, 0],
        c * (p[k + 1, 1] - p[k, 1]) + b * m[k, 0, 1] + d * m[k, 1, 1],
        c * (p[k + 1, 2] - p[k, 2]) + b * m[k, 0, 2] + d * m[k, 1, 2],
    )


@kernel
def pace(curve: Curve, s: float) -> float:
    """|dS/ds| [m]; zero at sharp corners."""
    x, y, z = slope(curve, s)
    return math.sqrt(x * x + y * y + z * z)


@kernel
def length_inside(curve: Curve, low: float, high: float) -> float:
    """Length [m] from s = low to s = high, both on one piece."""
    total, width = 0.0, (high - low) / PANELS
    for panel in range(PANELS):
        middle = low + (panel + 0.5) * width
        for node in range(5):
            total += WEIGHTS[node] * pace(curve, middle + 0.5 * width * NODES[node])
    return 0.5 * width * total


@kernel
def next_joint(curve: Curve, s: float) -> float:
    """Where the piece that begins or contains s ends; far away outside."""
    last = curve.first + len(curve.point) - 1
    if s < curve.first:
        return curve.first
    return math.floor(s) + 1.0 if s < last else math.inf


@entry_point
def length_between(curve: Curve, low: float, high: float) -> float:
    """Length [m] of the curve from s = low to s = high >= low."""
    total, s = 0.0, low
    while s < high:
        end = min(next_joint(curve, s), high)
        total += length_inside(curve, s, end)
        s = end
    return total


@entry_point
def ahead(curve: Curve, s: float, distance: float) -> float:
    """The parameter of the point that lies `distance` >= 0 [m] along the curve after S(s): erratum P3-4."""
    end = next_joint(curve, s)
    while end < math.inf:
        piece = length_inside(curve, s, end)
        if piece >= distance:
            return _within(curve, s, end, distance)
        distance -= piece
        s, end = end, next_joint(curve, end)
    return s + distance / pace(curve, s + 1.0)


@kernel
def _within(curve: Curve, begin: float, end: float, distance: float) -> float:
    """The same, where it is known to lie on the part of one piece from `begin` to `end`: safeguarded Newton."""
    low, high, s = begin, end, begin + 0.5 * (end - begin)
    for _ in range(HALVINGS):
        missing = distance - length_inside(curve, begin, s)
        if abs(missing) <= 1e-14 * distance:
            break
        if missing > 0.0:
            low = s
        else:
            high = s
        speed = pace(curve, s)
        guess = s + missing / speed if speed > 0.0 else low
        s = guess if low < guess < high else 0.5 * (low + high)
    return s


@entry_point
def sample(curve: Curve, s: FloatArray, out: FloatArray) -> None:
    """Places [m] (k, 3) at parameters (k,)."""
    for i in range(len(s)):
        out[i, 0], out[i, 1], out[i, 2] = place(curve, s[i])


@entry_point
def sample_slope(curve: Curve, s: FloatArray, out: FloatArray) -> None:
    """dS/ds [m] (k, 3) at parameters (k,)."""
    for i in range(len(s)):
        out[i, 0], out[i, 1], out[i, 2] = slope(curve, s[i])
