"""A corridor that goes to and fro, so that a robot that winds along it finds walls across its path on both sides."""

from __future__ import annotations

import math
from itertools import pairwise

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.fields import Fraction
from pushpoint.quantities import Coordinate, FrictionCoefficient, Length, Pieces, Width
from pushpoint.worlds import Ground, Wall, World, worlds
from pushpoint.worlds._model import Point


@worlds.register("zigzag")
def zigzag(
    pitch: Length = 0.735,
    swing: Width = 0.1,
    width: Length = 0.24,
    length: Length = 4.0,
    pieces: Pieces = 3,
    x: Coordinate = -0.735,
    y: Coordinate = 0.0,
    friction: FrictionCoefficient = 0.2,
    obstacle_friction: FrictionCoefficient = 0.0,
    restitution: Fraction = 0.0,
) -> World:
    """Two walls, `width` [m] apart in y, on both sides of a zigzag line from (x, y + swing) [m].

    The line swings to both sides of y by `swing` [m] and comes round every `pitch` [m], for at least `length` [m];
    each of its straight stretches is made of `pieces` segments. Without a swing the corridor is straight.
    """
    _refuse_narrow(pitch, swing, width)
    _refuse_many(pitch, length, pieces)
    line = _split(_corners(pitch, swing, length), pieces)
    sides = (tuple((x + along, y + across + side) for along, across in line) for side in (width / 2, -width / 2))
    walls = tuple(Wall(points=points, friction=obstacle_friction, restitution=restitution) for points in sides)
    return World(name="zigzag", ground=Ground(friction=friction), obstacles=walls, source="own")


def _refuse_narrow(pitch: float, swing: float, width: float) -> None:
    """Far below the width of any robot: somebody mistook the unit, or the stretches are too steep."""
    between = width * math.cos(math.atan2(4 * swing, pitch))
    if between < 1e-3:
        raise InvalidInput(f"zigzag: width = {width} m leaves {1e3 * between:.2g} mm between walls as steep as these")


def _refuse_many(pitch: float, length: float, pieces: int) -> None:
    points = (math.ceil(2 * length / pitch)) * pieces + 1
    if points > limits.POINTS:
        raise InvalidInput(
            f"world.length = {length} m over world.pitch = {pitch} m in world.pieces = {pieces} makes {points} points; "
            f"should be {limits.POINTS} at most"
        )


def _corners(pitch: float, swing: float, length: float) -> list[Point]:
    """The corners of the line, from its first crest."""
    count = math.ceil(2 * length / pitch) + 1
    return [(k * pitch / 2, swing if k % 2 == 0 else -swing) for k in range(count)]


def _split(corners: list[Point], pieces: int) -> list[Point]:
    """Every stretch in equal pieces."""
    points = [
        (a[0] + (b[0] - a[0]) * k / pieces, a[1] + (b[1] - a[1]) * k / pieces)
        for a, b in pairwise(corners)
        for k in range(pieces)
    ]
    return [*points, corners[-1]]
