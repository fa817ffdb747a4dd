"""Solids in space as what a capsule can touch: faces, edges and vertices of flat ones, cylinders and their rims.

Each feature is touched only from its Voronoi region, the directions from which it is the nearest part of its solid.
Joints between coplanar faces and hollow edges have no such directions and are no features: nothing catches there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pushpoint.geometry.grid import Grid, cells_of, sorted_grid
from pushpoint.types import FloatArray, IntArray

FACE, EDGE, VERTEX, PILLAR, CYLINDER, RIM = range(6)

# Columns of a feature. The box comes first: most features of a cell are ruled out by it.
X_MIN, X_MAX, Y_MIN, Y_MAX, Z_MIN, Z_MAX = range(6)  # [m]
BALL = 6  # [m], radius of the ball about the box
KIND, FRICTION, OBSTACLE = 7, 8, 9  # obstacle: index in World.obstacles, -1 for terrain
AT = 10  # 10-12 [m]: a corner of a face, the start of an edge, a vertex, the centre of a cylinder or of its flat end
ALONG = 13  # 13-15: the outward normal of a face or of a rim, the direction of an edge or of a cylinder's axis
# face: rows of the map from a place to its two coordinates in the face, from 0 to 1 between opposite sides [1/m]
FIRST, SECOND = 16, 19  # 16-18, 19-21
FILL = 22  # 1: triangle, the sum of both coordinates is at most 1; 0: parallelogram, each of them is
DEPTH = 23  # [m], how far behind a face or edge a centre may be; negative: of a thin wall, touched from both sides
# edge: across it into its two faces, and its length; the second is zero for a free edge
INTO_ONE, INTO_OTHER = 16, 19  # 16-18, 19-21
LENGTH = 22  # [m]
DIRECTIONS, COUNT = 16, 17  # vertex: its edges are direction[DIRECTIONS : DIRECTIONS + COUNT]
RADIUS, HALF = 16, 17  # pillar, cylinder, rim [m]; cylinder: half length [m]
PART = 24  # number of the convex part of an obstacle, counted through the world; -1 for terrain
COLUMNS = 25

DEEP = 0.02  # [m]: faces are touched by centres at most this or a radius behind them
FAR = 1000.0  # [m]: for ever
LONG = 500.0  # [m]: what is longer goes on for ever; the grid need not reach its ends

TERRAIN = -1  # in place of the numbers of an obstacle and its part

MOST_ENTRIES = 20_000_000  # of items in cells: long items in small cells would be in very many

BoolArray = npt.NDArray[np.bool_]
Depth = float | FloatArray  # [m], of all, or of each


class Solids(NamedTuple):
    """All features, and a grid that lists which of them are near."""

    feature: FloatArray  # (features, COLUMNS)
    direction: FloatArray  # (k, 3): unit vectors along the edges of vertices, away from them
    grid: Grid  # a cell lists what a capsule whose centre is in it may touch; the outermost cells have no end


class Owner(NamedTuple):
    """What features belong to, or those of several parts each."""

    friction: float | FloatArray
    obstacle: int | IntArray = TERRAIN
    part: int | IntArray = TERRAIN


class Features:
    """Features as they are found."""

    def __init__(self) -> None:
        self._features: list[FloatArray] = []
        self._directions: list[FloatArray] = []
        self._count = 0
        self.owner = Owner(0.0)  # of what is added

    def table(self) -> tuple[FloatArray, FloatArray]:
        """All features, and the directions of the edges of vertices."""
        return (
            np.concatenate([np.zeros((0, COLUMNS)), *self._features]),
            np.concatenate([np.zeros((0, 3)), *self._directions]),
        )

    def _add(self, kind: int, at: FloatArray, boxed: FloatArray) -> FloatArray:
        """New rows (m, COLUMNS) with the boxes of the points `boxed` (m, k, 3) [m]."""
        rows = np.zeros((len(at), COLUMNS))
        rows[:, [X_MIN, Y_MIN, Z_MIN]], rows[:, [X_MAX, Y_MAX, Z_MAX]] = boxed.min(axis=1), boxed.max(axis=1)
        rows[:, BALL] = np.linalg.norm(np.ptp(boxed, axis=1), axis=1) / 2 * (1 + 1e-12)
        rows[:, KIND], rows[:, FRICTION], rows[:, OBSTACLE], rows[:, PART] = kind, *self.owner
        rows[:, AT : AT + 3] = at
        self._features.append(rows)
        return rows

    def faces(self, corner: FloatArray, one: FloatArray, other: FloatArray, depth: Depth, fill: float) -> None:
        """Parallelograms (fill 0) or triangles (1) with two sides each, (m, 3) [m]; the normal is one x other."""
        corner, one, other = (np.reshape(v, (-1, 3)) for v in (corner, one, other))
        last = corner + one + (1 - fill) * other
        rows = self._add(FACE, corner, np.stack([corner, corner + one, corner + other, last], axis=1))
        normal = np.cross(one, other)
        square = np.sum(normal * normal, axis=1, keepdims=True)
        rows[:, ALONG : ALONG + 3] = normal / np.sqrt(square)
        rows[:, FIRST : FIRST + 3] = np.cross(other, normal) / square
        rows[:, SECOND : SECOND + 3] = np.cross(normal, one) / square
        rows[:, FILL], rows[:, DEPTH] = fill, depth

    def edges(
        self, start: FloatArray, end: FloatArray, into_one: FloatArray, into_other: FloatArray, depth: Depth
    ) -> None:
        """Edges with vectors into their two faces, (m, 3); zeros for a face that is not there."""
        start, end = np.reshape(start, (-1, 3)), np.reshape(end, (-1, 3))
        rows = self._add(EDGE, start, np.stack([start, end], axis=1))
        rows[:, LENGTH], rows[:, DEPTH] = np.linalg.norm(end - start, axis=1), depth
        along = (end - start) / rows[:, LENGTH, np.newaxis]
        rows[:, ALONG : ALONG + 3] = along
        for column, vectors in ((INTO_ONE, into_one), (INTO_OTHER, into_other)):
            into = np.reshape(vectors, (-1, 3))
            across = into - np.sum(into * along, axis=1, keepdims=True) * along
            size = np.linalg.norm(across, axis=1, keepdims=True)
            rows[:, column : column + 3] = across / np.where(size > 0, size, 1.0)

    def vertices(self, at: FloatArray, owner: IntArray, edge: FloatArray) -> None:
        """Vertices (m, 3) [m]; `edge`: vectors away from them, `owner`: the vertex of each, in ascending order."""
        at = np.reshape(at, (-1, 3))
        rows = self._add(VERTEX, at, at[:, np.newaxis])
        count = np.bincount(owner, minlength=len(at))
        rows[:, COUNT], rows[:, DIRECTIONS] = count, self._count + np.cumsum(count) - count
        self._directions.append(edge / np.linalg.norm(edge, axis=1, keepdims=True))
        self._count += len(edge)

    def vertex(self, at: FloatArray, *neighbours: FloatArray) -> None:
        """One vertex with edges towards its neighbours [m]."""
        self.vertices(at, np.zeros(len(neighbours), dtype=np.int64), np.array(neighbours) - at)

    def pillar(self, x: float, y: float, radius: float) -> None:
        """An upright cylinder without ends [m]."""
        box = np.array([[[x - radius, y - radius, -FAR], [x + radius, y + radius, FAR]]])
        rows = self._add(PILLAR, np.array([[x, y, 0.0]]), box)
        rows[:, RADIUS], rows[:, ALONG + 2] = radius, 1.0

    def cylinder(self, start: FloatArray, end: FloatArray, radius: float, both: bool) -> None:
        """A solid cylinder [m] with the rim of its far end, and of the near one if it has `both`."""
        along = (end - start) / np.linalg.norm(end - start)
        wide = radius * np.sqrt(np.maximum(0.0, 1.0 - along * along))
        box = np.array([[start - wide, start + wide, end - wide, end + wide]])
        rows = self._add(CYLINDER, (start + end)[np.newaxis] / 2, box)
        rows[:, ALONG : ALONG + 3], rows[:, RADIUS] = along, radius
        rows[:, HALF] = np.linalg.norm(end - start) / 2
        for centre, normal in ((end, along), (start, -along))[: 1 + both]:
            rim = self._add(RIM, centre[np.newaxis], np.array([[centre - wide, centre + wide]]))
            rim[:, ALONG : ALONG + 3], rim[:, RADIUS] = normal, radius


def sort_into_grid(feature: FloatArray, direction: FloatArray, reach: float) -> Solids:
    """The features with their grid; `reach` [m]: from the centre of a capsule to the furthest feature it asks for."""
    if len(feature) == 0:
        empty = Grid(np.array([0.0, 0.0, 1.0]), np.array([1, 1]), np.zeros(2, np.int64), np.zeros(0, np.int64))
        return Solids(feature, direction, empty)
    reach += DEEP  # to see that something is behind a face, but in front of the next
    low, high = feature[:, [X_MIN, Y_MIN]] - reach, feature[:, [X_MAX, Y_MAX]] + reach
    origin, shape, size = _frame(low, high, reach)
    while _entries(low, high, size) > MOST_ENTRIES:
        origin, shape, size = _frame(low, high, 2.0 * size)
    middle = np.clip(np.floor(((low + high) / 2 - origin) / size), 0, shape - 1)
    near = np.lexsort((middle[:, 0], middle[:, 1]))  # what is near in space is near in memory
    feature, low, high = feature[near], low[near], high[near]
    first = np.clip(np.floor((low - origin) / size), 0, shape - 1).astype(np.int64)
    last = np.clip(np.floor((high - origin) / size), 0, shape - 1).astype(np.int64)
    item, column, row = cells_of(first, last)
    cell = row * shape[0] + column
    kept = _may_meet(feature, item, origin + size * (np.stack([column, row], axis=1) + 0.5), size, reach)
    kept |= (column == 0) | (column == shape[0] - 1) | (row == 0) | (row == shape[1] - 1)  # they have no end
    return Solids(feature, direction, sorted_grid(np.array([*origin, size]), shape, item[kept], cell[kept]))


def _frame(low: FloatArray, high: FloatArray, reach: float) -> tuple[FloatArray, IntArray, float]:
    """Origin, number of columns and rows, and size of the cells, with a ring of cells about everything that ends."""
    bottom, top = np.zeros(2), np.zeros(2)
    for k in range(2):
        ends = high[:, k] - low[:, k] < LONG
        if ends.any():
            bottom[k], top[k] = low[ends, k].min(), high[ends, k].max()
    room = 8 * len(low) + 100_000
    size = max(reach, math.sqrt(float(np.prod(top - bottom)) / room), float((top - bottom).max()) / room, 1e-9)
    shape = np.floor((top - bottom) / size).astype(np.int64) + 3
    return bottom - size, shape, size


def _entries(low: FloatArray, high: FloatArray, size: float) -> float:
    """About how often the items stand in cells of a size, all together."""
    return float(np.prod(np.minimum(high - low, LONG) / size + 1.0, axis=1).sum())


def _may_meet(feature: FloatArray, item: IntArray, centre: FloatArray, size: float, reach: float) -> BoolArray:
    """Whether cells are near edges and upright faces, which may be long and lie across the grid."""
    kind, along = feature[:, KIND], feature[:, ALONG : ALONG + 3]
    upright = (kind == FACE) & (np.abs(along[:, 2]) < 1e-9)
    side = np.where(upright[:, np.newaxis], along[:, :2], np.stack([-along[:, 1], along[:, 0]], axis=1))
    side[~upright & (kind != EDGE)] = 0.0
    offset = np.sum(side * feature[:, AT : AT + 2], axis=1)
    room = np.abs(side).sum(axis=1) * size / 2 + np.linalg.norm(side, axis=1) * reach + 1e-9
    away = np.sum(side[item] * centre, axis=1) - offset[item]
    return np.asarray(np.abs(away) <= room[item])
