"""The empty plane."""

from __future__ import annotations

from pushpoint.quantities import FrictionCoefficient
from pushpoint.worlds import Ground, World, worlds


@worlds.register("plane")
def plane(
    friction: FrictionCoefficient = 0.2,
    friction_across: FrictionCoefficient | None = None,
    friction_backward: FrictionCoefficient | None = None,
    rolling: FrictionCoefficient = 0.0,
    stribeck: FrictionCoefficient = 0.0,
) -> World:
    """Flat ground without obstacles."""
    ground = Ground(
        friction=friction,
        friction_across=friction_across,
        friction_backward=friction_backward,
        rolling=rolling,
        stribeck=stribeck,
    )
    return World(name="plane", ground=ground)
