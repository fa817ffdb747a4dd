"""Along seven pipes, as the robot Aiko did: `transeth2008a/track`."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from pushpoint.gym.task import Task

JITTER = 1e-3  # [m]: the pipes leave a few millimetres at the start
TORQUE_LIMIT = 6.2  # [N m], of a 6 W motor: see scenarios/transeth2008a
DT = 2.5e-3  # [s]: the gait's return is the same to 1e-4 as with 1 ms


class PegTrack(Task):
    """Progress along x among the seven pipes of P2, with a clock of the gait's frequency."""

    defaults: ClassVar[dict[str, Any]] = {
        "scenario": "transeth2008a/track",
        "overrides": {"start.jitter": JITTER, "servo.torque_limit": TORQUE_LIMIT, "plant.dt": DT},
        "control_period": 0.1,  # P2 VIII-C: references arrive at 10 Hz
        "amplitude": math.radians(50.0),  # the gait has 40
        "rate_limit": 1.5,  # half as much again as the gait
        "clock": math.radians(80.0),  # P2 VIII-D: w_h
        "goal": 1.75,  # where the middle of the robot is at the last pipe
    }
