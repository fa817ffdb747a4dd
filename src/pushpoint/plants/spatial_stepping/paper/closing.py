"""The end of a step: (83), and the projection of P5 VII-C onto the joints."""

from __future__ import annotations

import math

from pushpoint._jit import kernel
from pushpoint.numerics.records import Records
from pushpoint.plants.spatial_stepping.model import State
from pushpoint.plants.spatial_stepping.paper.kinematics import (
    joint_angle,
    moved_quaternion,
    rate_along,
    set_rotation,
    set_torques,
)
from pushpoint.plants.spatial_stepping.paper.model import PaperProblem
from pushpoint.plants.spatial_stepping.step import set_product, set_unit

GIMBAL = 1e-6  # below, a cardan joint is bent by so near 90 degrees that rolling the link does not help


@kernel
def move_to_end(problem: PaperProblem, body: Records) -> None:
    """(83): q_E = q_M + dt/2 F(q_M) u_E, and quaternions of unit length."""
    half = 0.5 * problem.number[0].dt
    for i in range(body.shape[0]):
        b, u, q = body[i], problem.speed[i], problem.middle[i]
        b.x, b.y, b.z = q[0] + half * u[0], q[1] + half * u[1], q[2] + half * u[2]
        set_unit(b, *moved_quaternion(q[3], q[4], q[5], q[6], u[3], u[4], u[5], half))


@kernel
def turn_own(b: Records, s1: float, s2: float, s3: float, c: float) -> None:
    """Turn a link by a rotation in its own axes: (c, s) is its quaternion, of any length."""
    set_product(b, (b.qw, b.qx, b.qy, b.qz), (c, s1, s2, s3))


@kernel
def roll_square(problem: PaperProblem, b: Records, j: int) -> None:
    """Of a cardan joint: the link rolls about its long axis, which stays, until the axes of the joint are at right
    angles, (13)."""
    tail, head = problem.rotation[j], problem.rotation[j + 1]
    a, fixed = problem.perpendicular[j, 0, 0], problem.perpendicular[j, 0, 1]
    side, sign = (2, 1.0) if a == 1 else (1, -1.0)  # x cross its axis a
    c = s = 0.0
    for m in range(3):
        s -= tail[m, a] * head[m, fixed]
        c += sign * tail[m, side] * head[m, fixed]
    if abs(c) > GIMBAL:
        half = 0.5 * math.atan(s / c)
        turn_own(b, math.sin(half), 0.0, 0.0, math.cos(half))


@kernel
def align_hinge(problem: PaperProblem, b: Records, j: int) -> None:
    """Of a hinge, which P5 does not have: the smallest rotation that makes both links' copies of its axis one."""
    tail, head, axis = problem.rotation[j], problem.rotation[j + 1], problem.perpendicular[j, 0, 1]
    d1 = d2 = d3 = 0.0  # the head side's copy in the axes of the link
    for m in range(3):
        d1 += tail[m, 0] * head[m, axis]
        d2 += tail[m, 1] * head[m, axis]
        d3 += tail[m, 2] * head[m, axis]
    if axis == 2:
        turn_own(b, -d2, d1, 0.0, 1.0 + d3)
    else:
        turn_own(b, d3, 0.0, -d1, 1.0 + d2)


@kernel
def close_joints(problem: PaperProblem, body: Records) -> None:
    """VII-C, from P5's link 1, the head, which stays as it is: first orientations, then positions."""
    last = body.shape[0] - 1
    b = body[last]
    set_rotation(problem.rotation[last], b.qw, b.qx, b.qy, b.qz)
    for i in range(last - 1, -1, -1):
        b, next_b = body[i], body[i + 1]
        set_rotation(problem.rotation[i], b.qw, b.qx, b.qy, b.qz)
        if problem.perpendicular[i, 1, 0] >= 0:
            align_hinge(problem, b, i)
        else:
            roll_square(problem, b, i)
        set_rotation(problem.rotation[i], b.qw, b.qx, b.qy, b.qz)
        tail, head = problem.rotation[i], problem.rotation[i + 1]
        h, k = problem.link[i].half, problem.link[i + 1].half
        b.x = next_b.x - k * head[0, 0] - h * tail[0, 0]
        b.y = next_b.y - k * head[1, 0] - h * tail[1, 0]
        b.z = next_b.z - k * head[2, 0] - h * tail[2, 0]


@kernel
def keep_velocities(problem: PaperProblem, state: State) -> None:
    """Velocities in world axes, angles and rates of the joints, at the pose that is now in `rotation`."""
    for i in range(state.body.shape[0]):
        b, u, r = state.body[i], problem.speed[i], problem.rotation[i]
        b.vx, b.vy, b.vz = u[0], u[1], u[2]
        b.wx = r[0, 0] * u[3] + r[0, 1] * u[4] + r[0, 2] * u[5]
        b.wy = r[1, 0] * u[3] + r[1, 1] * u[4] + r[1, 2] * u[5]
        b.wz = r[2, 0] * u[3] + r[2, 1] * u[4] + r[2, 2] * u[5]
    set_torques(problem)
    for k in range(problem.freedom.shape[0]):
        state.angle[0, k] = joint_angle(problem, k)
        state.angle[1, k] = rate_along(problem.torque[k], problem.speed, int(problem.freedom[k].joint))
