"""Lemke's method from other starts: another covering vector, and another complementary set to begin with.

One path from one start ends in a ray on many matrices that are not P, though there is a solution; other starts have
other paths. The start at a set is Lemke's own on the principal transform of the problem, in which z and w of the set
have changed places. A covering vector d is that of ones after the rows and columns are scaled by 1 / d and d.
"""

from __future__ import annotations

import numpy as np

from pushpoint.numerics.lcp.basis import SOLVED
from pushpoint.numerics.lcp.lemke import lemke_from_python, lemke_workspace
from pushpoint.types import FloatArray, IntArray

COUNT = 200  # starts
PIVOTS = 2_000  # in each at most
SPREAD = 1.5  # decades by which covering vectors differ
DEPENDENT = 1e10  # condition of a block beyond which a start is passed over


def sets_from_restarts(A: FloatArray, a: FloatArray, count: int = COUNT) -> tuple[list[IntArray], int]:
    """The set of basic z of the first path that ends in a solution, if one does, and how many starts were made.

    The draws are the same for every problem of a size, so that results repeat.
    """
    rng = np.random.default_rng(len(a))
    for number in range(count):
        scale = 10.0 ** rng.uniform(-SPREAD, SPREAD, len(a))
        swapped = rng.random(len(a)) < rng.uniform(0.0, 0.7)
        if number % 4 == 0:  # also the plain start
            swapped[:] = False
        transformed = principal_transform(A, a, swapped)
        if transformed is None:
            continue
        M, q = transformed
        basic, z = np.zeros(len(a), dtype=np.int64), np.zeros(len(a))
        M, q = np.ascontiguousarray(M * scale / scale[:, None]), np.ascontiguousarray(q / scale)
        status, _ = lemke_from_python(M, q, len(a), z, basic, lemke_workspace(len(a)), PIVOTS)
        if status == SOLVED:
            return [np.where(swapped, 1 - basic, basic)], number + 1
    return [], count


def principal_transform(A: FloatArray, a: FloatArray, swapped: np.ndarray) -> tuple[FloatArray, FloatArray] | None:
    """The problem in which w and z of the rows `swapped` have changed places; None if their block is near singular."""
    inside, outside = np.flatnonzero(swapped), np.flatnonzero(~swapped)
    if not len(inside):
        return A, a
    block = A[np.ix_(inside, inside)]
    if not np.linalg.cond(block) < DEPENDENT:
        return None
    inverse = np.linalg.inv(block)
    M, q = np.empty_like(A), np.empty_like(a)
    left = A[np.ix_(outside, inside)] @ inverse
    M[np.ix_(inside, inside)] = inverse
    M[np.ix_(inside, outside)] = -inverse @ A[np.ix_(inside, outside)]
    M[np.ix_(outside, inside)] = left
    M[np.ix_(outside, outside)] = A[np.ix_(outside, outside)] - left @ A[np.ix_(inside, outside)]
    q[inside], q[outside] = -inverse @ a[inside], a[outside] - left @ a[inside]
    return M, q
