"""The hybrid controller of P1 VII: the body follows the head; jams are resolved by the forces that they make."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from math import ceil, radians
from typing import Any, ClassVar, Literal

import numpy as np

from pushpoint import limits
from pushpoint._jit import compiled_part
from pushpoint.control import ControllerState, controllers
from pushpoint.control._base import refuse_pitch
from pushpoint.control._flat_readings import (
    behind_head_joint,
    force_across,
    head_offset,
    head_offset_weights,
    yaw_of,
)
from pushpoint.control.compiled import CompiledController, compiled_tick
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.quantities import Angle, Bend, Delay, Length, PositiveAngle, Speed
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, Observation

ROUNDING = 1e-9  # [s]: sums of periods are off by less; in continuous time a jump follows as soon as its time is over


class JamResolutionOptions(Frozen):
    """Design parameters with P1's values (VIII-B1), and what its text leaves open.

    `history`: whether what the head did goes on travelling to the tail while a jam is resolved, or stands still as the
    leader-follower motion does. `before_start`: what joints follow that the head's bends have not reached yet: a ramp
    to the angle of the next joint, each its own angle, or at once that of the next. `jam_reference`: which deviations
    count in (84): from references as printed, from references within the limits of joints, or not those of the head.
    """

    head_left: Bend = radians(50.0)  # [rad], theta_left
    head_right: Bend = radians(-50.0)  # [rad], theta_right
    first: Literal["left", "right"] = "right"  # where the head turns at t = 0
    swing: Length = 0.14  # [m], dy_max: how far the head swings to either side of the centre of mass
    speed: Speed = 0.2  # [m/s], v_ref: at which the head's bends travel to the tail
    joint_limit: PositiveAngle = radians(50.0)  # [rad], phi_max
    jam_angle: PositiveAngle = radians(20.0)  # [rad], dphi_max: a joint farther off than this is jammed
    jam_time: Delay = 0.5  # [s], t_jam,max: jams that last longer are resolved
    resolution_time: Delay = 0.5  # [s], t_resolution,max
    resolution_gain: Angle = 0.05  # [rad/N], k_theta
    resolution: bool = True  # False: jams are detected and left alone
    jam_reference: Literal["printed", "limited", "without-head"] = "limited"
    history: Literal["goes-on", "stands-still"] = "stands-still"
    before_start: Literal["ramp", "own", "next"] = "ramp"


# Event codes, which add up.
HEAD_RIGHT, HEAD_LEFT, JAM, JAM_ENDED, RESOLUTION, RESOLUTION_ENDED, STALL = (1 << k for k in range(7))
# Parameters, then weights of P1 (71), shares of the mass, and delays [ticks] of the joints.
(
    PERIOD, LEFT, RIGHT, SWING, LIMIT, JAM_ANGLE, JAM_TIME, RESOLUTION_TIME, GAIN, RESOLVES, JAM_REFERENCE, GOES_ON,
    BEFORE_START, STALL_SPEED, STALL_TIME,
) = range(15)  # fmt: skip
NUMBERS = 15
LIMITED, WITHOUT_HEAD, OWN = 1.0, 2.0, 1.0  # values of JAM_REFERENCE and BEFORE_START; zero for all else
# State, then forces of the jam on the links, joint angles at the start, which joints are off, and the ring of the head
# joint's angles.
HEAD, JAMMED, TIMER, RESOLVING, NEWEST, AGE, STALLED, ENDED, OFFSET = range(9)
SCALARS = 9


@compiled_part
def following(state: FloatArray, parameters: FloatArray, observation: FloatArray, j: int) -> float:
    """P1 (74): the head link keeps its direction, the other joints do what the head joint did."""
    joints = (parameters.size - NUMBERS - 2) // 3
    links = joints + 1
    if j == joints - 1:
        return float(state[HEAD] - yaw_of(observation, links, links - 2))
    first = SCALARS + links
    ring, delay = first + 2 * joints, parameters[NUMBERS + 2 * links + j]
    if parameters[BEFORE_START] == OWN and not state[AGE] > delay:
        return float(state[first + j])
    length, newest, whole = state.size - ring, int(state[NEWEST]), int(delay)
    newer, older = state[ring + (newest - whole) % length], state[ring + (newest - whole - 1) % length]
    return float(newer + (delay - whole) * (older - newer))


@compiled_part
def is_jammed(state: FloatArray, parameters: FloatArray, observation: FloatArray, j: int) -> bool:
    """P1 (84): as printed, with references that may lie beyond the limit of the joints."""
    joints = (parameters.size - NUMBERS - 2) // 3
    if parameters[JAM_REFERENCE] == WITHOUT_HEAD and j == joints - 1:
        return False
    reference, limit = following(state, parameters, observation, j), parameters[LIMIT]
    if parameters[JAM_REFERENCE] == LIMITED:
        reference = min(limit, max(-limit, reference))
    return bool(abs(observation[1 + j] - reference) > parameters[JAM_ANGLE])


@compiled_part
def turn_head(state: FloatArray, parameters: FloatArray, observation: FloatArray) -> int:
    """The head swings back, P1 (72) and (83)."""
    links, swing = (parameters.size - NUMBERS - 2) // 3 + 1, parameters[SWING]
    offset = head_offset(parameters, NUMBERS, observation, links)
    state[OFFSET] = offset
    if state[HEAD] == parameters[LEFT] and offset > swing:
        state[HEAD] = parameters[RIGHT]
        return HEAD_RIGHT
    if state[HEAD] == parameters[RIGHT] and offset < -swing:
        state[HEAD] = parameters[LEFT]
        return HEAD_LEFT
    return 0


@compiled_part
def jump(state: FloatArray, parameters: FloatArray, observation: FloatArray) -> int:
    """What the automaton goes through at this tick, P1 (83)-(89), in this order. Returns the event codes."""
    joints = (parameters.size - NUMBERS - 2) // 3
    links = joints + 1
    if state[RESOLVING] > 0.0:
        if not state[TIMER] >= parameters[RESOLUTION_TIME] - ROUNDING:
            return 0
        state[ENDED], state[RESOLVING], state[JAMMED], state[TIMER] = state[TIMER], 0.0, 0.0, 0.0
        return RESOLUTION_ENDED
    code, jammed = turn_head(state, parameters, observation), 0
    for j in range(joints):
        off = is_jammed(state, parameters, observation, j)
        state[SCALARS + links + joints + j] = off
        jammed += off
    if jammed >= 2 and state[JAMMED] == 0.0:
        state[JAMMED], state[TIMER] = 1.0, 0.0
        return code | JAM
    if jammed < 2 and state[JAMMED] > 0.0:
        state[JAMMED], state[TIMER] = 0.0, 0.0
        return code | JAM_ENDED
    if state[JAMMED] > 0.0 and state[TIMER] >= parameters[JAM_TIME] - ROUNDING and parameters[RESOLVES] > 0.0:
        state[RESOLVING], state[JAMMED], state[TIMER] = 1.0, 0.0, 0.0
        for i in range(links):
            state[SCALARS + i] = force_across(observation, links, i)
        return code | RESOLUTION
    return code


@compiled_part
def watch(state: FloatArray, parameters: FloatArray, observation: FloatArray, code: int) -> int:
    """Turn the head to the other side when the robot has not moved along x for long, and nothing else turned it."""
    if state[STALLED] < parameters[STALL_TIME] - ROUNDING or state[RESOLVING] > 0.0 or code & (HEAD_LEFT | HEAD_RIGHT):
        return code
    state[HEAD] = parameters[RIGHT] if state[HEAD] == parameters[LEFT] else parameters[LEFT]
    state[ENDED], state[STALLED] = state[STALLED], 0.0
    return code | STALL


@compiled_part
def is_slow(parameters: FloatArray, observation: FloatArray) -> bool:
    """Whether the centre of mass hardly moves along x."""
    links, speed = (parameters.size - NUMBERS - 2) // 3 + 1, 0.0
    at = 1 + 3 * (links - 1)
    first, width = (at + 3 * links, 2) if observation.size == at + 10 * links else (at + 7 * links, 3)
    for i in range(links):
        speed += parameters[NUMBERS + links + i] * observation[first + width * i]
    return bool(abs(speed) < parameters[STALL_SPEED])


@compiled_tick
def tick(state: FloatArray, parameters: FloatArray, observation: FloatArray, reference: FloatArray) -> None:
    """One tick of the controller, without and with a watchdog."""
    joints = (parameters.size - NUMBERS - 2) // 3
    links, limit = joints + 1, parameters[LIMIT]
    state[TIMER] += parameters[PERIOD]  # P1 (91)
    if parameters[GOES_ON] > 0.0 or state[RESOLVING] == 0.0:
        ring = SCALARS + links + 2 * joints
        state[NEWEST] = (int(state[NEWEST]) + 1) % (state.size - ring)
        state[ring + int(state[NEWEST])] = observation[joints]
        state[AGE] += 1.0
    if parameters[STALL_SPEED] > 0.0:
        state[STALLED] = state[STALLED] + parameters[PERIOD] if is_slow(parameters, observation) else 0.0
    code = jump(state, parameters, observation)
    if parameters[STALL_SPEED] > 0.0:
        code = watch(state, parameters, observation, code)
    behind = 0.0
    for i in range(links):
        angle = 0.0
        if state[RESOLVING] > 0.0:
            # P1 (79): turn links so that what pushes them pushes forward more; the head joint stays as it is.
            turn = parameters[GAIN] * state[SCALARS + i] * math.cos(yaw_of(observation, links, i))
            if i > 0:
                angle = observation[i] + behind - turn if i < joints else observation[joints]
            behind = turn
        elif i > 0:
            angle = following(state, parameters, observation, i - 1)
        if i > 0:
            reference[i - 1] = min(limit, max(-limit, angle))  # P1 (80)
            reference[joints + i - 1] = reference[2 * joints + i - 1] = 0.0
    reference[3 * joints] = code


@controllers.register("jam-resolution")
class JamResolution(CompiledController):
    """Leader and followers, P1 (74), until two joints are jammed for long, P1 (84)-(86); then resolution, P1 (79).

    The state is P1's (82): `head` theta_n,ref, `jam_force` f_jam, `jammed` jam, `timer` tau, `resolving` z; and what
    (82) leaves out: `history`, the head joint's angles of the past, a ring whose newest entry is at `newest`, the
    number of entries made, `age`, and the joint angles at the start, `first_angle`. Here joint angles have the other
    sign than P1's and joints count from 0 at the tail.
    """

    Options: ClassVar[type[Frozen]] = JamResolutionOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders", "link-poses", "contact-force"})
    tick = tick

    def __init__(self, options: Any, robot: Robot, control_period: float) -> None:
        super().__init__(options, robot, control_period)
        mass = np.array([link.mass for link in robot.links])
        # At the speed of the bends, as a number of ticks.
        self._delay = behind_head_joint(robot) / options.speed / control_period
        self._parameters = np.concatenate([self._numbers(), head_offset_weights(robot), mass / mass.sum(), self._delay])

    def _numbers(self) -> list[float]:
        own = self.options
        reference = {"printed": 0.0, "limited": LIMITED, "without-head": WITHOUT_HEAD}[own.jam_reference]
        return [
            self.period, own.head_left, own.head_right, own.swing, own.joint_limit, own.jam_angle, own.jam_time,
            own.resolution_time, own.resolution_gain, float(own.resolution), reference,
            float(own.history == "goes-on"), OWN if own.before_start == "own" else 0.0, *self._watchdog(),
        ]  # fmt: skip

    def _watchdog(self) -> tuple[float, float]:
        """Speed [m/s] below which a robot counts as stalled, and the time that it may [s]; zero: no watchdog."""
        return 0.0, 0.0

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> JamResolution:
        refuse_pitch(cls.name(), robot)
        if len(robot.links) < 3:
            raise InvalidInput(
                f"controller {cls.name()!r} needs at least 3 links; robot {robot.name!r} has {len(robot.links)}"
            )
        if options.head_left <= options.head_right:
            raise InvalidInput(
                f"controller {cls.name()!r}: head_left = {options.head_left:.4g} rad should be greater than "
                f"head_right = {options.head_right:.4g} rad"
            )
        length = sum(link.length for link in robot.links)
        if length / options.speed / control_period > limits.REMEMBERED_TICKS:
            raise InvalidInput(
                f"controller {cls.name()!r}: speed = {options.speed:.4g} m/s: the bends of the head would take "
                f"{length / options.speed:.3g} s to the tail; at most {limits.REMEMBERED_TICKS} ticks of "
                f"{control_period:g} s are remembered"
            )
        return cls(options, robot, control_period)

    @classmethod
    def name(cls) -> str:
        return "jam-resolution"

    def parameters(self) -> FloatArray:
        return self._parameters

    def initial_state(self, obs: Observation) -> Mapping[str, Any]:
        left = self.options.first == "left"
        return {
            "head": self.options.head_left if left else self.options.head_right,
            "jammed": False,
            "timer": 0.0,
            "resolving": False,
            "newest": 0,
            "age": 0,
            "stalled": 0.0,
            "ended": 0.0,  # how long the last resolution or stall was [s]
            "offset": 0.0,  # of the head from the centre of mass along y [m]
            "jam_force": np.zeros(self.joints + 1),
            "first_angle": obs.joint_angle.copy(),
            "off": np.zeros(self.joints),  # whether a joint is farther off than `jam_angle`
            "history": self._history_before(obs.joint_angle),
        }

    def _history_before(self, angle: FloatArray) -> FloatArray:
        """As if the head had led the body into its shape: joint k has what the head joint had a delay ago."""
        ticks = np.arange(ceil(self._delay[0]) + 2, dtype=float) + 1.0
        past = np.interp(ticks, self._delay[::-1], angle[::-1])  # from one tick before t = 0 backwards
        if self.options.before_start == "next":
            reached = np.searchsorted(self._delay[::-1], ticks - ROUNDING / self.period, side="right") - 1
            past = angle[::-1][np.clip(reached, 0, self.joints - 1)]
        return np.concatenate([past[:1], past[:0:-1]])  # as a ring whose newest entry is at 0

    def describe(self, code: int, state: ControllerState, observation: FloatArray) -> Iterator[tuple[str, str]]:
        if code & HEAD_RIGHT:
            yield "head-right", f"head {state['offset']:.3f} m left"
        if code & HEAD_LEFT:
            yield "head-left", f"head {-state['offset']:.3f} m right"
        if code & JAM:
            yield "jam", "joints " + ", ".join(map(str, np.flatnonzero(state["off"])))
        if code & JAM_ENDED:
            yield "jam-ended", ""
        if code & RESOLUTION:
            force = state["jam_force"]
            pushed = ", ".join(f"{i}: {force[i]:.1f} N" for i in np.flatnonzero(force))
            yield "resolution", f"forces across links {pushed}"
        if code & RESOLUTION_ENDED:
            yield "resolution-ended", f"after {state['ended']:.3g} s"
        if code & STALL:
            yield "stall", f"no progress for {state['ended']:.3g} s along x: head to the other side"
