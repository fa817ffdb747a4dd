"""Contacts of links with each other, as an option; smooth, as no coefficient of friction belongs to such a pair.

They couple two links, which one sweep along the chain cannot know. With the chain's own tangent A, and a row w of
stiffness k for each contact that presses,

    (A + W K W') x = b:   x = A^-1 b - Z (K^-1 + W'Z)^-1 W' A^-1 b,   Z = A^-1 W,

where each column of Z takes one more sweep with the inertias of the last. All pairs of links are looked at: this is the
one thing here that takes more than O(n).
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, kernel
from pushpoint.geometry.capsule_solids import segment_segment
from pushpoint.mechanics.spatial_chain import sweep_again
from pushpoint.numerics.records import Records
from pushpoint.plants.spatial_stepping.contacts import look_ahead, recall, set_frame, set_friction, set_gap
from pushpoint.plants.spatial_stepping.model import (
    CONTACTS,
    DT,
    HARDNESS,
    MOST_MEETINGS,
    Meetings,
    Problem,
    State,
)

APART = 2  # links nearer than this along the chain do not meet
CODES = 1e9  # below all codes of the plane


@kernel
def near_links(problem: Problem, state: State, count: int) -> int:
    """Contacts of capsules of links that are not neighbours. Returns how many contacts there are now, or -1."""
    seen = count
    for m in range(problem.capsule.shape[0]):
        for k in range(m + 1, problem.capsule.shape[0]):
            if problem.capsule[k, 0] - problem.capsule[m, 0] < APART:
                continue
            if count == problem.contact.shape[0]:
                return -1
            at = meet(problem, state, count, seen, m, k)
            if at >= 0:
                seen = at
                count += 1
    return count


@fused
def axis_of(a: Records, left: float, up: float) -> tuple[float, float, float]:
    """Centre of a capsule from O."""
    return (
        a.c1 + left * a.y1 + up * a.z1,
        a.c2 + left * a.y2 + up * a.z2,
        a.c3 + left * a.y3 + up * a.z3,
    )


@kernel
def meet(problem: Problem, state: State, count: int, seen: int, m: int, k: int) -> int:
    """Make contact `count` of capsules m and k if they are near; returns where in the memory to look next, or -1."""
    capsule, dt = problem.capsule, problem.number[DT]
    a, b = problem.link[int(capsule[m, 0])], problem.link[int(capsule[k, 0])]
    a1, a2, a3 = axis_of(a, capsule[m, 1], capsule[m, 2])
    b1, b2, b3 = axis_of(b, capsule[k, 1], capsule[k, 2])
    half, other = capsule[m, 3], capsule[k, 3]
    thick = capsule[m, 4] + capsule[k, 4]
    reach = look_ahead(a, half + capsule[m, 4], dt) + look_ahead(b, other + capsule[k, 4], dt)
    d1, d2, d3 = a1 - b1, a2 - b2, a3 - b3
    if math.sqrt(d1 * d1 + d2 * d2 + d3 * d3) > half + other + thick + reach:
        return -1
    s, _, n1, n2, n3, distance = segment_segment(d1, d2, d3, a.x1, a.x2, a.x3, half, b.x1, b.x2, b.x3, other)
    gap = distance - thick
    if gap > reach:
        return -1
    c, inner = problem.contact[count], capsule[m, 4] + 0.5 * gap
    c.link, c.other = capsule[m, 0], capsule[k, 0]
    c.r1, c.r2, c.r3 = a1 + s * a.x1 - inner * n1, a2 + s * a.x2 - inner * n2, a3 + s * a.x3 - inner * n3
    set_frame(c, a, n1, n2, n3)
    set_gap(c, gap, dt)
    set_friction(c, a if a.mass < b.mass else b, problem.number[HARDNESS], 0.0, 0.0, 0.0)
    c.obstacle, c.place, c.which = 0.0, s, 2.0
    c.code = -CODES - m * capsule.shape[0] - k
    return recall(c, state, seen, gap)


@fused
def press(a: Records, c: Records, size: float) -> None:
    """An impulse along the normal of a contact acts on a link."""
    f1, f2, f3 = size * c.n1, size * c.n2, size * c.n3
    a.f4, a.f5, a.f6 = a.f4 + f1, a.f5 + f2, a.f6 + f3
    a.f1 += c.r2 * f3 - c.r3 * f2
    a.f2 += c.r3 * f1 - c.r1 * f3
    a.f3 += c.r1 * f2 - c.r2 * f1


@fused
def opening(problem: Problem, c: Records) -> float:
    """How the step of the motion opens a contact of two links."""
    a, b = problem.link[int(c.link)], problem.link[int(c.other)]
    d1, d2, d3 = a.d1 - b.d1, a.d2 - b.d2, a.d3 - b.d3
    p1 = a.d4 - b.d4 + d2 * c.r3 - d3 * c.r2
    p2 = a.d5 - b.d5 + d3 * c.r1 - d1 * c.r3
    p3 = a.d6 - b.d6 + d1 * c.r2 - d2 * c.r1
    return float(c.n1 * p1 + c.n2 * p2 + c.n3 * p3)


@kernel
def keep_steps(problem: Problem, room: Meetings, row: int) -> None:
    """Put the steps of links and freedoms aside."""
    n = problem.link.shape[0]
    for i in range(n):
        a = problem.link[i]
        room.solution[row, i, 0], room.solution[row, i, 1], room.solution[row, i, 2] = a.d1, a.d2, a.d3
        room.solution[row, i, 3], room.solution[row, i, 4], room.solution[row, i, 5] = a.d4, a.d5, a.d6
    for k in range(problem.joint.shape[0]):
        room.solution[row, n + k // 6, k % 6] = problem.joint[k].step


@kernel
def add_steps(problem: Problem, room: Meetings, row: int, factor: float) -> None:
    """Add a multiple of steps that were put aside."""
    n, solution = problem.link.shape[0], room.solution
    for i in range(n):
        a = problem.link[i]
        a.d1, a.d2, a.d3 = (
            a.d1 + factor * solution[row, i, 0],
            a.d2 + factor * solution[row, i, 1],
            a.d3 + factor * solution[row, i, 2],
        )
        a.d4, a.d5, a.d6 = (
            a.d4 + factor * solution[row, i, 3],
            a.d5 + factor * solution[row, i, 4],
            a.d6 + factor * solution[row, i, 5],
        )
    for k in range(problem.joint.shape[0]):
        problem.joint[k].step += factor * solution[row, n + k // 6, k % 6]


@kernel
def clear_steps(problem: Problem) -> None:
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        a.d1 = a.d2 = a.d3 = a.d4 = a.d5 = a.d6 = 0.0
        a.f1 = a.f2 = a.f3 = a.f4 = a.f5 = a.f6 = 0.0
    for k in range(problem.joint.shape[0]):
        problem.joint[k].step = 0.0


@kernel
def pressing(problem: Problem, number: int) -> int:
    """The contact that is the `number`-th of those between links that press; -1 if there are not so many."""
    for k in range(int(problem.number[CONTACTS])):
        c = problem.contact[k]
        if c.other >= 0.0 and c.closed > 0.0:
            if number == 0:
                return k
            number -= 1
    return -1


@kernel
def couple(problem: Problem, room: Meetings) -> None:
    """Correct the steps of a sweep for the contacts of links with each other."""
    rows = 0
    keep_steps(problem, room, MOST_MEETINGS)
    while rows < MOST_MEETINGS:
        at = pressing(problem, rows)
        if at < 0:
            break
        c = problem.contact[at]
        clear_steps(problem)
        press(problem.link[int(c.link)], c, 1.0)
        press(problem.link[int(c.other)], c, -1.0)
        sweep_again(problem.link, problem.joint, problem.tree, problem.scratch)
        keep_steps(problem, room, rows)
        for row in range(rows + 1):
            one = problem.contact[pressing(problem, row)]
            room.matrix[row, rows] = opening(problem, one)
            room.matrix[rows, row] = room.matrix[row, rows]
        room.matrix[rows, rows] += 1.0 / c.hard
        rows += 1
    clear_steps(problem)
    add_steps(problem, room, MOST_MEETINGS, 1.0)
    if rows == 0:
        return
    for row in range(rows):
        room.matrix[row, MOST_MEETINGS] = opening(problem, problem.contact[pressing(problem, row)])
    solve_symmetric(room, rows)
    for row in range(rows):
        add_steps(problem, room, row, -room.matrix[row, MOST_MEETINGS])


@kernel
def solve_symmetric(room: Meetings, rows: int) -> None:
    """Elimination; the right side and the solution are the last column."""
    m = room.matrix
    for k in range(rows):
        for i in range(k + 1, rows):
            factor = m[i, k] / m[k, k]
            for j in range(k, rows):
                m[i, j] -= factor * m[k, j]
            m[i, MOST_MEETINGS] -= factor * m[k, MOST_MEETINGS]
    for k in range(rows - 1, -1, -1):
        total = m[k, MOST_MEETINGS]
        for j in range(k + 1, rows):
            total -= m[k, j] * m[j, MOST_MEETINGS]
        m[k, MOST_MEETINGS] = total / m[k, k]
