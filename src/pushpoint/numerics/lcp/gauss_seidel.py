"""Projected Gauss-Seidel: row by row, each z_i to where its own w_i vanishes, or to zero.

Converges for symmetric positive definite matrices, linearly and the slower the worse their condition.
"""

from __future__ import annotations

import numpy as np

from pushpoint._jit import entry_point, kernel
from pushpoint.numerics.lcp.basis import LIMIT, SOLVED, ZERO, gap_of_solution
from pushpoint.types import FloatArray

SETTLED = 1e-13  # of the terms of w_i: the gap at which sweeping ends
CHECK_EVERY = 8  # sweeps: the check costs as much as a sweep


@kernel
def sweep(A: FloatArray, a: FloatArray, size: int, z: FloatArray) -> None:
    for i in range(size):
        slack = a[i]
        for j in range(size):
            slack += A[i, j] * z[j]
        z[i] = max(0.0, z[i] - slack / A[i, i])


@entry_point
def sweeps(A: FloatArray, a: FloatArray, size: int, z: FloatArray, limit: int) -> tuple[int, int]:
    """From the z given, in place, at most `limit` sweeps."""
    for i in range(size):
        if not A[i, i] > 0.0:
            return LIMIT, ZERO
    count = ZERO
    while count < limit:
        sweep(A, a, size, z)
        count += 1
        if count % CHECK_EVERY == 0 or count == limit:
            gap = gap_of_solution(A, a, size, z)
            if gap <= SETTLED:
                return SOLVED, count
            if not gap < np.inf:  # it diverged
                return LIMIT, count
    return LIMIT, count
