"""Torques of the motors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pushpoint.quantities import Gain, Torque
from pushpoint.sensors import Error, Readings, Sensor, SensorOptions, sensors
from pushpoint.types import Snapshot


class JointTorqueOptions(SensorOptions):
    noise: Gain = 0.0  # [N m]
    bias: Torque = 0.0  # [N m]


@sensors.register("joint-torque")
class JointTorque(Sensor):
    """Mean torque of each motor over the last tick."""

    Options: ClassVar[type[SensorOptions]] = JointTorqueOptions
    gives = ("joint_torque",)

    def read(self, seen: Snapshot, memory: Readings) -> Readings:
        return {"joint_torque": seen.joint_impulse / self.mount.period}

    def errors(self) -> Mapping[str, Error]:
        return {"joint_torque": Error(self.options.noise, self.options.bias)}
