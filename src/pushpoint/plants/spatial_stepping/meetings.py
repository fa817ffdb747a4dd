"""Contacts of links with each other, as an option; smooth, as no coefficient of friction belongs to such a pair.

All pairs of links are looked at: this is the one thing here that takes more than O(n).
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, kernel
from pushpoint.geometry.capsule_solids import segment_segment
from pushpoint.numerics.records import Records
from pushpoint.plants.spatial_stepping.contacts import look_ahead, recall, set_frame, set_friction, set_gap
from pushpoint.plants.spatial_stepping.model import DT, HARDNESS, NOMINAL, Problem, State

APART = 2  # links nearer than this along the chain do not meet
CODES = 1e9  # below all codes of the plane


@kernel
def near_links(problem: Problem, state: State, count: int) -> int:
    """Contacts of capsules of links that are not neighbours. Returns how many contacts there are now, or -1."""
    seen = count
    for m in range(problem.capsule.shape[0]):
        for k in range(m + 1, problem.capsule.shape[0]):
            if problem.capsule[k, 0] - problem.capsule[m, 0] < APART:
                continue
            if count == problem.contact.shape[0]:
                return -1
            at = meet(problem, state, count, seen, m, k)
            if at >= 0:
                seen = at
                count += 1
    return count


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
    """Make contact `count` of capsules m and k if they are near; returns where in the memory to look next, or -1."""
    capsule, dt = problem.capsule, problem.number[DT]
    a, b = problem.link[int(capsule[m, 0])], problem.link[int(capsule[k, 0])]
    a1, a2, a3 = axis_of(a, capsule[m, 1], capsule[m, 2])
    b1, b2, b3 = axis_of(b, capsule[k, 1], capsule[k, 2])
    half, other = capsule[m, 3], capsule[k, 3]
    thick = capsule[m, 4] + capsule[k, 4]
    reach = look_ahead(a, half + capsule[m, 4], dt) + look_ahead(b, other + capsule[k, 4], dt)
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
    set_gap(c, gap, 0.0, dt, problem.number[NOMINAL])
    set_friction(c, a if a.mass < b.mass else b, problem.number[HARDNESS], 0.0, 0.0, 0.0)
    c.obstacle, c.place, c.which = 0.0, s, 2.0
    c.code = c.sphere = -CODES - m * capsule.shape[0] - k
    return recall(c, state, seen, gap, dt / problem.number[NOMINAL])
