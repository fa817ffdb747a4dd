"""Natural-map residuals of contact laws: zero exactly where the law holds, without a free parameter.

Arguments are dimensionless: impulses over (total weight x dt), velocities over the velocity scale of the step.
"""

from __future__ import annotations

import math

from pushpoint._jit import kernel
from pushpoint.numerics.projections import project_disc


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
