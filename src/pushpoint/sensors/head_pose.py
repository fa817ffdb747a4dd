"""Where the head link is and where it points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from pushpoint.mechanics.yaw import yaw_quaternions
from pushpoint.quantities import Angle, Coordinate, Play, Width
from pushpoint.sensors import Error, Readings, Sensor, SensorOptions, sensors
from pushpoint.sensors._frames import quaternions, yaws
from pushpoint.types import Snapshot


class HeadPoseOptions(SensorOptions):
    noise: Width = 0.0  # [m], of each coordinate
    bias: Coordinate = 0.0  # [m]
    angle_noise: Play = 0.0  # [rad], of the yaw; in space the orientation is turned along with it
    angle_bias: Angle = 0.0  # [rad]


@sensors.register("head-pose")
class HeadPose(Sensor):
    """Position of the head link's centre, its yaw and its orientation."""

    Options: ClassVar[type[SensorOptions]] = HeadPoseOptions
    gives = ("head_position", "head_yaw", "head_orientation")

    def read(self, seen: Snapshot, memory: Readings) -> Readings:
        return {
            "head_position": seen.position[-1],
            "head_yaw": float(yaws(seen, slice(-1, None))[0]),
            "head_orientation": quaternions(seen, slice(-1, None))[0],
        }

    def errors(self) -> Mapping[str, Error]:
        own = self.options
        return {"head_position": Error(own.noise, own.bias), "head_yaw": Error(own.angle_noise, own.angle_bias)}

    @property
    def is_unlimited(self) -> bool:
        return not self.options.angle_noise and not self.options.angle_bias

    def limited(self, readings: Readings) -> Readings:
        """The orientation agrees with the yaw."""
        w, x, y, z = readings["head_orientation"]
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        off = float(readings["head_yaw"]) - float(yaw)
        a, d = yaw_quaternions(np.array(np.remainder(off + np.pi, 2 * np.pi) - np.pi))[[0, 3]]
        turned = np.array([a * w - d * z, a * x - d * y, a * y + d * x, a * z + d * w])
        return {**readings, "head_yaw": float(readings["head_yaw"]), "head_orientation": turned}
