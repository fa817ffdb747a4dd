"""How fast does the robot get along?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import at, column, mass_path
from pushpoint.errors import InvalidInput

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("mean_speed")
def mean_speed(run: Recording, *, axis: str, start: float, end: float) -> float:
    """Mean velocity [m/s] of the centre of mass from `start` to `end` [s]."""
    if end <= start:
        raise InvalidInput(f"end = {end} s: must be later than start = {start} s")
    first, last = at(run, mass_path(run), np.array([start, end]))
    return float((last - first)[column(axis)] / (end - start))


@measures.register("speed_ratio")
def speed_ratio(run: Recording, reference: Recording, *, axis: str, start: float, end: float) -> float:
    """Mean velocity of the centre of mass over the reference's; negative if they go in opposite directions."""
    other = mean_speed(reference, axis=axis, start=start, end=end)
    if other == 0.0:
        raise InvalidInput(f"the reference does not move along {axis} from {start} to {end} s: no ratio")
    return mean_speed(run, axis=axis, start=start, end=end) / other
