"""How many points of a curve that grows and is forgotten to keep ahead of the head and behind the tail."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.shapes.gait_segment import GaitSegment
from pushpoint.shapes.interpolations import slopes_of

SETTLED = 1e-7  # [m]: slopes that differ by less are the same
MOST = 64  # points: an interpolation that is felt farther away is refused


class Reach(NamedTuple):
    """In points. Two ahead: erratum P3-5."""

    ahead: int = 2
    behind: int = 3


def reach_of(interpolation: str, segment: GaitSegment) -> Reach:
    """The reach of an interpolation on a repeated segment: one more point changes the curve only beyond `ahead`, one
    less only before `behind`."""
    steps = len(segment.array()) - 1
    points = segment.repeated(max(2, math.ceil(3 * MOST / steps)))
    whole = slopes_of(interpolation, points)
    grown = np.abs(whole[:-1] - slopes_of(interpolation, points[:-1])).max(axis=(1, 2)) > SETTLED
    cut = np.abs(whole[1:] - slopes_of(interpolation, points[1:])).max(axis=(1, 2)) > SETTLED
    ahead = len(grown) - int(np.argmax(grown)) if grown.any() else 0
    behind = len(cut) - int(np.argmax(cut[::-1])) if cut.any() else 0
    if max(ahead, behind) > MOST:
        raise InvalidInput(
            f"interpolation = {interpolation!r}: one more point changes the curve {max(ahead, behind)} points away; "
            f"should be {MOST} at most where a segment is repeated"
        )
    return Reach(max(Reach().ahead, ahead), max(Reach().behind, behind))
