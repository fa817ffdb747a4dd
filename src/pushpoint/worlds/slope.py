"""A slope: a plane whose gravity leans."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import Field

from pushpoint.quantities import FrictionCoefficient
from pushpoint.worlds import Ground, World, worlds

Steepness = Annotated[float, Field(ge=-math.pi / 2, le=math.pi / 2, allow_inf_nan=False)]


@worlds.register("slope")
def slope(
    angle: Steepness = 0.2, friction: FrictionCoefficient = 0.3, friction_across: FrictionCoefficient | None = None
) -> World:
    """A plane that rises towards +x by `angle` [rad]; x and y are measured along it."""
    down = (-math.sin(angle), 0.0, -math.cos(angle))
    ground = Ground(friction=friction, friction_across=friction_across)
    return World(name="slope", ground=ground, down=down, source="own")
