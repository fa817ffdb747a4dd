"""Whether a solved step may be accepted.

The laws of contact and friction can hold at a step that is nonsense all the same: one that is so long that links turn
or move too far for the linearised gaps, or whose scheme makes energy. Such a step is repeated in parts (see `parts`).
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, kernel
from pushpoint.geometry.capsule_edge import distance_to_edge
from pushpoint.mechanics.planar_chain import rotated
from pushpoint.plants.planar_stepping.detection import feature_gap, is_near, is_off
from pushpoint.plants.planar_stepping.extended import Contacts
from pushpoint.plants.planar_stepping.ledger import Works
from pushpoint.plants.planar_stepping.model import BODY, EARTH, Problem, State, Surroundings
from pushpoint.types import Repeated

NOT_SOLVED, ENERGY = int(Repeated.NOT_SOLVED), int(Repeated.ENERGY)
PENETRATION, ROTATION = int(Repeated.PENETRATION), int(Repeated.ROTATION)
# Energy that the scheme itself may make or lose in a step: a part of the larger kinetic energy at its ends, and a part
# of the works done in it, so that their sums over a run stay below one per cent of each other.
OF_KINETIC, OF_WORKS = 1e-4, 4e-3
SWINGING = (
    0.25  # of the depth allowed, if there are only discs: how far ends of links may be off their linearised paths
)
MOVED_IN = 0.02  # of the depth allowed: links that were deep before may stay where they are


@fused
def is_sane(
    problem: Problem, around: Surroundings, state: State, residual: float, done: Works, contacts: Contacts | None
) -> bool:
    """Whether the step that was just solved may become the state; REASONS holds why not."""
    number, reasons = problem.number[0], 0.0
    if not residual <= number.accepted:
        reasons += NOT_SOLVED
    if number.conserving * number.finest > 0.0:
        allowed = allowed_error(problem, state, done)
        if not abs(done[5]) <= allowed or done[6] > allowed:
            reasons += ENERGY
        # The middle pose does not know of contacts: it must not be beyond an obstacle.
        beyond = 0.5 * number.reach > number.thickness and is_near_any(problem, around, state, contacts)
        if contacts is not None and not beyond and number.sunk == 0.0:
            beyond = ends_too_deep(problem, state, contacts)
        if beyond or number.sunk > 0.0:
            reasons += PENETRATION
        most = number.depth if contacts is not None else SWINGING * number.depth
        if not number.dt * number.dt * done[7] <= most and turns_too_far(problem, most):
            reasons += ROTATION
    number.reasons = reasons
    return reasons == 0.0


@kernel
def is_near_any(problem: Problem, around: Surroundings, state: State, contacts: Contacts | None) -> bool:
    """Whether a link may touch an obstacle in this step: all those within REACH are listed."""
    for i in range(problem.link.shape[0]):
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            if contacts is None:
                near = not is_off(problem.link[i], around.disc, state.pair_code[p], problem.number[0].reach)
            else:
                near = is_feature_near(problem, i, state.pair_code[p], contacts)
            if near:
                return True
    return False


@kernel
def is_feature_near(problem: Problem, i: int, code: int, contacts: Contacts) -> bool:
    """The same for a neighbour of link i, by a circle about the link: where a link crosses a wall in the middle of the
    step, none of their gaps says so."""
    a, links, features = problem.link[i], problem.chain.shape[0], contacts.feature.shape[0]
    full = a.axis + a.radius + problem.number[0].reach
    if code // 3 >= features:
        b = problem.link[code // 3 - features]
        return is_near(a.x - b.x, a.y - b.y, full + b.axis + b.radius)
    feature = contacts.feature[code // 3]
    if feature[0] > 0.0:
        return bool(distance_to_edge(a.x, a.y, feature) <= full * full)
    x, y = feature[1], feature[2]
    if feature[BODY] >= 0.0:
        b = problem.link[links + int(feature[BODY])]
        x, y = b.x, b.y
    return is_near(a.x - x, a.y - y, full + feature[6])


@kernel
def ends_too_deep(problem: Problem, state: State, contacts: Contacts) -> bool:
    """Whether a link ends the step too deep in an obstacle, by its motion in this step.

    Contacts are found in the middle of a step, and gaps are linear from there on. A link that turns may be deeper at
    its end, and may meet the corner of a wall there where the edge came first in the middle. Discs have no corners: if
    there is nothing else, links may turn less in a step instead, which costs less to compile.
    """
    half, deep = 0.5 * problem.number[0].dt, problem.number[0].depth
    for i in range(problem.link.shape[0]):
        if problem.first[i + 1] == problem.first[i] and problem.number[0].reach <= deep:
            continue  # nothing is near it that it could have got into
        a, own, too_deep = problem.link[i], state.link[i], False
        moved = 2.0 * half * (math.sqrt(a.vx * a.vx + a.vy * a.vy) + abs(a.w) * (a.axis + a.radius))
        x, y, cos, sin = a.x, a.y, a.cos, a.sin
        end_cos, end_sin = rotated(cos, sin, half * a.w)
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            code, vx, vy, old_x, old_y = state.pair_code[p], a.vx, a.vy, own.x, own.y
            if code // 3 >= contacts.feature.shape[0]:
                continue  # another link
            if contacts.feature[code // 3, BODY] >= 0.0:  # relative to an obstacle that moves
                j = problem.chain.shape[0] + int(contacts.feature[code // 3, BODY])
                b, before = problem.link[j], state.link[j]
                vx, vy, old_x, old_y = vx - b.vx, vy - b.vy, old_x + b.x - before.x, old_y + b.y - before.y
                moved = max(moved, 2.0 * half * (abs(vx) + abs(vy) + abs(a.w) * (a.axis + a.radius)))
            if moved <= MOVED_IN * deep:
                continue  # too little: it was as deep before, by another feature of the obstacle
            a.x, a.y, a.cos, a.sin = x + half * vx, y + half * vy, end_cos, end_sin
            gap = feature_gap(problem, i, code, contacts)[0]
            if gap < -deep:
                a.x, a.y, a.cos, a.sin = old_x, old_y, own.cos, own.sin
                too_deep |= gap < min(0.0, feature_gap(problem, i, code, contacts)[0]) - MOVED_IN * deep
        a.x, a.y, a.cos, a.sin = x, y, cos, sin
        if too_deep:
            return True
    return False


@fused
def allowed_error(problem: Problem, state: State, done: Works) -> float:
    """Energy that the scheme itself may make or lose in the step that was just solved [J]."""
    # What counts as motion at all: the speed that weight gives in a step.
    least = 0.5 * problem.number[0].weight * EARTH * problem.number[0].dt * problem.number[0].dt
    kinetic = max(done[0], state.ledger[0]) + least
    return float(OF_KINETIC * kinetic + OF_WORKS * (abs(done[2]) + abs(done[3]) + abs(done[4])))


@fused
def turns_too_far(problem: Problem, most: float) -> bool:
    """Whether a link turns so far that its end is off its linearised path by more than may be, and that near an
    obstacle."""
    dt, too_far = problem.number[0].dt, False
    for i in range(problem.chain.shape[0]):
        a = problem.link[i]
        turn = dt * a.w
        off = a.axis * turn * turn
        if not off <= most:
            too_far |= not math.isfinite(off)
            for k in range(problem.first[i], problem.first[i + 1]):
                too_far |= dt * problem.contact[k].approach <= off
    return too_far
