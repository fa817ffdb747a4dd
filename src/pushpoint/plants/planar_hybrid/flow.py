"""The flow map, P1 (68)-(69): slopes of the state between two jumps, contact forces from the problem (53)."""

from __future__ import annotations

import math

from pushpoint._jit import inlined, kernel
from pushpoint.mechanics.joint_forces import accelerate, accelerate_all, factor_joints, hold_joints, tear_at
from pushpoint.numerics.lcp.basis import SOLVED
from pushpoint.numerics.lcp.p_matrix import p_test
from pushpoint.numerics.lcp.pivoting import pivot
from pushpoint.numerics.projections import clip
from pushpoint.numerics.records import Records
from pushpoint.plants._tape import NOT_CONVERGED, OK, TOO_MANY_CONTACTS
from pushpoint.plants.planar_hybrid.contacts import gather_contacts, place_links
from pushpoint.plants.planar_hybrid.model import PUSH, SPARE, SUMS, WORKS, Problem, State
from pushpoint.types import FloatArray

# P1 (48) and (53) hold where the normal speed v is zero. In general a + RATE v >= 0: an approach, made by integration
# errors, is taken back at this rate.
RATE = 200.0  # [1/s]
# A link that leaves is free until it has stopped, which is a jump of its own: forces that act earlier do work on the
# robot. Speeds below FADING are none: they are taken back.
LEAVING = 2000.0  # [1/s]
FADING = 1e-5  # [m/s]
# At the true contact point, what the gap is off is taken back too: a + RATE v + RATE^2 / 4 gap >= 0, critically damped.
PULL = RATE * RATE / 4.0  # [1/s2]
LEAST_RESPONSE = 1e-3  # of a contact to its own force, of that of the whole robot
COMPLIANCE = 1e-10  # of the answer of a contact to its own force
EXACT = 1e-8  # residual of forces that are a solution, whatever the solver says of them
HUGE = 1e7  # weights of the robot: forces above are made of round-off
ATTEMPTS, COMPLIANT = 5, 3  # at a problem, and from which on contacts yield
ACCEPTABLE = 1e-3  # residual of forces that a run may go on with if `on_failure` is "accept"
MILLIMETRE = 1e-3  # [m], against the weight: energy that counts as little
FREE = 1e30  # [m/s2], in place of the acceleration of a link that leaves: no force is needed


@kernel
def sums_at(n: int, i: int) -> int:
    """Where the integrals of link i begin in a vector of n links."""
    return 2 * n + 4 + SUMS * i


@kernel
def pushes_at(n: int, slot: int) -> int:
    """Where the integrals of a contact begin."""
    return sums_at(n, n) + PUSH * slot


@kernel
def works_at(vector: FloatArray) -> int:
    """Where the works begin."""
    return int(vector.shape[0]) - WORKS


@kernel
def slopes(problem: Problem, state: State, vector: FloatArray, since: float, out: FloatArray) -> int:
    """d(vector)/dt at `vector`, `since` [s] after the tick began; OK, NOT_CONVERGED or TOO_MANY_CONTACTS."""
    problem.number[0].evaluations += 1
    place_links(problem, vector)
    gather_contacts(problem, state)
    rub_on_ground(problem)
    drive_joints(problem, vector, since)
    factor_joints(problem.link)
    status = OK
    touching = problem.number[0].touching
    if not problem.number[0].centre and touching == problem.link.shape[0] + SPARE:
        return TOO_MANY_CONTACTS
    if touching > 0:
        status = find_contact_forces(problem)
    else:
        free_accelerations(problem)
    write_slopes(problem, out)
    return status


@inlined
def rub_on_ground(problem: Problem) -> None:
    """Friction of the ground, P1 (10) and (14), made smooth about zero velocity."""
    number = problem.number[0]
    speed, rate = number.friction_speed, number.friction_rate
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        grip = a.grip / math.sqrt(a.vx * a.vx + a.vy * a.vy + speed * speed)
        a.free_fx, a.free_fy = -grip * a.vx, -grip * a.vy
        a.free_moment = -a.twist * a.w / math.sqrt(a.w * a.w + rate * rate)


@inlined
def drive_joints(problem: Problem, vector: FloatArray, since: float) -> None:
    """Servo torques, P1 (81): on the link towards the head, and their reactions on the other."""
    number = problem.number[0]
    for i in range(1, problem.link.shape[0]):
        a, behind = problem.link[i], problem.link[i - 1]
        off = a.reference + a.reference_rate * since - (vector[i] - vector[i - 1])
        wanted = number.stiffness * off + number.damping * (a.reference_rate - (a.w - behind.w)) + a.feed
        a.torque = clip(wanted, number.limit)
        a.free_moment += a.torque
        behind.free_moment -= a.torque


@kernel
def free_accelerations(problem: Problem) -> None:
    """As if there were no obstacles, P1 (28)."""
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        a.fx, a.fy, a.moment = a.free_fx, a.free_fy, a.free_moment
    accelerate_all(problem.link)


@inlined
def find_contact_forces(problem: Problem) -> int:
    """Solve P1 (53) and find the accelerations under its forces."""
    count, pull = problem.number[0].touching, 0.0 if problem.number[0].centre else PULL
    free_accelerations(problem)
    for k in range(count):
        c = problem.contact[k]
        rate = RATE if c.speed < 0.0 else LEAVING
        problem.free[k] = FREE
        if c.leaving == 0.0:
            problem.free[k] = normal_acceleration(problem.link, c) + c.bias + rate * c.speed + pull * c.gap
    for k in range(count):
        response(problem, problem.matrix, k, 1.0, friction_ratio(problem, problem.contact[k]))
    solved = solve_complementarity(problem, problem.number[0].weight, False)
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        a.fx, a.fy, a.moment = a.free_fx, a.free_fy, a.free_moment
    for k in range(count):
        c = problem.contact[k]
        c.force = problem.force[k]
        rub = c.force * friction_ratio(problem, c)
        c.push_x, c.push_y = c.force * c.normal_x + rub * c.tangent_x, c.force * c.normal_y + rub * c.tangent_y
        add_push(problem.link, c, c.force, rub)
    accelerate_all(problem.link)
    return solved


@kernel
def solve_complementarity(problem: Problem, scale: float, impact: bool) -> int:
    """Solve the complementarity problem by pivoting: from the contacts that pushed last, then from others.

    Where contacts depend on each other, a little compliance says which of them pushes; the residual shows it. What has
    no solution is NOT_CONVERGED, unless the best of what was found is good enough to go on with. Residuals are natural
    maps in terms of forces, or of impulses, over `scale`.
    """
    count, best = problem.number[0].touching, math.inf
    for attempt in range(ATTEMPTS):
        if attempt > 0:
            problem.number[0].fallbacks += 1
            for k in range(count):  # of a P-matrix every start finds the solution, of others some: none or all push
                problem.basic[k] = attempt % 2 == 0
                if attempt == COMPLIANT:
                    problem.matrix[k, k] *= 1.0 + COMPLIANCE
        solved, _ = pivot(problem.matrix, problem.free, count, problem.force, problem.basic, problem.pivoting)
        off, largest = natural_map(problem, scale)
        if (solved == SOLVED or off <= EXACT) and largest <= HUGE:
            note_residual(problem, off)
            return OK
        if off < best:
            best = off
            for k in range(count):
                problem.friction_part[0, k] = problem.force[k]  # which nothing else needs now
    note_residual(problem, best)
    return accept(problem, best, impact)


@kernel
def accept(problem: Problem, off: float, impact: bool) -> int:
    """Go on with the best forces that were found, if that is wanted, they are nearly a solution and add no energy.

    Energy comes from forces along a velocity that leaves, or from impulses; friction, as it is, only takes some.
    """
    number, gain = problem.number[0], 0.0
    count = number.touching
    for k in range(count):
        c = problem.contact[k]
        problem.force[k] = problem.friction_part[0, k]
        problem.basic[k] = problem.force[k] > 0.0
        if impact:
            change = 0.0
            for j in range(count):
                change += 0.5 * problem.matrix[k, j] * problem.friction_part[0, j]
            gain += problem.force[k] * (c.speed + change)
        else:
            gain += problem.force[k] * max(0.0, c.speed) * number.dt
    energy = kinetic_energy(problem.link, number.weight * MILLIMETRE)
    wanted = number.accept and (impact or number.lenient)
    if wanted and off <= ACCEPTABLE and gain <= number.tolerance * energy:
        number.accepted += 1
        return OK
    return NOT_CONVERGED


@kernel
def kinetic_energy(link: Records, energy: float) -> float:
    """Of all links [J], on top of another `energy`."""
    for i in range(link.shape[0]):
        a = link[i]
        energy += 0.5 * (a.mass * (a.vx * a.vx + a.vy * a.vy) + a.inertia * a.w * a.w)
    return energy


@kernel
def friction_ratio(problem: Problem, c: Records) -> float:
    """Friction force along the tangent over the normal force, P1 (49); smooth where sliding comes to rest.

    Printed: |f_c| = S_c' lambda in P1 (50) carries the sign of alpha, so that friction pushes where alpha = -1.
    """
    if c.friction == 0.0:
        return 0.0
    speed = problem.number[0].friction_speed
    share = float(-c.friction * c.slide / math.sqrt(c.slide * c.slide + speed * speed))
    if problem.number[0].printed_sign:
        a = problem.link[int(c.link)]
        return share if a.cos * c.normal_y - a.sin * c.normal_x >= 0.0 else -share
    return share


@kernel
def add_push(link: Records, c: Records, normal: float, tangential: float) -> None:
    """The forces of a contact, along its normal and its tangent, on its link."""
    a = link[int(c.link)]
    a.fx += normal * c.normal_x + tangential * c.tangent_x
    a.fy += normal * c.normal_y + tangential * c.tangent_y
    a.moment += normal * c.arm + tangential * c.arm_t


@kernel
def normal_acceleration(link: Records, c: Records) -> float:
    """Acceleration (or change of velocity) of a contact along its normal."""
    a = link[int(c.link)]
    return float(c.normal_x * a.ax + c.normal_y * a.ay + c.arm * a.aw)


@kernel
def response(problem: Problem, matrix: FloatArray, k: int, normal: float, tangential: float) -> None:
    """Column k of a matrix: how all contacts accelerate when nothing but contact k pushes; joints are factored."""
    count = problem.number[0].touching
    for r in range(count):
        a = problem.link[int(problem.contact[r].link)]
        a.fx = a.fy = a.moment = 0.0
    pushed = int(problem.contact[k].link)
    add_push(problem.link, problem.contact[k], normal, tangential)
    tear_at(problem.link, pushed)
    hold_joints(problem.link, max(0, pushed - 1))
    for r in range(count):
        c = problem.contact[r]
        accelerate(problem.link, int(c.link))
        matrix[r, k] = normal_acceleration(problem.link, c)


@kernel
def natural_map(problem: Problem, scale: float) -> tuple[float, float]:
    """How far the complementarity conditions are off, in terms of forces over `scale`, and the largest of these; the
    link of the worst stays in `number`. Forces that pull are set to zero first."""
    count, worst, largest = problem.number[0].touching, 0.0, 0.0
    for k in range(count):
        problem.force[k] = problem.force[k] if problem.force[k] > 0.0 else 0.0  # so written, NaN goes too
    for r in range(count):
        w = problem.free[r]
        for k in range(count):
            w += problem.matrix[r, k] * problem.force[k]
        # how the contact answers to its own force [1/kg]: where friction wedges it in, backwards
        own = max(abs(problem.matrix[r, r]), LEAST_RESPONSE / problem.number[0].mass)
        off = abs(min(problem.force[r], w / own)) / scale
        largest = max(largest, problem.force[r] / scale)
        if not off <= worst:  # so written, NaN is noted too
            worst, problem.number[0].suspect = off, int(problem.contact[r].link)
    return worst, largest


@inlined
def note_residual(problem: Problem, off: float) -> None:
    """The worst of the step, with its link."""
    number = problem.number[0]
    if not off <= number.residual:
        number.residual, number.worst_link = off, number.suspect


@inlined
def has_sure_solution(problem: Problem) -> bool:
    """Whether the matrix of P1 (53) is a P-matrix, as P1 VIII-B checked at every step."""
    count = problem.number[0].touching
    if count > problem.testing.shape[0] - 1:
        return True  # 2^count minors are too many to compute
    return p_test(problem.matrix, count, problem.testing)


@inlined
def write_slopes(problem: Problem, out: FloatArray) -> None:
    """Rates, accelerations, and what is integrated along: forces, torques and powers."""
    link, n = problem.link, problem.link.shape[0]
    fx = fy = vx = vy = servo = friction = pushed = 0.0
    for i in range(n):
        a = link[i]
        out[i], out[n + 2 + i] = a.w, a.aw
        fx, fy, vx, vy = fx + a.fx, fy + a.fy, vx + a.mass * a.vx, vy + a.mass * a.vy
        at = sums_at(n, i)
        out[at], out[at + 1], out[at + 2] = a.free_fx, a.free_fy, a.torque
        servo += a.torque * (a.w - link[i - 1].w) if i > 0 else 0.0
        pushed += (a.fx - a.free_fx) * a.vx + (a.fy - a.free_fy) * a.vy + (a.moment - a.free_moment) * a.w
        friction += a.free_fx * a.vx + a.free_fy * a.vy + a.free_moment * a.w
    friction -= servo  # the moments of the servos were among those of the links
    mass = problem.number[0].mass
    out[n], out[n + 1], out[2 * n + 2], out[2 * n + 3] = vx / mass, vy / mass, fx / mass, fy / mass
    works = works_at(out)
    for at in range(pushes_at(n, 0), works):
        out[at] = 0.0
    for k in range(problem.number[0].touching):
        c = problem.contact[k]
        at = pushes_at(n, int(c.slot))
        out[at], out[at + 1] = c.push_x, c.push_y
    out[works], out[works + 1], out[works + 2] = servo, friction, pushed
