"""A continuous body on arcs from peg to peg: can three of the pegs that it touches push it along, and how much does it
have to bend for that?

A body of the length l that slides along a path is held back along its tangent everywhere, by rho [N/m]. So the load has
a closed form: force rho (p(s) - p(s - l)), moment rho A, A twice the area between the path and the origin. Each three
contacts balance it by G lambda = w; where lambda >= 0, bending moments follow by summing from the head. The least
largest one is T. All of this is proportional to rho.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from pushpoint._jit import entry_point, kernel
from pushpoint.mechanics.push_arcs import ARC, AREA, STEPS, X, Y
from pushpoint.mechanics.push_balance import balance_three
from pushpoint.types import FloatArray, IntArray

PLACES, CONTACTS = 400, 32  # room for those of a body
BODY, RHO, ALLOWED, ENDS, SHORTEST, UNTIL = range(6)  # rules of `extend_paths`
LENGTH, COST, TWICE_AREA = range(3)  # sums of a path up to its end
PENALTY = 0.2  # of a metre at the largest moment allowed; that of a metre without push is one
EARLY = 0.3  # what counts on the stretch on which the robot is laid, of a body that is not yet whole


class Room(NamedTuple):
    """Scratch."""

    place: FloatArray  # (PLACES, 4): arc length, x, y, twice the area
    contact: FloatArray  # (CONTACTS, 5): arc length, contact point, force of a unit push
    column: FloatArray  # (CONTACTS, 3): of G, moments about the head
    load: FloatArray  # (PLACES,): moment of the load ahead of a place
    small: FloatArray  # (2, 3): the load, three forces
    used: IntArray  # (CONTACTS,): paths whose last arcs the body lies on


class Paths(NamedTuple):
    """Paths that begin with other paths: each has one arc more than the one it goes on from."""

    node: IntArray  # (p,): at its end
    arc: IntArray  # (p,): its last, -1: it has none
    parent: IntArray  # (p,): that it goes on from
    sums: FloatArray  # (p, 3)


class Network(NamedTuple):
    """Nodes and arcs."""

    node: FloatArray  # (n, 8), see push_arcs
    first: IntArray  # (n + 1,): first arc from each node
    end: IntArray  # (e, 2): its nodes
    table: FloatArray  # (e, STEPS + 1, 4)
    early: FloatArray  # (e,): what an arc costs on the stretch on which the robot is laid; inf: it may not lie there


@kernel
def load_on(room: Room, low: int, high: int, tail: float, rho: float) -> None:
    """The load on a body from arc length `tail` to place `high`, about its head; moments at places from `low`, the
    first one on the body."""
    place, load = room.place, room.small[0]
    tail_x, tail_y, tail_area = place[low, X], place[low, Y], place[low, AREA]
    if low > 0 and place[low, ARC] > tail:
        part = (place[low, ARC] - tail) / (place[low, ARC] - place[low - 1, ARC])
        tail_x -= part * (place[low, X] - place[low - 1, X])
        tail_y -= part * (place[low, Y] - place[low - 1, Y])
        tail_area -= part * (place[low, AREA] - place[low - 1, AREA])
    x, y, area = place[high, X], place[high, Y], place[high, AREA]
    load[0], load[1] = rho * (x - tail_x), rho * (y - tail_y)
    load[2] = rho * (area - tail_area) - (x * load[1] - y * load[0])
    for k in range(low, high):
        room.load[k] = rho * (area - place[k, AREA] - (place[k, X] * y - place[k, Y] * x))


@kernel
def largest_moment(room: Room, low: int, high: int, i: int, j: int, k: int, stop: float) -> float:
    """[N m], of bending, with three contacts that push by the forces in `room`; any above `stop` where it is more."""
    most, force, at = 0.0, room.small[1], room.place
    x, y = at[high, X], at[high, Y]
    for p in range(low, high):
        moment = -room.load[p]
        for c, size in ((i, force[0]), (j, force[1]), (k, force[2])):
            if room.contact[c, 0] > at[p, ARC]:
                column = room.column[c]
                moment += size * (column[2] - ((at[p, X] - x) * column[1] - (at[p, Y] - y) * column[0]))
        most = max(most, abs(moment))
        if most >= stop:
            break
    return most


@kernel
def moment_needed(room: Room, low: int, high: int, contacts: int, tail: float, rules: FloatArray) -> float:
    """T [N m] of a body from arc length `tail` to place `high`; inf where no three contacts push."""
    load_on(room, low, high, tail, rules[RHO])
    x, y, head = room.place[high, X], room.place[high, Y], room.place[high, ARC]
    first, behind = contacts, 0  # those on the body
    for c in range(contacts):
        if tail + rules[ENDS] <= room.contact[c, 0] <= head - rules[ENDS]:
            first, behind = min(first, c), c + 1
            force_x, force_y = room.contact[c, 3], room.contact[c, 4]
            column = room.column[c]
            column[0], column[1] = force_x, force_y
            column[2] = (room.contact[c, 1] - x) * force_y - (room.contact[c, 2] - y) * force_x
    best, column = math.inf, room.column
    for i in range(first, behind):
        for j in range(i + 1, behind):
            for k in range(j + 1, behind):
                if balance_three(column[i], column[j], column[k], room.small[0], room.small[1]):
                    best = min(best, largest_moment(room, low, high, i, j, k, best))
    return best


@kernel
def note_contact(room: Room, count: int, at: float, node: FloatArray) -> None:
    room.contact[count, 0] = at
    for k in range(4):
        room.contact[count, 1 + k] = node[4 + k]


@kernel
def lay_body(path: int, paths: Paths, net: Network, body: float, room: Room) -> tuple[int, int]:
    """The places and contacts of a path that a body may cover which goes on along it, and their numbers; every other
    place of an arc."""
    arcs, oldest, end = 0, path, paths.sums[path, LENGTH]
    while paths.arc[oldest] >= 0 and arcs < CONTACTS - 2 and paths.sums[oldest, LENGTH] >= end - body:
        room.used[arcs] = oldest
        arcs, oldest = arcs + 1, paths.parent[oldest]
    node, sums, place = net.node[paths.node[oldest]], paths.sums[oldest], room.place
    place[0, ARC], place[0, X], place[0, Y], place[0, AREA] = sums[LENGTH], node[0], node[1], sums[TWICE_AREA]
    note_contact(room, 0, sums[LENGTH], node)
    places = 1
    for i in range(arcs - 1, -1, -1):
        this = room.used[i]
        before, row = paths.sums[paths.parent[this]], net.table[paths.arc[this]]
        for k in range(2, STEPS + 1, 2):
            put_place(place[places], row[k], before)
            places += 1
        note_contact(room, arcs - i, paths.sums[this, LENGTH], net.node[paths.node[this]])
    return places, arcs + 1


@kernel
def put_place(place: FloatArray, row: FloatArray, before: FloatArray) -> None:
    """A place of an arc, its sums from the beginning of the path."""
    place[ARC], place[X], place[Y] = before[LENGTH] + row[ARC], row[X], row[Y]
    place[AREA] = before[TWICE_AREA] + row[AREA]


@kernel
def cost_along(
    arc: int, before: FloatArray, net: Network, rules: FloatArray, room: Room, places: int, contacts: int
) -> float:
    """What it costs a body to go on along an arc [m]: metres without push, and a part of those with."""
    cost, low, row = 0.0, 1, net.table[arc]
    for k in range(1, STEPS + 1):
        high = places + k - 1
        put_place(room.place[high], row[k], before)
        head = room.place[high, ARC]
        if k % 2 == 1 or head < rules[SHORTEST]:
            continue
        tail = max(head - rules[BODY], 0.0)
        while low < high and room.place[low, ARC] < tail:
            low += 1
        part = moment_needed(room, low, high, contacts, tail, rules) / rules[ALLOWED]
        part = 1.0 if part > 1.0 else PENALTY * part * part
        cost += (part if head >= rules[BODY] else EARLY * part) * (row[k, ARC] - row[k - 2, ARC])
    return cost


@entry_point
def extend_paths(
    chosen: IntArray,
    paths: Paths,
    net: Network,
    rules: FloatArray,
    room: Room,
    parent: IntArray,
    arc: IntArray,
    sums: FloatArray,
) -> int:
    """All `chosen` paths with one arc more: where they come from, that arc, their sums. Returns their number, one more
    than there is room for where they are too many."""
    count = 0
    for c in range(len(chosen)):
        path = chosen[c]
        places, contacts = lay_body(path, paths, net, rules[BODY], room)
        node, before = paths.node[path], paths.sums[path]
        for e in range(net.first[node], net.first[node + 1]):
            early = net.early[e] if before[LENGTH] < rules[UNTIL] else 0.0
            if early == math.inf:
                continue
            if count == len(parent):
                return count + 1
            cost = cost_along(e, before, net, rules, room, places, contacts)
            parent[count], arc[count] = path, e
            sums[count, LENGTH] = before[LENGTH] + net.table[e, STEPS, ARC]
            sums[count, COST] = before[COST] + early + cost
            sums[count, TWICE_AREA] = before[TWICE_AREA] + net.table[e, STEPS, AREA]
            count += 1
    return count


@entry_point
def body_moment(place: FloatArray, contact: FloatArray, rules: FloatArray, room: Room) -> float:
    """T [N m] of a body along all places (k, 4) with contacts (c, 5): `moment_needed` for whoever asks once."""
    for k in range(len(place)):
        for column in range(4):
            room.place[k, column] = place[k, column]
    for c in range(len(contact)):
        for column in range(5):
            room.contact[c, column] = contact[c, column]
    return float(moment_needed(room, 0, len(place) - 1, len(contact), place[0, ARC], rules))
