"""Kernels that all compiled plants share: what a tick leaves on the tape.

begin a tick    has_room, clear_sums
each step       note_step, note_repeats
end of a tick   carry_sums, is_row_due; if it is: begin_contact .. end_contact, write_means, end_row
"""

from __future__ import annotations

from pushpoint._jit import fused, kernel
from pushpoint.tape import LEDGER, STEP_COLUMNS, Tape
from pushpoint.types import FloatArray, Status

OK, NOT_CONVERGED, NOT_FINITE = int(Status.OK), int(Status.NOT_CONVERGED), int(Status.NOT_FINITE)
TOO_MANY_CONTACTS, TOO_MANY_EVENTS = int(Status.TOO_MANY_CONTACTS), int(Status.TOO_MANY_EVENTS)
ACCEPTED = int(Status.ACCEPTED)
TABLE_FULL = -1  # in place of a status: the tables of the tape must grow before the run can go on
PARTS, REASONS, FALLBACKS, GUARD_WORK = (
    STEP_COLUMNS.index(name) for name in ("parts", "reasons", "fallbacks", "guard_work")
)
WORKS = len(LEDGER)


@fused
def has_room(tape: Tape, contacts: int) -> bool:
    """Whether so many more contacts fit."""
    return bool(tape.cursor[0].contact + contacts <= tape.contact.shape[0])


@fused
def clear_sums(sums: FloatArray, width: int) -> None:
    """Forget the impulses of the last tick: the first `width` columns; as many behind them are those since the row."""
    for i in range(sums.shape[0]):
        for k in range(width):
            sums[i, k] = 0.0


@fused
def carry_sums(sums: FloatArray, width: int) -> None:
    """Add the impulses of the tick to those since the last row."""
    for i in range(sums.shape[0]):
        for k in range(width):
            sums[i, width + k] += sums[i, k]


@fused
def note_step(tape: Tape, residual: float, iterations: int, status: int) -> None:
    """Every step leaves its residual, iterations and status."""
    cursor = tape.cursor[0]
    at = cursor.step
    tape.step[at, 0], tape.step[at, 1], tape.step[at, 2] = residual, iterations, status
    cursor.step = at + 1


@kernel
def note_repeats(tape: Tape, parts: int, reasons: int, fallbacks: int, guard: float) -> None:
    """What the last step needed besides."""
    at = tape.cursor[0].step - 1
    tape.step[at, PARTS], tape.step[at, REASONS] = parts, reasons
    tape.step[at, FALLBACKS], tape.step[at, GUARD_WORK] = fallbacks, guard


@fused
def is_row_due(tape: Tape) -> bool:
    """Count a tick; whether it ends a row, after which counting begins anew."""
    cursor = tape.cursor[0]
    cursor.ticks = (cursor.ticks + 1) % cursor.ticks_per_row
    return bool(cursor.ticks == 0)


@fused
def begin_contact(tape: Tape, link: float, obstacle: float, place: float) -> int:
    """A new line of the contact table, for the row that is being written; returns its number."""
    at, out = tape.cursor[0].contact, tape.contact
    out[at, 0], out[at, 1], out[at, 2], out[at, 3] = tape.cursor[0].row, link, obstacle, place
    return int(at)


@fused
def end_contact(tape: Tape, slip: float, impact: float) -> None:
    """The line is complete."""
    at, last = tape.cursor[0].contact, tape.contact.shape[1] - 1
    tape.contact[at, last - 1], tape.contact[at, last] = slip, impact
    tape.cursor[0].contact = at + 1


@fused
def write_means(tape: Tape, sums: FloatArray, width: int, span: float) -> None:
    """Means over the `span` [s] since the last row, the last `width` columns of bodies; the sums begin anew."""
    row, first, per_span = tape.cursor[0].row, tape.link.shape[2] - width, 1.0 / span
    for i in range(sums.shape[0]):
        for k in range(width):
            tape.link[row, i, first + k] = sums[i, width + k] * per_span
            sums[i, width + k] = 0.0


@fused
def end_row(tape: Tape, ledger: FloatArray, time: float) -> None:
    """Time and energies; then the row is complete."""
    cursor = tape.cursor[0]
    row = cursor.row
    tape.energy[row, 0] = time
    for k in range(WORKS):
        tape.energy[row, 1 + k] = ledger[k]
    cursor.row = row + 1
