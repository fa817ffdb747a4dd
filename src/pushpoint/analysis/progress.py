"""Does one run get as far as another?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import at, column, mass_path
from pushpoint.errors import InvalidInput

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("progress_ratio")
def progress_ratio(run: Recording, reference: Recording, *, axis: str, end: float) -> float:
    """Way of the centre of mass along `axis` until `end` [s], as a share of the reference's."""
    covered = way(reference, axis=axis, end=end)
    if covered == 0.0:
        raise InvalidInput(f"the reference does not move along {axis} until {end} s: no ratio")
    return way(run, axis=axis, end=end) / covered


@measures.register("way")
def way(run: Recording, *, axis: str, end: float) -> float:
    """Displacement [m] of the centre of mass along an axis from t = 0 to `end` [s]."""
    first, last = at(run, mass_path(run), np.array([0.0, end]))
    return float((last - first)[column(axis)])
