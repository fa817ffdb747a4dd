"""Random local steps that fit a path to a chain: nodes of the path move, turn and bend, one at a time, and what does
not make the chain's costs larger, or at first only a little, is kept."""

from __future__ import annotations

import math
from typing import NamedTuple

from pushpoint._jit import entry_point, kernel
from pushpoint.mechanics.chain_lying import ARC, LENGTH, NEAR, LyingRoom, judge_places
from pushpoint.mechanics.push_arcs import End, bend_of, on_arc
from pushpoint.types import FloatArray, IntArray

LONGER = 1.15  # arc length under a chain over its own, at most


class Line(NamedTuple):
    """A path as nodes and as a line, and what a chain on it needs."""

    node: FloatArray  # (k, 4): x, y, direction, curvature
    first: IntArray  # (k,): vertex of each node
    vertex: FloatArray  # (v, 5), see chain_lying
    found: FloatArray  # (heads, 6), see chain_lying


class Steps(NamedTuple):
    """Random steps."""

    node: IntArray  # (steps,): which one
    change: FloatArray  # (steps, 4): along and across its direction [m], direction [rad], curvature [1/m]
    near: FloatArray  # (steps,): [m]: pegs within this count
    slack: FloatArray  # (steps,): by which the cost may become larger


class Bounds(NamedTuple):
    """Of paths."""

    stretch: float  # speed of arcs at their ends over the distance
    bend: float  # [1/m], largest curvature
    begin: float  # [m], arc length of the head's end at the start
    end: float  # [m]
    every: int  # at each so many vertices the chain is judged


class OnLine(NamedTuple):
    """The robot that should lie on it, and where."""

    chain: FloatArray  # (4, n), see chain_lying
    pegs: FloatArray  # (m, 5), see chain_lying
    rules: FloatArray  # (8,), see chain_lying
    pose: FloatArray  # (4,)
    room: LyingRoom


@kernel
def draw_between(line: Line, arc: int, bounds: Bounds, vertex: FloatArray, at: FloatArray) -> bool:
    """Vertices from one node to the next; whether the arc bends no more than it may."""
    a, b, first = line.node[arc], line.node[arc + 1], line.first[arc]
    begin = End(a[0], a[1], math.cos(a[2]), math.sin(a[2]), a[3])
    end = End(b[0], b[1], math.cos(b[2]), math.sin(b[2]), b[3])
    count, good = line.first[arc + 1] - first, True
    for k in range(count + 1):
        on_arc(begin, end, bounds.stretch, k / count, at)
        speed = math.sqrt(at[2] * at[2] + at[3] * at[3])
        if speed < 1e-6 or abs(bend_of(at)) > bounds.bend:
            good = False
        for c in range(2):
            vertex[first + k, 1 + c], vertex[first + k, 3 + c] = at[c], at[2 + c] / speed
    return good


@kernel
def measure_from(vertex: FloatArray, first: int) -> None:
    """Arc lengths of vertices behind `first`."""
    for k in range(first + 1, len(vertex)):
        dx, dy = vertex[k, 1] - vertex[k - 1, 1], vertex[k, 2] - vertex[k - 1, 2]
        vertex[k, ARC] = vertex[k - 1, ARC] + math.sqrt(dx * dx + dy * dy)


@kernel
def copy_rows(source: FloatArray, target: FloatArray) -> None:
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@kernel
def change_node(node: FloatArray, change: FloatArray) -> None:
    cos, sin = math.cos(node[2]), math.sin(node[2])
    node[0] += change[0] * cos - change[1] * sin
    node[1] += change[0] * sin + change[1] * cos
    node[2] += change[2]
    node[3] += change[3]


@kernel
def judge_all(line: Line, bounds: Bounds, robot: OnLine) -> float:
    """The mean cost of all places."""
    part, stretch = (0, len(line.vertex)), (bounds.begin, bounds.end)
    return float(
        judge_places(
            line.vertex, part, stretch, bounds.every, math.inf, robot.chain, robot.pegs, robot.rules, robot.pose,
            robot.room, line.found,
        )
    )  # fmt: skip


@kernel
def draw_changed(line: Line, trial: Line, k: int, bounds: Bounds, at: FloatArray) -> bool:
    """The line about a node that has changed, in `trial`; whether it bends no more than it may, and is long enough."""
    first, last, good = max(k - 1, 0), min(k, len(line.node) - 2), True
    copy_rows(line.vertex, trial.vertex)
    for arc in range(first, last + 1):
        good = draw_between(line, arc, bounds, trial.vertex, at) and good
    measure_from(trial.vertex, line.first[first])
    return good and trial.vertex[len(trial.vertex) - 1, ARC] >= bounds.end


@kernel
def part_changed(line: Line, trial: Line, k: int, reach: float) -> tuple[int, int]:
    """The vertices at which a chain may have its head that lies on the arcs about node k."""
    last = line.first[min(k + 1, len(line.node) - 1)]
    end = trial.vertex[last, ARC] + reach
    while last < len(trial.vertex) - 1 and trial.vertex[last, ARC] < end:
        last += 1
    return line.first[max(k - 1, 0)], last


@entry_point
def refine_line(
    line: Line,
    trial: Line,
    steps: Steps,
    bounds: Bounds,
    robot: OnLine,
    at: FloatArray,
) -> float:
    """Make the steps; returns the mean cost at the end. `trial` is scratch like `line`, `at` (6,) too."""
    reach, stretch = 0.0, (bounds.begin, bounds.end)
    for i in range(robot.chain.shape[1]):
        reach += LONGER * robot.chain[LENGTH, i]
    for arc in range(len(line.node) - 1):
        draw_between(line, arc, bounds, line.vertex, at)
    measure_from(line.vertex, 0)
    best = judge_all(line, bounds, robot)
    for step in range(len(steps.node)):
        if steps.near[step] != robot.rules[NEAR]:
            robot.rules[NEAR] = steps.near[step]
            best = judge_all(line, bounds, robot)
        k = steps.node[step]
        copy_rows(line.node, trial.node)
        change_node(line.node[k], steps.change[step])
        if draw_changed(line, trial, k, bounds, at):
            copy_rows(line.found, trial.found)
            part = part_changed(line, trial, k, reach)
            cost = judge_places(
                trial.vertex, part, stretch, bounds.every, best + steps.slack[step], robot.chain, robot.pegs,
                robot.rules, robot.pose, robot.room, trial.found,
            )  # fmt: skip
            if cost < math.inf:
                best = cost
                copy_rows(trial.vertex, line.vertex)
                copy_rows(trial.found, line.found)
                continue
        copy_rows(trial.node, line.node)
    return best
