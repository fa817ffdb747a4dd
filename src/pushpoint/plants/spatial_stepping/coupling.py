"""Contacts of two links, whose tangents one sweep along the chain cannot know, as rows beside it.

With the tangent A of the sweep, forces t and directions n of such rows, by Woodbury's identity

    (A + T N') x = b:   x = A^-1 b - Z (1 + N'Z)^-1 N' A^-1 b,   Z = A^-1 T,

where each column of Z takes one more sweep with the inertias of the last.
"""

from __future__ import annotations

from pushpoint._jit import fused, inlined, kernel
from pushpoint.mechanics.spatial_chain import sweep
from pushpoint.numerics.records import Records
from pushpoint.plants.spatial_stepping.laws import in_frame, press, step_at
from pushpoint.plants.spatial_stepping.model import Problem, Rows


@fused
def press_along(a: Records, c: Records, size: float) -> None:
    """An impulse along the normal of a contact acts on a link."""
    press(a, c, size * c.n1, size * c.n2, size * c.n3)


@fused
def opening(problem: Problem, c: Records) -> float:
    """How fast the step of the motion opens a contact."""
    own = in_frame(c, *step_at(problem.link[int(c.link)], c))[0]
    return own - in_frame(c, *step_at(problem.link[int(c.other)], c))[0]


@kernel
def keep_steps(problem: Problem, room: Rows, row: int) -> None:
    """Put the steps of links and freedoms aside."""
    n = problem.link.shape[0]
    for i in range(n):
        a, s = problem.link[i], room.solution[row, i]
        s[0], s[1], s[2], s[3], s[4], s[5] = a.d1, a.d2, a.d3, a.d4, a.d5, a.d6
    for k in range(problem.joint.shape[0]):
        room.solution[row, n + k // 6, k % 6] = problem.joint[k].step


@kernel
def add_steps(problem: Problem, room: Rows, row: int, factor: float) -> None:
    """Add a multiple of steps that were put aside."""
    n = problem.link.shape[0]
    for i in range(n):
        a, s = problem.link[i], room.solution[row, i]
        a.d1, a.d2, a.d3 = a.d1 + factor * s[0], a.d2 + factor * s[1], a.d3 + factor * s[2]
        a.d4, a.d5, a.d6 = a.d4 + factor * s[3], a.d5 + factor * s[4], a.d6 + factor * s[5]
    for k in range(problem.joint.shape[0]):
        problem.joint[k].step += factor * room.solution[row, n + k // 6, k % 6]


@kernel
def clear_steps(problem: Problem) -> None:
    """No steps, no forces."""
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        a.d1 = a.d2 = a.d3 = a.d4 = a.d5 = a.d6 = 0.0
        a.f1 = a.f2 = a.f3 = a.f4 = a.f5 = a.f6 = 0.0
    for k in range(problem.joint.shape[0]):
        problem.joint[k].step = problem.joint[k].tau = 0.0


@inlined
def couple(problem: Problem, room: Rows) -> None:
    """Correct the steps of a sweep for contacts of two links that press."""
    rows, last = 0, room.row.shape[0]
    for k in range(problem.number[0].contacts):
        c = problem.contact[k]
        if c.closed > 0.0 and c.other >= 0.0 and rows < last:  # what does not fit is left out of the tangent
            room.row[rows] = k
            rows += 1
    if rows == 0:
        return
    keep_steps(problem, room, last)
    for row in range(rows):
        room.matrix[row, last] = opening(problem, problem.contact[room.row[row]])
    for column in range(rows):
        c = problem.contact[room.row[column]]
        clear_steps(problem)
        press_along(problem.link[int(c.link)], c, c.hard)
        press_along(problem.link[int(c.other)], c, -c.hard)
        sweep(problem.link, problem.joint, problem.tree, problem.scratch, 0, -1)
        keep_steps(problem, room, column)
        for row in range(rows):
            room.matrix[row, column] = opening(problem, problem.contact[room.row[row]])
        room.matrix[column, column] += 1.0
    solve_rows(room, rows)
    clear_steps(problem)
    add_steps(problem, room, last, 1.0)
    for row in range(rows):
        add_steps(problem, room, row, -room.matrix[row, last])


@inlined
def solve_rows(room: Rows, rows: int) -> None:
    """Elimination with pivots; the right side and the solution are the last column."""
    m, last = room.matrix, room.row.shape[0]
    for k in range(rows):
        pivot = k
        for i in range(k + 1, rows):
            if abs(m[i, k]) > abs(m[pivot, k]):
                pivot = i
        for j in range(rows):
            m[k, j], m[pivot, j] = m[pivot, j], m[k, j]
        m[k, last], m[pivot, last] = m[pivot, last], m[k, last]
        for i in range(k + 1, rows):
            factor = m[i, k] / m[k, k]
            for j in range(k, rows):
                m[i, j] -= factor * m[k, j]
            m[i, last] -= factor * m[k, last]
    for k in range(rows - 1, -1, -1):
        total = m[k, last]
        for j in range(k + 1, rows):
            total -= m[k, j] * m[j, last]
        m[k, last] = total / m[k, k]
