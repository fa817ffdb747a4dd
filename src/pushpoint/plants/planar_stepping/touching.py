"""When links of a planar robot may touch each other: their clearance is checked whenever kernels ask for it.

Kernels ask when the robot is bent enough for links to touch, and again after it has moved as far as the last check
allowed (State.ledger[CLEARANCE]). Only while links are near each other are contacts between them detected. Basic
contacts have none of these, so that the run goes on with extended ones for that time; the lists of neighbours, which
number obstacles by disc here and by feature there, are translated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.mechanics.self_contact import SelfClearance
from pushpoint.numerics.records import table
from pushpoint.plants.planar_stepping.model import CLEARANCE, LISTED, Problem, State
from pushpoint.types import FloatArray, IntArray

TOUCHING = 3  # entry of State.clock: whether links may touch each other now
MARGIN = 0.25  # of the thinnest link's width: gap below which contacts between links are detected
OVERLAP = 1e-3  # [m], of links at the start: more is left alone
NEXT = 2  # links along the robot from a crossing that may pass through as well
ENOUGH = 4.0  # of the longest link: gap above which nobody asks


class Watch(NamedTuple):
    """What a check needs of robot and plant."""

    clearance: SelfClearance
    links: int
    dt: float  # [s]
    spread: float  # bound of the relative speed of two points over that of links
    translates: bool  # whether neighbours are numbered differently while links touch
    discs: int


def watch_for(problem: Problem, clearance: SelfClearance, translates: bool, discs: int) -> Watch:
    """Let kernels ask for checks from now on."""
    set_bounds(problem, clearance)
    number = problem.number[0]
    return Watch(clearance, len(problem.chain), float(number.dt), float(number.spread), translates, discs)


def set_bounds(problem: Problem, clearance: SelfClearance) -> None:
    problem.number[0].safe_turn, problem.number[0].safe_bend = clearance.safe_turn, clearance.safe_bend


def check_clearance(watch: Watch, state: State) -> None:
    """Decide whether links may touch each other from now on, and until when that holds."""
    link = state.link[: watch.links]
    width, longest = 2.0 * float(watch.clearance.radius.min()), 2.0 * float(watch.clearance.axis.max())
    speed = float((np.hypot(link["vx"], link["vy"]) + np.abs(link["w"]) * watch.clearance.axis).max())
    margin = MARGIN * width + 1e-3 * longest + 3.0 * watch.dt * watch.spread * speed
    pairs = watch.clearance.gaps(table(link, "x", "y"), link["angle"], ENOUGH * longest + 2.0 * margin)
    let_through(state, watch.clearance, pairs, new=not state.clock[TOUCHING])
    gap = float(pairs[2][state.through[pairs[0], pairs[1]] == 0].min(initial=ENOUGH * longest))
    near = gap < margin * (2.0 if state.clock[TOUCHING] else 1.0)
    if bool(state.clock[TOUCHING]) != near and (near or not unwritten(watch, state)):
        state.clock[TOUCHING] = near
        state.ledger[LISTED] = -1.0  # neighbours have to be listed anew
        if watch.translates:
            translate(watch, state, near)
    # Once contacts between links are detected, nothing is missed: the next check is only to end that, or to follow
    # crossings along the robot.
    wait = 2.0 * float(watch.clearance.axis.min()) if state.through.any() else longest
    state.ledger[CLEARANCE] = wait + margin if near else max(0.5 * margin, gap - 0.75 * margin)


def let_through(
    state: State, clearance: SelfClearance, pairs: tuple[IntArray, IntArray, FloatArray], new: bool
) -> None:
    """Links that overlap at the start are not pushed apart: they pass through each other until they part. Nor are those
    whose axes crossed before anybody looked, as links that are hit hard may.

    Where two links cross, so will the next ones along either half of the robot, or the crossing would be locked.
    """
    before, (tail, head, gap) = state.through.copy(), pairs
    state.through[:] = 0
    deep = gap < -OVERLAP
    if state.clock[0] > 1:
        crossed = gap + clearance.radius[tail] + clearance.radius[head] <= 0.0
        deep = deep & (before[tail, head] == 1) | (crossed & new)
    for near, far in zip(tail[deep], head[deep], strict=True):
        around = (slice(max(0, k - NEXT), k + NEXT + 1) for k in (near, far))
        state.through[tuple(around)] = 1
    if (state.through != before).any():
        state.ledger[LISTED] = -1.0


def unwritten(watch: Watch, state: State) -> bool:
    """Whether forces between links wait for the next row of the recording; basic kernels could not write them."""
    used = state.pair_start[-1]
    own = watch.translates & (state.pair_code[:used] >= 3 * watch.discs)
    pair = state.pair[:used]
    return bool((own & ((pair["record_x"] != 0.0) | (pair["record_y"] != 0.0))).any())


def translate(watch: Watch, state: State, to_features: bool) -> None:
    """Number the neighbours by feature, or by disc again without those that are other links."""
    used = int(state.pair_start[-1])
    if to_features:
        state.pair_code[:used] *= 3
        return
    kept = np.flatnonzero(state.pair_code[:used] < 3 * watch.discs)
    row = np.repeat(np.arange(len(state.pair_start) - 1), np.diff(state.pair_start))[kept]
    state.pair_start[1:] = np.cumsum(np.bincount(row, minlength=len(state.pair_start) - 1))
    state.pair_code[: len(kept)] = state.pair_code[kept] // 3
    state.pair[: len(kept)] = state.pair[kept]
