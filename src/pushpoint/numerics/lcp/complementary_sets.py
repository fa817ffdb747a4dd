"""All 2^n complementary sets at once, singular ones too: what can be solved is solved, whatever the matrix.

A set says which z may be positive; w is zero there. If its block is regular, that is one z, and it is a solution or it
is not. If the block is singular, a solution is a point of the cone of its columns, found or refuted by non-negative
least squares. Rows and columns are scaled apart from each other, so that their largest entries are one.
"""

from __future__ import annotations

from itertools import combinations, islice

import numpy as np

from pushpoint.numerics.lcp.basis import Search
from pushpoint.numerics.lcp.least_squares import FEASIBLE, equilibrated, misfit, misfits, non_negative_least_squares
from pushpoint.types import FloatArray, IntArray

LARGEST = 16  # rows: about a second
REGULAR = 1e-8  # smallest over largest singular value of a block whose solution is believed
CHUNK = 8192  # sets at once
MOST_SINGULAR = 4096  # singular sets that are examined one by one: about two seconds


def search(A: FloatArray, a: FloatArray) -> Search:
    """The solution of the first set that has one, small sets first."""
    scaled, right, columns = equilibrated(A, a)
    if not np.isfinite([*scaled, right, columns]).all():  # of numbers near the largest or the smallest there are
        return Search(None, 0, complete=False)
    singular: list[IntArray] = []
    examined = 0
    for size in range(len(a) + 1):
        sets = combinations(range(len(a)), size)
        while chunk := list(islice(sets, CHUNK)):
            rows = np.array(chunk, dtype=np.int64).reshape(len(chunk), size)
            found, odd = _of_regular(scaled, right, rows)
            examined += len(rows)
            if found is not None:
                return Search(found * columns, examined, complete=True)
            singular.extend(odd)
    for rows in singular[:MOST_SINGULAR]:
        found = _of_singular(scaled, right, rows)
        if found is not None:
            return Search(found * columns, examined, complete=True)
    return Search(None, examined, complete=len(singular) <= MOST_SINGULAR)


def _of_regular(A: FloatArray, a: FloatArray, sets: IntArray) -> tuple[FloatArray | None, IntArray]:
    """A z of one of the sets (m, k), if a regular one has a feasible one; and the sets whose blocks are singular."""
    if sets.shape[1] == 0:
        z = np.zeros_like(a)
        return (z if misfit(A, a, z) <= FEASIBLE else None), sets[:0]
    blocks = A[sets[:, :, None], sets[:, None, :]]
    values = np.linalg.svd(blocks, compute_uv=False)
    regular = values[:, -1] > REGULAR * values[:, 0]  # NaN is not
    chosen = sets[regular]
    if len(chosen):
        part = np.linalg.solve(blocks[regular], -a[chosen][..., None])[..., 0]
        z = np.zeros((len(chosen), len(a)))
        np.put_along_axis(z, chosen, np.maximum(part, 0.0), axis=1)
        wrong = misfits(A, a, z)
        best = int(np.argmin(wrong))
        if wrong[best] <= FEASIBLE:
            return z[best], sets[:0]
    return None, sets[~regular]


def _of_singular(A: FloatArray, a: FloatArray, rows: IntArray) -> FloatArray | None:
    """A z of a set with a singular block: z of the set and w of the others, none negative, with w - A z = a."""
    columns = np.eye(len(a))
    columns[:, rows] = -A[:, rows]
    z = np.zeros_like(a)
    z[rows] = non_negative_least_squares(columns, a)[rows]
    return z if misfit(A, a, z) <= FEASIBLE else None
