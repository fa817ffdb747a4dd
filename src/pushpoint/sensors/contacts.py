"""Contacts of all links, with the obstacle's number: what only a simulation knows."""

from __future__ import annotations

from pushpoint.sensors import Readings, Sensor, sensors
from pushpoint.sensors._frames import contacts_of
from pushpoint.types import Snapshot


@sensors.register("contacts")
class ContactSensor(Sensor):
    """Which link was pushed by which obstacle, where and how hard, over the last tick."""

    gives = ("contacts",)

    def read(self, seen: Snapshot, memory: Readings) -> Readings:
        return {"contacts": contacts_of(seen, self.mount.period)}
