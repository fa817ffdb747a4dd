"""Runs of steps in one compiled call: ticks, and what is recorded of them."""

from __future__ import annotations

from pushpoint._jit import kernel
from pushpoint.plants.planar_stepping.model import Params, Scratch, State
from pushpoint.plants.planar_stepping.step import OK, drive_joints, step
from pushpoint.types import CommandTable, Trace

TABLE_FULL = -1  # the contact table of the trace must grow before the run can go on


@kernel
def tick(
    params: Params, state: State, scratch: Scratch, commands: CommandTable, row: int, substeps: int, trace: Trace
) -> int:
    """One control tick. Returns the status of the first step that failed, or OK."""
    for i in range(params.mass.size):
        for k in range(5):
            state.tick[i, k] = 0.0
    for p in range(state.pair_start[params.mass.size]):
        state.pair[p, 4] = state.pair[p, 5] = 0.0
    for k in range(substeps):
        drive_joints(params, state, scratch, commands, row, (k + 1) * params.dt)
        status, residual, iterations = step(params, state, scratch)
        at = trace.cursor[2]
        trace.step_residual[at] = residual
        trace.step_iterations[at] = iterations
        trace.step_status[at] = status
        trace.cursor[2] = at + 1
        if status != OK:
            return status
    return OK


@kernel
def gather(params: Params, state: State) -> None:
    """Add the tick's impulses to those since the last recorded row."""
    for i in range(params.mass.size):
        for k in range(5):
            state.record[i, k] += state.tick[i, k]
    for p in range(state.pair_start[params.mass.size]):
        for k in range(2):
            state.pair[p, 6 + k] += state.pair[p, 4 + k]


@kernel
def write_contacts(params: Params, state: State, trace: Trace, row: int, span: float) -> None:
    """Pairs that pushed since the last row, with their mean force."""
    at = trace.cursor[1]
    for i in range(params.mass.size):
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            pair = state.pair[p]
            if pair[6] == 0.0 and pair[7] == 0.0:
                continue
            disc = params.disc[state.pair_disc[p]]
            out = trace.contact[at]
            trace.contact_index[at, 0], trace.contact_index[at, 1] = row, i
            trace.contact_index[at, 2] = state.pair_disc[p]
            out[0] = pair[1]
            out[1], out[2] = disc[0] + disc[2] * pair[2], disc[1] + disc[2] * pair[3]
            out[3], out[4] = pair[2], pair[3]
            out[5], out[6] = pair[6] / span, pair[7] / span
            pair[6] = pair[7] = 0.0
            at += 1
    trace.cursor[1] = at


@kernel
def write_row(params: Params, state: State, trace: Trace, span: float) -> None:
    """Record the state and the means over the `span` [s] since the last row."""
    row = trace.cursor[0]
    trace.time[row] = state.clock[0] * params.dt
    for i in range(params.mass.size):
        for k in range(6):
            trace.link[row, i, k] = state.link[i, k]
        for k in range(2):
            trace.contact_force[row, i, k] = state.record[i, k] / span
            trace.ground_force[row, i, k] = state.record[i, 2 + k] / span
        if i > 0:
            trace.joint_torque[row, i - 1] = state.record[i, 4] / span
        for k in range(5):
            state.record[i, k] = 0.0
    for k in range(5):
        trace.energy[row, k] = state.ledger[k]
    write_contacts(params, state, trace, row, span)
    trace.cursor[0] = row + 1
    trace.cursor[3] = 0


@kernel
def run_ticks(
    params: Params, state: State, scratch: Scratch, commands: CommandTable, first: int, substeps: int, trace: Trace
) -> tuple[int, int]:
    """Ticks `first` .. of the table. Returns the status and the number of the tick that was not completed."""
    for row in range(first, commands.joint_angle.shape[0]):
        if trace.cursor[1] + state.pair_disc.size > trace.contact.shape[0]:
            return TABLE_FULL, row
        status = tick(params, state, scratch, commands, row, substeps, trace)
        gather(params, state)
        trace.cursor[3] += 1
        if status != OK:
            return status, row
        if trace.cursor[3] == trace.cursor[4]:
            write_row(params, state, trace, trace.cursor[3] * substeps * params.dt)
    return OK, commands.joint_angle.shape[0]
