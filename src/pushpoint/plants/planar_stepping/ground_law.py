"""Ground and links: P2's dry friction (basic), and all that other grounds add to it (extended).

Friction impulses are kept in axes in which the admissible set is a disc (or, extended, has one half flattened): those
of the world where friction is the same in all directions, scaled ones of the link elsewhere and where it is extended.
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, kernel
from pushpoint.numerics.projections import half_ellipse_share, project_half_ellipses
from pushpoint.numerics.records import Records
from pushpoint.numerics.residuals import friction_residual, interval_residual, skewed_residual
from pushpoint.plants.planar_stepping.extended import Ground
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
def basic_impulse(a: Records, r: float, held: bool) -> tuple[float, float, float, float, float]:
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
def lay_ground(problem: Problem, ground: Ground) -> None:
    """Give every link the ground law of the patch that its centre is on. Without patches it changes with dt alone."""
    if ground.patch.shape[0] == 0 and problem.number[0].laid == problem.number[0].dt:
        return
    problem.number[0].laid = problem.number[0].dt
    for i in range(problem.chain.shape[0]):
        a = problem.link[i]
        law = 0
        for k in range(ground.patch.shape[0]):
            if ground.patch[k, 0] <= a.x < ground.patch[k, 1] and ground.patch[k, 2] <= a.y < ground.patch[k, 3]:
                law = 1 + k
        set_law(problem, ground.link[i], a, ground.law, law)


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
def extended_impulse(
    a: Records, b: Records, penalty: float, held: bool
) -> tuple[float, float, float, float, float, float, float]:
    """The same with half ellipses, drag and friction torque: impulse x, y and moment; terms xx, xy, yy and ww."""
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
    turned_xx = a.mass + c * c * xx - 2.0 * c * s * xy + s * s * yy
    turned_xy = c * s * (xx - yy) + (c * c - s * s) * xy
    turned_yy = a.mass + s * s * xx + 2.0 * c * s * xy + c * c * yy
    ww = a.inertia + spin_tangent(a, b, penalty * a.inertia, held)
    return b.ground_x, b.ground_y, b.spin_impulse, turned_xx, turned_xy, turned_yy, ww


@fused
def impulse(
    a: Records, i: int, penalty: float, held: bool, ground: Ground | None
) -> tuple[float, float, float, float, float, float, float]:
    """Of the ground on link i, as extended_impulse."""
    if ground is not None:
        return extended_impulse(a, ground.link[i], penalty, held)
    x, y, xx, xy, yy = 0.0, 0.0, a.mass, 0.0, a.mass
    if a.disc > 0.0:
        x, y, xx, xy, yy = basic_impulse(a, penalty * a.mass, held)
    return x, y, 0.0, xx, xy, yy, a.inertia


@fused
def in_world_axes(a: Records) -> tuple[float, float]:
    """The friction impulse of a link on basic ground, turned from its axes to the world's."""
    if a.along == a.across:
        return a.ground_x, a.ground_y
    along, across = a.along * a.ground_x, a.across * a.ground_y
    return a.cos * along - a.sin * across, a.sin * along + a.cos * across


@fused
def spin_tangent(a: Records, b: Records, r: float, held: bool) -> float:
    """Friction torque of a link that turns, P1 (14) with stick; returns its tangent."""
    b.spin_impulse = b.spin_guess - r * a.w
    if abs(b.spin_impulse) <= b.spin or (held and abs(b.spin_guess) < INSIDE * b.spin):
        return r if b.spin > 0.0 else 0.0
    b.spin_impulse = math.copysign(b.spin, b.spin_impulse)
    return 0.0


@kernel
def basic_residual(link: Records, i: int, per_unit: float, per_speed: float) -> float:
    """Natural-map residual of the friction law of link i."""
    a = link[i]
    if not a.disc > 0.0:
        return 0.0
    vx, vy = slide(link, i)
    px, py = a.ground_x * per_unit, a.ground_y * per_unit
    return friction_residual(px, py, vx * per_speed, vy * per_speed, a.disc * per_unit)


@fused
def extended_residual(link: Records, ground: Records, i: int, per_unit: float, per_speed: float) -> float:
    """The same of half ellipses and of the friction torque."""
    a, b = link[i], ground[i]
    wrong = 0.0
    if a.disc > 0.0:
        vx, vy = in_link_axes(a, a.vx, a.vy)
        px, py = a.ground_x * per_unit, a.ground_y * per_unit
        wrong = skewed_residual(px, py, vx * per_speed, vy * per_speed, a.disc * per_unit, b.skew)
    if b.spin > 0.0:
        per_moment, reach = per_unit / a.half, per_speed * a.half
        wrong = max(wrong, interval_residual(b.spin_impulse * per_moment, a.w * reach, b.spin * per_moment))
    return wrong
