"""What the searches share: units of rows and columns, how far a z is from a solution, non-negative least squares."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pushpoint.types import FloatArray

FEASIBLE = 1e-10  # of the terms of a row: what should not be negative, or should be zero
ROUNDS = 12  # of scaling
ROUNDING = 1e-13  # of the terms: a pull that is less is none

BoolArray = npt.NDArray[np.bool_]


def equilibrated(A: FloatArray, a: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """A and a in units of their own, and those of z.

    Rows and columns are divided by the roots of their largest entries, again and again (Ruiz). Complementarity does not
    depend on units, and those of w and z need not belong together.
    """
    rows, columns = np.ones(len(a)), np.ones(len(a))
    for _ in range(ROUNDS):
        size = np.abs(A * rows[:, None] * columns)
        rows = rows / _root_or_one(size.max(axis=1))
        columns = columns / _root_or_one(size.max(axis=0))
    right = a * rows
    most = float(np.max(np.abs(right)))
    return A * rows[:, None] * columns, right / most, columns * most


def _root_or_one(largest: FloatArray) -> FloatArray:
    return np.sqrt(np.where(largest > 0.0, largest, 1.0))


def misfits(A: FloatArray, a: FloatArray, z: FloatArray) -> FloatArray:
    """The largest w over its terms that is negative, or not zero where z is positive: for each row of z (m, n)."""
    w = a + z @ A.T
    scale = np.abs(a) + np.max(np.abs(A * z[:, None, :]), axis=2)
    wrong = np.where(z > 0.0, np.abs(w), np.maximum(-w, 0.0))
    share = np.divide(wrong, scale, out=np.zeros_like(wrong), where=scale > 0.0)
    return np.asarray(np.max(share, axis=1))


def misfit(A: FloatArray, a: FloatArray, z: FloatArray) -> float:
    """The same of one z."""
    return float(misfits(A, a, z[None])[0])


def non_negative_least_squares(C: FloatArray, b: FloatArray) -> FloatArray:
    """x >= 0 with the smallest |C x - b|: the active sets of Lawson and Hanson, chapter 23."""
    n = C.shape[1]
    x, active = np.zeros(n), np.zeros(n, dtype=bool)
    least = ROUNDING * float(np.max(np.abs(C), initial=0.0)) * float(np.max(np.abs(b), initial=0.0))
    for _ in range(5 * n):
        pull = C.T @ (b - C @ x)
        pull[active] = -np.inf
        entering = int(np.argmax(pull))
        if not pull[entering] > least:
            break
        active[entering] = True
        while active.any():
            trial = np.zeros(n)
            trial[active] = np.linalg.lstsq(C[:, active], b, rcond=None)[0]
            if np.all(trial[active] > 0.0):
                x = trial
                break
            x, active = _as_far_as_feasible(x, trial, active)
    return x


def _as_far_as_feasible(x: FloatArray, trial: FloatArray, active: BoolArray) -> tuple[FloatArray, BoolArray]:
    """From x towards the trial until entries become zero, which are then no longer active."""
    blocking = active & (trial <= 0.0)
    room, fall = x[blocking], x[blocking] - trial[blocking]
    step = float(np.min(np.divide(room, fall, out=np.zeros_like(room), where=fall > 0.0)))
    x = x + step * (trial - x)
    still = active & (x > 1e-15 * float(np.max(np.abs(x), initial=0.0)))
    if np.array_equal(still, active):  # by round-off; to go on like this would be a circle
        still = active & ~blocking
    return np.where(still, x, 0.0), still
