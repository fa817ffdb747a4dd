"""A wave that never stops: the body follows the head through clutter, and jams are resolved on the move.

    follow ---- two joints far off their references ----> jammed ---- for `jam_time` ----> resolve
      ^  ^------------------- no longer ---------------------'                               |
      |------------------------------- after `resolution_time` ------------------------------'
      '----- after `free_time` ----- free <----- hardly any motion for `stall_time` ----- in every mode

The head turns to the other side when it has swung far enough from the centre of mass (in `follow` and `jammed`), and
with every stall. The bends of the head travel to the tail in every mode.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from math import ceil, radians
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from pushpoint import limits
from pushpoint._jit import compiled_part
from pushpoint.control import ControllerState, controllers
from pushpoint.control._base import refuse_pitch
from pushpoint.control._flat_readings import (
    behind_head_joint,
    force_to_left,
    head_offset_weights,
    speed_to_head,
    without_turns,
    yaw_of,
)
from pushpoint.control.compiled import CompiledController, compiled_tick
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.quantities import Angle, Delay, Force, HalfTurn, Length, PositiveAngle, Ratio, Speed
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, Observation

ROUNDING = 1e-9  # [s]: sums of periods are off by less

Joints = Annotated[int, Field(ge=1, le=limits.LINKS)]


class ClutterWaveOptions(Frozen):
    """Tuned for ten links of 0.14 m among pegs of 4 to 10 cm; see docs/theory/clutter-wave.md."""

    head_angle: HalfTurn = radians(84.0)  # [rad], of the head link to either side of the x axis
    first: Literal["left", "right"] = "right"  # where the head turns at t = 0
    swing: Length = 0.07  # [m], of the head to either side of the centre of mass, along y
    speed: Speed = 0.52  # [m/s], at which the head's bends travel to the tail
    bin: Length = 0.005  # [m], of the memory of the head's bends; shorter, if a link is
    joint_limit: HalfTurn = radians(50.0)  # [rad], of references
    stiffness: Ratio = 1.3  # of the body while it follows, as a multiple of that of the servos
    jam_angle: PositiveAngle = radians(18.0)  # [rad]: a joint farther off than this is jammed
    jam_joints: Joints = 2  # so many make a jam
    jam_time: Delay = 0.25  # [s]: jams that last longer are resolved
    resolution_time: Delay = 0.22  # [s]
    least_force: Force = 2.0  # [N], summed over the links: with less, nothing pushes, and there is nothing to resolve
    resolution_gain: Angle = 0.1  # [rad/N], k_theta of P1 (79)
    force_time: Delay = 0.12  # [s], of the low-pass filter of contact forces
    stall_distance: Length = 0.06  # [m], mean motion along the links: less than this ...
    stall_time: Delay = 2.5  # [s] ... in so long is a stall; 0: no watchdog
    free_time: Delay = 1.5  # [s], for which links turn by the forces of each tick after a stall


# Event codes, which add up.
HEAD_RIGHT, HEAD_LEFT, JAM, JAM_ENDED, RESOLUTION, RESOLUTION_ENDED, STALL, FREE_ENDED = (1 << k for k in range(8))
# Parameters, then weights of P1 (71), and distances of the joints behind the head joint [m].
(
    PERIOD, HEAD_ANGLE, SWING, SPEED, BIN, LIMIT, JAM_ANGLE, JAM_JOINTS, JAM_TIME, RESOLUTION_TIME, GAIN, FORCE_SHARE,
    STALL_DISTANCE, STALL_TIME, STIFFNESS, LEAST_FORCE, FREE_TIME,
) = range(17)  # fmt: skip
NUMBERS = 17
# State, then filtered forces across the links, those of the jam, which joints are off, and the memory, a ring of bins.
SIDE, TRAVELLED, MODE, TIMER, PROGRESS, WATCHED, OFFSET, ENDED = range(8)
SCALARS = 8
FOLLOW, JAMMED, RESOLVE, FREE = 0.0, 1.0, 2.0, 3.0  # modes
FELT = 0.1  # [N]: smaller forces are not listed in events


@compiled_part
def remember(state: FloatArray, parameters: FloatArray, observation: FloatArray, joints: int) -> None:
    """The wave goes on, and the angle of the head joint is written into all bins that it has come to."""
    ring = SCALARS + 3 * joints + 2
    size = state.size - ring
    before = int(state[TRAVELLED] / parameters[BIN])
    state[TRAVELLED] += parameters[SPEED] * parameters[PERIOD]
    now = int(state[TRAVELLED] / parameters[BIN])
    for k in range(max(before + 1, now - size + 1), now + 1):
        state[ring + k % size] = observation[joints]


@compiled_part
def following(state: FloatArray, parameters: FloatArray, observation: FloatArray, joints: int, j: int) -> float:
    """As P1 (74): the head link keeps its direction, the other joints do what the head joint did at their place."""
    if j == joints - 1:
        neck = without_turns(yaw_of(observation, joints + 1, joints - 1))
        return float(state[SIDE] * parameters[HEAD_ANGLE] - neck)
    ring = SCALARS + 3 * joints + 2
    size = state.size - ring
    place = (state[TRAVELLED] - parameters[NUMBERS + joints + 1 + j]) / parameters[BIN]
    whole = math.floor(place)
    older, newer = state[ring + whole % size], state[ring + (whole + 1) % size]
    return float(older + (place - whole) * (newer - older))


@compiled_part
def resolving(state: FloatArray, parameters: FloatArray, observation: FloatArray, joints: int, j: int) -> float:
    """P1 (79): links turn so that what pushes them, or pushed them when the mode began, pushes forward more; the head
    goes on steering."""
    if j == joints - 1:
        return following(state, parameters, observation, joints, j)
    links, turn = joints + 1, 0.0
    first = SCALARS if state[MODE] == FREE else SCALARS + links
    for i, sense in ((j, 1.0), (j + 1, -1.0)):
        turn += sense * state[first + i] * math.cos(yaw_of(observation, links, i))
    return float(observation[1 + j] + parameters[GAIN] * turn)


@compiled_part
def count_jammed(state: FloatArray, parameters: FloatArray, observation: FloatArray, joints: int) -> int:
    """Joints that are far off references, which may lie beyond `joint_limit`: P1 (84) as printed."""
    jammed = 0
    for j in range(joints):
        off = abs(observation[1 + j] - following(state, parameters, observation, joints, j)) > parameters[JAM_ANGLE]
        state[SCALARS + 2 * (joints + 1) + j] = off
        jammed += off
    return jammed


@compiled_part
def turn_head(state: FloatArray) -> int:
    """To the other side."""
    state[SIDE] = -state[SIDE]
    return HEAD_LEFT if state[SIDE] > 0.0 else HEAD_RIGHT


@compiled_part
def enter(state: FloatArray, mode: float) -> None:
    """Another mode."""
    state[ENDED], state[MODE], state[TIMER] = state[TIMER], mode, 0.0


@compiled_part
def is_pushed(state: FloatArray, parameters: FloatArray, links: int) -> bool:
    """Whether filtered forces across the links are worth a resolution."""
    total = 0.0
    for i in range(links):
        total += abs(state[SCALARS + i])
    return bool(total >= parameters[LEAST_FORCE])


@compiled_part
def read_links(state: FloatArray, parameters: FloatArray, observation: FloatArray, links: int) -> float:
    """Progress along the links and low-pass of the forces across them, the sine and cosine of each link once. Returns
    the offset of the head from the centre of mass along y [m], P1 (71)."""
    speed = offset = 0.0
    for i in range(links):
        yaw = yaw_of(observation, links, i)
        cos, sin = math.cos(yaw), math.sin(yaw)
        speed += speed_to_head(observation, links, i, cos, sin)
        force = force_to_left(observation, links, i, cos, sin)
        state[SCALARS + i] += parameters[FORCE_SHARE] * (force - state[SCALARS + i])
        offset += parameters[NUMBERS + i] * sin
    state[PROGRESS] += speed / links * parameters[PERIOD]
    return offset


@compiled_part
def jump(state: FloatArray, parameters: FloatArray, observation: FloatArray, joints: int, offset: float) -> int:
    """What the automaton goes through at this tick, stalls apart. Returns the event codes."""
    links = joints + 1
    if state[MODE] >= RESOLVE:
        ends, code = (RESOLUTION_TIME, RESOLUTION_ENDED) if state[MODE] == RESOLVE else (FREE_TIME, FREE_ENDED)
        if not state[TIMER] >= parameters[ends] - ROUNDING:
            return 0
        enter(state, FOLLOW)
        return code
    code = 0
    state[OFFSET] = offset
    if state[SIDE] * state[OFFSET] > parameters[SWING]:  # P1 (72)
        code = turn_head(state)
    jammed = count_jammed(state, parameters, observation, joints) >= parameters[JAM_JOINTS]
    if jammed and state[MODE] == FOLLOW:
        enter(state, JAMMED)
        return code | JAM
    if not jammed and state[MODE] == JAMMED:
        enter(state, FOLLOW)
        return code | JAM_ENDED
    if (
        state[MODE] == JAMMED
        and state[TIMER] >= parameters[JAM_TIME] - ROUNDING
        and is_pushed(state, parameters, links)
    ):
        enter(state, RESOLVE)
        for i in range(links):
            state[SCALARS + links + i] = state[SCALARS + i]
        return code | RESOLUTION
    return code


@compiled_part
def watch(state: FloatArray, parameters: FloatArray, code: int) -> int:
    """A robot that has hardly moved along its links turns its head to the other side, and frees itself."""
    if state[PROGRESS] >= parameters[STALL_DISTANCE]:
        state[PROGRESS] = state[WATCHED] = 0.0
    if not state[WATCHED] >= parameters[STALL_TIME] - ROUNDING or parameters[STALL_TIME] == 0.0:
        return code
    state[PROGRESS] = state[WATCHED] = 0.0
    if state[MODE] == RESOLVE:
        code |= RESOLUTION_ENDED
    enter(state, FREE)
    if not code & (HEAD_LEFT | HEAD_RIGHT):
        code |= turn_head(state)
    return code | STALL


@compiled_tick
def tick(state: FloatArray, parameters: FloatArray, observation: FloatArray, reference: FloatArray) -> None:
    """One tick of the automaton, then references for its mode."""
    joints = (reference.size - 1) // 3
    links, limit = joints + 1, parameters[LIMIT]
    state[TIMER] += parameters[PERIOD]
    state[WATCHED] += parameters[PERIOD]
    offset = read_links(state, parameters, observation, links)
    remember(state, parameters, observation, joints)
    code = watch(state, parameters, jump(state, parameters, observation, joints, offset))
    factor = 1.0 if state[MODE] == RESOLVE else parameters[STIFFNESS]
    for j in range(joints):
        if state[MODE] >= RESOLVE:
            aim = resolving(state, parameters, observation, joints, j)
        else:
            aim = following(state, parameters, observation, joints, j)
        aim = min(limit, max(-limit, aim))  # P1 (80)
        reference[j] = observation[1 + j] + factor * (aim - observation[1 + j])
        reference[joints + j] = reference[2 * joints + j] = 0.0
    reference[3 * joints] = code


def _bin(options: ClutterWaveOptions, robot: Robot) -> float:
    """[m]: the memory says nothing between bins."""
    return min(options.bin, *(link.length for link in robot.links))


@controllers.register("clutter-wave")
class ClutterWave(CompiledController):
    """The head leads, a wave carries its bends to the tail at a constant speed, jams are resolved as in P1 (79).

    Other than `jam-resolution`, nothing waits: the wave and its memory go on while a jam is resolved, and the head
    steers. The memory holds the measured angle of the head joint over the distance that the wave has travelled. Joint
    angles have the other sign than P1's, and joints count from 0 at the tail.

    State: `side` of the head (1 left, -1 right), `travelled` by the wave [m], `mode` (0 follow, 1 jammed, 2 resolve, 3
    free), `timer` since it began [s], `progress` along the links [m] in the time `watched` [s]; filtered forces across
    the links, `force`, those at the start of the last resolution, `jam_force` [N]; and `memory` [rad], a ring of bins.
    """

    Options: ClassVar[type[Frozen]] = ClutterWaveOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders", "link-poses", "contact-force"})
    tick = tick

    def __init__(self, options: Any, robot: Robot, control_period: float) -> None:
        super().__init__(options, robot, control_period)
        self._behind = behind_head_joint(robot)
        self._parameters = np.concatenate([self._numbers(), head_offset_weights(robot), self._behind])

    def _numbers(self) -> list[float]:
        own = self.options
        share = 1.0 - math.exp(-self.period / own.force_time) if own.force_time > 0.0 else 1.0
        return [
            self.period, own.head_angle, own.swing, own.speed, _bin(own, self.robot), own.joint_limit, own.jam_angle,
            float(own.jam_joints), own.jam_time, own.resolution_time, own.resolution_gain, share, own.stall_distance,
            own.stall_time, own.stiffness, own.least_force, own.free_time,
        ]  # fmt: skip

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> ClutterWave:
        refuse_pitch("clutter-wave", robot)
        if len(robot.links) < 3:
            raise InvalidInput(
                f"controller 'clutter-wave' needs at least 3 links; robot {robot.name!r} has {len(robot.links)}"
            )
        if options.jam_joints > len(robot.freedoms):
            raise InvalidInput(
                f"controller.jam_joints = {options.jam_joints}: robot {robot.name!r} has {len(robot.freedoms)} joints"
            )
        bins = sum(link.length for link in robot.links) / _bin(options, robot)
        if bins > limits.REMEMBERED_TICKS:
            raise InvalidInput(
                f"controller 'clutter-wave': with bin = {_bin(options, robot):.4g} m the memory would have {bins:.3g} "
                f"bins; at most {limits.REMEMBERED_TICKS}"
            )
        return cls(options, robot, control_period)

    def parameters(self) -> FloatArray:
        return self._parameters

    def initial_state(self, obs: Observation) -> Mapping[str, Any]:
        links = self.joints + 1
        return {
            "side": 1.0 if self.options.first == "left" else -1.0,
            "travelled": 0.0,
            "mode": 0,
            "timer": 0.0,
            "progress": 0.0,
            "watched": 0.0,
            "offset": 0.0,  # of the head from the centre of mass along y [m]
            "ended": 0.0,  # how long the last mode was [s]
            "force": np.zeros(links),
            "jam_force": np.zeros(links),
            "off": np.zeros(self.joints),  # whether a joint is farther off than `jam_angle`
            "memory": self._memory_before(obs.joint_angle),
        }

    def _memory_before(self, angle: FloatArray) -> FloatArray:
        """As if the head had led the body into its shape: a joint has what the head joint had at its place."""
        size = _bin(self.options, self.robot)
        bins = -np.arange(ceil(self._behind[0] / size) + 2)  # of the past; bin 0 is that of t = 0
        past = np.interp(-bins * size, self._behind[::-1], angle[::-1])
        memory = np.zeros(len(bins))
        memory[bins % len(bins)] = past
        return memory

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
            pushed = ", ".join(f"{i}: {force[i]:.1f} N" for i in np.flatnonzero(np.abs(force) > FELT))
            yield "resolution", f"forces across links {pushed}"
        if code & RESOLUTION_ENDED:
            yield "resolution-ended", f"after {state['ended']:.3g} s"
        if code & FREE_ENDED:
            yield "free-ended", ""
        if code & STALL:
            yield "stall", f"less than {self.options.stall_distance:.3g} m along the links"
