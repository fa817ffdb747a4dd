"""Semismooth Newton for the problem of a step: one O(n) sweep per iteration, line search, multipliers.

Without friction at obstacles the problem is convex. With it, limits of friction follow the normal impulses at first:
Newton's method for Coulomb's law as it is, which takes two or three sweeps where it ends. Where it has not soon, limits
are lagged, as `contact_law` says.
"""

from __future__ import annotations

from pushpoint._jit import fused, kernel
from pushpoint.mechanics.planar_chain import chord_change, chords_still_fit, take_chords
from pushpoint.numerics.records import Records
from pushpoint.plants.planar_stepping.contact_law import renew_limits
from pushpoint.plants.planar_stepping.coupled import solve
from pushpoint.plants.planar_stepping.extended import Contacts, Ground, Joints
from pushpoint.plants.planar_stepping.first_guess import keep_first_guess, take_first_guess
from pushpoint.plants.planar_stepping.laws import (
    evaluate,
    is_free,
    keep_multipliers,
    law_residual,
    laws_hold,
)
from pushpoint.plants.planar_stepping.model import Problem

# Error of the chords over the tolerance, as a part of the fastest link's speed. At the default tolerance it adds up to
# micrometres in a minute, far below the error of the steps.
CHORD_ERROR = 100.0
# They settle in one or two updates. Those before the last are early, while impulses still move: where that goes on, it
# is better to solve for them first. Where chords do not settle at all, links turn too far in the step.
CHORD_UPDATES, EARLY_UPDATES = 30, 20
# Without friction and contacts the momenta are conserved, and what a step leaves adds up. There is no penalty that
# amplifies round-off either, so that the solve can go on to it: one or two sweeps more.
FREE_TOLERANCE = 1e-13
FREE_CHORD_ERROR = 1e-14
FREE_SWEEPS = 6  # at most, for the sake of round-off in long chains
NEAR = 1e-4  # imbalance, as a part of what it was, for which the slope is not needed
# Limits of friction follow the normal impulses for so many sweeps, or for a part of those allowed; then they are
# lagged, from the first guess on where the imbalance is larger than NEARLY.
FOLLOWING, FOLLOWING_SHARE, NEARLY = 12, 3, 1e-4
FRICTION_SWEEPS = 40  # what friction at obstacles has not settled by then is left to `friction_limits`
LIMITS_BELOW = 0.1  # imbalance below which impulses are good enough to take friction limits from
CHORDS_BELOW = 0.1  # imbalance below which the chords are updated: early, as an update costs less than a sweep
# The line search is easy-going at first. Where flags go round in circles, as they can with kinked laws, it turns to the
# minimum along the step: descent on a convex function then ends every circle.
GOOD, VERY_GOOD, PATIENCE = 0.5, 1e-3, 8
SHORTENINGS = 30
HOPELESS = 1e300  # imbalance of a step that there is no room to solve
# r over the link's mass, per second of the step, as impulses grow with it [1/s]. Large ones settle the multipliers in
# one update, but amplify round-off; a link that slides at a speed of R / r or less needs them: they grow where an
# update gains too little.
LEAST_PENALTY, MOST_PENALTY, GAIN = 1e8, 1e12, 0.1
# An imbalance below that and no longer falling is round-off, which a smaller penalty amplifies less; with limits of
# friction that still move, it may be more than that.
ROUND_OFF, FRICTION_ROUND_OFF = 1e-6, 1e-7


@kernel
def slope(problem: Problem) -> float:
    """Derivative of the convex function along the Newton step (minus the power of the imbalance)."""
    link, links = problem.link, problem.chain.shape[0]
    power = behind = 0.0
    for i in range(link.shape[0]):
        a = link[i]
        torque = a.torque if 0 < i < links else 0.0
        power += torque * (a.dw - behind) + (a.fx * a.dx + a.fy * a.dy + a.fw * a.dw)
        behind = a.dw
    return -power


@kernel
def move(link: Records, length: float) -> None:
    """Go on along the Newton step, by `length` times it."""
    for i in range(link.shape[0]):
        a = link[i]
        a.vx += length * a.dx
        a.vy += length * a.dy
        a.w += length * a.dw


@kernel
def chords_fit(problem: Problem, error: float) -> bool:
    """Whether the joints close after the step; if not, chords that fit the present rates are taken."""
    dt, most = problem.number[0].dt, error * problem.number[0].speed
    if chords_still_fit(problem.chain, dt, most) or chord_change(problem.chain, dt) <= most:
        return True
    take_chords(problem.chain)
    return False


@fused
def shorten(
    problem: Problem, at_zero: float, at_one: float, good: float, ground: Ground | None, contacts: Contacts | None,
    joints: Joints | None,
) -> float:  # fmt: skip
    """Go to where the slope along a Newton step that overshot is below `good` of what it was: safeguarded secants.
    Returns the imbalance there."""
    residual = 1.0
    low, high, low_slope, high_slope, at_length = 0.0, 1.0, at_zero, at_one, 1.0
    for k in range(SHORTENINGS):
        share = 0.5 if k % 3 == 2 else min(0.9, max(0.1, low_slope / (low_slope - high_slope)))
        length = low + share * (high - low)
        move(problem.link, length - at_length)
        residual = evaluate(problem, ground, contacts, joints)
        at_length, at = length, slope(problem)
        if abs(at) <= good * abs(at_zero):
            break
        if at > 0.0:
            high, high_slope = length, at
        else:
            low, low_slope = length, at
    return residual


@kernel
def hold(problem: Problem, ground: Ground | None, contacts: Contacts | None, joints: Joints | None) -> None:
    """Evaluate with all contacts closed and all links stuck that the multipliers show so (see laws)."""
    problem.number[0].held = 1.0
    evaluate(problem, ground, contacts, joints)


@fused
def newton_step(
    problem: Problem, before: float, good: float, ground: Ground | None, contacts: Contacts | None,
    joints: Joints | None,
) -> float:  # fmt: skip
    """One sweep, and as much of its step as is good. Returns the imbalance after it.

    The slope along the step grows from below zero, so that only an overshoot is refused: a slope at its end above
    `good` of the one at its start.
    """
    held, problem.number[0].held = problem.number[0].held > 0.0, 0.0
    if not solve(problem, contacts):
        return HOPELESS
    at_zero = 0.0 if held else slope(problem)
    residual = evaluate(problem, ground, contacts, joints)
    if held or residual <= NEAR * before:
        return residual
    at_one = slope(problem)
    if at_one > good * abs(at_zero):
        return shorten(problem, at_zero, at_one, good, ground, contacts, joints)
    return residual


@kernel
def is_rough(problem: Problem) -> bool:
    """Whether there is friction at any contact."""
    most = 0.0
    for k in range(problem.first[problem.link.shape[0]]):
        most = max(most, problem.contact[k].mu)
    return bool(most > 0.0)


@kernel
def follow(problem: Problem, ground: Ground | None, contacts: Contacts, joints: Joints | None) -> None:
    """Let limits of friction follow the normal impulses, where there is any and limits are not fixed."""
    problem.number[0].follows = 0.0
    if problem.number[0].limits_fixed == 0.0 and is_rough(problem):
        problem.number[0].follows = 1.0
        keep_first_guess(problem, ground, contacts, joints)


@kernel
def lag_limits(
    problem: Problem, residual: float, ground: Ground | None, contacts: Contacts, joints: Joints | None
) -> None:
    """Go over to lagged limits of friction."""
    problem.number[0].follows = 0.0
    if residual <= NEARLY:
        keep_multipliers(problem, ground, contacts, joints)
    else:
        take_first_guess(problem, ground, contacts, joints)
        problem.number[0].penalty = LEAST_PENALTY * problem.number[0].dt
    hold(problem, ground, contacts, joints)


@fused
def newton(
    problem: Problem, ground: Ground | None, contacts: Contacts | None, joints: Joints | None
) -> tuple[float, int]:
    """Solve for the end velocity from the guess there. Returns the residual and the number of sweeps."""
    limit, tolerance, begin = int(problem.number[0].max_iterations), problem.number[0].tolerance, 0
    chord_updates, renews = CHORD_UPDATES, problem.number[0].limits_fixed == 0.0
    if not problem.number[0].conserving > 0.0:
        chord_updates = 0
    error = CHORD_ERROR * tolerance
    if is_free(problem, ground, contacts):
        error, tolerance = FREE_CHORD_ERROR, FREE_TOLERANCE
    problem.number[0].penalty = LEAST_PENALTY * problem.number[0].dt
    problem.number[0].accepted = problem.number[0].tolerance
    following, lags = min(FOLLOWING, limit // FOLLOWING_SHARE), False
    if contacts is not None:
        follow(problem, ground, contacts, joints)
        lags = problem.number[0].follows == 0.0 and is_rough(problem)
    hold(problem, ground, contacts, joints)
    residual, last_law, lag = 1.0, 1.0, 0.0
    problem.number[0].lag = 0.0
    for iteration in range(limit):
        if contacts is not None and iteration == following and problem.number[0].follows > 0.0:
            lag_limits(problem, residual, ground, contacts, joints)
            begin, last_law, lags = iteration, 1.0, True
        before, good = residual, GOOD if iteration < begin + PATIENCE else VERY_GOOD
        residual = newton_step(problem, before, good, ground, contacts, joints)
        if iteration == FREE_SWEEPS:
            tolerance = problem.number[0].tolerance
            error = CHORD_ERROR * tolerance
        if contacts is not None and iteration == begin + FRICTION_SWEEPS and lag > tolerance:
            return max(residual, lag), iteration + 1
        again = False
        law = 0.0
        if residual <= tolerance and (joints is not None or lags or not laws_hold(problem, residual, ground, contacts)):
            law = law_residual(problem, ground, contacts, joints)
        if contacts is not None and renews and lags and residual < LIMITS_BELOW:
            lag = problem.number[0].lag = renew_limits(problem, iteration - begin)
        if residual <= (CHORDS_BELOW if chord_updates > EARLY_UPDATES else tolerance) and chord_updates > 0:
            chord_updates -= 1
            again = not chords_fit(problem, error)
            if again and chord_updates == 0:
                return HOPELESS, iteration + 1
        if residual <= tolerance and not again:
            if law <= tolerance and lag <= tolerance:
                return max(residual, law, lag), iteration + 1
            if law > GAIN * last_law and lag <= tolerance:
                problem.number[0].penalty = min(10.0 * problem.number[0].penalty, MOST_PENALTY * problem.number[0].dt)
            again, last_law = True, law
        elif 0.5 * before < residual < (ROUND_OFF if lag == 0.0 else FRICTION_ROUND_OFF) and iteration > FREE_SWEEPS:
            problem.number[0].penalty *= 0.1
            again = True
        if again:
            keep_multipliers(problem, ground, contacts, joints)
            hold(problem, ground, contacts, joints)
    problem.number[0].held = 0.0
    return max(evaluate(problem, ground, contacts, joints), lag, law_residual(problem, ground, contacts, joints)), limit
