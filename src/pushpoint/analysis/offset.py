"""Where does a run end up beside another one?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import at, column, mass_path, times

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("mass_offset")
def mass_offset(run: Recording, reference: Recording, *, axis: str, time: float) -> float:
    """Centre of mass of `run` minus that of `reference` [m] at a time [s]."""
    moment = np.array([time])
    return float((at(run, mass_path(run), moment) - at(reference, mass_path(reference), moment))[0, column(axis)])


@measures.register("mass_offset_at_end")
def mass_offset_at_end(run: Recording, reference: Recording, *, axis: str) -> float:
    """Centre of mass of `run` minus that of `reference` [m], at the last time both have."""
    last = min(float(times(run)[-1]), float(times(reference)[-1]))
    return mass_offset(run, reference, axis=axis, time=last)
