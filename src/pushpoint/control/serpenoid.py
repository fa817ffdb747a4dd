"""Lateral undulation: a sine wave that travels along the joints, with parameters that may change in time."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pushpoint.control import Planned, controllers
from pushpoint.control._base import refuse_pitch
from pushpoint.control._schedule import Schedule, Scheduled, ScheduledBend, gait_time
from pushpoint.fields import Frozen
from pushpoint.quantities import Angle, Delay
from pushpoint.robots import Robot
from pushpoint.types import CommandTable, FloatArray


class SerpenoidOptions(Frozen):
    """Each scheduled parameter is a number or a list of (time, value) knots in gait time."""

    amplitude: ScheduledBend = 0.7  # [rad]
    frequency: Scheduled = 1.4  # [rad/s]
    phase_shift: Scheduled = -0.7  # [rad], from joint to joint; negative: the wave runs to the tail, the robot forward
    offset: ScheduledBend = 0.0  # [rad], turns the robot
    start_phase: Angle = 0.0  # [rad]
    start_delay: Delay = 0.0  # [s], the shape is held until then
    hold_period: Delay = 0.0  # [s], references are sampled this often and held; 0: continuous
    rates: bool = True  # False: no rate references, so that the servo damps all motion, P1 (81)


@controllers.register("serpenoid")
class Serpenoid(Planned):
    """angle_j(t) = offset + amplitude sin(phase + (J - 1 - j) phase_shift + start_phase).

    J joints, j = 0 at the tail; phase is the integral of the frequency over the gait time t, which is
    max(0, time - start_delay). Rates are the exact derivatives, those of the schedules included. With a hold
    period (a robot whose references arrive over a bus) the references are those of the last sample and the
    rates are zero.

    P2 (71) is A sin(w t + (i - 1) delta) for its joint i = 1 ... J, counted from the head, with body axes
    that point to the tail, so its angles have the other sign: start_phase = pi, phase_shift = delta here.
    """

    Options: ClassVar[type[Frozen]] = SerpenoidOptions
    uses: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, options: SerpenoidOptions, joints: int) -> None:
        self._options = options
        self._amplitude, self._offset = Schedule.of(options.amplitude), Schedule.of(options.offset)
        self._frequency, self._shift = Schedule.of(options.frequency), Schedule.of(options.phase_shift)
        self._from_head = np.arange(joints - 1, -1, -1, dtype=float)  # J - 1 - j

    @classmethod
    def build(cls, options: SerpenoidOptions, robot: Robot, control_period: float) -> Serpenoid:
        refuse_pitch("serpenoid", robot)
        return cls(options, len(robot.links) - 1)

    def initial_shape(self) -> FloatArray:
        angle, _ = self._wave(np.zeros(1))
        return np.asarray(angle[0])

    def table(self, times: FloatArray) -> CommandTable:
        since, still = gait_time(times, self._options.start_delay, self._options.hold_period)
        angle, rate = self._wave(since)
        rate[still | (not self._options.rates)] = 0.0
        return CommandTable(angle, rate, np.zeros_like(angle))

    def _wave(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Angles and rates (t, J) at gait times t."""
        amplitude, k = self._amplitude.value(t), self._from_head
        argument = self._frequency.integral(t) + k * self._shift.value(t) + self._options.start_phase
        angle = self._offset.value(t) + amplitude * np.sin(argument)
        turning = self._frequency.value(t) + k * self._shift.slope(t)
        growing = self._offset.slope(t) + self._amplitude.slope(t) * np.sin(argument)
        return angle, growing + amplitude * np.cos(argument) * turning
