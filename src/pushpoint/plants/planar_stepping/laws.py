"""The force laws of a step: impulses as functions of the end velocity, their tangents, and their residuals.

With multipliers from the last iterate (augmented Lagrangian) every impulse is a monotone function of a velocity:

    contact   P_H = max(0, P_H' - r (gamma_H + gap / dt))                 P2 (57), inelastic
    friction  P_T = projection on the disc of P_T' - r gamma_T            P2 (58), scaled to a disc for (52)
    servo     P_J = clip(dead band(a - kappa rate) + feed-forward)        P2 (43) at the end of the step, implicit

so that the step is the minimum of a strictly convex function of the end velocity. r is `penalty` times the link's mass:
an update of the multipliers shrinks the error of a law of stick by about that factor. `held` keeps every contact closed
and every link stuck that the multipliers show so, whatever the velocity: after a change of the problem the next Newton
step is then the right one unless something really opens or slips.
"""

from __future__ import annotations

import math

from pushpoint._jit import inlined, kernel
from pushpoint.mechanics.planar_chain import carried
from pushpoint.numerics.projections import clip, dead_band
from pushpoint.numerics.records import Records
from pushpoint.numerics.residuals import friction_residual, unilateral_residual
from pushpoint.plants.planar_stepping.model import DT, GRAVITY, HELD, PENALTY, SPEED, WEIGHT, WORST_LINK, Problem

INSIDE = 1.0 - 1e-9  # a friction impulse whose square is below this part of the disc's was one of stick


@kernel
def load_imbalance(link: Records, i: int) -> None:
    """M (u_A - u_E) + applied impulses: what the joints of link i must carry, P2 (55)."""
    a = link[i]
    a.fx = a.mass * (a.old_vx - a.vx) + a.applied_x
    a.fy = a.mass * (a.old_vy - a.vy) + a.applied_y
    a.fw = a.inertia * (a.old_w - a.w) + a.applied_w


@kernel
def slide(link: Records, i: int) -> tuple[float, float]:
    """Velocity of the centre of link i in scaled link axes: P_T . gamma_T is the power, P2 (27)."""
    a = link[i]
    along = a.cos * a.vx + a.sin * a.vy
    across = a.cos * a.vy - a.sin * a.vx
    return a.along * along, a.across * across


@kernel
def approach_speed(link: Records, contact: Records, i: int, k: int) -> float:
    """gamma_H + gap / dt: not negative at the end of the step, P2 (59)."""
    a = link[i]
    speed: float = contact[k].normal_x * a.vx + contact[k].normal_y * a.vy + contact[k].arm * a.w
    return speed + float(contact[k].approach)


@inlined
def ground_impulse(link: Records, i: int, penalty: float, held: bool) -> None:
    """Friction of link i in the world frame, and its tangent; P2 (58) with (50) or (52)."""
    a = link[i]
    radius, r, along, across = a.disc, penalty * a.mass, a.along, a.across
    c, s, vx, vy = a.cos, a.sin, a.vx, a.vy
    guess_x, guess_y = a.ground_guess_x, a.ground_guess_y
    x, y = guess_x - r * along * (c * vx + s * vy), guess_y - r * across * (c * vy - s * vx)
    limit, square = radius * radius, x * x + y * y
    stuck = held and guess_x * guess_x + guess_y * guess_y < INSIDE * limit
    if square > limit and not stuck:  # slip: only what is across the impulse can change
        shrink = 1.0 / math.sqrt(square)
        x, y, k = x * shrink, y * shrink, r * radius * shrink
        tx, ty = -along * y, across * x
        x, y = radius * x, radius * y
        wx, wy = c * tx - s * ty, s * tx + c * ty
        xx, xy, yy = k * wx * wx, k * wx * wy, k * wy * wy
    else:
        kx, ky = r * along * along, r * across * across
        xx, xy, yy = c * c * kx + s * s * ky, c * s * (kx - ky), s * s * kx + c * c * ky
    a.xx, a.xy, a.yy = a.mass + xx, xy, a.mass + yy
    a.ground_x, a.ground_y = x, y
    x, y = along * x, across * y
    a.applied_x, a.applied_y = c * x - s * y, s * x + c * y


@kernel
def apply_contact(link: Records, contact: Records, i: int, k: int) -> None:
    """Add the impulse of contact k to link i; it pushes the link off."""
    a = link[i]
    a.applied_x += contact[k].normal_x * contact[k].impulse
    a.applied_y += contact[k].normal_y * contact[k].impulse
    a.applied_w += contact[k].arm * contact[k].impulse


@kernel
def contact_impulse(link: Records, contact: Records, i: int, k: int, r: float, held: bool) -> None:
    """Normal impulse of contact k on link i and its tangent; P2 (57)."""
    a = link[i]
    contact[k].impulse = contact[k].guess - r * approach_speed(link, contact, i, k)
    if contact[k].impulse <= 0.0 and not (held and contact[k].guess > 0.0):
        contact[k].impulse = 0.0
        return
    apply_contact(link, contact, i, k)
    nx, ny, arm = contact[k].normal_x, contact[k].normal_y, contact[k].arm
    a.xx += r * nx * nx
    a.xy += r * nx * ny
    a.yy += r * ny * ny
    a.xw += r * nx * arm
    a.yw += r * ny * arm
    a.ww += r * arm * arm


@kernel
def joint_impulse(link: Records, i: int, dt: float) -> None:
    """Servo impulse of the joint behind link i at the end rate, and its tangent; P2 (43) with the joint's rate."""
    a = link[i]
    stiffness = 0.5 * dt * a.servo_p + a.servo_d
    servo = a.drive - stiffness * (a.w - link[i - 1].w)
    demand = dead_band(servo, a.band) + a.feed
    a.torque = clip(demand, a.limit)
    free = abs(servo) < a.band or abs(demand) > a.limit
    a.stiffness = 0.0 if free else stiffness


@kernel
def evaluate(problem: Problem) -> float:
    """All impulses, tangents and imbalances at the present velocity; returns the residual of the balance: unbalanced
    impulse over (weight x dt), moments also over the link length."""
    link, penalty, held = problem.link, problem.number[PENALTY], problem.number[HELD] > 0.0
    dt = problem.number[DT]
    fx = fy = moment = worst = 0.0
    at, fastest = link.shape[0] - 1, problem.number[GRAVITY] * dt
    fastest *= fastest
    for i in range(link.shape[0] - 1, -1, -1):
        a = link[i]
        if a.disc > 0.0:
            ground_impulse(link, i, penalty, held)
        else:
            a.xx, a.xy, a.yy = a.mass, 0.0, a.mass
            a.applied_x = a.applied_y = 0.0
        a.xw, a.yw, a.ww = 0.0, 0.0, a.inertia
        a.applied_w = 0.0
        for k in range(problem.first[i], problem.first[i + 1]):
            contact_impulse(link, problem.contact, i, k, penalty * a.mass, held)
        load_imbalance(link, i)
        if i > 0:
            joint_impulse(link, i, dt)
        fx, fy, moment, wrong = carried(link, i, fx, fy, moment)
        if not wrong <= worst:
            worst, at = wrong, i
        fastest = max(fastest, squared_speed(link, i))
    problem.number[SPEED] = math.sqrt(fastest)
    problem.number[WORST_LINK] = at
    return float(max(abs(fx), abs(fy), worst) / (problem.number[WEIGHT] * dt))


@inlined
def squared_speed(link: Records, i: int) -> float:
    """Of the centre of link i, or of its ends about it."""
    a = link[i]
    turn = a.w * a.half
    return float(max(a.vx * a.vx + a.vy * a.vy, turn * turn))


@kernel
def law_residual(problem: Problem) -> float:
    """Largest natural-map residual of all contact laws, relative to the step's speeds (SPEED) and weight."""
    link, contact = problem.link, problem.contact
    if problem.number[SPEED] == 0.0:
        return 0.0
    per_unit, per_speed = 1.0 / (problem.number[WEIGHT] * problem.number[DT]), 1.0 / problem.number[SPEED]
    worst = 0.0
    for i in range(link.shape[0]):
        a = link[i]
        wrong = 0.0
        if a.disc > 0.0:
            vx, vy = slide(link, i)
            px, py = a.ground_x * per_unit, a.ground_y * per_unit
            wrong = friction_residual(px, py, vx * per_speed, vy * per_speed, a.disc * per_unit)
        for k in range(problem.first[i], problem.first[i + 1]):
            gap_rate = approach_speed(link, contact, i, k)
            wrong = max(wrong, unilateral_residual(contact[k].impulse * per_unit, gap_rate * per_speed))
        if not wrong <= worst:
            worst = wrong
            problem.number[WORST_LINK] = i
    return worst


@kernel
def is_free(problem: Problem) -> bool:
    """Whether nothing outside can act on the robot in this step."""
    return bool(problem.link[0].disc == 0.0 and problem.first[problem.link.shape[0]] == 0)


@kernel
def keep_multipliers(problem: Problem) -> None:
    """The impulses found become the multipliers of the next iteration."""
    link = problem.link
    for i in range(link.shape[0]):
        a = link[i]
        a.ground_guess_x, a.ground_guess_y = a.ground_x, a.ground_y
    for k in range(problem.first[link.shape[0]]):
        problem.contact[k].guess = problem.contact[k].impulse
