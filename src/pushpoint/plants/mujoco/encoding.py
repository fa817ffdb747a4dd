"""What MuJoCo's planar and spatial models have in common, and how the plant talks to either.

An encoding knows how one of the two models keeps poses, velocities and contacts of the links in MuJoCo's data. The
plant (`plant.py`) and its run (`run.py`) know nothing of that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from pushpoint.numerics.restored import Limits
from pushpoint.plants.mujoco.options import MujocoOptions
from pushpoint.robots import Axis, Servo
from pushpoint.types import CommandTable, FloatArray

Key = tuple[int, ...]  # link, obstacle, and whatever tells two contacts of these apart


@dataclass(slots=True)
class Pair:
    """A link and something that touched it in this tick or since the last recorded row; d axes."""

    place: float  # [m], along the link from its centre
    point: FloatArray  # [m], (d,)
    normal: FloatArray  # (d,)
    slip: float  # whether it slid in the last step
    tick: FloatArray  # [N s], (d,): impulse of the tick
    since_row: FloatArray  # [N s], (d,): impulse of all ticks before it since the last row

    @property
    def row(self) -> FloatArray:
        """All of it as numbers."""
        return np.concatenate([[self.place], self.point, self.normal, [self.slip], self.tick, self.since_row])

    @classmethod
    def of(cls, row: FloatArray) -> Pair:
        d = (len(row) - 2) // 4
        point, normal, tick, since_row = (row[at : at + d].copy() for at in (1, 1 + d, 2 + 2 * d, 2 + 3 * d))
        return cls(float(row[0]), point, normal, float(row[1 + 2 * d]), tick, since_row)


@dataclass(slots=True)
class State:
    """All that changes in time; n links in d dimensions."""

    data: Any  # mujoco.MjData
    link: FloatArray  # (n, motion): the first columns of a row of the tape, poses and velocities
    sums: FloatArray  # (n, 2 k): impulses of contacts (d), ground (d) and motors; of the tick, then since the last row
    ledger: FloatArray  # [J]: types.LEDGER and, in space, the work of gravity
    steps: int = 0  # done since t = 0
    pairs: dict[Key, Pair] = field(default_factory=dict)


class Encoding(Protocol):
    """One of MuJoCo's models of a robot in its world."""

    mj: Any  # mujoco.MjModel
    dt: float  # [s]
    dimensions: int  # 2 or 3
    key_size: int  # of the keys of pairs
    key_limits: Limits  # of their columns, as "pair_key.0"

    attitude: int | slice  # columns of State.link that hold angles or quaternions
    velocity: slice
    rate: int | slice

    def resting(self) -> Any:
        """Some pose."""
        ...

    def place(self, data: Any, pose: Any) -> None:
        """Set coordinates and velocities to a Pose or a SpatialPose."""
        ...

    def begin(self, data: Any) -> State:
        """The state at t = 0 with the coordinates and velocities in the data."""
        ...

    def joints(self, state: State) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Angles [rad], rates [rad/s] and the motors' impulses of the tick [N m s], each (f,)."""
        ...

    def controls(self, command: CommandTable, lead: float | FloatArray) -> FloatArray:
        """Control signals [N m] `lead` [s] after the start of a tick."""
        ...

    def step(self, state: State) -> None:
        """One step of MuJoCo: poses, impulses and energy."""
        ...

    def residual(self, data: Any) -> float:
        """What MuJoCo's solver left of the step, relative."""
        ...

    def positions(self, path: FloatArray) -> FloatArray:
        """Link positions [m], (rows, n, d), for rows of MuJoCo's coordinates and velocities."""
        ...


def servo_drag(servo: Servo, axis: Axis, dt: float) -> float:
    """damping + dt stiffness [N m s/rad] of a servo that acts at the end of a step of `dt` [s].

    torque = stiffness (reference(t + dt) - angle(t + dt)) + damping (rate reference - rate(t + dt)) with
    angle(t + dt) = angle + dt rate(t + dt) and rate(t + dt) = rate + dt acceleration is

        torque = stiffness (reference(t + dt) - angle) + damping rate reference
                 - (damping + dt stiffness) rate - dt (damping + dt stiffness) acceleration

    The last term is an armature, which MuJoCo's contact solver takes into account; the others are the control
    signal and the actuator's bias. MuJoCo's implicit integrators add the same torque, but after the contacts.
    """
    stiffness, damping = servo.gains(axis)
    return damping + dt * stiffness


def servo_inertia(servo: Servo, axis: Axis, dt: float) -> float:
    """dt (damping + dt stiffness) [kg m2]: the armature, of servos without a limit. One at its limit would be slowed by
    it too, and there MuJoCo's implicit integrator knows better."""
    return 0.0 if math.isfinite(servo.torque_limit) else dt * servo_drag(servo, axis, dt)


def add_servo(spec: Any, joint: str, servo: Servo, axis: Axis, dt: float, on: float = 1.0) -> None:
    """An actuator of the same name as the joint: control signal + bias."""
    import mujoco

    stiffness, _ = servo.gains(axis)
    actuator = spec.add_actuator(
        name=joint,
        target=joint,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED,
        gainprm=[on] + [0.0] * 9,
        biastype=mujoco.mjtBias.mjBIAS_AFFINE,
        biasprm=[0.0, -on * stiffness, -on * servo_drag(servo, axis, dt)] + [0.0] * 7,
    )
    if math.isfinite(servo.torque_limit):
        actuator.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
        actuator.forcerange = [-servo.torque_limit, servo.torque_limit]


def new_spec(servo: Servo, options: MujocoOptions, default_solver: str, stick_ratio: float) -> Any:
    """An empty model with the settings that both have."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    option, flag, limited = spec.option, mujoco.mjtDisableBit, math.isfinite(servo.torque_limit)
    solvers = {"newton": mujoco.mjtSolver.mjSOL_NEWTON, "cg": mujoco.mjtSolver.mjSOL_CG}
    option.timestep = options.dt
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST if limited else mujoco.mjtIntegrator.mjINT_EULER
    option.solver = solvers[options.solver or default_solver]
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = stick_ratio
    option.tolerance = options.tolerance
    option.iterations = options.max_iterations
    # A robot is one island; a state that went wrong has to be seen, not replaced by the model's default.
    option.disableflags |= int(flag.mjDSBL_ISLAND | flag.mjDSBL_AUTORESET | flag.mjDSBL_SENSOR)
    return spec


def first_coefficient(kept: Any, value: float) -> Any:
    """A coefficient of a joint: a number, or since MuJoCo 3.5 the first of a polynomial."""
    return value if np.ndim(kept) == 0 else [value, *np.asarray(kept)[1:]]


def solver_residual(data: Any, dt: float, gravity: float) -> float:
    """The gradient [m/s2] at which MuJoCo's solver stopped, over the larger of gravity and top speed / dt."""
    iterations = int(data.solver_niter[0])
    if iterations == 0:
        return 0.0
    kept = min(iterations, len(data.solver)) - 1  # MuJoCo remembers so many iterations
    scale = max(gravity * dt, float(np.abs(data.qvel).max()))
    return float(data.solver[kept].gradient) * dt / scale if scale > 0 else 0.0


@contextmanager
def without_log() -> Iterator[None]:
    """Keep MuJoCo from printing and filing its warnings: `run.status_of` finds them in the data."""
    import mujoco

    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
