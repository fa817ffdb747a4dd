"""Poses in space from few numbers: joint angles, attitude, and the place of one point."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pushpoint.geometry.rotation import about_axis, headings, matrices, quaternions, turned
from pushpoint.mechanics.pose import mass_mean
from pushpoint.robots import AXES, Robot
from pushpoint.types import FloatArray, SpatialPose

Place = tuple[float, float, float]  # [m]
AXIS = {name: np.eye(3)[axis.column] for name, axis in AXES.items()}


class Chain(NamedTuple):
    """A bent robot: where its links and the axes of its joints are."""

    centre: FloatArray  # [m], (n, 3)
    rotation: FloatArray  # (n, 3, 3): columns are the links' axes
    joint: FloatArray  # [m], (freedoms, 3): a point on each axis
    axis: FloatArray  # (freedoms, 3): unit vectors


class Attitude(NamedTuple):
    """How a robot is turned as a whole: about x, then y, then z [rad]; the heading is the mean one."""

    roll: float = 0.0
    pitch: float = 0.0
    heading: float = 0.0


def bent(robot: Robot, joint_angle: FloatArray) -> Chain:
    """The chain with the tail's centre at the origin and its axes along the world's."""
    n, forward = len(robot.links), np.array([1.0, 0.0, 0.0])
    centre, rotation = np.zeros((n, 3)), np.empty((n, 3, 3))
    joint, axis = np.zeros((len(joint_angle), 3)), np.zeros((len(joint_angle), 3))
    rotation[0] = np.eye(3)
    freedom = 0
    for i in range(1, n):
        place = centre[i - 1] + robot.links[i - 1].length / 2 * rotation[i - 1] @ forward
        rotation[i] = rotation[i - 1]
        while freedom < len(robot.freedoms) and robot.freedoms[freedom][0] == i - 1:
            own = AXIS[robot.freedoms[freedom][1]]
            if freedom > 0 and robot.freedoms[freedom - 1][0] == i - 1:
                place = place + robot.joint(i - 1).axes_apart * rotation[i] @ forward
            joint[freedom], axis[freedom] = place, rotation[i] @ own
            rotation[i] = rotation[i] @ about_axis(own, joint_angle[freedom])
            freedom += 1
        centre[i] = place + robot.links[i].length / 2 * rotation[i] @ forward
    return Chain(centre, rotation, joint, axis)


def spatial_pose(
    robot: Robot, joint_angle: FloatArray, attitude: Attitude, position: Place, link: int | None = None
) -> SpatialPose:
    """The pose at rest with the centre of `link` (None: of mass) at `position` [m]."""
    tilted = turned_by(attitude._replace(heading=0.0))
    heading = np.unwrap(headings(tilted @ bent(robot, joint_angle).rotation))
    tail = turned_by(Attitude(heading=attitude.heading - float(heading.mean()))) @ tilted
    return pose_of_tail(robot, joint_angle, tail, position, link)


def turned_by(attitude: Attitude) -> FloatArray:
    """The rotation matrix of an attitude."""
    return turned(attitude.roll, attitude.pitch, attitude.heading)


def pose_of_tail(
    robot: Robot, joint_angle: FloatArray, tail: FloatArray, position: Place, link: int | None = None
) -> SpatialPose:
    """The pose at rest whose tail link has the axes `tail` (3, 3), with the centre of `link` (None: of mass) at
    `position` [m]."""
    chain = bent(robot, joint_angle)
    rotation, centre = tail @ chain.rotation, chain.centre @ tail.T
    anchor = mass_mean(robot, centre) if link is None else centre[link]
    n = len(robot.links)
    return SpatialPose(
        position=centre - anchor + np.asarray(position),
        orientation=quaternions(rotation),
        velocity=np.zeros((n, 3)),
        rate=np.zeros((n, 3)),
        joint_angle=np.array(joint_angle, dtype=float),
        joint_rate=np.zeros(len(joint_angle)),
    )


def moving_in_space(
    robot: Robot, pose: SpatialPose, velocity: FloatArray, spin: FloatArray, joint_rate: FloatArray
) -> SpatialPose:
    """The same pose with the centre of mass at `velocity` [m/s]; the tail turns with `spin` [rad/s], the others with
    it and their joints."""
    chain = bent(robot, pose.joint_angle)
    turned = matrices(pose.orientation[0])
    axis, joint = chain.axis @ turned.T, pose.position[0] + chain.joint @ turned.T
    rates, velocities = np.tile(spin, (len(robot.links), 1)), np.cross(spin, pose.position - pose.position[0])
    for freedom, (number, _) in enumerate(robot.freedoms):
        after = slice(number + 1, None)
        turn = joint_rate[freedom] * axis[freedom]
        rates[after] += turn
        velocities[after] += np.cross(turn, pose.position[after] - joint[freedom])
    velocities += velocity - mass_mean(robot, velocities)
    return replace(pose, velocity=velocities, rate=rates, joint_rate=np.array(joint_rate, dtype=float))


def lifted(pose: SpatialPose, height: float) -> SpatialPose:
    """The same pose, higher by `height` [m]."""
    return replace(pose, position=pose.position + np.array([0.0, 0.0, height]))
