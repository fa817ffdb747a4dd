"""How well does a shape curve keep to its points, and a robot to its curve (P3 III)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis.shape_curve import drawn_curve
from pushpoint.shapes.alignment import Aligner, deviation
from pushpoint.shapes.virtual_snake import virtual_snake

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

SAMPLES = 257  # of each piece of the curve
ROUND_OFF = 1e-12  # [m]


@measures.register("curve_overshoot")
def curve_overshoot(run: Recording) -> float:
    """By how much [m] a coordinate of the curve leaves the range between the two points next to it, at most."""
    curve = drawn_curve(run)
    worst = 0.0
    for k, (one, other) in enumerate(zip(curve.points, curve.points[1:], strict=False)):
        places = curve.at(np.linspace(k, k + 1.0, SAMPLES))
        low, high = np.minimum(one, other), np.maximum(one, other)
        worst = max(worst, float((places - high).max()), float((low - places).max()))
    return worst if worst > ROUND_OFF else 0.0


@measures.register("alignment_ratio")
def alignment_ratio(run: Recording, *, look_ahead: float, reference: float) -> float:
    """Largest distance of a joint from the curve with one look-ahead [m], as a multiple of that with another."""
    curve, snake = drawn_curve(run), virtual_snake(run.scenario.built_robot())
    one, other = (
        deviation(curve, Aligner(snake, distance).align(curve, curve.last)) for distance in (look_ahead, reference)
    )
    return one / other
