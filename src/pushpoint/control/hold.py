"""Holding a shape."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from pushpoint import limits
from pushpoint.control import ControlEvent, ControllerState, controllers
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.quantities import Bend
from pushpoint.robots import Robot
from pushpoint.types import Command, FloatArray, Observation


class HoldOptions(Frozen):
    """What shape to hold."""

    # [rad], one for all or each; None: as at the start
    joint_angle: Bend | Annotated[tuple[Bend, ...], Field(fail_fast=True, max_length=2 * limits.LINKS)] | None = None


@controllers.register("hold")
class Hold:
    """Constant joint angle references, zero rate references."""

    Options: ClassVar[type[Frozen]] = HoldOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders"})

    def __init__(self, joint_angle: FloatArray | None) -> None:
        self._joint_angle = joint_angle

    @classmethod
    def build(cls, options: HoldOptions, robot: Robot, control_period: float) -> Hold:
        joints, wanted = len(robot.freedoms), options.joint_angle
        if isinstance(wanted, tuple) and len(wanted) != joints:
            raise InvalidInput(
                f"controller 'hold', option joint_angle has {len(wanted)} values; "
                f"robot {robot.name!r} has {joints} joints"
            )
        return cls(None if wanted is None else np.full(joints, wanted, dtype=float))

    def initial_shape(self) -> FloatArray | None:
        return self._joint_angle

    def start(self, obs: Observation) -> ControllerState:
        held = obs.joint_angle if self._joint_angle is None else self._joint_angle
        return {"joint_angle": held.copy()}

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        held: FloatArray = state["joint_angle"]
        return state, Command(held, np.zeros_like(held), np.zeros_like(held)), ()
