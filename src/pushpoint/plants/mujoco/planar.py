"""The robot in the plane, as MuJoCo keeps it: x, y and angle of the tail's centre, then the joint angles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.plants._engine import Contact, EngineState
from pushpoint.plants.mujoco.options import MujocoOptions
from pushpoint.plants.mujoco.planar_model import compile_model
from pushpoint.plants.mujoco.run import MujocoEngine
from pushpoint.plants.mujoco.settings import servo_drag
from pushpoint.robots import Robot, Servo
from pushpoint.types import FloatArray, IntArray, Pose
from pushpoint.worlds import World

CONTACT, GROUND = slice(0, 2), slice(2, 4)  # columns of EngineState.sums


class PlanarEngine(MujocoEngine):
    """Smooth discs, dry ground friction at the links' centres, hinges."""

    dimensions = 2
    angle_at = rate_at = slice(3, None)

    def __init__(self, robot: Robot, world: World, servo: Servo, options: MujocoOptions) -> None:
        links = robot.links
        super().__init__(robot, world, options.dt)
        self.mj = compile_model(robot, world, servo, options)
        self.gravity, self.stiffness, self.damping = world.gravity, servo.stiffness, servo.damping
        self._torque_limit = servo.torque_limit
        self._servo_inertia = self.dt * servo_drag(servo, "yaw", self.dt)
        self._joint_damping = np.array([robot.joint(j).damping for j in range(len(links) - 1)])
        self._half_length = np.array([link.length / 2 for link in links])
        self._half_core, self._mass, self._inertia = (
            np.array([getattr(link, name) for link in links]) for name in ("half_core", "mass", "inertia")
        )
        self._disc = np.array([[d.x, d.y, d.radius] for d in world.discs]).reshape(-1, 3)
        names = [self.mj.geom(g).name for g in range(self.mj.ngeom)]
        self._geom_link, self._geom_disc = _numbers(names, ("link", "foot")), _numbers(names, ("disc",))

    def set_pose(self, data: Any, pose: Pose) -> None:
        data.qpos[:] = [*pose.position[0], pose.angle[0], *np.diff(pose.angle)]
        data.qvel[:] = [*pose.velocity[0], pose.rate[0], *np.diff(pose.rate)]

    def joints(self, state: EngineState) -> tuple[FloatArray, FloatArray]:
        return np.diff(state.link[:, 2]), np.diff(state.link[:, 5])

    def positions(self, path: FloatArray) -> FloatArray:
        return self._links(path[:, : self.mj.nq], path[:, self.mj.nq :][:, : self.mj.nv])[..., :2]

    def links(self, data: Any) -> FloatArray:
        return self._links(data.qpos, data.qvel)

    def _links(self, q: FloatArray, u: FloatArray) -> FloatArray:
        """x, y, angle, v_x, v_y, rate of all links (..., n, 6) from MuJoCo's coordinates and velocities."""
        angle, rate = np.cumsum(q[..., 2:], axis=-1), np.cumsum(u[..., 2:], axis=-1)
        half_x, half_y = self._half_length * np.cos(angle), self._half_length * np.sin(angle)
        out = np.empty((*angle.shape, 6))
        out[..., 2], out[..., 5] = angle, rate
        for column, root, half in ((0, q[..., 0], half_x), (1, q[..., 1], half_y)):
            out[..., column] = _along_chain(root, half)
        for column, root, half in ((3, u[..., 0], -half_y * rate), (4, u[..., 1], half_x * rate)):
            out[..., column] = _along_chain(root, half)
        return out

    def kinetic_energy(self, link: FloatArray) -> float:
        v_x, v_y, rate = link[:, 3:].T
        return 0.5 * float(self._mass @ (v_x * v_x + v_y * v_y) + self._inertia @ (rate * rate))

    def joint_torque(self, data: Any, angle: FloatArray, rate: FloatArray) -> FloatArray:
        """See `settings.servo_drag`; at the limit none is implicit. Those of dampers belong to them; MuJoCo takes them
        at the end of the step."""
        force, rate_after = data.actuator_force, data.qvel[3:]
        implicit = self._servo_inertia / self.dt * (rate_after - rate)
        servo = np.where(np.abs(force) < self._torque_limit, force - implicit, force)
        return np.asarray(servo - self._joint_damping * rate_after)

    def joint_work(self, torque: FloatArray, mean: FloatArray, rate: FloatArray) -> float:
        return float(torque @ np.diff(mean[:, 5]))

    def add_contacts(self, state: EngineState, before: FloatArray, mean: FloatArray) -> tuple[float, float]:
        contact, force = state.data.contact, state.data.efc_force
        # MuJoCo orders the two shapes by type, plane, sphere, capsule: the second one is always the link's.
        first, second = contact.geom[:, 0], contact.geom[:, 1]
        disc, link = self._geom_disc[first], self._geom_link[second]
        frame, row = contact.frame, contact.efc_address
        feet = np.flatnonzero(disc < 0)
        tangent = self.dt * force[row[feet, np.newaxis] + [1, 2]]
        impulse = tangent[:, :1] * frame[feet, 3:5] + tangent[:, 1:] * frame[feet, 6:8]
        state.sums[link[feet], GROUND] += impulse
        friction = float(np.sum(impulse * mean[link[feet], 3:5]))
        pushed = 0.0
        for c in np.flatnonzero((disc >= 0) & (row >= 0)):  # no row: found just out of touch
            size = self.dt * float(force[row[c]])
            if size > 0.0:
                i = int(link[c])
                pushed += self._push(state, (i, int(disc[c])), size * frame[c, :2], before[i], mean[i])
        return friction, pushed

    def _push(
        self, state: EngineState, key: tuple[int, int], impulse: FloatArray, link: FloatArray, mean: FloatArray
    ) -> float:
        """Note an impulse [N s] of a disc on a link with this pose and mean velocity; returns its work [J]."""
        i, k = key
        x, y, radius = self._disc[k]
        normal = impulse / np.hypot(impulse[0], impulse[1])
        along = (x - link[0]) * np.cos(link[2]) + (y - link[1]) * np.sin(link[2])
        place = float(min(max(along, -self._half_core[i]), self._half_core[i]))
        point = self._disc[k, :2] + radius * normal  # where the normal leaves the disc
        state.push(key, Contact(place, point, normal), impulse)
        state.sums[i, CONTACT] += impulse
        arm_x, arm_y = x + radius * normal[0] - link[0], y + radius * normal[1] - link[1]
        moment = arm_x * impulse[1] - arm_y * impulse[0]
        return float(impulse @ mean[3:5] + moment * mean[5])


def _along_chain(root: FloatArray, half: FloatArray) -> FloatArray:
    """Sums from the tail's centre to each centre."""
    out = np.empty_like(half)
    out[..., 0] = root
    out[..., 1:] = half[..., :-1] + half[..., 1:]
    return np.cumsum(out, axis=-1, out=out)


def _numbers(names: list[str], kinds: tuple[str, ...]) -> IntArray:
    """The numbers in names like "link 3" of these kinds, -1 for all others."""
    parts = [name.partition(" ") for name in names]
    return np.array([int(number) if kind in kinds else -1 for kind, _, number in parts], dtype=np.int64)
