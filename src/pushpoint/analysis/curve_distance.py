"""How far is a link from a published path, instant by instant?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import Curve, measures
from pushpoint.analysis._series import ROUNDING, at, column, link_path, rms
from pushpoint.errors import InvalidInput

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
    chosen = curve.time >= start - ROUNDING
    if end is not None:
        chosen &= curve.time <= end + ROUNDING
    if not chosen.any():
        raise InvalidInput(f"the curve has no point between {start} and {end} s")
    path = at(run, link_path(run, link), curve.time[chosen])
    off = path - np.stack([curve.x, curve.y], axis=1)[chosen]
    return rms(off if axis is None else off[:, [column(axis)]])


@measures.register("rms_to_curve_gain")
def rms_to_curve_gain(
    run: Recording, reference: Recording, *, curve: Curve, link: int, end: float | None = None
) -> float:
    """By how much [m] `run` is farther from the curve than `reference`; negative if it is nearer."""
    return rms_to_curve(run, curve=curve, link=link, end=end) - rms_to_curve(reference, curve=curve, link=link, end=end)
