"""All 2^n complementary sets at once, singular ones too: what can be solved is solved, whatever the matrix.

A set says which z may be positive; w is zero there. If its block is regular, that is one z, and it is a solution or it
is not. If the block is singular, a solution is a point of the cone of its columns, found or refuted by non-negative
least squares. In units that make the diagonal of A one.
"""

from __future__ import annotations

from itertools import combinations, islice
from typing import NamedTuple

import numpy as np

from pushpoint.numerics.lcp.residual import row_scales, row_units
from pushpoint.types import FloatArray, IntArray

LARGEST = 16  # rows: about a second
REGULAR = 1e-8  # smallest over largest singular value of a block whose solution is believed
FEASIBLE = 1e-10  # of the terms of a row: what should not be negative, or should be zero
CHUNK = 8192  # sets at once
MOST_SINGULAR = 4096  # singular sets that are looked at one by one: about two seconds


class Search(NamedTuple):
    """What came out: the z of a solution, or None; and whether sets are left that were not decided."""

    z: FloatArray | None
    sets: int  # looked at
    complete: bool


def search(A: FloatArray, a: FloatArray) -> Search:
    """The solution of the first set that has one, small sets first."""
    units = row_units(A)
    scaled, right = A * units[:, None] * units, a * units
    singular: list[IntArray] = []
    looked_at = 0
    for size in range(len(a) + 1):
        sets = combinations(range(len(a)), size)
        while chunk := list(islice(sets, CHUNK)):
            rows = np.array(chunk, dtype=np.int64).reshape(len(chunk), size)
            found, odd = _of_regular(scaled, right, rows)
            looked_at += len(rows)
            if found is not None:
                return Search(found * units, looked_at, complete=True)
            singular.extend(odd)
    for rows in singular[:MOST_SINGULAR]:
        found = _of_singular(scaled, right, rows)
        if found is not None:
            return Search(found * units, looked_at, complete=True)
    return Search(None, looked_at, complete=len(singular) <= MOST_SINGULAR)


def _of_regular(A: FloatArray, a: FloatArray, sets: IntArray) -> tuple[FloatArray | None, IntArray]:
    """A z of one of the sets (m, k), if a regular one has a feasible one; and the sets whose blocks are singular."""
    if sets.shape[1] == 0:
        z = np.zeros_like(a)
        return (z if _misfit(A, a, z) <= FEASIBLE else None), sets[:0]
    blocks = A[sets[:, :, None], sets[:, None, :]]
    values = np.linalg.svd(blocks, compute_uv=False)
    regular = values[:, -1] > REGULAR * values[:, 0]  # NaN is not
    chosen = sets[regular]
    if len(chosen):
        part = np.linalg.solve(blocks[regular], -a[chosen][..., None])[..., 0]
        z = np.zeros((len(chosen), len(a)))
        np.put_along_axis(z, chosen, np.maximum(part, 0.0), axis=1)
        misfit = _misfits(A, a, z)
        best = int(np.argmin(misfit))
        if misfit[best] <= FEASIBLE:
            return z[best], sets[:0]
    return None, sets[~regular]


def _misfits(A: FloatArray, a: FloatArray, z: FloatArray) -> FloatArray:
    """The largest w over its terms that is negative, or not zero where z is positive: for each row of z (m, n)."""
    w = a + z @ A.T
    scale = np.abs(a) + np.max(np.abs(A * z[:, None, :]), axis=2)
    wrong = np.where(z > 0.0, np.abs(w), np.maximum(-w, 0.0))
    share = np.divide(wrong, scale, out=np.zeros_like(wrong), where=scale > 0.0)
    return np.asarray(np.max(share, axis=1))


def _misfit(A: FloatArray, a: FloatArray, z: FloatArray) -> float:
    return float(_misfits(A, a, z[None])[0])


def _of_singular(A: FloatArray, a: FloatArray, rows: IntArray) -> FloatArray | None:
    """A z of a set with a singular block: z of the set and w of the others, none negative, with w - A z = a."""
    columns = np.eye(len(a))
    columns[:, rows] = -A[:, rows]
    z = np.zeros_like(a)
    z[rows] = non_negative_least_squares(columns, a)[rows]
    return z if _misfit(A, a, z) <= FEASIBLE and np.all(row_scales(A, a, z) < np.inf) else None


def non_negative_least_squares(C: FloatArray, b: FloatArray) -> FloatArray:
    """x >= 0 with the smallest |C x - b|: Lawson and Hanson's active set, chapter 23."""
    n = C.shape[1]
    x, active = np.zeros(n), np.zeros(n, dtype=bool)
    tolerance = 1e-13 * float(np.max(np.abs(C))) * float(np.max(np.abs(b)))
    for _ in range(5 * n):
        pull = C.T @ (b - C @ x)
        pull[active] = -np.inf
        entering = int(np.argmax(pull))
        if not pull[entering] > tolerance:
            break
        active[entering] = True
        while True:
            trial = np.zeros(n)
            trial[active] = np.linalg.lstsq(C[:, active], b, rcond=None)[0]
            if np.all(trial[active] > 0.0):
                x = trial
                break
            blocking = active & (trial <= 0.0)
            step = float(
                np.min(x[blocking] / np.where(x[blocking] > trial[blocking], x[blocking] - trial[blocking], 1.0))
            )
            x = x + step * (trial - x)
            leaving = active & (x <= 1e-15 * max(1.0, float(np.max(np.abs(x)))))
            if not leaving.any():
                leaving = blocking
            active &= ~leaving
            x[~active] = 0.0
            if not active.any():
                break
    return x
