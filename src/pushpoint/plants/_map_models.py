"""Models for planners: the robot among the obstacles of a map, on a plant of its own."""

from __future__ import annotations

from math import ceil
from typing import Any, TypeVar

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.feedback import CompiledLoop
from pushpoint.mapping import ModelSettings, Trial
from pushpoint.plants import plants
from pushpoint.plants._compiled import CompiledPlant
from pushpoint.robots import Robot, Servo
from pushpoint.tape import PLANE, STEP_COLUMNS, Tape, new_tape
from pushpoint.types import CommandTable, FloatArray, Map, Pose
from pushpoint.worlds import Disc, Ground, GroundLaw, Wall, World

Law = TypeVar("Law", bound=GroundLaw)

PLANT = "planar_stepping"
ROUNDING = 1e-9  # relative: decimal periods are not exact in binary
FAR = 1e5  # [m], beside the map: a disc that nobody reaches, so that an empty map has the same kernels
# What a step costs besides its sweeps, and each part of a repeated one with the attempt before it, in sweeps: fitted to
# processor times of all trials of four runs, to 9 % rms.
OF_STEP, OF_PART = 0.4, 6.0
SCALED = ("friction", "friction_across", "friction_backward", "viscous", "viscous_across")


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
        if not world.is_flat:
            what = "world.terrain" if world.terrain is not None else f"world.down = {world.down}"
            raise InvalidInput(f"{what}: models for planners stand on flat, level ground; should be left out")
        self.robot, self.servo, self.period = robot, servo, period
        self.ground, self.gravity = world.ground, world.gravity

    def __call__(self, known: Map, settings: ModelSettings) -> MapModel:
        """The model, see `mapping.ModelFactory`."""
        kind, substeps = plants[PLANT], ceil(self.period / settings.dt * (1.0 - ROUNDING))
        options = kind.Options.model_validate(
            {
                "dt": self.period / substeps,
                "tolerance": settings.tolerance,
                "max_parts": settings.max_parts,
                "self_contact": True,  # no questions in between
            }
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
        patches = tuple(_scaled(patch, settings.friction_factor) for patch in self.ground.patches)
        return _scaled(self.ground, settings.friction_factor).model_copy(update={"patches": patches})

    def _beyond(self, known: Map) -> tuple[float, float, float]:
        return float(known.disc[:, 0].max(initial=0.0)) + FAR, 0.0, 0.1


class MapModel:
    """A robot among the obstacles of a map."""

    def __init__(self, plant: CompiledPlant, substeps: int) -> None:
        self._plant, self._substeps = plant, substeps
        self._tables: dict[int, CommandTable] = {}  # by ticks; controllers fill them

    def begin(self, pose: Pose) -> Any:
        """An instant to begin trials from, see `mapping.Model`."""
        return self._plant.initial_state(pose)

    def trial(self, begin: Any, loop: CompiledLoop, ticks: int) -> Trial:
        """What a compiled controller would do, see `mapping.Model`. All trials share the scratch of one plant."""
        plant = self._plant
        state = _copied(begin)
        table = self._table(ticks)
        tape = new_tape(plant.layout.links, 2, ticks * self._substeps, ticks, plant.contact_room(state))
        plant.record_start(state, tape)
        tape, failure = plant.rollout(state, table, self._substeps, tape, loop)
        return Trial(*_place(tape, plant.layout.links), failure is not None, _work(tape), state)

    def _table(self, ticks: int) -> CommandTable:
        if ticks not in self._tables:
            self._tables[ticks] = CommandTable(*np.zeros((3, ticks, self._plant.layout.joints)))
        return self._tables[ticks]


def _scaled(law: Law, factor: float) -> Law:
    """The same with so many times the friction and drag."""
    values = {name: getattr(law, name) for name in SCALED}
    return law.model_copy(update={name: factor * value for name, value in values.items() if value is not None})


def _work(tape: Tape) -> int:
    """What the steps on a tape cost, in sweeps over the links."""
    sweeps, parts = (tape.step[:, STEP_COLUMNS.index(name)].sum() for name in ("iterations", "parts"))
    return round(float(sweeps + OF_STEP * len(tape.step) + OF_PART * parts))


def _copied(state: Any) -> Any:
    """A state to go on from; of the table of pairs only what is in use, as most of its room is not."""
    used = int(state.pair_start[-1])
    code, pair = np.empty_like(state.pair_code), np.empty_like(state.pair)
    code[:used], pair[:used] = state.pair_code[:used], state.pair[:used]
    parts = {name: part.copy() for name, part in state._asdict().items() if name not in ("pair_code", "pair")}
    return state._replace(pair_code=code, pair=pair, **parts)


def _place(tape: Tape, links: int) -> tuple[FloatArray, FloatArray]:
    """Positions and angles of the links in the last row."""
    row = tape.link[tape.cursor[0].row - 1, :links]
    return row[:, PLANE.columns("position")].copy(), row[:, PLANE.columns("angle").start].copy()
