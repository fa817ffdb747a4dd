"""Joints held straight, or in another shape, by PID loops; some joints get a constant torque instead (P4 5.2)."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from pushpoint import limits
from pushpoint.control import ControlEvent, ControllerState, controllers
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.quantities import Bend, Gain, Index, Torque
from pushpoint.robots import Robot
from pushpoint.types import Command, FloatArray, Observation

PerFreedom = Field(fail_fast=True, max_length=2 * limits.LINKS)


class JointPidOptions(Frozen):
    """Gains and references; the defaults are those of P4 Table 5.1."""

    proportional: Gain = 10.0  # [N m/rad]
    integral: Gain = 3.0  # [N m/(rad s)]
    derivative: Gain = 0.3  # [N m s/rad]
    joint_angle: Bend | Annotated[tuple[Bend, ...], PerFreedom] = 0.0  # [rad], one for all or each
    # (joint, torque [N m]): constant, in place of the loop
    torque: Annotated[tuple[tuple[Index, Torque], ...], PerFreedom] = ()


@controllers.register("joint-pid")
class JointPid:
    """tau = K_p e + K_i integral of e - K_d rate, at the control rate. Servo gains should be zero.

    The state: `integral` (n - 1,) [rad s] of the errors.
    """

    Options: ClassVar[type[Frozen]] = JointPidOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders"})

    def __init__(self, options: JointPidOptions, joints: int, control_period: float) -> None:
        self._options, self._period = options, control_period
        self._wanted = np.broadcast_to(np.asarray(options.joint_angle, dtype=float), (joints,)).copy()
        self._constant = np.full(joints, np.nan)
        for joint, torque in options.torque:
            self._constant[joint] = torque

    @classmethod
    def build(cls, options: JointPidOptions, robot: Robot, control_period: float) -> JointPid:
        joints, wanted = len(robot.freedoms), options.joint_angle
        if isinstance(wanted, tuple) and len(wanted) != joints:
            raise InvalidInput(
                f"controller 'joint-pid', option joint_angle has {len(wanted)} values; "
                f"robot {robot.name!r} has {joints} joints"
            )
        for joint, _ in options.torque:
            if joint >= joints:
                raise InvalidInput(
                    f"controller 'joint-pid', option torque: joint {joint}; robot {robot.name!r} has joints 0 to "
                    f"{joints - 1}"
                )
        return cls(options, joints, control_period)

    def initial_shape(self) -> FloatArray | None:
        return self._wanted

    def start(self, obs: Observation) -> ControllerState:
        return {"integral": np.zeros_like(self._wanted)}

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        error = self._wanted - obs.joint_angle
        integral = state["integral"] + self._period * error
        o = self._options
        loop = o.proportional * error + o.integral * integral - o.derivative * obs.joint_rate
        torque = np.where(np.isnan(self._constant), loop, self._constant)
        return {"integral": integral}, Command(self._wanted, np.zeros_like(torque), torque), ()
