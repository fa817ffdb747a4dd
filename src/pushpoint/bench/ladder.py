"""Work and precision: what a run costs at each step size, and how far it is from the limit of small steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from pushpoint.bench.runs import Path

LADDER = (1e-1, 5e-2, 2.5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4)  # [s]
LIMIT_DT = 5e-5  # [s], taken for the limit of small steps
ACCURACY = 1e-3  # [m], rms over the path


@dataclass(frozen=True)
class Rung:
    """One step size of a ladder."""

    dt: float  # [s]
    rms_to_own_limit: float  # [m]; infinite if the run failed
    rms_to_our_limit: float  # [m]
    wall_time_s: float


def rms_distance(path: Path | None, limit: Path) -> float:
    """Root mean square distance [m] of two paths, row by row; infinite for a run that failed."""
    if path is None or not np.isfinite(path).all():
        return inf
    return float(np.sqrt(np.mean(np.sum((path - limit) ** 2, axis=1))))


def largest_accurate(rungs: Sequence[Rung], accuracy: float = ACCURACY) -> Rung | None:
    """The rung with the largest dt among those within `accuracy` [m] of their own limit."""
    accurate = [rung for rung in rungs if rung.rms_to_own_limit <= accuracy]
    return max(accurate, key=lambda rung: rung.dt, default=None)
