"""Distances from the head to the obstacles around it, in the horizontal plane."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from pushpoint.quantities import Coordinate, Length, Width
from pushpoint.sensors import Error, Mount, Readings, Sensor, SensorOptions, sensors
from pushpoint.sensors._footprints import first_hits, footprints
from pushpoint.sensors._frames import yaws
from pushpoint.types import Snapshot


class RangeScanOptions(SensorOptions):
    rays: Annotated[int, Field(ge=1, le=100_000)] = 91
    angle: Annotated[float, Field(gt=0, le=2 * math.pi)] = math.radians(270.0)  # [rad], from the last ray to the first
    range: Length = 2.0  # [m]
    noise: Width = 0.0  # [m]
    bias: Coordinate = 0.0  # [m]


@sensors.register("range-scan")
class RangeScan(Sensor):
    """Rays from the head link's centre, from its right to its left; the robot's own links are not seen."""

    Options: ClassVar[type[SensorOptions]] = RangeScanOptions
    gives = ("range_scan",)

    def __init__(self, options: RangeScanOptions, mount: Mount) -> None:
        super().__init__(options, mount)
        half, rays = 0.5 * options.angle, options.rays
        self.angles = np.linspace(-half, half, rays) if rays > 1 else np.zeros(1)  # [rad], to the head's direction
        self._around = footprints(mount.world)

    def read(self, seen: Snapshot, memory: Readings) -> Readings:
        x, y = seen.position[-1, :2]
        hits = first_hits((float(x), float(y)), float(yaws(seen)[-1]) + self.angles, self._around.now(seen))
        return {"range_scan": np.where(hits <= self.options.range, hits, math.inf)}

    def errors(self) -> Mapping[str, Error]:
        return {"range_scan": Error(self.options.noise, self.options.bias)}

    def limited(self, readings: Readings) -> Readings:
        scan = np.maximum(readings["range_scan"], 0.0)
        return {"range_scan": np.where(scan <= self.options.range, scan, math.inf)}
