"""How far are obstacles pushed?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.errors import InvalidInput

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("farthest_push")
def farthest_push(run: Recording) -> float:
    """How far [m] the obstacle that was moved farthest is from its place, at the end."""
    if "obstacle_position" not in run.data:
        raise InvalidInput(f"{run.scenario.name}: no obstacle of this run can move")
    place = np.asarray(run.data["obstacle_position"].values, dtype=float)
    return float(np.linalg.norm(place[-1] - place[0], axis=1).max())
