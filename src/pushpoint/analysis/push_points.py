"""What do push-points give a robot, and what do they cost?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import ROUNDING, between, require, times
from pushpoint.analysis.displacement_vector import displacement

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

PUSHING = 1e-3  # [N], what is more than round-off of the solver


@measures.register("pegs_at_once")
def pegs_at_once(run: Recording, *, start: float, end: float) -> float:
    """How many obstacles push the robot at the same time, in the mean over the rows from `start` to `end` [s]."""
    require(run, start)
    require(run, end)
    table = run.contacts
    time, force = table["time"].values, np.linalg.norm(table["force"].values[:, :2], axis=1)
    chosen = (time > start + ROUNDING) & (time <= end + ROUNDING) & (force > PUSHING)
    pushes = np.unique(np.stack([time[chosen], table["obstacle"].values[chosen]], axis=1), axis=0)
    rows = times(run)
    return float(len(pushes)) / max(1, int(((rows > start + ROUNDING) & (rows <= end + ROUNDING)).sum()))


@measures.register("forward_share")
def forward_share(run: Recording, *, start: float, end: float) -> float:
    """Component of the contact impulses along the robot's displacement, over the sum of their magnitudes: one if all
    obstacles push where the robot goes."""
    force = _impulses(run, "contact_force", start, end)
    moved, size = displacement(run, start, end), float(np.linalg.norm(force, axis=2).sum())
    far = float(np.linalg.norm(moved))
    return float((force @ moved).sum() / (far * size)) if far > 0 and size > 0 else 0.0


@measures.register("contact_cost")
def contact_cost(run: Recording, *, start: float, end: float) -> float:
    """Contact impulse per metre [N s/m]: the time integral of the magnitudes, summed over links, over the distance."""
    force = _impulses(run, "contact_force", start, end)
    return _per_metre(run, float(np.linalg.norm(force, axis=2).sum()), start, end)


@measures.register("torque_cost")
def torque_cost(run: Recording, *, start: float, end: float) -> float:
    """Time integral of the joint torques' magnitudes per metre [N m s/m]."""
    return _per_metre(run, float(np.abs(_impulses(run, "joint_torque", start, end)).sum()), start, end)


def _impulses(run: Recording, variable: str, start: float, end: float) -> FloatArray:
    """Integrals from row to row; rows hold means since the row before."""
    rows = between(run, start, end)
    values = np.asarray(run.data[variable].values, dtype=float)[rows][1:]
    period = np.diff(times(run)[rows]).reshape(-1, *(1,) * (values.ndim - 1))
    return np.asarray((values * period)[..., :2] if values.ndim == 3 else values * period)


def _per_metre(run: Recording, total: float, start: float, end: float) -> float:
    far = float(np.linalg.norm(displacement(run, start, end)))
    return total / far if far > 0 else math.inf
