"""What environments show: many robots at one instant, and the parts of an observation.

Arrays have the robot as their first axis. One environment is the case of one robot, so that the numbers are the same to
the bit however many there are; sums over links are written as such, because NumPy's order of summing depends on shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pushpoint.robots import Robot
from pushpoint.types import FloatArray, Observation, Snapshot
from pushpoint.worlds import World

Float32Array = npt.NDArray[np.float32]


class Body(NamedTuple):
    """What does not change: the robot and where it lives."""

    robot: Robot
    world: World
    dimensions: int  # 2 in the plane, 3 in space
    period: float  # [s], of control

    @property
    def links(self) -> int:
        """How many there are."""
        return len(self.robot.links)

    @property
    def freedoms(self) -> int:
        """How many joint angles there are."""
        return len(self.robot.freedoms)

    @property
    def weight(self) -> float:
        """[N], of the robot where it lives; without gravity where it was built for."""
        return self.robot.mass * (self.world.gravity or 9.81)


class Seen(NamedTuple):
    """N robots at one instant; forces and torques are means over the last control period."""

    time: FloatArray  # [s], (N,)
    joint_angle: FloatArray  # [rad], (N, f)
    joint_rate: FloatArray  # [rad/s], (N, f)
    joint_torque: FloatArray  # [N m], (N, f)
    position: FloatArray  # [m], (N, n, d): link centres
    attitude: FloatArray  # in the plane [rad], (N, n); in space (N, n, 4): quaternions wxyz
    velocity: FloatArray  # [m/s], (N, n, d)
    rate: FloatArray  # [rad/s], in the plane (N, n), in space (N, n, 3)
    contact_force: FloatArray  # [N], (N, n, d): of obstacles and other links
    ground_force: FloatArray  # [N], (N, n, d)

    @classmethod
    def of_snapshot(cls, seen: Snapshot, time: float, period: float) -> Seen:
        """One robot.

        Parameters
        ----------
        seen
            The truth.
        time
            Of the tick [s].
        period
            Of control [s].
        """
        one = (
            np.array(time),
            seen.joint_angle,
            seen.joint_rate,
            seen.joint_impulse / period,
            seen.position,
            seen.attitude,
            seen.velocity,
            seen.rate,
            seen.contact_impulse / period,
            seen.ground_impulse / period,
        )
        return cls(*(np.array(values, dtype=float)[np.newaxis] for values in one))

    def sensed(self, seen: Observation) -> Seen:
        """The same one robot as its sensors see it; of the ground they feel nothing.

        Parameters
        ----------
        seen
            Their readings.
        """
        plane = self.attitude.ndim == 2
        one = {
            "joint_angle": seen.joint_angle,
            "joint_rate": seen.joint_rate,
            "joint_torque": seen.joint_torque,
            "position": seen.link_position,
            "attitude": seen.link_yaw if plane else seen.link_orientation,
            "velocity": seen.link_velocity,
            "rate": seen.link_rate,
            "contact_force": seen.contact_force,
            "ground_force": np.zeros_like(self.ground_force[0]),
        }
        return self._replace(**{name: np.array(values, dtype=float)[np.newaxis] for name, values in one.items()})

    def rows(self, which: Any) -> Seen:
        """Some robots alone.

        Parameters
        ----------
        which
            Numbers or a mask.
        """
        return Seen(*(values[which] for values in self))


class Scene:
    """What observations and rewards are made of: robots as they are seen, and what the task remembers of each.

    Parameters
    ----------
    body
        What does not change.
    seen
        The robots.
    target
        Joint references in force [rad], (N, f).
    about
        What the task knows of each robot's world, (N, k): see `Task.about`.
    """

    def __init__(self, body: Body, seen: Seen, target: FloatArray, about: FloatArray) -> None:
        self.body, self.seen = body, seen
        self.target, self.about = target, about

    @cached_property
    def centre(self) -> FloatArray:
        """Of mass [m], (N, d)."""
        return _mass_mean(self.body.robot, self.seen.position)

    @cached_property
    def velocity(self) -> FloatArray:
        """Of the centre of mass [m/s], (N, d)."""
        return _mass_mean(self.body.robot, self.seen.velocity)

    @cached_property
    def axes(self) -> FloatArray:
        """(N, n, 2): where links point to, seen from above."""
        if self.body.dimensions == 2:
            return np.stack([np.cos(self.seen.attitude), np.sin(self.seen.attitude)], axis=-1)
        w, x, y, z = np.moveaxis(self.seen.attitude, -1, 0)
        return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z)], axis=-1)

    @cached_property
    def heading(self) -> FloatArray:
        """[rad], (N,): direction of the mean of all link axes."""
        mean = reduce(add, np.moveaxis(self.axes, 1, 0))
        return np.asarray(np.arctan2(mean[:, 1], mean[:, 0]))

    @cached_property
    def turning(self) -> FloatArray:
        """[rad/s], (N,): mean rate of all links about the vertical."""
        rate = self.seen.rate if self.body.dimensions == 2 else self.seen.rate[..., 2]
        return np.asarray(reduce(add, rate.T) / self.body.links)

    def turned(self, values: FloatArray, angle: FloatArray) -> FloatArray:
        """Vectors in axes that are turned.

        Parameters
        ----------
        values
            (N, ..., 2).
        angle
            By which the axes are turned [rad], (N,).
        """
        shape = (-1,) + (1,) * (values.ndim - 2)
        cos, sin = np.cos(angle).reshape(shape), np.sin(angle).reshape(shape)
        x, y = values[..., 0], values[..., 1]
        return np.stack([cos * x + sin * y, cos * y - sin * x], axis=-1)

    def across(self, force: FloatArray) -> FloatArray:
        """Components of forces on links to the left of each link, (N, n).

        Parameters
        ----------
        force
            (N, n, d).
        """
        return np.asarray(self.axes[..., 0] * force[..., 1] - self.axes[..., 1] * force[..., 0])


def _mass_mean(robot: Robot, values: FloatArray) -> FloatArray:
    """Mean over links (N, n, d), weighted by mass; (N, d)."""
    terms = (link.mass * values[:, k] for k, link in enumerate(robot.links))
    return np.asarray(reduce(add, terms) / robot.mass)


class Part(NamedTuple):
    """Some entries of an observation."""

    name: str  # in tables
    size: int  # how many entries
    unit: str  # "1" if there is none
    bound: float  # values are cut off here and at its negative
    meaning: str  # for people
    read: Callable[[Scene], FloatArray]  # (N, size)


def bounds(parts: Sequence[Part]) -> Float32Array:
    """Upper bounds of all entries; the lower ones are their negatives."""
    return np.concatenate([np.full(part.size, part.bound, dtype=np.float32) for part in parts])


def observe(parts: Sequence[Part], most: Float32Array, scene: Scene) -> Float32Array:
    """All parts in a row, within `most`, (N, size)."""
    flat = np.concatenate([part.read(scene) for part in parts], axis=1).astype(np.float32)
    return np.asarray(np.clip(flat, -most, most))


def table(parts: Sequence[Part]) -> str:
    """The entries of an observation as a table in Markdown."""
    lines = ["| entries | name | unit | bounds | meaning |", "|---|---|---|---|---|"]
    begin = 0
    for part in parts:
        entries = f"{begin}" if part.size == 1 else f"{begin}-{begin + part.size - 1}"
        lines.append(f"| {entries} | `{part.name}` | {part.unit} | ±{part.bound:.4g} | {part.meaning} |")
        begin += part.size
    return "\n".join(lines)
