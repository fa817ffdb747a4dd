"""Where the robot is, from joint angles and touches alone: the balance of momentum of the whole chain.

Joints are where encoders show them, so that three unknowns are left: velocity v and rate w of the head link. In a tick
dt they minimise, as friction dissipates and contacts push,

    sum_i m_i |v_i - v_i(before)|^2 / 2 + J_i (w_i - w_i(before))^2 / 2
      + dt sum_i mu m_i g (sqrt(v_i^2 + e^2) + sqrt((h_i w_i)^2 + e^2) / 2) - dt sum_k F_k . v_k

over all rigid motions of the chain; the last term is the power of the pushes F_k that are felt. The minimum is unique.
What this cannot know adds up to a drift: ground that is slippery or tilted elsewhere, pushes that are not felt, and
whether a link that creeps slower than e sticks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.mapping.wrenches import GroundBelief
from pushpoint.mechanics.pose import chain
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, Pose, Touches

CREEP = 0.002  # [m/s], e: where friction is half of its size
ITERATIONS = 25  # of Newton's method, at most
SMALL = 1e-10  # [m/s], change at which it ends


class Power(NamedTuple):
    """Of what is felt, per unit of the unknowns."""

    force: FloatArray  # [N], (2,): sum
    moment: float  # [N m], about the head's centre


class Odometry:
    """Integrates the pose of a robot.

    Parameters
    ----------
    robot
        That moves.
    ground
        What is believed of the ground.
    period
        From tick to tick [s].
    """

    def __init__(self, robot: Robot, ground: GroundBelief, period: float) -> None:
        self._robot, self._ground, self._period = robot, ground, period
        self._mass = np.array([link.mass for link in robot.links])
        self._inertia = np.array([link.inertia for link in robot.links])
        self._half = np.array([link.length / 2 for link in robot.links])

    def step(self, before: Pose, joint_angle: FloatArray, joint_rate: FloatArray, touches: Touches) -> Pose:
        """The pose after a tick.

        Parameters
        ----------
        before
            The tick, with velocities.
        joint_angle
            [rad], (n - 1,), at its end.
        joint_rate
            [rad/s], (n - 1,), at its end.
        touches
            Felt in it.
        """
        dt, head = self._period, len(self._mass) - 1
        turned = _from_head(joint_angle)  # of the links to the head
        yaw = before.angle[head] + dt * before.rate[head]
        shape = self._shape(yaw + turned)
        rates = _from_head(joint_rate)
        moving = self._shape_velocity(yaw + turned, rates)
        found = self._balanced(before, shape, moving, rates, self._felt(touches, yaw + turned, shape))
        yaw = before.angle[head] + 0.5 * dt * (before.rate[head] + found[2])
        place = before.position[head] + 0.5 * dt * (before.velocity[head] + found[:2])
        shape = self._shape(yaw + turned)
        moving = self._shape_velocity(yaw + turned, rates)
        velocity = found[:2] + found[2] * _across(shape) + moving
        return Pose(place + shape, yaw + turned, velocity, found[2] + rates)

    def _shape(self, angle: FloatArray) -> FloatArray:
        """Link centres [m], (n, 2), from that of the head."""
        centres = chain(self._robot, np.stack([np.cos(angle), np.sin(angle)], axis=1))
        return np.asarray(centres - centres[-1])

    def _shape_velocity(self, angle: FloatArray, rate: FloatArray) -> FloatArray:
        """Their velocities [m/s] if the head rests and joints turn."""
        centres = chain(self._robot, rate[:, np.newaxis] * np.stack([-np.sin(angle), np.cos(angle)], axis=1))
        return np.asarray(centres - centres[-1])

    def _felt(self, touches: Touches, angle: FloatArray, shape: FloatArray) -> Power:
        k = touches.link
        cos, sin = np.cos(angle[k]), np.sin(angle[k])

        def in_world(v: FloatArray) -> FloatArray:
            return np.stack([cos * v[:, 0] - sin * v[:, 1], sin * v[:, 0] + cos * v[:, 1]], axis=1)

        force, lever = in_world(touches.force), shape[k] + in_world(touches.point)
        moment = lever[:, 0] * force[:, 1] - lever[:, 1] * force[:, 0]
        return Power(force.sum(axis=0), float(moment.sum()))

    def _balanced(
        self, before: Pose, shape: FloatArray, moving: FloatArray, rates: FloatArray, felt: Power
    ) -> FloatArray:
        """Velocity and rate (3,) of the head at the end of the tick, by Newton's method with shortened steps."""
        dt, across = self._period, _across(shape)
        weight = dt * self._ground.friction * self._ground.gravity * self._mass
        spin = 0.5 * weight * self._half * float(self._ground.torque)  # P1 (14)
        push = dt * np.array([*felt.force, felt.moment])

        def cost(u: FloatArray) -> float:
            v, w = u[:2] + u[2] * across + moving, u[2] + rates
            kinetic = 0.5 * self._mass @ ((v - before.velocity) ** 2).sum(axis=1)
            kinetic += 0.5 * self._inertia @ (w - before.rate) ** 2
            slid = weight @ np.sqrt((v**2).sum(axis=1) + CREEP**2)
            slid += 0.5 * weight @ np.sqrt((self._half * w) ** 2 + CREEP**2) * float(self._ground.torque)
            return float(kinetic + slid - push @ u)

        u = np.array([*before.velocity[-1], before.rate[-1]])
        for _ in range(ITERATIONS):
            v, w = u[:2] + u[2] * across + moving, u[2] + rates
            size = np.sqrt((v**2).sum(axis=1) + CREEP**2)
            turn = np.sqrt((self._half * w) ** 2 + CREEP**2)
            pull = self._mass[:, np.newaxis] * (v - before.velocity) + (weight / size)[:, np.newaxis] * v
            twist = self._inertia * (w - before.rate) + spin * self._half * w / turn
            slope = np.array([*pull.sum(axis=0), (pull * across).sum() + twist.sum()]) - push
            bowed = (self._mass + weight / size)[:, np.newaxis, np.newaxis] * np.eye(2)
            bowed -= (weight / size**3)[:, np.newaxis, np.newaxis] * v[:, :, np.newaxis] * v[:, np.newaxis, :]
            mixed = np.einsum("nij,nj->ni", bowed, across)
            curve = np.empty((3, 3))
            curve[:2, :2], curve[:2, 2] = bowed.sum(axis=0), mixed.sum(axis=0)
            curve[2, :2] = curve[:2, 2]
            turning = self._inertia + spin * self._half * CREEP**2 / turn**3
            curve[2, 2] = (across * mixed).sum() + turning.sum()
            change = -np.linalg.solve(curve, slope)
            now, part = cost(u), 1.0
            while part > 1e-6 and cost(u + part * change) > now + 1e-4 * part * float(slope @ change):
                part *= 0.5
            u = u + part * change
            if float(np.abs(change).max()) < SMALL:
                break
        return u


def _from_head(joint: FloatArray) -> FloatArray:
    """Of each link less that of the head, from joint values."""
    return np.concatenate([-np.cumsum(joint[::-1])[::-1], [0.0]])


def _across(offset: FloatArray) -> FloatArray:
    """Turned by a quarter to the left."""
    return np.stack([-offset[:, 1], offset[:, 0]], axis=1)
