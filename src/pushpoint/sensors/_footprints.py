"""Obstacles seen from above: discs, and edges of walls and of convex outlines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pushpoint.types import FloatArray, IntArray, Map, Snapshot
from pushpoint.worlds import Obstacle, World

Point = tuple[float, float]


class Footprints(NamedTuple):
    """All obstacles of a world from above."""

    disc: FloatArray  # [m], (k, 3): x, y, radius
    disc_obstacle: IntArray  # (k,): which obstacle it is
    edge: FloatArray  # [m], (m, 4)
    edge_obstacle: IntArray  # (m,)
    movable: IntArray  # rows of `disc` that move, in the order of World.movable

    def now(self, seen: Snapshot) -> Footprints:
        """With movable discs where they are."""
        if not len(self.movable):
            return self
        disc = self.disc.copy()
        disc[self.movable, :2] = seen.obstacle_position[:, :2]
        return self._replace(disc=disc)

    def part(self, disc: FloatArray, edge: FloatArray) -> Map:
        """Those of these rows."""
        return Map(self.disc[disc], self.edge[edge])

    def distances(self, x: float, y: float) -> tuple[FloatArray, FloatArray]:
        """From a point to the rims of discs and to edges [m]."""
        at = np.array([x, y])
        start, end = self.edge[:, :2], self.edge[:, 2:]
        along = end - start
        share = np.clip(np.sum((at - start) * along, axis=1) / np.sum(along * along, axis=1), 0.0, 1.0)
        off = at - start - share[:, np.newaxis] * along
        return np.linalg.norm(self.disc[:, :2] - at, axis=1) - self.disc[:, 2], np.linalg.norm(off, axis=1)


def footprints(world: World) -> Footprints:
    discs, edges = list[tuple[int, FloatArray]](), list[tuple[int, FloatArray]]()
    for number, obstacle in enumerate(world.obstacles):
        for line in _outlines(obstacle):
            if len(line) == 1:
                discs.append((number, np.array([*line[0], obstacle.rounding])))
            edges += [(number, np.array([*a, *b])) for a, b in pairwise(line)]
    places = {number: row for row, (number, _) in enumerate(discs)}
    return Footprints(
        disc=np.array([disc for _, disc in discs]).reshape(-1, 3),
        disc_obstacle=np.array([number for number, _ in discs], dtype=np.int64),
        edge=np.array([edge for _, edge in edges]).reshape(-1, 4),
        edge_obstacle=np.array([number for number, _ in edges], dtype=np.int64),
        movable=np.array([places[number] for number in world.movable], dtype=np.int64),
    )


def _outlines(obstacle: Obstacle) -> list[Sequence[Point]]:
    """Corners in order; the first comes again at the end of what is closed."""
    if obstacle.outline:
        return [obstacle.outline]
    around = [_hull(part[:, :2]) for part in obstacle.hulls()]
    return [[*corners, corners[0]] for corners in around]


def _hull(points: FloatArray) -> list[Point]:
    """Convex hull in counter-clockwise order."""
    ordered = sorted({(float(x), float(y)) for x, y in points})

    def chain(some: Sequence[Point]) -> list[Point]:
        kept: list[Point] = []
        for p in some:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 0:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return chain(ordered) + chain(ordered[::-1])


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def first_hits(origin: Point, angles: FloatArray, around: Footprints) -> FloatArray:
    """Distance [m] from a point to the first obstacle in each direction [rad]; infinite where there is none."""
    ray = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    nearest = np.full(len(angles), math.inf)
    if len(around.disc):
        to = around.disc[:, :2] - origin
        along = ray @ to.T
        reach = along**2 - np.sum(to * to, axis=1) + around.disc[:, 2] ** 2  # half chord, squared
        first = along - np.sqrt(np.maximum(reach, 0.0))
        inside = np.sum(to * to, axis=1) <= around.disc[:, 2] ** 2
        hit = np.where((reach >= 0.0) & (first >= 0.0), first, math.inf)
        nearest = np.minimum(nearest, np.where(inside, 0.0, hit).min(axis=1))
    if len(around.edge):
        start, side = around.edge[:, :2] - origin, around.edge[:, 2:] - around.edge[:, :2]
        across = ray[:, :1] * side[:, 1] - ray[:, 1:] * side[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = (start[:, 0] * side[:, 1] - start[:, 1] * side[:, 0]) / across
            share = (start[:, 0] * ray[:, 1:] - start[:, 1] * ray[:, :1]) / across
        hit = np.where((share >= 0.0) & (share <= 1.0) & (distance >= 0.0), distance, math.inf)
        nearest = np.minimum(nearest, hit.min(axis=1))
    return nearest
