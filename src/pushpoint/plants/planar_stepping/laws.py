"""All laws of a step together: impulses as functions of the end velocity, their tangents, and their residuals.

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

from pushpoint._jit import fused, kernel
from pushpoint.mechanics.planar_chain import carried
from pushpoint.numerics.records import Records
from pushpoint.numerics.residuals import friction_residual, unilateral_residual
from pushpoint.plants.planar_stepping.extras import Extras
from pushpoint.plants.planar_stepping.ground import ground_impulse, rough_ground, rough_ground_residual, slide
from pushpoint.plants.planar_stepping.joints import joint_impulse, passive_impulse, stop_residual
from pushpoint.plants.planar_stepping.model import LEAVES, Problem
from pushpoint.plants.planar_stepping.rough_contact import contact_residual, rough_contact


@kernel
def load_imbalance(link: Records, i: int) -> None:
    """M (u_A - u_E) + applied impulses: what the joints of link i must carry, P2 (55)."""
    a = link[i]
    a.fx = a.mass * (a.old_vx - a.vx) + a.applied_x
    a.fy = a.mass * (a.old_vy - a.vy) + a.applied_y
    a.fw = a.inertia * (a.old_w - a.w) + a.applied_w


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
def contact_impulse(a: Records, c: Records, r: float, held: bool) -> tuple[float, float]:
    """Normal impulse of a contact on its link, P2 (57), and the tangent: r, or zero where the contact is open."""
    impulse = c.guess - r * (c.normal_x * a.vx + c.normal_y * a.vy + c.arm * a.w + c.approach)
    is_open = (c.passing == LEAVES) if held and c.guess > 0.0 else (impulse <= 0.0)
    c.impulse = 0.0 if is_open else impulse
    return c.impulse, 0.0 if is_open else r


@kernel
def evaluate(problem: Problem, extras: Extras | None) -> float:
    """All impulses, tangents and imbalances at the present velocity; returns the residual of the balance: unbalanced
    impulse over (weight x dt), moments also over the link length."""
    if extras is not None:
        act_on_all(problem, extras)
    link, chain, held = problem.link, problem.chain, problem.number[0].held > 0.0
    penalty, dt = problem.number[0].penalty, problem.number[0].dt
    fx = fy = moment = worst = 0.0
    at, fastest = chain.shape[0] - 1, problem.number[0].gravity * dt
    fastest *= fastest
    for i in range(chain.shape[0] - 1, -1, -1):
        if extras is None:
            act_on(problem, i, penalty, held)
        load_imbalance(link, i)
        if i > 0:
            joint_impulse(link, i, dt)
            if extras is not None:
                passive_impulse(link, extras.more, i, penalty, held)
        if held:
            continue  # nobody asks how well it is balanced
        fx, fy, moment, wrong = carried(link, i, fx, fy, moment)
        if not wrong <= worst:
            worst, at = wrong, i
        fastest = max(fastest, squared_speed(link, i))
    if extras is not None:
        for i in range(chain.shape[0], link.shape[0]):
            worst = max(worst, free_imbalance(link, i))
            fastest = max(fastest, squared_speed(link, i))
    problem.number[0].speed = math.sqrt(fastest)
    problem.number[0].worst_link = at
    return float(max(abs(fx), abs(fy), worst) / (problem.number[0].weight * dt))


@fused
def act_on(problem: Problem, i: int, penalty: float, held: bool) -> None:
    """Impulses of ground and obstacles on link i and their tangents, as P2 has them."""
    a = problem.link[i]
    r = penalty * a.mass
    x, y, turn = 0.0, 0.0, 0.0
    xx, xy, yy, xw, yw, ww = a.mass, 0.0, a.mass, 0.0, 0.0, a.inertia
    if a.disc > 0.0:
        x, y, xx, xy, yy = ground_impulse(a, r, held)
    for k in range(problem.first[i], problem.first[i + 1]):
        c = problem.contact[k]
        impulse, stiffness = contact_impulse(a, c, r, held)
        nx, ny, arm = c.normal_x, c.normal_y, c.arm
        x, y, turn = x + nx * impulse, y + ny * impulse, turn + arm * impulse
        kx, ky = stiffness * nx, stiffness * ny
        xx, xy, yy = xx + kx * nx, xy + kx * ny, yy + ky * ny
        xw, yw, ww = xw + kx * arm, yw + ky * arm, ww + stiffness * arm * arm
    a.applied_x, a.applied_y, a.applied_w = x, y, turn
    a.xx, a.xy, a.yy, a.xw, a.yw, a.ww = xx, xy, yy, xw, yw, ww


@fused
def act_on_all(problem: Problem, extras: Extras) -> None:
    """The same with extras, for all links and movable obstacles; a contact acts on two of them."""
    link, penalty, held = problem.link, problem.number[0].penalty, problem.number[0].held > 0.0
    for i in range(link.shape[0]):
        rough_ground(link, extras.more, i, penalty, held)
    for i in range(link.shape[0]):
        for k in range(problem.first[i], problem.first[i + 1]):
            rough_contact(link, problem.contact, i, k, penalty * link[i].mass, held)


@fused
def free_imbalance(link: Records, i: int) -> float:
    """Of a movable obstacle, which has no joints [N s]."""
    load_imbalance(link, i)
    a = link[i]
    return float(max(abs(a.fx), abs(a.fy), abs(a.fw) / a.half))


@fused
def squared_speed(link: Records, i: int) -> float:
    """Of the centre of link i, or of its ends about it."""
    a = link[i]
    turn = a.w * a.half
    return float(max(a.vx * a.vx + a.vy * a.vy, turn * turn))


@kernel
def law_residual(problem: Problem, extras: Extras | None) -> float:
    """Largest natural-map residual of all contact laws, relative to the step's speeds (SPEED) and weight."""
    link, contact = problem.link, problem.contact
    if problem.number[0].speed == 0.0:
        return 0.0
    per_unit, per_speed = 1.0 / (problem.number[0].weight * problem.number[0].dt), 1.0 / problem.number[0].speed
    worst = 0.0
    for i in range(link.shape[0]):
        wrong = 0.0
        if extras is None:
            a = link[i]
            if a.disc > 0.0:
                vx, vy = slide(link, i)
                px, py = a.ground_x * per_unit, a.ground_y * per_unit
                wrong = friction_residual(px, py, vx * per_speed, vy * per_speed, a.disc * per_unit)
            for k in range(problem.first[i], problem.first[i + 1]):
                gap_rate = approach_speed(link, contact, i, k)
                wrong = max(wrong, unilateral_residual(contact[k].impulse * per_unit, gap_rate * per_speed))
        else:
            wrong = rough_ground_residual(link, extras.more, i, per_unit, per_speed)
            for k in range(problem.first[i], problem.first[i + 1]):
                wrong = max(wrong, contact_residual(link, contact, i, k, per_unit, per_speed))
            if 0 < i < problem.chain.shape[0]:
                wrong = max(wrong, stop_residual(link, extras.more, i, per_unit, per_speed))
        if not wrong <= worst:
            worst = wrong
            problem.number[0].worst_link = i
    return worst


@kernel
def laws_hold(problem: Problem, limit: float) -> bool:
    """Whether law_residual is surely not above `limit`, by a bound in a tenth of its time; without extras.

    An impulse is the projection of P' - r gamma, and the natural map projects P - gamma, both in its units. Projections
    bring nothing farther apart, so that they differ by at most |P' - P| / r, and for slip by |P'| / r.
    """
    link, contact = problem.link, problem.contact
    most = limit * problem.number[0].speed * problem.number[0].penalty  # of impulse over mass
    for i in range(link.shape[0]):
        a = link[i]
        if not abs(a.ground_guess_x) + abs(a.ground_guess_y) + a.disc <= most * a.mass:
            return False
        for k in range(problem.first[i], problem.first[i + 1]):
            if contact[k].impulse > 0.0 and not abs(contact[k].guess - contact[k].impulse) <= most * a.mass:
                return False
    return True


@kernel
def is_free(problem: Problem, extras: Extras | None) -> bool:
    """Whether nothing outside can act on the robot (and on movable obstacles) in this step."""
    rows = problem.link.shape[0]
    if extras is None:
        return bool(problem.link[0].disc == 0.0 and problem.first[rows] == 0)
    for i in range(rows):
        a, b = problem.link[i], extras.more[i]
        if a.disc > 0.0 or b.spin > 0.0 or b.drag_along > 0.0 or b.drag_across > 0.0:
            return False
    fixed = 0
    for k in range(problem.first[rows]):
        fixed += problem.contact[k].other < 0.0
    return fixed == 0


@kernel
def keep_multipliers(problem: Problem, extras: Extras | None) -> None:
    """The impulses found become the multipliers of the next iteration."""
    link = problem.link
    for i in range(link.shape[0]):
        a = link[i]
        a.ground_guess_x, a.ground_guess_y = a.ground_x, a.ground_y
        if extras is not None:
            b = extras.more[i]
            b.spin_guess, b.stop_guess = b.spin_impulse, b.stop
    for k in range(problem.first[link.shape[0]]):
        c = problem.contact[k]
        c.guess = c.impulse
        c.passing = 0.0
        if extras is not None:
            c.guess_t = c.impulse_t
