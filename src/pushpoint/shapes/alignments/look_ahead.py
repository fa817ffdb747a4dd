"""Laying the virtual snake robot along a shape curve, from the head to the tail, P3 III-D.

Compiled, without allocations. What P3 leaves open is decided here, erratum by erratum:

- the point to aim at is the first one going back along the curve at the look-ahead distance; if the present one is
  farther away than that already, it stays. Behind its first point the curve goes on straight (P3-3);
- a link that is to turn about the direction it should point in keeps its last angle (P3-3);
- the horizontal axis of (6) does not exist for a vertical head and changes sides when the head passes the vertical:
  there the axis of the last call is carried along, and it comes back to the horizontal at 2 deg per mm that the head
  moves at most (P3-2);
- limits of angle and rate act on each joint in turn, so that those behind it make up for what it cannot do (P3-7).
"""

from __future__ import annotations

import math

from pushpoint._jit import entry_point, inlined, kernel
from pushpoint.shapes.alignments import LIMITED, SLOWED, UNDETERMINED, Laid, Memory, Settings, alignments
from pushpoint.shapes.hermite import Curve, Vector, end_slope, pace, place
from pushpoint.shapes.virtual_snake import VirtualSnake
from pushpoint.types import FloatArray

STEPS_PER_PIECE = 64  # of the search backwards: a curve that leaves the sphere and is back sooner is not seen
HALVINGS = 60
NEARLY_VERTICAL = 0.05  # sine of the angle between head and vertical: (6) is not used below
RETURN_RATE = math.radians(2.0) / 1e-3  # [rad/m]: how fast the head's axis becomes horizontal again
ALONG_AXIS = 1e-6  # part of the vector to the aim that is across the joint's axis: below, there is no angle to choose
ROUND_OFF = 1e-12  # [rad]


@kernel
def _cross(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> Vector:
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def _distance(curve: Curve, s: float, x: float, y: float, z: float) -> float:
    px, py, pz = place(curve, s)
    away: float = math.sqrt((px - x) ** 2 + (py - y) ** 2 + (pz - z) ** 2)
    return away


@kernel
def _aim_behind(curve: Curve, x: float, y: float, z: float, radius: float) -> float:
    """Where the straight part behind the first point leaves the sphere about (x, y, z)."""
    ux, uy, uz = end_slope(curve, False)
    px, py, pz = curve.point[0, 0] - x, curve.point[0, 1] - y, curve.point[0, 2] - z
    uu, up = ux * ux + uy * uy + uz * uz, ux * px + uy * py + uz * pz
    inside = up * up - uu * (px * px + py * py + pz * pz - radius * radius)
    before: float = (-up - math.sqrt(max(0.0, inside))) / uu
    return curve.first + min(0.0, before)


@kernel
def _bisected(curve: Curve, low: float, high: float, x: float, y: float, z: float, radius: float) -> float:
    """The crossing between `low`, outside the sphere, and `high`, inside: secant steps, halved where they stall."""
    outside = _distance(curve, low, x, y, z) - radius
    inside = _distance(curve, high, x, y, z) - radius
    for k in range(HALVINGS):
        if outside <= 0.0 or high - low < 1e-15 * (1.0 + high):
            return low
        s = low + (high - low) * outside / (outside - inside) if k % 3 < 2 else 0.5 * (low + high)
        gap = _distance(curve, s, x, y, z) - radius
        if abs(gap) <= 1e-14 * radius:
            return s
        if gap > 0.0:
            low, outside = s, gap
        else:
            high, inside = s, gap
    return low


@kernel
def next_aim(curve: Curve, s: float, x: float, y: float, z: float, radius: float) -> float:
    """s_ref for the link that begins at (x, y, z), from the present one backwards; |r_ref| = `radius` [m]."""
    gap = radius - _distance(curve, s, x, y, z)
    while gap > 0.0:
        if s <= curve.first:
            return _aim_behind(curve, x, y, z, radius)
        speed = max(pace(curve, s), gap)
        step = max(1.0 / STEPS_PER_PIECE, 0.5 * gap / speed if gap > 0.5 * radius else 0.0)
        lower = max(s - step, curve.first)
        gap = radius - _distance(curve, lower, x, y, z)
        if gap <= 0.0:
            return _bisected(curve, lower, s, x, y, z, radius)
        s = lower
    return s


@inlined
def _horizontal(x: float, y: float, z: float, head: FloatArray, moved: float) -> Vector:
    """y'_h, P3 (6), for the head's axis (x, y, z); carried along from the last call near and past the vertical."""
    flat = math.sqrt(x * x + y * y)
    if head[6] == 0.0:
        if flat > 1e-9:
            return -y / flat, x / flat, 0.0
        return 0.0, 1.0, 0.0  # a head that starts vertical has its left where the world has it
    along = head[0] * x + head[1] * y + head[2] * z
    tx, ty, tz = head[0] - along * x, head[1] - along * y, head[2] - along * z
    size = math.sqrt(tx * tx + ty * ty + tz * tz)
    if size < 1e-6:  # the head turned by a right angle about its vertical axis in one call: nothing to carry along
        return (-y / flat, x / flat, 0.0) if flat > 1e-9 else (0.0, 1.0, 0.0)
    tx, ty, tz = tx / size, ty / size, tz / size
    if flat < NEARLY_VERTICAL:
        return tx, ty, tz
    hx, hy = -y / flat, x / flat
    if hx * tx + hy * ty < 0.0:
        hx, hy = -hx, -hy
    nx, ny, nz = _cross(tx, ty, tz, hx, hy, 0.0)
    off = math.atan2(nx * x + ny * y + nz * z, hx * tx + hy * ty)
    most = RETURN_RATE * moved
    if abs(off) <= most + ROUND_OFF:
        return hx, hy, 0.0  # exactly, so that a robot at rest is laid alike every time
    turn = min(max(off, -most), most)
    zx, zy, zz = _cross(x, y, z, tx, ty, tz)
    c, s = math.cos(turn), math.sin(turn)
    return c * tx + s * zx, c * ty + s * zy, c * tz + s * zz


@kernel
def _place_head(curve: Curve, snake: VirtualSnake, settings: Settings, memory: Memory, laid: Laid) -> None:
    """The head's frame, P3 (5)-(9): its link aims like the others, but can point anywhere."""
    ox, oy, oz = place(curve, settings.head)
    aim = next_aim(curve, settings.head, ox, oy, oz, settings.look_ahead)
    laid.aim[0] = aim
    px, py, pz = place(curve, aim)
    x, y, z = ox - px, oy - py, oz - pz
    size = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / size, y / size, z / size
    head = memory.head
    moved = math.sqrt((ox - head[3]) ** 2 + (oy - head[4]) ** 2 + (oz - head[5]) ** 2)
    yx, yy, yz = _horizontal(x, y, z, head, moved)
    head[0], head[1], head[2], head[3], head[4], head[5], head[6] = yx, yy, yz, ox, oy, oz, 1.0
    zx, zy, zz = _cross(x, y, z, yx, yy, yz)  # (7)
    c, s = math.cos(settings.roll), math.sin(settings.roll)
    f = laid.frame
    f[0, 0, 0], f[0, 1, 0], f[0, 2, 0] = x, y, z
    f[0, 0, 1], f[0, 1, 1], f[0, 2, 1] = c * yx + s * zx, c * yy + s * zy, c * yz + s * zz  # (8)
    f[0, 0, 2], f[0, 1, 2], f[0, 2, 2] = c * zx - s * yx, c * zy - s * yy, c * zz - s * yz
    f[0, 0, 3], f[0, 1, 3], f[0, 2, 3] = ox, oy, oz
    _next_frame(snake, laid, 0, -1.0, 0.0)  # (3): turned by pi


@kernel
def _next_frame(snake: VirtualSnake, laid: Laid, i: int, cosine: float, sine: float) -> None:
    """Frame i from the one before it, P3 (4) and (15); in `laid.frame` it is at i + 1."""
    f, ca, sa, a = laid.frame, snake.cos_twist[i], snake.sin_twist[i], snake.length[i]
    for k in range(3):
        x, y, z = f[i, k, 0], f[i, k, 1], f[i, k, 2]
        forward, across = cosine * x + sine * y, cosine * y - sine * x
        f[i + 1, k, 0] = forward
        f[i + 1, k, 1] = ca * across + sa * z
        f[i + 1, k, 2] = ca * z - sa * across
        f[i + 1, k, 3] = f[i, k, 3] + a * forward


@kernel
def _chosen_angle(snake: VirtualSnake, settings: Settings, memory: Memory, laid: Laid, j: int, wanted: float) -> float:
    """The angle of joint j + 1: the wanted one as far as limits and rate allow, with flags."""
    q, last = wanted, memory.q[j]
    if q > last + settings.most_turn or q < last - settings.most_turn:
        q = min(max(q, last - settings.most_turn), last + settings.most_turn)
        laid.flag[j] += SLOWED
    if q > snake.upper[j] or q < snake.lower[j]:
        q = min(max(q, snake.lower[j]), snake.upper[j])
        laid.flag[j] += LIMITED
    return q


@entry_point
def lay(curve: Curve, snake: VirtualSnake, settings: Settings, memory: Memory, laid: Laid) -> None:
    """The whole alignment; the memory becomes that of this call."""
    _place_head(curve, snake, settings, memory, laid)
    f = laid.frame
    for j in range(len(laid.q)):
        i = j + 1  # frame j, where joint j + 1 is
        ox, oy, oz = f[i, 0, 3], f[i, 1, 3], f[i, 2, 3]
        laid.aim[i] = next_aim(curve, laid.aim[j], ox, oy, oz, settings.look_ahead)
        px, py, pz = place(curve, laid.aim[i])
        rx, ry, rz = px - ox, py - oy, pz - oz
        along = f[i, 0, 0] * rx + f[i, 1, 0] * ry + f[i, 2, 0] * rz
        across = f[i, 0, 1] * rx + f[i, 1, 1] * ry + f[i, 2, 1] * rz
        laid.flag[j] = 0
        wanted = memory.q[j]
        if along * along + across * across > ALONG_AXIS**2 * (rx * rx + ry * ry + rz * rz):
            wanted = math.atan2(across, along)  # (11)-(14), erratum P3-1
        else:
            laid.flag[j] = UNDETERMINED
        q = _chosen_angle(snake, settings, memory, laid, j, wanted)
        laid.q[j], memory.q[j] = q, q
        _next_frame(snake, laid, i, math.cos(q), math.sin(q))


@alignments.register("look-ahead")
def look_ahead(curve: Curve, snake: VirtualSnake, settings: Settings, memory: Memory, laid: Laid) -> None:
    """P3's own: every link aims at the point of the curve that is the look-ahead distance away."""
    lay(curve, snake, settings, memory, laid)
