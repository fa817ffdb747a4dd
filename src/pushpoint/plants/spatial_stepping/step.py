"""One step: to the middle with the old velocities, the new velocities there, and on to the end with them.

    q_mid = q + dt/2 u;   J_mid' (P(q_end, u_end) - P(q, u) - impulses) = 0;   q_end = q_mid + dt/2 u_end

P are the momenta of the links, about one fixed point: what they lack or have too much is balanced by the joints, whose
reactions do no work on J_mid. The momenta at the end are those of the middle moved on by half a step, to second order;
with them the step is symmetric in time, and a robot in free flight keeps its momentum and spin to the
tolerance of the solver, which is close to round-off there.
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, kernel
from pushpoint.geometry.solids import Solids
from pushpoint.mechanics.spatial_chain import later_momentum, move_links, place_inertias, place_links
from pushpoint.numerics.records import Records
from pushpoint.plants._tape import OK, TOO_MANY_CONTACTS
from pushpoint.plants.spatial_stepping.contacts import plane_contacts, remember_contacts, solid_contacts
from pushpoint.plants.spatial_stepping.joints import joint_work
from pushpoint.plants.spatial_stepping.laws import keep_start, measure_speeds, velocity_at
from pushpoint.plants.spatial_stepping.model import LEAST_PUSH, MIDDLE, SAVED, Problem, State
from pushpoint.plants.spatial_stepping.self_contact import link_contacts
from pushpoint.types import FloatArray

DEBT = 1e-6  # [m]: times the weight, what the purse may lack before contacts no longer spring back,
NOT_FIRM = 0.98  # and the part of their yielding that is undone then
Quaternion = tuple[float, float, float, float]


@kernel
def set_unit(body: Records, w: float, x: float, y: float, z: float) -> None:
    """The quaternion of a body, made of unit length."""
    norm = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    body.qw, body.qx, body.qy, body.qz = norm * w, norm * x, norm * y, norm * z


@fused
def set_product(body: Records, p: Quaternion, q: Quaternion) -> None:
    """The quaternion of a body: the product of two, made of unit length."""
    set_unit(
        body,
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] + p[2] * q[0] + p[3] * q[1] - p[1] * q[3],
        p[0] * q[3] + p[3] * q[0] + p[1] * q[2] - p[2] * q[1],
    )


@kernel
def turn_body(out: Records, body: Records, w1: float, w2: float, w3: float, time: float) -> None:
    """The quaternion of a body, turned with an angular velocity [rad/s], world axes, for a time [s]."""
    size = math.sqrt(w1 * w1 + w2 * w2 + w3 * w3)
    half = 0.5 * time * size
    c = math.cos(half)
    s = math.sin(half) / size if size > 0.0 else 0.0
    set_product(out, (c, s * w1, s * w2, s * w3), (body.qw, body.qx, body.qy, body.qz))


@fused
def aim_axes(a: Records, body: Records) -> None:
    """Axes of the root from its quaternion; its centre is the origin."""
    w, x, y, z = body.qw, body.qx, body.qy, body.qz
    a.x1, a.x2, a.x3 = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)
    a.y1, a.y2, a.y3 = 2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)
    a.z1, a.z2, a.z3 = 2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)
    a.c1 = a.c2 = a.c3 = 0.0


@fused
def load_root(a: Records, pose: Records, b: Records) -> None:
    """Axes of the root from a pose, its motion from its velocities."""
    aim_axes(a, pose)
    a.w1, a.w2, a.w3, a.v1, a.v2, a.v3 = b.wx, b.wy, b.wz, b.vx, b.vy, b.vz


@fused
def gravity_step(number: Records) -> tuple[float, float, float]:
    """Velocity [m/s] that gravity gives in a step."""
    return number.dt * number.down_x, number.dt * number.down_y, number.dt * number.down_z


@kernel
def carry_momenta(problem: Problem, state: State, v1: float, v2: float, v3: float) -> None:
    """Momenta from the last step, now about the origin of this one, which is v [m] farther; gravity is added."""
    g1, g2, g3 = gravity_step(problem.number[0])
    for i in range(problem.link.shape[0]):
        a, b = problem.link[i], state.body[i]
        f1, f2, f3 = a.mass * g1, a.mass * g2, a.mass * g3
        a.old1 = b.l1 - (v2 * b.p3 - v3 * b.p2) + a.c2 * f3 - a.c3 * f2
        a.old2 = b.l2 - (v3 * b.p1 - v1 * b.p3) + a.c3 * f1 - a.c1 * f3
        a.old3 = b.l3 - (v1 * b.p2 - v2 * b.p1) + a.c1 * f2 - a.c2 * f1
        a.old4, a.old5, a.old6 = b.p1 + f1, b.p2 + f2, b.p3 + f3
        a.start1, a.start2, a.start3 = velocity_at(a, a.c1, a.c2, a.c3)


@fused
def find_contacts(problem: Problem, state: State, solids: Solids | None) -> bool:
    """All contacts of the step. Returns False if there is no room for them."""
    number, count = problem.number[0], 0
    if number.has_plane:
        count = plane_contacts(problem, state)
    if solids is not None:
        count = solid_contacts(problem, state, solids, count)
    around = count
    if number.self_contact and count >= 0:
        count = link_contacts(problem, state, count)
    number.self_contacts = max(count - around, 0)
    number.contacts = max(count, 0)
    return count >= 0


@fused
def limit_push_out(problem: Problem, purse: float) -> None:
    """The work [J] that pushing a link out of something may do in a step, and the speed [m/s] at which it does that
    under the weight of a link. It is paid from the purse."""
    number = problem.number[0]
    number.excess, number.firm = 0.0, 1.0 if purse > -DEBT * number.weight else NOT_FIRM
    number.push_work = 0.5 * max(purse, 0.0) + LEAST_PUSH * number.nominal * number.weight
    number.push_speed = number.push_work * problem.link.shape[0] / (number.weight * number.nominal)


@kernel
def begin_step(problem: Problem, state: State, solids: Solids | None) -> int:
    """Middle pose, motions there with the old velocities, contacts. Returns the status."""
    root = int(problem.tree[0, 0])
    a, b, middle = problem.link[root], state.body[root], problem.root[MIDDLE]
    number = problem.number[0]
    h = 0.5 * number.dt
    middle.x, middle.y, middle.z = b.x + h * b.vx, b.y + h * b.vy, b.z + h * b.vz
    turn_body(middle, b, b.wx, b.wy, b.wz, h)
    load_root(a, middle, b)
    place_links(problem.link, problem.joint, problem.tree)
    place_inertias(problem.link)
    move_links(problem.link, problem.joint, problem.tree)
    limit_push_out(problem, state.ledger[6])
    carry_momenta(problem, state, h * b.vx, h * b.vy, h * b.vz)
    fits = find_contacts(problem, state, solids)
    measure_speeds(problem.link, problem.contact, number.contacts)
    keep_start(problem.contact, number.contacts)
    return OK if fits else TOO_MANY_CONTACTS


@kernel
def move_momenta(problem: Problem) -> tuple[float, float]:
    """Momenta at the end of the step, about the origin, as f.. of the links. Returns twice the energy, and the work of
    gravity with the mean of the velocities before and after [J]. Notes how fast links move and turn."""
    number, twice, work = problem.number[0], 0.0, 0.0
    fastest, turning, h = 0.0, 0.0, 0.5 * number.dt
    g1, g2, g3 = gravity_step(number)
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        l1, l2, l3, p1, p2, p3 = later_momentum(a, h)
        twice += l1 * (a.w1 + h * a.b1) + l2 * (a.w2 + h * a.b2) + l3 * (a.w3 + h * a.b3)
        twice += p1 * (a.v1 + h * a.b4) + p2 * (a.v2 + h * a.b5) + p3 * (a.v3 + h * a.b6)
        a.f1, a.f2, a.f3, a.f4, a.f5, a.f6 = l1, l2, l3, p1, p2, p3
        v1, v2, v3 = velocity_at(a, a.c1, a.c2, a.c3)
        work += 0.5 * a.mass * (g1 * (a.start1 + v1) + g2 * (a.start2 + v2) + g3 * (a.start3 + v3))
        fastest = max(fastest, v1 * v1 + v2 * v2 + v3 * v3)
        turning = max(turning, a.w1 * a.w1 + a.w2 * a.w2 + a.w3 * a.w3)
    number.fastest, number.turning = fastest, turning
    return twice, work


@kernel
def contact_work(problem: Problem) -> tuple[float, float]:
    """Works [J] of friction and of normal impulses with the mean of the velocities before and after.

    Their sum is what contacts take from the energy. Its split among contacts that act at once is a convention. By the
    mean velocity alone one can gain what others lose, where its sliding turns round within the step or where it is
    stopped by an impact elsewhere. Such gains are taken off the losses of the others in proportion, and what is left of
    them is numerical: so neither friction nor contacts ever give energy.

    Notes also whether a contact ends deeper than is allowed, and than it was, and how deep any was.
    """
    number = problem.number[0]
    friction, normal, gain, pushed = 0.0, 0.0, 0.0, 0.0
    h, deepest, sinks, was_deep = 0.5 * number.dt, number.deepest, False, 0.0
    for k in range(number.contacts):
        c = problem.contact[k]
        pressed = 0.5 * c.pn * (c.start_n + c.gn)
        rubbed = 0.5 * (c.pt * (c.start_t + c.gt) + c.ps * (c.start_s + c.gs))
        rubbed += 0.5 * (c.pr * (c.start_r + c.gr) + c.pq * (c.start_q + c.gq))
        normal += min(pressed, 0.0)
        friction += min(rubbed, 0.0)
        gain += max(pressed, 0.0) + max(rubbed, 0.0)
        pushed += min(max(pressed, 0.0), c.pn * c.push)
        was = h * min(c.start_n, 0.0) - c.gap
        was_deep = max(was_deep, was)
        if -c.gap - h * c.gn > max(deepest, was):
            sinks = True
    number.sinks, number.was_deep, number.pushed = sinks, was_deep, pushed
    return less_gains(friction, normal, gain)


@fused
def less_gains(friction: float, normal: float, gain: float) -> tuple[float, float]:
    """Losses [J], less the gains of single contacts, in proportion."""
    loss = friction + normal
    share = min(1.0 + gain / loss, 1.0) if gain < -loss else 0.0
    return share * friction, share * normal


@kernel
def measure_works(problem: Problem, before: float) -> None:
    """Kinetic energy at the end of the step, and what changed it from that `before` [J]; the rest is numerical."""
    number = problem.number[0]
    twice, number.gravity = move_momenta(problem)
    for k in range(problem.joint.shape[0]):
        a = problem.joint[k]
        twice += a.armature * a.rate * a.rate
    number.servo = joint_work(problem.joint, number.dt)
    number.friction, number.normal = contact_work(problem)
    number.energy = 0.5 * twice
    number.numerical = number.energy - before - number.servo - number.friction - number.normal - number.gravity


@fused
def works_of(number: Records) -> float:
    """All absolute work [J] of servos, friction and contacts in the step."""
    return float(abs(number.servo) - number.friction - number.normal)


@kernel
def keep_works(number: Records, ledger: FloatArray) -> None:
    """Book the works of the step."""
    ledger[0], ledger[1], ledger[2] = number.energy, ledger[1] + number.servo, ledger[2] + number.friction
    ledger[3], ledger[4] = ledger[3] + number.normal, ledger[4] + number.numerical
    ledger[5] += number.gravity


@kernel
def load_joints_of(problem: Problem, state: State) -> None:
    """Joint angles and rates at the start of a step: all that changes before it ends."""
    for k in range(problem.joint.shape[0]):
        problem.joint[k].angle, problem.joint[k].rate = state.angle[0, k], state.angle[1, k]


@kernel
def end_step(problem: Problem, state: State) -> None:
    """From the middle pose to the end with the new velocities; works are measured already."""
    root = int(problem.tree[0, 0])
    a, b, middle = problem.link[root], state.body[root], problem.root[MIDDLE]
    number = problem.number[0]
    h = 0.5 * number.dt
    b.vx, b.vy, b.vz, b.wx, b.wy, b.wz = a.v1, a.v2, a.v3, a.w1, a.w2, a.w3
    keep_momenta(problem.link, state.body, h * a.v1, h * a.v2, h * a.v3)
    keep_works(number, state.ledger)
    state.ledger[6] += SAVED * works_of(number) - number.pushed - number.excess  # the purse, see sanity
    b.x, b.y, b.z = middle.x + h * a.v1, middle.y + h * a.v2, middle.z + h * a.v3
    turn_body(b, middle, a.w1, a.w2, a.w3, h)
    for k in range(problem.joint.shape[0]):
        j = problem.joint[k]
        j.angle = j.middle + h * j.rate
        state.angle[0, k], state.angle[1, k] = j.angle, j.rate
    state.clock[1] = remember_contacts(problem, state.memory)


@fused
def keep_momenta(link: Records, body: Records, v1: float, v2: float, v3: float) -> None:
    """Momenta at the end of the step, now about the root's centre, v [m] from the origin."""
    for i in range(link.shape[0]):
        a, b = link[i], body[i]
        b.l1 = a.f1 - (v2 * a.f6 - v3 * a.f5)
        b.l2 = a.f2 - (v3 * a.f4 - v1 * a.f6)
        b.l3 = a.f3 - (v1 * a.f5 - v2 * a.f4)
        b.p1, b.p2, b.p3 = a.f4, a.f5, a.f6
