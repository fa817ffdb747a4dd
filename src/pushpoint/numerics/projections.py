"""Projections onto convex sets, the `prox` of P2 (53)."""

from __future__ import annotations

import math

from pushpoint._jit import kernel


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
