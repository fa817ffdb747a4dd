"""What MuJoCo's planar and spatial models have in common: settings, and servos that act at the end of a step."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

from pushpoint.plants.mujoco.options import MujocoOptions
from pushpoint.robots import Servo


def servo_drag(servo: Servo, axis: str, dt: float) -> float:
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


def servo_inertia(servo: Servo, axis: str, dt: float) -> float:
    """dt (damping + dt stiffness) [kg m2]: the armature, of servos without a limit. One at its limit would be slowed by
    it too, and there MuJoCo's implicit integrator knows better."""
    return 0.0 if math.isfinite(servo.torque_limit) else dt * servo_drag(servo, axis, dt)


def add_servo(spec: Any, joint: str, servo: Servo, axis: str, dt: float, on: float = 1.0) -> None:
    """An actuator of the same name as the joint: control signal + bias."""
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
