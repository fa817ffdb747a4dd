"""Would a shorter time step have fitted?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

MANY = 0.05  # share of repeated steps from which on a shorter step is worth a thought
COVERED = 0.95  # share of the steps that the shorter one would have made without repeating them
WHOLE = 1e-6  # relative: decimal periods are not exact in binary


def suggested_time_step(run: Recording) -> float | None:
    """A time step [s] that COVERED of the steps would have been made with at once; None if `plant.dt` fits.

    Steps that cannot be solved, or that are not sane, are repeated in parts. Where more than MANY are, the parts that
    COVERED of the steps needed give the length, rounded down to 1, 2 or 5 times a power of ten that divides the control
    period.
    """
    if "step_parts" not in run.data or run.data.sizes["step"] < 2:
        return None
    parts = np.asarray(run.data["step_parts"].values)
    if np.mean(parts > 1) <= MANY:
        return None
    ends = np.asarray(run.data["step_time"].values, dtype=float)
    dt = float(ends[-1] - ends[0]) / (len(ends) - 1)
    needed = int(np.quantile(parts, COVERED, method="inverted_cdf"))
    return None if needed <= 1 else _rounded(dt / needed, run.scenario.control_period)


def _rounded(longest: float, period: float) -> float:
    """At most `longest` [s]: 1, 2 or 5 times a power of ten if one divides the period, else a whole part of that."""
    decade = math.floor(math.log10(longest) + WHOLE)
    for power in range(decade, decade - 3, -1):
        for digit in (5, 2, 1):
            step = float(f"{digit}e{power}")
            if step <= longest * (1 + WHOLE) and _is_whole(period / step):
                return step
    return period / math.ceil(period / longest * (1 - WHOLE))


def _is_whole(ratio: float) -> bool:
    return ratio > 0.5 and abs(ratio - round(ratio)) <= WHOLE * ratio
