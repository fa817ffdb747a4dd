"""Jump sets and jump map, P1 (61)-(66): impacts, detachments and changes of side."""

from __future__ import annotations

from pushpoint._jit import inlined, kernel
from pushpoint.mechanics.joint_forces import accelerate_all, factor_joints
from pushpoint.numerics.records import Records
from pushpoint.plants._tape import NOT_CONVERGED, OK, TOO_MANY_EVENTS
from pushpoint.plants.planar_hybrid import contacts, flow
from pushpoint.plants.planar_hybrid.contacts import DETACHED, NOTHING
from pushpoint.plants.planar_hybrid.flow import FADING
from pushpoint.plants.planar_hybrid.model import MOST_JUMPS, Problem, State
from pushpoint.tape import Tape

# What a jump is; BEYOND_BOUND: friction above mu_o*, no jump; STOP: a link that leaves has stopped, which is no event.
NONE, IMPACT, DETACHMENT, SIDE, BEYOND_BOUND, STOP = 0, 1, 2, 3, 4, 5
ROUNDS = 4  # jumps that may follow on each other at one instant


@kernel
def due(problem: Problem, state: State, i: int) -> tuple[int, int, int]:
    """Which jump link i is due for at its pose, with which obstacle, in which slot.

    P1 (61) with alpha_i = 0 for an impact, whatever the normal velocity: the complementarity conditions keep a link
    that leaves free. (62) with a hysteresis. While obstacles overlap the link, its side may change: at the centre the
    nearest obstacle counts, as in (32), where two are about as near the one touched; at the true point a link touches
    several.
    """
    if problem.number[0].centre:
        return due_at_centre(problem, state, i)
    slots = problem.number[0].slots
    for s in range(slots * i, slots * (i + 1)):
        obstacle = int(state.touch[s].obstacle)
        if state.alpha[s] != 0 and contacts.gap_to(problem, i, obstacle) > DETACHED:
            return DETACHMENT, obstacle, s
        if has_stopped(problem, state, s):
            return STOP, obstacle, s
    obstacle, gap = contacts.nearest(problem, state, i, True)
    slot = contacts.slot_of(problem, state, i, NOTHING)
    return (IMPACT if gap <= 0.0 and slot >= 0 else NONE), obstacle, slot


@inlined
def due_at_centre(problem: Problem, state: State, i: int) -> tuple[int, int, int]:
    obstacle, gap = contacts.nearest(problem, state, i, False)
    if state.alpha[i] == 0:
        return (IMPACT if gap <= 0.0 else NONE), obstacle, i
    if gap > DETACHED:
        return DETACHMENT, int(state.touch[i].obstacle), i
    touched = int(state.touch[i].obstacle)
    if gap > contacts.gap_to(problem, i, touched) - DETACHED:
        obstacle = touched
    if contacts.side_of(problem, i, obstacle) != state.alpha[i]:
        return SIDE, obstacle, i
    return (STOP if has_stopped(problem, state, i) else NONE), obstacle, i


@inlined
def has_stopped(problem: Problem, state: State, s: int) -> bool:
    """Whether the link that leaves the obstacle in slot s does so no longer."""
    return state.leaving[s] != 0 and contacts.normal_speed(problem, state, s) < 0.0


@kernel
def any_due(problem: Problem, state: State) -> bool:
    """Whether the state is in the jump set, P1 (64); links are placed already."""
    for i in range(problem.link.shape[0]):
        kind, _, _ = due(problem, state, i)
        if kind != NONE:
            return True
    return False


@inlined
def update_touched(problem: Problem, state: State) -> None:
    """At the centre another obstacle on the same side of a link takes over without a jump: the constraint is the same.

    Once in a tick is enough, as only its friction and its name depend on it; links are placed already.
    """
    if not problem.number[0].centre:
        return
    for i in range(problem.link.shape[0]):
        if state.alpha[i] != 0:
            kind, obstacle, _ = due(problem, state, i)
            if kind == NONE:
                state.touch[i].obstacle = obstacle


@kernel
def jump(problem: Problem, state: State, tape: Tape, time: float) -> int:
    """Let the state jump until it is out of the jump set. OK, NOT_CONVERGED or TOO_MANY_EVENTS."""
    for _ in range(ROUNDS):
        contacts.place_links(problem, state.vector)
        jumped, hit = False, False
        i = 0
        while i < problem.link.shape[0]:  # a link may be due with several obstacles: all are hit at once
            kind, obstacle, s = due(problem, state, i)
            if kind == NONE:
                i += 1
                continue
            jumped = True
            state.leaving[s] = 0
            if kind == STOP:
                problem.number[0].stopped += 1
                continue
            hit = hit or kind != DETACHMENT
            state.alpha[s] = 0 if kind == DETACHMENT else contacts.side_of(problem, i, obstacle)
            state.pushing[s] = 0 if kind == DETACHMENT else 1
            state.touch[s].obstacle = obstacle
            if not log_event(tape, time, kind, i, obstacle):
                return TOO_MANY_EVENTS
        if hit and collide(problem, state, tape) != OK:
            return NOT_CONVERGED
        if problem.number[0].stopped > MOST_JUMPS:
            return TOO_MANY_EVENTS
        if not jumped:
            return OK
    return OK


@kernel
def log_event(tape: Tape, time: float, kind: int, link: int, obstacle: int) -> bool:
    """Put a jump into the tape; False if there is no room."""
    at = tape.cursor[0].event
    if at == tape.event.shape[0]:
        return False
    row = tape.event[at]
    row[0], row[1], row[2], row[3], row[4], row[5] = time, kind, link, obstacle, 0.0, 0.0
    tape.cursor[0].event = at + 1
    return True


@inlined
def collide(problem: Problem, state: State, tape: Tape) -> int:
    """One inelastic, frictionless impact of all links in contact, P1 (55)-(59): impulses from the problem (58)."""
    contacts.gather_contacts(problem, state)
    count = problem.number[0].touching
    factor_joints(problem.link)
    for k in range(count):
        problem.free[k] = problem.contact[k].speed
        flow.response(problem, problem.matrix, k, 1.0, 0.0)
    solved = flow.solve_complementarity(problem, problem.number[0].weight * problem.number[0].dt, True)
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        a.fx = a.fy = a.moment = a.w = 0.0  # impulses: rates do nothing in no time
    for k in range(count):
        flow.add_push(problem.link, problem.contact[k], problem.force[k], 0.0)
    accelerate_all(problem.link)
    change_velocity(problem, state, tape)
    contacts.remember_contacts(problem, state)
    return solved


@inlined
def change_velocity(problem: Problem, state: State, tape: Tape) -> None:
    """Velocities after the impulses that are on the links, and what these did: P1 (59)."""
    link, n, vector = problem.link, problem.link.shape[0], state.vector
    for k in range(problem.number[0].touching):
        c, impulse = problem.contact[k], problem.force[k]
        at = flow.pushes_at(n, int(c.slot))
        vector[at] += impulse * c.normal_x
        vector[at + 1] += impulse * c.normal_y
        state.touch[int(c.slot)].impact += impulse
        change = flow.normal_acceleration(link, c)
        vector[flow.works_at(vector) + 2] += impulse * (c.speed + 0.5 * change)  # the loss of energy
        state.leaving[int(c.slot)] = impulse == 0.0 and c.speed + change > FADING
        vector[2 * n + 2] += impulse * c.normal_x / problem.number[0].mass
        vector[2 * n + 3] += impulse * c.normal_y / problem.number[0].mass
        note_impulse(tape, c, impulse)
    for i in range(n):
        vector[n + 2 + i] += link[i].aw


@inlined
def note_impulse(tape: Tape, c: Records, impulse: float) -> None:
    """Into the tape, beside the impact of this contact at this instant."""
    at = tape.cursor[0].event - 1
    now = tape.event[at, 0]
    while at >= 0 and tape.event[at, 0] == now:
        if tape.event[at, 2] == c.link and tape.event[at, 3] == c.obstacle:
            tape.event[at, 4] += impulse
            return
        at -= 1
