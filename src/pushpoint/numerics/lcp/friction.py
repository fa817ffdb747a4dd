"""How much friction keeps a problem well posed: the smallest mu > 0 with a vanishing principal minor of A - mu B.

That of a principal block vanishes where 1 / mu is an eigenvalue of A^-1 B of the block: so `friction_bound` finds it.
Inside of other kernels a scan with the test for P-matrices does: it compiles in a tenth of the time.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt

from pushpoint._jit import entry_point, kernel
from pushpoint.errors import InvalidInput
from pushpoint.numerics.lcp.arguments import square
from pushpoint.numerics.lcp.p_matrix import ROUNDING, all_p, is_p_matrix
from pushpoint.types import FloatArray

LARGEST = 14  # rows: the exact bound looks at 2^rows blocks
REAL = 1e-8  # of an eigenvalue: a double one splits into a pair with imaginary parts of the root of round-off
# Shorter stretches than this, of mu and of the ceiling, are not proven as a whole: near singular matrices there would
# be more and more of them.
COARSE, SHORTEST = 1e-2, 5e-3
FINE = 1e-12  # of mu: where the bisection ends


@kernel
def p_around(A: FloatArray, B: FloatArray, size: int, mu: float, reach: float, work: FloatArray) -> bool:
    """Is A - m B a P-matrix for every m within `reach` of mu?"""
    half = work.shape[2] // 2
    for i in range(size):
        for j in range(size):
            product = mu * B[i, j]
            work[0, i, j] = A[i, j] - product
            rounding = ROUNDING * (abs(A[i, j]) + 2.0 * abs(product))
            work[0, i, half + j] = reach * abs(B[i, j]) + rounding
    return all_p(work, size)


@kernel
def bisect_bound(A: FloatArray, B: FloatArray, size: int, low: float, high: float, work: FloatArray) -> float:
    while high - low > FINE * high:
        middle = 0.5 * (low + high)
        if p_around(A, B, size, middle, 0.0, work):
            low = middle
        else:
            high = middle
    return low


@kernel
def friction_bound_kernel(A: FloatArray, B: FloatArray, size: int, ceiling: float, work: FloatArray) -> float:
    """The mu below which A - mu B stays a P-matrix; `ceiling` when that is not below it, 0 when A is none.

    `work` is `p_workspace(capacity)`. The scan walks upwards over stretches that it proves free of vanishing minors,
    as long as they go. Short ones that it cannot prove are judged by their upper ends.
    """
    if size == 0:
        return ceiling
    low, stretch = 0.0, ceiling
    if not p_around(A, B, size, 0.0, 0.0, work):
        return 0.0
    while low < ceiling:
        stretch = min(stretch, ceiling - low)
        if p_around(A, B, size, low + 0.5 * stretch, 0.5 * stretch, work):
            low += stretch
            stretch *= 2.0
        elif stretch > max(COARSE * low, SHORTEST * ceiling):
            stretch *= 0.5
        elif p_around(A, B, size, low + stretch, 0.0, work):
            low += stretch
        else:
            return bisect_bound(A, B, size, low, low + stretch, work)
    return ceiling


@entry_point
def friction_bound_from_python(A: FloatArray, B: FloatArray, size: int, ceiling: float, work: FloatArray) -> float:
    return friction_bound_kernel(A, B, size, ceiling, work)


def friction_bound(A: npt.ArrayLike, B: npt.ArrayLike, ceiling: float = math.inf) -> float:
    """The smallest mu > 0 at which a principal minor of A - mu B vanishes, or `ceiling` if that is smaller.

    Proposition 18 of P1: below it the problem of sliding contacts has one solution. 0 if A itself is no P-matrix.
    """
    matrix = square("A", A)
    other = square("B", B, len(matrix))
    if not ceiling > 0.0:
        raise InvalidInput(f"ceiling is {ceiling!r}: allowed are positive numbers")
    if len(matrix) > LARGEST:
        raise InvalidInput(f"A has {len(matrix)} rows: friction_bound takes at most {LARGEST}")
    if not is_p_matrix(matrix):
        return 0.0
    steepest = 0.0
    for count in range(1, len(matrix) + 1):
        blocks = [np.ix_(rows, rows) for rows in itertools.combinations(range(len(matrix)), count)]
        shares = np.linalg.eigvals(np.linalg.solve([matrix[k] for k in blocks], [other[k] for k in blocks]))
        real = np.abs(shares.imag) <= REAL * np.abs(shares)
        steepest = max(steepest, float(np.max(shares.real, where=real, initial=0.0)))
    return min(ceiling, 1.0 / steepest) if steepest > 0.0 else ceiling
