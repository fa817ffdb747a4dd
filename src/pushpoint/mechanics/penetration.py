"""How deep links lie inside obstacles, over all rows of a run in the plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.mechanics.overlap import depths, link_pieces, obstacle_pieces
from pushpoint.robots import Robot
from pushpoint.types import FloatArray
from pushpoint.worlds import World

ROWS = 200  # at once: few enough that most obstacles are far from all of them
NOWHERE = -1


class Deepest(NamedTuple):
    """The deepest overlap of all rows; depth 0 and numbers NOWHERE if nothing overlaps. Obstacle -1: the ground."""

    depth: float  # [m]
    row: int
    link: int
    obstacle: int


def deepest_overlap(
    robot: Robot, world: World, position: FloatArray, angle: FloatArray, movable: FloatArray | None = None
) -> Deepest:
    """Of links at `position` (rows, n, 2) [m] and `angle` (rows, n).

    `movable` (rows, movable, 2) [m]: where the obstacles are that can be pushed about.
    """
    found = Deepest(0.0, NOWHERE, NOWHERE, NOWHERE)
    fixed = obstacle_pieces([obstacle for obstacle in world.obstacles if not obstacle.is_movable])
    names = np.array([k for k in range(len(world.obstacles)) if k not in world.movable], dtype=np.int64)
    for first in range(0, len(position), ROWS):
        links = link_pieces(robot, position[first : first + ROWS], angle[first : first + ROWS])
        owner, obstacle, depth = depths(links, fixed)
        if len(depth) and depth.max() > found.depth:
            k = int(depth.argmax())
            row, link = divmod(int(owner[k]), len(robot.links))
            found = Deepest(float(depth[k]), first + row, link, int(names[obstacle[k]]))
    if movable is None:
        return found
    for place, disc, number in zip(np.moveaxis(movable, 1, 0), world.movable_discs, world.movable, strict=True):
        found = max(found, _in_disc(robot, position, angle, place, disc.radius, number))
    return found


def _in_disc(
    robot: Robot, position: FloatArray, angle: FloatArray, place: FloatArray, radius: float, number: int
) -> Deepest:
    """In one disc that is at `place` (rows, 2)."""
    half_core, thick = np.array([(link.half_core, link.radius) for link in robot.links]).T
    away = place[:, np.newaxis] - position
    cos, sin = np.cos(angle), np.sin(angle)
    along, across = cos * away[..., 0] + sin * away[..., 1], cos * away[..., 1] - sin * away[..., 0]
    beyond = np.maximum(np.abs(along) - half_core, 0.0)
    depth = thick + radius - np.hypot(beyond, across)
    row, link = np.unravel_index(int(depth.argmax()), depth.shape)
    return Deepest(float(depth[row, link]), int(row), int(link), number)
