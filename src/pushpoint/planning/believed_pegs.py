"""Where pegs are believed to be, corrected by touch.

A map is wrong by millimetres, and a robot that pushes is not: what it feels, and what it does not feel where it should,
say where a peg is. A peg that a link feels is moved so that the gap between the two closes. A peg that should touch and
is not felt must be farther away: it yields, slowly, up to a limit, until it is felt. `Beliefs` are plain arrays, which
go into the state of a controller; whoever makes maps from more than touches replaces `corrected`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.mechanics.tail_kernels import Pegs, correct_centres
from pushpoint.planning.push_points import BoolArray, PushPoints
from pushpoint.types import FloatArray

CLOSING = 50.0  # [1/s], of the gap of a peg that is felt: noise of sensors is averaged
YIELDING = 0.03  # [m/s], of a peg that should touch and is not felt
FARTHEST = 0.015  # [m], that such a peg yields
MAP_STREAM = 0x9E65  # keeps the draw of maps apart from those of worlds and sensors with the same seed


class Beliefs(NamedTuple):
    """What is believed of the pegs of a map."""

    centre: FloatArray  # [m], (m, 2)
    anchor: FloatArray  # [m], (m, 2): where each peg was felt last, or mapped


class Correction(NamedTuple):
    """How far touches correct a map in a tick."""

    closing: float  # part of the gap of a peg that is felt
    yielding: float  # [m], by a peg that should touch and is not felt
    farthest: float = FARTHEST  # [m], that such a peg yields

    @classmethod
    def during(cls, period: float) -> Correction:
        """In a tick of `period` [s]."""
        return cls(min(1.0, CLOSING * period), YIELDING * period)


def first_beliefs(pegs: Pegs, error: float = 0.0, seed: int = 0) -> Beliefs:
    """The map, with an error of normal distribution [m] in each coordinate."""
    centre = pegs.centre + error * np.random.default_rng([seed, MAP_STREAM]).standard_normal(pegs.centre.shape)
    return Beliefs(centre, centre.copy())


def corrected(beliefs: Beliefs, points: PushPoints, felt: BoolArray, missed: BoolArray, step: Correction) -> Beliefs:
    """The beliefs after a tick, from gaps and normals of its push-points: which of them are `felt` (k,), and which
    should be and are not, `missed` (k,)."""
    if not (felt.any() or missed.any()):
        return beliefs
    centre, anchor = beliefs.centre.copy(), beliefs.anchor.copy()
    found = np.empty((len(points.peg), 3))
    found[:, 0], found[:, 1:] = points.contacts.gap, points.contacts.normal
    kind = np.where(felt, 1, np.where(missed, -1, 0))  # a peg that two links feel: the mean of both
    correct_centres(
        np.ascontiguousarray(points.peg), found, kind, np.array(step), centre, anchor, np.empty_like(centre)
    )
    return Beliefs(centre, anchor)
