"""The speed of the head."""

from __future__ import annotations

from typing import Any

import pushpoint as pp


@pp.register_sensor("speedometer")
class Speedometer(pp.Sensor):
    """Velocity of the head along x."""

    gives = ("head_speed",)

    def read(self, seen: pp.Snapshot, memory: dict[str, Any]) -> dict[str, Any]:
        return {"head_speed": seen.velocity[-1:, 0]}
