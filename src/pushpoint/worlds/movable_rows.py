"""Rows of pegs that can be pushed about."""

from __future__ import annotations

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.fields import Fraction
from pushpoint.quantities import Coordinate, FrictionCoefficient, Length, Mass, SomeObstacles
from pushpoint.worlds import Disc, Ground, World, worlds
from pushpoint.worlds.rows import lattice


@worlds.register("movable-rows")
def movable_rows(
    rows: SomeObstacles = 3,
    columns: SomeObstacles = 13,
    spacing: Length = 0.25,
    radius: Length = 0.05,
    x: Coordinate = -0.6,
    y: Coordinate = -0.25,
    stagger: Coordinate = 0.5,
    mass: Mass = 0.5,
    ground_friction: FrictionCoefficient = 0.2,
    friction: FrictionCoefficient = 0.2,
    obstacle_friction: FrictionCoefficient = 0.0,
    restitution: Fraction = 0.0,
) -> World:
    """The lattice of `rows`; each peg has a `mass` [kg] and stands on the ground with `ground_friction`."""
    if rows * columns > limits.MOVABLE:
        raise InvalidInput(
            f"world.rows = {rows} times world.columns = {columns} are {rows * columns} movable pegs; should be "
            f"{limits.MOVABLE} at most"
        )
    discs = tuple(
        Disc(
            x=x + a * spacing,
            y=y + b * spacing,
            radius=radius,
            mass=mass,
            ground_friction=ground_friction,
            friction=obstacle_friction,
            restitution=restitution,
        )
        for a, b in lattice(rows, columns, stagger)
    )
    return World(name="movable-rows", ground=Ground(friction=friction), obstacles=discs)
