"""The arithmetic of chains in tail coordinates, compiled: mass matrix, gaps to pegs, contacts with them.

Small arrays: NumPy needs a microsecond for each of the some hundred operations, and most of a tick passed by that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pushpoint._jit import entry_point, kernel
from pushpoint.types import FloatArray, IntArray

# Columns of a contact, see mechanics.peg_contacts.
GAP, GAP_RATE, BIAS, ALONG, SIDE, AT_END, POINT, NORMAL, TANGENT, COLUMNS = 0, 1, 2, 3, 4, 5, 6, 8, 10, 12


# Rows of a chain (CHAIN_ROWS, n); the armature is that of the joint behind each link.
LENGTH, RADIUS, CORE, MASS, INERTIA, MOMENT, ARMATURE, CHAIN_ROWS = 0, 1, 2, 3, 4, 5, 6, 7
# Rows of how it lies and moves (BODY_ROWS, n).
ANGLE, TURNING, COS, SIN, BODY_ROWS = 0, 1, 2, 3, 4


class Pegs(NamedTuple):
    """Round pegs as a map of the surroundings."""

    centre: FloatArray  # [m], (m, 2)
    radius: FloatArray  # [m], (m,)

    @classmethod
    def of(cls, rows: tuple[tuple[float, float, float], ...]) -> Pegs:
        """From rows of x, y, radius [m]."""
        table = np.array(rows, dtype=float).reshape(-1, 3)
        return cls(np.ascontiguousarray(table[:, :2]), np.ascontiguousarray(table[:, 2]))


@kernel
def _sum_to_tail(row: FloatArray, n: int) -> None:
    """Derivatives by link angles become those by joint angles: entry j sums those of link j and beyond."""
    for j in range(n - 2, -1, -1):
        row[j] += row[j + 1]


@entry_point
def fill_body(
    chain: FloatArray, q: FloatArray, rate: FloatArray, body: FloatArray, axes: FloatArray, joints: FloatArray
) -> None:
    """Angles and joints of a chain at q, and its axes (2, n, 2): forward and left."""
    angle, turning, x, y, n = 0.0, 0.0, q[-2], q[-1], chain.shape[1]
    joints[0, 0], joints[0, 1] = x, y
    for i in range(n):
        angle, turning = angle + q[i], turning + rate[i]
        cos, sin = math.cos(angle), math.sin(angle)
        body[ANGLE, i], body[TURNING, i], body[COS, i], body[SIN, i] = angle, turning, cos, sin
        axes[0, i, 0], axes[0, i, 1], axes[1, i, 0], axes[1, i, 1] = cos, sin, -sin, cos
        x, y = x + chain[LENGTH, i] * cos, y + chain[LENGTH, i] * sin
        joints[i + 1, 0], joints[i + 1, 1] = x, y


@entry_point
def fill_generalised(chain: FloatArray, body: FloatArray, force: FloatArray, out: FloatArray) -> None:
    """Generalised force (N,) of a force (n, 2) [N] on each link's centre."""
    total_x, total_y, moment, n = 0.0, 0.0, 0.0, chain.shape[1]
    for i in range(n - 1, -1, -1):
        x, y = total_x + 0.5 * force[i, 0], total_y + 0.5 * force[i, 1]
        total_x, total_y = total_x + force[i, 0], total_y + force[i, 1]
        moment += chain[LENGTH, i] * (y * body[COS, i] - x * body[SIN, i])
        out[i] = moment
    out[n], out[n + 1] = total_x, total_y


@entry_point
def fill_inertial_force(chain: FloatArray, body: FloatArray, force: FloatArray) -> None:
    """Force (n, 2) [N] on each link's centre that it needs to go on turning as it does, at q'' = 0."""
    x, y = 0.0, 0.0  # acceleration of the link's tail end [m/s2]
    for i in range(chain.shape[1]):
        pull = 0.5 * chain[LENGTH, i] * body[TURNING, i] ** 2
        x, y = x - pull * body[COS, i], y - pull * body[SIN, i]
        force[i, 0], force[i, 1] = chain[MASS, i] * x, chain[MASS, i] * y
        x, y = x - pull * body[COS, i], y - pull * body[SIN, i]


@entry_point
def fill_velocities(chain: FloatArray, body: FloatArray, rate: FloatArray, velocity: FloatArray) -> None:
    """Velocities (n, 2) [m/s] of link centres at rates of q."""
    x, y, turning = rate[-2], rate[-1], 0.0
    for i in range(chain.shape[1]):
        turning += rate[i]
        half = 0.5 * chain[LENGTH, i] * turning
        x, y = x - half * body[SIN, i], y + half * body[COS, i]
        velocity[i, 0], velocity[i, 1] = x, y
        x, y = x - half * body[SIN, i], y + half * body[COS, i]


@entry_point
def fill_mass_matrix(chain: FloatArray, body: FloatArray, coupling: FloatArray, total: float, M: FloatArray) -> None:
    """M(q), P4 (2.12)."""
    n, cos, sin = chain.shape[1], body[COS], body[SIN]
    for j in range(n):
        for k in range(n):
            M[j, k] = coupling[j, k] * (cos[j] * cos[k] + sin[j] * sin[k])
        M[j, j] += chain[INERTIA, j]
        M[n, j] = M[j, n] = chain[MOMENT, j] * -sin[j]
        M[n + 1, j] = M[j, n + 1] = chain[MOMENT, j] * cos[j]
    M[n, n] = M[n + 1, n + 1] = total
    M[n, n + 1] = M[n + 1, n] = 0.0
    for j in range(n + 2):
        _sum_to_tail(M[j], n)
    for j in range(n - 2, -1, -1):
        for k in range(n + 2):
            M[j, k] += M[j + 1, k]
    for j in range(1, n):
        M[j, j] += chain[ARMATURE, j]


@kernel
def _clamped(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


@entry_point
def fill_gaps(
    chain: FloatArray,
    body: FloatArray,
    joints: FloatArray,
    centre: FloatArray,
    radius: FloatArray,
    gaps: FloatArray,
    from_end: FloatArray,
) -> None:
    """Gaps (n, m) [m] of all links and pegs, and how far (2, m) [m] the nearest points of the tail link and of the head
    link are from the ends of their axes."""
    n, m = gaps.shape
    for i in range(n):
        cos, sin, half, core = body[COS, i], body[SIN, i], chain[LENGTH, i] / 2, chain[CORE, i]
        for p in range(m):
            x, y = centre[p, 0] - joints[i, 0], centre[p, 1] - joints[i, 1]
            free = x * cos + y * sin
            along = _clamped(free, half - core, half + core)
            across = y * cos - x * sin
            gaps[i, p] = math.sqrt((free - along) ** 2 + across**2) - chain[RADIUS, i] - radius[p]
            if i == 0:
                from_end[0, p] = along - (half - core)
            if i == n - 1:
                from_end[1, p] = half + core - along


@entry_point
def fill_contacts(
    chain: FloatArray,
    body: FloatArray,
    joints: FloatArray,
    rate: FloatArray,
    link: IntArray,
    pegs: FloatArray,
    out: FloatArray,
    rows: FloatArray,
) -> None:
    """Links (k,) against pegs (k, 3), x, y and radius: columns of `out` (k, COLUMNS), and in `rows` (2 k, N)
    Jacobians, normals first."""
    n, count = chain.shape[1], len(link)
    for c in range(count):
        i = link[c]
        ex, ey = body[COS, i], body[SIN, i]
        x, y = pegs[c, 0] - joints[i, 0], pegs[c, 1] - joints[i, 1]
        half, core, radius, turn = chain[LENGTH, i] / 2, chain[CORE, i], chain[RADIUS, i], body[TURNING, i]
        free = x * ex + y * ey
        along = _clamped(free, half - core, half + core)
        at_end = 1.0 if free > along else -1.0 if free < along else 0.0
        away_x, away_y = along * ex - x, along * ey - y  # from the peg's centre to the axis
        offset = y * ex - x * ey
        side = 1.0 if offset >= 0.0 else -1.0
        distance = abs(offset) if at_end == 0.0 else math.sqrt(away_x * away_x + away_y * away_y)
        is_round = at_end != 0.0 and distance > 0.0
        curvature = 1.0 / distance if is_round else 0.0  # [1/m]
        nx, ny = (away_x * curvature, away_y * curvature) if is_round else (side * ey, -side * ex)
        tx, ty = -side * ny, side * nx

        vx, vy, ax, ay = rate[n], rate[n + 1], 0.0, 0.0
        normal, tangent = rows[c], rows[count + c]
        for j in range(n):
            arm = chain[LENGTH, j] if j < i else along if j == i else 0.0
            cos, sin, w = body[COS, j], body[SIN, j], body[TURNING, j]
            vx, vy = vx - arm * w * sin, vy + arm * w * cos
            ax, ay = ax - arm * w * w * cos, ay - arm * w * w * sin
            normal[j], tangent[j] = arm * (ny * cos - nx * sin), arm * (ty * cos - tx * sin)
        tangent[i] += -radius * (nx * ty - ny * tx)  # the surface is off the axis
        normal[n], normal[n + 1], tangent[n], tangent[n + 1] = nx, ny, tx, ty
        _sum_to_tail(normal, n)
        _sum_to_tail(tangent, n)

        gap_rate = nx * vx + ny * vy
        if is_round:
            bias = curvature * (vx * vx + vy * vy - gap_rate**2)
        else:
            bias = 2.0 * side * turn * (ex * vx + ey * vy) - turn**2 * distance
        found = out[c]
        found[GAP], found[GAP_RATE] = distance - radius - pegs[c, 2], gap_rate
        found[BIAS] = nx * ax + ny * ay + bias
        found[ALONG], found[SIDE], found[AT_END] = along, side, at_end
        found[POINT] = pegs[c, 0] + away_x - radius * nx
        found[POINT + 1] = pegs[c, 1] + away_y - radius * ny
        found[NORMAL], found[NORMAL + 1], found[TANGENT], found[TANGENT + 1] = nx, ny, tx, ty


@entry_point
def fill_weights(
    beside: FloatArray, inverse: FloatArray, peg: IntArray, centre: FloatArray, near: float, out: FloatArray
) -> None:
    """Weights (k,) of bumps in a path beside pegs (k,) of those at `centre`. Columns of `beside` (k, 6): point of the
    path (x, y), its left (x, y), side of the peg, distance at which a robot on the path touches it."""
    for i in range(len(out)):
        out[i] = 0.0
    for j in range(len(out)):
        x, y, left_x, left_y = beside[j, 0], beside[j, 1], beside[j, 2], beside[j, 3]
        side, touch = beside[j, 4], beside[j, 5]
        gap = side * ((centre[peg[j], 0] - x) * left_x + (centre[peg[j], 1] - y) * left_y) - touch
        if gap < near:
            for i in range(len(out)):
                out[i] += inverse[i, j] * (side * gap)


@entry_point
def fill_moved(
    on_path: FloatArray,
    place: float,
    at: FloatArray,
    weight: FloatArray,
    narrow: float,
    length: FloatArray,
    room: FloatArray,
    change: FloatArray,
) -> None:
    """What changes in q where joints on a path are moved across it, at three places of the path (3, N).

    `on_path` (5, rows, n + 1): arc length of the tail end, the joints and the head's end, their x and y, the path's
    left there (x, y); the places are `place` - 1, `place`, `place` + 1, counted in rows, between which they are linear.
    Joints are moved by the sum of bumps, weight exp(-narrow (s - s_i)^2); s_i [m] are in `at`.
    Links take the directions between them; the tail is where the joints fit in the mean, so that each link counts for
    all joints ahead of it. `room` is (7, n + 1).
    """
    n = len(length)
    first = min(max(int(place), 1), on_path.shape[1] - 3) - 1
    part = place - (first + 1)
    offset = room[5:]
    for row in range(3):
        for k in range(5):
            for j in range(n + 1):
                before = on_path[k, first + row, j]
                room[k, j] = before + part * (on_path[k, first + row + 1, j] - before)
        arc, x, y, left_x, left_y = room[0], room[1], room[2], room[3], room[4]
        sum_x, sum_y = 0.0, 0.0
        for j in range(n + 1):
            across = 0.0
            for i in range(len(at)):
                away = arc[j] - at[i]
                across += math.exp(-narrow * (away * away)) * weight[i]
            offset[0, j], offset[1, j] = across * left_x[j], across * left_y[j]
            sum_x, sum_y = sum_x + offset[0, j], sum_y + offset[1, j]
        sum_x, sum_y, last = sum_x / (n + 1), sum_y / (n + 1), 0.0
        for j in range(n):
            was_x, was_y = x[j + 1] - x[j], y[j + 1] - y[j]
            is_x, is_y = was_x + offset[0, j + 1] - offset[0, j], was_y + offset[1, j + 1] - offset[1, j]
            turn = math.atan2(was_x * is_y - was_y * is_x, was_x * is_x + was_y * is_y)
            change[row, j], last = turn - last, turn
            share, size = (n - j) / (n + 1), length[j] / math.sqrt(is_x * is_x + is_y * is_y)
            sum_x, sum_y = sum_x - share * (is_x * size - was_x), sum_y - share * (is_y * size - was_y)
        change[row, n], change[row, n + 1] = sum_x, sum_y


@entry_point
def fill_reference(table: FloatArray, place: float, change: FloatArray, by: float, out: FloatArray) -> None:
    """Row `place` of a table (rows, 3, N) of q and its derivatives along a path, linear between rows, and a change of
    the three that was computed `by` [m] before that place."""
    k = min(int(place), table.shape[0] - 2)
    part = place - k
    for row in range(3):
        for j in range(table.shape[2]):
            out[row, j] = table[k, row, j] + part * (table[k + 1, row, j] - table[k, row, j]) + change[row, j]
            if row < 2:
                out[row, j] += by * change[row + 1, j]


@entry_point
def correct_centres(
    peg: IntArray,
    found: FloatArray,
    kind: IntArray,
    step: FloatArray,
    centre: FloatArray,
    anchor: FloatArray,
    room: FloatArray,
) -> None:
    """Move pegs (m, 2) [m] by contacts (k,) with gap and normal in `found` (k, 3): towards the link by a part of the
    gap where `kind` is 1, the mean of those that feel one peg; away from it where it is -1, from the anchor at most so
    far. `step`: part of the gap; [m] away; the farthest [m] from the anchor. `room` is like `centre`."""
    for c in range(len(peg)):
        if kind[c] > 0:
            felt = 0
            for other in range(len(peg)):
                felt += kind[other] > 0 and peg[other] == peg[c]
            share = step[0] / felt * found[c, 0]
            centre[peg[c], 0] += share * found[c, 1]
            centre[peg[c], 1] += share * found[c, 2]
    for c in range(len(peg)):
        if kind[c] > 0:
            anchor[peg[c], 0], anchor[peg[c], 1] = centre[peg[c], 0], centre[peg[c], 1]
    for p in range(len(centre)):
        room[p, 0], room[p, 1] = centre[p, 0], centre[p, 1]
    for c in range(len(peg)):
        if kind[c] < 0:
            p = peg[c]
            x, y = room[p, 0] - step[1] * found[c, 1], room[p, 1] - step[1] * found[c, 2]
            if (x - anchor[p, 0]) ** 2 + (y - anchor[p, 1]) ** 2 <= step[2] ** 2:
                centre[p, 0], centre[p, 1] = x, y


@entry_point
def fill_measured(lever: FloatArray, joint_angle: FloatArray, head: FloatArray, q: FloatArray) -> None:
    """q of joint angles and of the head link's place and yaw, `head` (3,); `lever` (n,): that of the head link."""
    n, angle, x, y = len(lever), head[2], head[0], head[1]
    for i in range(n - 1, -1, -1):
        x, y = x - lever[i] * math.cos(angle), y - lever[i] * math.sin(angle)
        if i > 0:
            q[i] = joint_angle[i - 1]
            angle -= joint_angle[i - 1]
    q[0], q[n], q[n + 1] = angle, x, y


@entry_point
def fill_estimate(
    expected: FloatArray, gains: FloatArray, measured: FloatArray, filtered: FloatArray, now: FloatArray
) -> None:
    """One step of alpha-beta filters and the prediction to the present: rows of `filtered` and `now` (2, N) are q and
    its rate; `expected` (ticks, N) are accelerations, the tick that is filtered first; `gains`: dt, alpha, beta."""
    dt, alpha, beta = gains[0], gains[1], gains[2]
    for j in range(len(measured)):
        q, rate, push = filtered[0, j], filtered[1, j], expected[0, j]
        q, rate = q + dt * rate + 0.5 * dt**2 * push, rate + dt * push
        off = measured[j] - q
        if j == 0:  # the head's direction may be wrapped
            off = (off + math.pi) % (2.0 * math.pi) - math.pi
        q, rate = q + alpha * off, rate + beta * off
        filtered[0, j], filtered[1, j] = q, rate
        for k in range(1, expected.shape[0]):
            q, rate = q + dt * rate + 0.5 * dt**2 * expected[k, j], rate + dt * expected[k, j]
        now[0, j], now[1, j] = q, rate
