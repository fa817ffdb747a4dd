"""Plan by simulation: what the robot knows becomes a model, candidates are tried in it, and the best is done.

    follow the choice ---- every second, or when the robot is stuck ----> decide
      ^                                                                     |
      '---------------------- the candidate with most progress ------------'

The model is made of a map alone (`mapping`): of pegs that were felt, of those that were felt or seen, or of a full map.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from pushpoint.control import BaseController, ControlEvent, ControllerState, controllers
from pushpoint.control._base import refuse_pitch
from pushpoint.control._clutter_candidates import Gaits, candidates
from pushpoint.control._clutter_search import Decision, Present, Search, SearchOptions
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.mapping import ModelFactory, ModelSettings
from pushpoint.mapping.believed import Belief, Feeling, pose_of
from pushpoint.quantities import Delay, Length, Period
from pushpoint.robots import Robot
from pushpoint.types import Command, FloatArray, Map, Observation

FEWEST = 3  # links, of a wave
# Without crawling and with nothing to push against, what a wave gains is by swinging alone: the first one is taken.
UNTRIED = Decision((0,), 0.0, 0.0, 0.0, np.zeros(0))


class ClutterPlanOptions(SearchOptions, Feeling):
    """What is known, what is tried, and when."""

    crawl: bool = True  # whether crawling is among the candidates; without, the robot needs pegs to push against
    when: Literal["always", "stuck"] = "always"  # a decision every `period`, or only if there was little progress
    period: Period = 1.0  # [s], between decisions
    stuck_distance: Length = 0.06  # [m], of the centre of mass along x: less than this ...
    stuck_time: Delay = 2.0  # [s] ... in so long is stuck
    model: ModelSettings = ModelSettings()


@controllers.register("clutter-plan")
class ClutterPlan(BaseController):
    """Win-stay, lose-plan, or a plan every second; see docs/theory/mapping.md."""

    Options: ClassVar[type[Frozen]] = ClutterPlanOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders", "link-poses", "contact-force"})  # and by knowledge

    def __init__(self, options: Any, robot: Robot, control_period: float) -> None:
        super().__init__(options, robot, control_period)
        self.gaits = Gaits(candidates(options.candidates, options.crawl), robot, control_period)
        self.belief = Belief(options, robot, control_period)
        self.uses = type(self).uses | self.belief.uses  # type: ignore[misc]  # options say which sensors it reads
        self._models: ModelFactory | None = None
        self._watched = max(1, round(options.stuck_time / control_period))
        self._between = max(1, round(options.period / control_period))
        self._mass = np.array([link.mass for link in robot.links])
        self._mass /= self._mass.sum()
        self.search = Search(self.gaits, self._mass, options, control_period)

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> ClutterPlan:
        refuse_pitch("clutter-plan", robot)
        if len(robot.links) < FEWEST:
            raise InvalidInput(
                f"controller 'clutter-plan' needs at least {FEWEST} links; robot {robot.name!r} has {len(robot.links)}"
            )
        return cls(options, robot, control_period)

    def use_models(self, models: ModelFactory) -> None:
        self._models = models
        self.belief.use_ground(models.ground, models.gravity)

    def check_sensors(self, options: Mapping[str, Any]) -> None:
        self.belief.check_sensors(options)

    def start(self, obs: Observation) -> ControllerState:
        wave = self.gaits.controllers[0]
        return {
            "choice": 0,  # candidate that is followed
            "memory": wave.packed(wave.start(obs)),  # its state
            "plan": np.zeros((1, 2), np.int64),  # candidates, and from which tick on
            "tick": 0,
            "decided": 0,  # tick of the last decision
            "ends": 0,  # tick at which the plan ends
            "past": np.full(self._watched, self._centre(obs)),  # [m], where the centre of mass was
            **self.belief.start(obs),
        }

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        tick = int(state["tick"])
        sensed = obs
        obs = self.belief.seen(state, obs, tick)
        x = self._centre(obs)
        past = state["past"].copy()
        gained = x - past[tick % self._watched]
        past[tick % self._watched] = x
        after = {**state, **self.belief.step(state, obs, sensed, tick), "tick": tick + 1, "past": past}
        events: tuple[ControlEvent, ...] = ()
        if self._is_due(after, tick, gained):
            events = (self._decide(after, obs, tick),)
        due = after["plan"][after["plan"][:, 1] <= tick][-1, 0]
        if due != after["choice"] or after["plan"][0, 1] == tick:
            self._change(after, int(due), obs.joint_angle)
        return self._followed(after, obs, events)

    def _is_due(self, state: ControllerState, tick: int, gained: float) -> bool:
        if self.options.when == "always":
            return tick == 0 or tick - int(state["decided"]) >= self._between
        return bool(tick - int(state["decided"]) >= self._watched and gained < self.options.stuck_distance)

    def _followed(
        self, state: ControllerState, obs: Observation, events: tuple[ControlEvent, ...]
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        """A tick of the gait that was chosen."""
        k, joints = int(state["choice"]), self.joints
        chosen = self.gaits.controllers[k]
        values, reference = state["memory"].copy(), np.zeros(3 * joints + 1)
        chosen._run(values, np.asarray(chosen.parameters(), float), chosen.flat(obs), reference)
        command = Command(reference[:joints], reference[joints : 2 * joints], reference[2 * joints : 3 * joints])
        return {**state, "memory": values}, command, events

    def _decide(self, state: ControllerState, obs: Observation, tick: int) -> ControlEvent:
        """Make a plan by trials in a model; it goes into the state."""
        if self._models is None:
            raise InvalidInput("controller 'clutter-plan' needs models, which only the loop of a run gives it")
        known, kept = self.belief.for_model(state, obs), []
        state["decided"] = tick
        if self.options.crawl or len(known.disc) + len(known.edge):
            model = self._models(known, self.options.model)
            now = Present(round(obs.time / self.period), int(state["choice"]), state["memory"])
            found = self.search.decide(model, pose_of(obs), now)
            kept = self._left(state, tick) if self.options.when == "always" else []
            kept = kept if kept and self.search.pace_of(model, pose_of(obs), now, kept) >= found.pace else []
        else:
            found = UNTRIED
        if not kept:
            begin = tick + np.cumsum([0, *self.search.parts])
            state["plan"] = np.array([(k, begin[part]) for part, k in enumerate(found.plan)], np.int64)
            state["ends"] = int(begin[len(found.plan)])
        return ControlEvent(obs.time, "plan kept" if kept else "decision", self._report(found))

    def _left(self, state: ControllerState, tick: int) -> list[tuple[int, int]]:
        """Candidates and ticks that are left of the plan. If they still promise more progress per time than a new plan,
        they are kept: else the robot would always open another plan, and come to the good part of none."""
        begin = np.maximum([*state["plan"][:, 1], state["ends"]], tick)
        return [(int(k), int(ticks)) for k, ticks in zip(state["plan"][:, 0], np.diff(begin), strict=True) if ticks > 0]

    def _change(self, state: ControllerState, k: int, joint_angle: FloatArray) -> None:
        state["memory"] = self.gaits.begun(k, int(state["choice"]), state["memory"], joint_angle)
        state["choice"] = k

    def _report(self, found: Decision) -> str:
        names = [one.name for one in self.gaits.candidates]
        pairs = zip(names, found.score, strict=False)  # none where nothing was tried
        scores = {name: round(float(score), 4) for name, score in pairs}
        plan = {"plan": [names[k] for k in found.plan], "gain": round(found.gain, 4), "ahead": round(found.ahead, 4)}
        return json.dumps({**plan, "scores": scores})

    def known(self, state: ControllerState, obs: Observation) -> Map:
        """Obstacles that it believes in."""
        return self.belief.believed(state, obs)

    def _centre(self, obs: Observation) -> float:
        return float(self._mass @ obs.link_position[:, 0])
