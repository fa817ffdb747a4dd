"""What compiled controllers read off a flat observation, in the plane and in space: see `pushpoint.feedback`."""

from __future__ import annotations

import math

import numpy as np

from pushpoint._jit import compiled_part
from pushpoint.robots import Robot
from pushpoint.types import FloatArray


@compiled_part
def yaw_of(observation: FloatArray, links: int, i: int) -> float:
    """Of link i [rad]; in space from its quaternion."""
    joints = links - 1
    at = 1 + 3 * joints
    if observation.size == at + 10 * links:
        return float(observation[at + 2 * links + i])
    k = at + 3 * links + 4 * i
    w, x, y, z = observation[k], observation[k + 1], observation[k + 2], observation[k + 3]
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


@compiled_part
def without_turns(angle: float) -> float:
    """The same direction from -pi to pi [rad]; to the bit, if it is there already."""
    return float(angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi)))


@compiled_part
def force_across(observation: FloatArray, links: int, i: int) -> float:
    """Contact force [N] on link i to its left, with its sign: P1's alpha_i lambda_i, the mean of the last tick."""
    yaw = yaw_of(observation, links, i)
    return force_to_left(observation, links, i, math.cos(yaw), math.sin(yaw))


@compiled_part
def force_to_left(observation: FloatArray, links: int, i: int, cos: float, sin: float) -> float:
    """The same with the direction of the link."""
    at = 1 + 3 * (links - 1)
    k = at + 6 * links + 2 * i if observation.size == at + 10 * links else at + 13 * links + 3 * i
    return float(observation[k + 1] * cos - observation[k] * sin)


@compiled_part
def head_offset(parameters: FloatArray, at: int, observation: FloatArray, links: int) -> float:
    """Of the head from the centre of mass along y [m], P1 (71); its weights stand in the parameters from `at` on."""
    offset = 0.0
    for i in range(links):
        offset += parameters[at + i] * math.sin(yaw_of(observation, links, i))
    return offset


@compiled_part
def speed_to_head(observation: FloatArray, links: int, i: int, cos: float, sin: float) -> float:
    """Velocity of link i along itself [m/s], with its direction."""
    at = 1 + 3 * (links - 1)
    k = at + 3 * links + 2 * i if observation.size == at + 10 * links else at + 7 * links + 3 * i
    return float(observation[k] * cos + observation[k + 1] * sin)


def head_offset_weights(robot: Robot) -> FloatArray:
    """What sin(link angle) of each link adds to the head's distance from the centre of mass along y, P1 (71)."""
    half = np.array([link.length / 2 for link in robot.links])
    mass = np.array([link.mass for link in robot.links])
    n = len(half)
    # Centre of link i over that of link 0: half of link 0, all lengths between, half of link i.
    centre = 2.0 * np.tril(np.ones((n, n)), -1) + np.eye(n)
    centre[:, 0] -= 1.0
    centre[0, 0] = 0.0
    centre *= half
    return np.asarray(centre[-1] - mass @ centre / mass.sum())


def behind_head_joint(robot: Robot) -> FloatArray:
    """Distance along the body from the head joint to each joint [m]."""
    lengths = np.array([link.length for link in robot.links])
    return np.concatenate([np.cumsum(lengths[1:-1][::-1])[::-1], [0.0]])
