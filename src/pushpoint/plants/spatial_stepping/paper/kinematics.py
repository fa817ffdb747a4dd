"""Quaternions and rotations of links, and the directions W of contacts, joints and torques; P5 III and IV."""

from __future__ import annotations

import math

from pushpoint._jit import kernel
from pushpoint.numerics.records import Records
from pushpoint.plants.spatial_stepping.paper.model import ACROSS, ALONG, NORMAL, ROLL_X, ROLL_Y, PaperProblem
from pushpoint.types import FloatArray

CLOSED = 1e-9  # [m]: a robot that is put down touches the ground to round-off
LEFT, UP = 1, 2  # axes of a link
UPRIGHT = 1e-9  # a link whose axis has a horizontal part smaller than this stands


@kernel
def set_rotation(out: FloatArray, w: float, x: float, y: float, z: float) -> None:
    """(6): the rotation matrix of a quaternion of any length."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    out[0, 0], out[0, 1], out[0, 2] = 1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)


@kernel
def moved_quaternion(
    w: float, x: float, y: float, z: float, w1: float, w2: float, w3: float, half: float
) -> tuple[float, float, float, float]:
    """p + half/2 H' omega, of a quaternion and an angular velocity in the link's own axes; see (73)-(74)."""
    h = 0.5 * half
    return (
        w - h * (x * w1 + y * w2 + z * w3),
        x + h * (w * w1 + y * w3 - z * w2),
        y + h * (w * w2 + z * w1 - x * w3),
        z + h * (w * w3 + x * w2 - y * w1),
    )


@kernel
def start_velocities(problem: PaperProblem, body: Records) -> None:
    """u_A, (5): angular velocities are turned into the links' own axes."""
    for i in range(body.shape[0]):
        b, u, r = body[i], problem.old[i], problem.rotation[i]
        set_rotation(r, b.qw, b.qx, b.qy, b.qz)
        u[0], u[1], u[2] = b.vx, b.vy, b.vz
        for a in range(3):
            u[3 + a] = r[0, a] * b.wx + r[1, a] * b.wy + r[2, a] * b.wz


@kernel
def move_to_middle(problem: PaperProblem, body: Records, half: float) -> None:
    """(72): q_M = q_A + dt/2 F(q_M) u_A. For the quaternion, with F at q_M as printed, this is a linear equation, whose
    solution is p_A moved on explicitly and shortened; with (83) it turns by a Cayley transform."""
    for i in range(body.shape[0]):
        b, u, q = body[i], problem.old[i], problem.middle[i]
        q[0], q[1], q[2] = b.x + half * u[0], b.y + half * u[1], b.z + half * u[2]
        w, x, y, z = moved_quaternion(b.qw, b.qx, b.qy, b.qz, u[3], u[4], u[5], half)
        shorter = 1.0 / (1.0 + 0.25 * half * half * (u[3] * u[3] + u[4] * u[4] + u[5] * u[5]))
        q[3], q[4], q[5], q[6] = shorter * w, shorter * x, shorter * y, shorter * z
        set_rotation(problem.rotation[i], w, x, y, z)


@kernel
def set_moment(out: FloatArray, r: FloatArray, a1: float, a2: float, a3: float) -> None:
    """A moment, given in world axes, in the axes of a link; into the last three entries of a row of W."""
    n = out.shape[0]
    for a in range(3):
        out[n - 3 + a] = r[0, a] * a1 + r[1, a] * a2 + r[2, a] * a3


@kernel
def set_force(out: FloatArray, r: FloatArray, d1: float, d2: float, d3: float, r1: float, r2: float, r3: float) -> None:
    """The direction of a force at r from the centre of a link, (18): (d, R' (r x d))."""
    out[0], out[1], out[2] = d1, d2, d3
    set_moment(out, r, r2 * d3 - r3 * d2, r3 * d1 - r1 * d3, r1 * d2 - r2 * d1)


@kernel
def set_contact(w: FloatArray, r: FloatArray, place: float, radius: float) -> None:
    """W_N, W_T and W_V of a sphere on the axis of a link: (18), (22)-(30), (36)."""
    r1, r2, r3 = place * r[0, 0], place * r[1, 0], place * r[2, 0] - radius  # from G to C, (14) and (16)
    size = math.sqrt(r[0, 0] * r[0, 0] + r[1, 0] * r[1, 0])
    t1, t2 = (r[0, 0] / size, r[1, 0] / size) if size > UPRIGHT else (1.0, 0.0)  # (27)
    set_force(w[NORMAL], r, 0.0, 0.0, 1.0, r1, r2, r3)
    set_force(w[ALONG], r, t1, t2, 0.0, r1, r2, r3)
    set_force(w[ACROSS], r, -t2, t1, 0.0, r1, r2, r3)
    set_moment(w[ROLL_X], r, 0.0, -radius, 0.0)  # e_x x L_SC e_z
    set_moment(w[ROLL_Y], r, radius, 0.0, 0.0)  # e_y x L_SC e_z


@kernel
def find_contacts(problem: PaperProblem) -> None:
    """(9) and (49) in the middle of the step: which ends of links touch, and their directions."""
    count = 0
    for i in range(problem.link.shape[0]):
        capsule, r = problem.capsule[i], problem.rotation[i]
        for end in range(2):
            place = capsule.half if end == 1 else -capsule.half
            if problem.middle[i, 2] + place * r[2, 0] - capsule.radius <= CLOSED:
                problem.active[count] = 2 * i + end
                set_contact(problem.contact[2 * i + end], r, place, capsule.radius)
                count += 1
    problem.number[0].contacts = count


@kernel
def set_joints(problem: PaperProblem) -> None:
    """W_J of all joints, (38)-(43): three directions in which ends of links coincide, and right angles, (13)."""
    for j in range(problem.joint.shape[0]):
        w, tail, head = problem.joint[j], problem.rotation[j], problem.rotation[j + 1]
        h, k = problem.link[j].half, problem.link[j + 1].half
        for a in range(3):
            d1, d2, d3 = (1.0 if a == 0 else 0.0), (1.0 if a == 1 else 0.0), (1.0 if a == 2 else 0.0)
            set_force(w[a, :6], tail, d1, d2, d3, h * tail[0, 0], h * tail[1, 0], h * tail[2, 0])
            set_force(w[a, 6:], head, -d1, -d2, -d3, -k * head[0, 0], -k * head[1, 0], -k * head[2, 0])
        for m in range(w.shape[0] - 3):
            a, b = problem.perpendicular[j, m, 0], problem.perpendicular[j, m, 1]
            if a >= 0:
                c1 = tail[1, a] * head[2, b] - tail[2, a] * head[1, b]
                c2 = tail[2, a] * head[0, b] - tail[0, a] * head[2, b]
                c3 = tail[0, a] * head[1, b] - tail[1, a] * head[0, b]
                set_moment(w[3 + m, :6], tail, c1, c2, c3)
                set_moment(w[3 + m, 6:], head, -c1, -c2, -c3)


@kernel
def set_torques(problem: PaperProblem) -> None:
    """The axes of the joints as directions of torques, (62): one on the link on the head's side, its opposite on the
    other. The first axis of a joint is fixed to the tail's side, a second one to the head's side."""
    for k in range(problem.freedom.shape[0]):
        a, w = problem.freedom[k], problem.torque[k]
        j, axis = int(a.joint), int(a.axis)
        tail, head = problem.rotation[j], problem.rotation[j + 1]
        owner = head if a.place > 0.0 else tail
        s1, s2, s3 = owner[0, axis], owner[1, axis], owner[2, axis]
        set_moment(w[:6], tail, -s1, -s2, -s3)
        set_moment(w[6:], head, s1, s2, s3)


@kernel
def speed_along(w: FloatArray, u: FloatArray) -> float:
    total = 0.0
    for m in range(6):
        total += w[m] * u[m]
    return total


@kernel
def rate_along(w: FloatArray, u: FloatArray, j: int) -> float:
    """Relative speed of links j and j + 1 in a direction of a joint, (38), (40) and (67)."""
    return speed_along(w[:6], u[j]) + speed_along(w[6:], u[j + 1])


@kernel
def joint_angle(problem: PaperProblem, k: int) -> float:
    """(65)-(66), for all kinds of joints: from the rotation of the head's side relative to the tail's side."""
    a = problem.freedom[k]
    j, other = int(a.joint), LEFT + UP - int(a.axis)
    tail, head = problem.rotation[j], problem.rotation[j + 1]
    # A first axis, fixed to the tail's side, turns the head side's copy of the axis `other`, or its own copy stays; a
    # second one turns the tail side's.
    c = s = 0.0
    for m in range(3):
        c += tail[m, other] * head[m, other]
        s += tail[m, other] * head[m, 0] if a.place > 0.0 else -tail[m, 0] * head[m, other]
    return math.atan2(s, c) if a.axis == UP else math.atan2(-s, c)
