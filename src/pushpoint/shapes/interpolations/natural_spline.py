"""The cubic spline without bending at its ends: of all curves through the points the one that bends least."""

from __future__ import annotations

import numpy as np

from pushpoint.shapes.interpolations import interpolations
from pushpoint.types import FloatArray


@interpolations.register("natural-spline")
def natural_slopes(points: FloatArray) -> FloatArray:
    """Smooth to the second derivative, turns with its points; overshoots, and every point is felt a few points away.

    Slopes m solve m[k-1] + 4 m[k] + m[k+1] = 3 (P[k+1] - P[k-1]), with 2 m[0] + m[1] = 3 (P[1] - P[0]) at the ends.
    """
    n = len(points)
    step = np.diff(points, axis=0)
    right = np.concatenate([3.0 * step[:1], 3.0 * (step[:-1] + step[1:]), 3.0 * step[-1:]])
    diagonal = np.full(n, 4.0)
    diagonal[0] = diagonal[-1] = 2.0
    for k in range(1, n):  # elimination, then substitution, of a matrix with ones beside its diagonal
        diagonal[k] -= 1.0 / diagonal[k - 1]
        right[k] -= right[k - 1] / diagonal[k - 1]
    right[-1] /= diagonal[-1]
    for k in range(n - 2, -1, -1):
        right[k] = (right[k] - right[k + 1]) / diagonal[k]
    return right
