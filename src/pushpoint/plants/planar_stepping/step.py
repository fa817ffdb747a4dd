"""One time step, P2 (54)-(63).

    predict   mid pose from the start velocity                    (54)
    contacts  gaps and directions at the mid pose                 (39), (14), (16)
    solve     end velocity and impulses                           (55)-(62)
    finish    end pose, warm starts, sums, energy ledger          (63), VI-C
"""

from __future__ import annotations

import math

from pushpoint._jit import kernel
from pushpoint.mechanics.planar_chain import (
    COS,
    INERTIA,
    MASS,
    SIN,
    TORQUE,
    VX,
    VY,
    W,
    X,
    Y,
    chord_change,
    close_chain,
    join_velocities,
    rotated,
    take_chords,
)
from pushpoint.plants.planar_stepping.contacts import find_contacts, list_neighbours
from pushpoint.plants.planar_stepping.model import (
    ACROSS,
    ALONG,
    APPLIED_W,
    APPLIED_X,
    APPLIED_Y,
    AXIS,
    CONSERVING,
    DRIVE,
    DT,
    FEED,
    GRAVITY,
    GROUND_GUESS_X,
    GROUND_GUESS_Y,
    GROUND_X,
    GROUND_Y,
    IMPULSE,
    LISTED,
    NORMAL_X,
    NORMAL_Y,
    OLD_VX,
    OLD_VY,
    OLD_W,
    P_IMPULSE,
    P_RECORD_X,
    P_RECORD_Y,
    P_TICK_X,
    P_TICK_Y,
    PAIR,
    PASSIVE,
    RADIUS,
    S_ANGLE,
    S_GROUND_X,
    S_GROUND_Y,
    S_LAST_VX,
    S_LAST_VY,
    S_LAST_W,
    S_VX,
    S_VY,
    S_W,
    S_X,
    S_Y,
    SERVO_D,
    SERVO_P,
    SKIN,
    TOLERANCE,
    TRAVELLED,
    Problem,
    State,
    Surroundings,
)
from pushpoint.types import CommandTable, FloatArray

OK, NOT_CONVERGED, NOT_FINITE, TOO_MANY_CONTACTS = 0, 1, 2, 3  # the values of types.Status
REACH = 3.0  # contacts are looked for this many steps ahead: impulses change speeds within a step


@kernel
def drive_joints(problem: Problem, body: FloatArray, commands: CommandTable, row: int, lead: float) -> None:
    """Servo impulses at joint rate zero; `lead` [s] from the start of the tick to the end of the step."""
    link, dt = problem.link, problem.number[DT]
    for i in range(1, link.shape[0]):
        angle = body[i, S_ANGLE] - body[i - 1, S_ANGLE] + 0.5 * dt * (body[i, S_W] - body[i - 1, S_W])
        rate = commands.joint_rate[row, i - 1]
        reference = commands.joint_angle[row, i - 1] + lead * rate
        link[i, DRIVE] = link[i, SERVO_P] * (reference - angle) + link[i, SERVO_D] * rate
        link[i, FEED] = dt * commands.torque[row, i - 1]


@kernel
def mass_centre(link: FloatArray, body: FloatArray, lead: float) -> tuple[float, float]:
    """Centre of mass, `lead` seconds ahead."""
    x = y = total = 0.0
    for i in range(link.shape[0]):
        x += link[i, MASS] * (body[i, S_X] + lead * body[i, S_VX])
        y += link[i, MASS] * (body[i, S_Y] + lead * body[i, S_VY])
        total += link[i, MASS]
    return x / total, y / total


@kernel
def predict(problem: Problem, body: FloatArray) -> float:
    """Mid pose (54) and the guess for the end velocity; returns a bound of the speed of any point of the robot."""
    link, half = problem.link, 0.5 * problem.number[DT]
    fastest = 0.0
    for i in range(link.shape[0]):
        vx, vy, w = body[i, S_VX], body[i, S_VY], body[i, S_W]
        angle = body[i, S_ANGLE] + half * w
        link[i, COS], link[i, SIN] = math.cos(angle), math.sin(angle)
        link[i, X], link[i, Y] = body[i, S_X] + half * vx, body[i, S_Y] + half * vy
        link[i, OLD_VX], link[i, OLD_VY], link[i, OLD_W] = vx, vy, w
        # The change of the last step goes on: saves an iteration where the motion is smooth.
        link[i, VX], link[i, VY] = 2.0 * vx - body[i, S_LAST_VX], 2.0 * vy - body[i, S_LAST_VY]
        link[i, W] = 2.0 * w - body[i, S_LAST_W]
        link[i, GROUND_GUESS_X], link[i, GROUND_GUESS_Y] = body[i, S_GROUND_X], body[i, S_GROUND_Y]
        fastest = max(fastest, math.sqrt(vx * vx + vy * vy) + abs(w) * (link[i, AXIS] + link[i, RADIUS]))
    join_velocities(link)
    if problem.number[CONSERVING] > 0.0:
        x, y = mass_centre(link, body, half)
        close_chain(link, x, y)
        chord_change(link, problem.number[DT])
        take_chords(link)
    return fastest


@kernel
def account(problem: Problem, ledger: FloatArray) -> None:
    """Energy ledger, exact by the mean velocity: M (u_E - u_A) . (u_E + u_A) / 2 is the change of kinetic energy, and
    every impulse does its part of it. What the joint reactions do is the numerical work."""
    link = problem.link
    kinetic = servo = friction = applied = change = 0.0
    for i in range(link.shape[0]):
        m, inertia = link[i, MASS], link[i, INERTIA]
        vx, vy, w = link[i, VX], link[i, VY], link[i, W]
        kinetic += 0.5 * (m * (vx * vx + vy * vy) + inertia * w * w)
        mx, my, mw = 0.5 * (vx + link[i, OLD_VX]), 0.5 * (vy + link[i, OLD_VY]), 0.5 * (w + link[i, OLD_W])
        change += m * ((vx - link[i, OLD_VX]) * mx + (vy - link[i, OLD_VY]) * my) + inertia * (w - link[i, OLD_W]) * mw
        applied += link[i, APPLIED_X] * mx + link[i, APPLIED_Y] * my + link[i, APPLIED_W] * mw
        along, across = link[i, ALONG] * link[i, GROUND_X], link[i, ACROSS] * link[i, GROUND_Y]
        friction += along * (link[i, COS] * mx + link[i, SIN] * my) + across * (link[i, COS] * my - link[i, SIN] * mx)
        if i > 0:
            servo += link[i, TORQUE] * (mw - 0.5 * (link[i - 1, W] + link[i - 1, OLD_W]))
    surplus = min(change - servo, kinetic)
    if problem.number[PASSIVE] * problem.number[CONSERVING] > 0.0 and surplus > 0.0:
        hold_back(link, math.sqrt((kinetic - surplus) / kinetic))
        kinetic -= surplus
        change -= surplus
    ledger[0] = kinetic
    ledger[1] += servo
    ledger[2] += friction
    ledger[3] += applied - friction
    ledger[4] += change - servo - applied


@kernel
def hold_back(link: FloatArray, scale: float) -> None:
    """The guard of the conserving scheme, whose energy error of order dt**2 has either sign: where ground or obstacles
    are there, velocities are scaled back so that no step creates energy. Stick, slip and touch stay what they are."""
    for i in range(link.shape[0]):
        link[i, VX] *= scale
        link[i, VY] *= scale
        link[i, W] *= scale


@kernel
def remember(problem: Problem, state: State) -> None:
    """Warm starts, and the impulses of the tick and since the last recorded row."""
    link, contact, body, sums = problem.link, problem.contact, state.link, state.sums
    for i in range(link.shape[0]):
        body[i, S_GROUND_X], body[i, S_GROUND_Y] = link[i, GROUND_X], link[i, GROUND_Y]
        px = py = 0.0
        for k in range(problem.first[i], problem.first[i + 1]):
            p = int(contact[k, PAIR])
            state.pair[p, P_IMPULSE] = contact[k, IMPULSE]
            x, y = contact[k, NORMAL_X] * contact[k, IMPULSE], contact[k, NORMAL_Y] * contact[k, IMPULSE]
            state.pair[p, P_TICK_X] += x
            state.pair[p, P_TICK_Y] += y
            state.pair[p, P_RECORD_X] += x
            state.pair[p, P_RECORD_Y] += y
            px += x
            py += y
        ground_x, ground_y = link[i, APPLIED_X] - px, link[i, APPLIED_Y] - py
        for k in range(0, 10, 5):  # the tick's, and those since the last row
            sums[i, k] += px
            sums[i, k + 1] += py
            sums[i, k + 2] += ground_x
            sums[i, k + 3] += ground_y
            if i > 0:
                sums[i, k + 4] += link[i, TORQUE]


@kernel
def finish(problem: Problem, body: FloatArray) -> bool:
    """End pose (63) with closed joints; False if it is not finite.

    conserving: the centre of mass moves with the momentum.   paper: the head link (link 1 of P2) is held, VI-C.
    """
    link, half, n = problem.link, 0.5 * problem.number[DT], problem.link.shape[0]
    x, y = mass_centre(link, body, half)
    px = py = total = finite = 0.0
    head_x = body[n - 1, S_X] + half * (body[n - 1, S_VX] + link[n - 1, VX])
    head_y = body[n - 1, S_Y] + half * (body[n - 1, S_VY] + link[n - 1, VY])
    for i in range(n):
        px += link[i, MASS] * link[i, VX]
        py += link[i, MASS] * link[i, VY]
        total += link[i, MASS]
        body[i, S_ANGLE] += half * (body[i, S_W] + link[i, W])
        link[i, COS], link[i, SIN] = rotated(link[i, COS], link[i, SIN], half * link[i, W])
        body[i, S_LAST_VX], body[i, S_LAST_VY], body[i, S_LAST_W] = body[i, S_VX], body[i, S_VY], body[i, S_W]
        body[i, S_VX], body[i, S_VY], body[i, S_W] = link[i, VX], link[i, VY], link[i, W]
        finite += link[i, VX] + link[i, VY] + link[i, W]
    close_chain(link, x + half * px / total, y + half * py / total)
    shift_x = shift_y = 0.0
    if not problem.number[CONSERVING] > 0.0:
        shift_x, shift_y = head_x - link[n - 1, X], head_y - link[n - 1, Y]
    for i in range(n):
        body[i, S_X], body[i, S_Y] = link[i, X] + shift_x, link[i, Y] + shift_y
    return math.isfinite(finite)


@kernel
def begin_step(problem: Problem, around: Surroundings, state: State) -> int:
    """Everything before the solve, with the servo impulses already in place. Returns the status."""
    number, dt = problem.number, problem.number[DT]
    fastest = predict(problem, state.link)
    if around.disc.shape[0] > 0:
        gain = min(10.0 * number[GRAVITY] * dt * dt, 0.5 * number[SKIN])  # [m], by what is still to accelerate
        reach = REACH * (dt * fastest + gain)
        state.ledger[TRAVELLED] += dt * fastest
        if state.ledger[TRAVELLED] + reach > state.ledger[LISTED]:
            if not list_neighbours(problem, around, state, max(number[SKIN], 2.0 * reach)):
                return TOO_MANY_CONTACTS
        find_contacts(problem, around.disc, state, reach)
    return OK


@kernel
def end_step(problem: Problem, state: State, residual: float) -> int:
    """Everything after the solve. Returns the status."""
    account(problem, state.ledger)
    remember(problem, state)
    state.clock[0] += 1
    if not finish(problem, state.link):
        return NOT_FINITE
    return OK if residual <= problem.number[TOLERANCE] else NOT_CONVERGED
