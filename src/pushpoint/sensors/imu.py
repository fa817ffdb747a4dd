"""Angular velocity and acceleration of the head link, in its own axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from pushpoint.quantities import Gain, Rate, Velocity
from pushpoint.sensors import Error, Mount, Readings, Sensor, SensorOptions, sensors
from pushpoint.sensors._frames import axes
from pushpoint.types import Snapshot


class ImuOptions(SensorOptions):
    noise: Gain = 0.0  # [m/s2], of the acceleration
    bias: Velocity = 0.0  # [m/s2]
    rate_noise: Gain = 0.0  # [rad/s], of the angular velocity
    rate_bias: Rate = 0.0  # [rad/s]


@sensors.register("imu")
class Imu(Sensor):
    """What accelerometers and gyroscopes at the head's centre show: the mean acceleration over the last tick less
    gravity, and the angular velocity at its end. At t = 0 the robot counts as unaccelerated."""

    Options: ClassVar[type[SensorOptions]] = ImuOptions
    gives = ("head_rate", "head_acceleration")

    def __init__(self, options: ImuOptions, mount: Mount) -> None:
        super().__init__(options, mount)
        down = np.array(mount.world.down)
        self._gravity = mount.world.gravity * down / np.linalg.norm(down)

    def read(self, seen: Snapshot, memory: Readings) -> Readings:
        turn, in_space = axes(seen)[-1], seen.attitude.ndim == 2
        gained = (seen.velocity[-1] - memory.get("velocity", seen.velocity[-1])) / self.mount.period
        return {
            "head_rate": turn.T @ seen.rate[-1] if in_space else seen.rate[-1:],
            "head_acceleration": turn.T @ (gained - self._gravity if in_space else gained),
        }

    def remember(self, seen: Snapshot, memory: Readings) -> Readings:
        return {"velocity": seen.velocity[-1]}

    def errors(self) -> Mapping[str, Error]:
        own = self.options
        return {"head_acceleration": Error(own.noise, own.bias), "head_rate": Error(own.rate_noise, own.rate_bias)}
