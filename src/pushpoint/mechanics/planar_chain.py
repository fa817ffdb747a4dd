"""Planar chains of rigid links: closing the joints, chords of a turn, and the linear solve in O(n).

Link i has its centre midway between its joints, at the distance half_length[i] from each. Velocities are those of
link centres in the world frame.

              P_i = joint i - 1           P_{i+1} = joint i
      ... ----o------- c_i, h_i ----------o------- c_{i+1} ...        e_i = (cos, sin) of link i
"""

from __future__ import annotations

import math

from pushpoint._jit import kernel
from pushpoint.types import FloatArray


@kernel
def close_chain(half_length: FloatArray, mass: FloatArray, centre: FloatArray, pose: FloatArray) -> None:
    """Place the links so that all joints are closed and the centre of mass is at `centre`.

    pose (n, 4): x, y (written), cos, sin (read).
    """
    n = half_length.size
    x = y = mx = my = total = 0.0
    for i in range(n):
        if i > 0:
            x += half_length[i] * pose[i, 2]
            y += half_length[i] * pose[i, 3]
        pose[i, 0], pose[i, 1] = x, y
        mx += mass[i] * x
        my += mass[i] * y
        total += mass[i]
        x += half_length[i] * pose[i, 2]
        y += half_length[i] * pose[i, 3]
    sx, sy = centre[0] - mx / total, centre[1] - my / total
    for i in range(n):
        pose[i, 0] += sx
        pose[i, 1] += sy


@kernel
def chord_defect(turn: float) -> tuple[float, float]:
    """How the chord of a turn differs from its tangent: (sin x / x - 1, (1 - cos x) / x)."""
    if abs(turn) > 0.2:
        return math.sin(turn) / turn - 1.0, (1.0 - math.cos(turn)) / turn
    s = turn * turn  # Taylor series; the first term left out is below 1e-16 for |turn| <= 0.2
    across = -s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0)))
    along = 0.5 * turn * (1.0 - s / 12.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0 * (1.0 - s / 90.0))))
    return across, along


@kernel
def chord_velocity(half_length: FloatArray, dt: float, pose: FloatArray, rate: FloatArray, out: FloatArray) -> None:
    """Mean velocity of each centre while the links turn by dt * rate, less the tangent one; link 0 is the origin.

    With u = J V the velocity at the pose, u + out is the velocity whose step of dt lands on closed joints again.
    """
    n = half_length.size
    x = y = 0.0
    for i in range(n):
        across, along = chord_defect(dt * rate[i])
        # half_length * ((e(turned) - e) / dt - rate * e_perp)
        kx = half_length[i] * rate[i] * (-across * pose[i, 3] - along * pose[i, 2])
        ky = half_length[i] * rate[i] * (across * pose[i, 2] - along * pose[i, 3])
        if i > 0:
            x += kx
            y += ky
        out[i, 0], out[i, 1] = x, y
        x += kx
        y += ky


@kernel
def shift(a: FloatArray, sx: float, sy: float) -> None:
    """Move the reference point of the planar inertia a = (xx, xy, yy, xw, yw, ww; fx, fy, fw) by -(sx, sy)."""
    xw = a[3] - sy * a[0] + sx * a[1]
    yw = a[4] - sy * a[1] + sx * a[2]
    a[5] += sx * (a[4] + yw) - sy * (a[3] + xw)
    a[3], a[4] = xw, yw
    a[8] += sx * a[7] - sy * a[6]


@kernel
def imbalance(half_length: FloatArray, pose: FloatArray, force: FloatArray, torque: FloatArray, out: FloatArray) -> int:
    """Largest unbalanced impulse of the free motions: out = (force [N s], moment [N m s]); returns its link.

    force (n, 3): on the link centres.  torque (n - 1,): in the joints, on the head side.
    """
    n = half_length.size
    fx = fy = moment = 0.0
    worst, link = 0.0, n - 1
    for i in range(n - 1, -1, -1):
        hx, hy = half_length[i] * pose[i, 2], half_length[i] * pose[i, 3]
        moment += hx * fy - hy * fx + force[i, 2]
        fx += force[i, 0]
        fy += force[i, 1]
        if i == 0:  # about the centre of the root
            break
        moment += hx * fy - hy * fx
        wrong = abs(moment + torque[i - 1])
        if not wrong <= worst:
            worst, link = wrong, i
    if not abs(moment) <= worst:
        worst, link = abs(moment), 0
    out[0] = max(abs(fx), abs(fy))
    out[1] = worst
    return link


@kernel
def solve_root(a: FloatArray, out: FloatArray) -> None:
    """Solve the symmetric 3 x 3 system of the root link by Cholesky's method without roots."""
    l10, l20 = a[1] / a[0], a[3] / a[0]
    d1 = a[2] - l10 * a[1]
    l21 = (a[4] - l20 * a[1]) / d1
    d2 = a[5] - l20 * a[3] - l21 * l21 * d1
    y1 = a[7] - l10 * a[6]
    y2 = a[8] - l20 * a[6] - l21 * y1
    out[2] = y2 / d2
    out[1] = y1 / d1 - l21 * out[2]
    out[0] = a[6] / a[0] - l10 * out[1] - l20 * out[2]


@kernel
def sweep(
    half_length: FloatArray, pose: FloatArray, block: FloatArray, joint: FloatArray, factor: FloatArray, out: FloatArray
) -> None:
    """Solve (J' K J + joint stiffness) dV = J' f + joint torque for the link velocities J dV, in O(n).

    block (n, 9): K_i and f_i of each link about its centre as (xx, xy, yy, xw, yw, ww, fx, fy, fw); destroyed.
    joint (n - 1, 2): stiffness, torque.   factor (n, 4): scratch.   out (n, 3): dv_x, dv_y, dw.

    One articulated-body sweep; the reference point of each elimination is the joint itself, where the joint axis is
    (0, 0, 1), so that accuracy does not depend on the length of the chain.
    """
    n = half_length.size
    for i in range(n - 1, 0, -1):
        a = block[i]
        shift(a, half_length[i] * pose[i, 2], half_length[i] * pose[i, 3])
        scale = 1.0 / (a[5] + joint[i - 1, 0])
        wx, wy, ww = a[3] * scale, a[4] * scale, a[5] * scale
        moment = a[8] + joint[i - 1, 1]
        factor[i, 0], factor[i, 1], factor[i, 2], factor[i, 3] = wx, wy, ww, moment * scale
        a[0] -= a[3] * wx
        a[1] -= a[3] * wy
        a[2] -= a[4] * wy
        a[6] -= wx * moment
        a[7] -= wy * moment
        a[8] -= ww * moment
        left = joint[i - 1, 0] * scale  # = 1 - ww, without cancellation
        a[3] *= left
        a[4] *= left
        a[5] *= left
        shift(a, half_length[i - 1] * pose[i - 1, 2], half_length[i - 1] * pose[i - 1, 3])
        for k in range(9):
            block[i - 1, k] += a[k]
    solve_root(block[0], out[0])
    for i in range(1, n):
        hx, hy = half_length[i - 1] * pose[i - 1, 2], half_length[i - 1] * pose[i - 1, 3]
        w = out[i - 1, 2]
        x, y = out[i - 1, 0] - w * hy, out[i - 1, 1] + w * hx  # the joint
        w += factor[i, 3] - factor[i, 0] * x - factor[i, 1] * y - factor[i, 2] * w
        out[i, 0] = x - w * half_length[i] * pose[i, 3]
        out[i, 1] = y + w * half_length[i] * pose[i, 2]
        out[i, 2] = w
