"""Accelerations of a planar chain from the forces on its links, in O(n) through the forces in its joints.

Link i obeys P1 (16) and (20): m a = F + h_i - h_{i-1} and J dw = T + l n . (h_i + h_{i-1}), with h_i the force on link
i from link i + 1, e = (cos, sin) its direction and n = (-sin, cos). That both links of a joint accelerate alike there
is a symmetric positive definite system in the h, with one 2 x 2 block per joint and its neighbours:

    G_jj = (1/m_j + 1/m_k) I + c_j n_j n_j' + c_k n_k n_k'        c = l^2 / J,  k = j + 1
    G_jk = -1/m_k I + c_k n_k n_k'

which is what P1 (22) to (27) solve with dense matrices for equal links. Rows of `link` are the links from the tail;
what belongs to joint j stands in the row of link j.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from pushpoint._jit import kernel
from pushpoint.numerics.records import Records

JOINT_FORCE_FIELDS = (
    "half", "mass", "inertia",  # [m] half the length, [kg], [kg m2]
    "per_mass", "lever", "stiff",  # 1 / mass, half / inertia, half^2 / inertia: see `prepare_chain`
    "cos", "sin", "w",  # direction, rate [rad/s]
    "fx", "fy", "moment",  # on the link, besides those in the joints [N], [N m]
    "ax", "ay", "aw",  # found: acceleration of the centre [m/s2], of the angle [rad/s2]
    "hx", "hy",  # force on the link from the next one [N]; before that, how the joint would tear apart
    "ixx", "ixy", "iyy", "exx", "exy", "eyy",  # inverse of the joint's eliminated block; block to the joint before
)  # fmt: skip


FIRST = cast(int, np.int64(0))  # a plain 0 has a type of its own and would compile its user twice


def prepare_chain(link: Records) -> None:
    """What follows from half lengths, masses and inertias."""
    link["per_mass"] = 1.0 / link["mass"]
    link["lever"] = link["half"] / link["inertia"]
    link["stiff"] = link["half"] * link["lever"]


@kernel
def factor_joints(link: Records) -> None:
    """Eliminate the joints from the tail to the head: block Cholesky's method without roots."""
    pxx = pxy = pyy = 0.0
    for j in range(link.shape[0] - 1):
        a, b = link[j], link[j + 1]
        axx, axy, ayy = a.stiff * a.sin * a.sin, -a.stiff * a.sin * a.cos, a.stiff * a.cos * a.cos
        bxx, bxy, byy = b.stiff * b.sin * b.sin, -b.stiff * b.sin * b.cos, b.stiff * b.cos * b.cos
        level = a.per_mass + b.per_mass
        xx, xy, yy = level + axx + bxx, axy + bxy, level + ayy + byy
        if j > 0:  # take away E P E, with P the inverse of the block before
            qxx, qxy = a.exx * pxx + a.exy * pxy, a.exx * pxy + a.exy * pyy
            qyx, qyy = a.exy * pxx + a.eyy * pxy, a.exy * pxy + a.eyy * pyy
            xx -= qxx * a.exx + qxy * a.exy
            xy -= qxx * a.exy + qxy * a.eyy
            yy -= qyx * a.exy + qyy * a.eyy
        scale = 1.0 / (xx * yy - xy * xy)
        pxx, pxy, pyy = yy * scale, -xy * scale, xx * scale
        a.ixx, a.ixy, a.iyy = pxx, pxy, pyy
        b.exx, b.exy, b.eyy = bxx - b.per_mass, bxy, byy - b.per_mass


@kernel
def tear_all(link: Records) -> None:
    """How all joints would tear apart under the forces fx, fy, moment and the rates of the links."""
    for j in range(link.shape[0] - 1):
        a, b = link[j], link[j + 1]
        ta, tb, wa, wb = a.lever * a.moment, b.lever * b.moment, a.half * a.w * a.w, b.half * b.w * b.w
        a.hx = b.fx * b.per_mass - a.fx * a.per_mass + ta * a.sin + wa * a.cos + tb * b.sin + wb * b.cos
        a.hy = b.fy * b.per_mass - a.fy * a.per_mass - ta * a.cos + wa * a.sin - tb * b.cos + wb * b.sin


@kernel
def tear_at(link: Records, i: int) -> None:
    """The same under the forces on link i alone, at rest: two joints would tear."""
    for j in range(link.shape[0] - 1):
        link[j].hx = link[j].hy = 0.0
    a = link[i]
    turn = a.lever * a.moment
    if i > 0:
        link[i - 1].hx = a.fx * a.per_mass + turn * a.sin
        link[i - 1].hy = a.fy * a.per_mass - turn * a.cos
    if i < link.shape[0] - 1:
        a.hx = turn * a.sin - a.fx * a.per_mass
        a.hy = -turn * a.cos - a.fy * a.per_mass


@kernel
def hold_joints(link: Records, first: int) -> None:
    """The joint forces that keep the joints from tearing; none before joint `first` would."""
    last = link.shape[0] - 2
    rx = ry = 0.0
    for j in range(first, last + 1):
        a = link[j]
        x, y = a.hx, a.hy
        if j > first:
            x, y = x - a.exx * rx - a.exy * ry, y - a.exy * rx - a.eyy * ry
        rx, ry = a.ixx * x + a.ixy * y, a.ixy * x + a.iyy * y
        a.hx, a.hy = rx, ry
    for j in range(last - 1, -1, -1):
        a, b = link[j], link[j + 1]
        gx, gy = b.exx * b.hx + b.exy * b.hy, b.exy * b.hx + b.eyy * b.hy
        a.hx -= a.ixx * gx + a.ixy * gy
        a.hy -= a.ixy * gx + a.iyy * gy


@kernel
def accelerate(link: Records, i: int) -> None:
    """Acceleration of link i under the forces on it and in its joints."""
    a = link[i]
    hx = hy = back_x = back_y = 0.0
    if i < link.shape[0] - 1:
        hx, hy = a.hx, a.hy
    if i > 0:
        back_x, back_y = link[i - 1].hx, link[i - 1].hy
    a.ax, a.ay = (a.fx + hx - back_x) * a.per_mass, (a.fy + hy - back_y) * a.per_mass
    a.aw = a.moment / a.inertia + a.lever * (a.cos * (hy + back_y) - a.sin * (hx + back_x))


@kernel
def accelerate_all(link: Records) -> None:
    """Accelerations of all links under their forces and rates, P1 (28)."""
    tear_all(link)
    hold_joints(link, FIRST)
    for i in range(link.shape[0]):
        accelerate(link, i)
