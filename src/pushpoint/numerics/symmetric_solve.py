"""Symmetric positive definite systems with many right-hand sides, and quadratic programs that are made of them."""

from __future__ import annotations

import math

from pushpoint._jit import entry_point
from pushpoint.types import FloatArray


@entry_point
def solve_in_place(matrix: FloatArray, right: FloatArray) -> bool:
    """matrix (n, n) X = right (n, k), by Cholesky's method: the factor takes the place of the matrix, X that of the
    right-hand sides. False where the matrix is not positive definite, and then both are spoilt."""
    n, columns = right.shape
    for i in range(n):
        for j in range(i):
            factor = matrix[i, j]
            for k in range(j):
                factor -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = factor / matrix[j, j]
        pivot = matrix[i, i]
        for k in range(i):
            pivot -= matrix[i, k] ** 2
        if not pivot > 0.0:
            return False
        matrix[i, i] = math.sqrt(pivot)
        for j in range(i):
            for c in range(columns):
                right[i, c] -= matrix[i, j] * right[j, c]
        for c in range(columns):
            right[i, c] /= matrix[i, i]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            for c in range(columns):
                right[i, c] -= matrix[j, i] * right[j, c]
        for c in range(columns):
            right[i, c] /= matrix[i, i]
    return True


@entry_point
def fill_program(
    forces: FloatArray,
    by_z: FloatArray,
    at_rest: FloatArray,
    rows: FloatArray,
    off: FloatArray,
    keeping: float,
    room: FloatArray,
    H: FloatArray,
    g: FloatArray,
) -> None:
    """Add the squares of errors e = by_z z + at_rest, (n,), in the metric M, and keeping times those of rows e + off,
    (k,), to a quadratic program H (m, m), g (m,), all over two. `forces` (n, m) is M by_z; `room` is (k, m)."""
    n, m, count = forces.shape[0], forces.shape[1], rows.shape[0]
    for c in range(count):
        error = off[c]
        for i in range(n):
            error += rows[c, i] * at_rest[i]
        for a in range(m):
            total = 0.0
            for i in range(n):
                total += rows[c, i] * by_z[i, a]
            room[c, a] = total
            g[a] += keeping * error * total
    for a in range(m):
        for i in range(n):
            g[a] += forces[i, a] * at_rest[i]
        for b in range(a + 1):
            total = 0.0
            for i in range(n):
                total += forces[i, a] * by_z[i, b]
            for c in range(count):
                total += keeping * room[c, a] * room[c, b]
            H[a, b] += total
            if b < a:
                H[b, a] += total
