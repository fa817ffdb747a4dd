"""What a tick leaves: sums of its impulses and, where one is due, a row of the tape."""

from __future__ import annotations

from pushpoint._jit import fused, kernel
from pushpoint.plants._tape import (
    begin_contact,
    carry_sums,
    clear_sums,
    end_contact,
    end_row,
    has_room,
    is_row_due,
    write_means,
)
from pushpoint.plants.planar_stepping.extended import Contacts
from pushpoint.plants.planar_stepping.model import OBSTACLE, State
from pushpoint.tape import Tape
from pushpoint.types import FloatArray

SUMS = 5  # impulses of the tick on a body: of contacts and ground in x and y, of the motor towards the tail


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
def write_contacts(state: State, tape: Tape, span: float, contacts: Contacts | None) -> None:
    """Pairs that pushed since the last row, with their mean force."""
    out = tape.contact
    for i in range(state.sums.shape[0]):
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            pair = state.pair[p]
            fx, fy = pair.record_x, pair.record_y
            if fx == 0.0 and fy == 0.0:
                continue
            obstacle = float(state.pair_code[p])
            if contacts is not None:
                obstacle = obstacle_of(contacts.feature, state.pair_code[p])
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
def end_tick(state: State, tape: Tape, dt: float, substeps: int, contacts: Contacts | None) -> None:
    """Write a row if one is due."""
    carry_sums(state.sums, SUMS)
    if is_row_due(tape):
        span = tape.cursor[0].ticks_per_row * substeps * dt
        write_contacts(state, tape, span, contacts)
        write_row(state, tape, state.clock[0] * dt, span)
