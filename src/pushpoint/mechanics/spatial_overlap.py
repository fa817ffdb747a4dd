"""Which links of a pose in space intersect which obstacles, the ground or the terrain, and how deep."""

from __future__ import annotations

import math

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


def spatial_overlaps(robot: Robot, world: World, pose: SpatialPose) -> list[tuple[int, int, float]]:
    """(link, obstacle, depth [m]) of all links with a negative gap, the deepest first; obstacle -1 is the ground."""
    capsules, link = capsules_of(robot, pose)
    found: dict[tuple[int, int], float] = {}

    def note(index: int, obstacle: int, depth: float) -> None:
        if depth > 0.0:
            found[index, obstacle] = max(depth, found.get((index, obstacle), 0.0))

    if has_plane(world):
        sunk = capsules[:, 6] * np.abs(capsules[:, 5]) + capsules[:, 7] - capsules[:, 2]
        for i, depth in zip(link, sunk, strict=True):
            note(int(i), GROUND, float(depth))
    if world.terrain is None and not world.obstacles:
        return _deepest_first(found)
    pieces, owner = _pieces(capsules)
    solids = make_solids(world, _reach(capsules, world))
    for radius in np.unique(pieces[:, 7]):
        chosen = np.flatnonzero(pieces[:, 7] == radius)
        # Faces are seen by centres at most a radius behind them: to look deeper, ask for a thicker capsule.
        thick = pieces[chosen]
        thick[:, 7] = FAR
        rows, which = contacts_of(solids, thick, float(radius) - FAR)
        for row, i in zip(rows, link[owner[chosen[which]]], strict=True):
            note(int(i), int(row[6]), float(radius) - FAR - float(row[0]))
    return _deepest_first(found)


def deepest_in_space(robot: Robot, world: World, position: FloatArray, orientation: FloatArray) -> Deepest:
    """The deepest overlap of links at `position` (rows, n, 3) [m] and `orientation` (rows, n, 4); -1 is the ground.

    Links as they are, not cut into pieces: an edge that pierces the middle of a long link may be missed.
    """
    capsules, owner = _capsules_of_rows(robot, position, orientation)
    found = [Deepest(0.0, NOWHERE, NOWHERE, NOWHERE)]
    if has_plane(world):
        sunk = capsules[:, 6] * np.abs(capsules[:, 5]) + capsules[:, 7] - capsules[:, 2]
        found.append(_deepest(sunk, owner, np.full(len(owner), GROUND), len(robot.links)))
    if world.terrain is not None or world.obstacles:
        solids = make_solids(world, _reach(capsules, world))
        for radius in np.unique(capsules[:, 7]):
            chosen = np.flatnonzero(capsules[:, 7] == radius)
            for first in range(0, len(chosen), CAPSULES):
                thick = capsules[chosen[first : first + CAPSULES]].copy()
                thick[:, 7] = FAR  # as above
                rows, which = contacts_of(solids, thick, float(radius) - FAR)
                depth, obstacle = float(radius) - FAR - rows[:, 0], rows[:, 6].astype(np.int64)
                found.append(_deepest(depth, owner[chosen[first + which]], obstacle, len(robot.links)))
    return max(found)


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


def _deepest_first(found: dict[tuple[int, int], float]) -> list[tuple[int, int, float]]:
    return sorted(((i, o, depth) for (i, o), depth in found.items()), key=lambda entry: -entry[2])


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
