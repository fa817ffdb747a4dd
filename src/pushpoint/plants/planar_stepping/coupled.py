"""The linear solve of a Newton step where links touch obstacles that move, or each other.

A contact of link i with body b ties their velocities together, which the sweep along the chain cannot do. So it solves
without those contacts first, K d0 = f, and then adds them by Woodbury's formula, with J the relative velocities at the
coupled contacts and r their tangents:

    (K + C r J) d = f      d = d0 - K^-1 C mu,   (J K^-1 C + 1/r) mu = J d0

C is J', but for the friction that follows a normal impulse: that is a part of it. One sweep per coupled impulse for the
small matrix, and one for the correction.
"""

from __future__ import annotations

from pushpoint._jit import fused, kernel
from pushpoint.mechanics.planar_chain import solve_root, sweep
from pushpoint.mechanics.uneven_chain import own_block, solve_uneven_root, uneven_sweep
from pushpoint.numerics.records import Records
from pushpoint.plants.planar_stepping.extended import MOST_COUPLED, Contacts
from pushpoint.plants.planar_stepping.model import Problem
from pushpoint.types import FloatArray

# Columns of Contacts.coupling behind the matrix: which contact, whether it is its friction, and the vector mu.
CONTACT, FRICTION, MU = MOST_COUPLED, MOST_COUPLED + 1, MOST_COUPLED + 2


@kernel
def solve(problem: Problem, contacts: Contacts | None) -> bool:
    """One Newton step, added to all velocities. False if there are too many coupled contacts."""
    if contacts is None:
        sweep(problem.chain, 1.0)
        return True
    count = list_coupled(problem, contacts.coupling)
    if count < 0:
        return False
    if count == 0:
        solve_apart(problem, 1.0)
    else:
        solve_together(problem, contacts, count)
    return True


@fused
def list_coupled(problem: Problem, coupling: FloatArray) -> int:
    """Impulses between links, or links and movable obstacles, that change with the velocity; -1 if they do not fit."""
    count = 0
    for k in range(problem.first[problem.link.shape[0]]):
        c = problem.contact[k]
        if c.other >= 0.0 and c.stiff + c.stiff_t > 0.0:
            if count + 2 > MOST_COUPLED:
                return -1
            if c.stiff > 0.0:
                coupling[count, CONTACT], coupling[count, FRICTION] = k, 0.0
                count += 1
            if c.stiff_t > 0.0:
                coupling[count, CONTACT], coupling[count, FRICTION] = k, 1.0
                count += 1
    return count


@kernel
def solve_apart(problem: Problem, gain: float) -> None:
    """The chain by its sweep, every movable obstacle by itself."""
    others = range(problem.chain.shape[0], problem.link.shape[0])
    if problem.number[0].uneven > 0.0:
        uneven_sweep(problem.chain, gain)
        for i in others:
            solve_uneven_root(problem.link[i], own_block(problem.link[i]), gain)
    else:
        sweep(problem.chain, gain)
        for i in others:
            a = problem.link[i]
            solve_root(a, (a.xx, a.xy, a.yy, a.xw, a.yw, a.ww, a.fx, a.fy, a.fw), gain)


@kernel
def solve_together(problem: Problem, contacts: Contacts, count: int) -> None:
    """Woodbury's formula, see above."""
    link, kept, matrix = problem.link, contacts.link, contacts.coupling
    for i in range(link.shape[0]):
        a, b = link[i], kept[i]
        b.start_vx, b.start_vy, b.start_w = a.vx, a.vy, a.w
        b.keep_fx, b.keep_fy, b.keep_fw, b.keep_torque = a.fx, a.fy, a.fw, a.torque
    solve_apart(problem, 1.0)
    for row in range(count):
        matrix[row, MU] = relative_step(problem, matrix, row)
    for column in range(count):
        unload(link)
        load(problem, matrix, column, 1.0)
        solve_apart(problem, 0.0)
        for row in range(count):
            matrix[row, column] = relative_step(problem, matrix, row)
        c = problem.contact[int(matrix[column, CONTACT])]
        matrix[column, column] += 1.0 / (c.stiff_t if matrix[column, FRICTION] > 0.0 else c.stiff)
    eliminate(matrix, count)
    unload(link)
    for row in range(count):
        load(problem, matrix, row, -matrix[row, MU])
    solve_apart(problem, 1.0)
    for i in range(link.shape[0]):
        a, b = link[i], kept[i]
        a.dx, a.dy, a.dw = a.vx - b.start_vx, a.vy - b.start_vy, a.w - b.start_w
        a.fx, a.fy, a.fw, a.torque = b.keep_fx, b.keep_fy, b.keep_fw, b.keep_torque


@fused
def unload(link: Records) -> None:
    for i in range(link.shape[0]):
        a = link[i]
        a.fx = a.fy = a.fw = a.torque = 0.0


@fused
def load(problem: Problem, matrix: FloatArray, row: int, size: float) -> None:
    """Put an impulse of `size` at a coupled contact on both partners."""
    k = int(matrix[row, CONTACT])
    c = problem.contact[k]
    a, b = problem.link[int(c.owner)], problem.link[int(c.other)]
    x, y = c.normal_x - c.slip * c.normal_y, c.normal_y + c.slip * c.normal_x
    arm, lever = c.arm + c.slip * c.arm_t, c.arm_other + c.slip * c.lever
    if matrix[row, FRICTION] > 0.0:
        x, y, arm, lever = -c.normal_y, c.normal_x, c.arm_t, c.lever
    a.fx += size * x
    a.fy += size * y
    a.fw += size * arm
    b.fx -= size * x
    b.fy -= size * y
    b.fw -= size * lever


@fused
def relative_step(problem: Problem, matrix: FloatArray, row: int) -> float:
    """What the solution does to the relative velocity at a coupled contact."""
    c = problem.contact[int(matrix[row, CONTACT])]
    a, b = problem.link[int(c.owner)], problem.link[int(c.other)]
    x, y, arm, lever = c.normal_x, c.normal_y, c.arm, c.arm_other
    if matrix[row, FRICTION] > 0.0:
        x, y, arm, lever = -c.normal_y, c.normal_x, c.arm_t, c.lever
    return float(x * (a.dx - b.dx) + y * (a.dy - b.dy) + arm * a.dw - lever * b.dw)


@kernel
def eliminate(matrix: FloatArray, n: int) -> None:
    """Gauss's method in place: matrix[:n, :n] x = matrix[:n, MU]; pivots as in `uneven_chain`."""
    for j in range(n):
        for i in range(j + 1, n):
            factor = matrix[i, j] / matrix[j, j]
            for k in range(j + 1, n):
                matrix[i, k] -= factor * matrix[j, k]
            matrix[i, MU] -= factor * matrix[j, MU]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            matrix[i, MU] -= matrix[i, k] * matrix[k, MU]
        matrix[i, MU] /= matrix[i, i]
