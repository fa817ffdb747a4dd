"""The limits of friction as a fixed point, for steps on which they do not settle by themselves.

With limits L that stay as they are, a step is convex and its solve always ends. Its normal impulses P(L) say what the
limits should have been, and a solution of the step is a fixed point L = mu P(L). Anderson's mixing of the last few
iterates finds it where simple iteration goes round in circles or away: where friction presses links on, or lifts them
off, of several contacts at once. What that does not find, small steps by the sign of each error do.
"""

from __future__ import annotations

from pushpoint._jit import fused, kernel
from pushpoint.numerics.records import Records
from pushpoint.plants.planar_stepping.extended import MEMORY, Contacts
from pushpoint.plants.planar_stepping.model import Problem
from pushpoint.types import FloatArray

ROUNDS = 130  # solves with fixed limits at most
# Where limits go to zero and stay there, or round in circles, mixing begins anew from where it is: after so many
# rounds, with shorter steps.
AGAIN, DAMPING = 14, 0.6
# What that does not find lies where a contact turns from slip to stick, with other slopes on either side. From this
# round on every limit goes by itself towards where its error changes sign: by half as much after it did, else by more.
BY_SIGN, HALF, MORE, FIRST_SIZE = 42, 0.5, 1.2, 0.25
REGULAR = 1e-10  # of the diagonal, for differences that are nearly the same
# Rows of Contacts.history: changes of limits, changes of their errors, then the last limits and errors.
CHANGE, CHANGE_OF_ERROR, LAST, LAST_ERROR = 0, MEMORY, 2 * MEMORY, 2 * MEMORY + 1
SIZE = CHANGE  # steps by sign, which need no changes


@kernel
def mix_limits(problem: Problem, contacts: Contacts, number: int) -> float:
    """New limits after solve `number` with fixed ones. Returns the largest error of the old ones as a residual."""
    contact, history = problem.contact, contacts.history
    count = problem.first[problem.link.shape[0]]
    since = number % AGAIN
    slot, largest = (since - 1) % MEMORY, 0.0
    for k in range(count):
        c = contact[k]
        error = error_of_limit(c)
        largest = max(largest, abs(error))
        if number > BY_SIGN:
            history[SIZE, k] *= HALF if error * history[LAST_ERROR, k] < 0.0 else MORE
        elif since > 0:
            history[CHANGE + slot, k] = c.limit - history[LAST, k]
            history[CHANGE_OF_ERROR + slot, k] = error - history[LAST_ERROR, k]
        history[LAST, k], history[LAST_ERROR, k] = c.limit, error
    if number >= BY_SIGN:
        go_by_sign(contact, history, count, number == BY_SIGN)
        return float(largest / (problem.number[0].weight * problem.number[0].dt))
    known = min(since, MEMORY)
    weigh(history, contacts.mixing, count, known)
    step = DAMPING ** (number // AGAIN)
    for k in range(count):
        c = contact[k]
        if c.mu > 0.0:
            change = step * history[LAST_ERROR, k]
            for j in range(known):
                weight = contacts.mixing[j, MEMORY]
                change -= weight * (history[CHANGE + j, k] + step * history[CHANGE_OF_ERROR + j, k])
            c.limit = max(0.0, c.limit + change) if sticks_inside(c) == 0.0 else c.mu * c.impulse
    return float(largest / (problem.number[0].weight * problem.number[0].dt))


@fused
def go_by_sign(contact: Records, history: FloatArray, count: int, first: bool) -> None:
    """New limits, each by its own step, but no farther than its error."""
    for k in range(count):
        c, error = contact[k], history[LAST_ERROR, k]
        if first:
            history[SIZE, k] = FIRST_SIZE * max(c.limit, abs(error))
        if c.mu > 0.0:
            step = min(abs(error), history[SIZE, k])
            c.limit = max(0.0, c.limit + (step if error > 0.0 else -step))
            if sticks_inside(c) > 0.0:
                c.limit = c.mu * c.impulse


@fused
def sticks_inside(c: Records) -> float:
    """1 for contacts that stick well inside of their old and their new limit: nothing depends on either."""
    return 1.0 if abs(c.impulse_t) < min(c.limit, c.mu * c.impulse) else 0.0


@kernel
def error_of_limit(c: Records) -> float:
    """mu P - L, where it matters [N s]."""
    if c.mu == 0.0 or sticks_inside(c) > 0.0:
        return 0.0
    return float(c.mu * c.impulse - c.limit)


@fused
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
