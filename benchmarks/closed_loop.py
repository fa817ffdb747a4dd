"""What a closed loop costs: the whole run, the plant alone with the same commands, the controller alone with the same
observations, and the rest, which is observing, checking and recording.

CPU time, as other programs may be at work; each time is the best of several rounds in which all three take turns.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np

from benchmarks.case import Say
from benchmarks.requirement import Requirement, required
from benchmarks.timing import least_cpu_time
from pushpoint.control import BaseController, ControlEvent, ControllerState, controllers
from pushpoint.errors import InvalidInput
from pushpoint.scenario import Scenario
from pushpoint.scenarios import scenarios
from pushpoint.simulation import Setup, begin
from pushpoint.types import Command, CommandTable, Observation

ROUNDS = 9


@controllers.register("benchmark-wave")
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
class ClosedLoop:
    """A run, and what has to be reached with it."""

    name: str  # of the scenario
    plant: str | None = None  # another one than the scenario's
    controller: str | None = None
    duration: float = 9.0  # [s]
    least_real_time: float | None = None  # simulated over CPU time
    largest_rest_us: float | None = None  # per tick
    largest_share: float | None = None  # CPU time over that of the plant alone

    def scenario(self) -> Scenario:
        changes: dict[str, Any] = {"duration": self.duration}
        if self.plant is not None:
            changes["plant"] = {"name": self.plant}
        if self.controller is not None:
            changes["controller"] = {"name": self.controller}
        return scenarios[self.name].with_overrides(changes).pinned()


LOOPS = (
    ClosedLoop("liljeback2010/rows", "planar_stepping", "benchmark-wave", largest_rest_us=40.0),
    ClosedLoop("liljeback2010/rows", "planar_stepping", least_real_time=40.0, largest_share=1.15),
    ClosedLoop("liljeback2010/rows", "planar_hybrid", duration=5.0, largest_share=1.3),
    ClosedLoop("liljeback2014/sidewinding", least_real_time=45.0),
    ClosedLoop("lab/hoal-sine", duration=6.0, least_real_time=12.0),
)


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
    requirements: list[Requirement]

    @property
    def rest_us(self) -> float:
        return self.total_us - self.plant_us - (self.controller_us or 0.0)


class Listened(NamedTuple):
    """What a controller was shown, and what it answered."""

    first: ControllerState
    seen: list[Observation]
    table: CommandTable


def closed_loops(say: Say, loops: Iterable[ClosedLoop] = LOOPS, rounds: int = ROUNDS) -> tuple[LoopCost, ...]:
    return tuple(cost(loop, rounds, say) for loop in loops)


def cost(loop: ClosedLoop, rounds: int, say: Say) -> LoopCost:
    """All parts of one loop, in turns."""
    scenario = loop.scenario()
    say(f"closed loop: {scenario.name} on {scenario.plant.name} by {scenario.controller.name}, best of {rounds}")
    setup = Setup.of(scenario)
    listened = listen(setup)
    jobs = [lambda: whole_run(setup), lambda: plant_alone(setup, listened.table)]
    if not setup.runs_compiled:
        jobs.append(lambda: controller_alone(setup, listened))
    tick_us = [1e6 * seconds / setup.ticks for seconds in least_cpu_time(jobs, rounds)]
    total, plant, controller = (*tick_us, None)[:3]
    found = LoopCost(
        scenario=scenario.name,
        plant=scenario.plant.name,
        controller=scenario.controller.name,
        compiled=setup.runs_compiled,
        real_time_factor=1e6 * scenario.control_period / cast(float, total),
        total_us=cast(float, total),
        plant_us=cast(float, plant),
        controller_us=controller,
        requirements=[],
    )
    return replace(found, requirements=requirements_of(loop, found))


def requirements_of(loop: ClosedLoop, cost: LoopCost) -> list[Requirement]:
    where = f"{cost.scenario} on {cost.plant} by {cost.controller}"
    wanted = (
        ("simulated over CPU time", cost.real_time_factor, ">=", loop.least_real_time),
        ("observing, checking and recording in us per tick", cost.rest_us, "<=", loop.largest_rest_us),
        ("CPU time over that of the plant alone", cost.total_us / cost.plant_us, "<=", loop.largest_share),
    )
    return [
        required(f"{where}: {what}", value, sign, bound) for what, value, sign, bound in wanted if bound is not None
    ]


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
