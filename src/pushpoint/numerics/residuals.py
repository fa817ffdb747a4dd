"""Natural-map residuals of contact laws: zero exactly where the law holds, without a free parameter.

Arguments are dimensionless: impulses over (total weight x dt), velocities over the velocity scale of the step.
"""

from __future__ import annotations

import math

from pushpoint._jit import kernel
from pushpoint.numerics.projections import clip, project_disc, project_half_ellipses


@kernel
def unilateral_residual(impulse: float, velocity: float) -> float:
    """0 <= impulse, 0 <= velocity, impulse * velocity = 0:  |P - max(0, P - v)|."""
    return abs(impulse - max(0.0, impulse - velocity))


@kernel
def friction_residual(px: float, py: float, vx: float, vy: float, radius: float) -> float:
    """-velocity in the normal cone of the disc at the impulse:  |P - proj(P - v)|, P2 (53)."""
    x, y = project_disc(px - vx, py - vy, radius)
    dx, dy = px - x, py - y
    return math.sqrt(dx * dx + dy * dy)


@kernel
def skewed_residual(px: float, py: float, vx: float, vy: float, radius: float, skew: float) -> float:
    """friction_residual for the set of project_half_ellipses."""
    x, y, _, _, _ = project_half_ellipses(px - vx, py - vy, radius, skew)
    dx, dy = px - x, py - y
    return math.sqrt(dx * dx + dy * dy)


@kernel
def interval_residual(impulse: float, velocity: float, limit: float) -> float:
    """The same on a line:  |P - clip(P - v)|."""
    return abs(impulse - clip(impulse - velocity, limit))
