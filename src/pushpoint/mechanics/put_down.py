"""Lowering a robot in space until it touches the ground or the terrain."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.mechanics.capsule_gaps import capsules_of, contacts_of
from pushpoint.mechanics.solids import has_plane, make_solids
from pushpoint.mechanics.spatial_pose import lifted
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, SpatialPose
from pushpoint.worlds import Heightfield, Profile, World

MARGIN = 0.05  # [m]: further down than this nobody looks at once
STEP = 0.005  # [m], at least: less than what a link may sink in and still be seen
ACCURACY = 1e-9  # [m]


def put_down(robot: Robot, world: World, pose: SpatialPose, height: float) -> SpatialPose:
    """The same pose, moved up or down until its smallest gap to the ground is `height` [m]; obstacles do not count."""
    capsules, _ = capsules_of(robot, pose)
    lowest = _lowest(capsules)
    if world.terrain is None:
        return lifted(pose, height - lowest)
    bottom, top = _range(world.terrain)
    size = float(np.ptp(capsules[:, 2])) + 2.0 * float(capsules[:, 6:8].sum(axis=1).max())
    rise = top + MARGIN + height - lowest
    return lifted(pose, _landing(_gap_after(world, capsules, height), rise, height, rise - (top - bottom) - size - 1.0))


def _gap_after(world: World, capsules: FloatArray, height: float) -> Callable[[float], float]:
    """The smallest gap [m], or `height` and a margin if it is larger, as a function of the distance up [m]."""
    limit = height + MARGIN
    bare = world.model_copy(update={"obstacles": ()})
    solids = make_solids(bare, float((capsules[:, 6:8]).sum(axis=1).max()) + limit)
    plane = _lowest(capsules) if has_plane(world) else np.inf

    def gap(rise: float) -> float:
        moved = capsules.copy()
        moved[:, 2] += rise
        rows, _ = contacts_of(solids, moved, limit)
        return float(min(limit, plane + rise, rows[:, 0].min(initial=np.inf)))

    return gap


def _lowest(capsules: FloatArray) -> float:
    """Height of the lowest point [m]."""
    return float((capsules[:, 2] - capsules[:, 6] * np.abs(capsules[:, 5]) - capsules[:, 7]).min())


def _range(terrain: Profile | Heightfield) -> tuple[float, float]:
    """The lowest and the highest point of the terrain [m]."""
    if isinstance(terrain, Profile):
        return min(z for _, z in terrain.points), max(z for _, z in terrain.points)
    return 0.0, max(max(row) for row in terrain.heights)


def _landing(gap: Callable[[float], float], rise: float, height: float, deepest: float) -> float:
    """Down from `rise` [m] as far as the gap allows, then bisection: where the gap is `height` [m]."""
    high, now = rise, gap(rise)
    while now > height:
        if rise < deepest:
            raise InvalidInput("start.position: there is no ground below the robot; is it near the terrain?")
        high, rise = rise, rise - max(now - height, STEP)
        now = gap(rise)
    low = rise
    while high - low > ACCURACY:
        rise = 0.5 * (low + high)
        if gap(rise) > height:
            high = rise
        else:
            low = rise
    return high
