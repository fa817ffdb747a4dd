"""The largest real eigenvalue of a small matrix, for kernels: Hessenberg form, then Francis' QR steps with two shifts.

Matrices are the leading `count` rows and columns of `work[HERE]`, and are overwritten.
"""

from __future__ import annotations

import math

import numpy as np

from pushpoint._jit import kernel
from pushpoint.numerics.lcp.basis import ZERO
from pushpoint.types import FloatArray

HERE = 1  # the level of a workspace
REAL = 1e-8  # of an eigenvalue: a double one splits into a pair with imaginary parts of the root of round-off
NEGLIGIBLE = 2.0**-52
TRIES = 60  # QR steps per eigenvalue; two or three are usual
STALLED = 10  # steps after which other shifts are tried


@kernel
def to_hessenberg(work: FloatArray, count: int) -> None:
    """By elimination with pivoting, rows one way and columns the other."""
    for k in range(1, count - 1):
        top = k
        for i in range(k + 1, count):
            if abs(work[HERE, i, k - 1]) > abs(work[HERE, top, k - 1]):
                top = i
        if work[HERE, top, k - 1] == 0.0:
            continue
        if top != k:
            for j in range(count):
                work[HERE, k, j], work[HERE, top, j] = work[HERE, top, j], work[HERE, k, j]
            for i in range(count):
                work[HERE, i, k], work[HERE, i, top] = work[HERE, i, top], work[HERE, i, k]
        for i in range(k + 1, count):
            factor = work[HERE, i, k - 1] / work[HERE, k, k - 1]
            for j in range(k - 1, count):
                work[HERE, i, j] -= factor * work[HERE, k, j]
            for m in range(count):
                work[HERE, m, k] += factor * work[HERE, m, i]


@kernel
def larger_of_pair(work: FloatArray, low: int) -> float:
    """The larger eigenvalue of the two rows from `low`, minus infinity if they are complex."""
    a, b = work[HERE, low, low], work[HERE, low, low + 1]
    c, d = work[HERE, low + 1, low], work[HERE, low + 1, low + 1]
    middle, half = 0.5 * (a + d), 0.5 * (a - d)
    square = half * half + b * c
    if square < -REAL * REAL * (middle * middle - square):
        return -np.inf
    root = math.sqrt(max(0.0, square))
    larger = middle + root if middle >= 0.0 else (a * d - b * c) / (middle - root)  # no cancellation
    return float(larger)


@kernel
def start_of_block(work: FloatArray, high: int) -> int:
    """The first row of the last block that does not fall apart."""
    low = ZERO + high
    while low > 0:
        size = abs(work[HERE, low, low]) + abs(work[HERE, low - 1, low - 1])
        if abs(work[HERE, low, low - 1]) <= NEGLIGIBLE * size:
            return low
        low -= 1
    return low


@kernel
def reflect(work: FloatArray, low: int, high: int, k: int, x: float, y: float, z: float) -> None:
    """The reflection of rows and columns k, k + 1, k + 2 that turns (x, y, z) into a multiple of the first axis."""
    length = math.sqrt(x * x + y * y + z * z)
    if not length > 0.0:
        return
    x += math.copysign(length, x)
    weight = 2.0 / (x * x + y * y + z * z)
    third = k + 2 <= high
    for j in range(max(low, k - 1), high + 1):
        total = x * work[HERE, k, j] + y * work[HERE, k + 1, j]
        if third:
            total += z * work[HERE, k + 2, j]
        total *= weight
        work[HERE, k, j] -= total * x
        work[HERE, k + 1, j] -= total * y
        if third:
            work[HERE, k + 2, j] -= total * z
    for i in range(low, min(high, k + 3) + 1):
        total = x * work[HERE, i, k] + y * work[HERE, i, k + 1]
        if third:
            total += z * work[HERE, i, k + 2]
        total *= weight
        work[HERE, i, k] -= total * x
        work[HERE, i, k + 1] -= total * y
        if third:
            work[HERE, i, k + 2] -= total * z


@kernel
def francis_step(work: FloatArray, low: int, high: int, total: float, product: float) -> None:
    """One QR step with the two shifts of this sum and product on the block of at least three rows."""
    corner, below = work[HERE, low, low], work[HERE, low + 1, low]
    x = corner * corner + work[HERE, low, low + 1] * below - total * corner + product
    y = below * (corner + work[HERE, low + 1, low + 1] - total)
    z = below * work[HERE, low + 2, low + 1]
    for k in range(low, high):
        reflect(work, low, high, k, x, y, z)
        if k > low:  # what the reflection has made zero
            work[HERE, k + 1, k - 1] = 0.0
            if k + 2 <= high:
                work[HERE, k + 2, k - 1] = 0.0
        x = work[HERE, k + 1, k]
        y = work[HERE, k + 2, k] if k + 2 <= high else 0.0
        z = work[HERE, k + 3, k] if k + 3 <= high else 0.0


@kernel
def shifted_step(work: FloatArray, low: int, high: int, stalled: bool) -> None:
    """With the eigenvalues of the last two rows as shifts, or something else where these lead nowhere."""
    a, d = work[HERE, high - 1, high - 1], work[HERE, high, high]
    total, product = a + d, a * d - work[HERE, high - 1, high] * work[HERE, high, high - 1]
    if stalled:
        size = abs(work[HERE, high, high - 1]) + abs(work[HERE, high - 1, high - 2])
        total, product = 2.0 * d + 1.5 * size, (d + size) * (d + 0.5 * size)
    francis_step(work, low, high, total, product)


@kernel
def largest_real_eigenvalue(work: FloatArray, count: int) -> float:
    """Minus infinity if all are complex, NaN if the steps do not converge."""
    to_hessenberg(work, count)
    largest, high, tries = -np.inf, count - 1, ZERO
    while high >= 0:
        low = start_of_block(work, high)
        if low >= high - 1:
            value = work[HERE, low, low] if low == high else larger_of_pair(work, low)
            largest = max(largest, value)
            high, tries = low - 1, ZERO
        elif tries == TRIES:
            return np.nan
        else:
            tries += 1
            shifted_step(work, low, high, tries % STALLED == 0)
    return largest
