"""Sideways over flat ground, lifting parts of the body: `transeth2008b/sidewinding`."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from pushpoint.gym.observing import Part
from pushpoint.gym.task import MOST_FORCE, Task


class Sidewind(Task):
    """Progress to the left of a robot that starts straight, in space; shown is also which links bear the weight."""

    defaults: ClassVar[dict[str, Any]] = {
        "scenario": "transeth2008b/sidewinding",
        "overrides": {"start.jitter": 0.01},
        "direction": (0.0, 1.0),
        "amplitude": math.radians(45.0),
        "pitch_amplitude": math.radians(15.0),
        "clock": math.radians(80.0),  # P5 VIII-E
        "duration": 15.0,
        "most_aside": 2.0,
    }

    def made_parts(self) -> tuple[Part, ...]:
        weight = self.body.weight
        load = Part("load", self.body.links, "weight of the robot", MOST_FORCE, "vertical force of the ground on each "
                    "link", lambda s: s.seen.ground_force[..., 2] / weight)  # fmt: skip
        return (*self.parts_of_body(), load, *self.parts_of_course(), *self.clock_parts())
