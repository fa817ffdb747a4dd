"""One time step, P2 (54)-(63).

    predict   mid pose from the start velocity                    (54)
    contacts  gaps and directions at the mid pose                 (39), (14), (16)
    solve     end velocity and impulses                           (55)-(62)
    finish    end pose, warm starts, sums, energy ledger          (63), VI-C
"""

from __future__ import annotations

import math
from pushpoint._jit import kernel
from pushpoint.mechanics.planar_chain import chord_velocity, close_chain
from pushpoint.plants.planar_stepping.contacts import find_contacts, list_neighbours
from pushpoint.plants.planar_stepping.model import Params, Scratch, State
from pushpoint.plants.planar_stepping.newton import newton
from pushpoint.plants.planar_stepping.projection import projection
from pushpoint.types import CommandTable, FloatArray

OK, NOT_CONVERGED, NOT_FINITE, TOO_MANY_CONTACTS = 0, 1, 2, 3  # the values of types.Status


@kernel
def mass_centre(params: Params, state: State, lead: float, out: FloatArray) -> None:
    """Centre of mass, `lead` seconds ahead."""
    x = y = total = 0.0
    for i in range(params.mass.size):
        m = params.mass[i]
        x += m * (state.link[i, 0] + lead * state.link[i, 3])
        y += m * (state.link[i, 1] + lead * state.link[i, 4])
        total += m
    out[0], out[1] = x / total, y / total


@kernel
def predict(params: Params, state: State, scratch: Scratch) -> float:
    """Mid pose (54) and the guess for the end velocity; returns a bound of the speed of any point of the robot."""
    half = 0.5 * params.dt
    fastest = 0.0
    for i in range(params.mass.size):
        link, pose = state.link[i], scratch.pose[i]
        angle = link[2] + half * link[5]
        pose[0], pose[1] = link[0] + half * link[3], link[1] + half * link[4]
        pose[2], pose[3] = math.cos(angle), math.sin(angle)
        scratch.rate[i] = link[5]
        for k in range(3):
            scratch.previous[i, k] = link[3 + k]
            scratch.velocity[i, k] = link[3 + k]
        for k in range(2):
            scratch.ground[i, 2 + k] = state.friction[i, k]
            scratch.chord[i, k] = 0.0
        size = params.capsule[i, 0] + params.capsule[i, 1]
        fastest = max(fastest, math.sqrt(link[3] * link[3] + link[4] * link[4]) + abs(link[5]) * size)
    if params.conserving:
        mass_centre(params, state, half, scratch.number)
        close_chain(params.half_length, params.mass, scratch.number, scratch.pose)
        chord_velocity(params.half_length, params.dt, scratch.pose, scratch.rate, scratch.chord)
    guess_velocity(params, scratch)
    return fastest


@kernel
def guess_velocity(params: Params, scratch: Scratch) -> None:
    """A velocity that the joints allow at the mid pose: rates kept, centres from the root outwards."""
    x, y = scratch.velocity[0, 0], scratch.velocity[0, 1]
    for i in range(params.mass.size):
        h, w = params.half_length[i], scratch.velocity[i, 2]
        c, s = scratch.pose[i, 2], scratch.pose[i, 3]
        if i > 0:
            x -= w * h * s
            y += w * h * c
        scratch.velocity[i, 0] = x + scratch.chord[i, 0]
        scratch.velocity[i, 1] = y + scratch.chord[i, 1]
        x -= w * h * s
        y += w * h * c


@kernel
def drive_joints(params: Params, state: State, scratch: Scratch, commands: CommandTable, row: int, lead: float) -> None:
    """Servo impulses at joint rate zero; `lead` [s] from the start of the tick to the end of the step."""
    half = 0.5 * params.dt
    for j in range(params.mass.size - 1):
        angle = state.link[j + 1, 2] - state.link[j, 2] + half * (state.link[j + 1, 5] - state.link[j, 5])
        rate = commands.joint_rate[row, j]
        reference = commands.joint_angle[row, j] + lead * rate
        scratch.drive[j, 0] = params.servo[j, 0] * (reference - angle) + params.servo[j, 1] * rate
        scratch.drive[j, 1] = params.dt * commands.torque[row, j]


@kernel
def work_done(params: Params, scratch: Scratch, out: FloatArray) -> None:
    """Energy and work of the step, exact by the mean velocity: out = (kinetic, servo, friction, contact, numerical).

    M (u_E - u_A) . (u_E + u_A) / 2 is the change of kinetic energy; every impulse does its part of it. What the joint
    reactions do is the numerical work.
    """
    for k in range(5):
        out[k] = 0.0
    for i in range(params.mass.size):
        u, before, pose = scratch.velocity[i], scratch.previous[i], scratch.pose[i]
        m, inertia = params.mass[i], params.inertia[i]
        out[0] += 0.5 * (m * (u[0] * u[0] + u[1] * u[1]) + inertia * u[2] * u[2])
        mx, my, mw = 0.5 * (u[0] + before[0]), 0.5 * (u[1] + before[1]), 0.5 * (u[2] + before[2])
        px, py = params.friction[i, 1] * scratch.ground[i, 0], params.friction[i, 2] * scratch.ground[i, 1]
        friction = px * (pose[2] * mx + pose[3] * my) + py * (pose[2] * my - pose[3] * mx)
        out[2] += friction
        applied = scratch.applied[i]
        out[3] += applied[0] * mx + applied[1] * my + applied[2] * mw - friction
        # MΔu less what ground and obstacles give: servo and joint reactions
        out[4] += m * ((u[0] - before[0]) * mx + (u[1] - before[1]) * my) + inertia * (u[2] - before[2]) * mw
        out[4] -= applied[0] * mx + applied[1] * my + applied[2] * mw
    for j in range(params.mass.size - 1):
        before_rate = scratch.previous[j + 1, 2] - scratch.previous[j, 2]
        rate = scratch.velocity[j + 1, 2] - scratch.velocity[j, 2]
        out[1] += scratch.torque[j] * 0.5 * (rate + before_rate)
    out[4] -= out[1]


@kernel
def account(params: Params, state: State, scratch: Scratch) -> None:
    """Energy ledger; and the guard of the conserving scheme, whose energy error of order dt**2 has either sign:
    where ground or obstacles are there, velocities are scaled back so that no step creates energy."""
    work = scratch.work
    work_done(params, scratch, work)
    surplus = work[2] + work[3] + work[4]
    if params.passive and surplus > 0.0 and work[0] > surplus:
        scale = math.sqrt((work[0] - surplus) / work[0])
        for i in range(params.mass.size):
            for k in range(3):
                scratch.velocity[i, k] *= scale
        work[0] -= surplus
        work[4] -= surplus
    state.ledger[0] = work[0]
    for k in range(1, 5):
        state.ledger[k] += work[k]


@kernel
def remember(params: Params, state: State, scratch: Scratch) -> None:
    """Warm starts and the impulses of the tick."""
    for i in range(params.mass.size):
        tick = state.tick[i]
        c, s = scratch.pose[i, 2], scratch.pose[i, 3]
        state.friction[i, 0], state.friction[i, 1] = scratch.ground[i, 0], scratch.ground[i, 1]
        px, py = params.friction[i, 1] * scratch.ground[i, 0], params.friction[i, 2] * scratch.ground[i, 1]
        tick[2] += c * px - s * py
        tick[3] += s * px + c * py
        for k in range(scratch.contact_start[i], scratch.contact_start[i + 1]):
            row, pair = scratch.contact[k], state.pair[scratch.contact_pair[k]]
            pair[0] = row[5]
            pair[4] += row[0] * row[5]
            pair[5] += row[1] * row[5]
            tick[0] += row[0] * row[5]
            tick[1] += row[1] * row[5]
        if i > 0:
            tick[4] += scratch.torque[i - 1]


@kernel
def finish(params: Params, state: State, scratch: Scratch) -> bool:
    """End pose (63) with closed joints; False if it is not finite.

    conserving: the centre of mass moves with the momentum.   paper: the head link (link 1 of P2) is held, VI-C.
    """
    half, n = 0.5 * params.dt, params.mass.size
    mass_centre(params, state, half, scratch.number)
    px = py = total = finite = 0.0
    for i in range(n):
        u, link = scratch.velocity[i], state.link[i]
        px += params.mass[i] * u[0]
        py += params.mass[i] * u[1]
        total += params.mass[i]
        angle = link[2] + half * (link[5] + u[2])
        scratch.pose[i, 0], scratch.pose[i, 1] = link[0] + half * (link[3] + u[0]), link[1] + half * (link[4] + u[1])
        scratch.pose[i, 2], scratch.pose[i, 3] = math.cos(angle), math.sin(angle)
        link[2] = angle
        for k in range(3):
            link[3 + k] = u[k]
            finite += u[k]
    scratch.number[0] += half * px / total
    scratch.number[1] += half * py / total
    head_x, head_y = scratch.pose[n - 1, 0], scratch.pose[n - 1, 1]
    close_chain(params.half_length, params.mass, scratch.number, scratch.pose)
    if not params.conserving:
        head_x -= scratch.pose[n - 1, 0]
        head_y -= scratch.pose[n - 1, 1]
    for i in range(n):
        state.link[i, 0], state.link[i, 1] = scratch.pose[i, 0], scratch.pose[i, 1]
        if not params.conserving:
            state.link[i, 0] += head_x
            state.link[i, 1] += head_y
    return math.isfinite(finite)


@kernel
def step(params: Params, state: State, scratch: Scratch) -> tuple[int, float, int]:
    """One step with the servo impulses in scratch.drive. Returns status, residual, iterations."""
    fastest = predict(params, state, scratch)
    reach = params.dt * (3.0 * fastest + 20.0 * params.gravity * params.dt)
    state.travel[0] += params.dt * fastest
    if params.disc.shape[0] > 0:
        if state.travel[0] + reach > params.skin and not list_neighbours(params, state, scratch):
            return TOO_MANY_CONTACTS, 0.0, 0
        find_contacts(params, state, scratch, min(reach, params.skin))
    if params.by_projection:
        residual, iterations = projection(params, scratch)
    else:
        residual, iterations = newton(params, scratch)
    status = OK if residual <= params.tolerance else NOT_CONVERGED
    account(params, state, scratch)
    remember(params, state, scratch)
    if not finish(params, state, scratch):
        status = NOT_FINITE
    state.clock[0] += 1
    return status, residual, iterations
