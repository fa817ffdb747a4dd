"""What a range scan says: discs and edges that it hits, and discs that it sees through.

Neighbouring rays that hit at similar distances, or along a straight line, see one obstacle. A disc fits their points p
by least squares of |p_i - c| - r, with the assumed radius as one more measurement; points that fit no disc are edges,
from corner to corner. Discs that were made of a few points of an edge are forgotten when the edge is seen.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pushpoint.mapping.pegs import KnownPegs, PegMaking, PegMap, without
from pushpoint.types import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]

JUMP = 0.06  # [m], from ray to ray: where another obstacle begins, unless points go on along a straight line
STRAIGHT = 0.005  # [m], from such a line
LONG = 0.08  # [m], of edges on which discs are forgotten: what is shorter may be of a disc that was not recognised
ITERATIONS = 12  # of the fit; each squares the error near the solution
MOST_POINTS = 6  # of an obstacle that are taken from one scan
BAD_FIT = 0.004  # [m], root mean square: points that fit no disc better are edges
CORNER = 0.01  # [m], from a straight line: farther off there is a corner
ROUNDING = 1e-9  # relative
SLACK = 0.03  # [m], by which a ray has to go on behind a rim: less may be an error of the map


class Rays(NamedTuple):
    """A scan in the world."""

    origin: FloatArray  # [m], (2,)
    angle: FloatArray  # [rad], (k,): directions
    distance: FloatArray  # [m], (k,): infinite where nothing is within range
    range: float  # [m]

    @property
    def direction(self) -> FloatArray:
        """Unit vectors (k, 2)."""
        return np.stack([np.cos(self.angle), np.sin(self.angle)], axis=1)


class Seen(NamedTuple):
    """What a scan hits."""

    point: FloatArray  # [m], (m, 2): of rims
    normal: FloatArray  # (m, 2): out of the obstacles
    edge: FloatArray  # [m], (e, 4): x, y of both ends


def rays_of(scan: FloatArray, head: FloatArray, yaw: float, opening: float, reach: float) -> Rays:
    """A scan from the head's centre [m] over an angle `opening` [rad], cut at `reach` [m]."""
    half, count = 0.5 * opening, len(scan)
    angles = np.linspace(-half, half, count) if count > 1 else np.zeros(1)
    return Rays(head, yaw + angles, np.where(scan <= reach, scan, np.inf), reach)


def obstacles_seen(rays: Rays, making: PegMaking) -> Seen:
    """Rims and edges that the rays hit."""
    points, normals, edges = [np.zeros((0, 2))], [np.zeros((0, 2))], [np.zeros((0, 4))]
    hit = rays.origin + np.where(np.isfinite(rays.distance), rays.distance, 0.0)[:, np.newaxis] * rays.direction
    for group in _groups(rays.distance, hit):
        at, along = hit[group], rays.direction[group]
        disc = fit_circle(at, along, making)
        if _faces_away(disc, at, along):
            disc = _assumed(at, along, making)
        if len(at) == 2 and _faces_away(disc, at, along):
            disc = _grazed(at, along, making)
        off = at - disc[:2]
        size = np.hypot(off[:, 0], off[:, 1])
        is_far = len(at) > 2 and math.sqrt(float(np.mean((size - disc[2]) ** 2))) > BAD_FIT
        if disc[2] > making.largest or is_far or _faces_away(disc, at, along):
            edges.append(corners(at))
            continue
        some = np.unique(np.linspace(0, len(at) - 1, MOST_POINTS).round().astype(int))
        points.append(at[some])
        normals.append(off[some] / size[some, np.newaxis])
    return Seen(np.concatenate(points), np.concatenate(normals), np.concatenate(edges))


def _faces_away(disc: FloatArray, point: FloatArray, ray: FloatArray) -> bool:
    """Whether rays would have to come out of the disc to hit its rim at these points: points of little curvature, or
    with errors, may fit a disc on the wrong side best."""
    return bool((((point - disc[:2]) * ray).sum(axis=1) > 0.0).any())


def _assumed(point: FloatArray, ray: FloatArray, making: PegMaking) -> FloatArray:
    """A disc of the assumed radius behind the points, with the first and the last of them on its rim; of points that
    are farther apart than that the middle one."""
    behind, first, last = ray.mean(axis=0), point[0], point[-1]
    half = 0.5 * float(np.hypot(*(last - first)))
    if not 0.0 < half < making.radius:
        return np.array([*(point[len(point) // 2] + making.radius * behind / np.hypot(*behind)), making.radius])
    across = np.array([last[1] - first[1], first[0] - last[0]]) / (2.0 * half)
    across *= math.copysign(math.sqrt(making.radius**2 - half**2), across @ behind)
    return np.array([*(0.5 * (first + last) + across), making.radius])


def _grazed(point: FloatArray, ray: FloatArray, making: PegMaking) -> FloatArray:
    """A disc of the assumed radius that the ray to the farther one of two points grazes, with the other in front."""
    far = int((point[1] - point[0]) @ ray.mean(axis=0) > 0.0)
    along, to = ray[far], point[1 - far] - point[far]
    side = math.copysign(1.0, float(along[0] * to[1] - along[1] * to[0]))
    off = side * np.array([-along[1], along[0]]) + ROUNDING * along
    return np.array([*(point[far] + making.radius * off), making.radius])


def _groups(distance: FloatArray, point: FloatArray) -> list[IntArray]:
    """Numbers of neighbouring rays that hit one obstacle each."""
    hit = np.flatnonzero(np.isfinite(distance))
    if not len(hit):
        return []
    jumps = (np.abs(np.diff(distance[hit])) > JUMP) & ~_straight_on(point[hit])
    return np.split(hit, np.flatnonzero((np.diff(hit) > 1) | jumps) + 1)


def _straight_on(point: FloatArray) -> BoolArray:
    """Between which of the points (m, 2) and the next a straight line goes on, from before or from behind; (m - 1,).
    Rays that graze a wall hit it far from each other."""
    goes_on = np.zeros(max(0, len(point) - 1), bool)
    if len(point) > 2:
        step = np.diff(point, axis=0)
        size = np.maximum(np.hypot(step[:, 0], step[:, 1]), 1e-12)
        across = np.abs(step[:-1, 0] * step[1:, 1] - step[:-1, 1] * step[1:, 0])
        ahead = (step[:-1] * step[1:]).sum(axis=1) > 0.0
        goes_on[1:] |= ahead & (across / size[:-1] < STRAIGHT)
        goes_on[:-1] |= ahead & (across / size[1:] < STRAIGHT)
    return goes_on


def fit_circle(point: FloatArray, ray: FloatArray, making: PegMaking) -> FloatArray:
    """The disc (x, y, radius) [m] whose rim passes through points (m, 2), seen along rays (m, 2).

    Without errors of points it is exact; the fewer points and the larger their error, the nearer is the radius to the
    assumed one. Two points or one do not say how large it is.
    """
    weight = (making.point_error / making.radius_spread) ** 2
    disc = _assumed(point, ray, making)
    if len(point) < 3:
        return disc
    algebraic = _through(point)
    if algebraic[2] <= making.largest and (algebraic[:2] - point.mean(axis=0)) @ ray.mean(axis=0) > 0.0:
        disc = algebraic
    for _ in range(ITERATIONS):
        off = point - disc[:2]
        size = np.maximum(np.hypot(off[:, 0], off[:, 1]), 1e-12)
        slope = np.column_stack([-off / size[:, np.newaxis], -np.ones(len(point))])  # of |p - c| - r
        normal = slope.T @ slope + np.diag([1e-12, 1e-12, weight + 1e-12])
        wrong = slope.T @ (size - disc[2]) + np.array([0.0, 0.0, weight * (disc[2] - making.radius)])
        change = np.linalg.solve(normal, -wrong)
        longest = float(np.hypot(change[0], change[1]))
        disc += change * min(1.0, making.largest / max(longest, 1e-12))
    return disc


def _through(point: FloatArray) -> FloatArray:
    """The disc that solves |p|^2 = 2 c . p + (r^2 - |c|^2) best, which is linear: exact for exact points of an arc."""
    middle = point.mean(axis=0)
    off = point - middle
    rows = np.column_stack([2.0 * off, np.ones(len(off))])
    found = np.linalg.lstsq(rows, (off**2).sum(axis=1), rcond=1e-9)[0]
    return np.array([*(found[:2] + middle), math.sqrt(max(0.0, float(found[2] + found[:2] @ found[:2])))])


def corners(point: FloatArray) -> FloatArray:
    """Edges (e, 4) [m] along points in order, from corner to corner."""
    if len(point) < 2 or float(np.hypot(*(point[-1] - point[0]))) < 1e-6:
        return np.zeros((0, 4))
    along = point[-1] - point[0]
    off = np.abs((point - point[0]) @ np.array([-along[1], along[0]])) / np.hypot(*along)
    k = int(off.argmax())
    if off[k] <= CORNER:
        return np.array([[*point[0], *point[-1]]])
    return np.concatenate([corners(point[: k + 1]), corners(point[k:])])


def forget_seen_through(known: KnownPegs, rays: Rays) -> KnownPegs:
    """Without the discs behind whose near rim a ray goes on that passes within half a radius of the centre."""
    if not len(known.disc):
        return known
    to = known.disc[:, :2] - rays.origin
    along = to @ rays.direction.T  # (pegs, rays)
    across = to[:, :1] * rays.direction[:, 1] - to[:, 1:] * rays.direction[:, 0]
    free = np.minimum(rays.distance, rays.range)
    passes = (np.abs(across) < 0.5 * known.disc[:, 2:]) & (along > 0.0) & (free > along + SLACK)
    gone = passes.any(axis=1)
    return without(known, gone) if gone.any() else known


def forget_on_edges(known: KnownPegs, edge: FloatArray) -> KnownPegs:
    """Without the discs all of whose points are on one of the edges (e, 4)."""
    gone = np.zeros(len(known.disc), bool)
    has_point = ~np.isnan(known.point[:, :, 0])
    for one in edge:
        start, along = one[:2], one[2:] - one[:2]
        length = float(np.hypot(*along))
        if length < LONG:
            continue
        off = known.point - start
        place = off @ along / length
        across = np.abs(off[:, :, 0] * along[1] - off[:, :, 1] * along[0]) / length
        is_on = (across < STRAIGHT) & (place > -STRAIGHT) & (place < length + STRAIGHT)
        gone |= (is_on | ~has_point).all(axis=1)
    return without(known, gone) if gone.any() else known


def scanned(pegs: PegMap, known: KnownPegs, rays: Rays, time: float) -> tuple[KnownPegs, FloatArray]:
    """What is known of pegs after a scan at a time [s], and the edges (e, 4) [m] that it saw."""
    seen = obstacles_seen(rays, pegs.making)
    known = forget_on_edges(forget_seen_through(known, rays), seen.edge)
    return pegs.met(known, seen.point, seen.normal, time), seen.edge
