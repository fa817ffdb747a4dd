"""Catmull and Rom's cubic: the slope at a point is half of the step between its neighbours."""

from __future__ import annotations

import numpy as np

from pushpoint.shapes.interpolations import interpolations
from pushpoint.types import FloatArray


@interpolations.register("catmull-rom")
def catmull_rom_slopes(points: FloatArray) -> FloatArray:
    """Smooth and round, turns with its points; overshoots at corners and where points are unevenly spaced."""
    step = np.diff(points, axis=0)
    if len(step) == 1:
        return np.concatenate([step, step])
    inner = 0.5 * (step[:-1] + step[1:])
    first, last = 0.5 * (3.0 * step[0] - step[1]), 0.5 * (3.0 * step[-1] - step[-2])  # parabolas at the ends
    return np.concatenate([first[np.newaxis], inner, last[np.newaxis]])
