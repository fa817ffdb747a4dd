"""How far a z is from solving a problem, relative to the data, and one step of iterative refinement."""

from __future__ import annotations

import numpy as np

from pushpoint._jit import entry_point
from pushpoint.numerics.lcp.basis import measure_rows, solve_basic
from pushpoint.types import FloatArray, IntArray


@entry_point
def refine(
    A: FloatArray, a: FloatArray, z: FloatArray, basic: IntArray, left: FloatArray, step: FloatArray, work: FloatArray
) -> None:
    """Once more with what is left of w on the basic set as the right-hand side: takes out the growth of round-off."""
    size = len(a)
    measure_rows(A, size, work)
    for i in range(size):
        left[i] = a[i]
        for j in range(size):
            left[i] += A[i, j] * z[j]
    solve_basic(A, left, size, step, basic, work)
    for i in range(size):
        z[i] += step[i]


def row_units(A: FloatArray) -> FloatArray:
    """1 / sqrt|A_ii|, as `unit_of_row`."""
    size = np.abs(np.diag(A))
    if np.any(size == 0.0):
        entries = np.abs(A)
        size = np.where(size == 0.0, np.maximum(entries.max(axis=0), entries.max(axis=1)), size)
        size[size == 0.0] = 1.0
    return np.asarray(1.0 / np.sqrt(size))


def row_scales(A: FloatArray, a: FloatArray, z: FloatArray) -> FloatArray:
    """What w_i is measured by: |a_i| and the largest |A_ij z_j|, the terms of which it is the sum."""
    return np.asarray(np.abs(a) + np.max(np.abs(A * z), axis=1, initial=0.0))


def natural_residual(A: FloatArray, a: FloatArray, z: FloatArray, w: FloatArray) -> float:
    """max_i |min(z_i, w_i)|, each relative to the terms of the rows that it is in.

    w_i is divided by the scale of its row, and z_i is given as the largest share that A_ki z_i has in the scale of a
    row k. Both are at most about one, and 0 / 0 counts as 0.
    """
    scales = row_scales(A, a, z)[:, None]
    shares = np.divide(A * z, scales, out=np.zeros_like(A), where=scales > 0.0)
    slacks = np.divide(w, scales[:, 0], out=np.zeros_like(w), where=scales[:, 0] > 0.0)
    sizes = np.copysign(np.max(np.abs(shares), axis=0, initial=0.0), z)
    return float(np.max(np.abs(np.minimum(sizes, slacks)), initial=0.0))
