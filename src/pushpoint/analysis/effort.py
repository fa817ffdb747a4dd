"""What does a metre cost?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import between, times
from pushpoint.analysis.progress import displacement

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("contact_cost_ratio")
def contact_cost_ratio(run: Recording, reference: Recording, *, axis: str, end: float) -> float:
    """Contact impulse per metre along `axis` until `end` [s], as a multiple of the reference's.

    The impulse is the time integral of the contact forces' magnitudes, summed over links: peaks of single
    steps grow as 1/dt, impulses do not.
    """
    return _per_metre(run, "contact_force", axis, end) / _per_metre(reference, "contact_force", axis, end)


@measures.register("torque_cost_ratio")
def torque_cost_ratio(run: Recording, reference: Recording, *, axis: str, end: float) -> float:
    """Time integral of the joint torques' magnitudes per metre, as a multiple of the reference's."""
    return _per_metre(run, "joint_torque", axis, end) / _per_metre(reference, "joint_torque", axis, end)


def _per_metre(run: Recording, variable: str, axis: str, end: float) -> float:
    """Integral of the summed magnitudes over the distance covered; infinite if the run gets nowhere."""
    rows = between(run, 0.0, end)
    values = np.asarray(run.data[variable].values, dtype=float)[rows]
    size = np.linalg.norm(values, axis=2) if values.ndim == 3 else np.abs(values)
    # Rows hold means since the previous row, so the sum over rows is the integral.
    total = float(np.sum(size.sum(axis=1)[1:] * np.diff(times(run)[rows])))
    covered = displacement(run, axis=axis, end=end)
    return total / covered if covered > 0 else math.inf
