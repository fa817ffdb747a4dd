"""Planar chains of rigid links: closing the joints, chords of a turn, and the linear solve in O(n).

Link i has its centre midway between its joints, at the distance `half` from each. Velocities are those of link centres
in the world frame.

              P_i = joint i - 1           P_{i+1} = joint i
      ... ----o------- c_i, half ---------o------- c_{i+1} ...        e_i = (cos, sin) of link i

All kernels work on ONE array of records, `link`, with a row per link and the fields below (an array per quantity would
cost seconds of compile time). Fields of a joint stand in the row of the link on its head side.
"""

from __future__ import annotations

import math

from pushpoint._jit import inlined, kernel
from pushpoint.numerics.records import Records

CHAIN_FIELDS = (
    "half", "mass", "inertia",  # [m] half the length, [kg], [kg m2]
    "x", "y", "cos", "sin",  # pose of the centre [m], direction
    "hx", "hy",  # [m], from the centre to the joint on the head side: half times direction
    "vx", "vy", "w",  # velocity of the centre (chords included) [m/s], rate [rad/s]
    "chord_x", "chord_y", "new_chord_x", "new_chord_y",  # [m/s], see `chord_change`
    "xx", "xy", "yy", "xw", "yw", "ww",  # symmetric block of the link about its centre: inertia and tangents
    "fx", "fy", "fw",  # unbalanced impulse on the link [N s], [N m s]
    "stiffness", "torque",  # of the joint: tangent [N m s2/rad] and impulse on the head side [N m s]
    "dx", "dy", "dw",  # solution of `sweep`
    "row_x", "row_y", "row_w", "pivot",  # eliminated joint row of `sweep`
)  # fmt: skip

Block = tuple[float, float, float, float, float, float, float, float, float]  # xx .. fw

C2, C3, C4, C5, C6, C7, C8, C9 = (1.0 / math.factorial(k) for k in range(3, 11))  # of the series in `turned`


@kernel
def aim(a: Records, c: float, s: float) -> None:
    """Turn a link into the direction (c, s)."""
    a.cos, a.sin = c, s
    a.hx, a.hy = a.half * c, a.half * s


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
def chord_change(link: Records, dt: float) -> float:
    """Chords that fit the present rates, as new_chord; returns how far the present ones are off [m/s].

    With J V the velocity of the centres at the pose, J V + chord is the velocity whose step of dt, while the links turn
    by dt * rate, lands on closed joints again. Link 0 is the origin: its chord is zero.
    """
    x = y = off = 0.0
    for i in range(link.shape[0]):
        a = link[i]
        across, along = turned(dt * a.w)
        hw = a.half * a.w
        # half * ((e(turned) - e) / dt - rate * e_perp)
        kx = hw * (-across * a.sin - along * a.cos)
        ky = hw * (across * a.cos - along * a.sin)
        if i > 0:
            x += kx
            y += ky
        a.new_chord_x, a.new_chord_y = x, y
        off = max(off, abs(x - a.chord_x), abs(y - a.chord_y))
        x += kx
        y += ky
    return off


@kernel
def take_chords(link: Records, shift_x: float, shift_y: float) -> None:
    """Put the chords found by `chord_change` into the velocities, and move the robot by `shift` [m]."""
    for i in range(link.shape[0]):
        a = link[i]
        a.x += shift_x
        a.y += shift_y
        a.vx += a.new_chord_x - a.chord_x
        a.vy += a.new_chord_y - a.chord_y
        a.chord_x, a.chord_y = a.new_chord_x, a.new_chord_y


@inlined
def locked_motion(link: Records) -> tuple[float, float, float, float, float, float]:
    """The rigid motion with the same momenta: centre of mass x, y, its velocity x, y, rate, and kinetic energy."""
    m = x = y = px = py = inertia = spin = 0.0
    for i in range(link.shape[0]):
        a = link[i]
        m += a.mass
        x += a.mass * a.x
        y += a.mass * a.y
        px += a.mass * a.vx
        py += a.mass * a.vy
    x, y = x / m, y / m
    for i in range(link.shape[0]):
        a = link[i]
        rx, ry = a.x - x, a.y - y
        inertia += a.inertia + a.mass * (rx * rx + ry * ry)
        spin += a.inertia * a.w + a.mass * (rx * a.vy - ry * a.vx)
    return x, y, px / m, py / m, spin / inertia, 0.5 * ((px * px + py * py) / m + spin * spin / inertia)


@inlined
def carried(link: Records, i: int, fx: float, fy: float, moment: float) -> tuple[float, float, float, float]:
    """From the head to link i: unbalanced force [N s], moment about the joint behind it [N m s], and that moment, less
    the joint's own torque, over the link length [N s]: what keeps the joint from being in balance."""
    a = link[i]
    moment += a.hx * fy - a.hy * fx + a.fw
    fx += a.fx
    fy += a.fy
    wrong = abs(moment)  # of the root: about its centre
    if i > 0:
        moment += a.hx * fy - a.hy * fx
        wrong = abs(moment + a.torque)
    return fx, fy, moment, wrong / (2.0 * a.half)


@kernel
def shifted(xx: float, xy: float, yy: float, xw: float, yw: float, sx: float, sy: float) -> tuple[float, float, float]:
    """Mixed terms of a planar inertia after moving its reference point by -(sx, sy), and what its ww gains."""
    new_xw = xw - sy * xx + sx * xy
    new_yw = yw - sy * xy + sx * yy
    return new_xw, new_yw, sx * (yw + new_yw) - sy * (xw + new_xw)


@kernel
def sweep(link: Records, gain: float) -> None:
    """Solve (J' K J + joint stiffness) dV = J' F + joint torque for the link velocities J dV = (dx, dy, dw), in O(n),
    and add `gain` times them to the velocities.

    K are the blocks xx .. ww. One articulated-body sweep; the reference point of each elimination is the joint itself,
    where the joint axis is (0, 0, 1), so that accuracy does not depend on the length of the chain.
    """
    xx = xy = yy = xw = yw = ww = fx = fy = fw = 0.0
    for i in range(link.shape[0] - 1, -1, -1):
        a = link[i]
        xx, xy, yy = xx + a.xx, xy + a.xy, yy + a.yy
        xw, yw, ww = xw + a.xw, yw + a.yw, ww + a.ww
        fx, fy, fw = fx + a.fx, fy + a.fy, fw + a.fw
        if i == 0:
            break
        hx, hy = a.hx, a.hy
        xw, yw, more = shifted(xx, xy, yy, xw, yw, hx, hy)
        ww += more
        moment = fw + hx * fy - hy * fx + a.torque
        pivot = 1.0 / (ww + a.stiffness)
        rx, ry, rw = xw * pivot, yw * pivot, ww * pivot
        a.row_x, a.row_y, a.row_w, a.pivot = rx, ry, rw, moment * pivot
        xx, xy, yy = xx - xw * rx, xy - xw * ry, yy - yw * ry
        fw = moment - a.torque - rw * moment
        fx, fy = fx - rx * moment, fy - ry * moment
        left = a.stiffness * pivot  # = 1 - rw, without cancellation
        hx, hy = link[i - 1].hx, link[i - 1].hy
        xw, yw, more = shifted(xx, xy, yy, xw * left, yw * left, hx, hy)
        ww = ww * left + more
        fw += hx * fy - hy * fx
    solve_root(link[0], (xx, xy, yy, xw, yw, ww, fx, fy, fw), gain)
    spread(link, gain)


@kernel
def solve_root(root: Records, block: Block, gain: float) -> None:
    """The symmetric 3 x 3 system of the root link (or of a single body), by Cholesky's method without roots."""
    xx, xy, yy, xw, yw, ww, fx, fy, fw = block
    l10, l20 = xy / xx, xw / xx
    d1 = yy - l10 * xy
    l21 = (yw - l20 * xy) / d1
    d2 = ww - l20 * xw - l21 * l21 * d1
    y1 = fy - l10 * fx
    w = (fw - l20 * fx - l21 * y1) / d2
    y = y1 / d1 - l21 * w
    x = fx / xx - l10 * y - l20 * w
    root.dx, root.dy, root.dw = x, y, w
    root.vx += gain * x
    root.vy += gain * y
    root.w += gain * w


@inlined
def spread(link: Records, gain: float) -> None:
    """Back substitution of `sweep` from the root to the head."""
    x, y, w = link[0].dx, link[0].dy, link[0].dw
    for i in range(1, link.shape[0]):
        a, behind = link[i], link[i - 1]
        x, y = x - w * behind.hy, y + w * behind.hx  # the joint
        w += a.pivot - a.row_x * x - a.row_y * y - a.row_w * w
        x, y = x - w * a.hy, y + w * a.hx
        a.dx, a.dy, a.dw = x, y, w
        a.vx += gain * x
        a.vy += gain * y
        a.w += gain * w
