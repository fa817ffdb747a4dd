"""Ground and links: P2's dry friction, and what extras add to it.

Friction impulses are kept in axes in which the admissible set is a disc (or, with extras, has one half flattened):
those of the world where friction is the same in all directions, scaled ones of the link else and with extras.
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, kernel
from pushpoint.numerics.projections import half_ellipse_share, project_half_ellipses
from pushpoint.numerics.records import Records
from pushpoint.numerics.residuals import interval_residual, skewed_residual
from pushpoint.plants.planar_stepping.extras import Extras
from pushpoint.plants.planar_stepping.model import Problem
from pushpoint.types import FloatArray

INSIDE = 1.0 - 1e-9  # a friction impulse whose square is below this part of the disc's was one of stick
LEAST_SKEW = 1e-6  # of weaker to stronger friction


@kernel
def slide(link: Records, i: int) -> tuple[float, float]:
    """Velocity of the centre of link i in the axes of its friction: P_T . gamma_T is the power, P2 (27)."""
    a = link[i]
    if a.along == a.across:
        return a.vx, a.vy
    return in_link_axes(a, a.vx, a.vy)


@fused
def in_link_axes(a: Records, x: float, y: float) -> tuple[float, float]:
    """A vector in the scaled axes of a link."""
    return a.along * (a.cos * x + a.sin * y), a.across * (a.cos * y - a.sin * x)


@fused
def ground_impulse(a: Records, r: float, held: bool) -> tuple[float, float, float, float, float]:
    """Friction of a link in world axes, and the terms xx, xy, yy of its mass and of the tangent of friction; P2 (58).
    A disc (50) needs no axes of the link, an ellipse (52) does."""
    radius, along, across, even = a.disc, a.along, a.across, a.along == a.across
    c, s, vx, vy = a.cos, a.sin, a.vx, a.vy
    if not even:
        vx, vy = in_link_axes(a, vx, vy)
    guess_x, guess_y = a.ground_guess_x, a.ground_guess_y
    x, y = guess_x - r * vx, guess_y - r * vy
    limit, square = radius * radius, x * x + y * y
    stuck = held and guess_x * guess_x + guess_y * guess_y < INSIDE * limit
    if square > limit and not stuck:  # slip: only what is across the impulse can change
        shrink = 1.0 / math.sqrt(square)
        x, y, k = x * shrink, y * shrink, r * radius * shrink
        tx, ty = -along * y, across * x
        x, y = radius * x, radius * y
        if not even:
            tx, ty = c * tx - s * ty, s * tx + c * ty
        xx, xy, yy = k * tx * tx, k * tx * ty, k * ty * ty
    elif even:
        xx, xy, yy = r, 0.0, r
    else:
        kx, ky = r * along * along, r * across * across
        xx, xy, yy = c * c * kx + s * s * ky, c * s * (kx - ky), s * s * kx + c * c * ky
    a.ground_x, a.ground_y = x, y
    if not even:
        x, y = along * x, across * y
        x, y = c * x - s * y, s * x + c * y
    return x, y, a.mass + xx, xy, a.mass + yy


@kernel
def lay_ground(problem: Problem, extras: Extras) -> None:
    """Give every link the ground law of the patch that its centre is on."""
    for i in range(problem.chain.shape[0]):
        a = problem.link[i]
        law = 0
        for k in range(extras.patch.shape[0]):
            if extras.patch[k, 0] <= a.x < extras.patch[k, 1] and extras.patch[k, 2] <= a.y < extras.patch[k, 3]:
                law = 1 + k
        set_law(problem, extras.more[i], a, extras.law, law)


@fused
def set_law(problem: Problem, b: Records, a: Records, table: FloatArray, law: int) -> None:
    """The radius of the friction disc, the scales of its axes, and the rest, from a row of the table of laws."""
    forward, backward, across = table[law, 0], table[law, 1], table[law, 2]
    strong = max(forward, backward)
    largest = max(strong, across)
    dt = problem.number[0].dt
    pressed = a.mass * problem.number[0].gravity * dt
    a.disc = largest * pressed
    if largest > 0.0:
        a.along, a.across = strong / largest, across / largest
    b.skew = 0.0
    if forward < backward:  # a link that moves forward is pushed backward, x < 0
        b.skew = -max(forward / backward, LEAST_SKEW)
    elif backward < forward:
        b.skew = max(backward / forward, LEAST_SKEW)
    b.drag_along, b.drag_across = dt * table[law, 3], dt * table[law, 4]
    b.spin = table[law, 5] * 0.5 * across * pressed * a.half  # P1 (14); a.half is its l


@fused
def rough_ground(link: Records, more: Records, i: int, penalty: float, held: bool) -> None:
    """ground_impulse with half ellipses, drag and friction torque."""
    a, b = link[i], more[i]
    radius, r, along, across = a.disc, penalty * a.mass, a.along, a.across
    c, s = a.cos, a.sin
    v_along, v_across = c * a.vx + s * a.vy, c * a.vy - s * a.vx
    x = y = 0.0
    xx, xy, yy = b.drag_along, 0.0, b.drag_across  # tangent in link axes
    if radius > 0.0:
        guess_x, guess_y = a.ground_guess_x, a.ground_guess_y
        x, y = guess_x - r * along * v_along, guess_y - r * across * v_across
        px, py, tx, ty, share = project_half_ellipses(x, y, radius, b.skew)
        if share > 1.0 or (held and half_ellipse_share(guess_x, guess_y, radius, b.skew) < INSIDE):  # stick
            xx, yy = xx + r * along * along, yy + r * across * across
        else:
            x, y, tx, ty = px, py, along * tx, across * ty
            xx, xy, yy = xx + r * share * tx * tx, r * share * tx * ty, yy + r * share * ty * ty
    a.ground_x, a.ground_y = x, y
    x, y = along * x - b.drag_along * v_along, across * y - b.drag_across * v_across
    b.ground_x, b.ground_y = c * x - s * y, s * x + c * y
    a.applied_x, a.applied_y = b.ground_x, b.ground_y
    a.xx = a.mass + c * c * xx - 2.0 * c * s * xy + s * s * yy
    a.xy = c * s * (xx - yy) + (c * c - s * s) * xy
    a.yy = a.mass + s * s * xx + 2.0 * c * s * xy + c * c * yy
    a.xw, a.yw, a.ww = 0.0, 0.0, a.inertia + spin_tangent(a, b, penalty * a.inertia, held)
    a.applied_w = b.spin_impulse


@fused
def spin_tangent(a: Records, b: Records, r: float, held: bool) -> float:
    """Friction torque of a link that turns, P1 (14) with stick; returns its tangent."""
    b.spin_impulse = b.spin_guess - r * a.w
    if abs(b.spin_impulse) <= b.spin or (held and abs(b.spin_guess) < INSIDE * b.spin):
        return r if b.spin > 0.0 else 0.0
    b.spin_impulse = math.copysign(b.spin, b.spin_impulse)
    return 0.0


@fused
def rough_ground_residual(link: Records, more: Records, i: int, per_unit: float, per_speed: float) -> float:
    """Natural-map residual of the friction laws of link i."""
    a, b = link[i], more[i]
    wrong = 0.0
    if a.disc > 0.0:
        vx, vy = in_link_axes(a, a.vx, a.vy)
        px, py = a.ground_x * per_unit, a.ground_y * per_unit
        wrong = skewed_residual(px, py, vx * per_speed, vy * per_speed, a.disc * per_unit, b.skew)
    if b.spin > 0.0:
        per_moment, reach = per_unit / a.half, per_speed * a.half
        wrong = max(wrong, interval_residual(b.spin_impulse * per_moment, a.w * reach, b.spin * per_moment))
    return wrong
