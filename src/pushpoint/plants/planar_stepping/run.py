"""Runs of steps in one compiled call: ticks, and what is recorded of them."""

from __future__ import annotations

from pushpoint._jit import entry_point, fused, kernel
from pushpoint.plants._tape import (
    GUARD_WORK,
    NOT_FINITE,
    OK,
    TABLE_FULL,
    begin_contact,
    carry_sums,
    clear_sums,
    end_contact,
    end_row,
    has_room,
    is_row_due,
    note_step,
    write_means,
)
from pushpoint.plants.planar_stepping.extras import Extras
from pushpoint.plants.planar_stepping.joints import drive_joints
from pushpoint.plants.planar_stepping.ledger import works
from pushpoint.plants.planar_stepping.model import CLEARANCE, OBSTACLE, Problem, State, Surroundings
from pushpoint.plants.planar_stepping.newton import newton
from pushpoint.plants.planar_stepping.sanity import is_sane
from pushpoint.plants.planar_stepping.step import LOOKS, look, predict, prediction_holds, settle
from pushpoint.tape import Tape
from pushpoint.types import CommandTable, FloatArray

APPROACH = -3  # links may have come near each other: somebody has to look before the run can go on
SUMS = 5  # impulses of the tick on a body: of contacts and ground in x and y, of the motor towards the tail
REPEAT = -2  # the step has to be repeated in parts before the run can go on; nothing of the state has changed


@fused
def begin_tick(state: State, tape: Tape) -> bool:
    """Forget the impulses of the last tick; False if there is no room on the tape."""
    if not has_room(tape, state.pair_code.size):
        return False
    clear_sums(state.sums, SUMS)
    for p in range(state.pair_start[state.sums.shape[0]]):
        state.pair[p].tick_x = state.pair[p].tick_y = 0.0
    return True


@kernel
def obstacle_of(feature: FloatArray, code: int) -> float:
    """Index in World.obstacles; of other links as in types.Contacts."""
    other = code // 3 - feature.shape[0]
    return float(feature[code // 3, OBSTACLE]) if other < 0 else -2.0 - other


@kernel
def write_contacts(state: State, tape: Tape, span: float, extras: Extras | None) -> None:
    """Pairs that pushed since the last row, with their mean force."""
    out = tape.contact
    for i in range(state.sums.shape[0]):
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            pair = state.pair[p]
            fx, fy = pair.record_x, pair.record_y
            if fx == 0.0 and fy == 0.0:
                continue
            obstacle = float(state.pair_code[p])
            if extras is not None:
                obstacle = obstacle_of(extras.feature, state.pair_code[p])
            at = begin_contact(tape, i, obstacle, pair.place)
            out[at, 4], out[at, 5], out[at, 6], out[at, 7] = pair.point_x, pair.point_y, pair.normal_x, pair.normal_y
            out[at, 8], out[at, 9] = fx / span, fy / span
            end_contact(tape, pair.slip, pair.impact)
            pair.record_x = pair.record_y = pair.impact = 0.0


@kernel
def write_row(state: State, tape: Tape, time: float, span: float) -> None:
    """Record the state and the means over the `span` [s] since the last row."""
    row, out = tape.cursor[0].row, tape.link
    for i in range(state.sums.shape[0]):
        own = state.link[i]
        out[row, i, 0], out[row, i, 1], out[row, i, 2] = own.x, own.y, own.angle
        out[row, i, 3], out[row, i, 4], out[row, i, 5] = own.vx, own.vy, own.w
    write_means(tape, state.sums, SUMS, span)
    end_row(tape, state.ledger, time)


@fused
def end_step(problem: Problem, around: Surroundings, state: State, residual: float, extras: Extras | None) -> int:
    """Everything after the solve. Returns the status."""
    done = works(problem, extras)
    if not is_sane(problem, around, state, residual, done, extras):
        return REPEAT
    state.clock[0] += 1
    return OK if settle(problem, state, done, extras) else NOT_FINITE


@fused
def end_tick(state: State, tape: Tape, dt: float, substeps: int, extras: Extras | None) -> None:
    """Write a row if one is due."""
    carry_sums(state.sums, SUMS)
    if is_row_due(tape):
        span = tape.cursor[0].ticks_per_row * substeps * dt
        write_contacts(state, tape, span, extras)
        write_row(state, tape, state.clock[0] * dt, span)


@entry_point
def run_ticks(
    problem: Problem,
    around: Surroundings,
    extras: Extras | None,
    state: State,
    commands: CommandTable,
    first: int,
    begin: int,
    substeps: int,
    tape: Tape,
) -> tuple[int, int, int]:
    """Ticks `first` .. of the table, from step `begin` of the first of them on. Returns the status, and the tick and
    the step that were not completed."""
    dt = problem.number[0].dt
    for row in range(first, commands.joint_angle.shape[0]):
        if begin == 0 and not begin_tick(state, tape):
            return TABLE_FULL, row, 0
        for k in range(begin, substeps):
            if state.ledger[CLEARANCE] < 0.0:
                return APPROACH, row, k
            drive_joints(problem, state.link, commands, row, (k + 1) * dt, extras)
            predict(problem, state, extras)
            residual, iterations, status = 0.0, 0, OK
            for times in range(LOOKS):
                status = look(problem, around, state, times, extras)
                if status != OK:
                    break
                residual, sweeps = newton(problem, extras)
                iterations += sweeps
                if prediction_holds(problem, around, state, extras):
                    break
            if status == OK:
                status = end_step(problem, around, state, residual, extras)
            if status == REPEAT:
                return REPEAT, row, k
            tape.step[tape.cursor[0].step, GUARD_WORK] = problem.number[0].guard
            note_step(tape, residual, iterations, status)
            if status != OK:
                return status, row, k
        begin = 0
        end_tick(state, tape, dt, substeps, extras)
    return OK, commands.joint_angle.shape[0], 0
