"""Which links of a pose intersect which obstacles, and how deep."""

from __future__ import annotations

import numpy as np

from pushpoint.robots import Robot
from pushpoint.types import Pose
from pushpoint.worlds import World


def overlaps(robot: Robot, world: World, pose: Pose) -> list[tuple[int, int, float]]:
    """(link, obstacle, depth [m]) of every capsule that intersects a disc, the deepest first."""
    if not world.obstacles:
        return []
    half_core, link_radius = np.array([(link.half_core, link.radius) for link in robot.links]).T
    disc = np.array([(d.x, d.y, d.radius) for d in world.discs])
    axis = np.stack([np.cos(pose.angle), np.sin(pose.angle)], axis=1)
    away = disc[np.newaxis, :, :2] - pose.position[:, np.newaxis]  # (links, discs, 2)
    along = np.einsum("lda,la->ld", away, axis)
    place = np.clip(along, -half_core[:, np.newaxis], half_core[:, np.newaxis])  # nearest point of the axis
    distance = np.linalg.norm(away - place[:, :, np.newaxis] * axis[:, np.newaxis], axis=2)
    depth = link_radius[:, np.newaxis] + disc[np.newaxis, :, 2] - distance
    found = [(int(i), int(k), float(depth[i, k])) for i, k in np.argwhere(depth > 0)]
    return sorted(found, key=lambda row: -row[2])
