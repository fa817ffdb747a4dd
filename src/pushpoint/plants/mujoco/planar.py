"""The robot in the plane, as MuJoCo keeps it: x, y and angle of the tail's centre, then the joint angles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.numerics.restored import Limit, Limits
from pushpoint.plants._resting import resting
from pushpoint.plants.mujoco.encoding import Pair, State, servo_drag, solver_residual
from pushpoint.plants.mujoco.options import MujocoOptions
from pushpoint.plants.mujoco.planar_model import compile_model
from pushpoint.robots import Robot, Servo
from pushpoint.types import CommandTable, FloatArray, IntArray, Pose
from pushpoint.worlds import World

# Columns of State.sums, impulses of the tick.
CONTACT, GROUND, JOINT, SUMS = slice(0, 2), slice(2, 4), 4, 5


class PlanarEncoding:
    """Smooth discs, dry ground friction at the links' centres, hinges."""

    dimensions, key_size = 2, 2
    attitude: int | slice = 2
    velocity = slice(3, 5)
    rate: int | slice = 5

    def __init__(self, robot: Robot, world: World, servo: Servo, options: MujocoOptions) -> None:
        links, discs = robot.links, world.discs
        self.mj, self.dt, self._gravity = compile_model(robot, world, servo, options), options.dt, world.gravity
        self._servo = servo
        self._servo_inertia = self.dt * servo_drag(servo, "yaw", self.dt)
        self._joint_damping = np.array([robot.joint(j).damping for j in range(len(links) - 1)])
        self._half_length = np.array([link.length / 2 for link in links])
        self._half_core, self._mass, self._inertia = (
            np.array([getattr(link, name) for link in links]) for name in ("half_core", "mass", "inertia")
        )
        self._disc = np.array([[d.x, d.y, d.radius] for d in discs]).reshape(-1, 3)
        names = [self.mj.geom(g).name for g in range(self.mj.ngeom)]
        self._geom_link, self._geom_disc = _numbers(names, ("link", "foot")), _numbers(names, ("disc",))
        self.key_limits: Limits = {"pair_key.0": Limit(0, len(links) - 1), "pair_key.1": Limit(0, len(discs) - 1)}

    def resting(self) -> Pose:
        return resting(len(self._mass))

    def place(self, data: Any, pose: Pose) -> None:
        data.qpos[:] = [*pose.position[0], pose.angle[0], *np.diff(pose.angle)]
        data.qvel[:] = [*pose.velocity[0], pose.rate[0], *np.diff(pose.rate)]

    def begin(self, data: Any) -> State:
        link = self._links(data.qpos, data.qvel)
        state = State(data, link, np.zeros((len(link), 2 * SUMS)), np.zeros(5))
        state.ledger[0] = self._kinetic_energy(link)
        return state

    def joints(self, state: State) -> tuple[FloatArray, FloatArray, FloatArray]:
        return np.diff(state.link[:, 2]), np.diff(state.link[:, 5]), state.sums[1:, JOINT].copy()

    def controls(self, command: CommandTable, lead: float | FloatArray) -> FloatArray:
        angle, rate, torque = command
        return np.asarray(self._servo.stiffness * (angle + lead * rate) + self._servo.damping * rate + torque)

    def residual(self, data: Any) -> float:
        return solver_residual(data, self.dt, self._gravity)

    def positions(self, path: FloatArray) -> FloatArray:
        return self._links(path[:, : self.mj.nq], path[:, self.mj.nq :][:, : self.mj.nv])[..., :2]

    def step(self, state: State) -> None:
        import mujoco

        data, before = state.data, state.link
        joint_rate = data.qvel[3:].copy()
        mujoco.mj_step(self.mj, data)
        state.link = after = self._links(data.qpos, data.qvel)
        mean = 0.5 * (before[:, 3:] + after[:, 3:])
        torque = self._joint_torque(data, joint_rate)
        state.sums[1:, JOINT] += torque * self.dt
        energy = self._kinetic_energy(after)
        servo = self.dt * float(torque @ np.diff(mean[:, 2]))
        friction, contact = self._add_contacts(state, before, mean)
        gained = energy - float(state.ledger[0])
        state.ledger[0] = energy
        state.ledger[1:] += servo, friction, contact, gained - servo - friction - contact

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

    def _kinetic_energy(self, link: FloatArray) -> float:
        v_x, v_y, rate = link[:, 3:].T
        return 0.5 * float(self._mass @ (v_x * v_x + v_y * v_y) + self._inertia @ (rate * rate))

    def _joint_torque(self, data: Any, rate_before: FloatArray) -> FloatArray:
        """Torques [N m] that acted during the step, see `encoding.servo_drag`; at the limit none is implicit. Those of
        dampers belong to them; MuJoCo takes them at the end of the step."""
        force, rate = data.actuator_force, data.qvel[3:]
        implicit = self._servo_inertia / self.dt * (rate - rate_before)
        servo = np.where(np.abs(force) < self._servo.torque_limit, force - implicit, force)
        return np.asarray(servo - self._joint_damping * rate)

    def _add_contacts(self, state: State, before: FloatArray, mean: FloatArray) -> tuple[float, float]:
        """Add the step's impulses to the sums; returns the work [J] of friction and of obstacles."""
        contact, force = state.data.contact, state.data.efc_force
        # MuJoCo orders the two shapes by type, plane, sphere, capsule: the second one is always the link's.
        first, second = contact.geom[:, 0], contact.geom[:, 1]
        disc, link = self._geom_disc[first], self._geom_link[second]
        frame, row = contact.frame, contact.efc_address
        feet = np.flatnonzero(disc < 0)
        tangent = self.dt * force[row[feet, np.newaxis] + [1, 2]]
        impulse = tangent[:, :1] * frame[feet, 3:5] + tangent[:, 1:] * frame[feet, 6:8]
        state.sums[link[feet], GROUND] += impulse
        friction = float(np.sum(impulse * mean[link[feet], :2]))
        pushed = 0.0
        for c in np.flatnonzero((disc >= 0) & (row >= 0)):  # no row: found just out of touch
            size = self.dt * float(force[row[c]])
            if size > 0.0:
                i = int(link[c])
                pushed += self._push(state, (i, int(disc[c])), size * frame[c, :2], before[i], mean[i])
        return friction, pushed

    def _push(
        self, state: State, key: tuple[int, int], impulse: FloatArray, link: FloatArray, mean: FloatArray
    ) -> float:
        """Note an impulse [N s] of a disc on a link with this pose and mean velocity; returns its work [J]."""
        i, k = key
        x, y, radius = self._disc[k]
        normal = impulse / np.hypot(impulse[0], impulse[1])
        along = (x - link[0]) * np.cos(link[2]) + (y - link[1]) * np.sin(link[2])
        place = float(min(max(along, -self._half_core[i]), self._half_core[i]))
        point = self._disc[k, :2] + radius * normal  # where the normal leaves the disc
        pair = state.pairs.setdefault(key, Pair(place, point, normal, 0.0, np.zeros(2), np.zeros(2)))
        pair.place, pair.point, pair.normal = place, point, normal
        pair.tick += impulse
        state.sums[i, CONTACT] += impulse
        arm_x, arm_y = x + radius * normal[0] - link[0], y + radius * normal[1] - link[1]
        moment = arm_x * impulse[1] - arm_y * impulse[0]
        return float(impulse @ mean[:2] + moment * mean[2])


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
