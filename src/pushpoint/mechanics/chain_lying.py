"""Chains on a path that is drawn as a line of short pieces: where its joints lie, where it touches pegs, and what
torques it needs to push itself along by three of them."""

from __future__ import annotations

import math
from typing import NamedTuple

from pushpoint._jit import kernel
from pushpoint.mechanics.push_balance import balance_three
from pushpoint.types import FloatArray, IntArray

CONTACTS = 16  # counted at most, of one place of the chain
ARC, X, Y, COS, SIN = range(5)  # columns of a vertex: arc length, place, tangent
# Rules: friction of pegs; [N m] for the drag; [m], [m], [m]; [rad]; direction in which pegs are sorted.
FRICTION, ALLOWED, NEAR, REACH, ENDS, WIDEST, ALONG_X, ALONG_Y = range(8)
FIRST, LAST = 3, 4  # columns of a peg behind x, y, radius [m]: what is in reach of it, along the direction of sorting
COST, TORQUE, NEEDED, DEPTH, BEND, COUNTS = range(6)  # what is found at one place: -, [N m], [m], [m], [rad], 0 or 1
LENGTH, RADIUS, CORE, DRAG = range(4)  # rows of a chain: [m], [m], [m] half length of the axis, [N]
PENALTY = 0.05  # of the largest torque allowed; a place without push costs one
STEP, SLOPE = 0.5, 0.5  # of a place whose third peg is not near enough, and more up to where it is out of reach
SLIGHT = 1e-4  # [m], of overlaps that do not count
DEEP = 0.2e6  # [1/m2], of overlaps squared
MOST_DEEP = (0.5, 0.3e3)  # -, [1/m]: from there on they count in proportion
BENT = 10.0  # [1/rad], of joints bent too far
NO_PLACE = 10.0  # of a link that finds none on the path
PLACE, HEADING, WEIGHT = 0, 2, 3  # of a pose near which the chain should lie first: centre of mass [m], mean angle
UNIT = 0.02, 0.1  # [m], [rad]: off by this much costs the weight


class LyingRoom(NamedTuple):
    """Scratch."""

    joint: FloatArray  # (n + 1, 4): x, y, tangent of the path there, from the head's end to the tail
    contact: FloatArray  # (CONTACTS, 2): gap, link from the head; by gap
    column: FloatArray  # (CONTACTS, 3): of G, moments about the head's end
    load: FloatArray  # (n,): moment of the drag on links ahead of a joint, about it
    small: FloatArray  # (2, 3): the load, three forces
    laid: IntArray  # (1,): how many links were laid on a path so far
    place: IntArray  # (n + 1,): the head's vertex of the chain that was laid last, and those behind its joints


@kernel
def lay_chain(line: FloatArray, head: int, chain: FloatArray, joint: FloatArray, place: IntArray) -> bool:
    """Joints on a line of vertices (v, 5), the head's end at vertex `head`; straight on where the line is too short.
    False where a link finds no place. Vertices are sought from where they were for the last chain, moved like its head:
    on a line that bends no more than a link is long, distances grow along a link."""
    for k in range(4):
        joint[0, k] = line[head, X + k]
    n, at, moved = chain.shape[1], head, head - place[0]
    place[0] = head
    for j in range(n):
        length, x, y, most = chain[LENGTH, n - 1 - j], joint[j, 0], joint[j, 1], at
        at = min(max(place[j + 1] + moved, 0), most)
        while at > 0 and (line[at, X] - x) ** 2 + (line[at, Y] - y) ** 2 < length * length:
            at -= 1
        while at < most and (line[at + 1, X] - x) ** 2 + (line[at + 1, Y] - y) ** 2 >= length * length:
            at += 1
        place[j + 1] = at
        if at == head:
            return False
        near, far = line[at + 1], line[at]
        dx, dy, ex, ey = far[X] - near[X], far[Y] - near[Y], near[X] - x, near[Y] - y
        a, b, c = dx * dx + dy * dy, ex * dx + ey * dy, ex * ex + ey * ey - length * length
        part = (math.sqrt(max(b * b - a * c, 0.0)) - b) / a
        inside = min(max(part, 0.0), 1.0)
        joint[j + 1, 0], joint[j + 1, 1] = near[X] + part * dx, near[Y] + part * dy
        joint[j + 1, 2] = near[COS] + inside * (far[COS] - near[COS])
        joint[j + 1, 3] = near[SIN] + inside * (far[SIN] - near[SIN])
        at += 1
    return True


@kernel
def add_contact(room: LyingRoom, count: int, gap: float, link: int, column: tuple[float, float, float]) -> int:
    """Into the list by gap; the last one is dropped where there are too many. Returns how many there are."""
    place = min(count, CONTACTS)
    while place > 0 and room.contact[place - 1, 0] > gap:
        if place < CONTACTS:
            for k in range(2):
                room.contact[place, k] = room.contact[place - 1, k]
            for k in range(3):
                room.column[place, k] = room.column[place - 1, k]
        place -= 1
    if place < CONTACTS:
        room.contact[place, 0], room.contact[place, 1] = gap, link
        room.column[place, 0], room.column[place, 1], room.column[place, 2] = column
    return min(count + 1, CONTACTS)


@kernel
def touch_pegs(
    j: int, chain: FloatArray, pegs: FloatArray, rules: FloatArray, room: LyingRoom, count: int
) -> tuple[int, float]:
    """Contacts of link j, counted from the head, with pegs in reach: how many there are now, and the least gap."""
    joint, n, least = room.joint, chain.shape[1], 0.0
    i = n - 1 - j
    length, radius = chain[LENGTH, i], chain[RADIUS, i]
    first, last = 0.5 * length - chain[CORE, i], 0.5 * length + chain[CORE, i]
    head = joint[j, 0] * rules[ALONG_X] + joint[j, 1] * rules[ALONG_Y]
    tail = joint[j + 1, 0] * rules[ALONG_X] + joint[j + 1, 1] * rules[ALONG_Y]
    beyond = radius + max(0.0, last - length)
    low, high = min(head, tail) - beyond, max(head, tail) + beyond
    ex, ey = (joint[j, 0] - joint[j + 1, 0]) / length, (joint[j, 1] - joint[j + 1, 1]) / length
    for p in range(len(pegs)):
        if pegs[p, LAST] < low:
            continue
        if pegs[p, FIRST] > high:
            break
        x, y = pegs[p, 0] - joint[j + 1, 0], pegs[p, 1] - joint[j + 1, 1]
        reach = rules[REACH] + pegs[p, 2] + radius
        free, across = x * ex + y * ey, ex * y - ey * x
        if free < first - reach or free > last + reach or abs(across) > reach:
            continue
        along = min(max(free, first), last)
        nx, ny = along * ex - x, along * ey - y
        distance = math.sqrt(nx * nx + ny * ny)
        gap = distance - radius - pegs[p, 2]
        if gap > rules[REACH] or distance == 0.0:
            continue
        least = min(least, gap)
        if (j == 0 and along > last - rules[ENDS]) or (j == n - 1 and along < first + rules[ENDS]):
            continue
        nx, ny = nx / distance, ny / distance
        side = rules[FRICTION] if nx * ey - ny * ex > 0.0 else -rules[FRICTION]  # against the tangent headwards
        fx, fy = nx + side * ny, ny - side * nx
        cx, cy = pegs[p, 0] + pegs[p, 2] * nx - joint[0, 0], pegs[p, 1] + pegs[p, 2] * ny - joint[0, 1]
        count = add_contact(room, count, max(gap, 0.0), j, (fx, fy, cx * fy - cy * fx))
    return count, least


@kernel
def load_links(chain: FloatArray, room: LyingRoom) -> float:
    """The drag on all links, and its moments about the joints; returns the largest joint angle [rad]."""
    joint, n, load = room.joint, chain.shape[1], room.small[0]
    least, last_x, last_y = 1.0, 0.0, 0.0
    load[0], load[1], load[2] = 0.0, 0.0, 0.0
    for j in range(n):
        ex, ey = joint[j, 0] - joint[j + 1, 0], joint[j, 1] - joint[j + 1, 1]
        if j > 0:
            least = min(least, (ex * last_x + ey * last_y) / (chain[LENGTH, n - 1 - j] * chain[LENGTH, n - j]))
        last_x, last_y = ex, ey
        vx, vy = joint[j, 2] + joint[j + 1, 2], joint[j, 3] + joint[j + 1, 3]  # of the centre, as both joints slide
        size = chain[DRAG, n - 1 - j] / math.sqrt(vx * vx + vy * vy)
        vx, vy = vx * size, vy * size
        x, y = 0.5 * (joint[j, 0] + joint[j + 1, 0]) - joint[0, 0], 0.5 * (joint[j, 1] + joint[j + 1, 1]) - joint[0, 1]
        load[0], load[1], load[2] = load[0] + vx, load[1] + vy, load[2] + x * vy - y * vx
        x, y = joint[j + 1, 0] - joint[0, 0], joint[j + 1, 1] - joint[0, 1]
        room.load[j] = load[2] - (x * load[1] - y * load[0])
    return math.acos(max(least, -1.0))


@kernel
def largest_torque(room: LyingRoom, joints: int, i: int, j: int, k: int, stop: float) -> float:
    """[N m], with three contacts that push by the forces in `room`; any above `stop` where it is more."""
    most, force = 0.0, room.small[1]
    for q in range(joints):
        x, y = room.joint[q + 1, 0] - room.joint[0, 0], room.joint[q + 1, 1] - room.joint[0, 1]
        torque = -room.load[q]
        for c, size in ((i, force[0]), (j, force[1]), (k, force[2])):
            if room.contact[c, 1] <= q:
                column = room.column[c]
                torque += size * (column[2] - (x * column[1] - y * column[0]))
        most = max(most, abs(torque))
        if most >= stop:
            break
    return most


@kernel
def least_torque(room: LyingRoom, joints: int, contacts: int, rules: FloatArray) -> tuple[float, float]:
    """T [N m], and the distance [m] within which pegs have to count for it: the least one with which three push within
    the torque allowed, or all that are near."""
    best, needed, column = math.inf, math.inf, room.column
    for k in range(2, contacts):
        if best < math.inf and room.contact[k, 0] > rules[NEAR]:
            break
        for i in range(k):
            for j in range(i + 1, k):
                if balance_three(column[i], column[j], column[k], room.small[0], room.small[1]):
                    torque = largest_torque(room, joints, i, j, k, best)
                    if torque < best and torque <= rules[ALLOWED]:
                        best, needed = torque, room.contact[k, 0]
    return best, needed


@kernel
def judge_place(chain: FloatArray, pegs: FloatArray, rules: FloatArray, room: LyingRoom, found: FloatArray) -> None:
    """What the chain that lies in `room` needs, and what that costs."""
    n = chain.shape[1]
    bend, contacts, least = load_links(chain, room), 0, 0.0
    for j in range(n):
        contacts, gap = touch_pegs(j, chain, pegs, rules, room, contacts)
        least = min(least, gap)
    torque, needed = least_torque(room, n - 1, contacts, rules)
    cost = 1.0
    if torque < math.inf:
        cost = PENALTY * (torque / rules[ALLOWED]) ** 4
        if needed > rules[NEAR]:
            cost += STEP + SLOPE * (needed - rules[NEAR]) / rules[REACH]
    depth = -least
    if depth > SLIGHT:
        cost += min(DEEP * depth * depth, MOST_DEEP[0] + MOST_DEEP[1] * depth)
    cost += BENT * max(0.0, bend - rules[WIDEST])
    found[COST], found[TORQUE], found[NEEDED], found[DEPTH], found[BEND] = cost, torque, needed, depth, bend


@kernel
def off_pose(chain: FloatArray, joint: FloatArray, pose: FloatArray) -> float:
    """How far the chain lies from a pose (4,), times its weight."""
    n = chain.shape[1]
    x, y, angle, total = 0.0, 0.0, 0.0, 0.0
    cos, sin = math.cos(pose[HEADING]), math.sin(pose[HEADING])
    for j in range(n):
        drag = chain[DRAG, n - 1 - j]
        ex, ey = joint[j, 0] - joint[j + 1, 0], joint[j, 1] - joint[j + 1, 1]
        x, y = x + drag * (joint[j, 0] - 0.5 * ex), y + drag * (joint[j, 1] - 0.5 * ey)
        angle += drag * math.atan2(ey * cos - ex * sin, ex * cos + ey * sin)
        total += drag
    away = ((x / total - pose[PLACE]) ** 2 + (y / total - pose[PLACE + 1]) ** 2) / UNIT[0] ** 2
    return float(pose[WEIGHT] * (away + (angle / total / UNIT[1]) ** 2))


@kernel
def count_heads(
    line: FloatArray, part: tuple[int, int], stretch: tuple[float, float], every: int, found: FloatArray
) -> tuple[float, float]:
    """Marks the heads among vertices of `part` that count; returns how many count in all, and what those outside of
    `part`, which stay, cost together."""
    count, cost = 0.0, 0.0
    for h in range(len(found)):
        vertex = h * every
        if vertex < part[0] or vertex > part[1]:
            cost += found[h, COST] * found[h, COUNTS]
        else:
            found[h, COUNTS] = 1.0 if stretch[0] <= line[vertex, ARC] <= stretch[1] else 0.0
        count += found[h, COUNTS]
    return max(count, 1.0), cost


@kernel
def judge_places(
    line: FloatArray,
    part: tuple[int, int],
    stretch: tuple[float, float],
    every: int,
    most: float,
    chain: FloatArray,
    pegs: FloatArray,
    rules: FloatArray,
    pose: FloatArray,
    room: LyingRoom,
    found: FloatArray,
) -> float:
    """Rows of `found` (heads, 6), for the head's end at each so many vertices: those among vertices of `part`, the
    others stay. Heads outside of `stretch` [m] do not count; with the first one the chain should lie near a pose.
    Returns the mean cost of the heads that count; inf as soon as it is more than `most`, as no cost is negative."""
    count, cost = count_heads(line, part, stretch, every, found)
    for h in range(len(found)):
        vertex = h * every
        if vertex < part[0] or vertex > part[1] or found[h, COUNTS] == 0.0:
            continue
        found[h, COST] = NO_PLACE
        room.laid[0] += chain.shape[1]
        if lay_chain(line, vertex, chain, room.joint, room.place):
            judge_place(chain, pegs, rules, room, found[h])
            if pose[WEIGHT] > 0.0 and vertex >= every and line[vertex - every, ARC] < stretch[0]:
                found[h, COST] += off_pose(chain, room.joint, pose)
        cost += found[h, COST]
        if cost > most * count:
            return math.inf
    return cost / count
