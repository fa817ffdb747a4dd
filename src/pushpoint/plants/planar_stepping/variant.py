"""The compiled runs of one plant: basic ones for P2's own problems, and extended ones for all else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pushpoint._jit import compiling_once
from pushpoint.plants._compiled import Entry, Stopped
from pushpoint.plants.planar_stepping.extras import make_extras, with_room
from pushpoint.plants.planar_stepping.model import Problem, State, make_problem, make_surroundings
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.plants.planar_stepping.parts import repeat_step, run_ticks_adaptively
from pushpoint.plants.planar_stepping.projection import run_ticks_by_projection
from pushpoint.plants.planar_stepping.run import run_ticks
from pushpoint.robots import Robot, Servo
from pushpoint.tape import Tape
from pushpoint.types import CommandTable
from pushpoint.worlds import World


class Variant:
    """A robot in its world, as the arrays of one set of kernels."""

    def __init__(
        self, robot: Robot, world: World, servo: Servo, options: PlanarSteppingOptions, extended: bool
    ) -> None:
        extras = make_extras(robot, world, options.dt) if extended else None
        self.around = make_surroundings(robot, world, extras)
        self.problem: Problem = make_problem(robot, world, servo, options, len(self.around.pair))
        self.extras = None if extras is None else with_room(extras, len(self.around.pair))
        adaptive = options.step_error is not None
        kind = options.solver + (", beyond P2" if extended else "") + (", adaptive" if adaptive else "")
        self.name = f"planar_stepping ({kind})"
        self._given: tuple[Any, ...] = (self.problem, self.around, self.extras)
        function: Callable[..., Stopped] = run_ticks_adaptively if adaptive else run_ticks
        if options.solver == "projection":
            self._given, function = self._given[:2], run_ticks_by_projection
        self._entry = Entry(function, self.name)

    def run(self, state: State, table: CommandTable, tick: int, step: int, substeps: int, tape: Tape) -> Stopped:
        """Ticks of the table from a step of one of them on: status, tick, and step that were not completed."""
        stopped: Stopped = self._entry(table, (*self._given, state, table, tick, step, substeps, tape))
        return stopped

    def repeat(self, state: State, table: CommandTable, tick: int, step: int, tape: Tape) -> int:
        """One step that was not solved or not sane, in parts; compiled when it is needed for the first time."""
        with compiling_once(f"{self.name}, steps in parts"):
            return repeat_step(self.problem, self.around, self.extras, state, table, tick, step, tape)
