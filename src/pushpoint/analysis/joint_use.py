"""Which joints does a robot use, and are they at their limits?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import between
from pushpoint.errors import InvalidInput

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

AT_THE_LIMIT = 0.999  # of the torque limit


@measures.register("joint_over_others")
def joint_over_others(run: Recording, *, joint: int, start: float = 0.0, end: float | None = None) -> float:
    """Mean size of a joint's angle over that of the most bent of the other joints."""
    angle = np.abs(np.asarray(run.data["joint_angle"].values, dtype=float)[between(run, start, end)]).mean(axis=0)
    if not 0 <= joint < len(angle) or len(angle) < 2:
        raise InvalidInput(f"joint = {joint}: the recording has joints 0 (at the tail) to {len(angle) - 1}")
    return float(angle[joint] / np.delete(angle, joint).max())


@measures.register("saturated_share")
def saturated_share(run: Recording, *, limit: float, start: float = 0.0, end: float | None = None) -> float:
    """Share of the time in which the torque of some joint is at `limit` [N m]."""
    torque = np.abs(np.asarray(run.data["joint_torque"].values, dtype=float)[between(run, start, end)])
    return float((torque >= AT_THE_LIMIT * limit).any(axis=1).mean())
