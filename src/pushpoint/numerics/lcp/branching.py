"""Branch and prune: for each row either z or w, until what is left has no solution or is one.

With some rows decided and the others free, w - A z = a with w, z >= 0 is a question of non-negative least squares. If
that has no solution, none of the sets below has one. If it has one in which a row has both z and w, the row that has
most of both is decided next, both for z and for w. Quick where few decisions settle the rest; at worst all 2^n sets.
"""

from __future__ import annotations

import numpy as np

from pushpoint.numerics.lcp.basis import Search
from pushpoint.numerics.lcp.least_squares import FEASIBLE, equilibrated, misfit, non_negative_least_squares
from pushpoint.types import FloatArray, IntArray

NODES = 1_000  # decisions: some seconds with twenty rows
LARGEST = 60  # rows
PRUNED = 1e-8  # of the terms: what is further from a solution has none below it
FREE, ONLY_Z, ONLY_W = 0, 1, -1


def branch(A: FloatArray, a: FloatArray, nodes: int = NODES) -> Search:
    """Depth first, the larger of the two of a row first."""
    scaled, right, columns = equilibrated(A, a)
    if not np.isfinite([*scaled, right, columns]).all():  # of numbers near the largest or the smallest there are
        return Search(None, 0, complete=False)
    waiting: list[IntArray] = [np.zeros(len(a), dtype=np.int64)]
    doubtful: FloatArray | None = None
    for count in range(nodes):
        if not waiting:
            return Search(doubtful, count, complete=doubtful is None)
        decided = waiting.pop()
        found = _relaxed(scaled, right, decided)
        if found is None:
            continue
        z, w = found
        both = np.minimum(z, w)
        if not both.any():
            if misfit(scaled, right, z) <= FEASIBLE:
                return Search(z * columns, count + 1, complete=True)
            doubtful = z * columns  # round-off decides
            continue
        row = int(np.argmax(both))
        for kept in (ONLY_W, ONLY_Z) if z[row] > w[row] else (ONLY_Z, ONLY_W):  # the last is looked at first
            waiting.append(np.where(np.arange(len(a)) == row, kept, decided))
    return Search(doubtful, nodes, complete=doubtful is None and not waiting)


def _relaxed(A: FloatArray, a: FloatArray, decided: IntArray) -> tuple[FloatArray, FloatArray] | None:
    """z and w without regard to complementarity in the rows that are free; None if there are none."""
    n = len(a)
    with_z, with_w = np.flatnonzero(decided != ONLY_W), np.flatnonzero(decided != ONLY_Z)
    C = np.concatenate([-A[:, with_z], np.eye(n)[:, with_w]], axis=1)
    x = non_negative_least_squares(C, a)
    if np.max(np.abs(C @ x - a)) > PRUNED * (1.0 + float(np.max(x, initial=0.0))):
        return None
    z, w = np.zeros(n), np.zeros(n)
    z[with_z], w[with_w] = x[: len(with_z)], x[len(with_z) :]
    return z, w
