"""Force of obstacles on each link as a whole."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from pushpoint.quantities import Force, Torque
from pushpoint.sensors import Error, Readings, Sensor, SensorOptions, sensors
from pushpoint.sensors._base import Share
from pushpoint.types import Snapshot


class ContactForceOptions(SensorOptions):
    noise: Force = 0.0  # [N]
    bias: Torque = 0.0  # [N]
    relative_noise: Share = 0.0  # of each part, as a share of it
    missed: Share = 0.0  # probability that a link feels nothing, at each reading
    range: Annotated[float, Field(gt=0)] = float("inf")  # [N], of each part: more is not shown


@sensors.register("contact-force")
class ContactForce(Sensor):
    """Mean force of obstacles and other links on each link over the last tick, in world axes."""

    Options: ClassVar[type[SensorOptions]] = ContactForceOptions
    gives = ("contact_force",)

    def read(self, seen: Snapshot, memory: Readings) -> Readings:
        return {"contact_force": seen.contact_impulse / self.mount.period}

    def errors(self) -> Mapping[str, Error]:
        own = self.options
        return {"contact_force": Error(own.noise, own.bias, own.relative_noise, own.missed)}

    @property
    def is_unlimited(self) -> bool:
        return math.isinf(self.options.range)

    def limited(self, readings: Readings) -> Readings:
        most = self.options.range
        return {"contact_force": np.clip(readings["contact_force"], -most, most)}
