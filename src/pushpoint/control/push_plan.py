"""Plans a path from peg to peg on the map that it gets, follows it as `push-along` does, and plans again where contact
is lost, no progress is made, or the map changes: P4 3.6.1."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from pushpoint import quantities as q
from pushpoint.control import ControlEvent, ControllerState, controllers
from pushpoint.control._base import refuse_pitch, warn_of_servo
from pushpoint.control._push_options import PushAlongOptions
from pushpoint.control._sensing import Observer, Sensing
from pushpoint.control.push_along import ARRIVED, PushAlong
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.mechanics.tail_kernels import Pegs
from pushpoint.planning.feasibility import Drag
from pushpoint.planning.push_path.plan import Plan
from pushpoint.planning.push_path.planner import plans
from pushpoint.planning.push_path.request import FEWEST, PlanOptions, Request, bend_of, refuse_unfit
from pushpoint.robots import Robot, Servo
from pushpoint.types import Command, Contacts, FloatArray, Observation

MOVED = 0.01  # [m]: a map whose pegs are farther than this from those of the plan is another one ...
MAP_TIME = 0.5  # [s] ... in the mean over so long, as sensors may be noisy ...
SUDDEN = 0.05  # [m] ... or farther than this at once, as one that has come or gone
BESIDE = 1.0  # links: of pegs farther than this from the path it does not matter whether they move
ON_PEG = 0.03  # [m]: a touch nearer than this to a peg of the map is one of this peg
INNER = "follow_"  # before names of the follower's state
SHORTEST = 0.05  # [m] of path for which it is worth planning again
SMALLEST = 1e-3  # [m], radius of a peg
SOLVED = "a path of push-points is planned"


class PushPlanOptions(Frozen):
    """Where to, how fast, and what the controller believes of ground, pegs and motors."""

    plan: PlanOptions = PlanOptions()
    speed: q.Speed = 0.15  # [m/s], along the path
    torque_limit: q.TorqueLimit = 10.0  # [N m]
    ground_friction: q.FrictionCoefficient = 0.1
    viscous: q.Gain = 0.0  # [N s/m], per link
    peg_friction: q.FrictionCoefficient = 0.1
    gravity: q.Gravity = 9.81  # [m/s2]
    approach: q.Delay = 4.0  # [s], in which the robot takes its shape on a new path
    replans: Annotated[int, Field(ge=0, le=1000)] = 20  # at most
    sensing: Sensing = Sensing()


@controllers.register("push-plan")
class PushPlan:
    """A planner and a follower. Servo gains should be zero.

    The state: `path` (k, 2) and `head` of the plan, `pegs` (m, 3) of the map that it was made for, `plans` how many
    were made, `left` metres to go from this plan's start, `begin` how far the centre of mass was in the direction of
    travel then, `held` the shape at its start, `why` what came of planning until it is said, and the follower's state,
    its names behind `follow_`. What was gone along a path from which the robot is far off is not known; so what is
    left of the distance after a plan is what the centre of mass did not advance. `map` is the mean of the last maps,
    and `maps` how many it is made of.
    """

    Options: ClassVar[type[Frozen]] = PushPlanOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders", "head-pose", "contacts", "map"})

    def __init__(self, options: PushPlanOptions, robot: Robot, control_period: float) -> None:
        self._options, self._robot, self._period = options, robot, control_period
        self._chain = TailChain.of(robot)
        self._observer = Observer(self._chain, options.sensing, control_period)
        self._maps = max(1, round(MAP_TIME / control_period))
        self._follower: tuple[bytes, PushAlong] | None = None

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> PushPlan:
        refuse_pitch("push-plan", robot)
        if len(robot.links) < FEWEST:
            raise InvalidInput(
                f"controller 'push-plan' needs at least {FEWEST} links; robot {robot.name!r} has {len(robot.links)}"
            )
        refuse_unfit(robot)
        return cls(options, robot, control_period)

    def check_servo(self, servo: Servo) -> None:
        warn_of_servo("push-plan", servo, self._options.torque_limit)

    def initial_shape(self) -> FloatArray | None:
        return None

    def start(self, obs: Observation) -> ControllerState:
        distance = self._options.plan.distance
        state: ControllerState = {"plans": 0, "left": distance, "begin": self._advance(obs), "why": ""}
        return self._planned(state | {"map": _believed(obs), "maps": 1}, obs)

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        state, events = dict(state) | self._averaged(state, obs), []
        if state["why"]:
            events.append(ControlEvent(obs.time, "plan", state["why"]))
            state["why"] = ""
        if self._is_other_map(state) and self._may_plan(state):
            state = self._planned(self._gone(state, obs), obs) | {"maps": 1}  # it may still be changing
            events.append(ControlEvent(obs.time, "replan", f"the map has changed: {state['why']}"))
            state["why"] = ""
        if not len(state["path"]):
            held: FloatArray = state["held"]
            return state, Command(held, np.zeros_like(held), np.zeros_like(held)), tuple(events)
        state, command, more = self._follow(state, obs)
        for event in more:
            events.append(event)
            if event.name == "hold" and self._goes_on(state, event, obs):
                state = self._planned(self._gone(state, obs), obs)
                events.append(ControlEvent(obs.time, "replan", state["why"]))
                state["why"] = ""
        return state, command, tuple(events)

    def _goes_on(self, state: ControllerState, hold: ControlEvent, obs: Observation) -> bool:
        """Whether it plans again as it holds."""
        return hold.detail != ARRIVED and self._may_plan(self._gone(state, obs))

    # --- plans ---

    def _may_plan(self, state: ControllerState) -> bool:
        return bool(state["plans"] <= self._options.replans and state["left"] > SHORTEST)

    def _gone(self, state: ControllerState, obs: Observation) -> ControllerState:
        """What is left of the distance, before another path is planned; never more than was asked."""
        now = self._advance(obs)
        left = min(state["left"] - (now - state["begin"]), self._options.plan.distance)
        return state | {"left": left, "begin": now}

    def _advance(self, obs: Observation) -> float:
        """[m]: how far the centre of mass is in the direction of travel."""
        body = self._chain.at(self._observer.measure(obs), np.zeros(self._chain.coordinates))
        forward = np.array([np.cos(self._options.plan.direction), np.sin(self._options.plan.direction)])
        return float(self._chain.mass @ body.centres @ forward / self._chain.total_mass)

    def _planned(self, state: ControllerState, obs: Observation) -> ControllerState:
        """The state with a new plan, from where the robot is now; `why` says what came of it."""
        joints = self._chain.at(self._observer.measure(obs), np.zeros(self._chain.coordinates)).joints
        if len(obs.map.edge):
            raise InvalidInput("controller 'push-plan': its map has walls or polygons; paths know discs alone")
        pegs, options = _possible(state["map"]), self._options
        request = Request(
            chain=self._chain,
            pegs=Pegs.of(tuple(map(tuple, pegs.tolist()))),
            drag=Drag(options.ground_friction, options.viscous, options.gravity),
            peg_friction=options.peg_friction,
            torque_limit=options.torque_limit,
            speed=options.speed,
            start=joints,
            bend=bend_of(self._robot),
        )
        distance = max(float(state["left"]), SHORTEST)
        wish = options.plan.model_copy(update={"distance": distance, "seed": options.plan.seed + state["plans"]})
        best = plans(request, wish)[0]
        found: ControllerState = {
            "plans": state["plans"] + 1,
            "left": state["left"],
            "begin": state["begin"],
            "path": np.array(best.path if best.s else (), dtype=float).reshape(-1, 2),
            "head": best.head,
            "pegs": pegs,
            "map": state["map"],
            "maps": state["maps"],
            "held": obs.joint_angle.copy(),
            "why": best.reason or SOLVED,
        }
        if not best.s:
            return found
        inner = self._follower_of(found).start(self._seen(found, obs))
        return found | {INNER + name: value for name, value in inner.items()}

    def _averaged(self, state: ControllerState, obs: Observation) -> ControllerState:
        """The mean map. Where pegs have come or gone it is the one of now."""
        now = _believed(obs)
        if now.shape != state["map"].shape:
            return {"map": now, "maps": 1}
        maps = min(state["maps"] + 1, self._maps)
        return {"map": state["map"] + (now - state["map"]) / maps, "maps": maps}

    def _is_other_map(self, state: ControllerState) -> bool:
        """Whether pegs near the path have moved, come or gone; without a path, any pegs."""
        near = MOVED if state["maps"] >= self._maps else SUDDEN
        before, now = (self._near_path(state["path"], pegs) for pegs in (state["pegs"], _possible(state["map"])))
        return not (_all_among(before, _possible(state["map"]), near) and _all_among(now, state["pegs"], near))

    def _near_path(self, path: FloatArray, pegs: FloatArray) -> FloatArray:
        if not len(path) or not len(pegs):
            return pegs
        away = np.linalg.norm(path[:, np.newaxis] - pegs[:, :2], axis=2).min(axis=0) - pegs[:, 2]
        near: FloatArray = pegs[away < BESIDE * float(self._chain.length.max()) + float(self._chain.radius.max())]
        return near

    # --- following ---

    def _follow(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        inner = {name.removeprefix(INNER): value for name, value in state.items() if name.startswith(INNER)}
        inner, command, events = self._follower_of(state).step(inner, self._seen(state, obs))
        return state | {INNER + name: value for name, value in inner.items()}, command, events

    def _follower_of(self, state: ControllerState) -> PushAlong:
        """Made once for each plan."""
        key = state["path"].tobytes() + state["pegs"].tobytes()
        if self._follower is None or self._follower[0] != key:
            self._follower = key, PushAlong.build(self._follower_options(state), self._robot, self._period)
        return self._follower[1]

    def _follower_options(self, state: ControllerState) -> PushAlongOptions:
        options = self._options
        plan = Plan(
            path=state["path"].tolist(),
            head=float(state["head"]),
            distance=max(float(state["left"]), SHORTEST),
            pegs=state["pegs"].tolist(),
            speed=options.speed,
            torque_limit=options.torque_limit,
            ground_friction=options.ground_friction,
            viscous=options.viscous,
            peg_friction=options.peg_friction,
            gravity=options.gravity,
            contact_distance=options.plan.contact_distance,
        )
        return PushAlongOptions(**plan.controller_options(options.approach) | {"sensing": options.sensing})

    def _seen(self, state: ControllerState, obs: Observation) -> Observation:
        """What the follower gets: touches by the pegs of the map, not by what they are in the world."""
        pegs, felt = state["pegs"], obs.contacts
        peg = np.full(len(felt.link), -1, dtype=np.int64)
        if len(pegs) and len(peg):
            away = np.linalg.norm(felt.point[:, np.newaxis, :2] - pegs[:, :2], axis=2) - pegs[:, 2]
            nearest = np.abs(away).argmin(axis=1)
            is_peg = (np.abs(away).min(axis=1) < ON_PEG) & (felt.obstacle >= 0)
            peg = np.where(is_peg, nearest, -1)
        contacts: Contacts = replace(felt, obstacle=peg)
        return Observation(
            obs.time, joint_angle=obs.joint_angle, joint_rate=obs.joint_rate, head_position=obs.head_position,
            head_yaw=obs.head_yaw, contacts=contacts,
        )  # fmt: skip


def _believed(obs: Observation) -> FloatArray:
    """Pegs (m, 3) of the map."""
    return np.array(obs.map.disc, dtype=float).reshape(-1, 3)


def _possible(pegs: FloatArray) -> FloatArray:
    """The same where noise made a radius negative."""
    return np.column_stack([pegs[:, :2], np.maximum(pegs[:, 2], SMALLEST)])


def _all_among(pegs: FloatArray, others: FloatArray, near: float) -> bool:
    """Whether each peg has one among the others that differs by no more than `near` [m] in place and radius."""
    off = np.abs(pegs[:, np.newaxis] - others).max(axis=2).min(axis=1, initial=np.inf)
    return bool((off <= near).all())
