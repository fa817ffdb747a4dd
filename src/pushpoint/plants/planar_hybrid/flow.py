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
from pushpoint.plants.planar_hybrid.contacts import gather_contacts, place_links
from pushpoint.plants.planar_hybrid.model import (
    CENTRE,
    DAMPING,
    EVALUATIONS,
    FRICTION_RATE,
    FRICTION_SPEED,
    LIMIT,
    MASS,
    PRINTED,
    RESIDUAL,
    STIFFNESS,
    SUMS,
    WEIGHT,
    WORST_LINK,
    Problem,
    State,
)
from pushpoint.types import FloatArray

# P1 (48) and (53) hold where the normal speed v is zero. In general a + RATE v >= 0: an approach, made by integration
# errors, is taken back at this rate. A link that leaves must not come to a stop faster than at LEAVING: forces that act
# before it has stopped do work on the robot, the less the higher this rate.
RATE = 200.0  # [1/s]
LEAVING = 2000.0  # [1/s]
# At the true contact point, what the gap is off is taken back too: a + RATE v + RATE^2 / 4 gap >= 0, critically damped.
PULL = RATE * RATE / 4.0  # [1/s2]
COMPLIANCE = 1e-10  # of the answer of a contact to its own force
OK, UNSOLVED = 0, 1


@kernel
def sums_at(n: int, i: int) -> int:
    """Where the integrals of link i begin in a vector of n links."""
    return 2 * n + 4 + SUMS * i


@kernel
def works_at(n: int) -> int:
    """Where the works begin."""
    return sums_at(n, n)


@kernel
def slopes(problem: Problem, state: State, vector: FloatArray, since: float, out: FloatArray) -> int:
    """d(vector)/dt at `vector`, `since` [s] after the tick began; OK, or UNSOLVED if contact forces cannot be found."""
    problem.number[EVALUATIONS] += 1.0
    place_links(problem, vector)
    gather_contacts(problem, state)
    rub_on_ground(problem)
    drive_joints(problem, vector, since)
    factor_joints(problem.link)
    status = OK
    if problem.touching[0] > 0:
        status = find_contact_forces(problem)
    else:
        free_accelerations(problem)
    write_slopes(problem, out)
    return status


@inlined
def rub_on_ground(problem: Problem) -> None:
    """Friction of the ground, P1 (10) and (14), made smooth about zero velocity."""
    speed, rate = problem.number[FRICTION_SPEED], problem.number[FRICTION_RATE]
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        grip = a.grip / math.sqrt(a.vx * a.vx + a.vy * a.vy + speed * speed)
        a.free_fx, a.free_fy = -grip * a.vx, -grip * a.vy
        a.free_moment = -a.twist * a.w / math.sqrt(a.w * a.w + rate * rate)


@inlined
def drive_joints(problem: Problem, vector: FloatArray, since: float) -> None:
    """Servo torques, P1 (81): on the link towards the head, and their reactions on the other."""
    number = problem.number
    for i in range(1, problem.link.shape[0]):
        a, behind = problem.link[i], problem.link[i - 1]
        off = a.reference + a.reference_rate * since - (vector[i] - vector[i - 1])
        wanted = number[STIFFNESS] * off + number[DAMPING] * (a.reference_rate - (a.w - behind.w)) + a.feed
        a.torque = clip(wanted, number[LIMIT])
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
    count = problem.touching[0]
    free_accelerations(problem)
    for k in range(count):
        c = problem.contact[k]
        pull = 0.0 if problem.number[CENTRE] > 0.0 else PULL
        rate = RATE if c.speed < 0.0 else LEAVING
        problem.free[k] = along(problem.link, c) + c.bias + rate * c.speed + pull * c.gap
    for k in range(count):
        answer(problem, problem.matrix, k, 1.0, rubbing(problem, problem.contact[k]))
    solved = complement(problem)
    note_residual(problem, problem.number[WEIGHT])
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        a.fx, a.fy, a.moment = a.free_fx, a.free_fy, a.free_moment
    for k in range(count):
        c = problem.contact[k]
        c.force = problem.force[k]
        add_push(problem.link, c, c.force, c.force * rubbing(problem, c))
    accelerate_all(problem.link)
    return solved


@kernel
def complement(problem: Problem) -> int:
    """Solve the complementarity problem by pivoting from the contacts that pushed last.

    Where contacts depend on each other, a little compliance tells which of them pushes; the residual shows it.
    """
    count, matrix = problem.touching[0], problem.matrix
    solved, _ = pivot(matrix, problem.free, count, problem.force, problem.basic, problem.pivoting)
    if solved != SOLVED:
        for k in range(count):
            matrix[k, k] *= 1.0 + COMPLIANCE
        solved, _ = pivot(matrix, problem.free, count, problem.force, problem.basic, problem.pivoting)
    return OK if solved == SOLVED else UNSOLVED


@kernel
def rubbing(problem: Problem, c: Records) -> float:
    """Friction force along the tangent over the normal force, P1 (49); smooth where sliding comes to rest.

    Printed: |f_c| = S_c' lambda in P1 (50) carries the sign of alpha, so that friction pushes where alpha = -1.
    """
    if c.friction == 0.0:
        return 0.0
    speed = problem.number[FRICTION_SPEED]
    share = float(-c.friction * c.slide / math.sqrt(c.slide * c.slide + speed * speed))
    if problem.number[PRINTED] > 0.0:
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
def along(link: Records, c: Records) -> float:
    """Acceleration (or change of velocity) of a contact along its normal."""
    a = link[int(c.link)]
    return float(c.normal_x * a.ax + c.normal_y * a.ay + c.arm * a.aw)


@kernel
def answer(problem: Problem, matrix: FloatArray, k: int, normal: float, tangential: float) -> None:
    """Column k of a matrix: how all contacts accelerate when nothing but contact k pushes; joints are factored."""
    count = problem.touching[0]
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
        matrix[r, k] = along(problem.link, c)


@kernel
def note_residual(problem: Problem, scale: float) -> None:
    """Natural map of the complementarity conditions: in terms of forces over `scale`, the worst of the step."""
    count, number = problem.touching[0], problem.number
    for r in range(count):
        w = problem.free[r]
        for k in range(count):
            w += problem.matrix[r, k] * problem.force[k]
        off = abs(min(problem.force[r], w / problem.matrix[r, r])) / scale
        if not off <= number[RESIDUAL]:  # so written, NaN is noted too
            number[RESIDUAL], number[WORST_LINK] = off, problem.contact[r].link


@inlined
def has_sure_solution(problem: Problem) -> bool:
    """Whether the matrix of P1 (53) is a P-matrix, as P1 VIII-B checked at every step."""
    count = problem.touching[0]
    if count > problem.testing.shape[0] - 1:
        return True  # 2^count minors are too many to look at
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
        contact_x, contact_y = a.fx - a.free_fx, a.fy - a.free_fy
        out[at], out[at + 1], out[at + 2], out[at + 3] = contact_x, contact_y, a.free_fx, a.free_fy
        out[at + 4] = a.torque
        drive = a.torque * (a.w - link[i - 1].w) if i > 0 else 0.0
        servo += drive
        pushed += contact_x * a.vx + contact_y * a.vy + (a.moment - a.free_moment) * a.w
        friction += a.free_fx * a.vx + a.free_fy * a.vy + a.free_moment * a.w
    friction -= servo  # the moments of the servos were among those of the links
    mass = problem.number[MASS]
    out[n], out[n + 1], out[2 * n + 2], out[2 * n + 3] = vx / mass, vy / mass, fx / mass, fy / mass
    at = works_at(n)
    out[at], out[at + 1], out[at + 2] = servo, friction, pushed
