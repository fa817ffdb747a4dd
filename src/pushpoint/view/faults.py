"""Links that are where no link of a real robot could be: inside obstacles, or across each other. Pictures mark them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis._series import recorded
from pushpoint.mechanics.crossings import crossings
from pushpoint.mechanics.overlap import depths, link_pieces, obstacle_pieces
from pushpoint.types import SpatialPose
from pushpoint.view.surroundings import Movable, movable

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray, IntArray

VISIBLE = 1e-3  # [m]: what is less deep inside an obstacle is not seen
MARK = "fault"  # name of the marks among Matplotlib's artists
SAID = "outlined: inside an obstacle, or across another link"


class FaultFinder:
    """Finds such links of one run in the plane, row by row."""

    def __init__(self, run: Recording) -> None:
        world = run.scenario.built_world()
        self._robot = run.scenario.built_robot()
        self._position, self._angle = recorded(run, "link_position")[..., :2], recorded(run, "link_angle")
        self._fixed = obstacle_pieces([obstacle for obstacle in world.obstacles if not obstacle.is_movable])
        self._discs = movable(run)

    def links(self, row: int) -> IntArray:
        """Their numbers, each once."""
        position, angle = self._position[row], self._angle[row]
        link, _, depth = depths(link_pieces(self._robot, position, angle), self._fixed)
        _, pairs = crossings(self._robot, position[np.newaxis], angle[np.newaxis])
        inside = np.flatnonzero(_depth_in_discs(self._robot_cores(), position, angle, self._discs, row) > VISIBLE)
        return np.unique(np.concatenate([link[depth > VISIBLE], pairs.reshape(-1), inside]))

    def _robot_cores(self) -> FloatArray:
        return np.array([(link.half_core, link.radius) for link in self._robot.links])


def links_in_solids(run: Recording, row: int) -> IntArray:
    """The same in space: links inside of obstacles, not of the ground."""
    from pushpoint.mechanics.spatial_overlap import spatial_overlaps

    robot, world, none = run.scenario.built_robot(), run.scenario.built_world(), np.zeros(0)
    if not world.obstacles:
        return np.zeros(0, np.int64)
    place, turn = recorded(run, "link_position")[row], recorded(run, "link_orientation")[row]
    found = spatial_overlaps(robot, world, SpatialPose(place, turn, none, none, none, none))  # velocities do not count
    return np.unique([link for link, obstacle, depth in found if obstacle >= 0 and depth > VISIBLE]).astype(np.int64)


def _depth_in_discs(cores: FloatArray, position: FloatArray, angle: FloatArray, discs: Movable, row: int) -> FloatArray:
    """How deep each link lies in a movable disc [m], (links,); negative outside."""
    if not len(discs.radius):
        return np.full(len(position), -np.inf)
    half_core, thick = cores.T[:, :, np.newaxis]
    away = discs.place[row] - position[:, np.newaxis]
    cos, sin = np.cos(angle)[:, np.newaxis], np.sin(angle)[:, np.newaxis]
    along, across = cos * away[..., 0] + sin * away[..., 1], cos * away[..., 1] - sin * away[..., 0]
    beyond = np.maximum(np.abs(along) - half_core, 0.0)
    return np.asarray((thick + discs.radius - np.hypot(beyond, across)).max(axis=1))
