"""Which links may touch which obstacles in this step: neighbour lists, then gaps and contact directions."""

from __future__ import annotations

from pushpoint._jit import fused, kernel
from pushpoint.geometry.capsule_disc import capsule_disc
from pushpoint.geometry.capsule_edge import APART, axis_to_corner, distance_to_edge, end_to_edge
from pushpoint.geometry.grid import cell_range
from pushpoint.numerics.records import Records
from pushpoint.plants.planar_stepping.extended import Contacts
from pushpoint.plants.planar_stepping.model import (
    BEGINS,
    BODY,
    END_AXIS,
    END_HEAD,
    END_TAIL,
    LEAVES,
    LISTED,
    TRAVELLED,
    Problem,
    State,
    Surroundings,
)
from pushpoint.types import FloatArray, IntArray

PUSH_OUT = 1.0  # [m/s], at most, for links that overlap an obstacle


@kernel
def add_pair(code: int, start: IntArray, i: int, pair_code: IntArray) -> bool:
    """Append an obstacle to link i's list unless it is there. False if the table is full."""
    last = start[i + 1]
    for p in range(start[i], last):
        if pair_code[p] == code:
            return True
    if last == pair_code.size:
        return False
    pair_code[last] = code
    start[i + 1] = last + 1
    return True


@kernel
def is_near(dx: float, dy: float, distance: float) -> bool:
    """Whether a vector is shorter than `distance`."""
    return dx * dx + dy * dy < distance * distance


@fused
def list_link(problem: Problem, around: Surroundings, i: int, reach: float, contacts: Contacts | None) -> bool:
    """Neighbours of link i: all obstacles with a gap below `reach`, and some beyond. False if the table is full."""
    a, start, out = problem.link[i], around.pair_start, around.pair_code
    start[i + 1] = start[i]
    x, y, cell_size = a.x, a.y, around.grid.origin[2]
    full = a.axis + a.radius + reach
    size = full / cell_size
    column, row = (x - around.grid.origin[0]) / cell_size, (y - around.grid.origin[1]) / cell_size
    column_first, column_last = cell_range(column - size, column + size, around.grid.shape[0])
    row_first, row_last = cell_range(row - size, row + size, around.grid.shape[1])
    for r in range(row_first, row_last):
        for c in range(column_first, column_last):
            cell = r * around.grid.shape[0] + c
            for k in range(around.grid.start[cell], around.grid.start[cell + 1]):
                item = around.grid.item[k]
                if contacts is not None:
                    if not add_feature(contacts.feature, item, x, y, full, start, i, out):
                        return False
                else:
                    dx, dy = x - around.disc[item, 0], y - around.disc[item, 1]
                    if is_near(dx, dy, around.disc[item, 2] + full) and not add_pair(item, start, i, out):
                        return False
    if contacts is not None:
        return list_movable(problem, around, i, full, contacts) and list_links(problem, around, i, full, contacts)
    return True


@fused
def list_movable(problem: Problem, around: Surroundings, i: int, full: float, contacts: Contacts) -> bool:
    """Movable obstacles near row i, each pair once: with the later of two obstacles."""
    a, links = problem.link[i], problem.chain.shape[0]
    for f in range(contacts.feature.shape[0]):
        other = links + int(contacts.feature[f, BODY])
        if other >= links and other > i:
            b = problem.link[other]
            near = is_near(a.x - b.x, a.y - b.y, full + b.radius)
            if near and not add_pair(3 * f + END_AXIS, around.pair_start, i, around.pair_code):
                return False
    return True


@fused
def list_links(problem: Problem, around: Surroundings, i: int, full: float, contacts: Contacts) -> bool:
    """Both ends of the links near link i, if links may touch each other; see mechanics.self_contact for which."""
    links = problem.chain.shape[0]
    if not problem.number[0].self_contact > 0.0 or i >= links:
        return True
    a, own, first = problem.link[i], contacts.link[i], contacts.feature.shape[0]
    for j in range(links):
        b, other = problem.link[j], contacts.link[j]
        between = max(other.start - own.end, own.start - other.end)
        if abs(i - j) < 2 or between <= a.radius + b.radius or contacts.through[min(i, j), max(i, j)] > 0:
            continue
        if is_near(a.x - b.x, a.y - b.y, full + b.axis + b.radius):
            code = 3 * (first + j)
            if not add_pair(code + END_TAIL, around.pair_start, i, around.pair_code):
                return False
            if not add_pair(code + END_HEAD, around.pair_start, i, around.pair_code):
                return False
    return True


@kernel
def add_feature(
    feature: FloatArray, f: int, x: float, y: float, full: float, start: IntArray, i: int, out: IntArray
) -> bool:
    """A corner as one pair, an edge as two: with either end of the link. False if the table is full."""
    if feature[f, 0] > 0.0:
        if distance_to_edge(x, y, feature[f]) > full * full:
            return True
        return add_pair(3 * f + END_TAIL, start, i, out) and add_pair(3 * f + END_HEAD, start, i, out)
    if not is_near(x - feature[f, 1], y - feature[f, 2], feature[f, 6] + full):
        return True
    return add_pair(3 * f + END_AXIS, start, i, out)


@fused
def recall(state: State, i: int, around: Surroundings, at: int) -> None:
    """What is remembered of link i and the obstacle of the new pair `at`, if it was a pair before."""
    new = around.pair[at]
    new.impulse = new.tangential = new.place = new.normal_x = new.normal_y = new.slip = new.impact = new.landing = 0.0
    new.tick_x = new.tick_y = new.record_x = new.record_y = 0.0
    for p in range(state.pair_start[i], state.pair_start[i + 1]):
        if state.pair_code[p] == around.pair_code[at]:
            around.pair[at] = state.pair[p]


@kernel
def list_neighbours(
    problem: Problem, around: Surroundings, state: State, reach: float, contacts: Contacts | None
) -> bool:
    """List all obstacles within `reach` [m] at the current pose, keeping warm starts. False if the table is full."""
    n, start = problem.link.shape[0], around.pair_start
    for i in range(n):
        if not list_link(problem, around, i, reach, contacts):
            return False
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            if state.pair[p].record_x != 0.0 or state.pair[p].record_y != 0.0:  # not yet written
                add_pair(state.pair_code[p], start, i, around.pair_code)
        for at in range(start[i], start[i + 1]):
            recall(state, i, around, at)
    for i in range(n + 1):
        state.pair_start[i] = start[i]
    for p in range(start[n]):
        state.pair_code[p] = around.pair_code[p]
        state.pair[p] = around.pair[p]
    state.ledger[TRAVELLED], state.ledger[LISTED] = 0.0, reach
    return True


@kernel
def find_contacts(
    problem: Problem, around: Surroundings, state: State, reach: float, contacts: Contacts | None
) -> None:
    """Contacts of this step, P2 (39): gaps at the middle of the step, directions (14), (16).

    conserving: obstacles within `reach` [m] may be approached at most at gap / dt, so that links land on the surface.
    Smooth discs that the present velocity keeps farther off than `room` are left out: most are only passed by.
    paper: obstacles already overlapped at the middle of the step may not be approached at all, P2 (57).
    """
    link, contact, pair, dt = problem.link, problem.contact, state.pair, problem.number[0].dt
    conserving = problem.number[0].conserving > 0.0
    nearest, ahead, room = 0.0, 0.0, 0.0
    if conserving:
        nearest, ahead, room = reach, dt, max(0.0, problem.number[0].room)
    count = 0
    problem.number[0].sunk = 0.0
    for i in range(link.shape[0]):
        a = link[i]
        problem.first[i] = count
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            if contacts is None:
                far = is_off(a, around.disc, state.pair_code[p], reach) or is_passed_by(
                    a, around.disc, state.pair_code[p], ahead, room
                )
            else:
                gap, place, nx, ny = feature_gap(problem, i, state.pair_code[p], contacts)
                far = gap > nearest
            if far:
                pair[p].impulse = pair[p].tangential = pair[p].landing = 0.0
                continue
            if contacts is None:
                gap, place, nx, ny = disc_gap(a, around.disc, state.pair_code[p])
            c = contact[count]
            c.normal_x, c.normal_y = nx, ny
            c.arm = place * (a.cos * ny - a.sin * nx)
            c.approach = allowed_speed(problem, gap) if conserving else 0.0
            c.guess = pair[p].impulse
            c.pair = p
            pair[p].place, pair[p].normal_x, pair[p].normal_y = place, nx, ny
            away = a.radius + gap
            pair[p].point_x, pair[p].point_y = a.x + place * a.cos - away * nx, a.y + place * a.sin - away * ny
            if contacts is None:
                if gap < -problem.number[0].depth:
                    note_depth(problem, nx * a.old_vx + ny * a.old_vy + c.arm * a.old_w)
                pass_on(problem, state, i, count)
            else:
                if state.pair_code[p] // 3 < contacts.feature.shape[0]:
                    add_friction(problem, i, c, gap, place, contacts.feature[state.pair_code[p] // 3], contacts.link[i])
                else:
                    touch_link(problem, i, c, gap, state.pair_code[p], contacts)
                c.guess_t = pair[p].tangential
            count += 1
    problem.first[link.shape[0]] = count


@kernel
def note_depth(problem: Problem, speed: float) -> None:
    """A link lies too deep in an obstacle in the middle of the step: if its own speed [m/s] has brought it there, the
    step is too long to land."""
    if -0.5 * problem.number[0].dt * speed > 0.25 * problem.number[0].depth:
        problem.number[0].sunk = 1.0


@fused
def allowed_speed(problem: Problem, gap: float) -> float:
    """How fast a gap may close, so that it is gone after the step; below zero, how fast an overlap has to be undone:
    as slowly in parts of a step as in a whole one, or they would add energy the more of them there are. Where there
    is no energy for that (see parts), an overlap may stay, but not grow."""
    if gap >= 0.0:
        return float(gap / problem.number[0].dt)
    return float(max(gap / problem.number[0].nominal, -PUSH_OUT) * problem.number[0].pushing)


@kernel
def misses_nothing(problem: Problem, around: Surroundings, state: State) -> bool:
    """Whether all listed obstacles without a contact stay off the links at the present velocity; among smooth discs."""
    dt, at = problem.number[0].dt, 0
    for i in range(problem.chain.shape[0]):
        a = problem.link[i]
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            if at < problem.first[i + 1] and int(problem.contact[at].pair) == p:
                at += 1
            elif not is_passed_by(a, around.disc, state.pair_code[p], dt, 0.0):
                return False
    return True


@fused
def pass_on(problem: Problem, state: State, i: int, k: int) -> None:
    """Whether contact k of link i begins, or its obstacle passes on to the next link.

    Obstacles slide along the robot. One that comes to a link (BEGINS: no impulse so far, and the velocity predicted
    closes the gap) as a rule leaves its neighbour (LEAVES) in the same step: that contact starts the solve open.
    """
    a, c, contact = problem.link[i], problem.contact[k], problem.contact
    c.passing = 0.0
    if c.guess == 0.0 and c.normal_x * a.vx + c.normal_y * a.vy + c.arm * a.w + c.approach < 0.0:
        c.passing = BEGINS
    for before in range(problem.first[max(0, i - 1)], problem.first[i]):
        b = contact[before]
        if state.pair_code[int(b.pair)] == state.pair_code[int(c.pair)]:
            if c.passing == BEGINS and b.guess > 0.0:
                b.passing = LEAVES
            elif b.passing == BEGINS and c.guess > 0.0:
                c.passing = LEAVES


@fused
def is_off(a: Records, disc: FloatArray, k: int, reach: float) -> bool:
    """Whether a disc is farther than `reach` [m] from the circle about a link: most need nothing more."""
    dx, dy, far = a.x - disc[k, 0], a.y - disc[k, 1], a.axis + a.radius + disc[k, 2] + reach
    return bool(dx * dx + dy * dy > far * far)


@fused
def is_passed_by(a: Records, disc: FloatArray, k: int, ahead: float, room: float) -> bool:
    """Whether gap + ahead [s] * normal speed > room [m] between a link and a disc.

    With d the distance of the axis from the disc's centre and q the velocity times d along the normal this is
    d + ahead * q / d > r, or (d^2 + ahead * q)^2 > r^2 d^2: no root has to be waited for where the answer is yes.
    """
    dx, dy = a.x - disc[k, 0], a.y - disc[k, 1]
    place = min(a.axis, max(-a.axis, -(dx * a.cos + dy * a.sin)))  # as in capsule_disc
    x, y, turn = dx + place * a.cos, dy + place * a.sin, place * a.w
    square = x * x + y * y
    later = square + ahead * (x * (a.vx - turn * a.sin) + y * (a.vy + turn * a.cos))
    r = disc[k, 2] + a.radius + room
    return bool((later > 0.0) & (later * later > r * r * square))


@fused
def disc_gap(a: Records, disc: FloatArray, k: int) -> tuple[float, float, float, float]:
    """Gap [m] between a link and a disc, place along the link, normal."""
    distance, place, nx, ny = capsule_disc(a.x - disc[k, 0], a.y - disc[k, 1], a.cos, a.sin, a.axis)
    return distance - disc[k, 2] - a.radius, place, nx, ny


@kernel
def link_gap(problem: Problem, i: int, code: int, contacts: Contacts) -> tuple[float, float, float, float]:
    """The same between link i and an end of another."""
    j = code // 3 - contacts.feature.shape[0]
    a, b, is_tail = problem.link[i], problem.link[j], code % 3 == END_TAIL
    if is_tail and contacts.link[j].joined > 0.0:  # it is also the head end of the link behind
        return APART, 0.0, 0.0, 0.0
    at = -b.axis if is_tail else b.axis
    distance, place, nx, ny = capsule_disc(a.x - b.x - at * b.cos, a.y - b.y - at * b.sin, a.cos, a.sin, a.axis)
    if i > j and abs(place) == a.axis:  # end to end: the contact of link j is the same
        return APART, 0.0, 0.0, 0.0
    return distance - a.radius - b.radius, place, nx, ny


@kernel
def touch_link(problem: Problem, i: int, c: Records, gap: float, code: int, contacts: Contacts) -> None:
    """The other link of a contact, without friction."""
    j = code // 3 - contacts.feature.shape[0]
    a, b = problem.link[i], problem.link[j]
    at = -b.axis if code % 3 == END_TAIL else b.axis
    c.owner, c.other, c.lever, c.arm_t, c.mu, c.limit, c.last_limit = i, j, 0.0, 0.0, 0.0, 0.0, -1.0
    c.arm_other = at * (b.cos * c.normal_y - b.sin * c.normal_x)
    if gap < -problem.number[0].depth:
        speed = c.normal_x * (a.old_vx - b.old_vx) + c.normal_y * (a.old_vy - b.old_vy)
        note_depth(problem, speed + c.arm * a.old_w - c.arm_other * b.old_w)


@fused
def feature_gap(problem: Problem, i: int, code: int, contacts: Contacts) -> tuple[float, float, float, float]:
    """The same between row i and an edge, a corner, a movable obstacle, or the end of another link."""
    if code // 3 >= contacts.feature.shape[0]:
        return link_gap(problem, i, code, contacts)
    a, feature, joined = problem.link[i], contacts.feature[code // 3], contacts.link[i].joined > 0.0
    if code % 3 != END_AXIS:
        if joined and code % 3 == END_TAIL:
            return APART, 0.0, 0.0, 0.0
        place = a.axis if code % 3 == END_HEAD else -a.axis
        out, nx, ny = end_to_edge(a.x + place * a.cos, a.y + place * a.sin, feature)
        return out - a.radius, place, nx, ny
    x, y = feature[1], feature[2]
    if feature[BODY] >= 0.0:
        b = problem.link[problem.chain.shape[0] + int(feature[BODY])]
        x, y = b.x, b.y
    distance, place, nx, ny = axis_to_corner(a.x - x, a.y - y, a.cos, a.sin, a.axis, feature)
    if joined and place == -a.axis:
        return APART, 0.0, 0.0, 0.0
    return distance - feature[6] - a.radius, place, nx, ny


@fused
def add_friction(
    problem: Problem, i: int, c: Records, gap: float, place: float, feature: FloatArray, partner: Records
) -> None:
    """Friction, restitution and the movable partner of a contact."""
    a, dt = problem.link[i], problem.number[0].dt
    nx, ny = c.normal_x, c.normal_y
    c.owner, c.other, c.lever, c.arm_other = i, -1.0, 0.0, 0.0
    # Friction acts at the surface of the link, to the left of the normal.
    c.arm_t = place * (a.cos * nx + a.sin * ny) - a.radius
    c.mu = max(feature[7], partner.friction)  # of two obstacles the rougher counts, and the more elastic
    c.limit, c.last_limit = c.mu * c.guess, -1.0
    restitution = max(feature[8], partner.restitution)
    speed = nx * a.old_vx + ny * a.old_vy + c.arm * a.old_w
    if feature[BODY] >= 0.0:
        c.other = problem.chain.shape[0] + feature[BODY]
        b = problem.link[int(c.other)]
        c.lever = b.radius + gap
        speed -= nx * b.old_vx + ny * b.old_vy
    if gap < -problem.number[0].depth:
        note_depth(problem, speed)
    if restitution > 0.0 and gap + dt * speed < 0.0:  # it will hit in this step: Newton's law
        c.approach = min(c.approach, restitution * speed)
