"""Orientation of links that only turn about the vertical."""

from __future__ import annotations

import numpy as np

from pushpoint.types import FloatArray


def yaw_quaternions(yaw: FloatArray) -> FloatArray:
    """Quaternions wxyz of rotations about z [rad]."""
    zero = np.zeros_like(yaw)
    return np.stack([np.cos(yaw / 2), zero, zero, np.sin(yaw / 2)], axis=-1)
