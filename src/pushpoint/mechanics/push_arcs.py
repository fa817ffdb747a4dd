"""Arcs from peg to peg: quintic curves with given tangent and curvature at both ends, bounded in curvature, clear of
other pegs."""

from __future__ import annotations

import math
from typing import NamedTuple

from pushpoint._jit import entry_point, kernel
from pushpoint.types import FloatArray, IntArray

STEPS = 12  # of an arc in tables
ARC, X, Y, AREA = range(4)  # columns of a table: [m], [m], [m], [m2] twice the area between arc and origin
TANGENT = 2  # columns of a node: place (x, y), tangent (x, y), contact point (x, y), force of a unit push (x, y)
SHORTEST, LONGEST, ALIGNED, BEND, WIDTH, CLEAR, SAG, STRETCH, TOUCHING = range(9)  # rules of `find_arcs`


class End(NamedTuple):
    """One end of an arc."""

    x: float  # [m]
    y: float  # [m]
    cos: float  # of its direction
    sin: float
    bend: float  # [1/m], curvature


@kernel
def on_arc(a: End, b: End, stretch: float, u: float, out: FloatArray) -> None:
    """Place, first and second derivative by u, (6,), of the arc from a (u = 0) to b (u = 1). Its speed at the ends is
    `stretch` times the distance between them."""
    dx, dy = b.x - a.x, b.y - a.y
    speed = stretch * math.sqrt(dx * dx + dy * dy)
    square = speed * speed
    # Hermite's basis of fifth order: b of the difference, then slope and second derivative at a, and at b.
    w = u * u
    v = w * u
    h = v * (10.0 - 15.0 * u + 6.0 * w), w * (30.0 - 60.0 * u + 30.0 * w), u * (60.0 - 180.0 * u + 120.0 * w)
    f = u - v * (6.0 - 8.0 * u + 3.0 * w), 1.0 - w * (18.0 - 32.0 * u + 15.0 * w), -u * (36.0 - 96.0 * u + 60.0 * w)
    g = -v * (4.0 - 7.0 * u + 3.0 * w), -w * (12.0 - 28.0 * u + 15.0 * w), -u * (24.0 - 84.0 * u + 60.0 * w)
    p = (
        w * (0.5 - 1.5 * u + 1.5 * w - 0.5 * v),
        u * (1.0 - 4.5 * u + 6.0 * w - 2.5 * v),
        1.0 - 9.0 * u + w * (18.0 - 10.0 * u),
    )
    q = v * (0.5 - u + 0.5 * w), w * (1.5 - 4.0 * u + 2.5 * w), u * (3.0 - 12.0 * u + 10.0 * w)
    for k in range(3):
        begin, end = speed * f[k], speed * g[k]
        bend_a, bend_b = square * a.bend * p[k], square * b.bend * q[k]
        out[2 * k] = h[k] * dx + begin * a.cos + end * b.cos - bend_a * a.sin - bend_b * b.sin
        out[2 * k + 1] = h[k] * dy + begin * a.sin + end * b.sin + bend_a * a.cos + bend_b * b.cos
    out[0] += a.x
    out[1] += a.y


@kernel
def bend_of(at: FloatArray) -> float:
    """Curvature [1/m] of what `on_arc` gives."""
    square = at[2] * at[2] + at[3] * at[3]
    return float((at[2] * at[5] - at[3] * at[4]) / (square * math.sqrt(square)))


@kernel
def draw_arc(a: FloatArray, b: FloatArray, rules: FloatArray, points: FloatArray) -> bool:
    """Points (STEPS + 1, 6) of the arc between two nodes that are straight there, and their curvature in column 6;
    whether it bends no more than it may."""
    begin, end = End(a[0], a[1], a[2], a[3], 0.0), End(b[0], b[1], b[2], b[3], 0.0)
    for k in range(STEPS + 1):
        on_arc(begin, end, rules[STRETCH], k / STEPS, points[k])
        points[k, 6] = bend_of(points[k])
        if abs(points[k, 6]) > rules[BEND]:
            return False
    return True


@kernel
def gap_beside(points: FloatArray, k: int, peg: FloatArray, width: float) -> float:
    """[m], between a peg and stretch k of an arc, `width` [m] to each side."""
    ex, ey = points[k + 1, 0] - points[k, 0], points[k + 1, 1] - points[k, 1]
    x, y = peg[0] - points[k, 0], peg[1] - points[k, 1]
    part = min(max((x * ex + y * ey) / (ex * ex + ey * ey), 0.0), 1.0)
    return float(math.sqrt((x - part * ex) ** 2 + (y - part * ey) ** 2) - peg[2] - width)


@kernel
def is_clear(points: FloatArray, pegs: FloatArray, near: IntArray, own: tuple[int, int], rules: FloatArray) -> bool:
    """Whether an arc keeps its distance from pegs: touching its `own`, clear of others; more on the inside of bends,
    where links cut across by `SAG` times the curvature. An end that is at no peg (-1) may be beside any."""
    for k in range(STEPS):
        bend = 0.5 * (points[k, 6] + points[k + 1, 6])
        ex, ey = points[k + 1, 0] - points[k, 0], points[k + 1, 1] - points[k, 1]
        for i in range(len(near)):
            p = near[i]
            if p < 0:
                break
            touching = p == own[0] or p == own[1] or own[0] < 0 or own[1] < 0
            needed = rules[TOUCHING] if touching else rules[CLEAR]
            if (ex * (pegs[p, 1] - points[k, 1]) - ey * (pegs[p, 0] - points[k, 0])) * bend > 0.0:
                needed += rules[SAG] * abs(bend)
            if gap_beside(points, k, pegs[p], rules[WIDTH]) < needed:
                return False
    return True


@kernel
def is_ahead(a: FloatArray, b: FloatArray, rules: FloatArray) -> bool:
    """Whether node b is in reach of a, and the line between them along both tangents, more or less."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dy * dy
    if square < rules[SHORTEST] ** 2 or square > rules[LONGEST] ** 2:
        return False
    least = rules[ALIGNED] * math.sqrt(square)
    return bool(dx * a[2] + dy * a[3] >= least and dx * b[2] + dy * b[3] >= least)


@kernel
def list_near(a: FloatArray, pegs: FloatArray, reach: float, near: IntArray) -> None:
    """Pegs within reach [m] of a node, then -1."""
    count = 0
    for p in range(len(pegs)):
        if math.sqrt((pegs[p, 0] - a[0]) ** 2 + (pegs[p, 1] - a[1]) ** 2) < reach + pegs[p, 2]:
            near[count] = p
            count += 1
    if count < len(near):
        near[count] = -1


@kernel
def fill_row(points: FloatArray, row: FloatArray) -> None:
    """The table of one arc."""
    arc, area = 0.0, 0.0
    for k in range(STEPS + 1):
        x, y = points[k, 0], points[k, 1]
        if k > 0:
            before_x, before_y = points[k - 1, 0], points[k - 1, 1]
            arc += math.sqrt((x - before_x) ** 2 + (y - before_y) ** 2)
            area += before_x * y - before_y * x
        row[k, ARC], row[k, X], row[k, Y], row[k, AREA] = arc, x, y, area


@entry_point
def find_arcs(
    node: FloatArray,
    peg: IntArray,
    pegs: FloatArray,
    rules: FloatArray,
    near: IntArray,
    points: FloatArray,
    ends: IntArray,
    table: FloatArray,
) -> int:
    """All arcs between nodes (n, 8) at pegs (n,), by their first node; pairs of nodes in `ends` (e, 2), and in `table`
    (e, STEPS + 1, 4). Returns their number, one more than there is room for where they are too many. `near` (pegs,)
    and `points` (STEPS + 1, 7) are scratch."""
    count = 0
    for a in range(len(node)):
        list_near(node[a], pegs, rules[LONGEST] + 0.25, near)
        for b in range(len(node)):
            if peg[a] == peg[b] or not is_ahead(node[a], node[b], rules):
                continue
            if not draw_arc(node[a], node[b], rules, points):
                continue
            if is_clear(points, pegs, near, (peg[a], peg[b]), rules):
                if count == len(ends):
                    return count + 1
                ends[count, 0], ends[count, 1] = a, b
                fill_row(points, table[count])
                count += 1
    return count
