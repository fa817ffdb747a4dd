"""Impulses of the joints from (84): W_J' M^-1 W_J P_J = right-hand side, block by block along the chain.

A joint shares a link with its neighbours only, so that the matrix has blocks K_j on its diagonal and C_j beside it:

    D_j = K_j - C_(j-1)' D_(j-1)^-1 C_(j-1)

Problem.block[j] keeps the inverse of D_j, and C_j.
"""

from __future__ import annotations

from pushpoint._jit import kernel
from pushpoint.plants.spatial_stepping.paper.model import PaperProblem
from pushpoint.types import FloatArray


@kernel
def invert(a: FloatArray) -> None:
    """A small symmetric positive matrix, in place, by elimination without a change of rows."""
    n = a.shape[0]
    for k in range(n):
        pivot = 1.0 / a[k, k]
        a[k, k] = 1.0
        for m in range(n):
            a[k, m] *= pivot
        for i in range(n):
            if i != k:
                factor = a[i, k]
                a[i, k] = 0.0
                for m in range(n):
                    a[i, m] -= factor * a[k, m]


@kernel
def set_blocks(problem: PaperProblem, j: int) -> None:
    """K_j and C_j."""
    w, mass, rows = problem.joint[j], problem.mass, problem.joint.shape[1]
    own, beside = problem.block[j, 0], problem.block[j, 1]
    for a in range(rows):
        for b in range(rows):
            total, shared = 0.0, 0.0
            for m in range(6):
                total += w[a, m] * w[b, m] / mass[j, m] + w[a, 6 + m] * w[b, 6 + m] / mass[j + 1, m]
                if j + 1 < problem.joint.shape[0]:
                    shared += w[a, 6 + m] * problem.joint[j + 1, b, m] / mass[j + 1, m]
            own[a, b], beside[a, b] = total, shared
        if own[a, a] == 0.0:  # a row that this joint does not have
            own[a, a] = 1.0


@kernel
def factor_joints(problem: PaperProblem) -> None:
    rows = problem.joint.shape[1]
    for j in range(problem.joint.shape[0]):
        set_blocks(problem, j)
        if j > 0:
            own, last, beside = problem.block[j, 0], problem.block[j - 1, 0], problem.block[j - 1, 1]
            for a in range(rows):
                for b in range(rows):
                    for c in range(rows):
                        for d in range(rows):
                            own[a, b] -= beside[c, a] * last[c, d] * beside[d, b]
        invert(problem.block[j, 0])


@kernel
def times(matrix: FloatArray, row: int, vector: FloatArray) -> float:
    total = 0.0
    for m in range(vector.shape[0]):
        total += matrix[row, m] * vector[m]
    return total


@kernel
def solve_joints(problem: PaperProblem) -> None:
    """P_J for the right-hand side that stands in its place."""
    joints, rows, x = problem.joint.shape[0], problem.joint.shape[1], problem.reaction
    for j in range(1, joints):
        for b in range(rows):
            carried = times(problem.block[j - 1, 0], b, x[j - 1])
            for a in range(rows):
                x[j, a] -= problem.block[j - 1, 1, b, a] * carried
    for j in range(joints - 1, -1, -1):
        if j + 1 < joints:
            for a in range(rows):
                x[j, a] -= times(problem.block[j, 1], a, x[j + 1])
        for a in range(rows):
            problem.row[a] = times(problem.block[j, 0], a, x[j])
        for a in range(rows):
            x[j, a] = problem.row[a]
