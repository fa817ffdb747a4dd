"""How much friction keeps a problem well posed: the smallest mu > 0 with a vanishing principal minor of A - mu B.

That of a principal block vanishes where 1 / mu is an eigenvalue of A^-1 B of the block.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt

from pushpoint._jit import entry_point, kernel
from pushpoint.errors import InvalidInput
from pushpoint.numerics.lcp.arguments import square
from pushpoint.numerics.lcp.basis import ZERO, unit_of_row
from pushpoint.numerics.lcp.eigenvalues import HERE, REAL, largest_real_eigenvalue
from pushpoint.numerics.lcp.p_matrix import is_p_matrix, p_test
from pushpoint.types import FloatArray

PAIR = 0  # the level of a workspace with A and B of a block side by side
LARGEST = 14  # rows: the exact bound looks at 2^rows blocks


@kernel
def keep_units(A: FloatArray, size: int, work: FloatArray) -> None:
    """In the second half of the last row of a level, where no block reaches; the first half is for `gather_pair`."""
    last = work.shape[1] - 1
    for i in range(size):
        work[HERE, last, last + 1 + i] = unit_of_row(A, size, i)


@kernel
def gather_pair(A: FloatArray, B: FloatArray, size: int, members: int, work: FloatArray) -> int:
    """The block of the rows whose bits are set in `members`, in row units; returns how many."""
    count, last = ZERO, work.shape[1] - 1
    for i in range(size):
        if (members >> i) & 1:
            work[HERE, last, count] = i
            count += 1
    for k in range(count):
        i = int(work[HERE, last, k])
        unit = work[HERE, last, last + 1 + i]
        for m in range(count):
            j = int(work[HERE, last, m])
            scale = unit * work[HERE, last, last + 1 + j]
            work[PAIR, k, m] = A[i, j] * scale
            work[PAIR, k, count + m] = B[i, j] * scale
    return count


@kernel
def divide(work: FloatArray, count: int) -> float:
    """A^-1 B of the pair, by elimination with partial pivoting, to where eigenvalues are sought; returns its norm."""
    for k in range(count):
        top = k
        for i in range(k + 1, count):
            if abs(work[PAIR, i, k]) > abs(work[PAIR, top, k]):
                top = i
        for j in range(k, 2 * count):
            work[PAIR, k, j], work[PAIR, top, j] = work[PAIR, top, j], work[PAIR, k, j]
        for i in range(k + 1, count):
            factor = work[PAIR, i, k] / work[PAIR, k, k]
            for j in range(k + 1, 2 * count):
                work[PAIR, i, j] -= factor * work[PAIR, k, j]
    norm = 0.0
    for step in range(count):
        k, total = count - 1 - step, 0.0
        for j in range(count):
            value = work[PAIR, k, count + j]
            for m in range(k + 1, count):
                value -= work[PAIR, k, m] * work[HERE, m, j]
            work[HERE, k, j] = value / work[PAIR, k, k]
            total += abs(work[HERE, k, j])
        if not total < np.inf:
            return np.inf
        norm = max(norm, total)
    return norm


@kernel
def friction_bound_kernel(A: FloatArray, B: FloatArray, size: int, ceiling: float, work: FloatArray) -> float:
    """The smallest mu at which a principal minor of A - mu B vanishes, or `ceiling` if that is smaller.

    0 if A is no P-matrix. `work` is `p_workspace(capacity)`. No eigenvalue exceeds the norm, which settles most blocks.
    """
    if not p_test(A, size, work):
        return 0.0
    keep_units(A, size, work)
    steepest = 1.0 / ceiling
    for members in range(1, 1 << size):
        count = gather_pair(A, B, size, members, work)
        norm = divide(work, count)
        if norm > steepest:
            share = largest_real_eigenvalue(work, count)
            if not share < np.inf:
                return 0.0  # nothing can be promised
            steepest = max(steepest, share)
    return min(ceiling, 1.0 / steepest) if steepest > 0.0 else ceiling


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
