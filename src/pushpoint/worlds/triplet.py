"""Pegs beside a stretched robot, as in P4's experiments: three of them, a triplet, on frictionless ground."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.fields import Number
from pushpoint.quantities import Coordinate, Length
from pushpoint.worlds import Disc, Ground, World, worlds

RADIUS = 0.1  # [m], P4 Table 4.2
SOURCE = "Koushan 2020, Hybrid Obstacle Aided Locomotion in Snake Robots, Table 4.2, 5.1 and 5.2"

# The tail of the robot is at the origin and its joints are 0.3 m apart (P4 Table 4.1, 5.1).
CONTROL_PLACES, CONTROL_SIDES = (0.45, 0.75, 1.35), (-1.0, 1.0, -1.0)  # middles of links 2, 3, 5: right, left, right
# P4 does not say where the pegs of 5.2 are. Outer ones at the middles of links 3 and 12 and one at joint 7, in the
# centre, give the published torques (erratum P4-8).
VALIDITY_PLACES = (0.75, 2.1, 3.45)


@worlds.register("triplet")
def triplet(
    places: Annotated[tuple[Coordinate, ...], Field(fail_fast=True, max_length=limits.POINTS)] = CONTROL_PLACES,
    sides: Annotated[tuple[Number, ...], Field(fail_fast=True, max_length=limits.POINTS)] = CONTROL_SIDES,
    radius: Length = RADIUS,
    half_width: Length = 0.05,
) -> World:
    """Pegs that touch a robot of `half_width` [m] on the x axis at `places` [m]; `sides`: 1 left, -1 right of it."""
    rows = triplet_pegs(places, sides, radius, half_width)
    discs = tuple(Disc(x=x, y=y, radius=r) for x, y, r in rows)
    return World(name="triplet", ground=Ground(friction=0.0), obstacles=discs, source=SOURCE)


def triplet_pegs(
    places: tuple[float, ...] = CONTROL_PLACES,
    sides: tuple[float, ...] = CONTROL_SIDES,
    radius: float = RADIUS,
    half_width: float = 0.05,
) -> tuple[tuple[float, float, float], ...]:
    """Rows of x, y, radius [m] of the pegs: a map for controllers."""
    if len(places) != len(sides):
        raise InvalidInput(f"world 'triplet': {len(places)} places, but {len(sides)} sides")
    if any(side not in (-1.0, 1.0) for side in sides):
        raise InvalidInput(f"world 'triplet': sides = {sides}; allowed are 1 (left) and -1 (right)")
    return tuple((x, side * (radius + half_width), radius) for x, side in zip(places, sides, strict=True))
