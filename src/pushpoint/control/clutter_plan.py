"""Plan by simulation: what the robot knows becomes a model, candidates are tried in it, and the best is done.

    follow the choice ---- every second, or when the robot is stuck ----> decide
      ^                                                                     |
      '---------------------- the candidate with most progress ------------'

The model is made of a map alone (`mapping`): of pegs that were felt, of those that were felt or seen, or of a full map.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from pushpoint.control import BaseController, ControlEvent, ControllerState, controllers
from pushpoint.control._base import refuse_pitch
from pushpoint.control._clutter_candidates import Gaits, candidates
from pushpoint.control._clutter_search import Decision, Present, Search, SearchOptions
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.mapping import ModelFactory, ModelSettings
from pushpoint.mapping.believed import Belief, Feeling
from pushpoint.quantities import Delay, Length, Period
from pushpoint.robots import Robot
from pushpoint.types import Command, FloatArray, Observation, Pose


class ClutterPlanOptions(SearchOptions, Feeling):
    """What is known, what is tried, and when."""

    crawl: bool = True  # whether crawling is among the candidates; without, the robot needs pegs to push against
    when: Literal["stuck", "always"] = "stuck"  # a decision every `period`, or only if there was little progress
    period: Period = 1.0  # [s], between decisions
    stuck_distance: Length = 0.06  # [m], of the centre of mass along x: less than this ...
    stuck_time: Delay = 2.0  # [s] ... in so long is stuck
    model: ModelSettings = ModelSettings()


@controllers.register("clutter-plan")
class ClutterPlan(BaseController):
    """Win-stay, lose-plan, or a plan every second; see docs/theory/clutter.md."""

    Options: ClassVar[type[Frozen]] = ClutterPlanOptions

    def __init__(self, options: Any, robot: Robot, control_period: float) -> None:
        super().__init__(options, robot, control_period)
        self.gaits = Gaits(candidates(options.candidates, options.crawl), robot, control_period)
        self.belief = Belief(options, robot, control_period)
        self.uses = frozenset({"joint-encoders", "link-poses", "contact-force"}) | self.belief.uses
        self._models: ModelFactory | None = None
        self._watched = max(1, round(options.stuck_time / control_period))
        self._between = max(1, round(options.period / control_period))
        self._mass = np.array([link.mass for link in robot.links])
        self._mass /= self._mass.sum()
        self.search = Search(self.gaits, self._mass, options, control_period)

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> ClutterPlan:
        refuse_pitch("clutter-plan", robot)
        return cls(options, robot, control_period)

    def use_models(self, models: ModelFactory) -> None:
        self._models = models

    def start(self, obs: Observation) -> ControllerState:
        wave = self.gaits.controllers[0]
        x = self._centre(obs)
        return {
            "choice": 0,
            "then": 0,
            "tick": 0,
            "since": 0,
            "wave": wave.packed(wave.start(obs)),
            "past": np.full(self._watched, x),
            **self.belief.start(),
        }

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        after = {**state, **self.belief.step(state, obs, int(state["tick"]))}
        tick, x = int(state["tick"]), self._centre(obs)
        past = state["past"].copy()
        gained = x - past[tick % self._watched]
        past[tick % self._watched] = x
        after |= {"tick": tick + 1, "since": int(state["since"]) + 1, "past": past}
        events: tuple[ControlEvent, ...] = ()
        if self._is_due(tick, int(state["since"]), gained):
            events = (self._decide(after, obs),)
        elif after["since"] == self.search.first and after["then"] != after["choice"]:
            self._change(after, int(after["then"]), obs.joint_angle)
        return self._followed(after, obs, events)

    def _is_due(self, tick: int, since: int, gained: float) -> bool:
        if self.options.when == "always":
            return tick % self._between == 0
        return since >= self._watched and gained < self.options.stuck_distance

    def _followed(
        self, state: ControllerState, obs: Observation, events: tuple[ControlEvent, ...]
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        """A tick of the gait that was chosen."""
        k, joints = int(state["choice"]), self.joints
        chosen = self.gaits.controllers[k]
        values, reference = state["wave"].copy(), np.zeros(3 * joints + 1)
        chosen._run(values, np.asarray(chosen.parameters(), float), chosen.flat(obs), reference)
        command = Command(reference[:joints], reference[joints : 2 * joints], reference[2 * joints : 3 * joints])
        return {**state, "wave": values}, command, events

    def _decide(self, state: ControllerState, obs: Observation) -> ControlEvent:
        """Try all candidates in the model; the state goes on with the best."""
        if self._models is None:
            raise InvalidInput("controller 'clutter-plan' needs models, which only the loop of a run gives it")
        pose = pose_of(obs)
        model = self._models(self.belief.for_model(state, obs), self.options.model)
        now = Present(round(obs.time / self.period), obs.joint_angle, int(state["choice"]), state["wave"])
        found = self.search.decide(model, pose, now)
        self._change(state, found.first, obs.joint_angle)
        state |= {"then": found.then, "since": 0}
        return ControlEvent(obs.time, "decision", self._report(found))

    def _change(self, state: ControllerState, k: int, joint_angle: FloatArray, goes_on: bool = False) -> None:
        begun = self.gaits.begun(k, int(state["choice"]), state["wave"], joint_angle, goes_on)
        state |= {"choice": k, "wave": begun}

    def _report(self, found: Decision) -> str:
        names = [one.name for one in self.gaits.candidates]
        scores = {name: round(float(score), 4) for name, score in zip(names, found.score, strict=True)}
        choice = {"choice": names[found.first], "then": names[found.then], "ahead": round(found.ahead, 4)}
        return json.dumps({**choice, "scores": scores})

    def _centre(self, obs: Observation) -> float:
        return float(self._mass @ obs.link_position[:, 0])


def pose_of(obs: Observation) -> Pose:
    """In the plane, as the sensors see it."""
    rate = obs.link_rate if obs.link_rate.ndim == 1 else obs.link_rate[:, 2]
    return Pose(obs.link_position[:, :2], obs.link_yaw, obs.link_velocity[:, :2], rate)
