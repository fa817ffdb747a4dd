"""What is asked of the robot: actions, observations, rewards and ends of episodes, for many robots at once.

`Task` asks for progress in one direction, in any scenario; others override what differs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import reduce
from operator import add
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from pushpoint.control import OpenLoop
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen, NonNegative, Wording
from pushpoint.gym.observing import Body, Float32Array, Part, Scene, Seen, bounds, observe, table
from pushpoint.quantities import Bend, Length, Period, Rate, RateLimit, Velocity
from pushpoint.scenario import Scenario
from pushpoint.scenarios import find_scenario
from pushpoint.simulation import Setup
from pushpoint.types import FloatArray
from pushpoint.worlds import World

BoolArray = npt.NDArray[np.bool_]

MOST_RATE = 20.0  # [rad/s], of joints and links, as shown
MOST_SPEED = 2.0  # [m/s], as shown
MOST_FORCE = 2.0  # weights of the robot, as shown
MOST_TORQUE = 50.0  # [N m], as shown
MOST_PLACE = 10.0  # [m], as shown
SENSORS = ("joint-encoders", "joint-torque", "link-poses", "contact-force")  # what observations are made of
OUTCOMES = ("", "goal", "out of bounds", "failure", "time")


class TaskOptions(Frozen):
    """What can be given to ``gymnasium.make``; fields of the scenario replace those of the task's own."""

    scenario: Any  # a registered name, a path to a file, or a Scenario
    overrides: dict[str, Any] = {}  # of the scenario, by dotted key  # noqa: RUF012 (pydantic copies it)
    robot: Any = None  # instead of the scenario's, as are the next ones
    world: Any = None  # a name, a name with options, or a World
    plant: Any = None  # a name, or a name with options
    servo: Any = None  # a Servo, or its fields
    sensors: Any = None  # imperfect ones: observations then are their readings; rewards are of the truth
    start: Any = None  # a Start, or its fields
    duration: Period = 10.0  # [s]: then an episode is truncated
    control_period: Period = 0.05  # [s], of one action
    redraw: bool = True  # whether each reset draws a new start and world, or the first one's are kept
    amplitude: Bend = math.radians(60.0)  # [rad], joint reference at action 1
    pitch_amplitude: Bend | None = None  # [rad], the same of pitch axes; default: as `amplitude`
    rate_limit: RateLimit = 3.0  # [rad/s], of joint references
    clock: Rate = 0.0  # [rad/s], frequency of the clock in the observation; 0: there is none
    direction: tuple[Velocity, Velocity] = (1.0, 0.0)  # of progress; its length does not matter
    goal: Length | None = None  # [m], progress at which an episode ends
    most_back: Length = 0.5  # [m]: farther behind its start the robot is out of bounds
    most_aside: Length = 1.0  # [m]: the same to both sides of it
    progress_weight: NonNegative = 1.0  # [1/m]
    work_weight: NonNegative = 0.001  # [1/J]


class Memory(NamedTuple):
    """What a task remembers of each robot."""

    target: FloatArray  # [rad], (N, f): joint references in force
    angle: FloatArray  # [rad], (N, f): joint angles one period ago
    progress: FloatArray  # [m], (N,), one period ago, counted from anywhere
    start: FloatArray  # (N, 3): progress and place (x, y) at the start [m]
    about: FloatArray  # (N, k): of each robot's world

    def rows(self, which: Any) -> Memory:
        """Those robots alone."""
        return Memory(*(values[which] for values in self))

    def put(self, which: Any, other: Memory) -> None:
        """Replace those robots."""
        for mine, theirs in zip(self, other, strict=True):
            mine[which] = theirs


class Judgement(NamedTuple):
    """What a step was worth."""

    reward: FloatArray  # (N,)
    terms: dict[str, FloatArray]  # (N,) each, with their units, before weights
    reached: BoolArray  # (N,): the goal
    outside: BoolArray  # (N,): out of bounds


class Task:
    """Progress in one direction, in any scenario.

    Parameters
    ----------
    **options
        Fields of `TaskOptions`, those of the task's own `defaults` by default.
    """

    Options: ClassVar[type[TaskOptions]] = TaskOptions  # with those of the task's own
    defaults: ClassVar[dict[str, Any]] = {}  # of its options

    def __init__(self, **options: Any) -> None:
        wording = Wording("", f"option of {type(self).__name__}:", type(self).__name__)
        self.options = self.Options.parse(self._completed(options), wording)
        self.scenario = self.made_scenario()
        self.setup = Setup.of(self.scenario)
        robot, own = self.setup.robot, self.options
        self.body = Body(robot, self.setup.world, self.setup.plant.dimensions, self.scenario.control_period)
        pitch = own.amplitude if own.pitch_amplitude is None else own.pitch_amplitude
        self.amplitude = np.array([pitch if axis == "pitch" else own.amplitude for _, axis in robot.freedoms])
        joints = [robot.joint(j) for j, _ in robot.freedoms]
        self._stops = np.array([joint.lower for joint in joints]), np.array([joint.upper for joint in joints])
        length = math.hypot(*own.direction)
        if length == 0.0:
            raise InvalidInput("direction = (0, 0): it should point somewhere")
        if not (self.amplitude > 0.0).all():
            raise InvalidInput("amplitude and pitch_amplitude should be positive")
        self._direction = (own.direction[0] / length, own.direction[1] / length)
        self._heading = np.array([math.atan2(own.direction[1], own.direction[0])])
        self.parts = self.made_parts()
        self.most = bounds(self.parts)

    def _completed(self, given: dict[str, Any]) -> dict[str, Any]:
        """Options with defaults. Whoever gives a whole field, another scenario even, wants no default parts of it."""
        own = {} if "scenario" in given else self.defaults.get("overrides", {})
        kept = {key: value for key, value in own.items() if key.partition(".")[0] not in given}
        overrides = given.get("overrides", {})
        return {
            **self.defaults,
            **given,
            "overrides": {**kept, **overrides} if isinstance(overrides, Mapping) else overrides,
        }

    # --- what a task may have of its own ---

    def made_scenario(self) -> Scenario:
        """The scenario with all options; recorded once per action."""
        own = self.options
        fields = {"robot": own.robot, "world": own.world, "plant": own.plant, "servo": own.servo}
        fields |= {"sensors": own.sensors, "start": own.start}
        given = {name: value for name, value in fields.items() if value is not None}
        if isinstance(own.sensors, Mapping):  # those that are not listed are perfect
            given["sensors"] = {**{name: {} for name in SENSORS}, **own.sensors}
        times = {"duration": own.duration, "control_period": own.control_period, "record_period": own.control_period}
        return find_scenario(own.scenario).with_overrides({**own.overrides, **given, **times})

    def made_parts(self) -> tuple[Part, ...]:
        """Of the observation, in order."""
        return (*self.parts_of_body(), *self.parts_of_course(), *self.clock_parts())

    def progress(self, scene: Scene, before: FloatArray | None) -> FloatArray:
        """Of each robot [m], (N,), counted from anywhere.

        Parameters
        ----------
        scene
            The robots.
        before
            The same one period ago; None at the start.
        """
        x, y = self._direction
        return np.asarray(x * scene.centre[:, 0] + y * scene.centre[:, 1])

    def about(self, world: World) -> FloatArray:
        """What observations need to know of a robot's world, (k,): the same k for all.

        Parameters
        ----------
        world
            Of one robot.
        """
        return np.zeros(0)

    def costs(self, scene: Scene) -> dict[str, tuple[float, FloatArray]]:
        """By name: weight and value (N,) of what is taken off the reward besides work.

        Parameters
        ----------
        scene
            The robots at the end of the period.
        """
        return {}

    def aside(self, scene: Scene, start: FloatArray) -> FloatArray:
        """How far off its course each robot is [m], (N,).

        Parameters
        ----------
        scene
            The robots.
        start
            (N, 3): progress and place at the start [m].
        """
        (x, y), off = self._direction, scene.centre[:, :2] - start[:, 1:]
        return np.asarray(np.abs(x * off[:, 1] - y * off[:, 0]))

    def course(self) -> FloatArray | None:
        """Points of a line to follow [m], (k, 2), for pictures; None if there is none."""
        return None

    # --- parts of observations ---

    def parts_of_body(self) -> tuple[Part, ...]:
        """What any robot feels of itself."""
        f, n, weight = self.body.freedoms, self.body.links, self.body.weight
        return (
            Part("joint_angle", f, "rad", math.pi, "of each joint, from the tail", lambda s: s.seen.joint_angle),
            Part("joint_rate", f, "rad/s", MOST_RATE, "the same, per second", lambda s: s.seen.joint_rate),
            Part("joint_target", f, "rad", math.pi, "joint references in force", lambda s: s.target),
            Part("joint_torque", f, "N m", MOST_TORQUE, "of the motors, mean of the period",
                 lambda s: s.seen.joint_torque),
            Part("push", n, "weight of the robot", MOST_FORCE, "force of obstacles on each link, to its left",
                 lambda s: s.across(s.seen.contact_force) / weight),
        )  # fmt: skip

    def parts_of_course(self) -> tuple[Part, ...]:
        """Where the robot is and how it moves, seen along the direction of progress."""
        return (
            Part("heading", 2, "1", 1.0, "cosine and sine of the mean link angle to the direction of progress",
                 lambda s: _both(s.heading - self._heading)),
            Part("velocity", 2, "m/s", MOST_SPEED, "of the centre of mass, along the direction and to its left",
                 lambda s: s.turned(s.velocity[:, :2], self._heading)),
            Part("turning", 1, "rad/s", MOST_RATE, "mean rate of the links about the vertical",
                 lambda s: s.turning[:, np.newaxis]),
            Part("place", 2, "m", MOST_PLACE, "of the centre of mass in the world, along the direction and to its left",
                 lambda s: s.turned(s.centre[:, :2], self._heading)),
        )  # fmt: skip

    def clock_parts(self) -> tuple[Part, ...]:
        """A clock, for gaits; none without a frequency."""
        w = self.options.clock
        if w == 0.0:
            return ()
        meaning = f"cosine and sine of a clock of {w:.4g} rad/s"
        return (Part("clock", 2, "1", 1.0, meaning, lambda s: _both(w * s.seen.time)),)

    # --- for environments ---

    def begin(self, seen: Seen, about: FloatArray) -> Memory:
        """What to remember at the start: references are the joint angles there.

        Parameters
        ----------
        seen
            The robots.
        about
            (N, k): their worlds, see `about`.
        """
        scene = Scene(self.body, seen, seen.joint_angle, about)
        progress = self.progress(scene, None)
        start = np.concatenate([progress[:, np.newaxis], scene.centre[:, :2]], axis=1)
        angle = seen.joint_angle
        return Memory(np.clip(angle, *self._stops), angle.copy(), progress, start, np.array(about))

    def targets(self, memory: Memory, action: FloatArray) -> FloatArray:
        """Joint references [rad], (N, f), at the end of the period: what the action asks for, within limits.

        Parameters
        ----------
        memory
            Of the robots.
        action
            (N, f).
        """
        most = self.options.rate_limit * self.body.period
        wanted = np.clip(self.amplitude * np.clip(action, -1.0, 1.0), *self._stops)
        return np.asarray(memory.target + np.clip(wanted - memory.target, -most, most))

    def observe(self, seen: Seen, memory: Memory) -> Float32Array:
        """Observations, (N, size).

        Parameters
        ----------
        seen
            The robots.
        memory
            What is remembered of them.
        """
        return observe(self.parts, self.most, Scene(self.body, seen, memory.target, memory.about))

    def judge(self, seen: Seen, memory: Memory) -> tuple[Judgement, Memory]:
        """Reward and ends of the step that ended here, and what to remember.

        Parameters
        ----------
        seen
            The robots.
        memory
            As before the step, but for `target`, which is the new one.
        """
        own, scene = self.options, Scene(self.body, seen, memory.target, memory.about)
        now = self.progress(scene, memory.progress)
        power = np.abs(seen.joint_torque * (seen.joint_angle - memory.angle))
        terms = {"progress": now - memory.progress, "work": reduce(add, power.T, np.zeros(len(now)))}
        reward = own.progress_weight * terms["progress"] - own.work_weight * terms["work"]
        for name, (weight, value) in self.costs(scene).items():
            terms[name] = value
            reward = reward - weight * value
        since = now - memory.start[:, 0]
        reached = since >= (math.inf if own.goal is None else own.goal)
        outside = (since < -own.most_back) | (self.aside(scene, memory.start) > own.most_aside)
        return Judgement(reward, terms, reached, outside), memory._replace(angle=seen.joint_angle.copy(), progress=now)

    # --- for people ---

    def table(self) -> str:
        """The entries of an observation as a table in Markdown."""
        return table(self.parts)

    def action_for(self, joint_angle: FloatArray) -> Float32Array:
        """The action that asks for joint angles [rad], (..., f).

        Parameters
        ----------
        joint_angle
            At the end of the control period.
        """
        return np.asarray(np.clip(joint_angle / self.amplitude, -1.0, 1.0), dtype=np.float32)

    def gait(self) -> Float32Array:
        """Actions (steps, f) that follow the gait of the scenario's own controller, if that is one that knows its
        references ahead."""
        controller = self.setup.controller
        if not isinstance(controller, OpenLoop):
            name = self.scenario.controller.name
            raise InvalidInput(f"controller {name!r} decides by what it senses: it has no gait known ahead")
        ends = np.arange(1.0, self.setup.ticks + 1.0) * self.body.period
        return self.action_for(controller.table(ends).joint_angle)


def _both(angle: FloatArray) -> FloatArray:
    """Cosine and sine of angles (N,), (N, 2)."""
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)
