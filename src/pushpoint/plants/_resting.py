"""States at rest, as templates for states that come from files: only their names, types and shapes matter."""

from __future__ import annotations

import numpy as np

from pushpoint.types import Pose, SpatialPose


def resting(links: int) -> Pose:
    return Pose(np.zeros((links, 2)), np.zeros(links), np.zeros((links, 2)), np.zeros(links))


def resting_in_space(links: int, freedoms: int) -> SpatialPose:
    upright = np.tile([1.0, 0.0, 0.0, 0.0], (links, 1))
    nothing, angles = np.zeros((links, 3)), np.zeros(freedoms)
    return SpatialPose(nothing, upright, nothing.copy(), nothing.copy(), angles, angles.copy())
