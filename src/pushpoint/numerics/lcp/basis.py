"""What the methods share: outcomes as numbers, units of rows, and the solution that belongs to a set of basic z.

Row i and column i are measured in units that make the diagonal of A one: z_i in 1 / sqrt(A_ii), w_i in sqrt(A_ii).
A problem is then the same to every tolerance whatever units its rows have.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import numpy as np

from pushpoint._jit import kernel
from pushpoint.types import FloatArray, IntArray

SOLVED, RAY, LIMIT = 0, 1, 2  # what kernels return; `Status` for people
ZERO = cast(int, np.int64(0))  # where counters start: a plain 0 has a type of its own and compiles its users twice

SINGULAR = 1e-14  # of the largest entry of a block in row units: a smaller pivot is made of round-off
SLACK = 1e-14  # of the terms of w_i: what is less below zero than this is taken for zero

UNIT, RIGHT, INDEX, MARK, BLOCK = 0, 1, 2, 3, 4  # rows of a workspace; the last is the first row of the block


class Search(NamedTuple):
    """What came out of a search: the z of a solution, or of what may be one, or None; and whether that is certain."""

    z: FloatArray | None
    steps: int  # sets or decisions that were examined
    complete: bool


def workspace(capacity: int) -> FloatArray:
    """Scratch for `pivot` with up to `capacity` rows."""
    return np.zeros((BLOCK + capacity, capacity + 1))


@kernel
def unit_of_row(A: FloatArray, size: int, i: int) -> float:
    """1 / sqrt|A_ii|; where that is zero, the largest entry of row and column stands in, and then one."""
    size_of = abs(A[i, i])
    if size_of == 0.0:
        for j in range(size):
            size_of = max(size_of, abs(A[i, j]), abs(A[j, i]))
    return 1.0 / math.sqrt(size_of) if size_of > 0.0 else 1.0


@kernel
def measure_rows(A: FloatArray, size: int, work: FloatArray) -> None:
    for i in range(size):
        work[UNIT, i] = unit_of_row(A, size, i)


@kernel
def gather(A: FloatArray, a: FloatArray, size: int, basic: IntArray, work: FloatArray) -> tuple[int, float]:
    """The active block and its right-hand side in row units; returns its size and its largest entry."""
    count, largest = ZERO, 0.0
    for i in range(size):
        if basic[i] != 0:
            work[INDEX, count] = i
            count += 1
    for k in range(count):
        i = int(work[INDEX, k])
        unit = work[UNIT, i]
        work[RIGHT, k] = -a[i] * unit
        for m in range(count):
            j = int(work[INDEX, m])
            entry = A[i, j] * unit * work[UNIT, j]
            work[BLOCK + k, m] = entry
            largest = max(largest, abs(entry))
    return count, largest


@kernel
def exchange_rows(work: FloatArray, count: int, k: int, m: int) -> None:
    work[RIGHT, k], work[RIGHT, m] = work[RIGHT, m], work[RIGHT, k]
    for j in range(count):
        work[BLOCK + k, j], work[BLOCK + m, j] = work[BLOCK + m, j], work[BLOCK + k, j]


@kernel
def eliminate(work: FloatArray, count: int, smallest: float) -> int:
    """Gaussian elimination with partial pivoting; returns the first column without a pivot, or -1."""
    for k in range(count):
        top = k
        for m in range(k + 1, count):
            if abs(work[BLOCK + m, k]) > abs(work[BLOCK + top, k]):
                top = m
        if not abs(work[BLOCK + top, k]) > smallest:  # so written, NaN ends here too
            return k
        if top != k:
            exchange_rows(work, count, k, top)
        inverse = 1.0 / work[BLOCK + k, k]
        for m in range(k + 1, count):
            factor = work[BLOCK + m, k] * inverse
            for j in range(k + 1, count):
                work[BLOCK + m, j] -= factor * work[BLOCK + k, j]
            work[RIGHT, m] -= factor * work[RIGHT, k]
    return -1


@kernel
def substitute_back(work: FloatArray, count: int) -> None:
    for step in range(count):
        k = count - 1 - step
        total = work[RIGHT, k]
        for j in range(k + 1, count):
            total -= work[BLOCK + k, j] * work[RIGHT, j]
        work[RIGHT, k] = total / work[BLOCK + k, k]


@kernel
def solve_basic(A: FloatArray, a: FloatArray, size: int, z: FloatArray, basic: IntArray, work: FloatArray) -> int:
    """z of the basic set: w_i = 0 where basic, z_i = 0 elsewhere. A dependent variable leaves the set.

    Returns how many left: none unless the block is singular.
    """
    left = ZERO
    while True:
        count, largest = gather(A, a, size, basic, work)
        stuck = eliminate(work, count, SINGULAR * largest)
        if stuck < 0:
            break
        basic[int(work[INDEX, stuck])] = 0
        left += 1
    substitute_back(work, count)
    for i in range(size):
        z[i] = 0.0
    for k in range(count):
        i = int(work[INDEX, k])
        z[i] = work[RIGHT, k] * work[UNIT, i]
    return left


@kernel
def slack_of_row(A: FloatArray, a: FloatArray, size: int, z: FloatArray, i: int) -> tuple[float, float]:
    """w_i = a_i + A_i z and its scale, |a_i| and the largest |A_ij z_j|: its round-off is a few ulp of that."""
    value, term = a[i], 0.0
    for j in range(size):
        share = A[i, j] * z[j]
        value += share
        term = max(term, abs(share))
    return value, abs(a[i]) + term


@kernel
def gap_of_solution(A: FloatArray, a: FloatArray, size: int, z: FloatArray) -> float:
    """The largest w_i over its scale that should be zero or is negative, for z >= 0; infinite where that is NaN."""
    worst = 0.0
    for i in range(size):
        slack, scale = slack_of_row(A, a, size, z, i)
        if not scale < np.inf or not z[i] >= 0.0:
            return np.inf
        if scale > 0.0 and (slack < 0.0 or z[i] > 0.0):
            worst = max(worst, abs(slack) / scale)
    return worst
