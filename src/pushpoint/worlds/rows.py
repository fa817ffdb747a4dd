"""Rows of pegs, fixed or such that can be pushed about."""

from __future__ import annotations

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.fields import Fraction
from pushpoint.quantities import Coordinate, FrictionCoefficient, Length, Mass, SomeObstacles
from pushpoint.worlds import Disc, Ground, World, worlds


@worlds.register("rows")
def rows(
    rows: SomeObstacles = 3,
    columns: SomeObstacles = 13,
    spacing: Length = 0.25,
    radius: Length = 0.05,
    x: Coordinate = -0.6,
    y: Coordinate = -0.25,
    stagger: Coordinate = 0.5,
    friction: FrictionCoefficient = 0.2,
    obstacle_friction: FrictionCoefficient = 0.0,
    ground_torque: bool = False,
) -> World:
    """A lattice whose first peg is at (x, y) [m]; every other row is shifted by `stagger` spacings."""
    places = lattice(rows, columns, stagger, limits.OBSTACLES, "pegs")
    discs = tuple(
        Disc(x=x + a * spacing, y=y + b * spacing, radius=radius, friction=obstacle_friction) for a, b in places
    )
    return World(name="rows", ground=Ground(friction=friction, torque=ground_torque), obstacles=discs)


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
    laws = {"mass": mass, "ground_friction": ground_friction, "friction": obstacle_friction, "restitution": restitution}
    places = lattice(rows, columns, stagger, limits.MOVABLE, "movable pegs")
    discs = tuple(Disc.parse({"x": x + a * spacing, "y": y + b * spacing, "radius": radius, **laws}) for a, b in places)
    return World(name="movable-rows", ground=Ground(friction=friction), obstacles=discs)


def lattice(rows: int, columns: int, stagger: float, most: int, what: str) -> list[tuple[float, float]]:
    """Places in units of the spacing, row by row."""
    if rows * columns > most:
        raise InvalidInput(
            f"world.rows = {rows} times world.columns = {columns} are {rows * columns} {what}; should be {most} at most"
        )
    return [(c + stagger * (r % 2), float(r)) for r in range(rows) for c in range(columns)]
