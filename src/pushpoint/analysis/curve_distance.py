"""How far is a link from a published path, instant by instant?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import Curve, measures
from pushpoint.analysis._series import ROUNDING, at, column, link_path, rms
from pushpoint.errors import InvalidInput
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("rms_to_curve")
def rms_to_curve(
    run: Recording,
    *,
    curve: Curve,
    link: int,
    start: float = 0.0,
    end: float | None = None,
    axis: str | None = None,
) -> float:
    """Root mean square distance [m] between a link and the points of `curve` at the times of the curve, or its part
    along one axis."""
    off = _off_curve(run, curve, link, start, end)
    return rms(off if axis is None else off[:, [column(axis)]])


@measures.register("ahead_of_curve")
def ahead_of_curve(
    run: Recording, *, curve: Curve, link: int, axis: str, start: float = 0.0, end: float | None = None
) -> float:
    """By how much [m] a link is ahead of the points of `curve` along an axis, in the mean over them."""
    return float(_off_curve(run, curve, link, start, end)[:, column(axis)].mean())


@measures.register("rms_to_curve_gain")
def rms_to_curve_gain(
    run: Recording, reference: Recording, *, curve: Curve, link: int, start: float = 0.0, end: float | None = None
) -> float:
    """By how much [m] `run` is farther from the curve than `reference`; negative if it is nearer."""
    one, other = (_off_curve(each, curve, link, start, end) for each in (run, reference))
    return rms(one) - rms(other)


def _off_curve(run: Recording, curve: Curve, link: int, start: float, end: float | None) -> FloatArray:
    """From the points of the curve between two times [s] to the link at their times [m], (points, 2)."""
    chosen = curve.time >= start - ROUNDING
    if end is not None:
        chosen &= curve.time <= end + ROUNDING
    if not chosen.any():
        raise InvalidInput(f"the curve has no point between {start} and {end} s")
    path = at(run, link_path(run, link), curve.time[chosen])
    return np.asarray(path - np.stack([curve.x, curve.y], axis=1)[chosen])
