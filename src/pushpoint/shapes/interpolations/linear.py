"""Straight from point to point."""

from __future__ import annotations

import numpy as np

from pushpoint.shapes.interpolations import interpolations
from pushpoint.types import FloatArray


@interpolations.register("linear")
def linear_slopes(points: FloatArray) -> FloatArray:
    """Straight pieces with corners at the points; turns with them and never overshoots."""
    step = np.diff(points, axis=0)
    return np.stack([step, step], axis=1)
