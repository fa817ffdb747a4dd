"""How far a z is from solving a problem, relative to the data, and one step of iterative refinement."""

from __future__ import annotations

import numpy as np

from pushpoint._jit import entry_point
from pushpoint.numerics.lcp.basis import measure_rows, solve_basic
from pushpoint.types import FloatArray, IntArray


@entry_point
def refine(
    A: FloatArray,
    a: FloatArray,
    z: FloatArray,
    basic: IntArray,
    left: FloatArray,
    step: FloatArray,
    work: FloatArray,
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
    units: FloatArray = 1.0 / np.sqrt(size)
    return units


def scales(A: FloatArray, a: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What z_i and w_i are measured by: the largest z in row units, and |a_i| + max_j |A_ij| times that."""
    units = row_units(A)
    top = float(np.max(np.abs(z) / units))
    return top * units, np.abs(a) + np.max(np.abs(A) * units, axis=1) * top


def natural_residual(A: FloatArray, a: FloatArray, z: FloatArray, w: FloatArray) -> float:
    """max_i |min(z_i / scale of z_i, w_i / scale of w_i)|; a scale of zero belongs to a zero."""
    if len(a) == 0:
        return 0.0
    of_z, of_w = scales(A, a, z)
    shares = np.divide(z, of_z, out=np.zeros_like(z), where=of_z > 0.0)
    slacks = np.divide(w, of_w, out=np.zeros_like(w), where=of_w > 0.0)
    return float(np.max(np.abs(np.minimum(shares, slacks))))
