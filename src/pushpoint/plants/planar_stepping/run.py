"""The compiled calls: runs of ticks, and steps that are repeated in parts."""

from __future__ import annotations

from pushpoint._jit import entry_point, fused
from pushpoint.feedback import Feedback
from pushpoint.plants._feedback import LOG_FULL, is_log_full, is_undecided
from pushpoint.plants._tape import GUARD_WORK, NOT_CONVERGED, NOT_FINITE, OK, TABLE_FULL, note_step
from pushpoint.plants.planar_stepping.extended import Contacts, Ground, Joints
from pushpoint.plants.planar_stepping.joint_law import drive_joints
from pushpoint.plants.planar_stepping.ledger import works
from pushpoint.plants.planar_stepping.model import CLEARANCE, Problem, State, Surroundings
from pushpoint.plants.planar_stepping.newton import newton
from pushpoint.plants.planar_stepping.observe import let_decide, show
from pushpoint.plants.planar_stepping.parts import step_in_parts
from pushpoint.plants.planar_stepping.projection import Relaxation, projection
from pushpoint.plants.planar_stepping.rows import begin_tick, end_tick
from pushpoint.plants.planar_stepping.sanity import NOT_SOLVED, is_sane
from pushpoint.plants.planar_stepping.step import DETECTIONS, detect_contacts, predict, prediction_holds, settle
from pushpoint.tape import Tape
from pushpoint.types import CommandTable

APPROACH = -3  # links may have come near each other: their clearance has to be checked before the run can go on
REPEAT = -2  # the step has to be repeated in parts before the run can go on; nothing of the state has changed


@fused
def end_step(
    problem: Problem, around: Surroundings, state: State, residual: float, ground: Ground | None,
    contacts: Contacts | None, joints: Joints | None,
) -> int:  # fmt: skip
    """Everything after the solve. Returns the status."""
    done = works(problem, ground)
    if not is_sane(problem, around, state, residual, done, contacts):
        return REPEAT
    state.clock[0] += 1
    return OK if settle(problem, state, done, ground, contacts, joints) else NOT_FINITE


@fused
def end_as_it_comes(problem: Problem, state: State, residual: float) -> int:
    """The same with P2's own solver, which takes every step that it solves."""
    state.clock[0] += 1
    if not settle(problem, state, works(problem, None), None, None, None):
        return NOT_FINITE
    return OK if residual <= problem.number[0].tolerance else NOT_CONVERGED


@fused
def one_step(
    problem: Problem, around: Surroundings, ground: Ground | None, contacts: Contacts | None, joints: Joints | None,
    relaxation: Relaxation | None, state: State, commands: CommandTable, row: int, k: int, tape: Tape,
) -> int:  # fmt: skip
    """Step k of tick `row`. Returns the status."""
    drive_joints(problem, state.link, commands, row, (k + 1) * problem.number[0].dt, joints)
    predict(problem, state, ground, contacts)
    residual, iterations, status = 0.0, 0, OK
    for times in range(DETECTIONS):
        status = detect_contacts(problem, around, state, times, contacts)
        if status != OK:
            break
        if relaxation is None:
            residual, sweeps = newton(problem, ground, contacts, joints)
        else:
            residual, sweeps = projection(problem, relaxation)
        iterations += sweeps
        if prediction_holds(problem, around, state, contacts):
            break
    if status == OK:
        if relaxation is None:
            status = end_step(problem, around, state, residual, ground, contacts, joints)
        else:
            status = end_as_it_comes(problem, state, residual)
    if status != REPEAT:
        tape.step[tape.cursor[0].step, GUARD_WORK] = problem.number[0].guard
        note_step(tape, residual, iterations, status)
    return status


@entry_point
def run_ticks(
    problem: Problem,
    around: Surroundings,
    ground: Ground | None,
    contacts: Contacts | None,
    joints: Joints | None,
    relaxation: Relaxation | None,
    step_error: float | None,
    state: State,
    commands: CommandTable,
    first: int,
    begin: int,
    substeps: int,
    tape: Tape,
    feedback: Feedback,
) -> tuple[int, int, int]:
    """Ticks `first` .. of the table, from step `begin` of the first of them on. Returns the status, and the tick and
    the step that were not completed. What is None is not compiled. `feedback` holds what a snapshot needs."""
    dt, links = problem.number[0].nominal, problem.chain.shape[0]
    for row in range(first, commands.joint_angle.shape[0]):
        if begin == 0:
            if is_undecided(feedback, row):
                if is_log_full(feedback):
                    return LOG_FULL, row, 0
                let_decide(state, links, commands, row, feedback)
            if not begin_tick(state, tape):
                return TABLE_FULL, row, 0
        for k in range(begin, substeps):
            if state.ledger[CLEARANCE] < 0.0:
                return APPROACH, row, k
            if step_error is None:
                status = one_step(problem, around, ground, contacts, joints, relaxation, state, commands, row, k, tape)
            else:
                problem.number[0].reasons = 0.0
                level = state.clock[2]
                status = step_in_parts(problem, around, ground, contacts, joints, state, commands, row, k, level, tape)
            if status != OK:
                return status, row, k
        begin = 0
        end_tick(state, tape, dt, substeps, contacts)
    show(state, links, dt, feedback, contacts)
    return OK, commands.joint_angle.shape[0], 0


@entry_point
def repeat_step(
    problem: Problem,
    around: Surroundings,
    ground: Ground | None,
    contacts: Contacts | None,
    joints: Joints | None,
    state: State,
    commands: CommandTable,
    row: int,
    k: int,
    tape: Tape,
) -> int:
    """Step k of tick `row` in parts, which run_ticks refused for `reasons`. Compiled when a step is refused for the
    first time. Returns the status."""
    whole = int(problem.number[0].reasons) & NOT_SOLVED or problem.number[0].finest == 0.0
    state.clock[2] = 0
    level = 0 if whole else 1
    status = step_in_parts(problem, around, ground, contacts, joints, state, commands, row, k, level, tape)
    state.clock[2] = 0
    return status
