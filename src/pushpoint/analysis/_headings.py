"""Headings of whole robots out of recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


def mean_heading(run: Recording) -> FloatArray:
    """Direction [rad] (rows,) of the mean forward axis of all links in the horizontal plane, without jumps."""
    if "link_angle" in run.data:
        angle = np.asarray(run.data["link_angle"].values, dtype=float)
        forward = np.stack([np.cos(angle), np.sin(angle)], axis=2)
    else:
        w, x, y, z = np.moveaxis(np.asarray(run.data["link_orientation"].values, dtype=float), -1, 0)
        forward = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z)], axis=2)
    mean = forward.mean(axis=1)
    return np.asarray(np.unwrap(np.arctan2(mean[:, 1], mean[:, 0])))
