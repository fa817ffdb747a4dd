"""A map of the obstacles: none, what was touched so far, what is near the head, or all of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np

from pushpoint.quantities import Coordinate, Length, Width
from pushpoint.sensors import Error, Mount, Readings, Sensor, SensorOptions, sensors
from pushpoint.sensors._footprints import footprints
from pushpoint.types import Snapshot


class MapOptions(SensorOptions):
    known: Literal["none", "touched", "within", "full"] = "full"
    range: Length = 1.0  # [m], from the head link's centre, of `within`
    noise: Width = 0.0  # [m], of each coordinate and radius
    bias: Coordinate = 0.0  # [m]


@sensors.register("map")
class MapSensor(Sensor):
    """Obstacles as discs and edges, seen from above."""

    Options: ClassVar[type[SensorOptions]] = MapOptions
    gives = ("map",)

    def __init__(self, options: MapOptions, mount: Mount) -> None:
        super().__init__(options, mount)
        self._around = footprints(mount.world)
        self._obstacles = len(mount.world.obstacles)

    def read(self, seen: Snapshot, memory: Readings) -> Readings:
        around = self._around.now(seen)
        known = self._known(seen, memory)
        disc, edge = known[around.disc_obstacle], known[around.edge_obstacle]
        if self.options.known == "within":
            to_disc, to_edge = around.distances(*(float(v) for v in seen.position[-1, :2]))
            disc, edge = to_disc <= self.options.range, to_edge <= self.options.range
        return {"map": around.part(disc, edge)}

    def _known(self, seen: Snapshot, memory: Readings) -> np.ndarray:
        """Of each obstacle whether it is on the map."""
        if self.options.known != "touched":
            return np.full(self._obstacles, self.options.known != "none")
        known: np.ndarray = memory.get("touched", np.zeros(self._obstacles, dtype=bool)).copy()
        known[seen.pairs.obstacle[seen.pairs.obstacle >= 0]] = True
        return known

    def remember(self, seen: Snapshot, memory: Readings) -> Readings:
        return {"touched": self._known(seen, memory)} if self.options.known == "touched" else {}

    def errors(self) -> Mapping[str, Error]:
        wrong = Error(self.options.noise, self.options.bias)
        return {"map.disc": wrong, "map.edge": wrong}
