"""Contacts: smooth ones with fixed discs as P2 has them (basic); with Coulomb friction, with obstacles that move, and
of links with each other (extended).

The friction of a contact is bounded by mu times its normal impulse, which is not known beforehand. At first the bound
follows that impulse (`number.follows`): friction that slides is a part of it, and its tangent is not symmetric. Where
Newton's method does not end with that, the bound is lagged: it is `limit` within one Newton step, and mu times the
impulse found for the next. With it fixed the step is a convex problem; the two agree at the end, or the step does not
count as solved.
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, kernel
from pushpoint.numerics.records import Records
from pushpoint.numerics.residuals import interval_residual, unilateral_residual
from pushpoint.plants.planar_stepping.ground_law import INSIDE
from pushpoint.plants.planar_stepping.model import LEAVES, Problem

AVERAGED_FROM = 8  # iterations: from there limits move by half as much, which ends most oscillations
# Where friction presses a link on, or lifts it off, limits close in geometrically: Aitken's rule says where to. It goes
# at least and at most so far, where 1 is the limit that was found.
LEAST_SHARE, MOST_SHARE = 0.2, 5.0
# From there ever less, so that what does not come to rest by itself does: if it is off by too much, the step fails.
SETTLING_FROM, SETTLING = 40, 0.95


@kernel
def approach_speed(link: Records, contact: Records, i: int, k: int) -> float:
    """gamma_H + gap / dt: not negative at the end of the step, P2 (59)."""
    a = link[i]
    speed: float = contact[k].normal_x * a.vx + contact[k].normal_y * a.vy + contact[k].arm * a.w
    return speed + float(contact[k].approach)


@kernel
def apply_contact(link: Records, contact: Records, i: int, k: int) -> None:
    """Add the impulse of contact k to link i; it pushes the link off."""
    a = link[i]
    a.applied_x += contact[k].normal_x * contact[k].impulse
    a.applied_y += contact[k].normal_y * contact[k].impulse
    a.applied_w += contact[k].arm * contact[k].impulse


@fused
def basic_impulse(a: Records, c: Records, r: float, held: bool) -> tuple[float, float]:
    """Normal impulse of a contact on its link, P2 (57), and the tangent: r, or zero where the contact is open."""
    impulse = c.guess - r * (c.normal_x * a.vx + c.normal_y * a.vy + c.arm * a.w + c.approach)
    is_open = (c.passing == LEAVES) if held and c.guess > 0.0 else (impulse <= 0.0)
    c.impulse = 0.0 if is_open else impulse
    return c.impulse, 0.0 if is_open else r


@kernel
def basic_residual(link: Records, contact: Records, i: int, k: int, per_unit: float, per_speed: float) -> float:
    """Natural-map residual of the law of contact k of link i."""
    gap_rate = approach_speed(link, contact, i, k)
    return unilateral_residual(contact[k].impulse * per_unit, gap_rate * per_speed)


@fused
def relative_speeds(link: Records, contact: Records, i: int, k: int) -> tuple[float, float]:
    """gamma_H + approach, and the speed of sliding to the left of the normal, at contact k of link i."""
    a, c = link[i], contact[k]
    tx, ty = -c.normal_y, c.normal_x
    normal = c.normal_x * a.vx + c.normal_y * a.vy + c.arm * a.w + c.approach
    tangential = tx * a.vx + ty * a.vy + c.arm_t * a.w
    other = int(c.other)
    if other >= 0:
        b = link[other]
        normal -= c.normal_x * b.vx + c.normal_y * b.vy + c.arm_other * b.w
        tangential -= tx * b.vx + ty * b.vy + c.lever * b.w
    return normal, tangential


@kernel
def extended_impulse(link: Records, contact: Records, i: int, k: int, r: float, held: bool, follows: bool) -> None:
    """Normal and friction impulse of contact k of link i, with their tangents; applied to both partners."""
    c = contact[k]
    normal, tangential = relative_speeds(link, contact, i, k)
    c.impulse, c.stiff = c.guess - r * normal, r
    if c.impulse <= 0.0 and not (held and c.guess > 0.0):
        c.impulse = c.stiff = 0.0
    c.impulse_t = c.stiff_t = c.slip = 0.0
    if follows:
        following_friction(c, c.guess_t - r * tangential, r, held)
    elif c.limit > 0.0:
        c.impulse_t, c.stiff_t = c.guess_t - r * tangential, r
        if abs(c.impulse_t) > c.limit and not (held and abs(c.guess_t) < INSIDE * c.limit):
            c.impulse_t, c.stiff_t = math.copysign(c.limit, c.impulse_t), 0.0
    push(link[i], c)
    other = int(c.other)
    if other >= 0:
        pull(link[other], c)
    elif follows:
        stiffen_unevenly(link[i], c)
    else:
        stiffen(link[i], c)


@fused
def following_friction(c: Records, trial: float, r: float, held: bool) -> None:
    """Friction within mu times the normal impulse of the same velocity; `trial`: what it would be if it stuck."""
    c.limit = c.mu * c.impulse
    if not (c.mu > 0.0 and c.stiff > 0.0):
        return
    slides, along = abs(trial) > c.limit, trial
    if held and c.guess > 0.0:
        slides = abs(c.guess_t) >= INSIDE * c.mu * c.guess
        along = c.guess_t if slides else trial
    if slides:
        c.slip = math.copysign(c.mu, along)
        c.impulse_t = c.slip * c.impulse
    else:
        c.impulse_t, c.stiff_t = trial, r


@fused
def push(a: Records, c: Records) -> None:
    """Add the impulses of a contact to its link."""
    a.applied_x += c.normal_x * c.impulse - c.normal_y * c.impulse_t
    a.applied_y += c.normal_y * c.impulse + c.normal_x * c.impulse_t
    a.applied_w += c.arm * c.impulse + c.arm_t * c.impulse_t


@fused
def pull(b: Records, c: Records) -> None:
    """Take the impulses of a contact from its other partner; the normal passes through the centre of an obstacle."""
    b.applied_x -= c.normal_x * c.impulse - c.normal_y * c.impulse_t
    b.applied_y -= c.normal_y * c.impulse + c.normal_x * c.impulse_t
    b.applied_w -= c.arm_other * c.impulse + c.lever * c.impulse_t


@fused
def stiffen(a: Records, c: Records) -> None:
    """Add the tangents of a contact with a fixed obstacle to the block of its link."""
    nx, ny, n, t = c.normal_x, c.normal_y, c.stiff, c.stiff_t
    a.xx += n * nx * nx + t * ny * ny
    a.xy += (n - t) * nx * ny
    a.yy += n * ny * ny + t * nx * nx
    a.xw += n * nx * c.arm - t * ny * c.arm_t
    a.yw += n * ny * c.arm + t * nx * c.arm_t
    a.ww += n * c.arm * c.arm + t * c.arm_t * c.arm_t


@fused
def stiffen_unevenly(a: Records, c: Records) -> None:
    """The same with the terms of a block that is not symmetric: friction follows the normal impulse."""
    nx, ny, n, t = c.normal_x, c.normal_y, c.stiff, c.stiff_t
    x, y, turn = n * (nx - c.slip * ny), n * (ny + c.slip * nx), n * (c.arm + c.slip * c.arm_t)
    across = t * nx * ny
    a.xx += x * nx + t * ny * ny
    a.xy += x * ny - across
    a.yx += y * nx - across
    a.yy += y * ny + t * nx * nx
    a.xw += x * c.arm - t * ny * c.arm_t
    a.wx += turn * nx - t * ny * c.arm_t
    a.yw += y * c.arm + t * nx * c.arm_t
    a.wy += turn * ny + t * nx * c.arm_t
    a.ww += turn * c.arm + t * c.arm_t * c.arm_t


@fused
def extended_residual(link: Records, contact: Records, i: int, k: int, per_unit: float, per_speed: float) -> float:
    """Natural-map residual of the laws of contact k, friction with its limit."""
    c = contact[k]
    normal, tangential = relative_speeds(link, contact, i, k)
    wrong = unilateral_residual(c.impulse * per_unit, normal * per_speed)
    if c.mu > 0.0:
        wrong = max(wrong, interval_residual(c.impulse_t * per_unit, tangential * per_speed, c.limit * per_unit))
    return wrong


@fused
def slides(problem: Problem, k: int) -> bool:
    """Whether a contact at its limit slides faster than one step of its multiplier would bring it there from zero."""
    c = problem.contact[k]
    i = int(c.owner)
    tangential = relative_speeds(problem.link, problem.contact, i, k)[1]
    return bool(abs(tangential) * problem.number[0].penalty * problem.link[i].mass > c.limit)


@fused
def extrapolated(c: Records, change: float, usual: float) -> float:
    """The share of `change` that brings the limit of a contact that slides to where it will stay, from its last change;
    `usual` for others."""
    share = usual
    if c.stiff_t == 0.0 and c.last_limit >= 0.0 and c.limit != c.last_limit:
        slope = (change - c.last_change) / (c.limit - c.last_limit)
        if slope < 0.0:
            share = min(MOST_SHARE, max(LEAST_SHARE, -1.0 / slope))
    c.last_limit, c.last_change = c.limit if c.stiff_t == 0.0 else -1.0, change
    return share


@kernel
def renew_limits(problem: Problem, iteration: int) -> float:
    """Friction limits from the impulses found; returns the largest change that matters as a residual.

    That of a contact that sticks well inside of both limits does not: where links rest on the ground, normal impulses
    are not unique and may wander. The friction of a contact that slides goes along with its limit: else it
    would seem to stick. Where it is only on the verge of sliding it stays, and may stick with the new limit: if
    it went along, friction and normal impulse of a wedged robot at rest could raise each other for ever.
    """
    contact = problem.contact
    usual, settling = 1.0 if iteration < AVERAGED_FROM else 0.5, SETTLING ** max(0, iteration - SETTLING_FROM)
    largest = 0.0
    for k in range(problem.first[problem.link.shape[0]]):
        c = contact[k]
        if c.mu > 0.0:
            change = c.mu * c.impulse - c.limit
            if abs(c.impulse_t) >= min(c.limit, c.limit + change):
                largest = max(largest, abs(change))
            c.limit = max(0.0, c.limit + settling * extrapolated(c, change, usual) * change)
            if c.stiff_t == 0.0 and slides(problem, k):
                c.impulse_t = math.copysign(c.limit, c.impulse_t)
    return float(largest / (problem.number[0].weight * problem.number[0].dt))
