"""The force laws of a step: impulses as functions of the end velocity, their tangents, and their residuals.

With multipliers from the last iterate (augmented Lagrangian) every impulse is a monotone function of a velocity:

    contact   P_H = max(0, P_H' - r (gamma_H + gap / dt))                 P2 (57), inelastic
    friction  P_T = projection on the disc of P_T' - r gamma_T            P2 (58), scaled to a disc for (52)
    servo     P_J = clip(dead band(a - kappa rate) + feed-forward)        P2 (43) at the end of the step, implicit

so that the step is the minimum of a strictly convex function of the end velocity. r is `penalty` times the link's mass:
an update of the multipliers shrinks the error of a law of stick by about that factor. `held` keeps every contact closed and
every link stuck that the multipliers show so, whatever the velocity: after a change of the problem the next Newton step
is then the right one unless something really opens or slips.
"""

from __future__ import annotations

import math

from pushpoint._jit import kernel
from pushpoint.mechanics.planar_chain import (
    COS,
    FW,
    FX,
    FY,
    HALF,
    INERTIA,
    MASS,
    SIN,
    STIFFNESS,
    TORQUE,
    VX,
    VY,
    WW,
    XW,
    XX,
    XY,
    YW,
    YY,
    W,
    imbalance,
)
from pushpoint.numerics.projections import clip, dead_band
from pushpoint.numerics.residuals import friction_residual, unilateral_residual
from pushpoint.plants.planar_stepping.model import (
    ACROSS,
    ALONG,
    APPLIED_W,
    APPLIED_X,
    APPLIED_Y,
    APPROACH,
    ARM,
    BAND,
    DISC,
    DRIVE,
    DT,
    FEED,
    GRAVITY,
    GROUND_GUESS_X,
    GROUND_GUESS_Y,
    GROUND_X,
    GROUND_Y,
    GUESS,
    HELD,
    IMPULSE,
    LIMIT,
    NORMAL_X,
    NORMAL_Y,
    OLD_VX,
    OLD_VY,
    OLD_W,
    PENALTY,
    SERVO_D,
    SERVO_P,
    WEIGHT,
    WORST_LINK,
    Problem,
)
from pushpoint.types import FloatArray

INSIDE = 1.0 - 1e-9  # a friction impulse whose square is below this part of the disc's was one of stick


@kernel
def load_imbalance(link: FloatArray, i: int) -> None:
    """M (u_A - u_E) + applied impulses: what the joints of link i must carry, P2 (55)."""
    link[i, FX] = link[i, MASS] * (link[i, OLD_VX] - link[i, VX]) + link[i, APPLIED_X]
    link[i, FY] = link[i, MASS] * (link[i, OLD_VY] - link[i, VY]) + link[i, APPLIED_Y]
    link[i, FW] = link[i, INERTIA] * (link[i, OLD_W] - link[i, W]) + link[i, APPLIED_W]


@kernel
def slide(link: FloatArray, i: int) -> tuple[float, float]:
    """Velocity of the centre of link i in scaled link axes: P_T . gamma_T is the power, P2 (27)."""
    along = link[i, COS] * link[i, VX] + link[i, SIN] * link[i, VY]
    across = link[i, COS] * link[i, VY] - link[i, SIN] * link[i, VX]
    return link[i, ALONG] * along, link[i, ACROSS] * across


@kernel
def approach_speed(link: FloatArray, contact: FloatArray, i: int, k: int) -> float:
    """gamma_H + gap / dt: not negative at the end of the step, P2 (59)."""
    return (
        contact[k, NORMAL_X] * link[i, VX]
        + contact[k, NORMAL_Y] * link[i, VY]
        + contact[k, ARM] * link[i, W]
        + contact[k, APPROACH]
    )


@kernel
def ground_impulse(link: FloatArray, i: int, penalty: float, held: bool) -> tuple[float, float, float, float, float]:
    """Friction of link i in the world frame, and its tangent (xx, xy, yy); P2 (58) with (50) or (52)."""
    radius = link[i, DISC]
    vx, vy = slide(link, i)
    r = penalty * link[i, MASS]
    guess_x, guess_y = link[i, GROUND_GUESS_X], link[i, GROUND_GUESS_Y]
    x, y = guess_x - r * vx, guess_y - r * vy
    square = x * x + y * y
    kxx, kxy, kyy = r, 0.0, r
    stuck = held and guess_x * guess_x + guess_y * guess_y < INSIDE * radius * radius
    if square > radius * radius and not stuck:
        inverse = 1.0 / math.sqrt(square)
        x, y = x * inverse, y * inverse
        k = r * radius * inverse
        kxx, kxy, kyy = k * y * y, -k * x * y, k * x * x
        x, y = x * radius, y * radius
    link[i, GROUND_X], link[i, GROUND_Y] = x, y
    c, s, along, across = link[i, COS], link[i, SIN], link[i, ALONG], link[i, ACROSS]
    x, y = along * x, across * y
    kxx, kxy, kyy = kxx * along * along, kxy * along * across, kyy * across * across
    cc, cs, ss = c * c, c * s, s * s
    xx = cc * kxx - 2.0 * cs * kxy + ss * kyy
    xy = cs * (kxx - kyy) + (cc - ss) * kxy
    yy = ss * kxx + 2.0 * cs * kxy + cc * kyy
    return c * x - s * y, s * x + c * y, xx, xy, yy


@kernel
def apply_contact(link: FloatArray, contact: FloatArray, i: int, k: int) -> None:
    """Add the impulse of contact k to link i; it pushes the link off."""
    link[i, APPLIED_X] += contact[k, NORMAL_X] * contact[k, IMPULSE]
    link[i, APPLIED_Y] += contact[k, NORMAL_Y] * contact[k, IMPULSE]
    link[i, APPLIED_W] += contact[k, ARM] * contact[k, IMPULSE]


@kernel
def contact_impulse(link: FloatArray, contact: FloatArray, i: int, k: int, r: float, held: bool) -> None:
    """Normal impulse of contact k on link i and its tangent; P2 (57)."""
    contact[k, IMPULSE] = contact[k, GUESS] - r * approach_speed(link, contact, i, k)
    if contact[k, IMPULSE] <= 0.0 and not (held and contact[k, GUESS] > 0.0):
        contact[k, IMPULSE] = 0.0
        return
    apply_contact(link, contact, i, k)
    nx, ny, arm = contact[k, NORMAL_X], contact[k, NORMAL_Y], contact[k, ARM]
    link[i, XX] += r * nx * nx
    link[i, XY] += r * nx * ny
    link[i, YY] += r * ny * ny
    link[i, XW] += r * nx * arm
    link[i, YW] += r * ny * arm
    link[i, WW] += r * arm * arm


@kernel
def joint_impulse(link: FloatArray, i: int, dt: float) -> None:
    """Servo impulse of the joint behind link i at the end rate, and its tangent; P2 (43) with the joint's rate."""
    stiffness = 0.5 * dt * link[i, SERVO_P] + link[i, SERVO_D]
    servo = link[i, DRIVE] - stiffness * (link[i, W] - link[i - 1, W])
    demand = dead_band(servo, link[i, BAND]) + link[i, FEED]
    link[i, TORQUE] = clip(demand, link[i, LIMIT])
    free = abs(servo) < link[i, BAND] or abs(demand) > link[i, LIMIT]
    link[i, STIFFNESS] = 0.0 if free else stiffness


@kernel
def evaluate(problem: Problem) -> None:
    """All impulses, tangents and imbalances at the present velocity."""
    link, penalty, held = problem.link, problem.number[PENALTY], problem.number[HELD] > 0.0
    for i in range(link.shape[0]):
        px = py = xx = xy = yy = 0.0
        if link[i, DISC] > 0.0:
            px, py, xx, xy, yy = ground_impulse(link, i, penalty, held)
        link[i, XX], link[i, XY], link[i, YY] = link[i, MASS] + xx, xy, link[i, MASS] + yy
        link[i, XW], link[i, YW], link[i, WW] = 0.0, 0.0, link[i, INERTIA]
        link[i, APPLIED_X], link[i, APPLIED_Y], link[i, APPLIED_W] = px, py, 0.0
        for k in range(problem.first[i], problem.first[i + 1]):
            contact_impulse(link, problem.contact, i, k, penalty * link[i, MASS], held)
        load_imbalance(link, i)
        if i > 0:
            joint_impulse(link, i, problem.number[DT])


@kernel
def balance_residual(problem: Problem) -> float:
    """Unbalanced impulse over (weight x dt), moments also over the link length."""
    force, moment, worst = imbalance(problem.link)
    problem.number[WORST_LINK] = worst
    return max(force, moment) / (problem.number[WEIGHT] * problem.number[DT])


@kernel
def velocity_scale(link: FloatArray, least: float) -> float:
    """The fastest link [m/s], at least `least`."""
    largest = least * least
    for i in range(link.shape[0]):
        turn = link[i, W] * link[i, HALF]
        largest = max(largest, link[i, VX] * link[i, VX] + link[i, VY] * link[i, VY], turn * turn)
    return math.sqrt(largest)


@kernel
def law_residual(problem: Problem) -> float:
    """Largest natural-map residual of all contact laws, relative to the step's speeds and weight."""
    link, contact = problem.link, problem.contact
    unit = problem.number[WEIGHT] * problem.number[DT]
    speed = velocity_scale(link, problem.number[GRAVITY] * problem.number[DT])
    if speed == 0.0:
        return 0.0
    per_unit, per_speed = 1.0 / unit, 1.0 / speed
    worst = 0.0
    for i in range(link.shape[0]):
        wrong = 0.0
        if link[i, DISC] > 0.0:
            vx, vy = slide(link, i)
            px, py = link[i, GROUND_X] * per_unit, link[i, GROUND_Y] * per_unit
            wrong = friction_residual(px, py, vx * per_speed, vy * per_speed, link[i, DISC] * per_unit)
        for k in range(problem.first[i], problem.first[i + 1]):
            gap_rate = approach_speed(link, contact, i, k)
            wrong = max(wrong, unilateral_residual(contact[k, IMPULSE] * per_unit, gap_rate * per_speed))
        if not wrong <= worst:
            worst = wrong
            problem.number[WORST_LINK] = i
    return worst


@kernel
def is_free(problem: Problem) -> bool:
    """Whether nothing outside can act on the robot in this step."""
    return bool(problem.link[0, DISC] == 0.0 and problem.first[problem.link.shape[0]] == 0)


@kernel
def keep_multipliers(problem: Problem) -> None:
    """The impulses found become the multipliers of the next iteration."""
    link = problem.link
    for i in range(link.shape[0]):
        link[i, GROUND_GUESS_X], link[i, GROUND_GUESS_Y] = link[i, GROUND_X], link[i, GROUND_Y]
    for k in range(problem.first[link.shape[0]]):
        problem.contact[k, GUESS] = problem.contact[k, IMPULSE]
