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


class Body(NamedTuple):
    """A chain and how it lies and moves, as arrays."""

    length: FloatArray  # [m], (n,)
    radius: FloatArray  # [m], (n,)
    core: FloatArray  # [m], (n,)
    cos: FloatArray  # (n,)
    sin: FloatArray  # (n,)
    turning: FloatArray  # [rad/s], (n,)
    rate: FloatArray  # (N,): of q
    joints: FloatArray  # [m], (n + 1, 2)


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
def fill_mass_matrix(
    cos: FloatArray, sin: FloatArray, coupling: FloatArray, diagonal: FloatArray, total: float, M: FloatArray
) -> None:
    """M(q), P4 (2.12). Rows of `diagonal` (3, n): inertia, moment, and armature of the joint before each link."""
    n = len(cos)
    for j in range(n):
        for k in range(n):
            M[j, k] = coupling[j, k] * (cos[j] * cos[k] + sin[j] * sin[k])
        M[j, j] += diagonal[0, j]
        M[n, j] = M[j, n] = diagonal[1, j] * -sin[j]
        M[n + 1, j] = M[j, n + 1] = diagonal[1, j] * cos[j]
    M[n, n] = M[n + 1, n + 1] = total
    M[n, n + 1] = M[n + 1, n] = 0.0
    for j in range(n + 2):
        _sum_to_tail(M[j], n)
    for j in range(n - 2, -1, -1):
        for k in range(n + 2):
            M[j, k] += M[j + 1, k]
    for j in range(1, n):
        M[j, j] += diagonal[2, j]


@kernel
def _clamped(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


@entry_point
def fill_gaps(body: Body, pegs: Pegs, gaps: FloatArray, from_end: FloatArray) -> None:
    """Gaps (n, m) [m] of all links and pegs, and how far (2, m) [m] the nearest points of the tail link and of the head
    link are from the ends of their axes."""
    n, m = gaps.shape
    for i in range(n):
        cos, sin, half, core = body.cos[i], body.sin[i], body.length[i] / 2, body.core[i]
        for p in range(m):
            x, y = pegs.centre[p, 0] - body.joints[i, 0], pegs.centre[p, 1] - body.joints[i, 1]
            free = x * cos + y * sin
            along = _clamped(free, half - core, half + core)
            across = y * cos - x * sin
            gaps[i, p] = math.sqrt((free - along) ** 2 + across**2) - body.radius[i] - pegs.radius[p]
            if i == 0:
                from_end[0, p] = along - (half - core)
            if i == n - 1:
                from_end[1, p] = half + core - along


@entry_point
def fill_contacts(body: Body, link: IntArray, pegs: Pegs, out: FloatArray, rows: FloatArray) -> None:
    """Links (k,) against pegs (k,): columns of `out` (k, COLUMNS), and in `rows` (2 k, N) Jacobians, normals first."""
    n, count = len(body.length), len(link)
    for c in range(count):
        i = link[c]
        ex, ey = body.cos[i], body.sin[i]
        x, y = pegs.centre[c, 0] - body.joints[i, 0], pegs.centre[c, 1] - body.joints[i, 1]
        half, core, radius, turn = body.length[i] / 2, body.core[i], body.radius[i], body.turning[i]
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

        vx, vy, ax, ay = body.rate[n], body.rate[n + 1], 0.0, 0.0
        normal, tangent = rows[c], rows[count + c]
        for j in range(n):
            arm = body.length[j] if j < i else along if j == i else 0.0
            cos, sin, w = body.cos[j], body.sin[j], body.turning[j]
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
        found[GAP], found[GAP_RATE] = distance - radius - pegs.radius[c], gap_rate
        found[BIAS] = nx * ax + ny * ay + bias
        found[ALONG], found[SIDE], found[AT_END] = along, side, at_end
        found[POINT] = pegs.centre[c, 0] + away_x - radius * nx
        found[POINT + 1] = pegs.centre[c, 1] + away_y - radius * ny
        found[NORMAL], found[NORMAL + 1], found[TANGENT], found[TANGENT + 1] = nx, ny, tx, ty


@entry_point
def fill_moved(
    on_path: FloatArray, bump: FloatArray, narrow: float, length: FloatArray, offset: FloatArray, change: FloatArray
) -> None:
    """What changes in q where joints on a path are moved across it, at three places of the path (3, N).

    `on_path` (5, 3, n + 1): arc length of the tail end, the joints and the head's end, their x and y, the path's left
    there (x, y). They are moved by the sum of bumps weight exp(-narrow (s - s_i)^2); rows of `bump`: s_i [m], weights.
    Links take the directions between them; the tail is where the joints fit in the mean, so that each link counts for
    all joints ahead of it. `offset` (2, n + 1) is room.
    """
    n = len(length)
    for row in range(3):
        arc, x, y, left_x, left_y = on_path[0, row], on_path[1, row], on_path[2, row], on_path[3, row], on_path[4, row]
        sum_x, sum_y = 0.0, 0.0
        for j in range(n + 1):
            across = 0.0
            for i in range(bump.shape[1]):
                away = arc[j] - bump[0, i]
                across += math.exp(-narrow * (away * away)) * bump[1, i]
            offset[0, j], offset[1, j] = across * left_x[j], across * left_y[j]
            sum_x, sum_y = sum_x + offset[0, j], sum_y + offset[1, j]
        sum_x, sum_y, before = sum_x / (n + 1), sum_y / (n + 1), 0.0
        for j in range(n):
            was_x, was_y = x[j + 1] - x[j], y[j + 1] - y[j]
            is_x, is_y = was_x + offset[0, j + 1] - offset[0, j], was_y + offset[1, j + 1] - offset[1, j]
            turn = math.atan2(was_x * is_y - was_y * is_x, was_x * is_x + was_y * is_y)
            change[row, j], before = turn - before, turn
            share, size = (n - j) / (n + 1), length[j] / math.sqrt(is_x * is_x + is_y * is_y)
            sum_x, sum_y = sum_x - share * (is_x * size - was_x), sum_y - share * (is_y * size - was_y)
        change[row, n], change[row, n + 1] = sum_x, sum_y
