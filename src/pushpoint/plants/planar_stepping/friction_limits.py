"""The limits of friction as a fixed point, for steps on which they do not settle by themselves.

With limits L that stay as they are, a step is convex and its solve always ends. Its normal impulses P(L) say what the
limits should have been, and a solution of the step is a fixed point L = mu P(L). Anderson's mixing of the last few
iterates finds it where plain iteration goes round in circles or away: where friction presses links on, or lifts them
off, of several contacts at once.
"""

from __future__ import annotations

from pushpoint._jit import inlined, kernel
from pushpoint.numerics.records import Records
from pushpoint.plants.planar_stepping.extras import MEMORY, Extras
from pushpoint.plants.planar_stepping.model import DT, WEIGHT, Problem
from pushpoint.types import FloatArray

ROUNDS = 60  # solves with fixed limits at most
DAMPED_FROM, DAMPING = 10, 0.5  # rounds: from there the step of the mixing is shorter
REGULAR = 1e-10  # of the diagonal, for differences that are nearly the same
# Rows of Extras.history: changes of limits, changes of their errors, then the last limits and errors.
CHANGE, CHANGE_OF_ERROR, LAST, LAST_ERROR = 0, MEMORY, 2 * MEMORY, 2 * MEMORY + 1


@kernel
def mix_limits(problem: Problem, extras: Extras, number: int) -> float:
    """New limits after solve `number` with fixed ones. Returns the largest error of the old ones as a residual."""
    contact, history = problem.contact, extras.history
    count = problem.first[problem.link.shape[0]]
    slot, largest = (number - 1) % MEMORY, 0.0
    for k in range(count):
        c = contact[k]
        error = error_of_limit(c)
        largest = max(largest, abs(error))
        if number > 0:
            history[CHANGE + slot, k] = c.limit - history[LAST, k]
            history[CHANGE_OF_ERROR + slot, k] = error - history[LAST_ERROR, k]
        history[LAST, k], history[LAST_ERROR, k] = c.limit, error
    known = min(number, MEMORY)
    weigh(history, extras.mixing, count, known)
    step = 1.0 if number < DAMPED_FROM else DAMPING
    for k in range(count):
        c = contact[k]
        if c.mu > 0.0:
            change = step * history[LAST_ERROR, k]
            for j in range(known):
                weight = extras.mixing[j, MEMORY]
                change -= weight * (history[CHANGE + j, k] + step * history[CHANGE_OF_ERROR + j, k])
            c.limit = max(0.0, c.limit + change) if sticks_inside(c) == 0.0 else c.mu * c.impulse
    return float(largest / (problem.number[WEIGHT] * problem.number[DT]))


@inlined
def sticks_inside(c: Records) -> float:
    """1 for contacts that stick well inside of their old and their new limit: nothing depends on either."""
    return 1.0 if abs(c.impulse_t) < min(c.limit, c.mu * c.impulse) else 0.0


@kernel
def error_of_limit(c: Records) -> float:
    """mu P - L, where it matters [N s]."""
    if c.mu == 0.0 or sticks_inside(c) > 0.0:
        return 0.0
    return float(c.mu * c.impulse - c.limit)


@inlined
def weigh(history: FloatArray, mixing: FloatArray, count: int, known: int) -> None:
    """Weights mixing[:known, MEMORY] of the changes that would have undone the last error, by least squares."""
    for i in range(known):
        for j in range(known + 1):
            of = CHANGE_OF_ERROR + j if j < known else LAST_ERROR
            value = 0.0
            for k in range(count):
                value += history[CHANGE_OF_ERROR + i, k] * history[of, k]
            mixing[i, j if j < known else MEMORY] = value
        mixing[i, i] += REGULAR * mixing[i, i] + 1e-300
    for i in range(known):  # Gauss's elimination; the matrix is positive definite
        for j in range(i + 1, known):
            factor = mixing[j, i] / mixing[i, i]
            for k in range(i, known):
                mixing[j, k] -= factor * mixing[i, k]
            mixing[j, MEMORY] -= factor * mixing[i, MEMORY]
    for i in range(known - 1, -1, -1):
        for k in range(i + 1, known):
            mixing[i, MEMORY] -= mixing[i, k] * mixing[k, MEMORY]
        mixing[i, MEMORY] /= mixing[i, i]
