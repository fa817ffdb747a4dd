"""Newton's method for the velocities at the end of a step.

Full steps with the exact tangent, one sweep each, converge in nearly all steps. A contact that opens, lands, sticks or
slips is no reason to make a step shorter, as that would hold up all others: each takes its new part in the next
iteration.
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, inlined, kernel
from pushpoint.mechanics.spatial_chain import move_links
from pushpoint.plants.spatial_stepping import iteration
from pushpoint.plants.spatial_stepping.descent import fallback
from pushpoint.plants.spatial_stepping.iteration import KEPT
from pushpoint.plants.spatial_stepping.laws import normal_impulse, reverses
from pushpoint.plants.spatial_stepping.model import EARTH, Problem, Rows

FULL_STEPS = 20  # iterations with full steps before others are tried
FALL = 0.3  # of the residual in an iteration, else all tangents are renewed
ROUND_OFF = 1e-14  # of momenta
FREE = 1e-11  # tolerance in free flight, where momenta are kept as well as that and each iteration gains three digits


@kernel
def fall(problem: Problem) -> None:
    """Velocities after a step of free fall, to start from: but for round-off it is one if nothing turns."""
    a, number = problem.link[problem.tree[0, 0]], problem.number[0]
    a.v1 += number.dt * number.down_x
    a.v2 += number.dt * number.down_y
    a.v3 += number.dt * number.down_z
    move_links(problem.link, problem.joint, problem.tree)


@kernel
def hold_reversed(problem: Problem, alpha: float) -> None:
    """Radii of friction after the part alpha of a step: the normal impulses. Where the friction of a sliding contact
    turned to the other side, it is infinite, so that the contact sticks in the next iteration: then it comes to rest,
    or starts to slide in the direction in which it is pushed. Else it would go to and fro for ever."""
    for k in range(problem.number[0].contacts):
        c = problem.contact[k]
        c.disc = normal_impulse(c, c.gn)
        if c.slips > 0.0 and c.disc > 0.0 and reverses(c, alpha):
            c.disc = math.inf


@fused
def full_newton(problem: Problem, room: Rows, limit: int, tolerance: float, last: float) -> tuple[float, int]:
    """Newton's method with the exact tangent and full steps. Tangents are renewed from the root to the outermost
    contact that changed, or everywhere if no contact changed and the residual hardly falls from the `last`: zero, if
    there are no tangents yet. Returns the residual, infinite if it does not get there, and the number of iterations."""
    for done in range(1, limit + 1):
        left, lag = iteration.load(problem, False)
        if max(left, lag) <= tolerance:
            return left, done
        low, high = problem.number[0].low, problem.number[0].high
        if low > high and left > FALL * last:
            low, high = 0, problem.link.shape[0] - 1
        iteration.newton_step(problem, room, True, low, high)
        alpha = iteration.longest_step(problem)
        iteration.take_step(problem, alpha)
        hold_reversed(problem, alpha)
        last = left
    return math.inf, limit


@inlined
def newton(problem: Problem, room: Rows, most: int, energy: float) -> tuple[float, int]:
    """Velocities at the end of the step, by at most so many iterations, from a kinetic energy [J]. Returns the relative
    residual and the number of iterations."""
    number = problem.number[0]
    limit, tolerance, last = min(number.max_iterations, most), number.tolerance, math.inf
    if number.contacts == 0:
        scale = number.weight * number.dt
        momentum = math.sqrt(2.0 * energy * number.weight / EARTH)
        tolerance, last = min(tolerance, max(FREE, ROUND_OFF * momentum / scale)), 0.0
        fall(problem)
    else:
        iteration.step_in_last_modes(problem, room)
    iteration.keep_motion(problem, room, KEPT)
    residual, done = full_newton(problem, room, min(FULL_STEPS, limit), tolerance, last)
    if residual <= tolerance:
        return residual, done
    iteration.restore_motion(problem, room, KEPT, 0.0)
    residual, spent = fallback(problem, room, limit - done, tolerance)
    return residual, done + spent
