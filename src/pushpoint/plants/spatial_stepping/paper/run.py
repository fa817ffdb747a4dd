"""Steps and ticks of P5's own scheme; what is recorded of them is that of the default scheme."""

from __future__ import annotations

import math

from pushpoint._jit import entry_point, inlined, kernel
from pushpoint.feedback import Feedback
from pushpoint.numerics.projections import clip, dead_band
from pushpoint.numerics.records import Records
from pushpoint.plants import _tape
from pushpoint.plants._feedback import LOG_FULL, is_log_full, is_undecided
from pushpoint.plants._tape import ACCEPTED, NOT_CONVERGED, NOT_FINITE, OK, TABLE_FULL
from pushpoint.plants.spatial_stepping.model import State
from pushpoint.plants.spatial_stepping.observe import let_decide, show
from pushpoint.plants.spatial_stepping.paper import kinematics
from pushpoint.plants.spatial_stepping.paper.closing import close_joints, keep_velocities, move_to_end
from pushpoint.plants.spatial_stepping.paper.iteration import iterate
from pushpoint.plants.spatial_stepping.paper.joint_impulses import factor_joints
from pushpoint.plants.spatial_stepping.paper.model import ACROSS, ALONG, NORMAL, ROLL_X, ROLL_Y, PaperProblem
from pushpoint.plants.spatial_stepping.paper.works import measure_works
from pushpoint.plants.spatial_stepping.run import add_torques, clear_tick, close_sums, write_row
from pushpoint.plants.spatial_stepping.sanity import ACCEPTABLE, LEAST_SPEED
from pushpoint.plants.spatial_stepping.step import gravity_step, keep_works
from pushpoint.tape import Tape
from pushpoint.types import CommandTable

MADE = 1e-4  # of the kinetic energy: what a step may make of energy that was not solved, if a run is to go on


@kernel
def drive_joints(problem: PaperProblem, commands: CommandTable, row: int, lead: float) -> None:
    """(68)-(69), towards the reference, `lead` [s] after the start of the tick: torques from the angles in the middle
    of the step and the rates at its start, as (84) and (86) have to know them beforehand."""
    dt = problem.number[0].dt
    for k in range(problem.freedom.shape[0]):
        a = problem.freedom[k]
        angle, rate = (
            kinematics.joint_angle(problem, k),
            kinematics.rate_along(problem.torque[k], problem.old, int(a.joint)),
        )
        aim = commands.joint_angle[row, k] + lead * commands.joint_rate[row, k]
        wanted = a.servo_p * (aim - angle) + a.servo_d * (commands.joint_rate[row, k] - rate)
        wanted = dead_band(wanted, a.band) + commands.torque[row, k]
        servo = a.actuated * clip(wanted, a.limit)
        a.torque, a.tau = dt * servo, dt * (servo + (a.spring * (a.rest - angle) - a.damper * rate))


@kernel
def move_freely(problem: PaperProblem) -> None:
    """u_A + M^-1 (h + tau_C) dt of (84) and (86): gravity, gyroscopic moments, torques of the joints."""
    dt, fall = problem.number[0].dt, gravity_step(problem.number[0])
    for i in range(problem.mass.shape[0]):
        u, free, m = problem.old[i], problem.free[i], problem.mass[i]
        for a in range(3):
            b, c = 3 + (a + 1) % 3, 3 + (a + 2) % 3
            free[a] = u[a] + fall[a]
            free[3 + a] = u[3 + a] - dt * (m[c] - m[b]) * u[b] * u[c] / m[3 + a]
    for k in range(problem.freedom.shape[0]):
        j, impulse, w = int(problem.freedom[k].joint), problem.freedom[k].tau, problem.torque[k]
        for m in range(3, 6):
            problem.free[j, m] += w[m] * impulse / problem.mass[j, m]
            problem.free[j + 1, m] += w[6 + m] * impulse / problem.mass[j + 1, m]


@kernel
def recall_impulses(problem: PaperProblem, state: State) -> None:
    """Contacts begin with what they did when they last were closed (VII-B)."""
    for c in range(problem.number[0].contacts):
        a = problem.active[c]
        p, kept = problem.impulse[a], state.memory[a]
        p[NORMAL], p[ALONG], p[ACROSS], p[ROLL_X], p[ROLL_Y] = kept.pn, kept.lt, kept.ls, kept.lr, kept.lq


@kernel
def remember_impulses(problem: PaperProblem, state: State) -> None:
    for c in range(problem.number[0].contacts):
        a = problem.active[c]
        p, kept = problem.impulse[a], state.memory[a]
        kept.pn, kept.lt, kept.ls, kept.lr, kept.lq = p[NORMAL], p[ALONG], p[ACROSS], p[ROLL_X], p[ROLL_Y]


@kernel
def add_impulses(problem: PaperProblem, state: State) -> None:
    """Sum up the impulses of the ground on the links and those of the servos, as run.add_impulses does."""
    for c in range(problem.number[0].contacts):
        a = problem.active[c]
        p, w = problem.impulse[a], problem.contact[a]
        for m in range(3):
            state.sums[a // 2, 3 + m] += p[NORMAL] * w[NORMAL, m] + p[ALONG] * w[ALONG, m] + p[ACROSS] * w[ACROSS, m]
    add_torques(problem.freedom, state.sums)


@kernel
def step_status(number: Records, residual: float, before: float) -> int:
    """Status of a step: P5 takes a step as it comes, but one that was not solved is no step."""
    if not math.isfinite(number.energy) or not math.isfinite(residual):
        return NOT_FINITE
    if residual <= number.tolerance:
        return OK
    most = MADE * max(before, number.energy) + LEAST_SPEED * number.dt * number.weight
    return ACCEPTED if number.accept and residual <= ACCEPTABLE and number.numerical <= most else NOT_CONVERGED


@inlined
def one_step(problem: PaperProblem, state: State, commands: CommandTable, row: int, k: int, tape: Tape) -> int:
    """Step k of a tick, P5 VII. Returns the status; a step that fails changes nothing."""
    number, before = problem.number[0], state.ledger[0]
    kinematics.start_velocities(problem, state.body)
    kinematics.move_to_middle(problem, state.body, 0.5 * number.dt)
    kinematics.find_contacts(problem)
    kinematics.set_joints(problem)
    kinematics.set_torques(problem)
    factor_joints(problem)
    drive_joints(problem, commands, row, (k + 0.5) * number.dt)
    move_freely(problem)
    recall_impulses(problem, state)
    residual, iterations = iterate(problem)
    measure_works(problem, before)
    status = step_status(number, residual, before)
    state.clock[0] += 1
    _tape.note_step(tape, residual, iterations, status)
    if status not in (OK, ACCEPTED):
        return status
    move_to_end(problem, state.body)
    close_joints(problem, state.body)
    keep_velocities(problem, state)
    remember_impulses(problem, state)
    add_impulses(problem, state)
    keep_works(number, state.ledger)
    return OK


@entry_point
def run_paper_ticks(
    problem: PaperProblem,
    state: State,
    commands: CommandTable,
    first: int,
    substeps: int,
    tape: Tape,
    feedback: Feedback,
) -> tuple[int, int]:
    """run.run_ticks with this scheme; an entry point of its own, so that nobody compiles what they do not use."""
    for row in range(first, commands.joint_angle.shape[0]):
        if not _tape.has_room(tape, state.pair.shape[0]):
            return TABLE_FULL, row
        if is_undecided(feedback, row):
            if is_log_full(feedback):
                return LOG_FULL, row
            let_decide(state, problem.freedom, commands, row, feedback)
        clear_tick(state)
        for k in range(substeps):
            status = one_step(problem, state, commands, row, k, tape)
            if status != OK:
                return status, row
        close_sums(state)
        if _tape.is_row_due(tape):
            write_row(state, tape, problem.number[0].dt, substeps)
    show(state, problem.freedom, problem.number[0].dt, feedback)
    return OK, commands.joint_angle.shape[0]
