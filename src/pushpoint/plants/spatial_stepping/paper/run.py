"""Steps and ticks of the printed scheme; what is recorded of them is that of the default scheme."""

from __future__ import annotations

import math

from pushpoint._jit import entry_point, inlined, kernel
from pushpoint.numerics.projections import clip, dead_band
from pushpoint.plants._tape import (
    ACCEPTED,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    TABLE_FULL,
    has_room,
    is_row_due,
    note_step,
)
from pushpoint.plants.spatial_stepping.model import State
from pushpoint.plants.spatial_stepping.paper.closing import close_joints, keep_motion, move_to_end
from pushpoint.plants.spatial_stepping.paper.iteration import iterate
from pushpoint.plants.spatial_stepping.paper.joint_impulses import factor_joints
from pushpoint.plants.spatial_stepping.paper.kinematics import (
    find_contacts,
    joint_angle,
    move_to_middle,
    rate_along,
    set_joints,
    set_torques,
    start_velocities,
)
from pushpoint.plants.spatial_stepping.paper.model import (
    ACCEPT,
    ACROSS,
    ACTIVE,
    ACTUATED,
    ALONG,
    BAND,
    DAMPER,
    DOWN_X,
    DT,
    JOINT,
    LIMIT,
    NORMAL,
    PASSIVE,
    REST,
    ROLL_X,
    ROLL_Y,
    SECOND,
    SERVO_D,
    SERVO_P,
    SPRING,
    TOLERANCE,
    TORQUE,
    WEIGHT,
    Printed,
)
from pushpoint.plants.spatial_stepping.paper.works import contact_work, gravity_work, joint_work, kinetic_energy
from pushpoint.plants.spatial_stepping.run import clear_tick, close_sums, write_contacts, write_row
from pushpoint.tape import Tape
from pushpoint.types import CommandTable

ACCEPTABLE = 1e-3  # residual of a step with which a run may go on, if plant.on_failure says so,
MADE = 1e-4  # and what it may make of energy, relative to the kinetic energy,
LEAST_SPEED = 1e-6  # [m/s], times the weight and dt, at the least


@kernel
def drive_joints(problem: Printed, commands: CommandTable, row: int, lead: float) -> None:
    """(68)-(69), towards the reference, `lead` [s] after the start of the tick: torques from the angles in the middle
    of the step and the rates at its start, as (84) and (86) have to know them beforehand."""
    for k in range(problem.freedom.shape[0]):
        a = problem.freedom[k]
        angle, rate = joint_angle(problem, k), rate_along(problem.torque[k], problem.old, int(a[JOINT]))
        aim = commands.joint_angle[row, k] + lead * commands.joint_rate[row, k]
        wanted = a[SERVO_P] * (aim - angle) + a[SERVO_D] * (commands.joint_rate[row, k] - rate)
        wanted = dead_band(wanted, a[BAND]) + commands.torque[row, k]
        a[TORQUE] = a[ACTUATED] * clip(wanted, a[LIMIT])
        a[PASSIVE] = a[SPRING] * (a[REST] - angle) - a[DAMPER] * rate


@kernel
def move_freely(problem: Printed) -> None:
    """u_A + M^-1 (h + tau_C) dt of (84) and (86): gravity, gyroscopic moments, torques of the joints."""
    dt, number = problem.number[DT], problem.number
    for i in range(problem.mass.shape[0]):
        u, free, m = problem.old[i], problem.free[i], problem.mass[i]
        for a in range(3):
            b, c = 3 + (a + 1) % 3, 3 + (a + 2) % 3
            free[a] = u[a] + dt * number[DOWN_X + a]
            free[3 + a] = u[3 + a] - dt * (m[c] - m[b]) * u[b] * u[c] / m[3 + a]
    for k in range(problem.freedom.shape[0]):
        j, w = int(problem.freedom[k, JOINT]), problem.torque[k]
        impulse = dt * (problem.freedom[k, TORQUE] + problem.freedom[k, PASSIVE])
        for m in range(3, 6):
            problem.free[j, m] += w[m] * impulse / problem.mass[j, m]
            problem.free[j + 1, m] += w[6 + m] * impulse / problem.mass[j + 1, m]


@kernel
def recall_impulses(problem: Printed, state: State) -> None:
    """Contacts begin with what they did when they last were closed (VII-B)."""
    for c in range(int(problem.number[ACTIVE])):
        a = problem.active[c]
        p, kept = problem.impulse[a], state.memory[a]
        p[NORMAL], p[ALONG], p[ACROSS], p[ROLL_X], p[ROLL_Y] = kept.pn, kept.lt, kept.ls, kept.lr, kept.lq


@kernel
def remember_impulses(problem: Printed, state: State) -> None:
    for c in range(int(problem.number[ACTIVE])):
        a = problem.active[c]
        p, kept = problem.impulse[a], state.memory[a]
        kept.pn, kept.lt, kept.ls, kept.lr, kept.lq = p[NORMAL], p[ALONG], p[ACROSS], p[ROLL_X], p[ROLL_Y]


@kernel
def add_impulses(problem: Printed, state: State) -> None:
    """Sum up the impulses of the ground on the links and those of the servos, as run.add_impulses does."""
    for c in range(int(problem.number[ACTIVE])):
        a = problem.active[c]
        p, w = problem.impulse[a], problem.contact[a]
        for m in range(3):
            state.sums[a // 2, 3 + m] += p[NORMAL] * w[NORMAL, m] + p[ALONG] * w[ALONG, m] + p[ACROSS] * w[ACROSS, m]
    for k in range(problem.freedom.shape[0]):
        a = problem.freedom[k]
        state.sums[int(a[JOINT]) + 1, 6 + int(a[SECOND])] += problem.number[DT] * a[TORQUE]


@kernel
def verdict_on(problem: Printed, residual: float, before: float, energy: float, made: float) -> int:
    """Status of a step: P5 takes a step as it comes, but one that was not solved is no step."""
    number = problem.number
    if not math.isfinite(energy) or not math.isfinite(residual):
        return NOT_FINITE
    if residual <= number[TOLERANCE]:
        return OK
    most = MADE * max(before, energy) + LEAST_SPEED * number[DT] * number[WEIGHT]
    return ACCEPTED if number[ACCEPT] > 0.0 and residual <= ACCEPTABLE and made <= most else NOT_CONVERGED


@inlined
def one_step(problem: Printed, state: State, commands: CommandTable, row: int, k: int, tape: Tape) -> int:
    """Step k of a tick, P5 VII. Returns the status; a step that fails changes nothing."""
    dt, before = problem.number[DT], state.ledger[0]
    start_velocities(problem, state.body)
    move_to_middle(problem, state.body, 0.5 * dt)
    find_contacts(problem)
    set_joints(problem)
    set_torques(problem)
    factor_joints(problem)
    drive_joints(problem, commands, row, (k + 0.5) * dt)
    move_freely(problem)
    recall_impulses(problem, state)
    residual, iterations = iterate(problem)
    energy, servo, gravity = kinetic_energy(problem), joint_work(problem), gravity_work(problem)
    friction, normal = contact_work(problem)
    numerical = energy - before - servo - gravity - friction - normal
    status = verdict_on(problem, residual, before, energy, numerical)
    state.clock[0] += 1
    note_step(tape, residual, iterations, status)
    if status not in (OK, ACCEPTED):
        return status
    move_to_end(problem, state.body)
    close_joints(problem, state.body)
    keep_motion(problem, state)
    remember_impulses(problem, state)
    add_impulses(problem, state)
    ledger = state.ledger
    ledger[0], ledger[1], ledger[2] = energy, ledger[1] + servo, ledger[2] + friction
    ledger[3], ledger[4], ledger[5] = ledger[3] + normal, ledger[4] + numerical, ledger[5] + gravity
    return OK


@entry_point
def run_ticks_as_printed(
    problem: Printed, state: State, commands: CommandTable, first: int, substeps: int, tape: Tape
) -> tuple[int, int]:
    """run.run_ticks with this scheme; an entry point of its own, so that nobody compiles what they do not use."""
    dt = problem.number[DT]
    for row in range(first, commands.joint_angle.shape[0]):
        if not has_room(tape, state.pair.shape[0]):
            return TABLE_FULL, row
        clear_tick(state)
        for k in range(substeps):
            status = one_step(problem, state, commands, row, k, tape)
            if status != OK:
                return status, row
        close_sums(state)
        if is_row_due(tape):
            span = tape.cursor[0].ticks_per_row * substeps * dt
            write_contacts(state, tape, span)
            write_row(state, tape, state.clock[0] * dt, span)
    return OK, commands.joint_angle.shape[0]
