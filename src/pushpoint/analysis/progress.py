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
    """Distance of the centre of mass along `axis` until `end` [s], as a share of the reference's."""
    covered = displacement(reference, axis=axis, end=end)
    if covered == 0.0:
        raise InvalidInput(f"the reference does not move along {axis} until {end} s: no ratio")
    return displacement(run, axis=axis, end=end) / covered


@measures.register("way")  # its former name
@measures.register("displacement")
def displacement(run: Recording, *, axis: str, end: float) -> float:
    """Displacement [m] of the centre of mass along an axis from t = 0 to `end` [s]."""
    first, last = at(run, mass_path(run), np.array([0.0, end]))
    return float((last - first)[column(axis)])


@measures.register("sensitivity_ratio")
def sensitivity_ratio(
    run: Recording, other: Recording, reference: Recording, other_reference: Recording, *, axis: str, end: float
) -> float:
    """How much the distance changes from `run` to the `other`, over how much it does between the references.

    Both changes are relative to the mean of the two distances.
    """
    changed = _relative_change(reference, other_reference, axis, end)
    if changed == 0.0:
        raise InvalidInput(f"the references get equally far along {axis} until {end} s: no ratio")
    return _relative_change(run, other, axis, end) / changed


def _relative_change(one: Recording, other: Recording, axis: str, end: float) -> float:
    first, second = (displacement(run, axis=axis, end=end) for run in (one, other))
    if first + second == 0.0:
        raise InvalidInput(f"two runs that do not move along {axis} until {end} s: no relative change")
    return abs(2.0 * (second - first) / (second + first))
