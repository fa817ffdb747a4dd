"""What a closed loop costs: the whole run, the plant alone with the same commands, the controller alone with the same
observations, and the rest, which is observing, checking and recording.

CPU time, as other programs may be at work; each time is the best of several rounds in which all three take turns.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np

from benchmarks.case import Say
from benchmarks.requirement import Requirement, required
from benchmarks.timing import least_cpu_time
from pushpoint.control import BaseController, ControlEvent, ControllerState
from pushpoint.errors import InvalidInput
from pushpoint.scenarios import scenarios
from pushpoint.sensors import Mount
from pushpoint.sensors._suite import Suite
from pushpoint.simulation import Setup, begin
from pushpoint.types import Command, CommandTable, Observation

ROUNDS = 9


class Wave(BaseController):
    """A wave that the joints' own angles and the contacts change a little: nearly nothing to compute, in Python."""

    uses = frozenset({"joint-encoders", "joint-torque", "link-poses", "contact-force", "contacts"})

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        phase = 2.0 * obs.time - 0.7 * np.arange(self.joints)
        angle = 0.5 * np.sin(phase) + 0.01 * obs.joint_angle + 1e-6 * len(obs.contacts.link)
        return state, self.command(angle), ()


@dataclass(frozen=True)
class Bounds:
    """What has to be reached; None: nothing."""

    least_real_time: float | None = None  # simulated over CPU time
    largest_rest_us: float | None = None  # per tick
    largest_share: float | None = None  # CPU time over that of the plant alone


@dataclass(frozen=True)
class ClosedLoop:
    """A run, and what has to be reached with it."""

    name: str  # of the scenario
    plant: str | None = None  # another one than the scenario's
    controller: type[BaseController] | None = None  # another one than the scenario's
    duration: float = 9.0  # [s]
    bounds: Bounds = Bounds()

    def setup(self) -> Setup:
        changes: dict[str, Any] = {"duration": self.duration}
        if self.plant is not None:
            changes["plant"] = {"name": self.plant}
        found = Setup.of(scenarios[self.name].with_overrides(changes).pinned())
        return found if self.controller is None else controlled_by(self.controller, found)


def controlled_by(kind: type[BaseController], setup: Setup) -> Setup:
    """The same with a controller that is not registered, and without options."""
    mount = Mount(setup.robot, setup.world, setup.scenario.control_period)
    controller = kind.build(kind.Options(), setup.robot, mount.period)
    return replace(setup, controller=controller, sensors=Suite.of(setup.scenario, kind.uses, mount))


ROWS = "liljeback2010/rows"  # ten links, control at 200 Hz
IN_PLANE = (
    ClosedLoop(ROWS, "planar_stepping", Wave, bounds=Bounds(largest_rest_us=40.0)),
    ClosedLoop(ROWS, "planar_stepping", bounds=Bounds(least_real_time=40.0, largest_share=1.15)),
    ClosedLoop(ROWS, "planar_hybrid", duration=5.0, bounds=Bounds(largest_share=1.3)),
    ClosedLoop("lab/hoal-sine", duration=6.0, bounds=Bounds(least_real_time=12.0)),
)
IN_SPACE = (ClosedLoop("liljeback2014/sidewinding", bounds=Bounds(least_real_time=45.0)),)


@dataclass(frozen=True)
class LoopCost:
    """CPU times of a tick [us]."""

    scenario: str
    plant: str
    controller: str
    compiled: bool  # whether the controller ran inside the plant's compiled call
    real_time_factor: float  # simulated over CPU time
    total_us: float
    plant_us: float
    controller_us: float | None  # None where it is compiled
    bounds: Bounds

    @property
    def requirements(self) -> list[Requirement]:
        where = f"{self.scenario} on {self.plant} by {self.controller}"
        wanted = (
            ("simulated over CPU time", self.real_time_factor, ">=", self.bounds.least_real_time),
            ("observing, checking and recording in us per tick", self.rest_us, "<=", self.bounds.largest_rest_us),
            ("CPU time over that of the plant alone", self.total_us / self.plant_us, "<=", self.bounds.largest_share),
        )
        return [
            required(f"{where}: {what}", value, sign, bound) for what, value, sign, bound in wanted if bound is not None
        ]

    @property
    def rest_us(self) -> float:
        return self.total_us - self.plant_us - (self.controller_us or 0.0)


class Listened(NamedTuple):
    """What a controller was shown, and what it answered."""

    first: ControllerState
    seen: list[Observation]
    table: CommandTable


def closed_loops(in_plane: bool, in_space: bool, say: Say) -> tuple[LoopCost, ...]:
    loops = (*(IN_PLANE if in_plane else ()), *(IN_SPACE if in_space else ()))
    return tuple(cost(loop, ROUNDS, say) for loop in loops)


def cost(loop: ClosedLoop, rounds: int, say: Say) -> LoopCost:
    """All parts of one loop, in turns."""
    setup = loop.setup()
    scenario, by = setup.scenario, setup.scenario.controller.name
    if loop.controller is not None:
        by = "a wave in Python"
    say(f"closed loop: {scenario.name} on {scenario.plant.name} by {by}, best of {rounds}")
    listened = listen(setup)
    jobs = [lambda: whole_run(setup), lambda: plant_alone(setup, listened.table)]
    if not setup.runs_compiled:
        jobs.append(lambda: controller_alone(setup, listened))
    tick_us = [1e6 * seconds / setup.ticks for seconds in least_cpu_time(jobs, rounds)]
    total, plant, controller = (*tick_us, None)[:3]
    return LoopCost(
        scenario=scenario.name,
        plant=scenario.plant.name,
        controller=by,
        compiled=setup.runs_compiled,
        real_time_factor=1e6 * scenario.control_period / cast(float, total),
        total_us=cast(float, total),
        plant_us=cast(float, plant),
        controller_us=controller,
        bounds=loop.bounds,
    )


def listen(setup: Setup) -> Listened:
    """The run, tick by tick, with everything that passes between plant and controller."""
    run, controller = begin(setup), setup.controller
    first, seen, answers = deepcopy(run.parts.controller), [], []
    for _ in range(setup.ticks):
        seen.append(run.observe())
        run.parts.controller, command, _ = controller.step(run.parts.controller, seen[-1])
        answers.append(np.array([command.joint_angle, command.joint_rate, command.torque]))
        if run.obey(command) is not None:
            raise InvalidInput(f"{setup.scenario.name}: the plant could not go on")
        run.done += 1
    return Listened(first, seen, CommandTable(*np.ascontiguousarray(np.swapaxes(answers, 0, 1))))


def whole_run(setup: Setup) -> None:
    """From the start pose to the last tick, without what is built before and assembled after."""
    run = begin(setup)
    run.go_on(run.ticks)


def plant_alone(setup: Setup, table: CommandTable) -> None:
    """The same commands by one call of the plant."""
    run = begin(setup)
    setup.plant.rollout(run.parts.plant, table, setup.substeps, run.tape)


def controller_alone(setup: Setup, listened: Listened) -> None:
    """The same observations."""
    state, step = deepcopy(listened.first), setup.controller.step
    for obs in listened.seen:
        state = step(state, obs)[0]
