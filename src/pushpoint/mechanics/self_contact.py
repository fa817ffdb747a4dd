"""Whether links of a planar chain can touch each other: bounds that are cheap in every step, and exact clearances.

Neighbours at a joint never count. Links i < j further along the chain do, unless they are so thick that they overlap in
any shape: their radii reach from one joint to the other.

    heads within a turn w:   every link advances by at least length * cos(w / 2) along the middle direction, so that
                             links with one or more others between them stay apart while those advance more than radii
    joints bent below 90 deg: links i and i + 2 are never nearer than the length of the link between them
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pushpoint.robots import Robot
from pushpoint.types import FloatArray, IntArray

RIGHT_ANGLE = 0.5 * math.pi - 0.05  # [rad], with a margin for the motion of a step
MANY = 30  # links between two
TURN_MARGIN = 0.3  # [rad], of the turn from link to link that is safe, for the same reason


class SelfClearance(NamedTuple):
    """What the clearance of a robot from itself depends on besides its pose."""

    axis: FloatArray  # [m], (n,): half axes of the capsules
    radius: FloatArray  # [m], (n,)
    joint: FloatArray  # [m], (n + 1,): along the straight robot, link i from joint[i] on
    safe_turn: float  # [rad]: while all links head within it, only links i and i + 2 can touch
    safe_bend: float  # [rad]: while no joint bends farther, they cannot either

    @classmethod
    def of(cls, robot: Robot) -> SelfClearance:
        length = np.array([link.length for link in robot.links])
        radius = np.array([link.radius for link in robot.links])
        joint = np.concatenate([[0.0], np.cumsum(length)])
        safe = max(0.0, 2.0 * math.acos(min(1.0, thickest(radius, joint))) - TURN_MARGIN)
        return cls(np.array([link.half_core for link in robot.links]), radius, joint, safe, RIGHT_ANGLE)

    @property
    def meets(self) -> npt.NDArray[np.bool_]:
        """(n, n): pairs i < j that can touch."""
        between = self.joint[np.newaxis, :-1] - self.joint[1:, np.newaxis]  # [i, j]: of the links between i and j
        apart = np.arange(len(self.radius))[np.newaxis, :] - np.arange(len(self.radius))[:, np.newaxis]
        return np.asarray((apart >= 2) & (between > self.radius[:, np.newaxis] + self.radius[np.newaxis, :]))

    def gaps(self, position: FloatArray, angle: FloatArray, enough: float) -> tuple[IntArray, IntArray, FloatArray]:
        """Pairs of links that are not neighbours and have a gap of less than `enough` [m], and the gaps [m]; some with
        more. `position` (n, 2) [m]."""
        if np.ptp(angle) <= self.safe_turn + TURN_MARGIN and np.abs(np.diff(angle)).max(initial=0.0) <= RIGHT_ANGLE:
            none = np.zeros(0, np.int64)
            return none, none, np.zeros(0)
        full = self.axis + self.radius
        apart = np.hypot(*(position[:, np.newaxis] - position[np.newaxis]).transpose(2, 0, 1))
        tail, head = np.nonzero(self.meets & (apart < full[:, np.newaxis] + full[np.newaxis] + enough))
        if np.abs(np.diff(angle)).max(initial=0.0) <= RIGHT_ANGLE:
            farther = head - tail > 2
            tail, head = tail[farther], head[farther]
        arm = self.axis[:, np.newaxis] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        distance = segment_distances(position[tail], arm[tail], position[head], arm[head])
        return tail, head, distance - self.radius[tail] - self.radius[head]

    def nearest(self, position: FloatArray, angle: FloatArray, enough: float) -> float:
        """Least of these gaps [m], or `enough`."""
        return float(self.gaps(position, angle, enough)[2].min(initial=enough))


def thickest(radius: FloatArray, joint: FloatArray) -> float:
    """Largest sum of two radii over the length of the links between, of links with two or more of those that can touch;
    of links with many between them, a bound."""
    ratio, n = 0.0, len(radius)
    for apart in range(3, min(n, MANY + 1)):
        between, thick = joint[apart:-1] - joint[1:-apart], radius[apart:] + radius[:-apart]
        ratio = max(ratio, float((thick / between)[between > thick].max(initial=0.0)))
    if n > MANY + 1:
        least = float((joint[MANY + 1 : -1] - joint[1 : -MANY - 1]).min())
        ratio = max(ratio, min(1.0, 2.0 * float(radius.max()) / least))
    return ratio


def segment_distances(centre: FloatArray, arm: FloatArray, other: FloatArray, other_arm: FloatArray) -> FloatArray:
    """Distances [m] of segments centre +- arm from segments other +- other_arm, (k, 2) each; zero where they cross."""
    ends = [point_distances(other + sign * other_arm, centre, arm) for sign in (-1.0, 1.0)] + [
        point_distances(centre + sign * arm, other, other_arm) for sign in (-1.0, 1.0)
    ]
    across = arm[:, 0] * other_arm[:, 1] - arm[:, 1] * other_arm[:, 0]
    offset = other - centre
    with np.errstate(divide="ignore", invalid="ignore"):
        along = (offset[:, 0] * other_arm[:, 1] - offset[:, 1] * other_arm[:, 0]) / across
        back = (offset[:, 0] * arm[:, 1] - offset[:, 1] * arm[:, 0]) / across
        crossing = (np.abs(along) <= 1.0) & (np.abs(back) <= 1.0)
    return np.where(crossing, 0.0, np.min(ends, axis=0))


def point_distances(point: FloatArray, centre: FloatArray, arm: FloatArray) -> FloatArray:
    """Distances [m] of points from segments centre +- arm, (k, 2) each."""
    square = np.maximum(np.sum(arm * arm, axis=1), 1e-300)
    place = np.clip(np.sum((point - centre) * arm, axis=1) / square, -1.0, 1.0)
    return np.asarray(np.linalg.norm(point - centre - place[:, np.newaxis] * arm, axis=1))
