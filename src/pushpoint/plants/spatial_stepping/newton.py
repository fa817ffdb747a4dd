"""Newton's method for the velocities at the end of a step.

Full steps with the exact tangent, one sweep each, converge in nearly all steps. A contact that opens, lands, sticks or
slips is no reason to make a step shorter, as that would hold up all others: each takes its new part in the next
iteration.
"""

from __future__ import annotations

import math

from pushpoint._jit import inlined, kernel
from pushpoint.mechanics.spatial_chain import move_links
from pushpoint.plants.spatial_stepping.descent import by_fallback
from pushpoint.plants.spatial_stepping.iteration import (
    keep_motion,
    load,
    longest_step,
    move_from_kept,
    newton_step,
    step_as_before,
    take_step,
)
from pushpoint.plants.spatial_stepping.laws import turns
from pushpoint.plants.spatial_stepping.model import (
    CONTACTS,
    DOWN_X,
    DOWN_Y,
    DOWN_Z,
    DT,
    EARTH,
    HIGH,
    LOW,
    MAX_ITERATIONS,
    TOLERANCE,
    WEIGHT,
    Problem,
    Rows,
)

QUICK_STEPS = 20  # iterations with full steps before others are tried
FALL = 0.3  # of the residual in an iteration, else all tangents are renewed
ROUND_OFF = 1e-14  # of momenta
FREE = 1e-11  # tolerance in free flight, where momenta are kept as well as that and each iteration gains three digits


@kernel
def fall(problem: Problem) -> None:
    """Velocities after a step of free fall, to start from: but for round-off it is one if nothing turns."""
    a, dt = problem.link[problem.tree[0, 0]], problem.number[DT]
    a.v1 += dt * problem.number[DOWN_X]
    a.v2 += dt * problem.number[DOWN_Y]
    a.v3 += dt * problem.number[DOWN_Z]
    move_links(problem.link, problem.joint, problem.tree)


@kernel
def hold_what_turns(problem: Problem, alpha: float) -> None:
    """Radii of friction after the part alpha of a step: the normal impulses. Where the friction of a sliding contact
    turned to the other side, it is infinite, so that the contact sticks in the next iteration: then it comes to rest,
    or starts to slide in the direction in which it is pushed. Else it would go to and fro for ever."""
    for k in range(int(problem.number[CONTACTS])):
        c = problem.contact[k]
        c.disc = max(0.0, -c.hard * (c.gn + c.approach))
        if c.slips > 0.0 and c.disc > 0.0 and turns(c, alpha):
            c.disc = math.inf


@inlined
def quickly(problem: Problem, room: Rows, limit: int, tolerance: float, last: float) -> tuple[float, int]:
    """Newton's method with the exact tangent and full steps. Tangents are renewed from the root to the outermost
    contact that changed, or everywhere if no contact changed and the residual hardly falls from the `last`: zero, if
    there are no tangents yet. Returns the residual, infinite if it does not get there, and the number of iterations."""
    for iteration in range(1, limit + 1):
        left, lag = load(problem, False)
        if max(left, lag) <= tolerance:
            return left, iteration
        low, high = int(problem.number[LOW]), int(problem.number[HIGH])
        if low > high and left > FALL * last:
            low, high = 0, problem.link.shape[0] - 1
        newton_step(problem, room, True, low, high)
        alpha = longest_step(problem)
        take_step(problem, alpha)
        hold_what_turns(problem, alpha)
        last = left
    return math.inf, limit


@inlined
def newton(problem: Problem, room: Rows, most: int, energy: float) -> tuple[float, int]:
    """Velocities at the end of the step, by at most so many iterations, from a kinetic energy [J]. Returns the relative
    residual and the number of iterations."""
    limit, tolerance = min(int(problem.number[MAX_ITERATIONS]), most), problem.number[TOLERANCE]
    last = math.inf
    if problem.number[CONTACTS] == 0.0:
        scale = problem.number[WEIGHT] * problem.number[DT]
        momentum = math.sqrt(2.0 * energy * problem.number[WEIGHT] / EARTH)
        tolerance, last = min(tolerance, max(FREE, ROUND_OFF * momentum / scale)), 0.0
        fall(problem)
    else:
        step_as_before(problem, room)
    keep_motion(problem, room)
    residual, done = quickly(problem, room, min(QUICK_STEPS, limit), tolerance, last)
    if residual <= tolerance:
        return residual, done
    move_from_kept(problem, room, 0.0)
    residual, more = by_fallback(problem, room, limit - done, tolerance)
    return residual, done + more
