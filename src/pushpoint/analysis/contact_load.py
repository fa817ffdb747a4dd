"""How hard do obstacles push a link, and where to?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import between, column
from pushpoint.errors import InvalidInput
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("mean_contact_force")
def mean_contact_force(run: Recording, *, link: int, axis: str, start: float, end: float) -> float:
    """Mean contact force [N] on a link along an axis between two times [s]."""
    return float(_forces(run, link)[between(run, start, end), column(axis)].mean())


@measures.register("contact_force_ratio")
def contact_force_ratio(run: Recording, *, link: int, other: int, start: float, end: float) -> float:
    """Mean size of the contact force on a link between two times [s], as a multiple of that on another link."""
    rows = between(run, start, end)
    one, reference = (np.linalg.norm(_forces(run, number)[rows], axis=1).mean() for number in (link, other))
    if reference == 0.0:
        raise InvalidInput(f"other = {other}: nothing pushes this link between {start} and {end} s")
    return float(one / reference)


@measures.register("peak_contact_ratio")
def peak_contact_ratio(run: Recording, reference: Recording) -> float:
    """Largest contact force on any link, as means from row to row, as a multiple of the reference's while both last."""
    last = min(float(run.data["time"].values[-1]), float(reference.data["time"].values[-1]))
    one, other = (_peak(each, last) for each in (run, reference))
    if other == 0.0:
        raise InvalidInput("nothing pushes the robot of the reference: no ratio")
    return one / other


def _peak(run: Recording, end: float) -> float:
    force = np.asarray(run.data["contact_force"].values, dtype=float)[between(run, 0.0, end)]
    return float(np.linalg.norm(force, axis=2).max())


def _forces(run: Recording, link: int) -> FloatArray:
    force = np.asarray(run.data["contact_force"].values, dtype=float)
    if not 0 <= link < force.shape[1]:
        raise InvalidInput(f"link = {link}: the recording has links 0 (tail) to {force.shape[1] - 1}")
    return force[:, link]
