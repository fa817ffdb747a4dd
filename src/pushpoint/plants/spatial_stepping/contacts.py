"""Which contacts a step may have: the ends of capsules near the plane, and what is near of other solids.

A contact is known from step to step by its code; what it did in the last step is where Newton's method starts.
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, inlined, kernel
from pushpoint.geometry.capsule_solids import capsule_contacts
from pushpoint.geometry.solids import Solids
from pushpoint.numerics.records import Records
from pushpoint.plants.spatial_stepping.laws import velocity_at, velocity_of
from pushpoint.plants.spatial_stepping.model import EARTH, MARGIN, MIDDLE, Problem, State

RECOVERY = 0.25  # part of a penetration that is undone in a whole step: all of it at once would add energy
PUSH_OUT = 2.0  # [m/s], at most
CURVED = 0.01  # of the depth that is allowed: motion that curves into the surface by less in a step is straight
OVERLAP_OUT = 0.1  # [m/s]: of links that start inside of a solid, which are not thrown out of it
SAME_NORMAL = 0.95  # cosine between the normals of contacts that follow each other
CODES = 4.0  # per capsule: tail end and head end on the plane
GROUND = -1.0  # as an obstacle
TOO_MANY = -1
NEW = -1.0  # as an overlap: of a contact that was not there in the last step


@fused
def set_frame(c: Records, a: Records, n1: float, n2: float, n3: float) -> None:
    """Normal, and tangents along and across the link; any pair if the link stands on the surface."""
    c.n1, c.n2, c.n3 = n1, n2, n3
    along = a.x1 * n1 + a.x2 * n2 + a.x3 * n3
    t1, t2, t3 = a.x1 - along * n1, a.x2 - along * n2, a.x3 - along * n3
    size = math.sqrt(t1 * t1 + t2 * t2 + t3 * t3)
    if size < 1e-6:
        across = a.y1 * n1 + a.y2 * n2 + a.y3 * n3
        t1, t2, t3 = a.y1 - across * n1, a.y2 - across * n2, a.y3 - across * n3
        size = math.sqrt(t1 * t1 + t2 * t2 + t3 * t3)
    t1, t2, t3 = t1 / size, t2 / size, t3 / size
    c.t1, c.t2, c.t3 = t1, t2, t3
    c.s1, c.s2, c.s3 = n2 * t3 - n3 * t2, n3 * t1 - n1 * t3, n1 * t2 - n2 * t1


@fused
def set_friction(c: Records, a: Records, hardness: float, mu_t: float, mu_s: float, roll: float) -> None:
    """Coefficients along, across and of rolling [m]; ONE softness in scaled coordinates."""
    c.hard = hardness * a.mass
    c.mu_t, c.mu_s, c.roll, c.pr, c.pq = mu_t, mu_s, roll, 0.0, 0.0
    most = max(mu_t, mu_s)
    c.soft = c.hard / (most * most) if most > 0.0 else 0.0
    c.roll_soft = hardness * a.roll / (roll * roll) if roll > 0.0 else 0.0


@fused
def take_over(c: Records, old: Records, share: float) -> None:
    """Begin as another contact ended; `share`: of a whole step, as impulses of whole steps are remembered."""
    c.disc, c.closed, c.slips, c.rolls = share * old.pn, old.closed, old.slips, old.rolls
    c.overlap = old.overlap
    c.lt, c.ls, c.lr, c.lq = share * old.lt, share * old.ls, share * old.lr, share * old.lq


@kernel
def recall(c: Records, state: State, seen: int, predicted: float, share: float) -> int:
    """What the contact did in the last step. Where a sphere of a link goes from one feature of a solid to the next, it
    is what it did on the last, if both push in about the same direction. A contact that is new presses if it will.
    Returns where to search next."""
    count, near = state.clock[1], -1
    for k in range(count):
        at = seen + k
        if at >= count:
            at -= count
        old = state.memory[at]
        if old.code == c.code:
            take_over(c, old, share)
            return at + 1
        if old.sphere == c.sphere and old.n1 * c.n1 + old.n2 * c.n2 + old.n3 * c.n3 > SAME_NORMAL:
            near = at
    if near >= 0:
        take_over(c, state.memory[near], share)
        return seen
    c.lt = c.ls = c.lr = c.lq = c.disc = 0.0
    c.overlap = NEW
    c.slips = c.rolls = 1.0
    c.closed = 1.0 if predicted < 0.0 else 0.0
    return seen


@fused
def bend_of(a: Records, r1: float, r2: float, r3: float, n1: float, n2: float, n3: float) -> float:
    """Acceleration [m/s2] along a direction of the material point at r while all joint rates stay as they are."""
    p1, p2, p3 = velocity_at(a, r1, r2, r3)
    bend = n1 * (a.b4 + a.b2 * r3 - a.b3 * r2 + a.w2 * p3 - a.w3 * p2)
    bend += n2 * (a.b5 + a.b3 * r1 - a.b1 * r3 + a.w3 * p1 - a.w1 * p3)
    return float(bend + n3 * (a.b6 + a.b1 * r2 - a.b2 * r1 + a.w1 * p2 - a.w2 * p1))


@fused
def bend_up(a: Records, r1: float, r2: float, r3: float) -> float:
    """The same along z."""
    p1, p2, _ = velocity_at(a, r1, r2, r3)
    return float(a.b6 + a.b1 * r2 - a.b2 * r1 + a.w1 * p2 - a.w2 * p1)


@fused
def set_gap(c: Records, number: Records, gap: float, bend: float) -> None:
    """A gap, whose contact point moves along a curve, may close in this step; a penetration is undone."""
    dt = number.dt
    c.gap, c.push = gap, 0.0
    c.approach = gap / dt
    if gap <= 0.0:
        c.push = push_out(c, number, gap)
        c.approach = -c.push
    if 0.5 * dt * dt * bend < -CURVED * number.deepest:
        c.approach += max(0.5 * dt * bend, -PUSH_OUT)


@fused
def push_out(c: Records, number: Records, gap: float) -> float:
    """The speed [m/s] at which a penetration is undone: by a part in a whole step, also in parts of it, so that short
    parts do not throw out what a long one let in; and no faster than its work is small, see step.limit_push_out.

    Under its load a contact yields, and rests where it is pushed out as fast. In parts of a step, in which it yields
    less, it is to rest at the same depth: there the load of the last step counts. Where the purse is empty it yields a
    little more than that, so that what a large load pressed together does not spring back.
    """
    share, most = number.dt / number.nominal, number.push_work
    push = min(-RECOVERY * gap / number.nominal, PUSH_OUT)
    if push > number.push_speed or push * c.disc > most * share or share < 1.0:
        give = c.disc / (share * c.hard)
        least = min(push, OVERLAP_OUT) if -gap > 2.0 * number.deepest else 0.0
        if push > give:
            push = max(
                number.firm * give + min(push - give, number.push_speed, most * share / max(c.disc, 1e-300)), least
            )
        push = max(push - (1.0 - share) * give, 0.0)
    return float(push)


@kernel
def stribeck_factor(c: Records, a: Records, number: Records) -> float:
    """The factor of the ground's friction at the sliding speed at the start of the step, see worlds.GroundLaw."""
    _, along, across = velocity_of(a, c)
    slow = number.stribeck_speed
    return float(1.0 + number.stribeck * math.exp(-(along * along + across * across) / (slow * slow)))


@fused
def set_ground_friction(c: Records, a: Records, number: Records, radius: float) -> None:
    """Of a contact whose frame is known."""
    factor = stribeck_factor(c, a, number) if number.stribeck > 0.0 else 1.0
    set_friction(c, a, number.hardness, factor * number.mu_t, factor * number.mu_s, number.roll * radius)


@fused
def capsule_centre(a: Records, capsule: Records, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Of a capsule of a link, whose place is that from (x, y, z)."""
    left, up = capsule.left, capsule.up
    return (
        x + a.c1 + left * a.y1 + up * a.z1,
        y + a.c2 + left * a.y2 + up * a.z2,
        z + a.c3 + left * a.y3 + up * a.z3,
    )


@kernel
def plane_contacts(problem: Problem, state: State) -> int:
    """Contacts of both ends of all capsules with the plane z = 0. Returns how many there are."""
    number = problem.number[0]
    dt = number.dt
    slack, fall, height = 20.0 * EARTH * dt * dt, dt * number.down_z, problem.root[MIDDLE].z
    count, seen, share = 0, 0, dt / number.nominal
    for m in range(problem.capsule.shape[0]):
        capsule = problem.capsule[m]
        a, radius = problem.link[int(capsule.link)], capsule.radius
        x, y, z = capsule_centre(a, capsule, 0.0, 0.0, 0.0)
        for end in range(2):
            place = capsule.half if end == 1 else -capsule.half
            r1, r2, r3 = x + place * a.x1, y + place * a.x2, z + place * a.x3 - radius
            gap = height + r3
            speed = a.v3 + a.w1 * r2 - a.w2 * r1
            if gap > slack + 2.0 * dt * max(0.0, -speed):
                continue
            c = problem.contact[count]
            c.link, c.other, c.r1, c.r2, c.r3 = capsule.link, -1.0, r1, r2, r3
            set_frame(c, a, 0.0, 0.0, 1.0)
            set_ground_friction(c, a, number, radius)
            c.code, c.obstacle, c.place, c.which = -1.0 - CODES * m - end, GROUND, place, end
            c.sphere = 3.0 * m + end
            seen = recall(c, state, seen, gap + dt * (speed + fall), share)
            set_gap(c, number, gap, bend_up(a, r1, r2, r3 + radius))
            count += 1
    return count


@fused
def search_reach(a: Records, half: float, dt: float, most: float) -> float:
    """How far [m] from a link contacts are searched for: twice what its fastest point moves, and a little."""
    v1, v2, v3 = velocity_at(a, a.c1, a.c2, a.c3)
    speed = math.sqrt(v1 * v1 + v2 * v2 + v3 * v3) + half * math.sqrt(a.w1 * a.w1 + a.w2 * a.w2 + a.w3 * a.w3)
    return float(min(20.0 * EARTH * dt * dt + 2.0 * dt * speed, most))


@fused
def add_solid(problem: Problem, state: State, count: int, seen: int, m: int, row: int) -> int:
    """Make contact `count` of a row of Problem.found, of capsule m. Returns where in the memory to search next."""
    found, number, capsule = problem.found, problem.number[0], problem.capsule[m]
    a, c, dt = problem.link[int(capsule.link)], problem.contact[count], number.dt
    gap, place, n1, n2, n3 = found[row, 0], found[row, 1], found[row, 2], found[row, 3], found[row, 4]
    x, y, z = capsule_centre(a, capsule, 0.0, 0.0, 0.0)
    r1, r2, r3, radius = x + place * a.x1, y + place * a.x2, z + place * a.x3, capsule.radius
    c.link, c.other, c.r1, c.r2, c.r3 = capsule.link, -1.0, r1 - radius * n1, r2 - radius * n2, r3 - radius * n3
    set_frame(c, a, n1, n2, n3)
    c.obstacle, c.place = found[row, 6], place
    if c.obstacle < 0.0:
        set_ground_friction(c, a, number, radius)
    else:
        set_friction(c, a, number.hardness, found[row, 5], found[row, 5], 0.0)
    c.which = found[row, 7] % 3.0
    c.code, c.sphere = found[row, 7] * problem.capsule.shape[0] + m, 3.0 * m + c.which
    fall = n1 * number.down_x + n2 * number.down_y + n3 * number.down_z
    predicted = gap + dt * (velocity_of(a, c)[0] + dt * fall)
    seen = recall(c, state, seen, predicted, dt / number.nominal)
    r1, r2, r3 = c.r1 + radius * n1, c.r2 + radius * n2, c.r3 + radius * n3  # its centre, which does not roll
    set_gap(c, number, gap, bend_of(a, r1, r2, r3, n1, n2, n3))
    return seen


@inlined
def solid_contacts(problem: Problem, state: State, solids: Solids, count: int) -> int:
    """Contacts of all capsules with terrain and obstacles, after those with the plane."""
    seen, number, root = count, problem.number[0], problem.root[MIDDLE]
    for m in range(problem.capsule.shape[0]):
        capsule = problem.capsule[m]
        a, half, radius = problem.link[int(capsule.link)], capsule.half, capsule.radius
        x, y, z = capsule_centre(a, capsule, root.x, root.y, root.z)
        reach = a.reach = search_reach(a, half + radius, number.dt, MARGIN)
        rows = capsule_contacts(solids, x, y, z, a.x1, a.x2, a.x3, half, radius, reach, problem.found, 0)
        if rows > problem.found.shape[0] or count + rows > problem.contact.shape[0]:
            return TOO_MANY
        for row in range(rows):
            seen = add_solid(problem, state, count, seen, m, row)
            count += 1
    return count


@kernel
def remember_contacts(problem: Problem, memory: Records) -> int:
    """For the next step, as impulses of a whole step. Returns how many there are."""
    count, whole = problem.number[0].contacts, problem.number[0].nominal / problem.number[0].dt
    for k in range(count):
        c, kept = problem.contact[k], memory[k]
        kept.overlap = max(c.overlap, 0.0)
        kept.sphere, kept.n1, kept.n2, kept.n3 = c.sphere, c.n1, c.n2, c.n3
        kept.code, kept.pn, kept.closed, kept.slips, kept.rolls = c.code, whole * c.pn, c.closed, c.slips, c.rolls
        kept.lt = whole * c.pt / c.mu_t if c.mu_t > 0.0 else 0.0
        kept.ls = whole * c.ps / c.mu_s if c.mu_s > 0.0 else 0.0
        kept.lr = whole * c.pr / c.roll if c.roll > 0.0 else 0.0
        kept.lq = whole * c.pq / c.roll if c.roll > 0.0 else 0.0
    return int(count)
