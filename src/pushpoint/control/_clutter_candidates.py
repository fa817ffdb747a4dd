"""What a planner in clutter may do next: waves of several kinds, backward ones, and crawling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple

import numpy as np

from pushpoint.control.clutter_wave import SIDE, SPEED, ClutterWave
from pushpoint.control.compiled import CompiledController
from pushpoint.control.crawl import Crawl
from pushpoint.feedback import CompiledLoop
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, Observation

Side = Literal["same", "other"]


class Candidate(NamedTuple):
    """One of them."""

    name: str  # for people and recordings
    gait: Literal["wave", "crawl"]
    other_side: bool = False  # whether the head turns to the other side at the start
    options: Mapping[str, Any] = {}  # of the gait's controller


# Waves, the most useful first: what differs from the defaults of `clutter-wave`.
WAVES: tuple[tuple[str, dict[str, float]], ...] = (
    ("wave", {}),
    ("wide wave", {"swing": 0.14}),
    ("narrow wave", {"swing": 0.06}),
    ("slow wave", {"speed": 0.25}),
    ("fast wave", {"speed": 0.6}),
    ("soft wave", {"resolution_gain": 0.03}),
    ("hard wave", {"resolution_gain": 0.12}),
    ("steep wave", {"head_angle": 1.5}),
    ("flat wave", {"head_angle": 0.9}),
    ("slow wide wave", {"speed": 0.25, "swing": 0.14}),
    ("fast narrow wave", {"speed": 0.6, "swing": 0.06}),
    ("late wave", {"jam_time": 0.8}),
    ("slow flat wave", {"speed": 0.25, "head_angle": 0.9}),
    ("fast steep wave", {"speed": 0.6, "head_angle": 1.5}),
)
CRAWLS: tuple[tuple[str, dict[str, float]], ...] = (
    ("crawl", {}),
    ("crawl, half a period later", {"start_phase": np.pi}),
    ("crawl back", {"frequency": -5.609}),
    ("crawl back, half a period later", {"frequency": -5.609, "start_phase": np.pi}),
)
SECOND = ("wave", "wave, other side", "crawl", "crawl, half a period later")


def candidates(budget: int, crawl: bool) -> tuple[Candidate, ...]:
    """The first `budget` of them; with crawling or with waves alone."""
    return tuple(islice(_all(crawl), budget))


def _all(crawl: bool) -> Iterator[Candidate]:
    yield Candidate("wave", "wave")
    yield Candidate("wave, other side", "wave", True)
    if crawl:
        yield from (Candidate(name, "crawl", False, options) for name, options in CRAWLS)
    yield Candidate("back", "wave", False, {"speed": -0.4})
    for name, options in WAVES[1:]:
        yield Candidate(name, "wave", False, options)
        yield Candidate(f"{name}, other side", "wave", True, options)


class Gaits:
    """The candidates as compiled controllers of a robot."""

    def __init__(self, chosen: Sequence[Candidate], robot: Robot, period: float) -> None:
        self.candidates = tuple(chosen)
        self.controllers: list[CompiledController] = [_built(one, robot, period) for one in chosen]
        self._wave = next(c for c in self.controllers if isinstance(c, ClutterWave))
        self.second = [k for k, one in enumerate(chosen) if one.name in SECOND]  # that may follow another

    def begun(
        self, k: int, before: int, memory: FloatArray, joint_angle: FloatArray, goes_on: bool = False
    ) -> FloatArray:
        """The state of candidate k after candidate `before` had the state `memory`. Waves take over the memory of
        waves, and begin in the present shape after other gaits; a gait that `goes_on` keeps its side."""
        if self.candidates[k].gait != "wave":
            return np.zeros(0)
        if self.candidates[before].gait == "wave":
            state = memory.copy()
        else:
            state = self._wave.packed(self._wave.start(Observation(0.0, joint_angle=joint_angle)))
        if self.candidates[k].other_side and not goes_on:
            state[SIDE] = -state[SIDE]
        return state

    def loop_of(self, k: int, state: FloatArray, tick: int) -> CompiledLoop:
        """To try candidate k from a tick on."""
        loop = self.controllers[k].loop({}, tick)
        loop.state = state
        return loop


def _built(candidate: Candidate, robot: Robot, period: float) -> CompiledController:
    kind: type[CompiledController] = ClutterWave if candidate.gait == "wave" else Crawl
    options = dict(candidate.options)
    back = options.get("speed", 1.0) < 0.0
    built = kind.build(kind.Options.model_validate({**options, "speed": -options["speed"]} if back else options), robot, period)
    assert isinstance(built, CompiledController)
    if back:
        built._parameters[SPEED] *= -1
    return built
