"""Forces through the joints, from the balance of momentum of the links on their tail's side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from pushpoint.quantities import Force, Torque
from pushpoint.sensors import Error, Mount, Readings, Sensor, SensorOptions, sensors
from pushpoint.types import FloatArray, Snapshot


class JointWrenchOptions(SensorOptions):
    noise: Force = 0.0  # [N]
    bias: Torque = 0.0  # [N]
    torque_noise: Force = 0.0  # [N m]
    torque_bias: Torque = 0.0  # [N m]


@sensors.register("joint-wrench")
class JointWrench(Sensor):
    """Mean force through each joint on its head's side, in world axes, and torque about its axes, over the last tick.

    At t = 0, before any tick, both are zero.
    """

    Options: ClassVar[type[SensorOptions]] = JointWrenchOptions
    gives = ("joint_force", "joint_torque")

    def __init__(self, options: JointWrenchOptions, mount: Mount) -> None:
        super().__init__(options, mount)
        self._mass = np.array([link.mass for link in mount.robot.links])[:, np.newaxis]
        down = np.array(mount.world.down)
        self._gravity = mount.world.gravity * down / np.linalg.norm(down)

    def read(self, seen: Snapshot, memory: Readings) -> Readings:
        before: FloatArray = memory.get("velocity", seen.velocity)
        acting = seen.contact_impulse + seen.ground_impulse
        if seen.attitude.ndim == 2 and memory:  # in the plane the ground carries the weight
            acting = acting + self.mount.period * self._mass * self._gravity
        missing = self._mass * (seen.velocity - before) - acting  # what came through joints, on each link
        through = -np.cumsum(missing, axis=0)[:-1] / self.mount.period
        return {"joint_force": through, "joint_torque": seen.joint_impulse / self.mount.period}

    def remember(self, seen: Snapshot, memory: Readings) -> Readings:
        return {"velocity": seen.velocity}

    def errors(self) -> Mapping[str, Error]:
        own = self.options
        return {"joint_force": Error(own.noise, own.bias), "joint_torque": Error(own.torque_noise, own.torque_bias)}
