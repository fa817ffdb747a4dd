"""What is tried where full steps of Newton's method do not converge: slower, and safer.

With the radii of the friction discs held, impulses are the negative gradient of a convex function of the velocities:
Newton's steps go down, and a line search on their slope makes them safe. The radii follow the full steps.
"""

from __future__ import annotations

import math

from pushpoint._jit import inlined, kernel
from pushpoint.mechanics.spatial_chain import later_momentum, momentum
from pushpoint.plants.spatial_stepping import iteration
from pushpoint.plants.spatial_stepping.iteration import BEST, KEPT
from pushpoint.plants.spatial_stepping.joints import joint_impulse
from pushpoint.plants.spatial_stepping.laws import normal_impulse, slope
from pushpoint.plants.spatial_stepping.model import Problem, Rows

OVERSHOOT = 0.5  # part of the slope at the start that a full step may leave with the other sign
CLOSE = 0.01  # part of the slope at the start that the line search may leave
PATIENCE = 12  # iterations before contacts are made softer for a while,
SOFTEST = 3  # by so many powers of ten,
SOFT_ENOUGH = 1e-3  # and the residual at which they are made harder again
NEAR = 1e-2  # a residual that is no reason to make them softer
HALVE_AFTER = 4  # iterations after which radii follow by half only, until two full steps in a row are taken
SETTLED = 4  # as many full steps in a row are asked for where contacts were made softer
FIRST_STEPS, EXACT_STEPS = 12, 25  # iterations before the exact tangent is tried, and with it
SECANTS = 60
TRIES = 40  # iterations in search of the best iterate, where nothing comes to rest


@kernel
def slope_at(problem: Problem, alpha: float, at_rest: float, inertia: float) -> float:
    """Slope of the function that is minimised, down along the step, after the part alpha of it."""
    total, dt = at_rest - alpha * inertia, problem.number[0].dt
    for k in range(problem.number[0].contacts):
        total += slope(problem.contact[k], alpha)
    for k in range(problem.joint.shape[0]):
        j = problem.joint[k]
        total += joint_impulse(j, j.rate + alpha * j.step, dt)[0] * j.step
    return total


@kernel
def inertia_terms(problem: Problem) -> tuple[float, float]:
    """Along the step: slope of the links' momenta at its start, and how it decreases."""
    at_rest, inertia, h = 0.0, 0.0, 0.5 * problem.number[0].dt
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        l1, l2, l3, p1, p2, p3 = later_momentum(a, h)
        at_rest += a.d1 * (a.old1 - l1) + a.d2 * (a.old2 - l2) + a.d3 * (a.old3 - l3)
        at_rest += a.d4 * (a.old4 - p1) + a.d5 * (a.old5 - p2) + a.d6 * (a.old6 - p3)
        l1, l2, l3, p1, p2, p3 = momentum(a, a.d1, a.d2, a.d3, a.d4, a.d5, a.d6)
        inertia += a.d1 * l1 + a.d2 * l2 + a.d3 * l3 + a.d4 * p1 + a.d5 * p2 + a.d6 * p3
    return at_rest, inertia


@kernel
def searched_length(problem: Problem) -> float:
    """The part of Newton's step that is taken: all of it unless it overshoots, else where the slope vanishes."""
    longest = iteration.longest_step(problem)
    if longest < 1.0:
        return longest
    at_rest, inertia = inertia_terms(problem)
    before = slope_at(problem, 0.0, at_rest, inertia)
    after = slope_at(problem, 1.0, at_rest, inertia)
    if not -after > OVERSHOOT * abs(before):
        return 1.0
    low, high, at_low, at_high = 0.0, 1.0, before, after
    alpha = 1.0
    for k in range(SECANTS):
        alpha = low + (high - low) * at_low / (at_low - at_high) if k % 2 == 0 else 0.5 * (low + high)
        here = slope_at(problem, alpha, at_rest, inertia)
        if abs(here) <= CLOSE * abs(before) or high - low < 1e-12:
            break
        if here > 0.0:
            low, at_low = alpha, here
        else:
            high, at_high = alpha, here
    return alpha


@kernel
def extrapolation(problem: Problem) -> float:
    """How far to go on from the radii after this step against those after the last one, so that they come to rest
    sooner (Anderson's mixing of two iterates): where radii and friction feed each other, they approach slowly."""
    above, below = 0.0, 0.0
    for k in range(problem.number[0].contacts):
        c = problem.contact[k]
        change = normal_impulse(c, c.gn + c.dn) - c.disc
        turn = change - c.last_change
        above += change * turn
        below += turn * turn
    return min(max(above / below, -2.0), 0.75) if below > 0.0 else 0.0


@kernel
def follow_radii(problem: Problem, theta: float, keep: float) -> None:
    """Radii of the discs of friction: the normal impulses after a full step, and a part `theta` of those before; a part
    `keep` of them stays as it is."""
    for k in range(problem.number[0].contacts):
        c = problem.contact[k]
        full = normal_impulse(c, c.gn + c.dn)
        c.last_change = full - c.disc
        c.disc = keep * c.disc + (1.0 - keep) * max(0.0, full - theta * (full - c.last_full))
        c.last_full = full


@kernel
def harden(problem: Problem, factor: float) -> None:
    """Make all contacts harder or softer. Where many change at once, hard ones leave Newton's method so little room
    between sticking and sliding that it hardly moves; soft ones do not, and lead it near the solution."""
    for k in range(problem.number[0].contacts):
        c = problem.contact[k]
        c.hard, c.soft, c.roll_soft = factor * c.hard, factor * c.soft, factor * c.roll_soft


@inlined
def damped_newton(problem: Problem, room: Rows, limit: int) -> tuple[float, int]:
    """Newton's method with the exact tangent, its steps halved until the residual falls: fast near a solution.
    Returns the residual, infinite if it does not get there, and the number of iterations."""
    best, alpha, tolerance = math.inf, 1.0, problem.number[0].tolerance
    iteration.set_radii(problem)
    for done in range(1, limit + 1):
        left, _ = iteration.load(problem, False)
        if left <= tolerance:
            return left, done
        if left <= 0.98 * best:
            best, alpha = left, 1.0
            iteration.keep_motion(problem, room, KEPT)
            iteration.newton_step_all(problem, room, True)
            iteration.keep_root_step(problem, room)
        else:
            alpha *= 0.5
        if alpha < 0.01:
            break
        iteration.restore_motion(problem, room, KEPT, alpha)
    iteration.restore_motion(problem, room, KEPT, 0.0)
    return math.inf, limit


@inlined
def newton_with_held_radii(problem: Problem, room: Rows, limit: int) -> tuple[float, int]:
    """The last resort: solve with the radii held, then move them a little, and less where they do not come nearer.
    Slow, but where many contacts share the weight and friction turns it from one to the other, nothing else comes to
    rest. Returns the residual and the number of iterations."""
    share, last_lag, residual, tolerance = 0.5, math.inf, math.inf, problem.number[0].tolerance
    for done in range(1, limit + 1):
        left, lag = iteration.load(problem, False)
        residual = max(left, lag)
        if residual <= tolerance or not math.isfinite(residual):
            return residual, done
        if left <= max(0.05 * lag, 0.5 * tolerance):
            share = max(0.5 * share, 0.02) if lag > last_lag else min(1.2 * share, 0.7)
            last_lag = lag
            for k in range(problem.number[0].contacts):
                c = problem.contact[k]
                c.disc += share * (c.pn - c.disc)
        else:
            iteration.newton_step_all(problem, room, False)
            iteration.take_step(problem, searched_length(problem))
    return residual, limit


@inlined
def descend(problem: Problem, room: Rows, limit: int, tolerance: float) -> tuple[float, int]:
    """Newton's method with radii that follow, and softer contacts where it is stuck. Returns the residual, infinite if
    it does not get there, and the number of iterations."""
    full_steps, tenths, since, patience = 0, 0, 0, PATIENCE
    for done in range(1, limit + 1):
        left, lag = iteration.load(problem, False)
        residual = max(left, lag)
        if not math.isfinite(residual) or (tenths == 0 and residual <= tolerance):
            return residual, done
        since += 1
        if tenths > 0 and residual <= SOFT_ENOUGH:
            harden(problem, 10.0)
            iteration.step_in_last_modes(problem, room)
            tenths, since, full_steps = tenths - 1, 0, 0
        elif since > patience and residual > NEAR and tenths < SOFTEST:
            harden(problem, 0.1 ** (SOFTEST - tenths))
            tenths, since, full_steps, patience = SOFTEST, 0, 0, 2 * patience
        else:
            iteration.newton_step_all(problem, room, False)
            alpha = searched_length(problem)
            full_steps = full_steps + 1 if alpha == 1.0 else 0
            if alpha == 1.0:
                theta = extrapolation(problem) if full_steps > 1 else 0.0
                halve = full_steps < 2 and since > HALVE_AFTER
                follow_radii(problem, theta, 0.5 if halve or (patience > PATIENCE and full_steps < SETTLED) else 0.0)
            iteration.take_step(problem, alpha)
    harden(problem, 10.0**tenths)
    return math.inf, limit


@inlined
def move_to_best(problem: Problem, room: Rows, limit: int) -> float:
    """The velocities with the smallest residual that the last ones and some steps from them lead to, where nothing
    comes to rest. Returns that residual."""
    best = math.inf
    for _ in range(limit):
        iteration.set_radii(problem)
        left, _ = iteration.load(problem, False)
        if left < best:
            best = left
            iteration.keep_motion(problem, room, BEST)
        iteration.newton_step_all(problem, room, False)
        iteration.take_step(problem, searched_length(problem))
    iteration.restore_motion(problem, room, BEST, 0.0)
    return iteration.load(problem, False)[0]


@kernel
def fallback(problem: Problem, room: Rows, limit: int, tolerance: float) -> tuple[float, int]:
    """All of this in turn, and longer each time. Returns the residual and the number of iterations; where nothing comes
    to rest, it is the smallest residual that was found."""
    residual, done, span = math.inf, 0, FIRST_STEPS
    while done < limit:
        residual, spent = descend(problem, room, span, tolerance)
        done += spent
        if residual <= tolerance or math.isnan(residual):
            break
        residual, spent = damped_newton(problem, room, EXACT_STEPS)
        done += spent
        if residual <= tolerance:
            break
        if span > FIRST_STEPS:
            residual, spent = newton_with_held_radii(problem, room, span)
            done += spent
            if residual <= tolerance:
                break
        span = 5 * FIRST_STEPS if span == FIRST_STEPS else 2 * span
    if not residual <= tolerance:
        residual = move_to_best(problem, room, max(min(TRIES, limit), 1))
    return residual, done
