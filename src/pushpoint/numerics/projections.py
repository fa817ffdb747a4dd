"""Projections onto convex sets, the `prox` of P2 (53)."""

from __future__ import annotations

import math

from pushpoint._jit import kernel

ELLIPSE_ITERATIONS = 50  # it takes four to eight


@kernel
def project_disc(x: float, y: float, radius: float) -> tuple[float, float]:
    """Nearest point of the disc of the given radius about the origin."""
    square = x * x + y * y
    if square <= radius * radius:
        return x, y
    shrink = radius / math.sqrt(square)
    return x * shrink, y * shrink


@kernel
def dead_band(x: float, half_width: float) -> float:
    """What remains of x beyond a band of half_width on either side of zero."""
    return max(0.0, x - half_width) + min(0.0, x + half_width)


@kernel
def clip(x: float, limit: float) -> float:
    return min(limit, max(-limit, x))


@kernel
def project_half_ellipses(x: float, y: float, radius: float, skew: float) -> tuple[float, float, float, float, float]:
    """Nearest point of a disc of which one half, x > 0 or x < 0 by the sign of `skew`, is flattened by |skew|.

    Returns it with a unit tangent there and the share of a move along the tangent that the nearest point follows;
    inside, where it follows every move, the share is above one.
    """
    if x * skew <= 0.0:  # the round half, or the whole disc
        square = x * x + y * y
        if square <= radius * radius:
            return x, y, 0.0, 0.0, 2.0
        shrink = 1.0 / math.sqrt(square)
        x, y = x * shrink, y * shrink
        return radius * x, radius * y, -y, x, radius * shrink
    flat = abs(skew) * radius
    u, v = x / flat, y / radius
    if u * u + v * v <= 1.0:
        return x, y, 0.0, 0.0, 2.0
    # On the ellipse: (flat^2 x / (flat^2 + t), radius^2 y / (radius^2 + t)) with the t >= 0 that puts it there. The
    # function of t is convex and falls; Newton's method from the left finds its root without ever overshooting.
    a, b = flat * flat, radius * radius
    t = max(0.0, flat * abs(x) - a, radius * abs(y) - b)
    for _ in range(ELLIPSE_ITERATIONS):
        u, v = flat * x / (a + t), radius * y / (b + t)
        value = u * u + v * v - 1.0
        step = 0.5 * value / (u * u / (a + t) + v * v / (b + t))
        t += step
        if step <= 1e-15 * t:
            break
    u, v = flat * x / (a + t), radius * y / (b + t)  # of unit length
    px, py = flat * u, radius * v
    tx, ty = -flat * v, radius * u
    length = math.sqrt(tx * tx + ty * ty)
    away = math.sqrt((x - px) * (x - px) + (y - py) * (y - py))
    curvature = flat * radius / (length * length * length)
    return px, py, tx / length, ty / length, 1.0 / (1.0 + away * curvature)


@kernel
def half_ellipse_share(x: float, y: float, radius: float, skew: float) -> float:
    """How far out of that set a point is: its square is below 1 inside."""
    if x * skew > 0.0:
        x /= abs(skew)
    return (x * x + y * y) / (radius * radius)
