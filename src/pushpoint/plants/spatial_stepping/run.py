"""Runs of steps in one compiled call: ticks, and what is recorded of them."""

from __future__ import annotations

import math

from pushpoint._jit import entry_point, fused, inlined, kernel
from pushpoint.feedback import Feedback
from pushpoint.geometry.solids import Solids
from pushpoint.mechanics.spatial_chain import move_links, place_links
from pushpoint.numerics.records import Records
from pushpoint.plants import _tape
from pushpoint.plants._feedback import LOG_FULL, is_log_full, is_undecided
from pushpoint.plants._tape import ACCEPTED, OK, TABLE_FULL, TOO_MANY_CONTACTS
from pushpoint.plants.spatial_stepping.contacts import GROUND
from pushpoint.plants.spatial_stepping.joints import drive_joints
from pushpoint.plants.spatial_stepping.laws import impulse_of, velocity_at
from pushpoint.plants.spatial_stepping.model import MIDDLE, Problem, Rows, State
from pushpoint.plants.spatial_stepping.newton import FULL_STEPS, newton
from pushpoint.plants.spatial_stepping.observe import let_decide, show
from pushpoint.plants.spatial_stepping.sanity import (
    EASY,
    NOT_SOLVED,
    energy_made,
    reasons_to_repeat,
    status_of_unsolved,
)
from pushpoint.plants.spatial_stepping.step import begin_step, end_step, load_joints_of, load_root
from pushpoint.tape import Tape
from pushpoint.types import CommandTable, FloatArray, Repeated

IMPACT = 10.0 * 9.81  # [m/s2]: a contact that is stopped harder than this is an impact
FINEST = 6  # halvings of a step at most
PARTS = 1 << FINEST
SOFTER, SOFTEST = 0.1, 2  # where a part cannot be solved at its finest, contacts are made softer, at most twice
ENOUGH, LOOSE = 10.0, int(Repeated.LOOSE)  # times the tolerance: residual of steps that no part solves; counted
FEW, MANY = 150, 1_000_000  # iterations before a step is made in shorter parts, and at its finest
GRAVITY_WORK = 5  # in the ledger, behind tape.LEDGER
SUMS = 8  # of the tick; as many again since the last row


@kernel
def clear_tick(state: State) -> None:
    """Forget the impulses of the last tick."""
    _tape.clear_sums(state.sums, SUMS)
    for p in range(state.clock[2]):
        pair = state.pair[p]
        pair.tick_x = pair.tick_y = pair.tick_z = 0.0


@kernel
def pair_of(state: State, link: float, obstacle: float, which: float) -> int:
    """The pair's row, a new one if need be; -1 if there is no room."""
    free = -1
    for p in range(state.clock[2]):
        pair = state.pair[p]
        if pair.link == link and pair.obstacle == obstacle and pair.which == which:
            return p
        if pair.link < 0.0:
            free = p
    if free < 0:
        if state.clock[2] == state.pair.shape[0]:
            return -1
        free = state.clock[2]
        state.clock[2] += 1
    pair = state.pair[free]
    pair.link, pair.obstacle, pair.which = link, obstacle, which
    pair.tick_x = pair.tick_y = pair.tick_z = pair.record_x = pair.record_y = pair.record_z = pair.impact = 0.0
    return free


@kernel
def note_pair(problem: Problem, state: State, c: Records) -> bool:
    """Add the impulse of a contact with an obstacle, the terrain or a link to its pair; False if there is no room."""
    p = pair_of(state, c.link, c.obstacle, c.which)
    if p < 0:
        return False
    pair, root = state.pair[p], problem.root[MIDDLE]
    f1, f2, f3 = impulse_of(c)
    pair.tick_x, pair.tick_y, pair.tick_z = pair.tick_x + f1, pair.tick_y + f2, pair.tick_z + f3
    pair.place, pair.slip = c.place, c.slips if max(c.mu_t, c.mu_s) > 0.0 else 0.0
    pair.point_x, pair.point_y, pair.point_z = root.x + c.r1, root.y + c.r2, root.z + c.r3
    pair.normal_x, pair.normal_y, pair.normal_z = c.n1, c.n2, c.n3
    if c.start_n + c.approach < -IMPACT * problem.number[0].dt:  # it arrived faster than it may
        pair.impact += c.pn
    return True


@kernel
def add_impulses(problem: Problem, state: State) -> bool:
    """Sum up the impulses of the step. Returns False if there is no room for all pairs."""
    fits = True
    for k in range(problem.number[0].contacts):
        c = problem.contact[k]
        if c.pn <= 0.0:
            continue
        add_impulse(state.sums[int(c.link)], 3 if c.obstacle == GROUND else 0, *impulse_of(c))
        if c.other >= 0.0:
            add_impulse(state.sums[int(c.other)], 0, -c.pn * c.n1, -c.pn * c.n2, -c.pn * c.n3)
        if (c.other >= 0.0 or c.code >= 0.0) and not note_pair(problem, state, c):
            fits = False
    add_torques(problem.joint, state.sums)
    return fits


@fused
def add_impulse(sums: FloatArray, at: int, f1: float, f2: float, f3: float) -> None:
    sums[at] += f1
    sums[at + 1] += f2
    sums[at + 2] += f3


@kernel
def add_torques(joint: Records, sums: FloatArray) -> None:
    """Impulses of the servos, kept with the link on the head's side of the joint, from the tail's axis on."""
    for k in range(joint.shape[0]):
        a = joint[k]
        sums[int(a.joint) + 1, 6 + int(a.place)] += a.torque


@kernel
def close_sums(state: State) -> None:
    """The impulses of the tick are added to those of the row."""
    _tape.carry_sums(state.sums, SUMS)
    for p in range(state.clock[2]):
        pair = state.pair[p]
        pair.record_x += pair.tick_x
        pair.record_y += pair.tick_y
        pair.record_z += pair.tick_z


@kernel
def write_contacts(state: State, tape: Tape, span: float) -> None:
    """Pairs that pushed since the last row, with their mean force. Others are freed."""
    out = tape.contact
    for p in range(state.clock[2]):
        pair = state.pair[p]
        f1, f2, f3 = pair.record_x, pair.record_y, pair.record_z
        if pair.link < 0.0:
            continue
        if f1 == 0.0 and f2 == 0.0 and f3 == 0.0:
            pair.link = -1.0
            continue
        at = _tape.begin_contact(tape, pair.link, pair.obstacle, pair.place)
        out[at, 4], out[at, 5], out[at, 6] = pair.point_x, pair.point_y, pair.point_z
        out[at, 7], out[at, 8], out[at, 9] = pair.normal_x, pair.normal_y, pair.normal_z
        out[at, 10], out[at, 11], out[at, 12] = f1 / span, f2 / span, f3 / span
        _tape.end_contact(tape, pair.slip, pair.impact)
        pair.record_x = pair.record_y = pair.record_z = pair.impact = 0.0


@fused
def set_quaternion(body: Records, a: Records) -> None:
    """Of a link from its axes, by the largest of the four parts; the sign goes on from the last."""
    tape = a.x1 + a.y2 + a.z3
    w, x, y, z = 1.0 + tape, a.y3 - a.z2, a.z1 - a.x3, a.x2 - a.y1
    if not tape > max(a.x1, a.y2, a.z3):
        if a.x1 >= a.y2 and a.x1 >= a.z3:
            w, x, y, z = a.y3 - a.z2, 1.0 + a.x1 - a.y2 - a.z3, a.y1 + a.x2, a.z1 + a.x3
        elif a.y2 >= a.z3:
            w, x, y, z = a.z1 - a.x3, a.y1 + a.x2, 1.0 + a.y2 - a.x1 - a.z3, a.z2 + a.y3
        else:
            w, x, y, z = a.x2 - a.y1, a.z1 + a.x3, a.z2 + a.y3, 1.0 + a.z3 - a.x1 - a.y2
    norm = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    if w * body.qw + x * body.qx + y * body.qy + z * body.qz < 0.0:
        norm = -norm
    body.qw, body.qx, body.qy, body.qz = norm * w, norm * x, norm * y, norm * z


@kernel
def show_bodies(problem: Problem, state: State) -> None:
    """Poses and velocities of all links from those of the root and the joints, at the end of a step."""
    root = int(problem.tree[0, 0])
    a, b = problem.link[root], state.body[root]
    for k in range(problem.joint.shape[0]):
        problem.joint[k].middle = problem.joint[k].angle
    load_root(a, b, b)
    place_links(problem.link, problem.joint, problem.tree)
    move_links(problem.link, problem.joint, problem.tree)
    x, y, z = b.x, b.y, b.z
    for i in range(problem.link.shape[0]):
        if i == root:
            continue
        a, b = problem.link[i], state.body[i]
        b.x, b.y, b.z = x + a.c1, y + a.c2, z + a.c3
        set_quaternion(b, a)
        b.wx, b.wy, b.wz = a.w1, a.w2, a.w3
        b.vx, b.vy, b.vz = velocity_at(a, a.c1, a.c2, a.c3)


@kernel
def write_row(state: State, tape: Tape, dt: float, substeps: int) -> None:
    """Record the state, and contacts and means since the last row."""
    row, span = tape.cursor[0].row, tape.cursor[0].ticks_per_row * substeps * dt
    write_contacts(state, tape, span)
    for i in range(state.sums.shape[0]):
        b, out = state.body[i], tape.link[row, i]
        out[0], out[1], out[2] = b.x, b.y, b.z
        out[3], out[4], out[5], out[6] = b.qw, b.qx, b.qy, b.qz
        out[7], out[8], out[9], out[10], out[11], out[12] = b.vx, b.vy, b.vz, b.wx, b.wy, b.wz
    tape.extra[row, 0] = state.ledger[GRAVITY_WORK]
    _tape.write_means(tape, state.sums, SUMS, span)
    _tape.end_row(tape, state.ledger, state.clock[0] * dt)


@inlined
def try_part(
    problem: Problem, solids: Solids | None, room: Rows, state: State, finest: bool, left: float
) -> tuple[int, int, float, int]:
    """Solve a part of a step whose joints are driven already. Returns its status, what is wrong with it (see sanity),
    its residual, relative to the whole step, and the number of iterations.

    At its finest, a part is refused for its residual alone, and that may be all that is `left` of what the whole step
    may end at."""
    status = begin_step(problem, state, solids)
    if status != OK:
        return status, NOT_SOLVED, math.inf, 0
    share = problem.number[0].dt / problem.number[0].nominal
    residual, iterations = newton(problem, room, MANY if finest else FEW, state.ledger[0])
    wrong = reasons_to_repeat(problem, state, solids, residual)
    if finest and wrong & NOT_SOLVED:
        status = status_of_unsolved(problem, state.ledger, residual, share * residual <= left)
    return status, wrong, share * residual, iterations


@inlined
def one_step(
    problem: Problem, solids: Solids | None, room: Rows, state: State, commands: CommandTable, row: int, k: int,
    tape: Tape,
) -> int:  # fmt: skip
    """Step k of a tick, made in parts where it would not be a sane one. Returns the status."""
    number, done, level, parts, reasons = problem.number[0], 0, 0, 0, 0
    nominal, hardness, total, iterations, fallbacks, verdict, softer = number.nominal, number.hardness, 0.0, 0, 0, OK, 0
    while done < PARTS:
        size = PARTS >> level
        number.dt = nominal * size / PARTS
        drive_joints(problem.joint, commands, row, (k + (done + size) / PARTS) * nominal, number.dt)
        left = ENOUGH * number.tolerance - total
        status, wrong, residual, sweeps = try_part(problem, solids, room, state, level == FINEST, left)
        iterations += sweeps
        fallbacks += sweeps > FULL_STEPS
        reasons |= wrong
        if wrong != 0 and level < FINEST:
            load_joints_of(problem, state)
            level += 1
            continue
        if status != OK and softer < SOFTEST:
            load_joints_of(problem, state)
            softer += 1
            number.hardness *= SOFTER
            continue
        total += residual
        if status != OK:
            verdict = status
        if verdict not in (OK, ACCEPTED):
            load_joints_of(problem, state)
            break
        end_step(problem, state)
        if not add_impulses(problem, state):
            verdict = TOO_MANY_CONTACTS
            break
        done += size
        parts += 1
        if softer > 0:
            number.hardness, softer, fallbacks = hardness, 0, fallbacks + 1
        if level > 0 and done % (2 * size) == 0 and energy_made(number, number.energy, 0.0) <= EASY:
            level -= 1
    number.dt, number.hardness = nominal, hardness
    state.clock[0] += 1
    if total > number.tolerance and verdict == OK:
        reasons |= LOOSE
    _tape.note_step(tape, total, iterations, verdict)
    if iterations > FULL_STEPS or reasons != 0:
        _tape.note_repeats(tape, parts if reasons != 0 else 0, reasons, fallbacks, 0.0)
    return OK if verdict == ACCEPTED else verdict


@entry_point
def run_ticks(
    problem: Problem,
    solids: Solids | None,
    room: Rows,
    state: State,
    commands: CommandTable,
    first: int,
    substeps: int,
    tape: Tape,
    feedback: Feedback,
) -> tuple[int, int]:
    """Ticks `first` .. of the table. Returns the status and the number of the tick that was not completed."""
    load_joints_of(problem, state)
    for row in range(first, commands.joint_angle.shape[0]):
        if not _tape.has_room(tape, state.pair.shape[0]):
            return TABLE_FULL, row
        if is_undecided(feedback, row):
            if is_log_full(feedback):
                return LOG_FULL, row
            show_bodies(problem, state)
            let_decide(state, problem.joint, commands, row, feedback)
        clear_tick(state)
        for k in range(substeps):
            status = one_step(problem, solids, room, state, commands, row, k, tape)
            if status != OK:
                show_bodies(problem, state)
                return status, row
        close_sums(state)
        if _tape.is_row_due(tape):
            show_bodies(problem, state)
            write_row(state, tape, problem.number[0].nominal, substeps)
    show_bodies(problem, state)
    show(state, problem.joint, problem.number[0].nominal, feedback)
    return OK, commands.joint_angle.shape[0]
