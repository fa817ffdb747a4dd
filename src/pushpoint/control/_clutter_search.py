"""Which candidates come next: sequences of them are tried in a model, and the one with most progress wins.

    all candidates, for a second ---> the best of them, and those that open, each followed by one of a few
      ---> if none of these gains much: some of their ends, each followed by one of a few again for a second,
           and the best of these for longer

Short plans are made anew every second or so. Long ones, which lead out of a trap, are followed to their end: whoever
decides anew after every second would put off leaving the trap for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from math import ceil
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from pushpoint.control._clutter_candidates import Gaits
from pushpoint.feedback import CompiledLoop
from pushpoint.fields import Frozen
from pushpoint.mapping import Model
from pushpoint.quantities import Delay, Period, Width
from pushpoint.types import FloatArray, Pose

WORST = -1e3  # [m], gain of what the model could not simulate
LASTING = 4  # of so many sequences of three, one is followed to its end
SHORT = 0.6  # of the work may be spent before it is known whether longer sequences are needed
Count = Annotated[int, Field(ge=1, le=1024)]


class SearchOptions(Frozen):
    """Which sequences are tried."""

    candidates: Annotated[int, Field(ge=1, le=64)] = 32  # that may be the first of a sequence, at most
    budget: Count = 96  # sequences of two that are tried
    first: Period = 1.0  # [s], of the first candidate of a sequence
    horizon: Period = 3.0  # [s], of a sequence of two
    enough: Width = 0.1  # [m]: where no sequence of two gains as much, longer ones are tried; 0: never
    longer: Delay = 3.0  # [s], of the third candidate
    deep_budget: Count = 96  # sequences of three that are tried
    # Of a decision: sweeps over a link by the solver of the model, steps and their parts counted as such as well; after
    # these no other sequence is tried.
    work: Annotated[int, Field(ge=1, le=10**9)] = 1_800_000

    @model_validator(mode="after")
    def _has_second(self) -> Self:
        if self.first >= self.horizon:
            raise ValueError(
                f"first = {self.first:g} s, horizon = {self.horizon:g} s: the first candidate of a sequence of two "
                "should end before the horizon"
            )
        return self


class Node(NamedTuple):
    """The end of a sequence in the model."""

    plan: tuple[int, ...]  # candidates
    loop: CompiledLoop | None  # the last one, with its state; None before the first
    angle: FloatArray  # [rad], (n,): of the links
    gain: float  # [m], along x, of the centre of mass
    end: Any  # of the model


class Present(NamedTuple):
    """Where a search begins."""

    tick: int  # from t = 0
    choice: int  # the gait in use
    memory: FloatArray  # its state


class Decision(NamedTuple):
    """What came out."""

    plan: tuple[int, ...]  # candidates, each for its part of the time
    gain: float  # [m], that the model expects of it
    pace: float  # [m], per tick
    ahead: float  # [m], of that within the first part
    score: FloatArray  # [m], (candidates,): the largest gain of sequences that begin with each, or of it alone


class Trials:
    """What is tried for one decision, and what that costs.

    Parameters
    ----------
    gaits, mass_share
        As of `Search`.
    model, pose
        Robot and obstacles as they are believed to be.
    now
        What the robot does.
    """

    def __init__(self, gaits: Gaits, mass_share: FloatArray, model: Model, pose: Pose, now: Present) -> None:
        self._gaits, self._mass, self._model, self._now = gaits, mass_share, model, now
        self._here = float(mass_share @ pose.position[:, 0])
        self.root = Node((), None, pose.angle, 0.0, model.begin(pose))
        self.work = 0  # so far, in sweeps over a link

    def all_of(self, pairs: Iterable[tuple[Node, int]], ticks: int, most: float = np.inf) -> list[Node]:
        """Go on from each node with a candidate, until all that was tried has cost `most`."""
        found = []
        for node, k in pairs:
            if self.work >= most:
                break
            found.append(self.one(node, k, ticks))
        return found

    def one(self, node: Node, k: int, ticks: int) -> Node:
        """Go on from a node with candidate k."""
        loop = self._loop(node, k)
        trial = self._model.trial(node.end, loop, ticks)
        self.work += trial.work * len(self._mass)
        gain = WORST if trial.failed else float(self._mass @ trial.position[:, 0]) - self._here
        return Node((*node.plan, k), loop, trial.angle, gain, trial.end)

    def lasting(self, node: Node, ticks: int) -> Node:
        """Go on from a node with the candidate that it ends with."""
        return self.one(node, node.plan[-1], ticks)._replace(plan=node.plan)

    def _loop(self, node: Node, k: int) -> CompiledLoop:
        """Candidate k after a node."""
        last, state, tick = self._now.choice, self._now.memory, self._now.tick
        if node.loop is not None:
            last, state, tick = node.plan[-1], node.loop.state, node.loop.tick
        goes_on = node.loop is not None and last == k
        return self._gaits.loop_of(k, self._gaits.begun(k, last, state, np.diff(node.angle), goes_on), tick)


class Search:
    """Plans of two or three candidates.

    Parameters
    ----------
    gaits
        The candidates.
    mass_share
        Of each link.
    options
        Which sequences are tried.
    period
        From tick to tick [s].
    """

    def __init__(self, gaits: Gaits, mass_share: FloatArray, options: SearchOptions, period: float) -> None:
        self._gaits, self._mass, self.options = gaits, mass_share, options
        first = max(1, round(options.first / period))
        rest, longer = max(1, round(options.horizon / period) - first), max(1, round(options.longer / period))
        self.parts = (first, rest, longer)  # ticks

    def decide(self, model: Model, pose: Pose, now: Present) -> Decision:
        """The plan with the largest gain; of equal ones the earlier."""
        trials, most = Trials(self._gaits, self._mass, model, pose, now), self.options.work
        every = range(len(self._gaits.candidates))
        opened = trials.all_of([(trials.root, k) for k in every], self.parts[0])
        pairs = self._promising(opened)
        ended = trials.all_of(pairs, self.parts[1], SHORT * most)
        if max(map(_gain, ended), default=0.0) >= self.options.enough:
            ended += trials.all_of(pairs[len(ended) :], self.parts[1], most)
        ended = ended or opened
        best = max(ended, key=_gain)
        if best.gain < self.options.enough:
            longest = self._longest(trials, ended)
            ended = ended + longest
            best = max([best, *longest], key=self._pace)
        score = np.full(len(every), WORST)
        for node in [*opened, *ended]:
            score[node.plan[0]] = max(score[node.plan[0]], node.gain)
        return Decision(best.plan, best.gain, self._pace(best), opened[best.plan[0]].gain, score)

    def _longest(self, trials: Trials, ended: Sequence[Node]) -> list[Node]:
        """Sequences of three: all of them for a while, and those that gained most until then to their end."""
        whole, soon = self.parts[2], min(self.parts[0], self.parts[2])
        share = 1.0 / (1.0 + (whole - soon) / (soon * LASTING))  # of the work that is left, for the begin of all
        begun = trials.all_of(self._long(ended), soon, trials.work + share * (self.options.work - trials.work))
        begun = sorted((node for node in begun if node.gain > WORST), key=_gain, reverse=True)
        if soon == whole:
            return begun
        return [trials.lasting(node, whole - soon) for node in begun[: ceil(len(begun) / LASTING)]]

    def pace_of(self, model: Model, pose: Pose, now: Present, left: Sequence[tuple[int, int]]) -> float:
        """Gain per tick [m] of what is left of a plan: candidates, the one in use first, and ticks of each."""
        trials = Trials(self._gaits, self._mass, model, pose, now)
        loop = self._gaits.loop_of(now.choice, now.memory, now.tick)
        node = trials.root._replace(plan=(now.choice,), loop=loop)
        for k, ticks in left:
            node = trials.one(node, k, ticks)
            if node.gain == WORST:
                return WORST
        return node.gain / sum(ticks for _, ticks in left)

    def _pace(self, node: Node) -> float:
        """Gain per time."""
        return node.gain / sum(self.parts[: len(node.plan)])

    def _promising(self, opened: Sequence[Node]) -> list[tuple[Node, int]]:
        """Sequences of two that are tried, within the budget: by turns from what gained most, and from what opens."""
        order = sorted((node for node in opened if node.gain > WORST), key=_gain, reverse=True)
        opening: list[Node] = []
        others: list[Node] = []
        for node in order:
            (opening if self._gaits.candidates[node.plan[0]].opens else others).append(node)
        turns = [node for pair in zip_longest(others, opening) for node in pair if node is not None]
        return self._followed(turns)[: self.options.budget]

    def _long(self, ended: Sequence[Node]) -> list[tuple[Node, int]]:
        """Sequences of three: from the best ends of two, and from others of all gains."""
        order = sorted((node for node in ended if node.gain > WORST), key=_gain, reverse=True)
        count = max(1, self.options.deep_budget // max(1, len(self._gaits.third)))
        best = order[: count // 2]
        others = order[count // 2 :: max(1, (len(order) - count // 2) // max(1, count - count // 2))]
        return [(node, k) for node in (best + others)[:count] for k in self._gaits.third]

    def _followed(self, nodes: Iterable[Node]) -> list[tuple[Node, int]]:
        return [(node, k) for node in nodes for k in dict.fromkeys((node.plan[-1], *self._gaits.second))]


def _gain(node: Node) -> float:
    return node.gain
