"""A robot that takes the shape of a curve, P3: drawn by shape control points, repeated, steered, made compliant."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar, NamedTuple

import numpy as np

from pushpoint import limits
from pushpoint.control import ControlEvent, ControllerState, controllers
from pushpoint.control._base import Drawing
from pushpoint.control._schedule import Schedule
from pushpoint.control._shape_compliance import forces_on_points, from_obstacles, moved_points
from pushpoint.control._shape_options import ShapeFollowerOptions
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.geometry.rotation import forwards, matrices
from pushpoint.robots import Robot
from pushpoint.scenario import Scenario
from pushpoint.shapes import Aligner, Laid, Memory, ShapeCurve, virtual_snake
from pushpoint.shapes.alignments import LIMITED, SLOWED, UNDETERMINED
from pushpoint.shapes.gait_segment import Reach, about_z, extended, reach_of, rolled_pitched_turned
from pushpoint.shapes.shape_curve import distances
from pushpoint.shapes.virtual_snake import forward_axes, link_centres, link_rotations
from pushpoint.types import Command, FloatArray, IntArray, Observation

COINCIDENT = 1e-6  # [m]: moved points nearer than this would leave the curve without a direction
QUIET = 1.0  # [s] without a flag, after which a joint's next one is reported again
TOO_MUCH = "the curve asks for more than these joints can do"
REPORTED = (  # flag, name of the event, what it says
    (LIMITED, "joint-limit", TOO_MUCH),
    (SLOWED, "rate-limit", TOO_MUCH),
    (UNDETERMINED, "undetermined-angle", "the curve lies along the axes of these joints, which keep their angles"),
)


class LastCurve(NamedTuple):
    """A curve, and the points that it was made of: arrays that nobody changes."""

    points: FloatArray
    offset: FloatArray
    curve: ShapeCurve

    def is_of(self, state: ControllerState) -> bool:
        return self.points is state["points"] and self.offset is state["offset"]


def shape_options(scenario: Scenario) -> ShapeFollowerOptions:
    """The options of a scenario's shape follower; others draw no curve."""
    chosen = scenario.controller.name
    if chosen != "shape-follower":
        raise InvalidInput(f"{scenario.name}: controller = {chosen!r} draws no shape curve; should be 'shape-follower'")
    return scenario.options_of("controller", ShapeFollowerOptions)


@controllers.register("shape-follower")
class ShapeFollower:
    """The virtual snake robot moves along the curve (P3 III-E, first motion), the points move (second), or both.

    State: `points`, the part of the curve that is in use, before which `forgotten` others were; `grown`, how many steps
    of the segment were added in all; `head_place` and `roll`, s_h (counted from the first point there was) and phi_h;
    `heading`, psi_s; `measured` and `drawn`, the heading of the robot and of the virtual one, `turned` and `slip`, by
    how much they differ and how fast; `offset` and `offset_rate` of compliant points; `q`, `axis`: what the alignment
    remembers; `flags` of its joints, and when they were last `flagged`; `tail`, where the last link aims at; `ended`: a
    finite curve is used up.
    """

    Options: ClassVar[type[Frozen]] = ShapeFollowerOptions
    uses: ClassVar[frozenset[str]] = frozenset({"link-poses", "contacts"})

    def __init__(self, options: ShapeFollowerOptions, robot: Robot, control_period: float) -> None:
        self._options, self._period = options, control_period
        self._snake = virtual_snake(robot)
        with _named_by_user():
            look_ahead = options.look_ahead or 2.0 * float(self._snake.length.max())
            self._aligner = Aligner(self._snake, look_ahead, options.alignment)
        self._most_turn = options.rate_limit * control_period
        self._speed, self._roll_rate = Schedule.of(options.speed), Schedule.of(options.roll_rate)
        self._heading = Schedule.of(options.heading)
        frame = options.frame
        self._tilts = None if frame is None else [Schedule.of(each) for each in (frame.roll, frame.pitch, frame.yaw)]
        self._loop = None if options.loop is None else Schedule.of(options.loop.reference)
        segment = options.segment
        self._steps = None if segment is None else np.diff(segment.array(), axis=0)
        with _named_by_user():
            self._reach = Reach() if segment is None else reach_of(options.interpolation, segment)
        self._last_curve: LastCurve | None = None
        self._first = self._drawn_at_first()

    @classmethod
    def of(cls, scenario: Scenario, control_period: float | None = None) -> ShapeFollower:
        """That of a scenario; at another rate if a period [s] is given."""
        return cls.build(shape_options(scenario), scenario.built_robot(), control_period or scenario.control_period)

    @classmethod
    def build(cls, options: ShapeFollowerOptions, robot: Robot, control_period: float) -> ShapeFollower:
        if not robot.freedoms:
            raise InvalidInput(f"controller 'shape-follower' bends joints; robot {robot.name!r} has none")
        from pushpoint.control._planned_shape import PlannedShapeFollower, can_be_planned  # which needs this module

        kind = PlannedShapeFollower if cls is ShapeFollower and can_be_planned(options) else cls
        return kind(options, robot, control_period)

    # --- the start ---

    def _drawn_at_first(self) -> ControllerState:
        """The state at t = 0, before anything was measured."""
        state: ControllerState = {
            "forgotten": 0,
            "grown": 0,
            "roll": self._options.roll,
            "heading": self._heading.at(0.0),
            "measured": math.nan,
            "drawn": 0.0,
            "turned": 0.0,
            "slip": 0.0,
            "q": np.zeros(self._snake.joints),
            "axis": np.zeros(7),
            "flags": np.zeros(self._snake.joints, dtype=np.int64),
            "flagged": np.full((len(REPORTED), self._snake.joints), -math.inf),
            "ended": False,
        }
        state["points"], state["head_place"] = self._first_points(state)
        state["offset"] = state["offset_rate"] = np.zeros_like(state["points"])
        state, self._first_laid = self._laid(state, 0.0, most_turn=math.inf)
        state["drawn"] = _next_turn(0.0, heading_of(forward_axes(self._snake, self._first_laid.frame)))
        return state

    def _first_points(self, state: ControllerState) -> tuple[FloatArray, float]:
        """A curve on which the whole robot lies, and where its head is then."""
        options, length = self._options, float(self._snake.length.sum())
        if options.segment is None:
            curve = ShapeCurve(options.points or (), options.interpolation)
            moves = isinstance(options.speed, tuple) or options.speed > 0.0
            full = min(curve.ahead(0.0, length), curve.last) if moves else curve.last
            return curve.points, self._checked_head(full, curve.last)
        steps = len(self._steps) if self._steps is not None else 1
        cycle = ShapeCurve(options.segment.array(), options.interpolation).length()
        cycles = math.ceil(length / cycle) + 1  # one more: where a curve begins it is not quite the repeated one
        self._refuse_many_points(cycles * steps, cycles, cycle)
        head = self._checked_head(float(cycles * steps), math.inf)
        points = options.segment.array()[:1]
        while len(points) - 1 < head + self._reach.ahead:
            points = self._longer(points, state, 0.0)
        return points, head

    def _refuse_many_points(self, under: int, cycles: int, cycle: float) -> None:
        """Curves with more points under the robot, or before it in a tick, than anybody draws."""
        if under > limits.CURVE_POINTS:
            raise InvalidInput(
                f"controller.segment: {cycles} cycles of {cycle:g} m on one robot have {under} points: too many, "
                f"should be {limits.CURVE_POINTS} at most; draw a longer one"
            )
        speed = self._options.speed
        fastest = max(value for _, value in speed) if isinstance(speed, tuple) else speed
        new = fastest * self._period / cycle * (under / cycles)
        if new > limits.CURVE_POINTS_PER_TICK:
            raise InvalidInput(
                f"controller.speed = {fastest:g} m/s passes {new:.3g} points of the segment in control_period = "
                f"{self._period:g} s; should be {limits.CURVE_POINTS_PER_TICK} at most"
            )

    def _checked_head(self, default: float, last: float) -> float:
        head = default if self._options.head is None else self._options.head
        if head > last:
            raise InvalidInput(f"controller.head = {head:g}: the curve ends at s = {last:g}")
        return head

    def _longer(self, points: FloatArray, state: ControllerState, time: float) -> FloatArray:
        """One more point of the segment, in the shape frame of a time."""
        assert self._steps is not None
        state["grown"] += 1
        return extended(points, self._steps, state["grown"] - 1, self._frame(state["heading"], time))

    def _frame(self, heading: float, time: float) -> FloatArray:
        """R_s, P3 (16), (3, 3)."""
        if self._tilts is None or self._options.frame is None:
            return about_z(heading)
        roll, pitch, yaw = (each.at(time) for each in self._tilts)
        return np.asarray(about_z(heading) @ rolled_pitched_turned(roll, pitch, yaw) @ self._options.frame.fixed())

    def initial_shape(self) -> FloatArray:
        return self._snake.to_robot(self._first["q"])

    def initial_drawing(self) -> Drawing:
        """Where the virtual robot lies: its tail's axes and centre."""
        frame = self._first_laid.frame
        return Drawing(link_rotations(self._snake, frame)[0], link_centres(self._snake, frame)[0])

    def start(self, obs: Observation) -> ControllerState:
        state = {key: value.copy() if isinstance(value, np.ndarray) else value for key, value in self._first.items()}
        state["measured"] = measured_heading(obs)
        state["turned"] = state["turned_first"] = state["measured"] - state["drawn"]
        return state

    # --- one tick ---

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        now, ended = state["q"], state["ended"]
        state = self._later(dict(state), obs)
        rate = (state["q"] - now) / self._period if self._options.rate_reference else np.zeros_like(now)
        events = self._reports(obs.time, state)
        if state["ended"] and not ended:
            events.append(end_of_curve(obs.time, state["head_place"]))
        to_robot = self._snake.to_robot
        return state, Command(to_robot(now), to_robot(rate), np.zeros_like(now)), tuple(events)

    def _later(self, state: ControllerState, obs: Observation) -> ControllerState:
        """The state at the end of the tick: steered, progressed, pushed, laid along the curve again."""
        end = obs.time + self._period
        self._refuse_lost_head(state)
        state["measured"] = _next_turn(state["measured"], measured_heading(obs))
        state["heading"] = self._steered(state, obs.time, end)
        state["roll"] += self._roll_rate.between(obs.time, end)
        if self._options.compliance is not None:
            self._comply(state, obs)
        self._progress(state, self._speed.between(obs.time, end), obs.time)
        self._forget(state)
        later, laid = self._laid(state, end, self._most_turn)
        later["drawn"] = _next_turn(later["drawn"], heading_of(forward_axes(self._snake, laid.frame)))
        return later

    def _refuse_lost_head(self, state: ControllerState) -> None:
        """Of a spoilt file: the curve would grow without end."""
        first = state["forgotten"]
        last = first + len(state["points"]) - 1
        if not first <= state["head_place"] <= last:
            given = f"state head_place = {state['head_place']:g}"
            raise InvalidInput(f"controller 'shape-follower': {given}; allowed is {first} to {last}")

    def _steered(self, state: ControllerState, now: float, end: float) -> float:
        """psi_s at the end of the tick [rad]."""
        loop = self._options.loop
        if loop is None or self._loop is None:
            return self._heading.at(end)
        turned = state["measured"] - state["drawn"]  # the robot from the virtual one
        share = self._period / loop.smoothing
        state["slip"] += share * ((turned - state["turned"]) / self._period - state["slip"])
        state["turned"] = turned
        coming = state["heading"] - self._first["heading"] + turned - state["turned_first"]
        coming += state["slip"] * self._time_to_middle(state, now)
        rate = loop.gain * (self._loop.at(now) - coming)
        return float(state["heading"] + self._period * np.clip(rate, -loop.limit, loop.limit))

    def _time_to_middle(self, state: ControllerState, now: float) -> float:
        """How long [s] a point that is added now takes until it is under the middle of the robot."""
        speed = self._speed.at(now)
        ahead = self._curve(state, now).length(state["head_place"])
        return (ahead + 0.5 * float(self._snake.length.sum())) / speed if speed > 0.0 else 0.0

    def _progress(self, state: ControllerState, distance: float, now: float) -> None:
        """The head goes on by `distance` [m] along the curve; a repeated curve grows before it and ends behind."""
        curve = self._curve(state, now)
        if self._steps is None:
            head = state["head_place"]
            head = min(curve.ahead(head, distance), curve.last) if distance > 0.0 else head
            state["ended"] = state["ended"] or (distance > 0.0 and head == curve.last)
            state["head_place"] = head
            return
        ahead = self._reach.ahead
        while curve.length(state["head_place"], max(state["head_place"], curve.last - ahead)) < distance:
            state["points"] = self._longer(state["points"], state, now + self._period)
            for key in ("offset", "offset_rate"):  # a new point is in its place and at rest
                state[key] = np.concatenate([state[key], np.zeros((1, 3))])
            curve = self._curve(state, now)
        if distance > 0.0:
            state["head_place"] = curve.ahead(state["head_place"], distance)

    def _forget(self, state: ControllerState) -> None:
        """Leave out points of a repeated curve that are far behind the tail: numbers of the others stay."""
        if self._steps is None:
            return
        ahead, behind = self._reach
        unused = min(int(state["tail"]) - state["forgotten"] - behind, len(state["points"]) - ahead - behind)
        if unused > 0:
            for key in ("points", "offset", "offset_rate"):
                state[key] = state[key][unused:]
            state["forgotten"] += unused

    def _curve(self, state: ControllerState, time: float) -> ShapeCurve:
        """The curve as it is at a time: points in their places, moved, pushed aside."""
        if self._last_curve is not None and self._last_curve.is_of(state):
            return self._last_curve.curve
        points = state["points"] + state["offset"]
        motion = self._options.motion
        if motion is not None:
            number = state["forgotten"] + np.arange(len(points))
            swing = np.sin(motion.frequency * time + motion.shift * number + motion.phase)
            amplitude = np.array(motion.amplitude)
            points = points + amplitude[number % len(amplitude)] * swing[:, np.newaxis]
        curve = ShapeCurve(apart(points, state["points"]), self._options.interpolation, state["forgotten"])
        if motion is None:  # the same points: the same curve
            self._last_curve = LastCurve(state["points"], state["offset"], curve)
        return curve

    def _laid(self, state: ControllerState, time: float, most_turn: float) -> tuple[ControllerState, Laid]:
        """The alignment at a time, and the state that remembers it."""
        _, laid, memory = self._aligned(state, time, most_turn)
        state |= {
            "q": laid.q,
            "axis": memory.head,
            "flags": laid.flag,
            "tail": float(max(state["forgotten"], laid.aim[-1])),
        }
        return state, laid

    def _aligned(
        self, state: ControllerState, time: float, most_turn: float = math.inf
    ) -> tuple[ShapeCurve, Laid, Memory]:
        """The curve at a time, the virtual robot along it, and what to remember of that; the state is not changed."""
        memory = Memory(np.array(state["q"], dtype=float), np.array(state["axis"], dtype=float))
        curve = self._curve(state, time)
        return curve, self._aligner.align(curve, state["head_place"], state["roll"], memory, most_turn), memory

    def _comply(self, state: ControllerState, obs: Observation) -> None:
        """Contact forces of the last tick push the points about."""
        options = self._options.compliance
        assert options is not None
        curve, laid, _ = self._aligned(state, obs.time)
        real = matrices(obs.link_orientation)
        turn = link_rotations(self._snake, laid.frame) @ np.swapaxes(real, 1, 2)
        place = curve.nearest(link_centres(self._snake, laid.frame)) - curve.first
        forward = np.append(np.mean(real[:, :2, 0], axis=0), 0.0)
        forward /= max(float(np.linalg.norm(forward)), 1e-9)
        force = forces_on_points(from_obstacles(obs.contacts), turn, place, len(state["points"]), forward, options)
        state["offset"], state["offset_rate"] = moved_points(
            state["offset"], state["offset_rate"], force, self._period, options
        )

    # --- for those who want to see it ---

    @property
    def interpolation(self) -> str:
        return self._options.interpolation

    def first_frame(self) -> FloatArray:
        """The shape frame at t = 0, (3, 3)."""
        return self._frame(self._first["heading"], 0.0)

    def initial(self) -> tuple[ControllerState, Laid]:
        """The state at t = 0, and the virtual robot then."""
        return self._first, self._first_laid

    def shape(self, state: ControllerState, time: float) -> tuple[ShapeCurve, Laid]:
        """The curve in use at a time, and the virtual robot as the state has it laid along it; nothing is changed."""
        curve, laid, _ = self._aligned(state, time, most_turn=0.0)
        return curve, laid._replace(flag=state["flags"])

    def _reports(self, time: float, state: ControllerState) -> list[ControlEvent]:
        """Which joints cannot follow the curve, or find no angle in it: each once, and again after a quiet time."""
        if not state["flags"].any():
            return []
        last, report = state["flagged"].copy(), np.zeros_like(state["flags"])
        for row, (flag, _, _) in enumerate(REPORTED):
            now = (state["flags"] & flag) > 0
            report[now & (time - last[row] > QUIET)] |= flag
            last[row, now] = time
        state["flagged"] = last
        return list(joints_report(time, report))


def joints_report(time: float, flags: IntArray) -> Iterator[ControlEvent]:
    """Events at a time [s] of flags of joints, from the head."""
    for flag, name, what in REPORTED:
        joints = [str(len(flags) - 1 - j) for j in np.flatnonzero(flags & flag)]
        if joints:
            yield ControlEvent(time, name, f"{what}: {', '.join(joints)}")


def end_of_curve(time: float, head: float) -> ControlEvent:
    """A finite curve is used up at a time [s]."""
    return ControlEvent(time, "end-of-curve", f"the head stays at s = {head:g}")


@contextmanager
def _named_by_user() -> Iterator[None]:
    """Messages name options as the user does."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"controller.{error}") from None


def apart(points: FloatArray, drawn: FloatArray) -> FloatArray:
    """Points [m] that were moved or pushed onto each other, put a hair apart in the direction drawn."""
    met = distances(points) < COINCIDENT
    if not met.any():
        return points
    points = points.copy()
    for k in np.flatnonzero(met):
        step = drawn[k + 1] - drawn[k]
        points[k + 1] = points[k] + 2 * COINCIDENT * step / np.linalg.norm(step)
    return points


def heading_of(forward: FloatArray) -> float:
    """Direction [rad] of the mean of forward axes (n, 3), in the horizontal plane."""
    x, y, _ = forward.sum(axis=0) / len(forward)
    return math.atan2(y, x)


def measured_heading(obs: Observation) -> float:
    """The same of the links that the sensors see."""
    x, y = forwards(obs.link_orientation)
    return math.atan2(y.sum() / len(y), x.sum() / len(x))


def _next_turn(before: float, angle: float) -> float:
    """The same direction as `angle`, less than half a turn from `before` [rad]."""
    return before + math.remainder(angle - before, math.tau)
