"""Rows of pegs."""

from __future__ import annotations

from pydantic import PositiveInt

from pushpoint.fields import NonNegative, Number, Positive
from pushpoint.worlds import Disc, Ground, World, worlds


@worlds.register("rows")
def rows(
    rows: PositiveInt = 3,
    columns: PositiveInt = 13,
    spacing: Positive = 0.25,
    radius: Positive = 0.05,
    x: Number = -0.6,
    y: Number = -0.25,
    stagger: Number = 0.5,
    friction: NonNegative = 0.2,
    obstacle_friction: NonNegative = 0.0,
    ground_torque: bool = False,
) -> World:
    """A lattice whose first peg is at (x, y) [m]; every other row is shifted by `stagger` spacings."""
    places = lattice(rows, columns, stagger)
    discs = tuple(
        Disc(x=x + a * spacing, y=y + b * spacing, radius=radius, friction=obstacle_friction) for a, b in places
    )
    return World(name="rows", ground=Ground(friction=friction, torque=ground_torque), obstacles=discs)


def lattice(rows: int, columns: int, stagger: float) -> list[tuple[float, float]]:
    """Places in units of the spacing, row by row."""
    return [(c + stagger * (r % 2), float(r)) for r in range(rows) for c in range(columns)]
