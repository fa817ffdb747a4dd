"""Rows of pegs that can be pushed about."""

from __future__ import annotations

from pydantic import PositiveInt

from pushpoint.fields import Fraction, NonNegative, Number, Positive
from pushpoint.worlds import Disc, Ground, World, worlds
from pushpoint.worlds.rows import lattice


@worlds.register("movable-rows")
def movable_rows(
    rows: PositiveInt = 3,
    columns: PositiveInt = 13,
    spacing: Positive = 0.25,
    radius: Positive = 0.05,
    x: Number = -0.6,
    y: Number = -0.25,
    stagger: Number = 0.5,
    mass: Positive = 0.5,
    ground_friction: NonNegative = 0.2,
    friction: NonNegative = 0.2,
    obstacle_friction: NonNegative = 0.0,
    restitution: Fraction = 0.0,
) -> World:
    """The lattice of `rows`; each peg has a `mass` [kg] and stands on the ground with `ground_friction`."""
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
