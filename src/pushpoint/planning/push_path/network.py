"""Nodes at pegs and arcs between them: all that a path from peg to peg can be made of.

A node is a peg, a side of it, and a direction of the path there: the path touches the peg, straight for an instant. An
arc joins two nodes; it bends no more than P4 (3.51) allows, and keeps clear of pegs. A robot that lies somewhere adds
nodes of its own, one in the middle of each link: paths from there begin along it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pushpoint._jit import compiling_once
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.body_push import Network
from pushpoint.mechanics.push_arcs import STEPS, find_arcs
from pushpoint.planning.push_path.request import STEEPEST, PlanOptions, Request
from pushpoint.planning.push_points import BoolArray
from pushpoint.types import FloatArray, IntArray

STEP = math.radians(10.0)  # between directions
CLEAR = 2e-3  # [m], that arcs keep from pegs that they pass
TOUCHING = -1.0 / 140.0  # links: and from those that they touch
SHORTEST, LONGEST = 0.85, (5.0, 7.0)  # links: distance between nodes; more where pegs are few
DENSE = 3.5  # pegs per square of five links: with so many the shorter arcs do
ALIGNED = math.cos(math.radians(65.0))  # of the line between two nodes with both tangents
STRETCH = 1.05  # speed of an arc at its ends over the distance
SAG = 1.0 / 16.0  # half of what a link cuts across a bend, times length squared and curvature
MOST = 500_000  # arcs
AWAY = 4.0  # links: how far a path may begin from where the robot lies
PRICE = 0.02  # of a metre of path that lies one link beside the robot


class Nodes(NamedTuple):
    """Where arcs begin and end."""

    table: FloatArray  # (n, 8): place, tangent, contact point, force of a unit push
    peg: IntArray  # (n,): negative for those along the robot


def nodes_at(request: Request, options: PlanOptions, turned: float = 0.0) -> Nodes:
    """Both sides of all pegs, in all directions, `turned` by a part of their step; without those at which the robot
    would overlap another peg."""
    count = round(STEEPEST / STEP)
    angle = options.direction + STEP * (np.arange(-count, count + 1) + turned)
    tangent = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    left = np.stack([-tangent[:, 1], tangent[:, 0]], axis=1)
    centre, radius = request.pegs
    rows, peg = [], []
    for side in (1.0, -1.0):
        normal = -side * left  # from the peg to the robot
        for p in range(len(radius)):
            touch = centre[p] + radius[p] * normal
            push = normal - request.peg_friction * tangent
            rows.append(np.concatenate([touch + request.width * normal, tangent, touch, push], axis=1))
            peg.append(np.full(len(angle), p))
    table = np.concatenate(rows) if rows else np.zeros((0, 8))
    of = np.concatenate(peg) if peg else np.zeros(0, dtype=np.int64)
    gap = np.linalg.norm(table[:, np.newaxis, :2] - centre, axis=2) - radius - request.width
    gap[np.arange(len(of)), of] = math.inf
    free = gap.min(axis=1, initial=math.inf) > CLEAR
    return Nodes(table[free], of[free])


def nodes_along(request: Request) -> Nodes:
    """The middles of the links where the robot lies; nothing pushes there."""
    if request.start is None:
        return Nodes(np.zeros((0, 8)), np.zeros(0, dtype=np.int64))
    middle = (request.start[1:] + request.start[:-1]) / 2
    link = np.diff(request.start, axis=0)
    tangent = link / np.linalg.norm(link, axis=1, keepdims=True)
    return Nodes(np.concatenate([middle, tangent, middle, np.zeros_like(middle)], axis=1), -1 - np.arange(len(middle)))


def network(request: Request, options: PlanOptions, turned: float = 0.0) -> tuple[Nodes, Network]:
    """All nodes and arcs; those along the robot, if it lies somewhere, are the first."""
    own, others = nodes_along(request), nodes_at(request, options, turned)
    nodes = Nodes(np.concatenate([own.table, others.table]), np.concatenate([own.peg, others.peg]))
    ends, table = _arcs(request, options, nodes)
    first = np.searchsorted(ends[:, 0], np.arange(len(nodes.peg) + 1))
    early = np.zeros(len(ends)) if request.start is None else _beside(request, table)
    return nodes, Network(np.ascontiguousarray(nodes.table), first, ends, table, early)


def _arcs(request: Request, options: PlanOptions, nodes: Nodes) -> tuple[IntArray, FloatArray]:
    link, pegs = request.link, np.column_stack([request.pegs.centre, request.pegs.radius])
    longest = LONGEST[0] if _are_dense(request, options.direction) else LONGEST[1]
    bend = options.curvature_limit / link
    rules = [
        SHORTEST * link,
        longest * link,
        ALIGNED,
        bend,
        request.width,
        CLEAR,
        SAG * link**2,
        STRETCH,
        TOUCHING * link,
    ]
    ends, table = np.empty((MOST, 2), dtype=np.int64), np.empty((MOST, STEPS + 1, 4))
    near, points = np.empty(len(pegs), dtype=np.int64), np.empty((STEPS + 1, 7))
    with compiling_once("the planner of paths from peg to peg: arcs"):
        count = find_arcs(
            np.ascontiguousarray(nodes.table), nodes.peg, np.ascontiguousarray(pegs), np.array(rules), near, points,
            ends, table,
        )  # fmt: skip
    if count > MOST:
        raise InvalidInput(
            f"{len(pegs)} pegs within reach of the path give more than {MOST} arcs; pegs should be farther apart, or "
            "plan.distance shorter"
        )
    return ends[:count].copy(), table[:count].copy()


def _are_dense(request: Request, direction: float) -> bool:
    """Whether there are pegs enough for arcs of the shorter kind, in the rectangle along the direction of travel that
    holds them all."""
    if len(request.pegs.radius) < 2:
        return False
    cos, sin = math.cos(direction), math.sin(direction)
    along = request.pegs.centre @ np.array([[cos, -sin], [sin, cos]])
    area = float(np.prod(np.ptp(along, axis=0) + 2.0 * request.link))
    return len(request.pegs.radius) / area * (5.0 * request.link) ** 2 > DENSE


def _beside(request: Request, table: FloatArray) -> FloatArray:
    """What arcs cost under a robot that lies elsewhere: nothing where they are along it, and inf where they are far
    from it, or a peg is between."""
    assert request.start is not None
    cost = np.full(len(table), math.inf)
    farthest = AWAY * request.link
    points = table[:, ::2, 1:3]  # (e, k, 2)
    coarse = nearest_on(points[:, [0, -1]], request.start)[1].max(axis=1)
    close = np.flatnonzero(coarse < farthest)
    foot, distance = nearest_on(points[close], request.start)
    crossed = _crossed(points[close], foot, request)
    fine = (distance.max(axis=1) < farthest) & ~crossed
    metres = table[close, -1, 0]
    cost[close[fine]] = (PRICE * metres * distance.mean(axis=1) / request.link)[fine]
    return cost


def nearest_on(points: FloatArray, joints: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The points of a chain nearest to others (.., 2), and how far they are."""
    a, e = joints[:-1], np.diff(joints, axis=0)
    away = points[..., np.newaxis, :] - a
    part = np.clip((away * e).sum(axis=-1) / (e * e).sum(axis=-1), 0.0, 1.0)
    foot = a + part[..., np.newaxis] * e
    distance = np.linalg.norm(points[..., np.newaxis, :] - foot, axis=-1)
    best = distance.argmin(axis=-1)
    pick = best[..., np.newaxis]
    return (
        np.take_along_axis(foot, pick[..., np.newaxis], axis=-2)[..., 0, :],
        np.take_along_axis(distance, pick, axis=-1)[..., 0],
    )


def _crossed(points: FloatArray, foot: FloatArray, request: Request) -> BoolArray:
    """Whether a peg is between the points (e, k, 2) of an arc and the chain, (e,)."""
    e = foot - points
    square = np.maximum((e * e).sum(axis=-1), 1e-12)
    crossed = np.zeros(points.shape[:2], dtype=bool)
    for centre, radius in zip(*request.pegs, strict=True):
        part = np.clip(((centre - points) * e).sum(axis=-1) / square, 0.0, 1.0)
        off = np.linalg.norm(points + part[..., np.newaxis] * e - centre, axis=-1)
        crossed |= off < 0.8 * radius
    return np.asarray(crossed.any(axis=1))
