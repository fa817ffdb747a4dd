"""Search for paths from peg to peg: a beam over their length, on a continuous body.

Paths grow by one arc at a time. Of those whose length falls into one bin, the cheapest are kept, not too many of them
at the same peg. What a path costs is how much of it lacks push, and a little for the bending moments that it asks for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pushpoint._jit import compiling_once
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.body_push import (
    CONTACTS,
    COST,
    LENGTH,
    PLACES,
    Network,
    Paths,
    Room,
    extend_paths,
)
from pushpoint.planning.push_path.network import AWAY, Nodes, nearest_on
from pushpoint.planning.push_path.request import PlanOptions, Request
from pushpoint.planning.push_points import ENDS
from pushpoint.types import FloatArray, IntArray

BIN = 0.7  # links, of the length of paths that are compared
SAME_PEG = 30  # of those kept at most one in so many ends at the same peg
BEGIN = 6.0  # links: so far from the first node, in the direction of travel, a path may begin
TAIL = 2  # links, beside which a path may begin if the robot lies somewhere
UNDER = 1.03  # arc length under a body over the length of the robot, as links cut across bends
PART = 0.5, 0.93  # of a body: so much of it may already be judged; more where the robot lies somewhere already
WIDER = 3  # times as many paths are kept then, as they differ only later
ROOM = 400_000  # paths that go on from those of one bin
DIFFERENT = 4  # pegs, that one path has and another has not


class Sequence(NamedTuple):
    """A path as nodes."""

    node: IntArray  # (k,)
    length: float  # [m]
    cost: float  # [m]


class Found(NamedTuple):
    """What the search found."""

    paths: list[Sequence]  # long enough, with different pegs, cheapest first
    longest: Sequence | None  # where there is none that is long enough


def body_room() -> Room:
    return Room(
        np.empty((PLACES, 4)), np.empty((CONTACTS, 5)), np.empty((CONTACTS, 3)), np.empty(PLACES), np.empty((2, 3)),
        np.empty(CONTACTS, dtype=np.int64),
    )  # fmt: skip


def search(request: Request, options: PlanOptions, nodes: Nodes, net: Network, total: float) -> Found:
    """Paths of the length `total` [m]."""
    beam = _Beam(request, options, nodes, net)
    width = BIN * request.link
    ends = beam.grow(width, total)
    longest = None if len(ends) else beam.longest()
    return Found(different(map(beam.sequence, ends.tolist()), nodes, options.refined), longest)


def different(paths: Iterable[Sequence], nodes: Nodes, count: int) -> list[Sequence]:
    """The cheapest ones of which no two share almost all pegs."""
    chosen: list[Sequence] = []
    pegs: list[frozenset[int]] = []
    for path in paths:
        own = frozenset(nodes.peg[path.node].tolist())
        if all(len(own ^ other) >= DIFFERENT for other in pegs):
            chosen.append(path)
            pegs.append(own)
            if len(chosen) == count:
                break
    return chosen


class _Beam:
    """Paths that grow."""

    def __init__(self, request: Request, options: PlanOptions, nodes: Nodes, net: Network) -> None:
        self._net, self._nodes, self._options = net, nodes, options
        body, allowed = UNDER * request.reach, request.allowed(options.reserve)
        rho = float(request.links_drag().sum()) / request.reach
        until = 0.0 if request.start is None else request.reach - request.link / 2
        part = PART[0 if request.start is None else 1]
        self._kept = options.kept if request.start is None else WIDER * options.kept
        self._rules = np.array([body, rho, allowed, ENDS, part * request.reach, until])
        self._room = body_room()
        self._found = np.empty(ROOM, dtype=np.int64), np.empty(ROOM, dtype=np.int64), np.empty((ROOM, 3))
        roots = self._roots(request)
        none = np.full(len(roots), -1, dtype=np.int64)
        self._paths = Paths(roots, none, none.copy(), np.zeros((len(roots), 3)))

    def _roots(self, request: Request) -> IntArray:
        """Nodes at which paths may begin: at the tail of a robot that lies somewhere, or on the side of the pegs from
        which it should go."""
        if request.start is not None:
            _, distance = nearest_on(self._net.node[:, :2], request.start[: 1 + TAIL])
            beside = (distance < AWAY * request.link) & (self._nodes.peg >= 0)
            return np.append(np.arange(TAIL), np.flatnonzero(beside))
        forward = np.array([np.cos(self._options.direction), np.sin(self._options.direction)])
        along = self._net.node[:, :2] @ forward
        if len(along) == 0:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(along < along.min() + BEGIN * request.link)

    def grow(self, width: float, total: float) -> IntArray:
        """Paths of the length `total` [m] or a little more, cheapest first; bins are `width` [m] wide."""
        bins = int(total / width) + 1
        waiting: list[list[IntArray]] = [[] for _ in range(bins)]
        waiting[0].append(np.arange(len(self._paths.node)))
        done: list[IntArray] = []
        for k in range(bins):
            if waiting[k]:
                here = np.concatenate(waiting[k])
                chosen = here if k == 0 else self._cheapest(here)
                new = self._extend(chosen)
                place = np.maximum((self._paths.sums[new, LENGTH] / width).astype(np.int64), k + 1)
                enough = self._paths.sums[new, LENGTH] >= total
                done.append(new[enough])
                for later in np.unique(place[~enough]).tolist():
                    waiting[min(later, bins - 1)].append(new[~enough & (place == later)])
        found = np.concatenate(done) if done else np.zeros(0, dtype=np.int64)
        return np.asarray(found[np.argsort(self._paths.sums[found, COST], kind="stable")])

    def _cheapest(self, here: IntArray) -> IntArray:
        """Those that are kept of the paths of one bin."""
        order = here[np.argsort(self._paths.sums[here, COST], kind="stable")]
        peg = self._nodes.peg[self._paths.node[order]].tolist()
        count: dict[int, int] = {}
        most, kept = max(1, self._kept // SAME_PEG), []
        for path, at in zip(order.tolist(), peg, strict=True):
            count[at] = count.get(at, 0) + 1
            if count[at] <= most:
                kept.append(path)
                if len(kept) == self._kept:
                    break
        return np.array(kept, dtype=np.int64)

    def _extend(self, chosen: IntArray) -> IntArray:
        """All chosen paths with one arc more; where they are in the list."""
        parent, arc, sums = self._found
        with compiling_once("the planner of paths from peg to peg: search"):
            count = extend_paths(chosen, self._paths, self._net, self._rules, self._room, parent, arc, sums)
        if count > ROOM:
            raise InvalidInput(f"more than {ROOM} paths go on from {len(chosen)}: kept should be less")
        first, old = len(self._paths.node), self._paths
        self._paths = Paths(
            np.concatenate([old.node, self._net.end[arc[:count], 1]]),
            np.concatenate([old.arc, arc[:count]]),
            np.concatenate([old.parent, parent[:count]]),
            np.concatenate([old.sums, sums[:count]]),
        )
        return np.arange(first, first + count)

    def sequence(self, path: int) -> Sequence:
        """The nodes of a path."""
        nodes, at = [], int(path)
        while at >= 0:
            nodes.append(int(self._paths.node[at]))
            at = int(self._paths.parent[at])
        length, cost = self._paths.sums[path, [LENGTH, COST]].tolist()
        return Sequence(np.array(nodes[::-1]), length, cost)

    def longest(self) -> Sequence | None:
        """The one that comes farthest."""
        if len(self._paths.node) == 0:
            return None
        return self.sequence(int(np.argmax(self._paths.sums[:, LENGTH])))


def drawn(nodes: FloatArray) -> FloatArray:
    """Nodes (k, 8) as those of a line, (k, 4): place, direction, curvature zero."""
    angle = np.unwrap(np.arctan2(nodes[:, 3], nodes[:, 2]))
    return np.column_stack([nodes[:, :2], angle, np.zeros(len(nodes))])
