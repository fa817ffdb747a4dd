"""Which candidates come next: sequences of them are tried in a model, and the one with most progress wins.

    all candidates, for a second ---> the best of them, and those that open, each followed by one of a few
      ---> if none of these gains much: some of their ends, each followed by one of a few again, for longer

Short plans are made anew every second or so. Long ones, which lead out of a trap, are followed to their end: whoever
decides anew after every second would put off leaving the trap for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from pushpoint.control._clutter_candidates import Gaits
from pushpoint.feedback import CompiledLoop
from pushpoint.fields import Frozen
from pushpoint.mapping import Model
from pushpoint.quantities import Delay, Period, Width
from pushpoint.types import FloatArray, Pose

WORST = -1e3  # [m], gain of what the model could not simulate


class SearchOptions(Frozen):
    """Which sequences are tried."""

    candidates: Annotated[int, Field(ge=1, le=64)] = 32  # that may be the first of a sequence, at most
    budget: Annotated[int, Field(ge=1, le=1024)] = 64  # sequences of two that are tried
    first: Period = 1.0  # [s], of the first candidate of a sequence
    horizon: Period = 3.0  # [s], of a sequence of two
    enough: Width = 0.1  # [m]: where no sequence of two gains as much, longer ones are tried; 0: never
    longer: Delay = 3.0  # [s], of the third candidate
    deep_budget: Annotated[int, Field(ge=1, le=1024)] = 64  # sequences of three that are tried


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
        root = Node((), None, pose.angle, 0.0, model.begin(pose))
        here = float(self._mass @ pose.position[:, 0])
        expand = self._expander(model, now, here)
        every = range(len(self._gaits.candidates))
        opened = expand([(root, k) for k in every], self.parts[0])
        ended = expand(self._promising(opened), self.parts[1]) or opened
        best = max(ended, key=_gain)
        if best.gain < self.options.enough:
            longest = expand(self._long(ended), self.parts[2])
            ended = ended + longest
            best = max([best, *longest], key=self._pace)
        score = np.full(len(every), WORST)
        for node in [*opened, *ended]:
            score[node.plan[0]] = max(score[node.plan[0]], node.gain)
        return Decision(best.plan, best.gain, self._pace(best), opened[best.plan[0]].gain, score)

    def pace_of(self, model: Model, pose: Pose, now: Present, left: Sequence[tuple[int, int]]) -> float:
        """Gain per tick [m] of what is left of a plan: candidates, the one in use first, and ticks of each."""
        node = Node(
            (now.choice,), self._gaits.loop_of(now.choice, now.memory, now.tick), pose.angle, 0.0, model.begin(pose)
        )
        expand = self._expander(model, now, float(self._mass @ pose.position[:, 0]))
        for k, ticks in left:
            node = expand([(node, k)], ticks)[0]
        return node.gain / sum(ticks for _, ticks in left)

    def _expander(
        self, model: Model, now: Present, here: float
    ) -> Callable[[Sequence[tuple[Node, int]], int], list[Node]]:
        def expand(pairs: Sequence[tuple[Node, int]], ticks: int) -> list[Node]:
            """Go on from each node with a candidate."""
            if not pairs:
                return []
            loops = [self._loop(node, k, now) for node, k in pairs]
            trials = model.trials([node.end for node, _ in pairs], loops, ticks)
            found = []
            for (node, k), loop, trial in zip(pairs, loops, trials, strict=True):
                gain = WORST if trial.failed else float(self._mass @ trial.position[:, 0]) - here
                found.append(Node((*node.plan, k), loop, trial.angle, gain, trial.end))
            return found

        return expand

    def _loop(self, node: Node, k: int, now: Present) -> CompiledLoop:
        """Candidate k after a node."""
        last, state, tick = (now.choice, now.memory, now.tick) if node.loop is None else (
            node.plan[-1], node.loop.state, node.loop.tick
        )  # fmt: skip
        goes_on = node.loop is not None and last == k
        return self._gaits.loop_of(k, self._gaits.begun(k, last, state, np.diff(node.angle), goes_on), tick)

    def _pace(self, node: Node) -> float:
        """Gain per time."""
        return node.gain / sum(self.parts[: len(node.plan)])

    def _promising(self, opened: Sequence[Node]) -> list[tuple[Node, int]]:
        """Sequences of two that are tried, within the budget: what opens comes first, then what gained most."""
        order = sorted((node for node in opened if node.gain > WORST), key=_gain, reverse=True)
        order.sort(key=lambda node: not self._gaits.candidates[node.plan[0]].opens)
        return self._followed(order)[: self.options.budget]

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
