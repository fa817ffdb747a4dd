"""What a shape follower asks for, without a plant: the robot is wherever it is drawn, and touches nothing.

The controller itself is stepped. Where it asks for nothing but the time (no heading loop, no compliance), the curve and
the references are those of a simulated run, to the bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pushpoint import limits
from pushpoint.control._schedule import Schedule
from pushpoint.control._shape_options import ShapeFollowerOptions
from pushpoint.control.shape_follower import ShapeFollower, shape_options
from pushpoint.deprecation import renamed
from pushpoint.errors import InvalidInput
from pushpoint.geometry.rotation import quaternions
from pushpoint.robots import Robot
from pushpoint.scenario import Scenario
from pushpoint.shapes import Laid, ShapeCurve, VirtualSnake, deviation, virtual_snake
from pushpoint.shapes.alignments import LIMITED, SLOWED, UNDETERMINED
from pushpoint.shapes.virtual_snake import link_centres, link_rotations
from pushpoint.types import Contacts, FloatArray, IntArray, Observation

TICKS_PER_CYCLE = 240  # at least, of a rehearsed cycle: peaks between a controller's own ticks are seen too
ENOUGH, ENOUGH_PER_POINT = 1000, 25  # ticks of a slow cycle, in which a controller makes more
MOST_TICKS = 4000  # of a rehearsed cycle, some 10 s of work; of what takes more only the beginning is rehearsed
ROUND_OFF = 1e-9  # part of a cycle
SCANNED = 20_000  # instants at which the end of a cycle is looked for
_NUMBERS, _VECTORS = np.empty(0, dtype=np.int64), np.empty((0, 3))
NO_CONTACTS = Contacts(_NUMBERS, _NUMBERS, np.empty(0), _NUMBERS, point=_VECTORS, normal=_VECTORS, force=_VECTORS)


class Rehearsal(NamedTuple):
    """Row k is what holds from tick k on."""

    time: FloatArray  # [s], (ticks,)
    head: FloatArray  # (ticks,): s_h, counted from the first point of `curve`
    forgotten: IntArray  # (ticks,): how many points of `curve` are behind those in use
    reference: FloatArray  # [rad], (ticks, joints): pushpoint's joint angles, from the tail
    flag: IntArray  # (ticks, joints): of the alignment, from the tail
    laid: tuple[Laid, ...]
    in_use: tuple[ShapeCurve, ...]  # what the robot lies on, tick by tick: moved and pushed points in their places
    curve: ShapeCurve  # through all points there were, in the places where they were added
    whole_cycle: bool = False  # one cycle from its begin to its end, and no more

    def row(self, time: float) -> int:
        """The row nearest to a time [s]."""
        return int(np.argmin(np.abs(self.time - time)))


def rehearse(follower: ShapeFollower, robot: Robot, ticks: int, period: float) -> Rehearsal:
    """So many ticks of `period` [s], which should be the follower's."""
    if ticks > limits.TABLE_ROWS:
        raise InvalidInput(
            f"{ticks} ticks of {period:g} s are too many to rehearse; should be {limits.TABLE_ROWS} at most"
        )
    snake = virtual_snake(robot)
    start, laid = follower.initial()
    state = follower.start(_seen(snake, laid, 0.0))
    points, rows = start["points"], []
    for tick in range(ticks):
        time = tick * period
        curve, laid = follower.shape(state, time)
        known = len(points) - state["forgotten"]
        points = np.concatenate([points, state["points"][known:]])
        passed = state["forgotten"]
        rows.append((time, state["head_place"], passed, snake.to_robot(laid.q), laid, curve))
        state, _, _ = follower.step(state, _seen(snake, laid, time))
    times, heads, passed, references, laids, curves = zip(*rows, strict=True)
    return Rehearsal(
        time=np.array(times),
        head=np.array(heads),
        forgotten=np.array(passed),
        reference=np.array(references),
        flag=np.array([laid.flag[::-1] for laid in laids]),
        laid=laids,
        in_use=curves,
        curve=ShapeCurve(points, follower.interpolation),
    )


def rehearsed(scenario: Scenario, duration: float | None = None) -> Rehearsal:
    """A scenario's shape follower at its own rate, up to and including `duration` [s]; default: the whole scenario."""
    period = scenario.control_period
    ticks = 1 + round((scenario.duration if duration is None else duration) / period)
    return rehearse(ShapeFollower.of(scenario), scenario.built_robot(), ticks, period)


def rehearsed_cycle(scenario: Scenario) -> Rehearsal:
    """One cycle from the start on, or as much of it as there is in the scenario's duration; a single tick if nothing
    moves."""
    robot, cycles = scenario.built_robot(), _cycles(scenario)
    if not cycles:
        still = rehearse(ShapeFollower.of(scenario), robot, 1, scenario.control_period)
        return still._replace(whole_cycle=True)
    longest = min(max(cycles), scenario.duration)
    parts = math.ceil(longest / _rehearsal_period(scenario, longest, min(cycles)) * (1 - ROUND_OFF))
    shown, period = min(parts, MOST_TICKS), longest / parts
    motion = rehearse(ShapeFollower.of(scenario, period), robot, shown + 1, period)
    return motion._replace(whole_cycle=shown == parts and max(cycles) <= longest)


def _rehearsal_period(scenario: Scenario, longest: float, shortest: float) -> float:
    """The controller's own, less if a cycle has few of these; more if even the shortest one has plenty, unless the
    controller closes a loop, which is made for its own rate."""
    options, own = shape_options(scenario), scenario.control_period
    points = len(options.points or ()) if options.segment is None else len(options.segment.array())
    enough = min(MOST_TICKS, max(ENOUGH, ENOUGH_PER_POINT * points))
    slowest = own if options.loop is not None else max(own, min(longest, shortest) / enough)
    return min(slowest, longest / TICKS_PER_CYCLE)


def cycle_time(scenario: Scenario) -> float:
    """How long [s] a cycle takes: the head's along the segment or to the end of the curve, a turn of rolling, a period
    of moving points; the longest of them, at most the scenario's duration. Zero if nothing moves."""
    return min(scenario.duration, max(_cycles(scenario), default=0.0))


def _cycles(scenario: Scenario) -> list[float]:
    """How long [s] the cycle of each motion takes that there is; infinite if it is longer than the scenario."""
    options = shape_options(scenario)
    moments = np.linspace(0.0, scenario.duration, SCANNED)
    ends = []
    if options.speed != 0.0:
        follower = ShapeFollower.of(scenario)
        state, _ = follower.initial()
        curve, head = ShapeCurve(state["points"], options.interpolation), state["head_place"]
        frame = follower.first_frame()
        distance = curve.length(head, curve.last) if options.segment is None else cycle_length(options, frame)
        ends.append(_reached(moments, Schedule.of(options.speed).integral(moments)[:, 0], distance))
    if options.roll_rate != 0.0:
        ends.append(_reached(moments, np.abs(Schedule.of(options.roll_rate).integral(moments)[:, 0]), math.tau))
    if options.motion is not None and options.motion.frequency != 0.0:
        ends.append(_reached(moments, abs(options.motion.frequency) * moments, math.tau))
    return [end for end in ends if end > 0.0]


def cycle_length(options: ShapeFollowerOptions, frame: FloatArray | None = None) -> float:
    """Length [m] of the curve over one cycle of a segment among others, in a shape frame (3, 3)."""
    assert options.segment is not None
    steps = len(options.segment.array()) - 1
    points = options.segment.repeated(3, frame=frame)
    return ShapeCurve(points, options.interpolation).length(steps, 2 * steps)


def _reached(moments: FloatArray, values: FloatArray, end: float) -> float:
    """When values first come to `end`; infinite if they never do."""
    there = values >= end * (1 - ROUND_OFF)
    k = int(np.argmax(there))
    if k == 0:
        return 0.0 if there[0] else math.inf
    share = (end - values[k - 1]) / (values[k] - values[k - 1])
    return float(moments[k - 1] + min(1.0, share) * (moments[k] - moments[k - 1]))


def _seen(snake: VirtualSnake, laid: Laid, time: float) -> Observation:
    """What a robot would observe that is exactly where it is drawn."""
    rotation, centre = link_rotations(snake, laid.frame), link_centres(snake, laid.frame)
    angle = snake.to_robot(laid.q)
    return Observation(
        time=time,
        joint_angle=angle,
        joint_rate=np.zeros_like(angle),
        joint_torque=np.zeros_like(angle),
        link_position=centre,
        link_yaw=np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0]),
        link_orientation=quaternions(rotation),
        link_velocity=np.zeros_like(centre),
        contacts=NO_CONTACTS,
    )


@dataclass(frozen=True)
class Demands:
    """What a rehearsed motion asks of the robot."""

    time: float  # [s]
    distance: float  # [m], of the head along the curve
    off_curve: float  # [m]: the largest distance of a joint from the curve
    angle: float  # [rad], the largest
    rate: float  # [rad/s], the largest
    change_per_distance: float  # [rad/m] of the head along the curve, the largest; NaN if the head stays
    limited: tuple[int, ...]  # joints, from the tail, that were to bend farther than they can
    slowed: tuple[int, ...]  # joints that were to move faster than they may
    undetermined: tuple[int, ...]  # joints whose angle the curve does not say, as it lies along their axes
    whole_cycle: bool  # time and distance are those of one cycle; else of a part of it, or of some time

    way = renamed("way", "distance")
    change_per_way = renamed("change_per_way", "change_per_distance")


def demands(motion: Rehearsal) -> Demands:
    """Of a rehearsal; changes of angle are those from tick to tick."""
    change = np.abs(np.diff(motion.reference, axis=0)).max(axis=1, initial=0.0)
    distance = np.array([motion.curve.length(a, b) for a, b in zip(motion.head[:-1], motion.head[1:], strict=True)])
    moves = distance > 0.0
    return Demands(
        time=float(motion.time[-1]),
        distance=float(distance.sum()),
        off_curve=max(deviation(curve, laid) for curve, laid in zip(motion.in_use, motion.laid, strict=True)),
        angle=float(np.abs(motion.reference).max()),
        rate=float((change / np.diff(motion.time)).max(initial=0.0)),
        change_per_distance=float((change[moves] / distance[moves]).max()) if moves.any() else math.nan,
        limited=_joints(motion.flag & LIMITED),
        slowed=_joints(motion.flag & SLOWED),
        undetermined=_joints(motion.flag & UNDETERMINED),
        whole_cycle=motion.whole_cycle,
    )


def _joints(flag: IntArray) -> tuple[int, ...]:
    return tuple(int(j) for j in np.flatnonzero(flag.any(axis=0)))
