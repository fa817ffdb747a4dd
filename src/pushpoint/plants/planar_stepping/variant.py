"""The compiled runs of one plant: basic ones for P2's own problems, with those parts extended that a run needs."""

from __future__ import annotations

from typing import Any

from pushpoint.plants._compiled import Entry
from pushpoint.plants.planar_stepping.extended import extended_contacts, extended_ground, extended_joints, with_room
from pushpoint.plants.planar_stepping.model import Problem, State, make_problem, make_surroundings
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.plants.planar_stepping.projection import Relaxation
from pushpoint.plants.planar_stepping.run import repeat_step, run_ticks
from pushpoint.robots import Robot, Servo
from pushpoint.tape import Tape
from pushpoint.types import CommandTable
from pushpoint.worlds import World


class Variant:
    """A robot in its world, as the arrays of one set of kernels."""

    def __init__(
        self, robot: Robot, world: World, servo: Servo, options: PlanarSteppingOptions, self_contact: bool
    ) -> None:
        every = options.extended == "all"
        contacts = extended_contacts(robot, world, self_contact or every)
        self.around = make_surroundings(robot, world, contacts)
        self.problem: Problem = make_problem(robot, world, servo, options, len(self.around.pair))
        self.ground, self.joints = extended_ground(robot, world, options.dt, every), extended_joints(robot, every)
        self.contacts = with_room(contacts, len(self.around.pair))
        self._model = (self.problem, self.around, self.ground, self.contacts, self.joints)
        relaxation = Relaxation(options.r_h or 0.0, options.r_t or 0.0) if options.solver == "projection" else None
        self.given: tuple[Any, ...] = (*self._model, relaxation, options.step_error)
        self.name = f"planar_stepping ({', '.join(self._parts(options))})"
        self.entry = Entry(run_ticks, self.name)
        self._repeat = Entry(repeat_step, f"{self.name}, steps in parts")

    def _parts(self, options: PlanarSteppingOptions) -> list[str]:
        parts = {"ground": self.ground, "contacts": self.contacts, "joints": self.joints}
        extended = " ".join(name for name, part in parts.items() if part is not None)
        adaptive = ["adaptive"] if options.step_error is not None else []
        return [options.solver, f"extended {extended}" if extended else "basic", *adaptive]

    def repeat(self, state: State, table: CommandTable, tick: int, step: int, tape: Tape) -> int:
        """One step that was not solved or not sane, in parts; compiled when it is needed for the first time."""
        status: int = self._repeat(table, (*self._model, state, table, tick, step, tape))
        return status
