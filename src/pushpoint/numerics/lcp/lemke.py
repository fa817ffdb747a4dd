"""Lemke's method (1965): a covering variable makes everything feasible and is then pivoted out along one path.

Ties of the ratio test are broken lexicographically, by the columns that were the identity at the start; so no basis
comes twice, and the method ends on every problem, degenerate or not. The tableau is that of the problem in row units.
"""

from __future__ import annotations

import numpy as np

from pushpoint._jit import entry_point, kernel
from pushpoint.numerics.lcp.basis import BLOCK, LIMIT, RAY, SOLVED, UNIT, ZERO, gap_of_solution, measure_rows
from pushpoint.numerics.lcp.pivoting import DOUBLINGS, EXTRA, pivot_within
from pushpoint.types import FloatArray, IntArray

POSITIVE = 1e-12  # of a column's largest entry: smaller ones are round-off, not pivots
SETTLED = 1e-10  # the gap of a solution read off the tableau
TIE = 1e-12  # of the terms compared: ratios closer than this count as equal


def lemke_workspace(capacity: int) -> FloatArray:
    """Scratch for `lemke_kernel`: that of `pivot`, the names of the basic variables, marks of candidates, a tableau."""
    return np.zeros((BLOCK + capacity + 2 + capacity, 2 * capacity + 2))


@kernel
def fill_tableau(A: FloatArray, a: FloatArray, size: int, work: FloatArray, first: int) -> float:
    """I w - A z - 1 z0 = a, all in row units, a also in its own largest entry; returns the smallest a."""
    largest, least = 0.0, 0.0
    for i in range(size):
        largest = max(largest, abs(a[i]) * work[UNIT, i])
    for i in range(size):
        unit = work[UNIT, i]
        for j in range(size):
            work[first + i, j] = 1.0 if i == j else 0.0
            work[first + i, size + j] = -A[i, j] * unit * work[UNIT, j]
        work[first + i, 2 * size] = -1.0
        work[first + i, 2 * size + 1] = a[i] * unit / largest if largest > 0.0 else 0.0
        work[first - 2, i] = i  # basic: w_i
        least = min(least, work[first + i, 2 * size + 1])
    return least


@kernel
def make_basic(size: int, work: FloatArray, first: int, row: int, column: int) -> None:
    inverse = 1.0 / work[first + row, column]
    for j in range(2 * size + 2):
        work[first + row, j] *= inverse
    work[first + row, column] = 1.0
    for i in range(size):
        factor = work[first + i, column]
        if i != row and factor != 0.0:
            for j in range(2 * size + 2):
                work[first + i, j] -= factor * work[first + row, j]
            work[first + i, column] = 0.0
    work[first - 2, row] = column


@kernel
def mark_candidates(size: int, work: FloatArray, first: int, column: int) -> int:
    """Rows that fall as the entering variable grows; returns how many."""
    largest, count = 0.0, ZERO
    for i in range(size):
        largest = max(largest, abs(work[first + i, column]))
    for i in range(size):
        falls = work[first + i, column] > POSITIVE * largest
        work[first - 1, i] = 1.0 if falls else 0.0
        if falls:
            count += 1
    return count


@kernel
def keep_smallest(size: int, work: FloatArray, first: int, column: int, by: int) -> int:
    """Of the marked rows keep those whose ratio in column `by` is smallest; returns how many."""
    least, count = np.inf, ZERO
    for i in range(size):
        if work[first - 1, i] != 0.0:
            least = min(least, work[first + i, by] / work[first + i, column])
    for i in range(size):
        if work[first - 1, i] != 0.0:
            pivot = work[first + i, column]
            if work[first + i, by] / pivot <= least + TIE * (abs(least) + 1.0 / pivot):
                count += 1
            else:
                work[first - 1, i] = 0.0
    return count


@kernel
def leaving_row(size: int, work: FloatArray, first: int, column: int) -> int:
    """The lexicographic ratio test; the covering variable leaves as soon as it can. -1: a ray."""
    count = mark_candidates(size, work, first, column)
    if count == 0:
        return -1
    count = keep_smallest(size, work, first, column, 2 * size + 1)
    for i in range(size):
        if work[first - 1, i] != 0.0 and work[first - 2, i] == 2 * size:
            return i
    by = ZERO
    while count > 1 and by < size:
        count = keep_smallest(size, work, first, column, by)
        by += 1
    best = -1
    for i in range(size):  # more than one only by round-off: then the largest pivot
        if work[first - 1, i] != 0.0 and (best < 0 or work[first + i, column] > work[first + best, column]):
            best = i
    return best


@kernel
def most_negative(size: int, work: FloatArray, first: int) -> int:
    """The last one of those: that keeps all rows lexicographically positive."""
    row = ZERO
    for i in range(size):
        if work[first + i, 2 * size + 1] <= work[first + row, 2 * size + 1]:
            row = i
    return row


@kernel
def follow_path(size: int, work: FloatArray, first: int, limit: int) -> tuple[int, int]:
    """From the covering variable's entry to its exit, at most `limit` pivots."""
    row, entering, pivots = most_negative(size, work, first), 2 * size, ZERO
    while pivots < limit:
        left = int(work[first - 2, row])
        make_basic(size, work, first, row, entering)
        pivots += 1
        if left == 2 * size:
            return SOLVED, pivots
        entering = left + size if left < size else left - size
        row = leaving_row(size, work, first, entering)
        if row < 0:
            return RAY, pivots
    return LIMIT, pivots


@kernel
def read_tableau(a: FloatArray, size: int, z: FloatArray, basic: IntArray, work: FloatArray, first: int) -> None:
    """z and the set of basic z of the tableau, back in units of the data."""
    largest = 0.0
    for i in range(size):
        largest = max(largest, abs(a[i]) * work[UNIT, i])
        basic[i] = 0
        z[i] = 0.0
    for i in range(size):
        row = int(work[first - 2, i]) - size
        if 0 <= row < size:
            basic[row] = 1
            z[row] = max(0.0, work[first + i, 2 * size + 1]) * largest * work[UNIT, row]


@kernel
def lemke_within(
    A: FloatArray, a: FloatArray, size: int, z: FloatArray, basic: IntArray, work: FloatArray, limit: int
) -> tuple[int, int]:
    """`lemke_kernel` with at most `limit` pivots."""
    first = BLOCK + work.shape[1] // 2 - 1 + 2
    measure_rows(A, size, work)
    least = fill_tableau(A, a, size, work, first)
    status, pivots = SOLVED, ZERO
    if not least >= 0.0:
        status, pivots = follow_path(size, work, first, limit)
    read_tableau(a, size, z, basic, work, first)
    if status != SOLVED:
        return status, pivots
    # From the data, not from the worn tableau; an exchange is due only if round-off chose the wrong side.
    status, more = pivot_within(A, a, size, z, basic, work, ZERO + EXTRA)
    if status != SOLVED:  # as with singular blocks
        read_tableau(a, size, z, basic, work, first)
        status = SOLVED if gap_of_solution(A, a, size, z) <= SETTLED else LIMIT
    return status, pivots + more


@kernel
def lemke_kernel(
    A: FloatArray, a: FloatArray, size: int, z: FloatArray, basic: IntArray, work: FloatArray
) -> tuple[int, int]:
    """As `pivot`, for any matrix, without a warm start; `work` is `lemke_workspace(capacity)`.

    Returns SOLVED (0), RAY (1) or LIMIT (2), and the pivots made. A ray is the end of the path; no solution exists
    then if A is copositive-plus, as positive semidefinite matrices are.
    """
    return lemke_within(A, a, size, z, basic, work, EXTRA + 2 ** min(size, DOUBLINGS))


@entry_point
def lemke_from_python(
    A: FloatArray, a: FloatArray, size: int, z: FloatArray, basic: IntArray, work: FloatArray, limit: int
) -> tuple[int, int]:
    return lemke_within(A, a, size, z, basic, work, limit)
