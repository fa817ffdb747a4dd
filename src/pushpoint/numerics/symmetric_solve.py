"""Linear systems with a symmetric positive definite matrix and many right-hand sides, by Cholesky's method."""

from __future__ import annotations

import math

from pushpoint._jit import entry_point
from pushpoint.types import FloatArray


@entry_point
def solve_in_place(matrix: FloatArray, right: FloatArray) -> bool:
    """matrix (n, n) X = right (n, k): the factor takes the place of the matrix, X that of the right-hand sides. False
    where the matrix is not positive definite, and then both are spoilt."""
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
