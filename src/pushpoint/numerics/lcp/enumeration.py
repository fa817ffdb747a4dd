"""All 2^n sets of basic variables, one after the other: slow, and beyond doubt. For tests."""

from __future__ import annotations

from pushpoint._jit import entry_point
from pushpoint.numerics.lcp.basis import LIMIT, RAY, SLACK, SOLVED, ZERO, measure_rows, solve_basic
from pushpoint.numerics.lcp.pivoting import infeasible
from pushpoint.types import FloatArray, IntArray

LARGEST = 16  # rows: a few seconds


@entry_point
def try_all(
    A: FloatArray, a: FloatArray, size: int, z: FloatArray, basic: IntArray, work: FloatArray
) -> tuple[int, int]:
    """The first feasible set. RAY: none of them is, so no solution exists. LIMIT: none, but blocks were singular.

    A solution may then hide in a singular block, where it is one of many or of none.
    """
    measure_rows(A, size, work)
    doubtful = False
    for mask in range(1 << size):
        for i in range(size):
            basic[i] = (mask >> i) & 1
        if solve_basic(A, a, size, z, basic, work) > 0:
            doubtful = True
        elif infeasible(A, a, size, z, basic, work, SLACK) == 0:
            return SOLVED, ZERO + mask
    return (LIMIT if doubtful else RAY), ZERO + (1 << size)
