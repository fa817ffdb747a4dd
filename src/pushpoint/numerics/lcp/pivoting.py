"""Principal pivoting: exchange what is infeasible, all of it at once as long as that helps, then one by one.

Exchanging only the infeasible variable of least index (Murty 1974) ends on every P-matrix; exchanging all at once
(Kostreva 1978) mostly needs a handful of exchanges but can go round in circles. Júdice and Pires (1994): fall back to
the first until fewer are infeasible than ever before, so that the whole ends too.
"""

from __future__ import annotations

from pushpoint._jit import entry_point, kernel
from pushpoint.numerics.lcp.basis import LIMIT, MARK, SLACK, SOLVED, ZERO, measure_rows, slack_of_row, solve_basic
from pushpoint.types import FloatArray, IntArray

WORN_SLACK = 1e-12  # after so many exchanges that it may be round-off that goes round in circles
BLOCK_TRIES = 3  # exchanges of all infeasible variables that may fail to help
EXTRA = 50  # exchanges beyond the 2^size that least index may need
DOUBLINGS = 11  # `pivot` gives up on larger problems after 2^11 and a few


@kernel
def infeasible(
    A: FloatArray, a: FloatArray, size: int, z: FloatArray, basic: IntArray, work: FloatArray, leeway: float
) -> int:
    """How many variables of the current set are negative; marked in the workspace.

    A basic z must not be negative at all, a w by `leeway` of its scale: what is zero in both rests out of the set.
    """
    count = ZERO
    for i in range(size):
        if basic[i] != 0:
            fine = z[i] >= 0.0
        else:
            slack, scale = slack_of_row(A, a, size, z, i)
            fine = slack >= -leeway * scale
        work[MARK, i] = 0.0 if fine else 1.0  # NaN is not fine
        if not fine:
            count += 1
    return count


@kernel
def exchange(size: int, basic: IntArray, work: FloatArray, all_of_them: bool) -> None:
    for i in range(size):
        if work[MARK, i] != 0.0:
            basic[i] = 1 - basic[i]
            if not all_of_them:
                return


@kernel
def pivot_within(
    A: FloatArray, a: FloatArray, size: int, z: FloatArray, basic: IntArray, work: FloatArray, limit: int
) -> tuple[int, int]:
    """`pivot` with at most `limit` exchanges."""
    pivots, fewest, patience = ZERO, size + 1, ZERO + BLOCK_TRIES
    measure_rows(A, size, work)
    while True:
        pivots += solve_basic(A, a, size, z, basic, work)
        count = infeasible(A, a, size, z, basic, work, SLACK if pivots < 20 + 2 * size else WORN_SLACK)
        if count == 0:
            return SOLVED, pivots
        if pivots >= limit:
            return LIMIT, pivots
        if count < fewest:
            fewest, patience = count, ZERO + BLOCK_TRIES
        else:
            patience = max(ZERO, patience - 1)
        exchange(size, basic, work, patience > 0)
        pivots += 1


@kernel
def pivot(A: FloatArray, a: FloatArray, size: int, z: FloatArray, basic: IntArray, work: FloatArray) -> tuple[int, int]:
    """z >= 0 with w = a + A z >= 0 and w z = 0 for the leading `size` rows and columns of the buffers.

    `basic` (int64, 0 or 1) is where z may be positive: a guess on entry, the answer on return. `work` is
    `workspace(capacity)`. Returns SOLVED (0) or LIMIT (2), and the exchanges made: none when the guess was right.
    Always SOLVED on a P-matrix of at most 11 rows; elsewhere LIMIT means that z is no solution.
    """
    return pivot_within(A, a, size, z, basic, work, EXTRA + 2 ** min(size, DOUBLINGS))


@entry_point
def pivot_from_python(
    A: FloatArray, a: FloatArray, size: int, z: FloatArray, basic: IntArray, work: FloatArray, limit: int
) -> tuple[int, int]:
    return pivot_within(A, a, size, z, basic, work, limit)
