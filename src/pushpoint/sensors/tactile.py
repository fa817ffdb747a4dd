"""A skin: where and how hard links are pushed, in their own axes, not by what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from pushpoint.quantities import Coordinate, Force, Torque, Width
from pushpoint.sensors import Error, Readings, Sensor, SensorOptions, sensors
from pushpoint.sensors._frames import axes, contacts_of
from pushpoint.types import FloatArray, Snapshot, Touches


class TactileOptions(SensorOptions):
    noise: Force = 0.0  # [N], of each part of the force
    bias: Torque = 0.0  # [N]
    point_noise: Width = 0.0  # [m]
    point_bias: Coordinate = 0.0  # [m]
    threshold: Force = 0.0  # [N]: weaker touches are not felt


@sensors.register("tactile")
class Tactile(Sensor):
    """Contact points, normals and mean forces over the last tick, in the axes of the links."""

    Options: ClassVar[type[SensorOptions]] = TactileOptions
    gives = ("touches",)

    def read(self, seen: Snapshot, memory: Readings) -> Readings:
        felt = contacts_of(seen, self.mount.period)
        kept = np.flatnonzero(np.linalg.norm(felt.force, axis=1) >= self.options.threshold)
        link = felt.link[kept]
        turn = axes(seen)[link]

        def in_link(vectors: FloatArray) -> FloatArray:
            return np.asarray(np.einsum("kxa,kx->ka", turn, vectors))

        return {
            "touches": Touches(
                link=link,
                place=felt.place[kept],
                side=felt.side[kept],
                point=in_link(felt.point[kept] - seen.position[link]),
                normal=in_link(felt.normal[kept]),
                force=in_link(felt.force[kept]),
            )
        }

    def errors(self) -> Mapping[str, Error]:
        own = self.options
        return {
            "touches.force": Error(own.noise, own.bias),
            "touches.point": Error(own.point_noise, own.point_bias),
        }
