"""Lowering a robot in space until it touches the ground or the terrain."""

from __future__ import annotations

import numpy as np

from pushpoint.geometry.capsules import outline
from pushpoint.mechanics.rotation import matrices
from pushpoint.mechanics.spatial_pose import lifted
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, SpatialPose
from pushpoint.worlds import World


def put_down(robot: Robot, world: World, pose: SpatialPose, height: float) -> SpatialPose:
    """The same pose, moved up or down until its lowest point is `height` [m] above the plane z = 0."""
    ends, radius = end_spheres(robot, pose)
    return lifted(pose, height - float((ends[:, 2] - radius).min()))


def end_spheres(robot: Robot, pose: SpatialPose) -> tuple[FloatArray, FloatArray]:
    """Centres (spheres, 3) and radii [m] of the round ends of all capsules."""
    centres, radii = [], []
    for link, centre, rotation in zip(robot.links, pose.position, matrices(pose.orientation), strict=True):
        for capsule in outline(link.shape, link.half_core, link.radius, link.rounding):
            for sign in (-1.0, 1.0):
                centres.append(centre + rotation @ [sign * capsule.half, capsule.left, capsule.up])
                radii.append(capsule.radius)
    return np.array(centres), np.array(radii)
