"""A corridor between two walls, straight or with a bend."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.fields import Fraction
from pushpoint.quantities import Angle, Coordinate, FrictionCoefficient, Length
from pushpoint.worlds import Ground, Wall, World, worlds

Segments = Annotated[int, Field(ge=1, le=(limits.POINTS - 1) // 2)]  # of each half of a wall


@worlds.register("corridor")
def corridor(
    width: Length = 0.5,
    length: Length = 4.0,
    segments: Segments = 4,
    bend: Angle = 0.0,
    x: Coordinate = -1.0,
    y: Coordinate = 0.0,
    friction: FrictionCoefficient = 0.2,
    obstacle_friction: FrictionCoefficient = 0.0,
    restitution: Fraction = 0.0,
) -> World:
    """Two walls `width` [m] apart whose middle line, `length` [m] long, begins at (x, y) [m] along the x axis.

    In the middle it turns to the left by `bend` [rad]. Each wall has `segments` straight pieces before the middle and
    as many after it.
    """
    _refuse_sharp_bend(width, length, bend)
    sides = (_points(x, y, (length / 2, bend, side), segments) for side in (width / 2, -width / 2))
    obstacles = tuple(Wall(points=points, friction=obstacle_friction, restitution=restitution) for points in sides)
    return World(name="corridor", ground=Ground(friction=friction), obstacles=obstacles)


def _refuse_sharp_bend(width: float, length: float, bend: float) -> None:
    """The inner wall loses width / 2 tan(bend / 2) of each half, and has to have something left."""
    sharpest = 2 * math.atan(length / width)
    if abs(bend) >= sharpest:
        raise InvalidInput(
            f"corridor: bend = {bend} rad leaves nothing of the inner wall; should be within "
            f"{sharpest:.4g} rad for width = {width} m and length = {length} m"
        )


def _points(x: float, y: float, shape: tuple[float, float, float], segments: int) -> tuple[tuple[float, float], ...]:
    """Of the wall that is `side` to the left of the middle line, for a shape of (half length, bend, side)."""
    half, bend, side = shape
    begin = np.array([0.0, side])
    corner = np.array([half - side * math.tan(bend / 2), side])
    end = np.array([half, 0.0]) + _turned(half, side, bend)
    share = np.arange(segments)[:, np.newaxis] / segments
    before, after = begin + share * (corner - begin), corner + share * (end - corner)
    return tuple((x + a, y + b) for a, b in [*before.tolist(), *after.tolist(), end.tolist()])


def _turned(ahead: float, left: float, angle: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([ahead * c - left * s, ahead * s + left * c])
