"""Stairs: treads and risers as one profile."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pushpoint import limits
from pushpoint.quantities import Coordinate, FrictionCoefficient, Length
from pushpoint.worlds import Ground, Profile, World, worlds

Steps = Annotated[int, Field(ge=1, le=(limits.POINTS - 2) // 2)]  # two points each


@worlds.register("stairs")
def stairs(
    steps: Steps = 8,
    rise: Coordinate = -0.1,
    run: Length = 0.25,
    start: Coordinate = 0.5,
    friction: FrictionCoefficient = 0.5,
) -> World:
    """Steps along x from `start` [m] on, each `run` [m] long and `rise` [m] high; they descend if that is negative.

    The lowest ground is at z = 0.
    """
    top = -steps * min(rise, 0.0)
    points = [(start, top), (start, top + rise)]
    for k in range(1, steps):
        points += [(start + k * run, top + k * rise), (start + k * run, top + (k + 1) * rise)]
    points = [(start - run, top), *points, (start + steps * run, top + steps * rise)]
    if rise == 0.0:
        points = [points[0], points[-1]]
    return World(name="stairs", ground=Ground(friction=friction), terrain=Profile(points=tuple(points)), source="own")
