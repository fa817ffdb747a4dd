"""Plant `mujoco`: robots and worlds as MuJoCo simulates them, in the plane or in space."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

from pushpoint.errors import MissingExtra
from pushpoint.fields import Frozen
from pushpoint.plants import plants
from pushpoint.plants._engine import EnginePlant, EngineState
from pushpoint.plants._supports import Supports, uses
from pushpoint.plants.mujoco.options import MujocoOptions
from pushpoint.plants.mujoco.supports import PLANE, SPACE, refuse_by_numbers
from pushpoint.robots import Robot, Servo
from pushpoint.tape import Tape
from pushpoint.types import CommandTable, Failure, Status
from pushpoint.worlds import World

if TYPE_CHECKING:
    from pushpoint.plants.mujoco.run import MujocoEngine

ADVICE = {
    Status.NOT_FINITE: "try a smaller plant.dt; check servo gains and feed-forward torques",
    Status.TOO_MANY_CONTACTS: "MuJoCo's memory for contacts is full; thin out the obstacles around the robot",
}


@plants.register("mujoco")
class MujocoPlant(EnginePlant):
    """The same robots and worlds as MuJoCo simulates them, with soft contacts: in the plane, or in space."""

    Options: ClassVar[type[Frozen]] = MujocoOptions
    supports: ClassVar[tuple[Supports, ...]] = (PLANE, SPACE)
    advice: ClassVar[Mapping[Status, str]] = ADVICE
    engine: MujocoEngine

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: MujocoOptions) -> MujocoPlant:
        in_space = options.dimensions == 3
        if options.dimensions is None:
            in_space = any(use.is_spatial for use in uses(robot, world, servo))
        (SPACE if in_space else PLANE).check(robot, world, servo, options.self_contact)
        if in_space:
            refuse_by_numbers(robot, world)
        if find_spec("mujoco") is None:
            raise MissingExtra("plant 'mujoco'", "mujoco")
        return cls(_engine(robot, world, servo, options, in_space))

    def rollout(
        self, state: EngineState, table: CommandTable, substeps: int, tape: Tape
    ) -> tuple[Tape, Failure | None]:
        from pushpoint.plants.mujoco.log import without_log

        with without_log():
            return super().rollout(state, table, substeps, tape)


def _engine(robot: Robot, world: World, servo: Servo, options: MujocoOptions, in_space: bool) -> MujocoEngine:
    if in_space:
        from pushpoint.plants.mujoco.spatial import SpatialEngine

        return SpatialEngine(robot, world, servo, options)
    from pushpoint.plants.mujoco.planar import PlanarEngine

    return PlanarEngine(robot, world, servo, options)
