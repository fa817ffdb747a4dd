"""P-matrices: all principal minors positive, so that every right-hand side has exactly one solution.

The test of Tsatsomeros and Li (2000): A is a P-matrix if and only if a_11 > 0, and A without its first row and column
and the Schur complement of a_11 are P-matrices. Every entry carries a bound on its error, so that "yes" is certain:
no minor that is zero or negative passes by round-off.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pushpoint._jit import entry_point, kernel
from pushpoint.errors import InvalidInput
from pushpoint.numerics.lcp.arguments import square
from pushpoint.numerics.lcp.basis import ZERO
from pushpoint.types import FloatArray

ROUNDING = 2.0**-52  # twice the unit round-off, to cover that of the bounds themselves
WIDER = 1.0 + 2.0**-48  # and a little for their sums


def p_workspace(capacity: int) -> FloatArray:
    """Scratch for `p_test` and `friction_bound_kernel`: a matrix and its error bounds for every level of the test."""
    return np.zeros((capacity + 1, capacity + 1, 2 * (capacity + 1)))


@kernel
def schur(work: FloatArray, level: int, size: int, half: int) -> None:
    """The Schur complement of the first entry of a level, with error bounds, into the next level."""
    top, top_error = work[level, 0, 0], work[level, 0, half]
    least = top - top_error
    for i in range(1, size):
        factor = work[level, i, 0] / top
        steep = abs(factor)
        factor_error = (work[level, i, half] + steep * top_error) / least + ROUNDING * steep
        for j in range(1, size):
            entry, entry_error = work[level, 0, j], work[level, 0, half + j]
            product = factor * entry
            value = work[level, i, j] - product
            error = work[level, i, half + j] + steep * entry_error + factor_error * (abs(entry) + entry_error)
            work[level + 1, i - 1, j - 1] = value
            work[level + 1, i - 1, half + j - 1] = (error + ROUNDING * (abs(product) + abs(value))) * WIDER


@kernel
def drop_first(work: FloatArray, level: int, size: int, half: int) -> None:
    """The matrix of a level without its first row and column, into the next level."""
    for i in range(1, size):
        for j in range(1, size):
            work[level + 1, i - 1, j - 1] = work[level, i, j]
            work[level + 1, i - 1, half + j - 1] = work[level, i, half + j]


@kernel
def surest_first(work: FloatArray, level: int, size: int, half: int) -> None:
    """Exchange rows and columns so that the first diagonal entry is the one with the smallest relative error.

    Any order will do for exact numbers. A first entry that nearly vanishes, though, blows up the others and their
    errors, and a matrix would count as doubtful that is not.
    """
    best = 0
    for i in range(1, size):
        if work[level, i, i] * work[level, best, half + best] > work[level, best, best] * work[level, i, half + i]:
            best = i
    if best == 0:
        return
    for j in range(size):
        for shift in (0, half):
            work[level, 0, shift + j], work[level, best, shift + j] = (
                work[level, best, shift + j],
                work[level, 0, shift + j],
            )
    for i in range(size):
        for shift in (0, half):
            work[level, i, shift], work[level, i, shift + best] = work[level, i, shift + best], work[level, i, shift]


@kernel
def all_p(work: FloatArray, size: int) -> bool:
    """The test of the matrix of level 0, depth first: `second` has a bit for every level at its Schur complement."""
    half = work.shape[2] // 2
    second, level = ZERO, ZERO
    fresh = True
    while level >= 0:
        rows = size - level
        if fresh and rows > 2:
            surest_first(work, level, rows, half)
        if fresh and not work[level, 0, 0] > work[level, 0, half]:  # NaN is no P-matrix
            return False
        here = 1 << level
        if fresh and rows > 1:
            drop_first(work, level, rows, half)
            second &= ~here
            level += 1
        elif rows > 1 and second & here == 0:
            schur(work, level, rows, half)
            second |= here
            level += 1
            fresh = True
        else:
            level -= 1
            fresh = False
    return True


@kernel
def p_test(A: FloatArray, size: int, work: FloatArray) -> bool:
    """Is the leading block of `size` rows a P-matrix? `work` is `p_workspace(capacity)`. 2^size operations."""
    if size == 0:
        return True
    half = work.shape[2] // 2
    for i in range(size):
        for j in range(size):
            work[0, i, j] = A[i, j]
            work[0, i, half + j] = 0.0
    return all_p(work, size)


@entry_point
def p_test_from_python(A: FloatArray, size: int, work: FloatArray) -> bool:
    return p_test(A, size, work)


LARGEST = 24  # rows: about a second


def is_p_matrix(A: npt.ArrayLike) -> bool:
    """Are all principal minors of A positive? Where round-off leaves it open, the answer is no."""
    matrix = square("A", A)
    rows = len(matrix)
    if rows > LARGEST:
        raise InvalidInput(f"A has {rows} rows: is_p_matrix takes at most {LARGEST}")
    return bool(p_test_from_python(matrix, rows, p_workspace(rows)))
