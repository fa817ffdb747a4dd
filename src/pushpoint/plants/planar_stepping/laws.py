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
from pushpoint.plants.planar_stepping import contact_law, ground_law, joint_law
from pushpoint.plants.planar_stepping.extended import Contacts, Ground, Joints
from pushpoint.plants.planar_stepping.model import Problem


@kernel
def load_imbalance(link: Records, i: int) -> None:
    """M (u_A - u_E) + applied impulses: what the joints of link i must carry, P2 (55)."""
    a = link[i]
    a.fx = a.mass * (a.old_vx - a.vx) + a.applied_x
    a.fy = a.mass * (a.old_vy - a.vy) + a.applied_y
    a.fw = a.inertia * (a.old_w - a.w) + a.applied_w


@kernel
def evaluate(problem: Problem, ground: Ground | None, contacts: Contacts | None, joints: Joints | None) -> float:
    """All impulses, tangents and imbalances at the present velocity; returns the residual of the balance: unbalanced
    impulse over (weight x dt), moments also over the link length."""
    if contacts is not None:
        act_on_all(problem, ground)
    link, chain, held = problem.link, problem.chain, problem.number[0].held > 0.0
    penalty, dt = problem.number[0].penalty, problem.number[0].dt
    fx = fy = moment = worst = 0.0
    at, fastest = chain.shape[0] - 1, problem.number[0].gravity * dt
    fastest *= fastest
    for i in range(chain.shape[0] - 1, -1, -1):
        if contacts is None:
            act_on(problem, i, penalty, held, ground)
        load_imbalance(link, i)
        if i > 0:
            joint_law.basic_impulse(link, i, dt)
            if joints is not None:
                joint_law.extended_impulse(link, joints.link, i, penalty, held)
        if held:
            continue  # nobody asks how well it is balanced
        fx, fy, moment, wrong = carried(link, i, fx, fy, moment)
        if not wrong <= worst:
            worst, at = wrong, i
        fastest = max(fastest, squared_speed(link, i))
    if contacts is not None:
        for i in range(chain.shape[0], link.shape[0]):
            wrong = free_imbalance(link, i)
            if not wrong <= worst:  # nor is what is no number
                worst = wrong
            fastest = max(fastest, squared_speed(link, i))
    problem.number[0].speed = math.sqrt(fastest)
    problem.number[0].worst_link = at
    return float(max(abs(fx), abs(fy), worst) / (problem.number[0].weight * dt))


@fused
def act_on(problem: Problem, i: int, penalty: float, held: bool, ground: Ground | None) -> None:
    """Impulses of ground and smooth discs on link i and their tangents."""
    a = problem.link[i]
    r = penalty * a.mass
    x, y, turn, xx, xy, yy, ww = ground_law.impulse(a, i, penalty, held, ground)
    xw, yw = 0.0, 0.0
    for k in range(problem.first[i], problem.first[i + 1]):
        c = problem.contact[k]
        impulse, stiffness = contact_law.basic_impulse(a, c, r, held)
        nx, ny, arm = c.normal_x, c.normal_y, c.arm
        x, y, turn = x + nx * impulse, y + ny * impulse, turn + arm * impulse
        kx, ky = stiffness * nx, stiffness * ny
        xx, xy, yy = xx + kx * nx, xy + kx * ny, yy + ky * ny
        xw, yw, ww = xw + kx * arm, yw + ky * arm, ww + stiffness * arm * arm
    a.applied_x, a.applied_y, a.applied_w = x, y, turn
    a.xx, a.xy, a.yy, a.xw, a.yw, a.ww = xx, xy, yy, xw, yw, ww


@fused
def act_on_all(problem: Problem, ground: Ground | None) -> None:
    """The same with extended contacts, for all links and movable obstacles: a contact acts on two of them."""
    link, penalty, held = problem.link, problem.number[0].penalty, problem.number[0].held > 0.0
    follows, uneven = problem.number[0].follows > 0.0, 0.0
    for i in range(link.shape[0]):
        a = link[i]
        a.applied_x, a.applied_y, a.applied_w, a.xx, a.xy, a.yy, a.ww = ground_law.impulse(a, i, penalty, held, ground)
        a.xw, a.yw, a.yx, a.wx, a.wy = 0.0, 0.0, a.xy, 0.0, 0.0
    for i in range(link.shape[0]):
        for k in range(problem.first[i], problem.first[i + 1]):
            contact_law.extended_impulse(link, problem.contact, i, k, penalty * link[i].mass, held, follows)
            uneven += abs(problem.contact[k].slip)
    problem.number[0].uneven = uneven


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
def law_residual(problem: Problem, ground: Ground | None, contacts: Contacts | None, joints: Joints | None) -> float:
    """Largest natural-map residual of all laws, relative to the step's fastest speed and to weight."""
    link, contact = problem.link, problem.contact
    if problem.number[0].speed == 0.0:
        return 0.0
    per_unit, per_speed = 1.0 / (problem.number[0].weight * problem.number[0].dt), 1.0 / problem.number[0].speed
    worst = 0.0
    for i in range(link.shape[0]):
        if ground is None:
            wrong = ground_law.basic_residual(link, i, per_unit, per_speed)
        else:
            wrong = ground_law.extended_residual(link, ground.link, i, per_unit, per_speed)
        for k in range(problem.first[i], problem.first[i + 1]):
            if contacts is None:
                wrong = max(wrong, contact_law.basic_residual(link, contact, i, k, per_unit, per_speed))
            else:
                wrong = max(wrong, contact_law.extended_residual(link, contact, i, k, per_unit, per_speed))
        if joints is not None and 0 < i < problem.chain.shape[0]:
            wrong = max(wrong, joint_law.extended_residual(link, joints.link, i, per_unit, per_speed))
        if not wrong <= worst:
            worst = wrong
            problem.number[0].worst_link = i
    return worst


@kernel
def laws_hold(problem: Problem, limit: float, ground: Ground | None, contacts: Contacts | None) -> bool:
    """Whether law_residual is surely not above `limit`, by a bound in a tenth of its time; of ground and contacts,
    whose limits of friction follow the normal impulses.

    An impulse is the projection of P' - r gamma, and the natural map projects P - gamma, both in its units. Projections
    bring nothing farther apart, so that they differ by at most |P' - P| / r, and for slip by |P'| / r.
    """
    link, contact = problem.link, problem.contact
    most = limit * problem.number[0].speed * problem.number[0].penalty  # of impulse over mass
    for i in range(link.shape[0]):
        a = link[i]
        if not abs(a.ground_guess_x) + abs(a.ground_guess_y) + a.disc <= most * a.mass:
            return False
        if ground is not None:
            b = ground.link[i]
            if not (abs(b.spin_guess) + b.spin) * a.half <= most * a.inertia:
                return False
        for k in range(problem.first[i], problem.first[i + 1]):
            c = contact[k]
            if c.impulse > 0.0 and not abs(c.guess - c.impulse) <= most * a.mass:
                return False
            if contacts is not None and not abs(c.guess_t) + c.limit <= most * a.mass:
                return False
    return True


@kernel
def is_free(problem: Problem, ground: Ground | None, contacts: Contacts | None) -> bool:
    """Whether nothing outside can act on the robot (and on movable obstacles) in this step."""
    rows = problem.link.shape[0]
    if ground is None:
        if problem.link[0].disc > 0.0:
            return False
    else:
        for i in range(rows):
            a, b = problem.link[i], ground.link[i]
            if a.disc > 0.0 or b.spin > 0.0 or b.drag_along > 0.0 or b.drag_across > 0.0:
                return False
    if contacts is None:
        return bool(problem.first[rows] == 0)
    fixed = 0
    for k in range(problem.first[rows]):
        fixed += problem.contact[k].other < 0.0
    return fixed == 0


@kernel
def keep_multipliers(problem: Problem, ground: Ground | None, contacts: Contacts | None, joints: Joints | None) -> None:
    """The impulses found become the multipliers of the next iteration."""
    link = problem.link
    for i in range(link.shape[0]):
        a = link[i]
        a.ground_guess_x, a.ground_guess_y = a.ground_x, a.ground_y
        if ground is not None:
            ground.link[i].spin_guess = ground.link[i].spin_impulse
    if joints is not None:
        for i in range(joints.link.shape[0]):
            joints.link[i].stop_guess = joints.link[i].stop
    for k in range(problem.first[link.shape[0]]):
        c = problem.contact[k]
        c.guess = c.impulse
        c.passing = 0.0
        if contacts is not None:
            c.guess_t = c.impulse_t
