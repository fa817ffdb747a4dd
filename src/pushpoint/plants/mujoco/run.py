"""Ticks of the MuJoCo plant, and what is recorded of them, in the plane and in space."""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.plants.mujoco.encoding import Encoding, State, without_log
from pushpoint.tape import LEDGER, Tape, grown
from pushpoint.types import CommandTable, Status

CONTACT_ROOM = 4096  # rows by which the contact table grows at least
SMOOTH = 0.0  # impulse of impacts: soft contacts have none


def run_ticks(model: Encoding, state: State, table: CommandTable, substeps: int, tape: Tape) -> tuple[Tape, Status]:
    """All ticks of the table, until one fails."""
    for row in zip(*table, strict=True):
        with without_log():
            status = tick(model, state, CommandTable(*row), substeps, tape)
        if status != Status.OK:
            return tape, status
        tape.cursor[0].ticks += 1
        if tape.cursor[0].ticks == tape.cursor[0].ticks_per_row:
            tape = with_room(tape, len(state.pairs))
            write_row(model, state, tape, float(tape.cursor[0].ticks * substeps * model.dt))
    return tape, Status.OK


def tick(model: Encoding, state: State, command: CommandTable, substeps: int, tape: Tape) -> Status:
    """One control tick of `substeps` steps."""
    forget_tick(state)
    for k in range(substeps):
        state.data.ctrl[:] = model.controls(command, (k + 1) * model.dt)
        model.step(state)
        state.steps += 1
        status, at = status_of(state.data), tape.cursor[0].step
        tape.step[at, :3] = model.residual(state.data), state.data.solver_niter[0], status
        tape.cursor[0].step = at + 1
        if status != Status.OK:
            return status
    half = state.sums.shape[1] // 2
    state.sums[:, half:] += state.sums[:, :half]
    for pair in state.pairs.values():
        pair.since_row += pair.tick
    return Status.OK


def forget_tick(state: State) -> None:
    state.sums[:, : state.sums.shape[1] // 2] = 0.0
    for pair in state.pairs.values():
        pair.tick[:] = 0.0
    state.pairs = {key: pair for key, pair in state.pairs.items() if np.any(pair.since_row)}


def status_of(data: Any) -> Status:
    """From MuJoCo's warnings: 1 and 2 no memory for contacts, 3 to 6 a number that is not finite or huge."""
    warnings = data.warning.number
    if not warnings.any():
        return Status.OK
    if warnings[3:].any():
        return Status.NOT_FINITE
    return Status.TOO_MANY_CONTACTS if warnings[1:3].any() else Status.OK


def with_room(tape: Tape, contacts: int) -> Tape:
    if tape.cursor[0].contact + contacts <= len(tape.contact):
        return tape
    return grown(tape, max(len(tape.contact), contacts, CONTACT_ROOM))


def write_row(model: Encoding, state: State, tape: Tape, span: float) -> None:
    """Record the state and the means over the `span` [s] since the last row."""
    row, half = tape.cursor[0].row, state.sums.shape[1] // 2
    write_state(model, state, tape, row)
    tape.link[row, :, state.link.shape[1] :] = state.sums[:, half:] / span
    state.sums[:, half:] = 0.0
    for (i, obstacle, *_), pair in sorted(state.pairs.items()):
        if np.any(pair.since_row):
            where = pair.place, *pair.point, *pair.normal
            line = row, i, obstacle, *where, *(pair.since_row / span), pair.slip, SMOOTH
            tape.contact[tape.cursor[0].contact] = line
            tape.cursor[0].contact += 1
        pair.since_row[:] = 0.0
    tape.cursor[0].row = row + 1
    tape.cursor[0].ticks = 0


def write_state(model: Encoding, state: State, tape: Tape, row: int) -> None:
    """What of a row is known at its instant."""
    tape.link[row, :, : state.link.shape[1]] = state.link
    tape.energy[row] = state.steps * model.dt, *state.ledger[: len(LEDGER)]
    tape.extra[row] = state.ledger[len(LEDGER) :][: tape.extra.shape[1]]
