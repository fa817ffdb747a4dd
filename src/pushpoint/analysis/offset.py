"""Where does a run end up beside another one?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import at, column, mass_path, times

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("mass_offset_at_end")
def mass_offset_at_end(run: Recording, reference: Recording, *, axis: str) -> float:
    """Centre of mass of `run` minus that of `reference` [m], at the last time both have."""
    last = np.array([min(times(run)[-1], times(reference)[-1])])
    return float((at(run, mass_path(run), last) - at(reference, mass_path(reference), last))[0, column(axis)])
