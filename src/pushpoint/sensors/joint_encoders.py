"""Angles and rates of the joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pushpoint.quantities import Angle, Play, Rate
from pushpoint.sensors import Error, Readings, Sensor, SensorOptions, sensors
from pushpoint.types import Snapshot


class JointEncodersOptions(SensorOptions):
    noise: Play = 0.0  # [rad]
    bias: Angle = 0.0  # [rad]
    rate_noise: Play = 0.0  # [rad/s]
    rate_bias: Rate = 0.0  # [rad/s]


@sensors.register("joint-encoders")
class JointEncoders(Sensor):
    """Joint angles and rates."""

    Options: ClassVar[type[SensorOptions]] = JointEncodersOptions
    gives = ("joint_angle", "joint_rate")

    def read(self, seen: Snapshot, memory: Readings) -> Readings:
        return {"joint_angle": seen.joint_angle, "joint_rate": seen.joint_rate}

    def errors(self) -> Mapping[str, Error]:
        own = self.options
        return {"joint_angle": Error(own.noise, own.bias), "joint_rate": Error(own.rate_noise, own.rate_bias)}
