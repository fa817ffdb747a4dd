"""The virtual snake robot of P3: the robot's chain seen from its head, by Denavit and Hartenberg, P3 II.

P3 counts from the head, pushpoint from the tail; here the one becomes the other, and nowhere else. P3's joint i turns
about z_{i-1}, which points up for yaw joints and to the robot's right for pitch joints, and its angle is that of the
tail's side; so that a yaw angle of pushpoint is -q, a pitch angle is q. A cardan joint is two joints with a link of
length zero between them.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.robots import AXES, Robot
from pushpoint.types import FloatArray

TWIST = {  # alpha_i, from the axis of joint i to that of joint i + 1, P3 Table II
    ("yaw", "yaw"): 0.0,
    ("yaw", "pitch"): -math.pi / 2,
    ("pitch", "yaw"): math.pi / 2,
    ("pitch", "pitch"): 0.0,
}


class VirtualSnake(NamedTuple):
    """What kernels know of the robot. N joints, N + 1 links, the head's is link 0."""

    length: FloatArray  # [m], (N + 1,): a_i
    sin_twist: FloatArray  # (N + 1,): sin(alpha_i); alpha_0 turns to the axis of joint 1, alpha_N is zero
    cos_twist: FloatArray  # (N + 1,)
    lower: FloatArray  # [rad], (N,): of q_i
    upper: FloatArray  # [rad], (N,)
    sign: FloatArray  # (N,): of pushpoint's joint angles over q_i

    @property
    def joints(self) -> int:
        return len(self.sign)

    def to_robot(self, q: FloatArray) -> FloatArray:
        """Joint angles [rad] (..., N) as pushpoint has them: from the tail, with its signs."""
        return np.ascontiguousarray((self.sign * q)[..., ::-1])


def virtual_snake(robot: Robot) -> VirtualSnake:
    """The chain of a robot, whatever the order of its axes."""
    freedoms = robot.freedoms[::-1]
    length = [robot.links[-1].length]
    for k, (joint, _) in enumerate(freedoms):
        within = k + 1 < len(freedoms) and freedoms[k + 1][0] == joint  # a cardan joint
        length.append(robot.joint(joint).axes_apart if within else robot.links[joint].length)
    pairs = list(pairwise(["yaw", *(axis for _, axis in freedoms)]))
    for pair in pairs:
        if pair not in TWIST:
            raise InvalidInput(f"shape curves need joints with yaw and pitch axes; the robot has a {pair[1]} axis")
    twist = np.array([TWIST[pair] for pair in pairs] + [0.0])
    sign = np.array([AXES[axis].sign for _, axis in freedoms])
    low = np.array([robot.joint(joint).lower for joint, _ in freedoms])
    high = np.array([robot.joint(joint).upper for joint, _ in freedoms])
    return VirtualSnake(
        length=np.array(length),
        sin_twist=np.round(np.sin(twist)),  # exact: all are right angles or none
        cos_twist=np.round(np.cos(twist)),
        lower=np.where(sign > 0, low, -high),
        upper=np.where(sign > 0, high, -low),
        sign=sign,
    )


def denavit_hartenberg(angle: float, length: float, sin_twist: float, cos_twist: float) -> FloatArray:
    """T_i of P3 (4): turn about z, go along x, turn about x. With angle pi and link 0 it is (3)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array(
        [
            [c, -s * cos_twist, s * sin_twist, length * c],
            [s, c * cos_twist, -c * sin_twist, length * s],
            [0.0, sin_twist, cos_twist, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def forward_kinematics(snake: VirtualSnake, head: FloatArray, q: FloatArray) -> FloatArray:
    """Frames 0 to N in the global frame, (N + 1, 4, 4), of the head's frame (4, 4) and joint angles, P3 (2)."""
    frames, now = [], head
    for angle, *link in zip([math.pi, *q], snake.length, snake.sin_twist, snake.cos_twist, strict=True):
        now = now @ denavit_hartenberg(float(angle), *(float(value) for value in link))
        frames.append(now)
    return np.array(frames)


def link_rotations(snake: VirtualSnake, frame: FloatArray) -> FloatArray:
    """Axes (forward, left, up) of the links from the tail, as columns (n, 3, 3), of the frames that an alignment gives.

    `frame` (N + 2, 3, 4) holds the head's frame and then frames 0 to N; links of length zero are left out.
    """
    solid = np.flatnonzero(snake.length > 0.0)[::-1]
    axis = frame[solid + 1, :, 2]
    # x_i points to the tail, z_i up or, if the next joint (at the tail: the last) is a pitch joint, to the right.
    upright = (snake.sign[np.minimum(solid, snake.joints - 1)] == AXES["yaw"].sign)[:, np.newaxis]
    rotations = np.empty((len(solid), 3, 3))
    forward = rotations[:, :, 0] = forward_axes(snake, frame)
    across = _cross(axis, forward)
    rotations[:, :, 1], rotations[:, :, 2] = np.where(upright, across, -axis), np.where(upright, axis, across)
    if solid[-1] == 0:
        rotations[-1] = frame[0, :, :3]
    return rotations


def forward_axes(snake: VirtualSnake, frame: FloatArray) -> FloatArray:
    """The first of these axes alone, (n, 3)."""
    solid = np.flatnonzero(snake.length > 0.0)[::-1]
    forward = -frame[solid + 1, :, 0]
    if solid[-1] == 0:
        forward[-1] = frame[0, :, 0]
    return forward


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Row by row, (n, 3)."""
    ax, ay, az, bx, by, bz = *a.T, *b.T
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=1)


def link_centres(snake: VirtualSnake, frame: FloatArray) -> FloatArray:
    """Centres [m] (n, 3) of the links from the tail: in the middle between the frames at their ends."""
    solid = np.flatnonzero(snake.length > 0.0)
    return np.asarray(0.5 * (frame[solid, :, 3] + frame[solid + 1, :, 3])[::-1])
