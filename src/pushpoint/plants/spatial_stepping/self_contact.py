"""Contacts of links with each other; smooth, as no coefficient of friction belongs to such a pair.

Whether any two links are near is asked in every step, and cheaply: from a link that is far away along the chain, its
neighbours cannot be nearer than the lengths between allow. So the search leaps, and makes about n log n comparisons.
"""

from __future__ import annotations

import math

from pushpoint._jit import kernel
from pushpoint.geometry.capsule_solids import segment_segment
from pushpoint.plants.spatial_stepping import contacts
from pushpoint.plants.spatial_stepping.contacts import NEW, TOO_MANY
from pushpoint.plants.spatial_stepping.model import EARTH, Problem, State

CODES = 1e9  # below all codes of the plane
OTHER_LINK = -2.0  # as an obstacle: this minus the number of the link


@kernel
def nearing(problem: Problem) -> float:
    """How much nearer [m] two links may come in two steps at most: by their motions relative to the root."""
    root, square, turn = problem.link[problem.tree[0, 0]], 0.0, 0.0
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        v1, v2, v3 = a.start1 - root.v1, a.start2 - root.v2, a.start3 - root.v3
        square = max(square, v1 * v1 + v2 * v2 + v3 * v3)
        turn = max(turn, a.w1 * a.w1 + a.w2 * a.w2 + a.w3 * a.w3)
    dt = problem.number[0].dt
    speed = 2.0 * (math.sqrt(square) + problem.number[0].biggest * math.sqrt(turn))
    return float(40.0 * EARTH * dt * dt + 2.0 * dt * speed)


@kernel
def link_contacts(problem: Problem, state: State, count: int) -> int:
    """Contacts of links that are not neighbours, after all others. Returns how many contacts there are now, or -1."""
    link, n = problem.link, problem.link.shape[0]
    reach, biggest, longest = nearing(problem), problem.number[0].biggest, problem.number[0].longest
    seen = count
    for i in range(n - 2):
        a = link[i]
        j, around = int(a.partner), a.size + biggest + reach
        while j < n:
            b = link[j]
            d1, d2, d3 = a.c1 - b.c1, a.c2 - b.c2, a.c3 - b.c3
            square, leap, far = d1 * d1 + d2 * d2 + d3 * d3, 1, around + longest
            if square <= around * around:
                count, seen = link_pair_contacts(problem, state, count, seen, i, j)
                if count < 0:
                    return TOO_MANY
            while square > far * far:
                leap *= 2
                far = around + leap * longest
            j += leap
    return count


@kernel
def link_pair_contacts(problem: Problem, state: State, count: int, seen: int, i: int, j: int) -> tuple[int, int]:
    """Contacts of all capsules of two links. Returns how many contacts there are now, and where to search next."""
    per_link = problem.capsule.shape[0] // problem.link.shape[0]
    for m in range(per_link * i, per_link * (i + 1)):
        for k in range(per_link * j, per_link * (j + 1)):
            if count == problem.contact.shape[0]:
                return TOO_MANY, seen
            at = add_capsule_pair(problem, state, count, seen, m, k)
            if at >= 0:
                count, seen = count + 1, at
    return count, seen


@kernel
def add_capsule_pair(problem: Problem, state: State, count: int, seen: int, m: int, k: int) -> int:
    """Make contact `count` of capsules m and k if they are near; returns where in the memory to search next, or -1.

    Capsules that overlap when they are first seen, as they may at the start, are left as they are: they may come apart,
    and not go deeper.
    """
    number, own, other = problem.number[0], problem.capsule[m], problem.capsule[k]
    a, b, dt = problem.link[int(own.link)], problem.link[int(other.link)], number.dt
    a1, a2, a3 = contacts.capsule_centre(a, own, 0.0, 0.0, 0.0)
    b1, b2, b3 = contacts.capsule_centre(b, other, 0.0, 0.0, 0.0)
    thick = own.radius + other.radius
    reach = contacts.search_reach(a, own.half + own.radius, dt, math.inf)
    reach += contacts.search_reach(b, other.half + other.radius, dt, math.inf)
    d1, d2, d3 = a1 - b1, a2 - b2, a3 - b3
    if math.sqrt(d1 * d1 + d2 * d2 + d3 * d3) > own.half + other.half + thick + reach:
        return -1
    s, _, n1, n2, n3, distance = segment_segment(d1, d2, d3, a.x1, a.x2, a.x3, own.half, b.x1, b.x2, b.x3, other.half)
    gap = distance - thick
    if gap > reach:
        return -1
    c, inner = problem.contact[count], own.radius + 0.5 * gap
    c.link, c.other = own.link, other.link
    c.r1, c.r2, c.r3 = a1 + s * a.x1 - inner * n1, a2 + s * a.x2 - inner * n2, a3 + s * a.x3 - inner * n3
    contacts.set_frame(c, a, n1, n2, n3)
    contacts.set_friction(c, a if a.mass < b.mass else b, number.hardness, 0.0, 0.0, 0.0)
    c.obstacle, c.place, c.which = OTHER_LINK - other.link, s, 2.0
    c.code = c.sphere = -CODES - m * problem.capsule.shape[0] - k
    seen = contacts.recall(c, state, seen, gap, dt / number.nominal)
    c.overlap = max(0.0, -gap) if c.overlap == NEW else min(c.overlap, max(0.0, -gap))
    contacts.set_gap(c, number, gap + c.overlap, 0.0)
    return seen
