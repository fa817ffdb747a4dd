"""Obstacles as what a capsule can touch: corners (a disc is a round one) and straight edges.

Walls and polygons are outlines, run through with the solid on the left; a wall is run through there and back. Each
stretch is an edge that only the round ends of a capsule touch; each corner that sticks out is a point that a capsule
touches from directions between the normals of its two edges. Flat joints of several edges and hollow corners are no
corners, so that nothing catches there; in hollow corners edges reach as far behind their neighbours as those are long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pushpoint.types import FloatArray
from pushpoint.worlds import Obstacle

CORNER, EDGE = 0, 1
FLAT = 1e-9  # [rad], about: joints of edges that turn less are not corners
ALL_ROUND = -2.0  # cosine of a cone that has no end, also after round-off


class Feature(NamedTuple):
    """A corner or an edge.

    corner: (x, y) with a rounding of `radius`; touched from directions within the cone about (ux, uy) whose half
            angle has the cosine `size`.
    edge:   from (x, y) in direction (ux, uy), `size` long; its outside is on the right. In a hollow corner it goes on
            for the length `before` or `after`, behind the neighbour with that direction, for what is outside both.
    """

    kind: int
    x: float  # [m]
    y: float  # [m]
    ux: float
    uy: float
    size: float  # edge: length [m]; corner: cosine
    radius: float  # [m]
    friction: float
    restitution: float
    obstacle: int  # index in World.obstacles
    body: int  # number among the movable obstacles, -1 for fixed ones
    before: float = 0.0  # [m]
    before_x: float = 0.0
    before_y: float = 0.0
    after: float = 0.0  # [m]
    after_x: float = 0.0
    after_y: float = 0.0


COLUMNS = Feature._fields


def features(obstacles: Sequence[Obstacle]) -> FloatArray:
    """All corners and edges of all obstacles, (features, 17): the columns COLUMNS."""
    found: list[Feature] = []
    bodies = 0
    for index, obstacle in enumerate(obstacles):
        line = obstacle.outline
        if len(line) == 1:
            found.append(_disc(obstacle, index, bodies if obstacle.is_movable else -1))
            bodies += obstacle.is_movable
        elif line:  # round what is filled; along a wall there and back
            found.extend(_outline(line[:-1] if obstacle.is_filled else [*line, *line[-2:0:-1]], obstacle, index))
    return np.array(found, dtype=float).reshape(-1, len(COLUMNS))


def boxes(table: FloatArray) -> FloatArray:
    """Bounding boxes of features, (features, 4): x_min, y_min, x_max, y_max [m]."""
    place, direction, size, radius = table[:, 1:3], table[:, 3:5], table[:, 5:6], table[:, 6:7]
    before, after = (table[:, [COLUMNS.index(name)]] for name in ("before", "after"))
    start, end = place - before * direction, place + np.where(table[:, :1] == EDGE, size + after, 0.0) * direction
    return np.hstack([np.minimum(start, end) - radius, np.maximum(start, end) + radius])


def _disc(disc: Obstacle, index: int, body: int) -> Feature:
    ((x, y),) = disc.outline
    return Feature(CORNER, x, y, 1.0, 0.0, ALL_ROUND, disc.rounding, disc.friction, disc.restitution, index, body)


def _outline(points: Sequence[tuple[float, float]], obstacle: Obstacle, index: int) -> Iterable[Feature]:
    """Edges and corners of a closed outline with the solid on its left."""
    place = np.array(points, dtype=float)
    step = np.roll(place, -1, axis=0) - place
    length = np.linalg.norm(step, axis=1)
    direction = step / length[:, np.newaxis]
    turn = [_turn(direction[k - 1], direction[k]) for k in range(len(place))]  # at the start of each edge
    for k in range(len(place)):
        last, following = k - 1, (k + 1) % len(place)
        # In a hollow corner both edges hold: each goes on behind the other, so that it is seen in time.
        before, after = _hollow(turn[k]) * length[last], _hollow(turn[following]) * length[following]
        hollow = (float(before), *direction[last].tolist(), float(after), *direction[following].tolist())
        yield _feature(EDGE, place[k], direction[k], float(length[k]), obstacle, index, *hollow)
        if abs(abs(turn[k]) - np.pi) < FLAT:  # the end of a wall: half a turn
            yield _feature(CORNER, place[k], direction[k - 1], 0.0, obstacle, index)
        elif turn[k] > FLAT:
            normals = direction[k - 1] + direction[k]
            middle = np.array([normals[1], -normals[0]]) / np.linalg.norm(normals)
            yield _feature(CORNER, place[k], middle, float(np.cos(turn[k] / 2)), obstacle, index)


def _turn(before: FloatArray, after: FloatArray) -> float:
    """From one direction to the next [rad], positive to the left, where the solid is."""
    return float(np.arctan2(before[0] * after[1] - before[1] * after[0], before @ after))


def _hollow(turn: float) -> bool:
    return -np.pi + FLAT < turn < -FLAT


def _feature(
    kind: int, at: FloatArray, u: FloatArray, size: float, obstacle: Obstacle, index: int, *hollow: float
) -> Feature:
    x, y, ux, uy = float(at[0]), float(at[1]), float(u[0]), float(u[1])
    return Feature(kind, x, y, ux, uy, size, 0.0, obstacle.friction, obstacle.restitution, index, -1, *hollow)
