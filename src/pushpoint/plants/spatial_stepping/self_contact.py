"""Contacts of links with each other; smooth, as no coefficient of friction belongs to such a pair.

Whether any two links are near is asked in every step, and cheaply: from a link that is far away along the chain, its
neighbours cannot be nearer than the lengths between allow. So the search leaps, and takes about n log n looks.
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, kernel
from pushpoint.geometry.capsule_solids import segment_segment
from pushpoint.numerics.records import Records
from pushpoint.plants.spatial_stepping.contacts import (
    NEW,
    TOO_MANY,
    look_ahead,
    recall,
    set_frame,
    set_friction,
    set_gap,
)
from pushpoint.plants.spatial_stepping.model import (
    BIGGEST,
    DT,
    EARTH,
    HARDNESS,
    LONGEST,
    NOMINAL,
    Problem,
    State,
)

CODES = 1e9  # below all codes of the plane
OTHER_LINK = -2.0  # as an obstacle: this minus the number of the link


@kernel
def fastest(problem: Problem) -> float:
    """How much nearer [m] two links may come in two steps at most: by their motions relative to the root."""
    root, square, turn = problem.link[problem.tree[0, 0]], 0.0, 0.0
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        v1, v2, v3 = a.start1 - root.v1, a.start2 - root.v2, a.start3 - root.v3
        square = max(square, v1 * v1 + v2 * v2 + v3 * v3)
        turn = max(turn, a.w1 * a.w1 + a.w2 * a.w2 + a.w3 * a.w3)
    dt = problem.number[DT]
    speed = 2.0 * (math.sqrt(square) + problem.number[BIGGEST] * math.sqrt(turn))
    return float(40.0 * EARTH * dt * dt + 2.0 * dt * speed)


@kernel
def near_links(problem: Problem, state: State, count: int) -> int:
    """Contacts of links that are not neighbours, after all others. Returns how many contacts there are now, or -1."""
    link, n = problem.link, problem.link.shape[0]
    reach, biggest, longest = fastest(problem), problem.number[BIGGEST], problem.number[LONGEST]
    seen = count
    for i in range(n - 2):
        a = link[i]
        j, around = int(a.meets), a.size + biggest + reach
        while j < n:
            b = link[j]
            d1, d2, d3 = a.c1 - b.c1, a.c2 - b.c2, a.c3 - b.c3
            square, leap, far = d1 * d1 + d2 * d2 + d3 * d3, 1, around + longest
            if square <= around * around:
                count, seen = meet_link(problem, state, count, seen, i, j)
                if count < 0:
                    return TOO_MANY
            while square > far * far:
                leap *= 2
                far = around + leap * longest
            j += leap
    return count


@kernel
def meet_link(problem: Problem, state: State, count: int, seen: int, i: int, j: int) -> tuple[int, int]:
    """Contacts of all capsules of two links. Returns how many contacts there are now, and where to look next."""
    per_link = problem.capsule.shape[0] // problem.link.shape[0]
    for m in range(per_link * i, per_link * (i + 1)):
        for k in range(per_link * j, per_link * (j + 1)):
            if count == problem.contact.shape[0]:
                return TOO_MANY, seen
            at = meet(problem, state, count, seen, m, k)
            if at >= 0:
                count, seen = count + 1, at
    return count, seen


@fused
def axis_of(a: Records, left: float, up: float) -> tuple[float, float, float]:
    """Centre of a capsule from O."""
    return (
        a.c1 + left * a.y1 + up * a.z1,
        a.c2 + left * a.y2 + up * a.z2,
        a.c3 + left * a.y3 + up * a.z3,
    )


@kernel
def meet(problem: Problem, state: State, count: int, seen: int, m: int, k: int) -> int:
    """Make contact `count` of capsules m and k if they are near; returns where in the memory to look next, or -1.

    Capsules that overlap when they are first seen, as they may at the start, are left as they are: they may come apart,
    and not go deeper.
    """
    capsule, dt = problem.capsule, problem.number[DT]
    a, b = problem.link[int(capsule[m, 0])], problem.link[int(capsule[k, 0])]
    a1, a2, a3 = axis_of(a, capsule[m, 1], capsule[m, 2])
    b1, b2, b3 = axis_of(b, capsule[k, 1], capsule[k, 2])
    half, other = capsule[m, 3], capsule[k, 3]
    thick = capsule[m, 4] + capsule[k, 4]
    reach = look_ahead(a, half + capsule[m, 4], dt, math.inf) + look_ahead(b, other + capsule[k, 4], dt, math.inf)
    d1, d2, d3 = a1 - b1, a2 - b2, a3 - b3
    if math.sqrt(d1 * d1 + d2 * d2 + d3 * d3) > half + other + thick + reach:
        return -1
    s, _, n1, n2, n3, distance = segment_segment(d1, d2, d3, a.x1, a.x2, a.x3, half, b.x1, b.x2, b.x3, other)
    gap = distance - thick
    if gap > reach:
        return -1
    c, inner = problem.contact[count], capsule[m, 4] + 0.5 * gap
    c.link, c.other = capsule[m, 0], capsule[k, 0]
    c.r1, c.r2, c.r3 = a1 + s * a.x1 - inner * n1, a2 + s * a.x2 - inner * n2, a3 + s * a.x3 - inner * n3
    set_frame(c, a, n1, n2, n3)
    set_friction(c, a if a.mass < b.mass else b, problem.number[HARDNESS], 0.0, 0.0, 0.0)
    c.obstacle, c.place, c.which = OTHER_LINK - capsule[k, 0], s, 2.0
    c.code = c.sphere = -CODES - m * capsule.shape[0] - k
    seen = recall(c, state, seen, gap, dt / problem.number[NOMINAL])
    c.overlap = max(0.0, -gap) if c.overlap == NEW else min(c.overlap, max(0.0, -gap))
    set_gap(c, problem.number, gap + c.overlap, 0.0)
    return seen
