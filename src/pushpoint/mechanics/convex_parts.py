"""Obstacles as convex parts, each given by points whose hull it is."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pushpoint.mechanics.spatial_pose import Attitude, turned_by
from pushpoint.types import FloatArray
from pushpoint.worlds import Box, Cylinder, Disc, Obstacle, Polygon, Wall

HIGH = 1000.0  # [m], of obstacles without a height
AROUND = 24  # corners of the polygon that stands for a circle
SIGNS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def corners(obstacle: Obstacle) -> list[FloatArray]:
    """Corners [m], (points, 3), of each convex part; a circle has AROUND of them."""
    if isinstance(obstacle, Box):
        return [obstacle.centre + SIGNS * obstacle.size @ box_axes(obstacle).T]
    if isinstance(obstacle, Cylinder):
        return [_cylinder(obstacle)]
    if isinstance(obstacle, Disc):
        return [_standing(obstacle.outline + _circle(obstacle.radius), obstacle.height)]
    assert isinstance(obstacle, Wall | Polygon)
    parts = [obstacle.points] if isinstance(obstacle, Polygon) else pairwise(obstacle.points)
    return [_standing(np.array(part), obstacle.height) for part in parts]


def box_axes(box: Box) -> FloatArray:
    """The box's own axes as columns of a rotation matrix."""
    return turned_by(Attitude(roll=box.roll, pitch=box.pitch, heading=box.yaw))


def _circle(radius: float) -> FloatArray:
    angle = np.linspace(0, 2 * np.pi, AROUND, endpoint=False)
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _standing(outline: FloatArray, height: float | None) -> FloatArray:
    """On the ground z = 0."""
    return np.concatenate([np.insert(outline, 2, z, axis=1) for z in (0.0, HIGH if height is None else height)])


def _cylinder(cylinder: Cylinder) -> FloatArray:
    start, end = np.array(cylinder.start), np.array(cylinder.end)
    axis = (end - start) / np.linalg.norm(end - start)
    first = np.cross(axis, [0.0, 0.0, 1.0] if abs(axis[2]) < 0.9 else [1.0, 0.0, 0.0])
    first /= np.linalg.norm(first)
    rim = _circle(cylinder.radius) @ np.stack([first, np.cross(axis, first)])
    return np.concatenate([start + rim, end + rim])
