"""Fritsch and Carlson's piecewise cubic, coordinate by coordinate: what P3 uses."""

from __future__ import annotations

import numpy as np

from pushpoint.shapes.interpolations import interpolations
from pushpoint.types import FloatArray


@interpolations.register("pchip")
def pchip_slopes(points: FloatArray) -> FloatArray:
    """Smooth, coordinate by coordinate, never beyond the points; other axes give another curve (erratum P3-5)."""
    step = np.diff(points, axis=0)
    if len(step) == 1:
        return np.concatenate([step, step])
    before, after = step[:-1], step[1:]
    same = before * after > 0.0
    total = np.where(same, before + after, 1.0)
    inner = np.where(same, 2.0 * before * after / total, 0.0)
    return np.concatenate([_end(step[0], step[1])[np.newaxis], inner, _end(step[-1], step[-2])[np.newaxis]])


def _end(step: FloatArray, further: FloatArray) -> FloatArray:
    """Slope at an end: three points, but never against the first step, nor steeper than three of it."""
    free = 0.5 * (3.0 * step - further)
    kept = np.where(free * step > 0.0, free, 0.0)
    return np.where((step * further < 0.0) & (np.abs(kept) > 3.0 * np.abs(step)), 3.0 * step, kept)
