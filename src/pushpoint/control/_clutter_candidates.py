"""What a planner in clutter may do next: waves of several kinds, backward ones, and crawling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import pi
from typing import Any, Literal, NamedTuple

import numpy as np

from pushpoint.control.clutter_wave import SIDE, SPEED, ClutterWave
from pushpoint.control.compiled import CompiledController
from pushpoint.control.crawl import Crawl
from pushpoint.feedback import CompiledLoop
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, Observation


class Sine(NamedTuple):
    """A shape that a wave takes at once, in place of what its memory holds."""

    amplitude: float  # [rad], of the joints
    length: float  # of a wave, in lengths of the robot
    phase: float  # [rad], at the head joint


class Candidate(NamedTuple):
    """What the robot may do."""

    name: str  # for people and recordings
    gait: Literal["wave", "back", "crawl"]
    other_side: bool = False  # whether the head turns to the other side at the start
    options: Mapping[str, Any] = {}  # of the gait's controller
    sine: Sine | None = None  # shape to begin with
    opens: bool = False  # good only as the first of a sequence, however little it gains


# Waves: what differs from the defaults of `clutter-wave`.
WAVES: tuple[tuple[str, dict[str, float]], ...] = (
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
SINES = tuple((f"sine, phase {k} of 4", Sine(0.7, 0.6, k * pi / 2)) for k in range(4))
CRAWLS: tuple[tuple[str, dict[str, float]], ...] = (
    ("crawl", {}),
    ("crawl, half a period later", {"start_phase": pi}),
    ("crawl back", {"frequency": -5.609}),
    ("crawl back, half a period later", {"frequency": -5.609, "start_phase": pi}),
)
# That may be the second of a sequence, besides the first itself, and the third; with and without crawling.
SECOND = {
    True: ("wave", "wave, other side", "crawl", "crawl, half a period later"),
    False: ("wave", "wave, other side", "late wave", "fast wave", "steep wave", "flat wave"),
}
THIRD = {True: SECOND[True], False: ("wave", "wave, other side", "late wave", "fast steep wave")}


def candidates(budget: int, crawl: bool) -> tuple[Candidate, ...]:
    """The first `budget` of them; with crawling or with waves alone."""
    return tuple(islice(_all(crawl), budget))


def _all(crawl: bool) -> Iterator[Candidate]:
    yield Candidate("wave", "wave")
    yield Candidate("wave, other side", "wave", True)
    if crawl:
        yield from (Candidate(name, "crawl", False, options, opens="back" in name) for name, options in CRAWLS)
    yield Candidate("back", "back", opens=True)
    if not crawl:
        yield from (Candidate(name, "wave", sine=sine) for name, sine in SINES)
    for name, options in WAVES:
        yield Candidate(name, "wave", False, options)
        yield Candidate(f"{name}, other side", "wave", True, options)


class BackWave(ClutterWave):
    """The same with bends that travel from the tail to the head."""

    def parameters(self) -> FloatArray:
        changed = super().parameters().copy()
        changed[SPEED] *= -1.0
        return changed


GAITS: dict[str, type[CompiledController]] = {"wave": ClutterWave, "back": BackWave, "crawl": Crawl}


class Gaits:
    """The candidates as compiled controllers of a robot."""

    def __init__(self, chosen: Sequence[Candidate], robot: Robot, period: float) -> None:
        self.candidates = tuple(chosen)
        self.controllers = [_built(one, robot, period) for one in chosen]
        crawls = any(one.gait == "crawl" for one in chosen)
        self.second = [k for k, one in enumerate(chosen) if one.name in SECOND[crawls]]  # that may follow another
        self.third = [k for k, one in enumerate(chosen) if one.name in THIRD[crawls]]
        self._wave = ClutterWave.build(ClutterWave.Options(), robot, period)
        self._length = sum(link.length for link in robot.links)

    def begun(
        self, k: int, before: int, memory: FloatArray, joint_angle: FloatArray, goes_on: bool = False
    ) -> FloatArray:
        """The state of candidate k after candidate `before` had the state `memory`. Waves take over the memory of
        waves, and begin in the present shape after crawling; a gait that `goes_on` keeps side and shape."""
        own, last = self.candidates[k], self.candidates[before]
        if own.gait == "crawl":
            return np.zeros(0)
        state = memory.copy() if last.gait != "crawl" else self._fresh(joint_angle)
        if own.sine is not None and not goes_on:
            side = state[SIDE]
            state = self._fresh(self._sine(own.sine))
            state[SIDE] = side
        if own.other_side and not goes_on:
            state[SIDE] = -state[SIDE]
        return state

    def _fresh(self, joint_angle: FloatArray) -> FloatArray:
        return self._wave.packed(self._wave.start(Observation(0.0, joint_angle=joint_angle)))

    def _sine(self, sine: Sine) -> FloatArray:
        """Joint angles [rad]."""
        joints = self._wave.joints
        along = np.arange(joints)[::-1] / (joints + 1)  # from the head joint, in lengths of the robot
        return sine.amplitude * np.sin(sine.phase + 2.0 * np.pi / sine.length * along)

    def loop_of(self, k: int, state: FloatArray, tick: int) -> CompiledLoop:
        """To try candidate k from a tick on."""
        loop = self.controllers[k].loop({}, tick, 1)
        loop.state = state
        return loop


def _built(candidate: Candidate, robot: Robot, period: float) -> CompiledController:
    kind = GAITS[candidate.gait]
    built = kind.build(kind.Options.model_validate(dict(candidate.options)), robot, period)
    assert isinstance(built, CompiledController)
    return built
