"""Paths from peg to peg, fitted to the links of a robot in stages of random local steps.

A search on a continuous body knows nothing of links, which cut across bends. Here the chain lies on the path, at many
places of its head. What counts is the distance within which three pegs push it along with torques that it has, the
torque, overlaps and joint angles. Each stage keeps fewer paths, judges them at more places, and makes smaller steps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pushpoint._jit import compiling_once
from pushpoint.mechanics.chain_lying import ALONG_X, ALONG_Y, CONTACTS, LyingRoom
from pushpoint.mechanics.chain_lying import REACH as REACH_OF_PEGS
from pushpoint.mechanics.path_refining import Bounds, Line, OnLine, Steps, refine_line
from pushpoint.planning.push_path.network import STRETCH
from pushpoint.planning.push_path.request import PlanOptions, Request
from pushpoint.planning.push_points import ENDS
from pushpoint.types import FloatArray

SPACING = 0.05  # links, between vertices of a line
REACH = 3.0 / 14.0  # links: pegs farther away do not count at all
SIZES = np.array([0.11, 0.036, 0.12, 0.21])  # of steps: links along and across, radians, bends of one over a link
CHANGED = 0.6  # part of these that one step changes
BESIDE = 1.0  # links: pegs farther away from all lines between nodes do not touch the path
COOLED = 0.7  # part of the steps, after which costs do not become larger
OFF_POSE = 0.2  # of a path that begins 2 cm or 0.1 rad beside the robot; a place without push costs one
STRETCHED = 1.02  # the same of one that lies somewhere
UNDER = 1.08  # arc length under the robot at the start over its own, at most


class Stage(NamedTuple):
    """One round of steps."""

    paths: int  # how many take part
    steps: float  # each, over those of the options
    every: int  # vertices, from one place at which the chain is judged to the next
    sizes: tuple[float, float]  # of steps, first and last
    near: tuple[float, float]  # over the contact distance of the options, first and last
    slack: float = 0.0  # by which costs may become larger, in the mean, at first


Stages = tuple[Stage, ...]
STAGES: Stages = (
    Stage(12, 1 / 3, 3, (1.0, 0.4), (2.5, 1.5), 0.003),
    Stage(5, 1.0, 3, (0.6, 0.15), (1.5, 1.0), 0.01),
    Stage(3, 1.0, 1, (0.4, 0.08), (1.0, 1.0), 0.003),
)
FEWER = (8, 3, 2), (8, 3, 1), (6, 2, 1), (4, 1, 1)  # paths in the stages of a second try: the most that can be afforded


class Fitted(NamedTuple):
    """A path for the links of a robot."""

    cost: float
    node: FloatArray  # (k, 4): x, y, direction, curvature
    point: FloatArray  # [m], (v, 2)
    begin: float  # [m], arc length of the head's end at the start


class Fitter:
    """Fits paths to the links of a robot, and counts what that costs.

    The work is counted in links that are laid on a path, not in seconds, so that plans do not depend on the machine.
    """

    def __init__(self, request: Request, options: PlanOptions) -> None:
        self._request, self._options = request, options
        self._done: list[list[int]] = [[] for _ in STAGES]  # links laid for each path, by stage

    def fit(self, paths: list[FloatArray]) -> list[Fitted]:
        """Paths, given as nodes (k, 4), the best first; as many as the last stage has, or plans are asked for."""
        most = [stage.paths for stage in STAGES]
        return self._through_stages(paths, [*most[:-1], max(most[-1], self._options.plans)])

    def can_fit_others(self) -> bool:
        """Whether other paths can be fitted with the work that is left."""
        return self._affordable() is not None

    def fit_others(self, paths: list[FloatArray]) -> list[Fitted]:
        """Fewer paths, as many as the work that is left allows."""
        counts = self._affordable()
        return [] if counts is None else self._through_stages(paths, list(counts))

    def can_fit_again(self) -> bool:
        """Whether the work that is left allows the last stage for one path."""
        return self._left() >= self._mean(-1)

    def fit_again(self, path: Fitted, turn: int) -> Fitted:
        """The last stage once more, with other random steps."""
        return self._refined(-1, path.node, np.random.default_rng([self._options.seed, 0x9A7B, turn]))

    def _through_stages(self, paths: list[FloatArray], counts: list[int]) -> list[Fitted]:
        random = np.random.default_rng([self._options.seed, 0x9A7B])
        found = [Fitted(0.0, node, np.zeros((0, 2)), 0.0) for node in paths]
        for stage, count in enumerate(counts):
            found = [self._refined(stage, path.node, random) for path in found[:count]]
            found.sort(key=lambda path: path.cost)
        return found

    def _affordable(self) -> tuple[int, ...] | None:
        left = self._left() - self._mean(-1)  # its best one may be fitted again
        for counts in FEWER:
            if sum(count * self._mean(stage) for stage, count in enumerate(counts)) <= left:
                return counts
        return None

    def _mean(self, stage: int) -> float:
        done = self._done[stage]
        return sum(done) / max(len(done), 1)

    def _left(self) -> float:
        return self._options.most_laid - float(sum(map(sum, self._done)))

    def _refined(self, stage: int, node: FloatArray, random: np.random.Generator) -> Fitted:
        found, laid = _refined(self._request, self._options, STAGES[stage], node, random)
        self._done[stage].append(laid)
        return found


def _refined(
    request: Request, options: PlanOptions, stage: Stage, node: FloatArray, random: np.random.Generator
) -> tuple[Fitted, int]:
    """A path after one stage, and how many links were laid for it."""
    count = max(1, round(stage.steps * options.steps))
    line, begin = _line(node, request, stage.every), _begin(node, request)
    bounds = Bounds(
        STRETCH, options.curvature_limit / request.link, begin, begin + options.distance + 0.02, stage.every
    )
    steps = _steps(len(node), count, stage, request, options, random)
    trial = Line(line.node.copy(), line.first, line.vertex.copy(), line.found.copy())
    rules = np.array(
        [
            request.peg_friction,
            request.allowed(options.reserve),
            math.nan,
            REACH * request.link,
            ENDS,
            options.largest_angle,
            math.cos(options.direction),
            math.sin(options.direction),
        ]
    )
    n = request.chain.links
    room = LyingRoom(
        np.empty((n + 1, 4)),
        np.empty((CONTACTS, 2)),
        np.empty((CONTACTS, 3)),
        np.empty(n),
        np.empty((2, 3)),
        np.zeros(1, dtype=np.int64),
        np.zeros(n + 1, dtype=np.int64),
    )
    chain = np.array([request.chain.length, request.chain.radius, request.chain.core, request.links_drag()])
    with compiling_once("the planner of paths from peg to peg: links"):
        robot = OnLine(chain, _pegs_near(node, request, rules), rules, _pose(request), room)
        cost = refine_line(line, trial, steps, bounds, robot, np.empty(6))
    return Fitted(cost, line.node, line.vertex[:, 1:3].copy(), begin), int(room.laid[0])


def _line(node: FloatArray, request: Request, every: int) -> Line:
    """Room for the vertices of a path."""
    distance = np.linalg.norm(np.diff(node[:, :2], axis=0), axis=1)
    count = np.maximum(6, np.ceil(STRETCH * distance / (SPACING * request.link))).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(count)])
    vertices = int(first[-1]) + 1
    return Line(node.copy(), first, np.zeros((vertices, 5)), np.zeros(((vertices - 1) // every + 1, 6)))


def _begin(node: FloatArray, request: Request) -> float:
    """[m]: where the head's end is at the start. Of a robot that lies somewhere the part behind the first node sticks
    out."""
    if request.start is None:
        return UNDER * request.reach
    away = node[0, :2] - request.start[:-1]
    link = np.diff(request.start, axis=0)
    part = np.clip((away * link).sum(axis=1) / (link * link).sum(axis=1), 0.0, 1.0)
    foot = request.start[:-1] + part[:, np.newaxis] * link
    k = int(np.linalg.norm(node[0, :2] - foot, axis=1).argmin())
    behind = float(request.chain.length[:k].sum() + part[k] * request.chain.length[k])
    return STRETCHED * request.reach - behind


def _pose(request: Request) -> FloatArray:
    """Where the robot lies: centre of mass, mean angle, and what that counts. A robot that changes its shape without
    push keeps both, more or less."""
    if request.start is None:
        return np.zeros(4)
    mass = request.chain.mass / request.chain.total_mass
    link = np.diff(request.start, axis=0)
    angle = np.unwrap(np.arctan2(link[:, 1], link[:, 0]))
    return np.append(mass @ (request.start[1:] + request.start[:-1]) / 2, [mass @ angle, OFF_POSE])


def _pegs_near(node: FloatArray, request: Request, rules: FloatArray) -> FloatArray:
    """Pegs (m, 5) that the path may touch, see chain_lying; sorted."""
    centre, radius = request.pegs
    a, e = node[:-1, :2], np.diff(node[:, :2], axis=0)
    part = np.clip(((centre[:, np.newaxis] - a) * e).sum(axis=2) / (e * e).sum(axis=1), 0.0, 1.0)
    foot = a + part[..., np.newaxis] * e
    away = np.linalg.norm(foot - centre[:, np.newaxis], axis=2).min(axis=1) - radius - request.width
    near = away < BESIDE * request.link
    along = centre[near] @ rules[[ALONG_X, ALONG_Y]]
    reach = rules[REACH_OF_PEGS] + radius[near]
    order = np.argsort(along - reach, kind="stable")
    return np.column_stack([centre[near], radius[near], along - reach, along + reach])[order]


def _steps(
    nodes: int, count: int, stage: Stage, request: Request, options: PlanOptions, random: np.random.Generator
) -> Steps:
    done = np.linspace(0.0, 1.0, count)
    first, last = stage.sizes
    size = first * (last / first) ** done
    unit = SIZES * np.array([request.link, request.link, 1.0, options.curvature_limit / request.link])
    drawn = random.standard_normal((count, 4)) * (random.random((count, 4)) < CHANGED)
    near = options.contact_distance * np.where(done < 0.5, *stage.near)
    held = 0 if request.start is None else 1  # where the robot lies already, the path begins there
    which = random.integers(held, nodes, count)
    slack = stage.slack * np.maximum(0.0, 1.0 - done / COOLED) ** 2 * random.exponential(size=count)
    return Steps(which, drawn * size[:, np.newaxis] * unit, near, slack)
