"""Models for planners: the robot among the obstacles of a map, on a plant of its own."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np

from pushpoint.feedback import CompiledLoop
from pushpoint.mapping import ModelSettings, Trial
from pushpoint.plants import plants
from pushpoint.plants._compiled import CompiledPlant
from pushpoint.robots import Robot, Servo
from pushpoint.tape import PLANE
from pushpoint.types import Map, Pose
from pushpoint.worlds import Disc, Ground, Wall, World

PLANT = "planar_stepping"
ROUNDING = 1e-9  # relative: decimal periods are not exact in binary
FAR = 30.0  # [m], beside the map: a disc that nobody reaches, so that an empty map has the same kernels
SCALED = ("friction", "friction_across", "friction_backward")


class MapModels:
    """Factory of models. It keeps the ground and gravity of a world, and nothing of its obstacles.

    Parameters
    ----------
    robot
        What moves.
    world
        Its ground and gravity are kept.
    servo
        Of all joints.
    period
        From tick to tick of controllers [s].
    """

    def __init__(self, robot: Robot, world: World, servo: Servo, period: float) -> None:
        self.robot, self.servo, self.period = robot, servo, period
        self.ground, self.gravity = world.ground, world.gravity

    def __call__(self, known: Map, settings: ModelSettings) -> MapModel:
        """The model, see `mapping.ModelFactory`."""
        kind, substeps = plants[PLANT], ceil(self.period / settings.dt * (1.0 - ROUNDING))
        options = kind.Options.model_validate(
            {"dt": self.period / substeps, "tolerance": settings.tolerance, "max_parts": settings.max_parts}
        )
        plant = kind.build(self.robot, self._world(known, settings), self.servo, options)
        assert isinstance(plant, CompiledPlant)
        return MapModel(plant, substeps)

    def _world(self, known: Map, settings: ModelSettings) -> World:
        friction = settings.friction_factor * settings.peg_friction
        discs = np.concatenate([known.disc, [self._beyond(known)]])
        pegs = [Disc(x=x, y=y, radius=radius, friction=friction) for x, y, radius in discs.tolist()]
        walls = [Wall(points=((a, b), (c, d)), friction=friction) for a, b, c, d in known.edge.tolist()]
        return World(name="map", ground=self._ground(settings), gravity=self.gravity, obstacles=(*pegs, *walls))

    def _ground(self, settings: ModelSettings) -> Ground:
        if settings.friction_factor == 1.0:
            return self.ground
        values = {name: getattr(self.ground, name) for name in SCALED}
        scaled = {name: settings.friction_factor * value for name, value in values.items() if value is not None}
        return self.ground.model_copy(update=scaled)

    def _beyond(self, known: Map) -> tuple[float, float, float]:
        return float(known.disc[:, 0].max(initial=0.0)) + FAR, 0.0, 0.1


class MapModel:
    """A robot among the obstacles of a map."""

    def __init__(self, plant: CompiledPlant, substeps: int) -> None:
        self._plant, self._substeps = plant, substeps

    def trials(self, pose: Pose, loops: Sequence[CompiledLoop], ticks: int) -> list[Trial]:
        """What each of several compiled controllers would do, see `mapping.Model`."""
        plants = [self._plant, *(self._plant.twin() for _ in loops[1:])]
        states = [plant.initial_state(pose) for plant in plants]
        found = self._plant.rollout_many(states, loops, self._substeps, ticks, plants=plants, threads=1)
        place = PLANE.columns("position")
        rows = [tape.link[: tape.cursor[0].row, : len(pose.angle), place] for tape, _ in found]
        return [Trial(row, failure is not None) for row, (_, failure) in zip(rows, found, strict=True)]
