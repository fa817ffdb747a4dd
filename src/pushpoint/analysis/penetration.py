"""How deep do links lie inside obstacles?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import times
from pushpoint.mechanics.penetration import Deepest, deepest_overlap

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


class Penetration(NamedTuple):
    """The deepest place of a run, at its recorded rows. Obstacle -1 is the ground or its terrain."""

    depth: float  # [m]; 0 if nothing overlaps, and nothing else counts then
    time: float  # [s]
    link: int
    obstacle: int


@measures.register("penetration")
def penetration(run: Recording) -> float:
    """Largest depth [m] of any link inside any obstacle (in space also the ground) at the recorded rows."""
    return deepest(run).depth


def deepest(run: Recording) -> Penetration:
    """Where and when that is: true geometric depth, whatever the plant takes for a contact."""
    found = _in_space(run) if "link_orientation" in run.data else _in_the_plane(run)
    row = max(0, found.row)
    return Penetration(found.depth, float(times(run)[row]), found.link, found.obstacle)


def _in_the_plane(run: Recording) -> Deepest:
    data = run.data
    position, angle = (np.asarray(data[name].values, dtype=float) for name in ("link_position", "link_angle"))
    movable = np.asarray(data["obstacle_position"].values, dtype=float) if "obstacle_position" in data else None
    return deepest_overlap(run.scenario.built_robot(), run.scenario.built_world(), position, angle, movable)


def _in_space(run: Recording) -> Deepest:
    from pushpoint.mechanics.spatial_overlap import deepest_in_space

    position, orientation = (run.data[name].values for name in ("link_position", "link_orientation"))
    return deepest_in_space(run.scenario.built_robot(), run.scenario.built_world(), position, orientation)
