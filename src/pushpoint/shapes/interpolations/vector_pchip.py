"""The rule of pchip for vectors, so that the curve turns with its points."""

from __future__ import annotations

import numpy as np

from pushpoint.shapes.interpolations import interpolations
from pushpoint.types import FloatArray


@interpolations.register("vector-pchip")
def vector_slopes(points: FloatArray) -> FloatArray:
    """Smooth, turns with its points; may overshoot at corners by a little.

    Slopes are (d |d'| + d' |d|) / (|d| + |d'|) between the steps d and d'. On a straight line this is pchip's harmonic
    mean where the points go on, and zero where they turn back.
    """
    step = np.diff(points, axis=0)
    if len(step) == 1:
        return np.concatenate([step, step])
    size = np.linalg.norm(step, axis=1, keepdims=True)
    inner = (step[:-1] * size[1:] + step[1:] * size[:-1]) / (size[:-1] + size[1:])
    return np.concatenate([_end(step[0], step[1])[np.newaxis], inner, _end(step[-1], step[-2])[np.newaxis]])


def _end(step: FloatArray, further: FloatArray) -> FloatArray:
    free = 0.5 * (3.0 * step - further)
    if free @ step <= 0.0:
        return np.zeros(3)
    size, most = float(np.linalg.norm(free)), 3.0 * float(np.linalg.norm(step))
    return np.asarray(free * most / size if step @ further < 0.0 and size > most else free)
