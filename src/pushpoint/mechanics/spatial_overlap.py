"""Which links of a pose in space intersect which obstacles, the ground or the terrain, and how deep."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from pushpoint.geometry.capsules import outline
from pushpoint.geometry.rotation import matrices
from pushpoint.mechanics.capsule_gaps import capsules_of, contacts_of
from pushpoint.mechanics.penetration import NOWHERE, Deepest
from pushpoint.mechanics.solids import has_plane, make_solids
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, IntArray, SpatialPose
from pushpoint.worlds import World

GROUND = -1
MOST_PIECES = 100  # of a capsule
FAR = 1000.0  # [m], deeper than anything
CAPSULES = 5000  # at once


Depths = tuple[FloatArray, IntArray, IntArray]  # [m], of which capsule, in which obstacle


def spatial_overlaps(robot: Robot, world: World, pose: SpatialPose) -> list[tuple[int, int, float]]:
    """(link, obstacle, depth [m]) of all links with a negative gap, the deepest first; obstacle -1 is the ground."""
    capsules, link = capsules_of(robot, pose)
    pieces, owner = _pieces(capsules)
    depths = [(link[which], obstacle, depth) for depth, which, obstacle in _below_plane(world, capsules)]
    for depth, which, obstacle in _in_solids(world, pieces, _reach(capsules, world)):
        depths.append((link[owner[which]], obstacle, depth))
    found: dict[tuple[int, int], float] = {}
    for rows in depths:
        for i, obstacle, depth in zip(*(column.tolist() for column in rows), strict=True):
            if depth > 0.0:
                found[i, obstacle] = max(depth, found.get((i, obstacle), 0.0))
    return sorted(((i, o, depth) for (i, o), depth in found.items()), key=lambda entry: -entry[2])


def deepest_in_space(robot: Robot, world: World, position: FloatArray, orientation: FloatArray) -> Deepest:
    """The deepest overlap of links at `position` (rows, n, 3) [m] and `orientation` (rows, n, 4); -1 is the ground.

    Links as they are, not cut into pieces: an edge that pierces the middle of a long link may be missed.
    """
    capsules, owner = _capsules_of_rows(robot, position, orientation)
    found = [Deepest(0.0, NOWHERE, NOWHERE, NOWHERE)]
    for part in (_below_plane(world, capsules), _in_solids(world, capsules, _reach(capsules, world))):
        found.extend(_deepest(depth, owner[which], obstacle, len(robot.links)) for depth, which, obstacle in part)
    return max(found)


def _below_plane(world: World, capsules: FloatArray) -> Iterator[Depths]:
    """How deep capsules are in the plane, if that is ground."""
    if has_plane(world):
        sunk = capsules[:, 6] * np.abs(capsules[:, 5]) + capsules[:, 7] - capsules[:, 2]
        yield sunk, np.arange(len(sunk)), np.full(len(sunk), GROUND)


def _in_solids(world: World, capsules: FloatArray, reach: float) -> Iterator[Depths]:
    """How deep capsules are in obstacles and terrain."""
    if world.terrain is None and not world.obstacles:
        return
    solids = make_solids(world, reach)
    for radius in np.unique(capsules[:, 7]):
        chosen = np.flatnonzero(capsules[:, 7] == radius)
        for first in range(0, len(chosen), CAPSULES):
            some = chosen[first : first + CAPSULES]
            # Faces are seen by centres at most a radius behind them: to look deeper, ask for a thicker capsule.
            thick = capsules[some]
            thick[:, 7] = FAR
            rows, which = contacts_of(solids, thick, float(radius) - FAR)
            yield float(radius) - FAR - rows[:, 0], some[which], rows[:, 6].astype(np.int64)


def _deepest(depth: FloatArray, owner: IntArray, obstacle: IntArray, links: int) -> Deepest:
    if not len(depth):
        return Deepest(0.0, NOWHERE, NOWHERE, NOWHERE)
    k = int(depth.argmax())
    row, link = divmod(int(owner[k]), links)
    return Deepest(float(depth[k]), row, link, int(obstacle[k]))


def _capsules_of_rows(robot: Robot, position: FloatArray, orientation: FloatArray) -> tuple[FloatArray, IntArray]:
    """The capsules of all links in all rows, and the number of each link, counted through the rows."""
    links = len(robot.links)
    axes = matrices(np.asarray(orientation, dtype=float).reshape(-1, 4)).reshape(-1, links, 3, 3)
    parts, owner = [], []
    for i, link in enumerate(robot.links):
        for capsule in outline(link.shape, link.half_core, link.radius, link.rounding):
            at = position[:, i] + axes[:, i] @ np.array([0.0, capsule.left, capsule.up])
            size = np.broadcast_to([capsule.half, capsule.radius], (len(at), 2))
            parts.append(np.concatenate([at, axes[:, i, :, 0], size], axis=1))
            owner.append(np.arange(len(at)) * links + i)
    return np.concatenate(parts), np.concatenate(owner)


def _pieces(capsules: FloatArray) -> tuple[FloatArray, IntArray]:
    """Capsules cut into short ones, whose ends find what pierces the long ones; and the capsule of each."""
    rows, owner = [], []
    for i, (*centre, ux, uy, uz, half, radius) in enumerate(capsules.tolist()):
        count = min(MOST_PIECES, math.ceil(2 * half / max(radius, 1e-3)) or 1)
        for k in range(count):
            place = half * ((2 * k + 1) / count - 1)
            at = [c + place * u for c, u in zip(centre, (ux, uy, uz), strict=True)]
            rows.append([*at, ux, uy, uz, half / count, radius])
            owner.append(i)
    return np.array(rows), np.array(owner, dtype=np.int64)


def _reach(capsules: FloatArray, world: World) -> float:
    """How far from the centre of a capsule faces are looked for [m]: also from the inside of the largest obstacle."""
    inside = (part.depth for obstacle in world.obstacles for part in obstacle.parts)
    return max([float(capsules[:, 6:8].sum(axis=1).max()), *inside])
