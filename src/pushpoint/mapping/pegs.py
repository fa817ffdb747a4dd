"""Pegs as discs, from points of their rims that were felt or seen, with no word of which peg it was.

Of each peg, the last point p of the rim is kept in each of `SECTORS` directions n in which the rim faces. The disc fits
p = c + r n best, with a radius r that is assumed until points in different directions say more:

    minimise over c, r    sum |c + r n_i - p_i|^2 + w (r - r_0)^2
    r = (sum (n_i - n) . (p_i - p) + w r_0) / (sum |n_i - n|^2 + w),    c = p - r n    with means n, p

Points that belong to no known peg are a new peg. A body that passes where a disc is believed makes it smaller, and in
the end forgotten; so do rays that pass through it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pushpoint.fields import Frozen
from pushpoint.quantities import Length, Width
from pushpoint.types import FloatArray

SECTORS = 16  # of directions in which a rim faces
MOST_PEGS = 256  # that are known at a time; the one that was met longest ago is forgotten first


class PegMaking(Frozen):
    """How pegs are made of points."""

    radius: Length = 0.07  # [m], assumed where nothing else is known
    radius_spread: Length = 0.02  # [m], standard deviation of radii around it
    point_error: Width = 0.001  # [m], standard deviation of points
    smallest: Length = 0.02  # [m], radius: smaller pegs are forgotten
    largest: Length = 0.2  # [m], radius
    merge: Length = 0.09  # [m]: centres that are nearer belong to one peg


class KnownPegs(NamedTuple):
    """What is known of pegs."""

    disc: FloatArray  # [m], (k, 3): x, y, radius
    point: FloatArray  # [m], (k, SECTORS, 2): of the rims; NaN where nothing is known
    normal: FloatArray  # (k, SECTORS, 2): out of the peg
    limit: FloatArray  # [m], (k,): radii are not larger, as the body has been there
    met: FloatArray  # [s], (k,): when the last point was added


def no_pegs() -> KnownPegs:
    """Nothing is known."""
    rim = np.zeros((0, SECTORS, 2))
    return KnownPegs(np.zeros((0, 3)), rim, rim.copy(), np.zeros(0), np.zeros(0))


def fit_disc(point: FloatArray, normal: FloatArray, prior: tuple[float, float], most: float = np.inf) -> FloatArray:
    """The disc (x, y, radius) [m] whose rim passes through points (m, 2), where it faces along `normal` (m, 2).

    Parameters
    ----------
    point
        [m].
    normal
        Unit vectors out of the disc.
    prior
        Radius [m] that is assumed, and the weight of it: the squared error of points over the squared spread of radii.
    most
        [m], the largest radius.
    """
    (assumed, weight), p, n = prior, point.mean(axis=0), normal.mean(axis=0)
    spread = float(((normal - n) ** 2).sum()) + weight
    radius = assumed
    if spread > 0.0:
        radius = (float(((normal - n) * (point - p)).sum()) + weight * assumed) / spread
    radius = min(radius, most)
    return np.array([*(p - radius * n), radius])


class PegMap:
    """Makes pegs of points, and forgets them."""

    def __init__(self, making: PegMaking) -> None:
        self.making = making
        self._prior = making.radius, (making.point_error / making.radius_spread) ** 2

    def met(self, known: KnownPegs, point: FloatArray, normal: FloatArray, time: float) -> KnownPegs:
        """With points (m, 2) [m] of rims and unit vectors (m, 2) out of them, felt or seen at a time [s]."""
        for p, n in zip(point, normal, strict=True):
            known = self._met_one(known, p, n, time)
        return known

    def _met_one(self, known: KnownPegs, point: FloatArray, normal: FloatArray, time: float) -> KnownPegs:
        """The peg whose disc the point fits best takes it, if it fits at all."""
        if len(known.disc):
            off = known.disc[:, :2] + known.disc[:, 2:] * normal - point
            distance = np.hypot(off[:, 0], off[:, 1])
            k = int(distance.argmin())
            if distance[k] < self.making.merge:
                return self._taken(known, k, point, normal, time)
        return self._added(known, point, normal, time)

    def _taken(self, known: KnownPegs, k: int, point: FloatArray, normal: FloatArray, time: float) -> KnownPegs:
        points, normals = known.point.copy(), known.normal.copy()
        sector = sector_of(normal)
        points[k, sector], normals[k, sector] = point, normal
        has_point = ~np.isnan(points[k, :, 0])
        disc, met = known.disc.copy(), known.met.copy()
        disc[k] = self._fit(points[k, has_point], normals[k, has_point], known.limit[k])
        met[k] = time
        return known._replace(disc=disc, point=points, normal=normals, met=met)

    def _fit(self, point: FloatArray, normal: FloatArray, limit: float) -> FloatArray:
        disc = fit_disc(point, normal, self._prior, min(limit, self.making.largest))
        if disc[2] < self.making.smallest:  # points that contradict each other
            radius = self.making.smallest
            disc = np.array([*(point.mean(axis=0) - radius * normal.mean(axis=0)), radius])
        return disc

    def _added(self, known: KnownPegs, point: FloatArray, normal: FloatArray, time: float) -> KnownPegs:
        rim = np.full((2, 1, SECTORS, 2), np.nan)
        rim[0, 0, sector_of(normal)], rim[1, 0, sector_of(normal)] = point, normal
        disc = self._fit(point[np.newaxis], normal[np.newaxis], np.inf)
        parts = (disc[np.newaxis], rim[0], rim[1], np.array([np.inf]), np.array([time]))
        longer = KnownPegs(*(np.concatenate(pair) for pair in zip(known, parts, strict=True)))
        return longer if len(longer.disc) <= MOST_PEGS else without(longer, int(longer.met.argmin()))

    def swept(self, known: KnownPegs, start: FloatArray, end: FloatArray, radius: FloatArray) -> KnownPegs:
        """After a body of capsules was there: `start`, `end` (n, 2) of their axes and `radius` (n,) [m].

        A disc that reaches into the body becomes smaller, with its rim where it was met; the smallest are forgotten.
        """
        if not len(known.disc):
            return known
        depth = known.disc[:, 2] - clearances(known.disc[:, :2], start, end, radius).min(axis=1)
        deep = np.flatnonzero(depth > self.making.point_error)
        if not len(deep):
            return known
        disc, limit = known.disc.copy(), known.limit.copy()
        for k in deep:
            has_point = ~np.isnan(known.point[k, :, 0])
            limit[k] = disc[k, 2] - 0.5 * depth[k]
            disc[k] = self._fit(known.point[k, has_point], known.normal[k, has_point], limit[k])
        known = known._replace(disc=disc, limit=limit)
        gone = limit < self.making.smallest
        return without(known, gone) if gone.any() else known


def without(known: KnownPegs, gone: Any) -> KnownPegs:
    """The others: `gone` is a number or a mask."""
    kept = np.ones(len(known.disc), bool)
    kept[gone] = False
    return KnownPegs(*(part[kept] for part in known))


def sector_of(normal: FloatArray) -> int:
    """Which of the directions it is."""
    turn = np.arctan2(normal[1], normal[0]) / (2.0 * np.pi)
    return int(np.floor((turn % 1.0) * SECTORS)) % SECTORS


def clearances(centre: FloatArray, start: FloatArray, end: FloatArray, radius: FloatArray) -> FloatArray:
    """From points (k, 2) to capsules (n): distances (k, n) to their rims [m]."""
    along = end - start
    squared = np.maximum((along**2).sum(axis=1), 1e-30)
    off = centre[:, np.newaxis] - start
    share = np.clip((off * along).sum(axis=2) / squared, 0.0, 1.0)
    off = off - share[:, :, np.newaxis] * along
    return np.asarray(np.hypot(off[:, :, 0], off[:, :, 1]) - radius)


def moved_off(disc: FloatArray, start: FloatArray, end: FloatArray, radius: FloatArray, gap: float) -> FloatArray:
    """Discs (k, 3), moved away from a body that they overlap until they are `gap` [m] off it; where the body leaves no
    room, they become smaller."""
    moved = disc.copy()
    for _ in range(3):
        room = clearances(moved[:, :2], start, end, radius)
        near = room.argmin(axis=1)
        deep = np.flatnonzero(moved[:, 2] + gap - room.min(axis=1) > 0.0)
        if not len(deep):
            return moved
        for k in deep:
            a, along = start[near[k]], end[near[k]] - start[near[k]]
            share = np.clip((moved[k, :2] - a) @ along / max(along @ along, 1e-30), 0.0, 1.0)
            off = moved[k, :2] - a - share * along
            size = float(np.hypot(*off))
            direction = off / size if size > 0.0 else np.array([-along[1], along[0]]) / np.hypot(*along)
            moved[k, :2] += direction * (moved[k, 2] + gap - room[k, near[k]])
    room = clearances(moved[:, :2], start, end, radius).min(axis=1)
    moved[:, 2] = np.minimum(moved[:, 2], room - gap)
    return moved[moved[:, 2] > gap]


def row_of_discs(edge: FloatArray, radius: float) -> FloatArray:
    """Discs (k, 3) [m] that touch each other's centres along an edge (4,)."""
    start, along = edge[:2], edge[2:] - edge[:2]
    count = 1 + int(np.ceil(np.hypot(*along) / radius))
    centres = start + np.linspace(0.0, 1.0, count)[:, np.newaxis] * along
    return np.column_stack([centres, np.full(count, radius)])
