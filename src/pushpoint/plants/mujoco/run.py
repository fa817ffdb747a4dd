"""MuJoCo as an engine, in the plane and in space: what a step does, whatever the coordinates."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import mujoco
import numpy as np

from pushpoint.plants._engine import Engine, EngineState, Stepped
from pushpoint.plants.mujoco.log import status_of
from pushpoint.types import CommandTable, FloatArray, IntArray

SAVED = mujoco.mjtState.mjSTATE_INTEGRATION  # warm start included


class MujocoEngine(Engine):
    """What planar.py and spatial.py share; f freedoms of the joints."""

    title: ClassVar[str] = "MuJoCo"
    mj: Any  # mujoco.MjModel
    gravity: float  # [m/s2]
    stiffness: float | FloatArray  # [N m/rad], of the servos
    damping: float | FloatArray  # [N m s/rad], of the servos
    angle_at: IntArray | slice  # where MuJoCo keeps the joint angles, in qpos
    rate_at: IntArray | slice  # and the rates, in qvel

    @abstractmethod
    def set_pose(self, data: Any, pose: Any) -> None:
        """Set coordinates and velocities to a Pose or a SpatialPose."""

    @abstractmethod
    def joint_torque(self, data: Any, angle: FloatArray, rate: FloatArray) -> FloatArray:
        """Torques [N m], (f,), that acted in the step; angles and rates are those at its start."""

    @abstractmethod
    def add_contacts(self, state: EngineState, before: FloatArray, mean: FloatArray) -> tuple[float, float]:
        """Add the step's impulses to the sums; returns the work [J] of the ground's friction and of other contacts.
        `before`: the links at the start of the step, as MuJoCo's contacts are; `mean`: with their mean velocities."""

    @abstractmethod
    def positions(self, path: FloatArray) -> FloatArray:
        """Link positions [m], (rows, n, d), for rows of MuJoCo's coordinates and velocities."""

    def joint_work(self, torque: FloatArray, mean: FloatArray, rate: FloatArray) -> float:
        """Of the torques at the mean joint rate of the step, over dt [W]."""
        return float(torque @ rate)

    def extra_work(self, mean: FloatArray) -> tuple[float, ...]:
        """Works [J] in the step of the engine's extra columns."""
        return ()

    def place(self, pose: Any) -> Any:
        data = mujoco.MjData(self.mj)
        self.set_pose(data, pose)
        return data

    def controls(self, command: CommandTable, lead: float | FloatArray) -> FloatArray:
        """Control signals [N m] `lead` [s] after the start of a tick."""
        angle, rate, torque = command
        return np.asarray(self.stiffness * (angle + lead * rate) + self.damping * rate + torque)

    def step(self, state: EngineState, command: CommandTable, lead: float) -> Stepped:
        """Every force works on the mean velocity of the step."""
        data, before = state.data, state.link
        data.ctrl[:] = self.controls(command, lead)
        angle, rate = data.qpos[self.angle_at].copy(), data.qvel[self.rate_at].copy()
        mujoco.mj_step(self.mj, data)
        torque = self.joint_torque(data, angle, rate)
        state.link = after = self.links(data)
        mean = 0.5 * (before + after)
        state.sums[self.joint_at] += torque * self.dt
        servo = self.dt * self.joint_work(torque, mean, 0.5 * (rate + data.qvel[self.rate_at]))
        friction, contact = self.add_contacts(state, before, mean)
        state.book(self.kinetic_energy(after), servo, friction, contact, *self.extra_work(mean))
        return Stepped(self._residual(data), int(data.solver_niter[0]), status_of(data))

    def _residual(self, data: Any) -> float:
        """The gradient [m/s2] at which MuJoCo's solver stopped, over the larger of gravity and top speed / dt."""
        iterations = int(data.solver_niter[0])
        if iterations == 0:
            return 0.0
        kept = min(iterations, len(data.solver)) - 1  # MuJoCo remembers so many iterations
        scale = max(self.gravity * self.dt, float(np.abs(data.qvel).max()))
        return float(data.solver[kept].gradient) * self.dt / scale if scale > 0 else 0.0

    def save(self, data: Any, what: Any = SAVED) -> FloatArray:
        numbers = np.empty(mujoco.mj_stateSize(self.mj, what))
        mujoco.mj_getState(self.mj, data, numbers, what)
        return numbers

    def load(self, numbers: FloatArray) -> Any:
        data = mujoco.MjData(self.mj)
        mujoco.mj_setState(self.mj, data, numbers, SAVED)
        return data
