"""Which links of a pose intersect which obstacles, and how deep.

Every obstacle is a set of straight pieces: those of a wall, the edges of a polygon, and for a disc one of length zero
that is as thick as the disc. A link is one piece too, its axis, as thick as the capsule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pushpoint.robots import Robot
from pushpoint.types import FloatArray, IntArray, Pose
from pushpoint.worlds import Obstacle, World

BoolArray = npt.NDArray[np.bool_]

MOST_AT_ONCE = 4_000_000  # pairs of boxes that are compared in one go: some 100 MB


class Pieces(NamedTuple):
    """Straight pieces with round ends; `box` is that of the whole polygon for its edges."""

    start: FloatArray  # [m], (pieces, 2)
    end: FloatArray  # [m], (pieces, 2)
    radius: FloatArray  # [m], (pieces,)
    box: FloatArray  # [m], (pieces, 4): x_min, y_min, x_max, y_max
    owner: IntArray  # (pieces,): number of the link or obstacle
    edge: IntArray  # (pieces,): 1 for the edges of polygons, which are run through counter-clockwise

    def chosen(self, which: IntArray) -> Pieces:
        start, end, radius, box, owner, edge = self
        return Pieces(start[which], end[which], radius[which], box[which], owner[which], edge[which])


def overlaps(robot: Robot, world: World, pose: Pose) -> list[tuple[int, int, float]]:
    """(link, obstacle, depth [m]) of every capsule that intersects an obstacle, the deepest first.

    The depth is how far a link would have to be shifted to be clear of a disc or a polygon. A thin wall has no
    inside: a link that its axis crosses is as deep as its radius, however it crosses.
    """
    link, obstacle, depth = depths(link_pieces(robot, pose.position, pose.angle), obstacle_pieces(world.obstacles))
    found = [(int(i), int(k), float(d)) for i, k, d in zip(link, obstacle, depth, strict=True) if d > 0]
    return sorted(found, key=lambda row: -row[2])


def depths(links: Pieces, obstacles: Pieces) -> tuple[IntArray, IntArray, FloatArray]:
    """Owners of pieces that are near each other, and how deep the first lies in the second [m]: negative if outside."""
    link, piece = _near(links.box, obstacles.box)
    if not len(link):
        return link, piece, np.zeros(0)
    one, other = links.chosen(link), obstacles.chosen(piece)
    count = int(other.owner.max()) + 1
    pairs, member = np.unique(one.owner * count + other.owner, return_inverse=True)
    depth = np.full(len(pairs), -np.inf)
    np.maximum.at(depth, member, one.radius + other.radius - _distance(one, other))
    inside = _inside(one, other, member, len(pairs))
    owner, obstacle = pairs // count, pairs % count
    return owner, obstacle, np.where(inside > 0, links.radius[owner] + inside, depth)


def link_pieces(robot: Robot, position: FloatArray, angle: FloatArray) -> Pieces:
    """The links of one pose, (n, 2) and (n,), or of many, (rows, n, 2) and (rows, n): then numbered row by row."""
    half_core, radius = np.array([(link.half_core, link.radius) for link in robot.links]).T
    along = half_core[:, np.newaxis] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    start, end = (position - along).reshape(-1, 2), (position + along).reshape(-1, 2)
    number, thick = np.arange(len(start)), np.resize(radius, len(start))
    return Pieces(start, end, thick, _boxes(start, end, thick), number, np.zeros_like(number))


def obstacle_pieces(obstacles: Sequence[Obstacle]) -> Pieces:
    """All obstacles; those of space alone have no pieces."""
    points: list[tuple[float, float]] = []
    radius: list[float] = []
    kind: list[tuple[int, int]] = []  # obstacle, and whether it is a polygon
    for index, obstacle in enumerate(obstacles):
        corners = obstacle.outline
        points.extend(corners)
        radius.extend([obstacle.rounding] * len(corners))
        kind.extend([(index, int(obstacle.is_filled))] * len(corners))
    place, thick = np.array(points, dtype=float).reshape(-1, 2), np.array(radius)
    owner, edge = np.array(kind, dtype=np.int64).reshape(-1, 2).T
    last = owner[1:] != owner[:-1] if len(owner) else owner  # the piece after this point belongs to another one
    last = np.append(last, True)[: len(owner)]
    pieces = Pieces(place, np.roll(place, -1, axis=0), thick, np.empty((len(owner), 4)), owner, edge)
    disc = thick > 0
    pieces.end[disc] = place[disc]
    pieces = pieces.chosen(np.flatnonzero(disc | ~last))
    pieces.box[:] = _whole_boxes(pieces)
    return pieces


def _boxes(start: FloatArray, end: FloatArray, radius: FloatArray) -> FloatArray:
    thick = radius[:, np.newaxis]
    return np.hstack([np.minimum(start, end) - thick, np.maximum(start, end) + thick])


def _whole_boxes(pieces: Pieces) -> FloatArray:
    """Of each piece; the edges of a polygon all have that of the polygon."""
    box = _boxes(pieces.start, pieces.end, pieces.radius)
    edge = np.flatnonzero(pieces.edge)
    _, member = np.unique(pieces.owner[edge], return_inverse=True)
    low, high = np.full((len(edge), 2), np.inf), np.full((len(edge), 2), -np.inf)
    np.minimum.at(low, member, box[edge, :2])
    np.maximum.at(high, member, box[edge, 2:])
    box[edge] = np.hstack([low[member], high[member]])
    return box


def _near(links: FloatArray, obstacles: FloatArray) -> tuple[IntArray, IntArray]:
    """Pairs of boxes that meet; those far from the whole robot are sorted out first."""
    robot = np.concatenate([links[:, :2].min(axis=0), links[:, 2:].max(axis=0)])
    around = np.flatnonzero(_meet(robot[np.newaxis], obstacles)[0])
    found = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    rows = max(1, MOST_AT_ONCE // max(1, len(around)))
    for begin in range(0, len(links), rows):
        link, piece = np.nonzero(_meet(links[begin : begin + rows], obstacles[around]))
        found.append((link + begin, around[piece]))
    link, piece = (np.concatenate(part) for part in zip(*found, strict=True))
    return link, piece


def _meet(one: FloatArray, other: FloatArray) -> BoolArray:
    a, b = one[:, np.newaxis], other[np.newaxis]
    return np.asarray(np.all((a[..., :2] <= b[..., 2:]) & (b[..., :2] <= a[..., 2:]), axis=-1))


def _distance(one: Pieces, other: Pieces) -> FloatArray:
    """Between the axes of two pieces [m], row by row; zero if they cross."""
    pairs = ((one.start, other), (one.end, other), (other.start, one), (other.end, one))
    ends = [_distance_from_point(point, piece) for point, piece in pairs]
    return np.where(axes_cross(one.start, one.end, other.start, other.end), 0.0, np.min(ends, axis=0))


def _distance_from_point(point: FloatArray, piece: Pieces) -> FloatArray:
    along, away = piece.end - piece.start, point - piece.start
    square = np.sum(along * along, axis=1)
    share = np.clip(np.sum(away * along, axis=1) / np.where(square > 0, square, 1.0), 0.0, 1.0)
    return np.asarray(np.linalg.norm(away - share[:, np.newaxis] * along, axis=1))


def axes_cross(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray) -> BoolArray:
    """Whether the stretches from a to b and from c to d cross, row by row."""
    return np.asarray((_turn(a, b, c) * _turn(a, b, d) < 0) & (_turn(c, d, a) * _turn(c, d, b) < 0))


def _turn(a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """Positive where c is on the left of the line from a to b."""
    return np.asarray((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])


def _inside(one: Pieces, other: Pieces, member: IntArray, pairs: int) -> FloatArray:
    """How far axes would have to be shifted to be out of polygons [m], for each pair; not positive if they are out.

    The shortest shift is across an edge of the polygon, or to either side of the axis until the last corner is
    passed: the directions of the edges of the two shapes' Minkowski difference.
    """
    edge = np.flatnonzero(other.edge)
    pair, one, other = member[edge], one.chosen(edge), other.chosen(edge)
    shift = np.full(pairs, np.inf)
    shift[np.setdiff1d(np.arange(pairs), pair)] = -np.inf  # no polygon
    length = np.linalg.norm(other.end - other.start, axis=1)
    left = [_turn(other.start, other.end, point) / length for point in (one.start, one.end)]
    np.minimum.at(shift, pair, np.maximum(*left))
    core = np.linalg.norm(one.end - one.start, axis=1)
    beside = _turn(one.start, one.end, other.start) / np.where(core > 0, core, 1.0)
    for side in (beside, -beside):
        furthest = np.full(pairs, -np.inf)
        np.maximum.at(furthest, pair[core > 0], side[core > 0])
        shift = np.where(np.isneginf(furthest), shift, np.minimum(shift, furthest))
    return shift
