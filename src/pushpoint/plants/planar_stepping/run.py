"""Runs of steps in one compiled call: ticks, and what is recorded of them."""

from __future__ import annotations

from pushpoint._jit import entry_point, inlined, kernel
from pushpoint.numerics.records import Records
from pushpoint.plants.planar_stepping.extras import Extras
from pushpoint.plants.planar_stepping.joints import drive_joints
from pushpoint.plants.planar_stepping.ledger import works
from pushpoint.plants.planar_stepping.model import CLEARANCE, DT, GUARD, OBSTACLE, Problem, State, Surroundings
from pushpoint.plants.planar_stepping.newton import newton
from pushpoint.plants.planar_stepping.sanity import is_sane
from pushpoint.plants.planar_stepping.step import LOOKS, NOT_FINITE, OK, is_as_foreseen, look, predict, settle
from pushpoint.types import STEP_COLUMNS, CommandTable, FloatArray, IntArray, Trace

APPROACH = -3  # links may have come near each other: somebody has to look before the run can go on
TABLE_FULL = -1  # the contact table of the trace must grow before the run can go on
GUARD_WORK = STEP_COLUMNS.index("guard_work")
REPEAT = -2  # the step has to be repeated in parts before the run can go on; nothing of the state has changed


@inlined
def clear_tick(sums: FloatArray, pair: Records, pair_start: IntArray) -> None:
    """Forget the impulses of the last tick."""
    for i in range(sums.shape[0]):
        for k in range(5):
            sums[i, k] = 0.0
    for p in range(pair_start[sums.shape[0]]):
        pair[p].tick_x = pair[p].tick_y = 0.0


@kernel
def obstacle_of(feature: FloatArray, code: int) -> float:
    """Index in World.obstacles; of other links as in types.Contacts."""
    other = code // 3 - feature.shape[0]
    return float(feature[code // 3, OBSTACLE]) if other < 0 else -2.0 - other


@kernel
def write_contacts(state: State, trace: Trace, span: float, extras: Extras | None) -> None:
    """Pairs that pushed since the last row, with their mean force: the columns types.CONTACT_COLUMNS."""
    out, at = trace.contact, trace.cursor[1]
    for i in range(state.sums.shape[0]):
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            pair = state.pair[p]
            fx, fy = pair.record_x, pair.record_y
            if fx == 0.0 and fy == 0.0:
                continue
            obstacle = float(state.pair_code[p])
            if extras is not None:
                obstacle = obstacle_of(extras.feature, state.pair_code[p])
            out[at, 0], out[at, 1], out[at, 2], out[at, 3] = trace.cursor[0], i, obstacle, pair.place
            out[at, 4], out[at, 5], out[at, 6], out[at, 7] = pair.point_x, pair.point_y, pair.normal_x, pair.normal_y
            out[at, 8], out[at, 9], out[at, 10], out[at, 11] = fx / span, fy / span, pair.slip, pair.impact
            pair.record_x = pair.record_y = pair.impact = 0.0
            at += 1
    trace.cursor[1] = at


@kernel
def write_row(state: State, trace: Trace, time: float, span: float) -> None:
    """Record the state and the means over the `span` [s] since the last row: the columns types.LINK_COLUMNS."""
    row, per_span = trace.cursor[0], 1.0 / span
    for i in range(state.sums.shape[0]):
        own, out = state.link[i], trace.link
        out[row, i, 0], out[row, i, 1], out[row, i, 2] = own.x, own.y, own.angle
        out[row, i, 3], out[row, i, 4], out[row, i, 5] = own.vx, own.vy, own.w
        for k in range(5):
            out[row, i, 6 + k] = (state.sums[i, 5 + k] + state.sums[i, k]) * per_span
            state.sums[i, 5 + k] = 0.0
    trace.energy[row, 0] = time
    for k in range(5):
        trace.energy[row, 1 + k] = state.ledger[k]
    trace.cursor[0] = row + 1
    trace.cursor[3] = 0


@inlined
def note_step(trace: Trace, residual: float, iterations: int, status: int) -> None:
    """Every step leaves its residual, iterations and status."""
    at = trace.cursor[2]
    trace.step[at, 0], trace.step[at, 1], trace.step[at, 2] = residual, iterations, status
    trace.cursor[2] = at + 1


@inlined
def end_step(problem: Problem, around: Surroundings, state: State, residual: float, extras: Extras | None) -> int:
    """Everything after the solve. Returns the status."""
    done = works(problem, extras)
    if not is_sane(problem, around, state, residual, done, extras):
        return REPEAT
    state.clock[0] += 1
    return OK if settle(problem, state, done, extras) else NOT_FINITE


@inlined
def close_tick(state: State, trace: Trace, dt: float, substeps: int, extras: Extras | None) -> None:
    """Write a row if one is due."""
    trace.cursor[3] += 1
    if trace.cursor[3] == trace.cursor[4]:
        span = trace.cursor[3] * substeps * dt
        write_contacts(state, trace, span, extras)
        write_row(state, trace, state.clock[0] * dt, span)
        return
    for i in range(state.sums.shape[0]):
        for k in range(5):
            state.sums[i, 5 + k] += state.sums[i, k]


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
    trace: Trace,
) -> tuple[int, int, int]:
    """Ticks `first` .. of the table, from step `begin` of the first of them on. Returns the status, and the tick and
    the step that were not completed."""
    dt = problem.number[DT]
    for row in range(first, commands.joint_angle.shape[0]):
        if begin == 0:
            if trace.cursor[1] + state.pair_code.size > trace.contact.shape[0]:
                return TABLE_FULL, row, 0
            clear_tick(state.sums, state.pair, state.pair_start)
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
                if is_as_foreseen(problem, around, state, extras):
                    break
            if status == OK:
                status = end_step(problem, around, state, residual, extras)
            if status == REPEAT:
                return REPEAT, row, k
            trace.step[trace.cursor[2], GUARD_WORK] = problem.number[GUARD]
            note_step(trace, residual, iterations, status)
            if status != OK:
                return status, row, k
        begin = 0
        close_tick(state, trace, dt, substeps, extras)
    return OK, commands.joint_angle.shape[0], 0
