"""Orientation of links that only turn about the vertical."""

from __future__ import annotations

import numpy as np

from pushpoint.types import FloatArray


def yaw_quaternions(yaw: FloatArray) -> FloatArray:
    """Quaternions wxyz of rotations about z [rad]."""
    out, half = np.zeros((*yaw.shape, 4)), 0.5 * yaw
    out[..., 0], out[..., 3] = np.cos(half), np.sin(half)
    return out
