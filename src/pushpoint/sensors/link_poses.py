"""Poses and velocities of all links, as motion capture sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pushpoint.quantities import Angle, Coordinate, Play, Width
from pushpoint.sensors import Error, Readings, Sensor, SensorOptions, sensors
from pushpoint.sensors._frames import quaternions, yaws
from pushpoint.types import Snapshot


class LinkPosesOptions(SensorOptions):
    noise: Width = 0.0  # [m], of each coordinate
    bias: Coordinate = 0.0  # [m]
    angle_noise: Play = 0.0  # [rad], of the yaws; orientations are exact
    angle_bias: Angle = 0.0  # [rad]
    velocity_noise: Width = 0.0  # [m/s]


@sensors.register("link-poses")
class LinkPoses(Sensor):
    """Position, yaw, orientation, velocity and rate of all links."""

    Options: ClassVar[type[SensorOptions]] = LinkPosesOptions
    gives = ("link_position", "link_yaw", "link_orientation", "link_velocity", "link_rate")

    def read(self, seen: Snapshot, memory: Readings) -> Readings:
        return {
            "link_position": seen.position,
            "link_yaw": yaws(seen),
            "link_orientation": quaternions(seen),
            "link_velocity": seen.velocity,
            "link_rate": seen.rate,
        }

    def errors(self) -> Mapping[str, Error]:
        own = self.options
        return {
            "link_position": Error(own.noise, own.bias),
            "link_yaw": Error(own.angle_noise, own.angle_bias),
            "link_velocity": Error(own.velocity_noise),
        }
