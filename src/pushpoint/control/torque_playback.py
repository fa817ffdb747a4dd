"""Torques from a table, for robots under pure torque control."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field, model_validator

from pushpoint import limits
from pushpoint.control import Planned, controllers
from pushpoint.control._schedule import Schedule, increasing
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.quantities import Instant, Torque
from pushpoint.robots import Robot
from pushpoint.types import CommandTable, FloatArray

TorqueRow = Annotated[tuple[Torque, ...], Field(fail_fast=True)]


class TorquePlaybackOptions(Frozen):
    """A row of torques for each time."""

    # [s], increasing
    times: Annotated[tuple[Instant, ...], Field(min_length=1, fail_fast=True, max_length=limits.TABLE_ROWS)]
    # [N m], one row per time, one value per joint
    torque: Annotated[tuple[TorqueRow, ...], Field(fail_fast=True, max_length=limits.TABLE_ROWS)]

    @model_validator(mode="after")
    def _shapes(self) -> TorquePlaybackOptions:
        increasing(self.times)
        if len(self.torque) != len(self.times):
            raise ValueError(f"torque has {len(self.torque)} rows for {len(self.times)} times")
        for number, row in enumerate(self.torque):
            if len(row) != len(self.torque[0]):
                raise ValueError(f"torque.{number} has {len(row)} values, torque.0 has {len(self.torque[0])}")
        return self


@controllers.register("torque_playback")
class TorquePlayback(Planned):
    """Linear between the rows, constant before the first and after the last; zero angle and rate references.

    Meant for a servo with zero gains: with other gains it pulls the joints straight besides.
    """

    Options: ClassVar[type[Frozen]] = TorquePlaybackOptions
    uses: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, torque: Schedule) -> None:
        self._torque = torque

    @classmethod
    def build(cls, options: TorquePlaybackOptions, robot: Robot, control_period: float) -> TorquePlayback:
        joints, given = len(robot.freedoms), len(options.torque[0])
        if given != joints:
            raise InvalidInput(
                f"controller 'torque_playback', option torque has {given} values per row; "
                f"robot {robot.name!r} has {joints} joints"
            )
        return cls(Schedule(np.array(options.times), np.array(options.torque, dtype=float)))

    def initial_shape(self) -> FloatArray | None:
        return None

    def table(self, times: FloatArray) -> CommandTable:
        torque = self._torque.value(times)
        return CommandTable(np.zeros_like(torque), np.zeros_like(torque), torque)
