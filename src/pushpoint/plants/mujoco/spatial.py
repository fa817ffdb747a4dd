"""The robot in space, as MuJoCo keeps it: a free joint at the middle link, hinges from there to both ends."""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np

from pushpoint.geometry.rotation import matrices
from pushpoint.numerics.restored import Limit, Limits
from pushpoint.plants._engine import Contact, EngineState
from pushpoint.plants.mujoco.options import MujocoOptions
from pushpoint.plants.mujoco.run import MujocoEngine
from pushpoint.plants.mujoco.settings import servo_drag
from pushpoint.plants.mujoco.spatial_model import compile_spatial_model, gravity_of, root_of
from pushpoint.plants.mujoco.spatial_world import TERRAIN
from pushpoint.robots import Robot, Servo
from pushpoint.tape import ExtraColumn
from pushpoint.types import FloatArray, IntArray, SpatialPose
from pushpoint.worlds import World

# Columns of EngineState.link, and of EngineState.sums.
POSITION, QUATERNION, VELOCITY, RATE, MOTION = slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13), 13
CONTACT, GROUND = slice(0, 3), slice(3, 6)
AT_LIMIT = 0.999  # of the friction limit: above it a contact counts as sliding
PLANE = 1  # in `_geom_ground`


class Touch(NamedTuple):
    """Contacts as seen from their links, one row each; the two links of a self-contact have a row each."""

    link: IntArray
    other: IntArray  # the shape that is touched
    point: FloatArray  # [m], (k, 3)
    normal: FloatArray  # (k, 3): to the link
    push: FloatArray  # [N], (k, 3): on the link, along the normal
    friction: FloatArray  # [N], (k, 3): on the link, across the normal
    moment: FloatArray  # [N m], (k, 3): on the link, of rolling friction
    slip: FloatArray  # (k,): 1 if friction is at its limit


class SpatialEngine(MujocoEngine):
    """Obstacles, terrain and ground as solids; `f` counts the freedoms of the joints from the tail."""

    dimensions = 3
    key_size = 4  # link, obstacle or -1, the other shape, half of the link (0 tail, 1 head)
    extra_columns = (ExtraColumn("gravity_work", "J", "work of gravity since t = 0"),)

    def __init__(self, robot: Robot, world: World, servo: Servo, options: MujocoOptions) -> None:
        super().__init__(robot, world, options.dt)
        self.mj = compile_spatial_model(robot, world, servo, options)
        self._root, self._down, self._torque_limit = root_of(robot), gravity_of(world), servo.torque_limit
        self.gravity = float(np.linalg.norm(self._down))
        self._body = np.array([self.mj.body(f"link {i}").id for i in range(len(robot.links))], dtype=np.int64)
        self._half_core, self._mass = (
            np.array([getattr(link, name) for link in robot.links]) for name in ("half_core", "mass")
        )
        # [kg m2], (n, 3): about forward, left, up
        self._inertia = np.array([[link.about_roll, link.about_pitch, link.inertia] for link in robot.links])
        self._set_joints(robot, servo)
        names = [self.mj.geom(g).name.split() for g in range(self.mj.ngeom)]
        self._geom_link, self._geom_obstacle = _numbers(names, "link"), _numbers(names, "obstacle")
        grounds = ("plane", TERRAIN)  # 1, 2; 0 for others
        self._geom_ground = np.array([grounds.index(n[0]) + 1 if n[0] in grounds else 0 for n in names])

    @property
    def key_limits(self) -> Limits:
        return {**super().key_limits, "pair_key.2": Limit(0, self.mj.ngeom - 1), "pair_key.3": Limit(0, 1)}

    def _set_joints(self, robot: Robot, servo: Servo) -> None:
        """Where MuJoCo keeps each freedom, and its gains, each (f,)."""
        freedoms, dt = robot.freedoms, self.dt
        joints = [robot.joint(j) for j, _ in freedoms]
        hinges = [self.mj.joint(f"freedom {k}") for k in range(len(freedoms))]
        self.angle_at = np.array([hinge.qposadr[0] for hinge in hinges], dtype=np.int64)
        self.rate_at = np.array([hinge.dofadr[0] for hinge in hinges], dtype=np.int64)
        self._actuated = np.array([float(joint.actuated) for joint in joints])
        gains = np.array([servo.gains(axis) for _, axis in freedoms]).reshape(-1, 2)
        self.stiffness, self.damping = self._actuated * gains[:, 0], self._actuated * gains[:, 1]
        self._servo_drag = self._actuated * np.array([servo_drag(servo, axis, dt) for _, axis in freedoms])
        self._spring_drag = np.array([joint.damping + dt * joint.stiffness for joint in joints])
        self._armature = np.array([joint.armature for joint in joints])  # [kg m2], of the motors
        self._stop = np.array([[joint.lower, joint.upper] for joint in joints]).reshape(-1, 2)  # [rad], (f, 2)

    def set_pose(self, data: Any, pose: SpatialPose) -> None:
        root = self._root
        data.qpos[:7] = [*pose.position[root], *pose.orientation[root]]
        data.qvel[:3] = pose.velocity[root]
        data.qvel[3:6] = matrices(pose.orientation[root]).T @ pose.rate[root]  # MuJoCo's are in the link's axes
        data.qpos[self.angle_at] = pose.joint_angle
        data.qvel[self.rate_at] = pose.joint_rate

    def joints(self, state: EngineState) -> tuple[FloatArray, FloatArray]:
        return state.data.qpos[self.angle_at], state.data.qvel[self.rate_at]

    def positions(self, path: FloatArray) -> FloatArray:
        data, out = mujoco.MjData(self.mj), np.empty((len(path), len(self._body), 3))
        for row, coordinates in enumerate(path[:, : self.mj.nq]):
            data.qpos[:] = coordinates
            mujoco.mj_kinematics(self.mj, data)
            out[row] = data.xpos[self._body]
        return out

    def extra_work(self, mean: FloatArray) -> tuple[float, ...]:
        """Of gravity."""
        return (self.dt * float(self._mass @ (mean[:, VELOCITY] @ self._down)),)

    def links(self, data: Any) -> FloatArray:
        """Position, quaternion, velocity and rate of all links (n, 13) for the data's coordinates and velocities."""
        mujoco.mj_kinematics(self.mj, data)
        mujoco.mj_comPos(self.mj, data)
        mujoco.mj_comVel(self.mj, data)
        body, out = self._body, np.empty((len(self._body), MOTION))
        out[:, POSITION], out[:, QUATERNION] = data.xpos[body], data.xquat[body]
        rate, at_mass_centre = data.cvel[body, :3], data.cvel[body, 3:]
        centre = data.subtree_com[self._body[self._root]]
        out[:, VELOCITY], out[:, RATE] = at_mass_centre + np.cross(rate, out[:, POSITION] - centre), rate
        return out

    def kinetic_energy(self, link: FloatArray) -> float:
        own = np.einsum("iba,ib->ia", matrices(link[:, QUATERNION]), link[:, RATE])  # in the links' axes
        moving = self._mass @ np.sum(link[:, VELOCITY] ** 2, axis=1)
        return 0.5 * float(moving + np.sum(self._inertia * own * own))

    def joint_torque(self, data: Any, angle: FloatArray, rate: FloatArray) -> FloatArray:
        """Torques [N m] in the joints during the step: servo, spring, damper, stops, less what turns the motor.

        The implicit parts belong to the change of rate, see `settings.servo_drag`; a servo at its limit has none.
        """
        change = data.qvel[self.rate_at] - rate
        force = data.actuator_force * self._actuated
        servo = np.where(np.abs(force) < self._torque_limit, force - self._servo_drag * change, force)
        passive = data.qfrc_passive[self.rate_at] - self._spring_drag * change
        return np.asarray(servo + passive + self._stop_torque(data, angle) - self._armature * change / self.dt)

    def _stop_torque(self, data: Any, angle: FloatArray) -> FloatArray:
        """Of joints at their stops [N m], (f,)."""
        out = np.zeros(len(angle))
        rows = np.flatnonzero(data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT))
        if len(rows) == 0:
            return out
        address = self.mj.jnt_dofadr[data.efc_id[rows]]
        freedom = np.array([int(np.flatnonzero(self.rate_at == a)[0]) for a in address])
        at_lower = angle[freedom] - self._stop[freedom, 0] < self._stop[freedom, 1] - angle[freedom]
        np.add.at(out, freedom, np.where(at_lower, 1.0, -1.0) * data.efc_force[rows])
        return out

    def _touches(self, data: Any) -> Touch:
        """What MuJoCo's contacts did to the links in the step; they are still those of its start."""
        contact, parts = data.contact, np.arange(6)
        address, dim, geom = contact.efc_address, contact.dim, contact.geom.reshape(-1, 2)
        known = (parts < dim[:, np.newaxis]) & (address[:, np.newaxis] >= 0)
        at = np.where(known, address[:, np.newaxis] + parts, 0)
        # On the second shape, in the contact's frame: normal, two tangents, and moments about the three.
        own = np.where(known, data.efc_force[at], 0.0) if len(data.efc_force) else np.zeros((len(dim), 6))
        frame = contact.frame.reshape(-1, 3, 3)
        limit = np.where(parts[1:] < dim[:, np.newaxis], contact.friction, np.inf).reshape(-1, 5)
        used = np.sqrt(np.sum((own[:, 1:] / limit) ** 2, axis=1))
        slip = ((dim > 1) & (used > AT_LIMIT * own[:, 0])).astype(float)
        push = own[:, :1] * frame[:, 0]
        friction = np.einsum("ck,ckx->cx", own[:, 1:3], frame[:, 1:])
        moment = np.einsum("ck,ckx->cx", own[:, 3:], frame)
        pressed = own[:, 0] > 0.0
        sides = []
        for side, sense in ((1, 1.0), (0, -1.0)):
            c = np.flatnonzero(pressed & (self._geom_link[geom[:, side]] >= 0))
            seen = (sense * vectors[c] for vectors in (frame[:, 0], push, friction, moment))
            sides.append((self._geom_link[geom[c, side]], geom[c, 1 - side], contact.pos[c], *seen, slip[c]))
        return Touch(*(np.concatenate(both) for both in zip(*sides, strict=True)))

    def add_contacts(self, state: EngineState, before: FloatArray, mean: FloatArray) -> tuple[float, float]:
        touch = self._touches(state.data)
        ground, total = self._geom_ground[touch.other] > 0, touch.push + touch.friction
        for columns, rows in ((GROUND, ground), (CONTACT, ~ground)):
            np.add.at(state.sums[:, columns], touch.link[rows], self.dt * total[rows])
        rate = mean[touch.link, RATE]
        velocity = mean[touch.link, VELOCITY] + np.cross(rate, touch.point - before[touch.link, POSITION])
        rubbed = self.dt * np.sum(touch.friction * velocity + touch.moment * rate, axis=1)
        pushed = self.dt * np.sum(touch.push * velocity, axis=1)
        for c in np.flatnonzero((self._geom_ground[touch.other] != PLANE) & (self._geom_link[touch.other] < 0)):
            self._note_touch(state, touch, int(c), before)
        return float(rubbed[ground].sum()), float(pushed.sum() + rubbed[~ground].sum())

    def _note_touch(self, state: EngineState, touch: Touch, c: int, link: FloatArray) -> None:
        """Keep contact c with an obstacle or the terrain for the table of contacts."""
        i, other = int(touch.link[c]), int(touch.other[c])
        forward = matrices(link[i, QUATERNION])[:, 0]
        along = float((touch.point[c] - link[i, POSITION]) @ forward)
        key = (i, int(self._geom_obstacle[other]), other, int(along > 0))
        place = min(max(along, -self._half_core[i]), self._half_core[i])
        contact = Contact(place, touch.point[c], touch.normal[c], float(touch.slip[c]))
        state.push(key, contact, self.dt * (touch.push[c] + touch.friction[c]))


def _numbers(names: list[list[str]], kind: str) -> IntArray:
    """The numbers in names like "link 3 0", -1 for all others."""
    return np.array([int(name[1]) if name[0] == kind else -1 for name in names], dtype=np.int64)
