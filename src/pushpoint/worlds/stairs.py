"""Stairs: treads and risers as one profile."""

from __future__ import annotations

from pydantic import PositiveInt

from pushpoint.fields import NonNegative, Number, Positive
from pushpoint.worlds import Ground, Profile, World, worlds


@worlds.register("stairs")
def stairs(
    steps: PositiveInt = 8,
    rise: Number = -0.1,
    run: Positive = 0.25,
    start: Number = 0.5,
    friction: NonNegative = 0.5,
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
