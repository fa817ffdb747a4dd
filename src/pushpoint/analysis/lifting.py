"""How much of the body is off the ground?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import between
from pushpoint.errors import InvalidInput

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

CARRIED = 1e-3  # share of a link's mean weight that the ground has to carry for it to touch


@measures.register("lifted_share")
def lifted_share(run: Recording, *, start: float, end: float | None = None) -> float:
    """Share of the links that the ground does not carry, in the mean between two times [s]."""
    force = np.asarray(run.data["ground_force"].values, dtype=float)
    if force.shape[2] < 3:
        raise InvalidInput(f"{run.scenario.name}: a planar run has no links that are lifted")
    carried = force[between(run, start, end), :, 2]
    weight = carried.sum(axis=1).mean() / carried.shape[1]
    return float((carried <= CARRIED * weight).mean())
