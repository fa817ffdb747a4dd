"""Contacts without a skin: what joint forces, joint torques and accelerations leave over is the push of an obstacle.

Link i has the mass m, the moment of inertia J and half the length h. Joint j pushes its head's side with the force f_j
and the torque t_j; G and N are the force and the torque of the ground, from the believed law of friction:

    F = m a     - f_{i-1} + f_i - G
    M = J alpha - t_{i-1} + t_i + h e x (f_{i-1} + f_i) - N

One push F at the place p along the link, on its side s = +-1 at the half width r, has the moment M = p F_across - s r
F_along, from which p follows. A push from the left turns F_across to the right. Two pushes at one link look like one,
and where the link sticks, friction may be anywhere up to its limit: pushes below `threshold` are not believed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.robots import Robot
from pushpoint.types import FloatArray, IntArray, Touches

CREEP = 0.005  # [m/s]: below this speed friction is taken in proportion to it
END_ON = 0.3  # part of a push across the link below which it is one at an end


class LinkMotion(NamedTuple):
    """How the links move, in the world."""

    angle: FloatArray  # [rad], (n,)
    velocity: FloatArray  # [m/s], (n, 2)
    rate: FloatArray  # [rad/s], (n,)
    acceleration: FloatArray  # [m/s2], (n, 2)
    turning: FloatArray  # [rad/s2], (n,): angular acceleration


class GroundBelief(NamedTuple):
    """Dry friction that is believed."""

    friction: float  # coefficient
    gravity: float = 9.81  # [m/s2]
    torque: bool = True  # whether links that turn on the spot are held, P1 (14)


class PushEstimator:
    """Pushes on the links of a robot.

    Parameters
    ----------
    robot
        That is pushed.
    ground
        What is believed of the ground.
    threshold
        Of pushes that are believed [N].
    """

    def __init__(self, robot: Robot, ground: GroundBelief, threshold: float) -> None:
        self.ground, self.threshold = ground, threshold
        self._mass = np.array([link.mass for link in robot.links])
        self._inertia = np.array([link.inertia for link in robot.links])
        self._half = np.array([link.length / 2 for link in robot.links])
        self._core = np.array([link.half_core for link in robot.links])
        self._radius = np.array([link.radius for link in robot.links])

    def pushes(self, joint_force: FloatArray, joint_torque: FloatArray, motion: LinkMotion) -> tuple[FloatArray, ...]:
        """Force [N], (n, 2), in the world, and moment about the centre [N m], (n,), of obstacles on each link.

        Parameters
        ----------
        joint_force
            [N], (n - 1, 2), through the joints, on the head's side of them.
        joint_torque
            [N m], (n - 1,), of the motors.
        motion
            Of the links.
        """
        none, no_torque = np.zeros((1, 2)), np.zeros(1)
        behind, ahead = np.concatenate([none, joint_force]), np.concatenate([joint_force, none])
        torque = np.concatenate([no_torque, joint_torque]) - np.concatenate([joint_torque, no_torque])
        along = np.stack([np.cos(motion.angle), np.sin(motion.angle)], axis=1)
        friction, held = self._friction(motion)
        force = self._mass[:, np.newaxis] * motion.acceleration - behind + ahead - friction
        lever = self._half * _cross(along, behind + ahead)
        return force, self._inertia * motion.turning - torque + lever - held

    def _friction(self, motion: LinkMotion) -> tuple[FloatArray, FloatArray]:
        weight = self.ground.friction * self.ground.gravity * self._mass
        speed = np.hypot(motion.velocity[:, 0], motion.velocity[:, 1])
        force = -(weight / np.maximum(speed, CREEP))[:, np.newaxis] * motion.velocity
        if not self.ground.torque:
            return force, np.zeros_like(weight)
        spin = np.abs(motion.rate) * self._half
        return force, -0.5 * weight * self._half * motion.rate * self._half / np.maximum(spin, CREEP)  # P1 (14)

    def touches(self, joint_force: FloatArray, joint_torque: FloatArray, motion: LinkMotion) -> Touches:
        """The pushes as touches, which a skin would feel; arguments as in `pushes`."""
        force, moment = self.pushes(joint_force, joint_torque, motion)
        link = np.flatnonzero(np.hypot(force[:, 0], force[:, 1]) >= self.threshold)
        cos, sin = np.cos(motion.angle[link]), np.sin(motion.angle[link])
        x, y = force[link].T
        own = np.stack([cos * x + sin * y, cos * y - sin * x], axis=1)  # along, across
        return self._placed(link, own, moment[link])

    def _placed(self, link: IntArray, force: FloatArray, moment: FloatArray) -> Touches:
        """Where on the links; forces in their axes."""
        along, across = force.T
        side = np.where(across < 0.0, 1, -1)
        core, radius = self._core[link], self._radius[link]
        at_end = np.abs(across) < END_ON * np.hypot(along, across)
        with np.errstate(divide="ignore", invalid="ignore"):
            place = np.where(at_end, -np.sign(along) * core, (moment + side * radius * along) / across)
        place = np.clip(place, -core, core)
        straight = np.stack([np.zeros_like(along), -side.astype(float)], axis=1)
        normal = np.where(at_end[:, np.newaxis], force / np.hypot(along, across)[:, np.newaxis], straight)
        point = np.stack([place, np.zeros_like(place)], axis=1) - radius[:, np.newaxis] * normal
        return Touches(link, place, side, point, normal, force)


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def accelerations(
    robot: Robot, angle: FloatArray, rate: FloatArray, turning: FloatArray, head: FloatArray
) -> FloatArray:
    """Of the link centres [m/s2], (n, 2), from that of the head's centre, which an accelerometer shows.

    Parameters
    ----------
    robot
        Whose links they are.
    angle
        [rad], (n,).
    rate
        [rad/s], (n,).
    turning
        [rad/s2], (n,), angular accelerations.
    head
        [m/s2], (2,), in the world.
    """
    half = np.array([link.length / 2 for link in robot.links])[:, np.newaxis]
    along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    bent = half * (turning[:, np.newaxis] * across - rate[:, np.newaxis] ** 2 * along)
    steps = bent[:-1] + bent[1:]  # from each centre to the next one towards the head
    behind = np.concatenate([np.cumsum(steps[::-1], axis=0)[::-1], np.zeros((1, 2))])
    return np.asarray(head - behind)
