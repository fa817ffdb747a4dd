"""Runs of ticks in one compiled call, and what is recorded of them."""

from __future__ import annotations

import math

from pushpoint._jit import entry_point, inlined, kernel
from pushpoint.feedback import Feedback
from pushpoint.mechanics.joint_forces import factor_joints
from pushpoint.numerics.lcp.friction import friction_bound_kernel
from pushpoint.plants import _tape
from pushpoint.plants._feedback import LOG_FULL, is_log_full, is_undecided
from pushpoint.plants._tape import ACCEPTED, NOT_CONVERGED, OK, TABLE_FULL, TOO_MANY_EVENTS
from pushpoint.plants.planar_hybrid.contacts import gather_contacts, place_links, remember_contacts
from pushpoint.plants.planar_hybrid.flow import friction_ratio, kinetic_energy, pushes_at, response, sums_at, works_at
from pushpoint.plants.planar_hybrid.integrate import flow
from pushpoint.plants.planar_hybrid.jump import BEYOND_BOUND, jump, log_event, update_touched
from pushpoint.plants.planar_hybrid.model import MOST_JUMPS, PUSH, START_ENERGY, SUMS, WORKS, Problem, State
from pushpoint.plants.planar_hybrid.observe import let_decide, show
from pushpoint.tape import Tape
from pushpoint.types import CommandTable, Repeated

FIRST_ROW = -1  # in place of a tick
CEILING = 2.0  # of mu_o* that is searched for
NOT_SOLVED = int(Repeated.NOT_SOLVED)
NO_FRICTION = 1e-9  # stands for it where directions of friction are asked for


@inlined
def load_commands(problem: Problem, commands: CommandTable, row: int) -> None:
    for i in range(1, problem.link.shape[0]):
        a = problem.link[i]
        a.reference, a.reference_rate = commands.joint_angle[row, i - 1], commands.joint_rate[row, i - 1]
        a.feed = commands.torque[row, i - 1]


@inlined
def clear_step(problem: Problem) -> None:
    """Forget what the last step needed."""
    number = problem.number[0]
    number.residual, number.shortened, number.lenient = 0.0, False, False
    number.evaluations = number.parts = number.fallbacks = number.accepted = number.stopped = 0


@inlined
def close_step(problem: Problem, state: State) -> None:
    """Move the integrals of the step into the sums and the ledger."""
    n, vector = problem.link.shape[0], state.vector
    for i in range(n):
        for k in range(SUMS):
            at = sums_at(n, i) + k
            state.sums[i, k] += vector[at]
            state.sums[i, SUMS + k] += vector[at]
            vector[at] = 0.0
    for s in range(state.pushed.shape[0]):
        for k in range(PUSH):
            at = pushes_at(n, s) + k
            state.pushed[s, k] += vector[at]
            state.pushed[s, PUSH + k] += vector[at]
            vector[at] = 0.0
    for k in range(WORKS):
        at = works_at(vector) + k
        state.ledger[1 + k] += vector[at]
        vector[at] = 0.0


@inlined
def end_tick(problem: Problem, state: State) -> None:
    """Poses, kinetic energy and contacts at the end of a tick."""
    place_links(problem, state.vector)
    update_touched(problem, state)
    gather_contacts(problem, state)
    remember_contacts(problem, state)
    ledger = state.ledger
    ledger[0] = kinetic_energy(problem.link, 0.0)
    ledger[4] = ledger[0] - ledger[START_ENERGY] - ledger[1] - ledger[2] - ledger[3]


@kernel
def friction_bound(problem: Problem) -> float:
    """mu_o* of P1's Proposition 18 for the contacts of the pose, at most CEILING; links are placed already."""
    count = problem.number[0].touching
    if count == 0:
        return CEILING
    if count > problem.testing.shape[0] - 1:
        return math.nan  # 2^count minors are too many to compute
    factor_joints(problem.link)
    for k in range(count):
        c = problem.contact[k]
        c.friction = max(c.friction, NO_FRICTION)
        response(problem, problem.matrix, k, 1.0, 0.0)
        response(problem, problem.friction_part, k, 0.0, -friction_ratio(problem, c) / c.friction)
    return friction_bound_kernel(problem.matrix, problem.friction_part, count, CEILING, problem.testing)


@kernel
def report_beyond(problem: Problem, tape: Tape, time: float) -> None:
    """Friction above mu_o* during the last tick is an event."""
    if problem.number[0].unsure > 0 and log_event(tape, time, BEYOND_BOUND, int(problem.contact[0].link), -1):
        tape.event[tape.cursor[0].event - 1, 5] = friction_bound(problem)
    problem.number[0].unsure = 0


@inlined
def write_row(problem: Problem, state: State, tape: Tape, time: float, span: float) -> None:
    """Record the state, and contacts and means over the `span` [s] since the last row."""
    row, slots = tape.cursor[0].row, problem.number[0].slots
    for i in range(problem.link.shape[0]):
        tape.link[row, i, 6] = tape.link[row, i, 7] = 0.0
        for s in range(slots * i, slots * (i + 1)):
            write_contact(state, tape, i, s, span)
        for k in range(SUMS):
            tape.link[row, i, 8 + k] = state.sums[i, SUMS + k] / span
            state.sums[i, SUMS + k] = 0.0
    write_pose(problem, state, tape, time)


@kernel
def write_pose(problem: Problem, state: State, tape: Tape, time: float) -> None:
    """What of a row holds at its instant; then it is complete."""
    row, out = tape.cursor[0].row, tape.link
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        out[row, i, 0], out[row, i, 1], out[row, i, 2] = a.x, a.y, state.vector[i]
        out[row, i, 3], out[row, i, 4], out[row, i, 5] = a.vx, a.vy, a.w
    tape.extra[row, 0] = friction_bound(problem)
    tape.extra[row, 1] = problem.number[0].touching
    _tape.end_row(tape, state.ledger, time)


@inlined
def write_contact(state: State, tape: Tape, i: int, s: int, span: float) -> None:
    """A line of the contact table, with the columns Layout.contact, if slot s of link i pushed since the last row."""
    fx, fy, t = state.pushed[s, PUSH], state.pushed[s, PUSH + 1], state.touch[s]
    if fx == 0.0 and fy == 0.0:
        return
    state.pushed[s, PUSH] = state.pushed[s, PUSH + 1] = 0.0
    out, row = tape.contact, tape.cursor[0].row
    tape.link[row, i, 6] += fx / span
    tape.link[row, i, 7] += fy / span
    at = _tape.begin_contact(tape, i, t.obstacle, t.place)
    out[at, 4], out[at, 5], out[at, 6], out[at, 7] = t.point_x, t.point_y, t.normal_x, t.normal_y
    out[at, 8], out[at, 9] = fx / span, fy / span
    _tape.end_contact(tape, t.slip, t.impact)
    t.impact = 0.0


@inlined
def report_step(problem: Problem, tape: Tape, status: int) -> None:
    """What the recording says about the step."""
    number = problem.number[0]
    accepted = status == OK and number.accepted > 0
    _tape.note_step(tape, number.residual, number.evaluations, ACCEPTED if accepted else status)
    parts, reasons = (max(2, number.parts), NOT_SOLVED) if number.shortened else (0, 0)
    _tape.note_repeats(tape, parts, reasons, number.fallbacks, 0.0)


@entry_point
def run_ticks(
    problem: Problem, state: State, commands: CommandTable, first: int, substeps: int, tape: Tape, feedback: Feedback
) -> tuple[int, int]:
    """Ticks `first` .. of the table. Returns the status and the number of the tick that was not completed.

    With FIRST_ROW it writes the first row of the tape instead, where no time has passed that means could be taken
    over: one entry point compiles faster than two.
    """
    number, dt = problem.number[0], problem.number[0].dt
    if first == FIRST_ROW:
        place_links(problem, state.vector)
        gather_contacts(problem, state)
        write_pose(problem, state, tape, state.clock[0] * dt)
        return OK, first
    for row in range(first, commands.joint_angle.shape[0]):
        events = tape.cursor[0].event + MOST_JUMPS * (substeps + 1)
        if not _tape.has_room(tape, state.pushed.shape[0]) or events > tape.event.shape[0]:
            return TABLE_FULL, row
        if is_undecided(feedback, row):
            if is_log_full(feedback):
                return LOG_FULL, row
            let_decide(problem, state, commands, row, feedback)
        load_commands(problem, commands, row)
        _tape.clear_sums(state.sums, SUMS)
        _tape.clear_sums(state.pushed, PUSH)
        for k in range(substeps):
            clear_step(problem)
            status, before = OK, tape.cursor[0].event
            if state.clock[0] == 0:
                status = jump(problem, state, tape, 0.0)  # what overlaps at the start is in contact
            if status == OK:
                status = flow(problem, state, tape, state.clock[0] * dt, k * dt)
            if status == OK and tape.cursor[0].event - before > MOST_JUMPS:
                status = TOO_MANY_EVENTS
                if number.accept:  # the step came to its end all the same
                    status, number.accepted = OK, 1
            close_step(problem, state)
            report_step(problem, tape, status)
            if status != OK:
                number.unsure += status == NOT_CONVERGED
                report_beyond(problem, tape, state.clock[0] * dt)
                return status, row
            state.clock[0] += 1
        end_tick(problem, state)
        report_beyond(problem, tape, state.clock[0] * dt)
        if _tape.is_row_due(tape):
            write_row(problem, state, tape, state.clock[0] * dt, tape.cursor[0].ticks_per_row * substeps * dt)
    show(problem, state, dt, feedback)
    return OK, commands.joint_angle.shape[0]
