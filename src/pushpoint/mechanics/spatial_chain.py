"""A chain of rigid links in space, in reduced coordinates: one articulated sweep per linear solve, O(n).

All 6-vectors are in world axes about ONE point O, so that they pass from link to link as they are. A motion is
(w, v): angular velocity, and velocity of the material point at O; a force is (torque about O, force). The root is a
link in the middle; the others follow outwards, towards both ends in turn. Row k of the tree says which link comes k-th,
its neighbour towards the root, and its freedoms from there on, -1 where there is none.

    outwards: V_i = V_parent + S_i rate_i
    inwards:  U = A S;  T = A'S;  D = S'U + kappa;  e = tau + S'p;  A_parent += A - U T'/D;  p_parent += p - U e/D

Symbols: S axis of a joint as a motion, A articulated inertia, p force, kappa inertia of the joint itself. A is the
tangent of all that acts on the links, and need not be symmetric.
"""

from __future__ import annotations

import math

import numpy as np

from pushpoint._jit import fused, kernel
from pushpoint.numerics.records import Records
from pushpoint.types import FloatArray, IntArray

CHAIN_FIELDS = (
    "mass", "roll", "pitch", "yaw", "half",  # [kg], [kg m2] about its own axes, [m] half its length
    "c1", "c2", "c3",  # [m], centre from O
    "x1", "x2", "x3", "y1", "y2", "y3", "z1", "z2", "z3",  # its axes: forward, left, up
    "j11", "j12", "j22", "j13", "j23", "j33",  # [kg m2], inertia about O
    "w1", "w2", "w3", "v1", "v2", "v3",  # motion
    "b1", "b2", "b3", "b4", "b5", "b6",  # its rate of change while all joint rates stay as they are
    "f1", "f2", "f3", "f4", "f5", "f6",  # impulse that is not yet balanced; later that of the whole subtree
    # articulated inertia, force per motion; not symmetric where friction grows with the weight
    *(f"a{i}{j}" for i in range(1, 7) for j in range(1, 7)),
    "d1", "d2", "d3", "d4", "d5", "d6",  # step of the motion
)  # fmt: skip
FREEDOM_FIELDS = (
    "angle", "rate",  # [rad], [rad/s]
    "axis",  # column of the link's rotation matrix, see robots.AXES: 2 about z, 1 about y, 0 about x
    "sign",  # +1 towards the head from the root, -1 towards the tail
    "middle",  # [rad], angle in the middle of the step
    "apart",  # [m], from the first to the second axis of its joint
    "s1", "s2", "s3", "s4", "s5", "s6",  # axis as a motion about O
    "u1", "u2", "u3", "u4", "u5", "u6", "t1", "t2", "t3", "t4", "t5", "t6",  # of the elimination: U / D, T / D,
    "e", "inverse",  # e / D, 1 / D
    "kappa", "tau",  # [kg m2], [N m s], tangent and impulse of the joint that is not yet balanced
    "step",  # of the rate
)  # fmt: skip


def make_tree(links: int, freedoms_of: list[list[int]]) -> IntArray:
    """Rows (link, parent, first and second freedom outwards), the root first, then towards head and tail in turn.

    `freedoms_of[j]`: the freedoms of joint j, from the tail.
    """
    root = links // 2
    rows: list[tuple[int, ...]] = [(root, -1, -1, -1)]
    for distance in range(1, links):
        if root + distance < links:
            pair = [*freedoms_of[root + distance - 1], -1, -1][:2]
            rows.append((root + distance, root + distance - 1, *pair))
        if root - distance >= 0:
            pair = [*reversed(freedoms_of[root - distance]), -1, -1][:2]
            rows.append((root - distance, root - distance + 1, *pair))
    return np.array(rows, dtype=np.int64)


@fused
def turn(link: Records, freedom: Records) -> None:
    """Turn the link's axes by the joint angle of one freedom, and note the direction of its axis."""
    angle = freedom.sign * freedom.middle
    c, s = math.cos(angle), math.sin(angle)
    x1, x2, x3 = link.x1, link.x2, link.x3
    if freedom.axis == 2.0:
        freedom.s1, freedom.s2, freedom.s3 = link.z1, link.z2, link.z3
        y1, y2, y3 = link.y1, link.y2, link.y3
        link.x1, link.x2, link.x3 = c * x1 + s * y1, c * x2 + s * y2, c * x3 + s * y3
        link.y1, link.y2, link.y3 = c * y1 - s * x1, c * y2 - s * x2, c * y3 - s * x3
    elif freedom.axis == 1.0:
        freedom.s1, freedom.s2, freedom.s3 = link.y1, link.y2, link.y3
        z1, z2, z3 = link.z1, link.z2, link.z3
        link.x1, link.x2, link.x3 = c * x1 - s * z1, c * x2 - s * z2, c * x3 - s * z3
        link.z1, link.z2, link.z3 = c * z1 + s * x1, c * z2 + s * x2, c * z3 + s * x3
    else:
        freedom.s1, freedom.s2, freedom.s3 = x1, x2, x3
        y1, y2, y3, z1, z2, z3 = link.y1, link.y2, link.y3, link.z1, link.z2, link.z3
        link.y1, link.y2, link.y3 = c * y1 + s * z1, c * y2 + s * z2, c * y3 + s * z3
        link.z1, link.z2, link.z3 = c * z1 - s * y1, c * z2 - s * y2, c * z3 - s * y3


@fused
def place_axis(freedom: Records, r1: float, r2: float, r3: float) -> None:
    """The axis through a point r as a motion about O: (a, r x a); outwards, so that the sign is part of it."""
    sign = freedom.sign
    s1, s2, s3 = sign * freedom.s1, sign * freedom.s2, sign * freedom.s3
    freedom.s1, freedom.s2, freedom.s3 = s1, s2, s3
    freedom.s4, freedom.s5, freedom.s6 = r2 * s3 - r3 * s2, r3 * s1 - r1 * s3, r1 * s2 - r2 * s1


@kernel
def place_links(link: Records, freedom: Records, tree: IntArray) -> None:
    """Poses of all links from that of the root, axes of all joints."""
    for k in range(1, tree.shape[0]):
        own, near, first, second = link[tree[k, 0]], link[tree[k, 1]], tree[k, 2], tree[k, 3]
        own.x1, own.x2, own.x3 = near.x1, near.x2, near.x3
        own.y1, own.y2, own.y3 = near.y1, near.y2, near.y3
        own.z1, own.z2, own.z3 = near.z1, near.z2, near.z3
        sign = freedom[first].sign
        h = sign * near.half
        r1, r2, r3 = near.c1 + h * near.x1, near.c2 + h * near.x2, near.c3 + h * near.x3
        turn(own, freedom[first])
        place_axis(freedom[first], r1, r2, r3)
        if second >= 0:
            h = sign * freedom[second].apart  # along what is between the axes, which has no mass
            r1, r2, r3 = r1 + h * own.x1, r2 + h * own.x2, r3 + h * own.x3
            turn(own, freedom[second])
            place_axis(freedom[second], r1, r2, r3)
        h = sign * own.half
        own.c1, own.c2, own.c3 = r1 + h * own.x1, r2 + h * own.x2, r3 + h * own.x3


@kernel
def place_inertias(link: Records) -> None:
    """Inertia of each link about O: R I R' + m (c.c 1 - c c')."""
    for i in range(link.shape[0]):
        a = link[i]
        m, c1, c2, c3 = a.mass, a.c1, a.c2, a.c3
        x1, x2, x3, y1, y2, y3, z1, z2, z3 = a.x1, a.x2, a.x3, a.y1, a.y2, a.y3, a.z1, a.z2, a.z3
        p, q, s = a.roll, a.pitch, a.yaw
        a.j11 = p * x1 * x1 + q * y1 * y1 + s * z1 * z1 + m * (c2 * c2 + c3 * c3)
        a.j22 = p * x2 * x2 + q * y2 * y2 + s * z2 * z2 + m * (c1 * c1 + c3 * c3)
        a.j33 = p * x3 * x3 + q * y3 * y3 + s * z3 * z3 + m * (c1 * c1 + c2 * c2)
        a.j12 = p * x1 * x2 + q * y1 * y2 + s * z1 * z2 - m * c1 * c2
        a.j13 = p * x1 * x3 + q * y1 * y3 + s * z1 * z3 - m * c1 * c3
        a.j23 = p * x2 * x3 + q * y2 * y3 + s * z2 * z3 - m * c2 * c3


@fused
def momentum(a: Records, w1: float, w2: float, w3: float, v1: float, v2: float, v3: float) -> tuple[
    float, float, float, float, float, float
]:  # fmt: skip
    """Inertia of a link times a motion: (angular momentum about O, momentum)."""
    m1, m2, m3 = a.mass * a.c1, a.mass * a.c2, a.mass * a.c3
    return (
        a.j11 * w1 + a.j12 * w2 + a.j13 * w3 + m2 * v3 - m3 * v2,
        a.j12 * w1 + a.j22 * w2 + a.j23 * w3 + m3 * v1 - m1 * v3,
        a.j13 * w1 + a.j23 * w2 + a.j33 * w3 + m1 * v2 - m2 * v1,
        a.mass * v1 + w2 * m3 - w3 * m2,
        a.mass * v2 + w3 * m1 - w1 * m3,
        a.mass * v3 + w1 * m2 - w2 * m1,
    )


@fused
def add_freedom(a: Records, j: Records) -> None:
    """Carry motion and its change over one freedom: V += S rate, B += (V x S) rate."""
    q = j.rate
    s1, s2, s3, s4, s5, s6 = q * j.s1, q * j.s2, q * j.s3, q * j.s4, q * j.s5, q * j.s6
    w1, w2, w3, v1, v2, v3 = a.w1, a.w2, a.w3, a.v1, a.v2, a.v3
    a.b1, a.b2, a.b3 = a.b1 + w2 * s3 - w3 * s2, a.b2 + w3 * s1 - w1 * s3, a.b3 + w1 * s2 - w2 * s1
    a.b4 += w2 * s6 - w3 * s5 + v2 * s3 - v3 * s2
    a.b5 += w3 * s4 - w1 * s6 + v3 * s1 - v1 * s3
    a.b6 += w1 * s5 - w2 * s4 + v1 * s2 - v2 * s1
    a.w1, a.w2, a.w3 = w1 + s1, w2 + s2, w3 + s3
    a.v1, a.v2, a.v3 = v1 + s4, v2 + s5, v3 + s6


@kernel
def move_links(link: Records, freedom: Records, tree: IntArray) -> None:
    """Motions of all links from that of the root and the joint rates, and how they change at constant rates.

    The root's centre, which is at O now, moves on with v: the change of the motion at the fixed point O is -w x v.
    """
    root = link[tree[0, 0]]
    root.b1 = root.b2 = root.b3 = 0.0
    root.b4 = root.w3 * root.v2 - root.w2 * root.v3
    root.b5 = root.w1 * root.v3 - root.w3 * root.v1
    root.b6 = root.w2 * root.v1 - root.w1 * root.v2
    for k in range(1, tree.shape[0]):
        own, near = link[tree[k, 0]], link[tree[k, 1]]
        own.w1, own.w2, own.w3, own.v1, own.v2, own.v3 = near.w1, near.w2, near.w3, near.v1, near.v2, near.v3
        own.b1, own.b2, own.b3, own.b4, own.b5, own.b6 = near.b1, near.b2, near.b3, near.b4, near.b5, near.b6
        add_freedom(own, freedom[tree[k, 2]])
        if tree[k, 3] >= 0:
            add_freedom(own, freedom[tree[k, 3]])


@fused
def later_momentum(a: Records, h: float) -> tuple[float, float, float, float, float, float]:
    """Momentum of a link about O a time h [s] later, to second order: M V + h (M B + V x* M V)."""
    l1, l2, l3, p1, p2, p3 = momentum(a, a.w1, a.w2, a.w3, a.v1, a.v2, a.v3)
    k1, k2, k3, q1, q2, q3 = momentum(a, a.b1, a.b2, a.b3, a.b4, a.b5, a.b6)
    w1, w2, w3, v1, v2, v3 = a.w1, a.w2, a.w3, a.v1, a.v2, a.v3
    k1 += w2 * l3 - w3 * l2 + v2 * p3 - v3 * p2
    k2 += w3 * l1 - w1 * l3 + v3 * p1 - v1 * p3
    k3 += w1 * l2 - w2 * l1 + v1 * p2 - v2 * p1
    q1 += w2 * p3 - w3 * p2
    q2 += w3 * p1 - w1 * p3
    q3 += w1 * p2 - w2 * p1
    return l1 + h * k1, l2 + h * k2, l3 + h * k3, p1 + h * q1, p2 + h * q2, p3 + h * q3


@kernel
def begin_inertias(link: Records, low: int, high: int) -> None:
    """Articulated inertias of links `low` to `high` start as those of the links alone."""
    for i in range(low, high + 1):
        a = link[i]
        m1, m2, m3 = a.mass * a.c1, a.mass * a.c2, a.mass * a.c3
        a.a11, a.a12, a.a13 = a.j11, a.j12, a.j13
        a.a21, a.a22, a.a23 = a.j12, a.j22, a.j23
        a.a31, a.a32, a.a33 = a.j13, a.j23, a.j33
        a.a14, a.a15, a.a16 = 0.0, -m3, m2  # m c x v
        a.a24, a.a25, a.a26 = m3, 0.0, -m1
        a.a34, a.a35, a.a36 = -m2, m1, 0.0
        a.a41, a.a42, a.a43 = 0.0, m3, -m2
        a.a51, a.a52, a.a53 = -m3, 0.0, m1
        a.a61, a.a62, a.a63 = m2, -m1, 0.0
        a.a44 = a.a55 = a.a66 = a.mass
        a.a45 = a.a46 = a.a54 = a.a56 = a.a64 = a.a65 = 0.0


@fused
def add_rank_one(
    a: Records,
    f1: float, f2: float, f3: float, f4: float, f5: float, f6: float,
    d1: float, d2: float, d3: float, d4: float, d5: float, d6: float,
) -> None:  # fmt: skip
    """A += f d': a force f per unit of the motion along d."""
    a.a11, a.a12, a.a13 = a.a11 + f1 * d1, a.a12 + f1 * d2, a.a13 + f1 * d3
    a.a14, a.a15, a.a16 = a.a14 + f1 * d4, a.a15 + f1 * d5, a.a16 + f1 * d6
    a.a21, a.a22, a.a23 = a.a21 + f2 * d1, a.a22 + f2 * d2, a.a23 + f2 * d3
    a.a24, a.a25, a.a26 = a.a24 + f2 * d4, a.a25 + f2 * d5, a.a26 + f2 * d6
    a.a31, a.a32, a.a33 = a.a31 + f3 * d1, a.a32 + f3 * d2, a.a33 + f3 * d3
    a.a34, a.a35, a.a36 = a.a34 + f3 * d4, a.a35 + f3 * d5, a.a36 + f3 * d6
    a.a41, a.a42, a.a43 = a.a41 + f4 * d1, a.a42 + f4 * d2, a.a43 + f4 * d3
    a.a44, a.a45, a.a46 = a.a44 + f4 * d4, a.a45 + f4 * d5, a.a46 + f4 * d6
    a.a51, a.a52, a.a53 = a.a51 + f5 * d1, a.a52 + f5 * d2, a.a53 + f5 * d3
    a.a54, a.a55, a.a56 = a.a54 + f5 * d4, a.a55 + f5 * d5, a.a56 + f5 * d6
    a.a61, a.a62, a.a63 = a.a61 + f6 * d1, a.a62 + f6 * d2, a.a63 + f6 * d3
    a.a64, a.a65, a.a66 = a.a64 + f6 * d4, a.a65 + f6 * d5, a.a66 + f6 * d6


@fused
def eliminate(a: Records, j: Records) -> None:
    """Take one freedom out of the articulated inertia of what depends on it."""
    s1, s2, s3, s4, s5, s6 = j.s1, j.s2, j.s3, j.s4, j.s5, j.s6
    u1 = a.a11 * s1 + a.a12 * s2 + a.a13 * s3 + a.a14 * s4 + a.a15 * s5 + a.a16 * s6
    u2 = a.a21 * s1 + a.a22 * s2 + a.a23 * s3 + a.a24 * s4 + a.a25 * s5 + a.a26 * s6
    u3 = a.a31 * s1 + a.a32 * s2 + a.a33 * s3 + a.a34 * s4 + a.a35 * s5 + a.a36 * s6
    u4 = a.a41 * s1 + a.a42 * s2 + a.a43 * s3 + a.a44 * s4 + a.a45 * s5 + a.a46 * s6
    u5 = a.a51 * s1 + a.a52 * s2 + a.a53 * s3 + a.a54 * s4 + a.a55 * s5 + a.a56 * s6
    u6 = a.a61 * s1 + a.a62 * s2 + a.a63 * s3 + a.a64 * s4 + a.a65 * s5 + a.a66 * s6
    d = 1.0 / (s1 * u1 + s2 * u2 + s3 * u3 + s4 * u4 + s5 * u5 + s6 * u6 + j.kappa)
    t1 = d * (s1 * a.a11 + s2 * a.a21 + s3 * a.a31 + s4 * a.a41 + s5 * a.a51 + s6 * a.a61)
    t2 = d * (s1 * a.a12 + s2 * a.a22 + s3 * a.a32 + s4 * a.a42 + s5 * a.a52 + s6 * a.a62)
    t3 = d * (s1 * a.a13 + s2 * a.a23 + s3 * a.a33 + s4 * a.a43 + s5 * a.a53 + s6 * a.a63)
    t4 = d * (s1 * a.a14 + s2 * a.a24 + s3 * a.a34 + s4 * a.a44 + s5 * a.a54 + s6 * a.a64)
    t5 = d * (s1 * a.a15 + s2 * a.a25 + s3 * a.a35 + s4 * a.a45 + s5 * a.a55 + s6 * a.a65)
    t6 = d * (s1 * a.a16 + s2 * a.a26 + s3 * a.a36 + s4 * a.a46 + s5 * a.a56 + s6 * a.a66)
    e = j.tau + s1 * a.f1 + s2 * a.f2 + s3 * a.f3 + s4 * a.f4 + s5 * a.f5 + s6 * a.f6
    j.e, j.inverse = d * e, d
    j.u1, j.u2, j.u3, j.u4, j.u5, j.u6 = d * u1, d * u2, d * u3, d * u4, d * u5, d * u6
    j.t1, j.t2, j.t3, j.t4, j.t5, j.t6 = t1, t2, t3, t4, t5, t6
    a.f1, a.f2, a.f3 = a.f1 - j.e * u1, a.f2 - j.e * u2, a.f3 - j.e * u3
    a.f4, a.f5, a.f6 = a.f4 - j.e * u4, a.f5 - j.e * u5, a.f6 - j.e * u6
    add_rank_one(a, -u1, -u2, -u3, -u4, -u5, -u6, t1, t2, t3, t4, t5, t6)


@fused
def hand_on(own: Records, near: Records) -> None:
    """What is left of a link's inertia acts on its neighbour."""
    near.a11, near.a12, near.a13 = near.a11 + own.a11, near.a12 + own.a12, near.a13 + own.a13
    near.a14, near.a15, near.a16 = near.a14 + own.a14, near.a15 + own.a15, near.a16 + own.a16
    near.a21, near.a22, near.a23 = near.a21 + own.a21, near.a22 + own.a22, near.a23 + own.a23
    near.a24, near.a25, near.a26 = near.a24 + own.a24, near.a25 + own.a25, near.a26 + own.a26
    near.a31, near.a32, near.a33 = near.a31 + own.a31, near.a32 + own.a32, near.a33 + own.a33
    near.a34, near.a35, near.a36 = near.a34 + own.a34, near.a35 + own.a35, near.a36 + own.a36
    near.a41, near.a42, near.a43 = near.a41 + own.a41, near.a42 + own.a42, near.a43 + own.a43
    near.a44, near.a45, near.a46 = near.a44 + own.a44, near.a45 + own.a45, near.a46 + own.a46
    near.a51, near.a52, near.a53 = near.a51 + own.a51, near.a52 + own.a52, near.a53 + own.a53
    near.a54, near.a55, near.a56 = near.a54 + own.a54, near.a55 + own.a55, near.a56 + own.a56
    near.a61, near.a62, near.a63 = near.a61 + own.a61, near.a62 + own.a62, near.a63 + own.a63
    near.a64, near.a65, near.a66 = near.a64 + own.a64, near.a65 + own.a65, near.a66 + own.a66


@fused
def hand_on_force(own: Records, near: Records) -> None:
    """What is left of the force on a link acts on its neighbour."""
    near.f1, near.f2, near.f3 = near.f1 + own.f1, near.f2 + own.f2, near.f3 + own.f3
    near.f4, near.f5, near.f6 = near.f4 + own.f4, near.f5 + own.f5, near.f6 + own.f6


@fused
def step_freedom(a: Records, j: Records) -> None:
    """Step of one joint rate, and of the motion beyond it."""
    j.step = j.e - (j.t1 * a.d1 + j.t2 * a.d2 + j.t3 * a.d3 + j.t4 * a.d4 + j.t5 * a.d5 + j.t6 * a.d6)
    a.d1, a.d2, a.d3 = a.d1 + j.s1 * j.step, a.d2 + j.s2 * j.step, a.d3 + j.s3 * j.step
    a.d4, a.d5, a.d6 = a.d4 + j.s4 * j.step, a.d5 + j.s5 * j.step, a.d6 + j.s6 * j.step


@kernel
def solve_root(a: Records, m: FloatArray) -> None:
    """Step of the root: A d = f by elimination; `m` (6, 7) is scratch."""
    m[0, 0], m[0, 1], m[0, 2], m[0, 3], m[0, 4], m[0, 5], m[0, 6] = a.a11, a.a12, a.a13, a.a14, a.a15, a.a16, a.f1
    m[1, 0], m[1, 1], m[1, 2], m[1, 3], m[1, 4], m[1, 5], m[1, 6] = a.a21, a.a22, a.a23, a.a24, a.a25, a.a26, a.f2
    m[2, 0], m[2, 1], m[2, 2], m[2, 3], m[2, 4], m[2, 5], m[2, 6] = a.a31, a.a32, a.a33, a.a34, a.a35, a.a36, a.f3
    m[3, 0], m[3, 1], m[3, 2], m[3, 3], m[3, 4], m[3, 5], m[3, 6] = a.a41, a.a42, a.a43, a.a44, a.a45, a.a46, a.f4
    m[4, 0], m[4, 1], m[4, 2], m[4, 3], m[4, 4], m[4, 5], m[4, 6] = a.a51, a.a52, a.a53, a.a54, a.a55, a.a56, a.f5
    m[5, 0], m[5, 1], m[5, 2], m[5, 3], m[5, 4], m[5, 5], m[5, 6] = a.a61, a.a62, a.a63, a.a64, a.a65, a.a66, a.f6
    for k in range(6):
        inverse = 1.0 / m[k, k]
        for i in range(k + 1, 6):
            factor = m[i, k] * inverse
            for j in range(k + 1, 7):
                m[i, j] -= factor * m[k, j]
    for k in range(5, -1, -1):
        total = m[k, 6]
        for j in range(k + 1, 6):
            total -= m[k, j] * m[j, 6]
        m[k, 6] = total / m[k, k]
    a.d1, a.d2, a.d3, a.d4, a.d5, a.d6 = m[0, 6], m[1, 6], m[2, 6], m[3, 6], m[4, 6], m[5, 6]


@fused
def eliminate_again(a: Records, j: Records) -> None:
    """What `eliminate` does to a force, with the inertias of the last sweep."""
    e = j.tau + j.s1 * a.f1 + j.s2 * a.f2 + j.s3 * a.f3 + j.s4 * a.f4 + j.s5 * a.f5 + j.s6 * a.f6
    j.e = j.inverse * e
    a.f1, a.f2, a.f3 = a.f1 - e * j.u1, a.f2 - e * j.u2, a.f3 - e * j.u3
    a.f4, a.f5, a.f6 = a.f4 - e * j.u4, a.f5 - e * j.u5, a.f6 - e * j.u6


@kernel
def step_outwards(link: Records, freedom: Records, tree: IntArray) -> None:
    """Steps of all motions and rates from that of the root."""
    for k in range(1, tree.shape[0]):
        own, near = link[tree[k, 0]], link[tree[k, 1]]
        own.d1, own.d2, own.d3, own.d4, own.d5, own.d6 = near.d1, near.d2, near.d3, near.d4, near.d5, near.d6
        step_freedom(own, freedom[tree[k, 2]])
        if tree[k, 3] >= 0:
            step_freedom(own, freedom[tree[k, 3]])


@kernel
def sweep(link: Records, freedom: Records, tree: IntArray, scratch: FloatArray, low: int, high: int) -> None:
    """Solve for the steps of the root's motion and of all joint rates. Changes a.. and f.. of the links.

    Inertias are new from link `low` to `high`, which is a range around the root, or empty; beyond they are those of the
    last sweep, and what it found is used again at a quarter of the cost.
    """
    for k in range(tree.shape[0] - 1, 0, -1):
        i, near = tree[k, 0], tree[k, 1]
        own, first, second = link[i], freedom[tree[k, 2]], tree[k, 3]
        if low <= i <= high:
            if second >= 0:
                eliminate(own, freedom[second])
            eliminate(own, first)
        else:
            if second >= 0:
                eliminate_again(own, freedom[second])
            eliminate_again(own, first)
        if low <= near <= high:
            hand_on(own, link[near])
        hand_on_force(own, link[near])
    solve_root(link[tree[0, 0]], scratch)
    step_outwards(link, freedom, tree)
