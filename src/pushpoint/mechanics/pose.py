"""Planar poses from few numbers: joint angles, mean angle, and the place of one point."""

from __future__ import annotations

import numpy as np

from pushpoint.robots import Robot
from pushpoint.types import FloatArray, Pose


def planar_pose(
    robot: Robot, joint_angle: FloatArray, angle: float, position: tuple[float, float], link: int | None = None
) -> Pose:
    """The pose at rest with mean link angle `angle` and the centre of `link` (None: of mass) at `position`."""
    angles = np.concatenate([[0.0], np.cumsum(joint_angle)])
    angles += angle - angles.mean()
    centres = chain(robot, np.stack([np.cos(angles), np.sin(angles)], axis=1))
    anchor = mass_mean(robot, centres) if link is None else centres[link]
    return Pose(centres - anchor + np.asarray(position), angles, np.zeros_like(centres), np.zeros_like(angles))


def moving(robot: Robot, pose: Pose, velocity: tuple[float, float], rate: float, joint_rate: FloatArray) -> Pose:
    """The same pose with the centre of mass at `velocity` [m/s] and the mean link rate `rate` [rad/s]."""
    rates = np.concatenate([[0.0], np.cumsum(joint_rate)])
    rates += rate - rates.mean()
    across = np.stack([-np.sin(pose.angle), np.cos(pose.angle)], axis=1)
    velocities = chain(robot, across * rates[:, np.newaxis])
    velocities += np.asarray(velocity) - mass_mean(robot, velocities)
    return Pose(pose.position, pose.angle, velocities, rates)


def chain(robot: Robot, direction: FloatArray) -> FloatArray:
    """Sum half lengths times directions (n, 2) from the centre of link 0 to each centre."""
    half = np.array([link.length / 2 for link in robot.links])[:, np.newaxis] * direction
    out = np.zeros_like(half)
    out[1:] = np.cumsum(half[:-1] + half[1:], axis=0)
    return out


def mass_mean(robot: Robot, values: FloatArray) -> FloatArray:
    """Mean over links (the first axis), weighted by mass."""
    mass = np.array([link.mass for link in robot.links])
    # Not mass @ values: its rounding would depend on how many columns there are.
    return np.asarray((mass[:, np.newaxis] * values).sum(axis=0) / mass.sum())
