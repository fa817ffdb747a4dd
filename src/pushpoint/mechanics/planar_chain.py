"""Planar chains of rigid links: closing the joints, chords of a turn, and the linear solve in O(n).

Link i has its centre midway between its joints, at the distance HALF from each. Velocities are those of link centres in
the world frame.

              P_i = joint i - 1           P_{i+1} = joint i
      ... ----o------- c_i, HALF ---------o------- c_{i+1} ...        e_i = (COS, SIN) of link i

All kernels work on ONE array, `link`, with a row per link and the columns named below (an array per quantity would cost
seconds of compile time). Columns of a joint stand in the row of the link on its head side.
"""

from __future__ import annotations

import math

from pushpoint._jit import kernel
from pushpoint.types import FloatArray

HALF, MASS, INERTIA = 0, 1, 2  # [m], [kg], [kg m2]
X, Y, COS, SIN = 3, 4, 5, 6  # pose
VX, VY, W = 7, 8, 9  # velocity of the centre (chords included) [m/s], rate [rad/s]
CHORD_X, CHORD_Y = 10, 11  # [m/s], see `chord_change`
XX, XY, YY, XW, YW, WW = 12, 13, 14, 15, 16, 17  # symmetric block of the link about its centre: inertia and tangents
FX, FY, FW = 18, 19, 20  # unbalanced impulse on the link [N s], [N m s]
STIFFNESS, TORQUE = 21, 22  # of the joint: tangent [N m s2/rad] and impulse on the head side [N m s]
DX, DY, DW = 23, 24, 25  # solution of `sweep`
ROW_X, ROW_Y, ROW_W, PIVOT = 26, 27, 28, 29  # eliminated joint row of `sweep`
NEW_CHORD_X, NEW_CHORD_Y = 30, 31  # [m/s]
CHAIN_COLUMNS = 32

C2, C3, C4, C5, C6, C7, C8, C9 = (1.0 / math.factorial(k) for k in range(3, 11))  # of the series in `turned`


@kernel
def close_chain(link: FloatArray, x: float, y: float) -> None:
    """Place the links by their directions so that all joints are closed and the centre of mass is at (x, y)."""
    n = link.shape[0]
    px = py = mx = my = total = 0.0
    for i in range(n):
        hx, hy = link[i, HALF] * link[i, COS], link[i, HALF] * link[i, SIN]
        if i > 0:
            px += hx
            py += hy
        link[i, X], link[i, Y] = px, py
        mx += link[i, MASS] * px
        my += link[i, MASS] * py
        total += link[i, MASS]
        px += hx
        py += hy
    for i in range(n):
        link[i, X] += x - mx / total
        link[i, Y] += y - my / total


@kernel
def rotated(c: float, s: float, turn: float) -> tuple[float, float]:
    """Direction (c, s) turned by a small angle; exact to round-off."""
    if abs(turn) > 0.2:
        dc, ds = math.cos(turn), math.sin(turn)
    else:
        across, along = turned(turn)
        dc, ds = 1.0 - turn * along, turn * (1.0 + across)
    return c * dc - s * ds, s * dc + c * ds


@kernel
def turned(turn: float) -> tuple[float, float]:
    """How the chord of a turn differs from its tangent: (sin x / x - 1, (1 - cos x) / x)."""
    if abs(turn) > 0.2:
        return math.sin(turn) / turn - 1.0, (1.0 - math.cos(turn)) / turn
    s = turn * turn  # Taylor series; the first term left out is below 1e-16 for |turn| <= 0.2
    across = -s * (C2 - s * (C4 - s * (C6 - s * C8)))
    along = turn * (0.5 - s * (C3 - s * (C5 - s * (C7 - s * C9))))
    return across, along


@kernel
def chord_change(link: FloatArray, dt: float) -> float:
    """Chords that fit the present rates, as NEW_CHORD; returns how far the present ones are off [m/s].

    With J V the velocity of the centres at the pose, J V + chord is the velocity whose step of dt, while the links turn
    by dt * rate, lands on closed joints again. Link 0 is the origin: its chord is zero.
    """
    x = y = off = 0.0
    for i in range(link.shape[0]):
        across, along = turned(dt * link[i, W])
        hw = link[i, HALF] * link[i, W]
        # HALF * ((e(turned) - e) / dt - rate * e_perp)
        kx = hw * (-across * link[i, SIN] - along * link[i, COS])
        ky = hw * (across * link[i, COS] - along * link[i, SIN])
        if i > 0:
            x += kx
            y += ky
        link[i, NEW_CHORD_X], link[i, NEW_CHORD_Y] = x, y
        off = max(off, abs(x - link[i, CHORD_X]), abs(y - link[i, CHORD_Y]))
        x += kx
        y += ky
    return off


@kernel
def take_chords(link: FloatArray) -> None:
    """Put the chords found by `chord_change` into the velocities."""
    for i in range(link.shape[0]):
        link[i, VX] += link[i, NEW_CHORD_X] - link[i, CHORD_X]
        link[i, VY] += link[i, NEW_CHORD_Y] - link[i, CHORD_Y]
        link[i, CHORD_X], link[i, CHORD_Y] = link[i, NEW_CHORD_X], link[i, NEW_CHORD_Y]


@kernel
def join_velocities(link: FloatArray) -> None:
    """Velocities that the joints allow at this pose: rates and root kept, centres from the root outwards; no chords."""
    x, y = link[0, VX], link[0, VY]
    for i in range(link.shape[0]):
        hw = link[i, HALF] * link[i, W]
        if i > 0:
            x -= hw * link[i, SIN]
            y += hw * link[i, COS]
        link[i, VX], link[i, VY] = x, y
        link[i, CHORD_X] = link[i, CHORD_Y] = 0.0
        x -= hw * link[i, SIN]
        y += hw * link[i, COS]


@kernel
def imbalance(link: FloatArray) -> tuple[float, float, int]:
    """Unbalanced impulse of the free motions: force [N s], largest moment over link length [N s], and its link."""
    n = link.shape[0]
    fx = fy = moment = worst = 0.0
    at = n - 1
    for i in range(n - 1, -1, -1):
        hx, hy = link[i, HALF] * link[i, COS], link[i, HALF] * link[i, SIN]
        moment += hx * fy - hy * fx + link[i, FW]
        fx += link[i, FX]
        fy += link[i, FY]
        wrong = abs(moment)  # of the root: about its centre
        if i > 0:
            moment += hx * fy - hy * fx
            wrong = abs(moment + link[i, TORQUE])
        wrong /= 2.0 * link[i, HALF]
        if not wrong <= worst:
            worst, at = wrong, i
    return max(abs(fx), abs(fy)), worst, at


@kernel
def shifted(xx: float, xy: float, yy: float, xw: float, yw: float, sx: float, sy: float) -> tuple[float, float, float]:
    """Mixed terms of a planar inertia after moving its reference point by -(sx, sy), and what its WW gains."""
    new_xw = xw - sy * xx + sx * xy
    new_yw = yw - sy * xy + sx * yy
    return new_xw, new_yw, sx * (yw + new_yw) - sy * (xw + new_xw)


@kernel
def sweep(link: FloatArray) -> None:
    """Solve (J' K J + joint stiffness) dV = J' F + joint torque for the link velocities J dV = (DX, DY, DW), in O(n).

    K are the blocks XX..WW. One articulated-body sweep; the reference point of each elimination is the joint itself,
    where the joint axis is (0, 0, 1), so that accuracy does not depend on the length of the chain.
    """
    xx = xy = yy = xw = yw = ww = fx = fy = fw = 0.0
    for i in range(link.shape[0] - 1, -1, -1):
        xx, xy, yy = xx + link[i, XX], xy + link[i, XY], yy + link[i, YY]
        xw, yw, ww = xw + link[i, XW], yw + link[i, YW], ww + link[i, WW]
        fx, fy, fw = fx + link[i, FX], fy + link[i, FY], fw + link[i, FW]
        if i == 0:
            break
        hx, hy = link[i, HALF] * link[i, COS], link[i, HALF] * link[i, SIN]
        xw, yw, more = shifted(xx, xy, yy, xw, yw, hx, hy)
        ww += more
        moment = fw + hx * fy - hy * fx + link[i, TORQUE]
        pivot = 1.0 / (ww + link[i, STIFFNESS])
        rx, ry, rw = xw * pivot, yw * pivot, ww * pivot
        link[i, ROW_X], link[i, ROW_Y], link[i, ROW_W], link[i, PIVOT] = rx, ry, rw, moment * pivot
        xx, xy, yy = xx - xw * rx, xy - xw * ry, yy - yw * ry
        fw = moment - link[i, TORQUE] - rw * moment
        fx, fy = fx - rx * moment, fy - ry * moment
        left = link[i, STIFFNESS] * pivot  # = 1 - rw, without cancellation
        hx, hy = link[i - 1, HALF] * link[i - 1, COS], link[i - 1, HALF] * link[i - 1, SIN]
        xw, yw, more = shifted(xx, xy, yy, xw * left, yw * left, hx, hy)
        ww = ww * left + more
        fw += hx * fy - hy * fx
    solve_root(link, xx, xy, yy, xw, yw, ww, fx, fy, fw)
    spread(link)


@kernel
def solve_root(
    link: FloatArray,
    xx: float, xy: float, yy: float, xw: float, yw: float, ww: float, fx: float, fy: float, fw: float,
) -> None:  # fmt: skip
    """The symmetric 3 x 3 system of the root link, by Cholesky's method without roots."""
    l10, l20 = xy / xx, xw / xx
    d1 = yy - l10 * xy
    l21 = (yw - l20 * xy) / d1
    d2 = ww - l20 * xw - l21 * l21 * d1
    y1 = fy - l10 * fx
    w = (fw - l20 * fx - l21 * y1) / d2
    y = y1 / d1 - l21 * w
    link[0, DX], link[0, DY], link[0, DW] = fx / xx - l10 * y - l20 * w, y, w


@kernel
def spread(link: FloatArray) -> None:
    """Back substitution of `sweep` from the root to the head."""
    for i in range(1, link.shape[0]):
        hx, hy = link[i - 1, HALF] * link[i - 1, COS], link[i - 1, HALF] * link[i - 1, SIN]
        w = link[i - 1, DW]
        x, y = link[i - 1, DX] - w * hy, link[i - 1, DY] + w * hx  # the joint
        w += link[i, PIVOT] - link[i, ROW_X] * x - link[i, ROW_Y] * y - link[i, ROW_W] * w
        link[i, DX] = x - w * link[i, HALF] * link[i, SIN]
        link[i, DY] = y + w * link[i, HALF] * link[i, COS]
        link[i, DW] = w
