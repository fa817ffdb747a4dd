"""A gait that crawls over bare ground, where friction is the same in all directions: no push-point is needed."""

from __future__ import annotations

import math
from math import radians
from typing import Any, ClassVar

import numpy as np

from pushpoint._jit import compiled_part
from pushpoint.control import controllers
from pushpoint.control._base import refuse_pitch
from pushpoint.control._flat_readings import without_turns, yaw_of
from pushpoint.control.compiled import CompiledController, compiled_tick
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen, Number
from pushpoint.quantities import Angle, Bend, PositiveAngle, Rate
from pushpoint.robots import Robot
from pushpoint.types import FloatArray

JOINTS = 9  # of the robot for which the numbers were found


class CrawlOptions(Frozen):
    """With u from -1 at the tail joint to 1 at the head joint, found for ten links of 0.14 m on ground of friction 0.3.

    Other robots get the same shape: amplitudes and limits are spread over their joints, and the frequency goes with the
    square of that, as for beams of other lengths.
    """

    amplitude: Angle = radians(99.6)  # [rad], A, of the wave; what exceeds `joint_limit` is cut off
    frequency: Rate = 5.609  # [rad/s], w
    phase_shift: Angle = radians(13.96)  # [rad], from joint to joint of ten links
    phase_bow: Angle = -0.414  # [rad], e, added at both ends
    slope: Number = 0.798  # a1, of the amplitude: larger at the head
    bow: Number = 1.053  # a2, of the amplitude: larger at both ends
    third: Angle = radians(45.0)  # [rad], A3, amplitude of the third harmonic
    third_phase: Angle = radians(-163.5)  # [rad], p3
    start_phase: Angle = 0.0  # [rad]; pi: half a period later
    heading_gain: Number = 0.302  # k, bend per mean link angle: keeps the robot along x
    heading_limit: PositiveAngle = 0.35  # [rad], of that bend
    joint_limit: Bend = radians(50.0)  # [rad]


# Parameters, then the bend per unit of the wave, and the phase [rad], of each joint.
FREQUENCY, THIRD, THIRD_PHASE, HEADING_GAIN, HEADING_LIMIT, LIMIT = range(6)
NUMBERS = 6


@compiled_part
def mean_yaw(observation: FloatArray, links: int) -> float:
    """Of all links [rad], that of the head from -pi to pi."""
    head, total = yaw_of(observation, links, links - 1), 0.0
    for i in range(links):
        total += yaw_of(observation, links, i)
    return total / links - (head - without_turns(head))


@compiled_tick
def tick(state: FloatArray, parameters: FloatArray, observation: FloatArray, reference: FloatArray) -> None:
    """The wave at this instant, bent towards the x axis."""
    joints, limit, most = (reference.size - 1) // 3, parameters[LIMIT], parameters[HEADING_LIMIT]
    heading = min(most, max(-most, parameters[HEADING_GAIN] * mean_yaw(observation, joints + 1)))
    for j in range(joints):
        phase = parameters[FREQUENCY] * observation[0] + parameters[NUMBERS + joints + j]
        third = parameters[THIRD] * math.sin(3.0 * phase + parameters[THIRD_PHASE])
        bend = parameters[NUMBERS + j] * math.sin(phase) + third + heading
        reference[j] = -min(limit, max(-limit, bend))
        reference[joints + j] = reference[2 * joints + j] = 0.0
    reference[3 * joints] = 0.0


@controllers.register("crawl")
class Crawl(CompiledController):
    """angle = -clip(A (1 + a1 u + a2 u^2) sin P + A3 sin(3 P + p3) + clip(k mean link angle)), P = w t + 4 d (1 + u) +
    e u^2.

    Large bends that are cut off, so that parts of the body rest while others move.
    """

    Options: ClassVar[type[Frozen]] = CrawlOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders", "link-poses"})
    tick = tick

    def __init__(self, options: Any, robot: Robot, control_period: float) -> None:
        super().__init__(options, robot, control_period)
        own, spread = options, JOINTS / self.joints
        u = np.linspace(-1.0, 1.0, self.joints)
        bend = own.amplitude * (1.0 + own.slope * u + own.bow * u * u)
        phase = own.start_phase + own.phase_shift * (JOINTS - 1) / 2 * (1.0 + u) + own.phase_bow * u * u
        numbers = [own.frequency * spread**2, own.third * spread, own.third_phase, own.heading_gain * spread]
        limits = [own.heading_limit * spread, own.joint_limit * spread]
        self._parameters = np.concatenate([numbers, limits, bend * spread, phase])

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> Crawl:
        refuse_pitch("crawl", robot)
        if len(robot.links) < 3:
            raise InvalidInput(
                f"controller 'crawl' needs at least 3 links; robot {robot.name!r} has {len(robot.links)}"
            )
        return cls(options, robot, control_period)

    def parameters(self) -> FloatArray:
        return self._parameters
