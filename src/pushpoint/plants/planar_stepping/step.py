"""One time step, P2 (54)-(63).

predict   mid pose from the start velocity                    (54)
contacts  gaps and directions at the mid pose                 (39), (14), (16)
solve     end velocity and impulses                           (55)-(62)
finish    end pose, warm starts, sums, energy ledger          (63), VI-C
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, kernel
from pushpoint.mechanics.planar_chain import (
    aim,
    half_chord,
    rotated,
)
from pushpoint.numerics.records import Records
from pushpoint.plants._tape import OK, TOO_MANY_CONTACTS
from pushpoint.plants.planar_stepping.detection import find_contacts, list_neighbours, misses_nothing
from pushpoint.plants.planar_stepping.extended import Contacts, Ground, Joints
from pushpoint.plants.planar_stepping.ground_law import lay_ground
from pushpoint.plants.planar_stepping.ledger import Works, account, remember
from pushpoint.plants.planar_stepping.model import CLEARANCE, EARTH, LISTED, TRAVELLED, Problem, State, Surroundings

DETECTIONS = 4  # of contacts in a step at most, each with a solve
RENEWAL = 64  # [steps], by the count since t = 0, so that resumed runs are equal
# Contacts are detected as far ahead as the robot moves in a step, and a part of that farther, as impulses change
# speeds within the step. Where they change more and may touch something else, contacts are detected again, farther.
MARGINS, EXTENDED_MARGIN = (0.15, 0.5, 2.0, 2.0), 2.0  # of the first detection and of those after it
LIST = 5.0  # neighbours are listed this many steps ahead


@fused
def predict(problem: Problem, state: State, ground: Ground | None, contacts: Contacts | None) -> None:
    """Mid pose (54) and the guess for the end velocity.

    At times directions come from the angles, not from turning the last ones, before round-off adds up.
    conserving: the mid pose has closed joints, and its centre of mass where the momentum takes it.
    """
    link, dt, conserving = problem.chain, problem.number[0].dt, problem.number[0].conserving > 0.0
    body, half, renew = state.link, 0.5 * dt, state.clock[0] % RENEWAL == 0
    # The change of the last step goes on: saves an iteration where the motion is smooth.
    stretch = problem.number[0].stretch
    vx = body[0].vx + stretch * (body[0].vx - body[0].last_vx)
    vy = body[0].vy + stretch * (body[0].vy - body[0].last_vy)
    px = py = mx = my = cx = cy = total = chord_x = chord_y = kx = ky = 0.0
    for i in range(link.shape[0]):
        own = body[i]
        a = link[i]
        if renew:
            own.cos, own.sin = math.cos(own.angle), math.sin(own.angle)
        c, s = rotated(own.cos, own.sin, half * own.w)
        aim(a, c, s)
        a.old_vx, a.old_vy, a.old_w = own.vx, own.vy, own.w
        a.ground_guess_x, a.ground_guess_y = own.ground_x, own.ground_y
        w = own.w + stretch * (own.w - own.last_w)
        tx, ty = -w * a.hy, w * a.hx
        if conserving:
            kx, ky = half_chord(a.half, w, c, s, dt)
        if i > 0:
            vx, vy = vx + tx, vy + ty
            px, py = px + a.hx, py + a.hy
            chord_x, chord_y = chord_x + kx, chord_y + ky
        a.vx, a.vy, a.w = vx + chord_x, vy + chord_y, w
        a.chord_x, a.chord_y, a.chord_w = chord_x, chord_y, w
        x, y = own.x + half * own.vx, own.y + half * own.vy
        a.x, a.y = (px, py) if conserving else (x, y)
        mx, my = mx + a.mass * px, my + a.mass * py
        cx, cy = cx + a.mass * x, cy + a.mass * y
        total += a.mass
        vx, vy = vx + tx, vy + ty
        px, py = px + a.hx, py + a.hy
        chord_x, chord_y = chord_x + kx, chord_y + ky
    problem.number[0].centre_x, problem.number[0].centre_y = cx / total, cy / total
    if conserving:
        move_all(link, (cx - mx) / total, (cy - my) / total)
    if contacts is not None:
        predict_movable(problem, body)
    if ground is not None:
        for i in range(problem.link.shape[0]):
            ground.link[i].spin_guess = body[i].spin
        lay_ground(problem, ground)


@kernel
def predict_movable(problem: Problem, body: Records) -> None:
    """Mid pose and guess of the movable obstacles."""
    half, stretch = 0.5 * problem.number[0].dt, problem.number[0].stretch
    for i in range(problem.chain.shape[0], problem.link.shape[0]):
        own, a = body[i], problem.link[i]
        a.cos, a.sin = own.cos, own.sin  # round: their direction is a frame for friction, nothing more
        a.x, a.y = own.x + half * own.vx, own.y + half * own.vy
        a.old_vx, a.old_vy, a.old_w = own.vx, own.vy, own.w
        a.vx, a.vy = own.vx + stretch * (own.vx - own.last_vx), own.vy + stretch * (own.vy - own.last_vy)
        a.w = own.w + stretch * (own.w - own.last_w)
        a.ground_guess_x, a.ground_guess_y = own.ground_x, own.ground_y


@kernel
def move_all(link: Records, x: float, y: float) -> None:
    for i in range(link.shape[0]):
        a = link[i]
        a.x += x
        a.y += y


@kernel
def note_prediction(link: Records) -> float:
    """Note the present velocity as the one predicted; returns a bound of the speed of any point [m/s]."""
    fastest = 0.0
    for i in range(link.shape[0]):
        a = link[i]
        a.predicted_vx, a.predicted_vy, a.predicted_w = a.vx, a.vy, a.w
        fastest = max(fastest, math.sqrt(a.vx * a.vx + a.vy * a.vy) + abs(a.w) * (a.axis + a.radius))
    return fastest


@kernel
def prediction_error(link: Records) -> float:
    """The same bound of the change of velocity since then."""
    most = 0.0
    for i in range(link.shape[0]):
        a = link[i]
        x, y, w = a.vx - a.predicted_vx, a.vy - a.predicted_vy, a.w - a.predicted_w
        most = max(most, math.sqrt(x * x + y * y) + abs(w) * (a.axis + a.radius))
    return most


@fused
def finish(problem: Problem, state: State, ground: Ground | None, contacts: Contacts | None) -> bool:
    """End pose (63) with closed joints, and what is remembered of the step; False if it is not finite.

    conserving: the centre of mass moves with the momentum.   paper: the head link (link 1 of P2) is held, VI-C.
    """
    link, half, n = problem.link, 0.5 * problem.number[0].dt, problem.chain.shape[0]
    body, ledger = state.link, state.ledger
    head_x = body[n - 1].x + half * (body[n - 1].vx + link[n - 1].vx)
    head_y = body[n - 1].y + half * (body[n - 1].vy + link[n - 1].vy)
    px = py = mx = my = momentum_x = momentum_y = total = finite = bend = 0.0
    least = most = behind = body[0].angle + half * (body[0].w + link[0].w)
    for i in range(n):
        remember(problem, state, i, ground, contacts)
        own = body[i]
        a = link[i]
        own.angle += half * (own.w + a.w)
        least, most, bend = min(least, own.angle), max(most, own.angle), max(bend, abs(own.angle - behind))
        behind = own.angle
        c, s = rotated(a.cos, a.sin, half * a.w)
        own.cos, own.sin = c, s
        hx, hy = a.half * c, a.half * s
        if i > 0:
            px, py = px + hx, py + hy
        own.x, own.y = px, py
        mx, my = mx + a.mass * px, my + a.mass * py
        px, py = px + hx, py + hy
        momentum_x, momentum_y = momentum_x + a.mass * a.vx, momentum_y + a.mass * a.vy
        total += a.mass
        own.last_vx, own.last_vy, own.last_w = own.vx, own.vy, own.w
        own.vx, own.vy, own.w = a.vx, a.vy, a.w
        finite += a.vx + a.vy + a.w
    shift_x = problem.number[0].centre_x + (half * momentum_x - mx) / total
    shift_y = problem.number[0].centre_y + (half * momentum_y - my) / total
    if not problem.number[0].conserving > 0.0:
        shift_x, shift_y = head_x - body[n - 1].x, head_y - body[n - 1].y
    for i in range(n):
        own = body[i]
        own.x, own.y = own.x + shift_x, own.y + shift_y
    # How far the robot may go on before links could touch each other: not at all, once it is bent that much.
    unsafe = most - least > problem.number[0].safe_turn or bend > problem.number[0].safe_bend
    moved = 2.0 * half * problem.number[0].spread * problem.number[0].speed
    ledger[CLEARANCE] = ledger[CLEARANCE] - moved if unsafe else 0.0
    return math.isfinite(finite)


@kernel
def finish_movable(problem: Problem, state: State, ground: Ground | None, contacts: Contacts) -> None:
    """End pose of the movable obstacles, and what is remembered of them."""
    half = 0.5 * problem.number[0].dt
    for i in range(problem.chain.shape[0], problem.link.shape[0]):
        remember(problem, state, i, ground, contacts)
        own, a = state.link[i], problem.link[i]
        own.x, own.y, own.angle = a.x + half * a.vx, a.y + half * a.vy, own.angle + half * (own.w + a.w)
        own.last_vx, own.last_vy, own.last_w = own.vx, own.vy, own.w
        own.vx, own.vy, own.w = a.vx, a.vy, a.w


@kernel
def has_obstacles(problem: Problem, around: Surroundings, contacts: Contacts | None) -> bool:
    """Other links are obstacles, too, if they may touch."""
    if contacts is None:
        return bool(around.disc.shape[0] > 0)
    return bool(contacts.feature.shape[0] > 0 or problem.number[0].self_contact > 0.0)


@fused
def detect_contacts(problem: Problem, around: Surroundings, state: State, times: int, contacts: Contacts | None) -> int:
    """Find the contacts of a step with about the present velocity. `times`: that it was done before in this step.
    Returns the status."""
    problem.number[0].reach = problem.number[0].sunk = 0.0
    if not has_obstacles(problem, around, contacts):
        return OK
    dt, ledger = problem.number[0].dt, state.ledger
    distance = dt * note_prediction(problem.link)
    if problem.link.shape[0] > problem.chain.shape[0] or problem.number[0].self_contact > 0.0:
        distance *= 2.0  # obstacles, or other links, may come towards a link
    ledger[TRAVELLED] += distance
    problem.number[0].reach = distance
    distance += min(10.0 * EARTH * dt * dt, 0.5 * problem.number[0].skin)
    reach = distance + distance * (MARGINS[times] if contacts is None else EXTENDED_MARGIN)
    stale = ledger[TRAVELLED] + reach > ledger[LISTED]
    if stale and not list_as_far_as_fits(problem, around, state, LIST * distance, contacts):
        return TOO_MANY_CONTACTS
    problem.number[0].room = min(reach, ledger[LISTED]) - distance
    find_contacts(problem, around, state, min(reach, ledger[LISTED]), contacts)
    return OK


@fused
def prediction_holds(problem: Problem, around: Surroundings, state: State, contacts: Contacts | None) -> bool:
    """After a solve: False if the robot moves so much farther than predicted that it may touch what is no contact."""
    if not has_obstacles(problem, around, contacts) or not problem.number[0].conserving > 0.0:
        return True
    farther = problem.number[0].dt * prediction_error(problem.link)
    if problem.link.shape[0] > problem.chain.shape[0] or problem.number[0].self_contact > 0.0:
        farther *= 2.0
    known = not (farther > problem.number[0].room and math.isfinite(farther))
    if contacts is None and not known and state.ledger[TRAVELLED] + farther <= state.ledger[LISTED]:
        known = misses_nothing(problem, around, state)
    if known:
        state.ledger[TRAVELLED] += farther
    return known


@fused
def list_as_far_as_fits(
    problem: Problem, around: Surroundings, state: State, reach: float, contacts: Contacts | None
) -> bool:
    """Neighbours within `reach` [m], but at least within the skin, for which there is room in any world."""
    skin = problem.number[0].skin
    if reach > skin and list_neighbours(problem, around, state, reach, contacts):
        return True
    return list_neighbours(problem, around, state, skin, contacts)


@fused
def settle(
    problem: Problem, state: State, done: Works, ground: Ground | None, contacts: Contacts | None,
    joints: Joints | None,
) -> bool:  # fmt: skip
    """The end of the step becomes the state; False if it is not finite."""
    account(problem, state.ledger, done, ground, contacts)
    if contacts is not None:
        finish_movable(problem, state, ground, contacts)
    if joints is not None:
        for i in range(joints.link.shape[0]):
            state.link[i].stop = joints.link[i].stop
    return finish(problem, state, ground, contacts)
