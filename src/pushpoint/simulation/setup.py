"""A scenario with everything built and all periods as whole numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pushpoint import limits
from pushpoint.control import Controller, ControllerState, Planning, SensorReader, ServoReader, controllers
from pushpoint.errors import InvalidInput
from pushpoint.plants import Plant, plants
from pushpoint.recording import Checkpoint
from pushpoint.robots import Robot
from pushpoint.scenario import Scenario
from pushpoint.sensors import Mount
from pushpoint.sensors._suite import Memory, Suite
from pushpoint.simulation import _user_results
from pushpoint.simulation._resuming import made_for, refuse_memory
from pushpoint.simulation._start_pose import start_pose
from pushpoint.types import Observation, Pose, SpatialPose
from pushpoint.worlds import World

if TYPE_CHECKING:  # only where they are used, with conditions
    from pushpoint.simulation._stopping import Conditions

MULTIPLE_TOLERANCE = 1e-9  # relative: decimal periods are not exact in binary


@dataclass(frozen=True)
class Setup:
    """A scenario with everything built and all periods as whole numbers."""

    scenario: Scenario
    robot: Robot
    world: World
    plant: Plant
    controller: Controller
    sensors: Suite
    substeps: int  # plant steps per control tick
    ticks: int  # control ticks from t = 0 to the end
    ticks_per_row: int
    movable: tuple[int, ...]  # indices of the obstacles that can be pushed about

    @classmethod
    def of(cls, scenario: Scenario) -> Setup:
        robot, world, period = scenario.built_robot(), scenario.built_world(), scenario.control_period
        model, policy = plants[scenario.plant.name], controllers[scenario.controller.name]
        plant_options = scenario.options_of("plant", model.Options)
        servo = scenario.servo or robot.servo
        plant = model.build(robot, world, servo, plant_options)
        made = policy.build(scenario.options_of("controller", policy.Options), robot, period)
        controller = _user_results.built(scenario.controller.name, made)
        if isinstance(controller, Planning):
            from pushpoint.plants._map_models import MapModels

            controller.use_models(MapModels(robot, world, servo, period))
        if isinstance(controller, ServoReader):
            controller.check_servo(servo)
        suite = Suite.of(scenario, controller.uses, Mount(robot, world, period))
        if isinstance(controller, SensorReader):
            controller.check_sensors(suite.options)
        return cls(
            scenario=scenario,
            robot=robot,
            world=world,
            plant=plant,
            controller=controller,
            sensors=suite,
            substeps=whole_multiple("control_period", period, "plant.dt", plant.dt),
            ticks=whole_multiple("duration", scenario.duration, "control_period", period),
            ticks_per_row=whole_multiple("record_period", scenario.recorded_every, "control_period", period),
            movable=world.movable,
        )

    @property
    def bodies(self) -> int:
        """Links and movable obstacles."""
        return len(self.robot.links) + len(self.movable)

    @cached_property
    def joints(self) -> int:
        """How many joint angles there are: two for a cardan joint."""
        return len(self.robot.freedoms)

    @property
    def runs_compiled(self) -> bool:
        """Whether plant and controller run in one compiled call: both are compiled, and sensors show what there is."""
        return hasattr(self.controller, "loop") and hasattr(self.plant, "feedback") and self.sensors.is_exact

    @property
    def ends_by_failure(self) -> bool:
        """Whether a step that cannot be solved is one of the conditions that end the run."""
        return self.scenario.stop is not None and self.scenario.stop.failure

    @property
    def made_for(self) -> dict[str, str]:
        """What a state of this run belongs to."""
        return made_for(self.scenario.plant.name, self.robot, self.world)

    def start_pose(self) -> Pose | SpatialPose:
        """Where the robot is at t = 0."""
        return start_pose(self.scenario, self.robot, self.world, self.controller, self.plant.dimensions)

    def conditions(self, start: Any) -> Conditions | None:
        """What ends the run before its duration; `start` is the state of the plant at t = 0."""
        if self.scenario.stop is None:
            return None
        from pushpoint.simulation._stopping import Conditions

        return Conditions(self.scenario.stop, self.robot, self.plant.snapshot(start).position)

    def memories_from(self, checkpoint: Checkpoint) -> tuple[ControllerState, Memory]:
        """What controller and sensors remember in a checkpoint: copies, as they may change theirs in place."""
        sensed = Memory()
        state = self.plant.initial_state(self.start_pose())
        fresh = self.controller.start(self.observe(state, sensed, tick=0))
        name = self.scenario.controller.name
        refuse_memory(f"controller {name!r}", checkpoint.controller, fresh)
        refuse_memory("sensors", checkpoint.sensors, sensed)
        return deepcopy(checkpoint.controller), deepcopy(checkpoint.sensors)

    def observe(self, state: Any, sensed: Memory, tick: int) -> Observation:
        """What the controller gets at a tick; the memory of the sensors goes on."""
        return self.sensors.observe(self.plant.snapshot(state), sensed, tick)


def whole_multiple(name: str, value: float, unit_name: str, unit: float) -> int:
    """value / unit, which has to be a whole number of at least one."""
    if value / unit > limits.STEPS:
        raise InvalidInput(
            f"{name} = {value:.9g} s is more than {limits.STEPS:g} times {unit_name} = {unit:g} s; that is too many"
        )
    count = max(1, round(value / unit))
    if abs(value / unit - count) > MULTIPLE_TOLERANCE * count:
        raise InvalidInput(
            f"{name} = {value:.9g} s is not a multiple of {unit_name} = {unit:g} s; nearest {count * unit:.9g} s"
        )
    return count


@contextmanager
def enough_memory(scenario: Scenario) -> Iterator[None]:
    """Robots, worlds and runs within all limits may still be too much for a machine."""
    try:
        yield
    except MemoryError:
        raise InvalidInput(
            f"{scenario.name}: there is not enough memory for its robot, its world, or a recording of "
            f"{scenario.duration:g} s"
        ) from None
