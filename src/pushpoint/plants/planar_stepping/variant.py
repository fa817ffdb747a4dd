"""The compiled runs of one plant: basic ones for P2's own problems, and extended ones for all else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pushpoint._jit import compiling_once, for_types_of
from pushpoint.plants.planar_stepping.extras import make_extras, with_room
from pushpoint.plants.planar_stepping.model import Problem, State, make_problem, make_surroundings
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.plants.planar_stepping.parts import repeat_step, run_ticks_adaptively
from pushpoint.plants.planar_stepping.projection import run_ticks_by_projection
from pushpoint.plants.planar_stepping.run import run_ticks
from pushpoint.robots import Robot, Servo
from pushpoint.types import CommandTable, Trace
from pushpoint.worlds import World

Run = Callable[..., tuple[int, int, int]]
FLOAT = np.dtype(np.float64)


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
        self._slow_run: Run = run_ticks_adaptively if adaptive else run_ticks
        if options.solver == "projection":
            self._given, self._slow_run = self._given[:2], run_ticks_by_projection
        self._fast_run: Run | None = None  # see `run`

    def run(
        self, state: State, table: CommandTable, tick: int, step: int, substeps: int, trace: Trace
    ) -> tuple[int, int, int]:
        """Ticks of the table from a step of one of them on: status, tick, and step that were not completed. The first
        run, and those with tables of another kind, take the long way past Numba's look at all types."""
        arguments = (*self._given, state, table, tick, step, substeps, trace)
        angle, rate, torque = table
        usual = angle.dtype is rate.dtype is torque.dtype is FLOAT and (
            angle.flags.c_contiguous and rate.flags.c_contiguous and torque.flags.c_contiguous
        )
        if usual and self._fast_run is not None:
            return self._fast_run(*arguments)
        with compiling_once(self.name):
            result = self._slow_run(*arguments)
        if usual:
            self._fast_run = for_types_of(self._slow_run, *arguments)
        return result

    def repeat(self, state: State, table: CommandTable, tick: int, step: int, trace: Trace) -> int:
        """One step that was not solved or not sane, in parts; compiled when it is needed for the first time."""
        with compiling_once(f"{self.name}, steps in parts"):
            return repeat_step(self.problem, self.around, self.extras, state, table, tick, step, trace)
