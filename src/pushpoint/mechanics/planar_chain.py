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

from pushpoint._jit import fused, kernel
from pushpoint.numerics.records import Records

CHAIN_FIELDS = (
    "half", "per_length", "mass", "inertia",  # [m] half the length, [1/m] one over the length, [kg], [kg m2]
    "x", "y", "cos", "sin",  # pose of the centre [m], direction
    "hx", "hy",  # [m], from the centre to the joint on the head side: half times direction
    "vx", "vy", "w",  # velocity of the centre (chords included) [m/s], rate [rad/s]
    "chord_x", "chord_y", "new_chord_x", "new_chord_y", "chord_w",  # [m/s], see `chord_change`; [rad/s], rate then
    "xx", "xy", "yy", "xw", "yw", "ww",  # symmetric block of the link about its centre: inertia and tangents
    "yx", "wx", "wy",  # terms of a block that is not symmetric, see uneven_chain
    "fx", "fy", "fw",  # unbalanced impulse on the link [N s], [N m s]
    "stiffness", "torque",  # of the joint: tangent [N m s2/rad] and impulse on the head side [N m s]
    "dx", "dy", "dw",  # solution of `sweep`
    "row_x", "row_y", "row_w", "driven",  # eliminated joint row of `sweep`
)  # fmt: skip

Block = tuple[float, float, float, float, float, float, float, float, float]  # xx .. fw
NOTHING: Block = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

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


@fused
def half_chord(half: float, w: float, c: float, s: float, dt: float) -> tuple[float, float]:
    """How the mean velocity of a joint about its link's centre, while the link turns by dt * w from the direction
    (c, s), differs from that at the start: half * ((e(turned) - e) / dt - w * e_perp) [m/s]."""
    across, along = turned(dt * w)
    return half * w * (-across * s - along * c), half * w * (across * c - along * s)


@kernel
def chord_change(link: Records, dt: float) -> float:
    """Chords that fit the present rates, as new_chord; returns how far the present ones are off [m/s].

    With J V the velocity of the centres at the pose, J V + chord is the velocity whose step of dt, while the links turn
    by dt * rate, lands on closed joints again. Link 0 is the origin: its chord is zero.
    """
    x = y = off = 0.0
    for i in range(link.shape[0]):
        a = link[i]
        kx, ky = half_chord(a.half, a.w, a.cos, a.sin, dt)
        if i > 0:
            x += kx
            y += ky
        a.new_chord_x, a.new_chord_y = x, y
        off = max(off, abs(x - a.chord_x), abs(y - a.chord_y))
        x += kx
        y += ky
    return off


@kernel
def chords_still_fit(link: Records, dt: float, error: float) -> bool:
    """Whether `chord_change` surely returns no more than `error`, by a bound in a fraction of its time: a link that
    turns by dt * rate changes its chord by at most half * |dt * rate| per unit of the rate."""
    left = error / dt
    for i in range(link.shape[0]):
        a = link[i]
        left -= 2.0 * a.half * max(abs(a.w), abs(a.chord_w)) * abs(a.w - a.chord_w)
        if not left >= 0.0:
            return False
    return True


@kernel
def take_chords(link: Records) -> None:
    """Put the chords found by `chord_change` into the velocities."""
    for i in range(link.shape[0]):
        a = link[i]
        a.vx += a.new_chord_x - a.chord_x
        a.vy += a.new_chord_y - a.chord_y
        a.chord_x, a.chord_y, a.chord_w = a.new_chord_x, a.new_chord_y, a.w


@fused
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


@fused
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
    return fx, fy, moment, wrong * a.per_length


@kernel
def shifted(
    xx: float, xy: float, yy: float, xw: float, yw: float, ww: float, sx: float, sy: float
) -> tuple[float, float, float]:
    """Terms xw, yw, ww of a planar inertia after moving its reference point by -(sx, sy)."""
    x, y = sx * xy - sy * xx, sx * yy - sy * xy
    return xw + x, yw + y, ww + (sx * (2.0 * yw + y) - sy * (2.0 * xw + x))


@fused
def eliminated(a: Records, sx: float, sy: float, stiffness: float, torque: float, block: Block) -> Block:
    """Take link `a` to all that is beyond it, and eliminate its joint towards the root; from that joint (sx, sy) leads
    to the centre of the link. `torque`: on the link's side.

    `block`: articulated inertia and impulse of what is beyond, about the joint there. Returned: the same with the link,
    about the eliminated joint, where its axis is (0, 0, 1), so that accuracy does not depend on the length of the
    chain. Each link waits for the one beyond it: what can be computed beforehand is.
    """
    xx, xy, yy, xw, yw, ww, fx, fy, fw = block
    own_xw, own_yw, own_ww = shifted(a.xx, a.xy, a.yy, a.xw, a.yw, a.ww, sx, sy)
    own_moment = a.fw + sx * a.fy - sy * a.fx
    xw, yw, ww = shifted(xx, xy, yy, xw, yw, ww + own_ww, 2.0 * sx, 2.0 * sy)
    moment = own_moment + (fw + 2.0 * (sx * fy - sy * fx))
    xx, xy, yy = xx + a.xx, xy + a.xy, yy + a.yy
    xw, yw, fx, fy = xw + own_xw, yw + own_yw, fx + a.fx, fy + a.fy
    pivot = 1.0 / (ww + stiffness)
    driven = (moment + torque) * pivot
    left = stiffness * pivot  # = 1 - ww * pivot, without cancellation
    a.row_x, a.row_y, a.row_w, a.driven = xw * pivot, yw * pivot, left, driven
    return (
        xx - xw * xw * pivot, xy - xw * yw * pivot, yy - yw * yw * pivot,
        xw * left, yw * left, ww * left,
        fx - xw * driven, fy - yw * driven, moment - ww * driven,
    )  # fmt: skip


@kernel
def sweep(link: Records, gain: float) -> None:
    """Solve (J' K J + joint stiffness) dV = J' F + joint torque for the link velocities J dV = (dx, dy, dw), in O(n),
    and add `gain` times them to the velocities. K are the blocks xx .. ww.

    One articulated-body sweep, from both ends to a root in the middle and back: two calculations that do not depend on
    each other, so that the processor does them at the same time.
    """
    n = link.shape[0]
    middle = n // 2
    ahead = behind = NOTHING
    for k in range(middle):
        a, joint = link[k], link[k + 1]
        behind = eliminated(a, -a.hx, -a.hy, joint.stiffness, -joint.torque, behind)
        if n - 1 - k > middle:
            a = link[n - 1 - k]
            ahead = eliminated(a, a.hx, a.hy, a.stiffness, a.torque, ahead)
    root = link[middle]
    block = (root.xx, root.xy, root.yy, root.xw, root.yw, root.ww, root.fx, root.fy, root.fw)
    block = added(block, root.hx, root.hy, ahead)
    block = added(block, -root.hx, -root.hy, behind)
    solve_root(root, block, gain)
    spread(link, middle, gain)


@fused
def added(own: Block, sx: float, sy: float, beyond: Block) -> Block:
    """The block of the root, about its centre, with that of what is beyond its joint at (sx, sy) from there."""
    xx, xy, yy, xw, yw, ww, fx, fy, fw = beyond
    xw, yw, ww = shifted(xx, xy, yy, xw, yw, ww, sx, sy)
    return (
        own[0] + xx, own[1] + xy, own[2] + yy, own[3] + xw, own[4] + yw, own[5] + ww,
        own[6] + fx, own[7] + fy, own[8] + (fw + sx * fy - sy * fx),
    )  # fmt: skip


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


@fused
def spread(link: Records, middle: int, gain: float) -> None:
    """Back substitution of `sweep` from the root to both ends."""
    n, root = link.shape[0], link[middle]
    w = last_w = root.dw
    x, y = root.dx - w * root.hy, root.dy + w * root.hx  # the joint ahead
    last_x, last_y = root.dx + w * root.hy, root.dy - w * root.hx  # the joint behind
    for k in range(1, middle + 1):
        a = link[middle - k]
        last_x, last_y, last_w = followed(a, -a.hx, -a.hy, last_x, last_y, last_w, gain)
        if middle + k < n:
            a = link[middle + k]
            x, y, w = followed(a, a.hx, a.hy, x, y, w, gain)


@fused
def followed(a: Records, sx: float, sy: float, x: float, y: float, w: float, gain: float) -> tuple[float, float, float]:
    """Solution for link `a` from that of its joint towards the root, (x, y), and the rate w beyond it; returns the same
    for the next link."""
    w = (a.driven + a.row_w * w) - (a.row_x * x + a.row_y * y)
    a.dx, a.dy, a.dw = x - w * sy, y + w * sx, w
    a.vx += gain * a.dx
    a.vy += gain * a.dy
    a.w += gain * w
    return x - w * (2.0 * sy), y + w * (2.0 * sx), w
