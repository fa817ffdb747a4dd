"""A run in one's own hands: step by step, with one's own commands, copied, stopped and gone on with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy, deepcopy
from typing import Any

import numpy as np

from pushpoint.api import Source, find_scenario
from pushpoint.errors import InvalidInput, SolverFailure
from pushpoint.recording import Recording
from pushpoint.scenario import Scenario
from pushpoint.sensors import Mount
from pushpoint.sensors._suite import Memory, Suite
from pushpoint.simulation import Setup, begin, enough_memory, whole_multiple
from pushpoint.types import Command, Failure, Observation, Snapshot

# What people want to see of a run in their own hands, unless they say otherwise.
SENSORS = ("joint-encoders", "joint-torque", "link-poses", "contact-force", "contacts")


class Simulation:
    """One run of a scenario, tick by tick.

    Parameters
    ----------
    scenario
        A registered name, a path to a .yaml or .json file, or a `Scenario`.
    overrides
        Values by dotted key, such as ``{"world.friction": 0.1}``.
    sensors
        Names of those whose readings are in the observations; by default those that the scenario lists or, if it lists
        none, joint encoders and torques, link poses, contacts and contact forces. The scenario's controller has its
        own.
    **fields
        Whole fields of the scenario, such as ``duration=5.0``.

    Examples
    --------
    >>> sim = pp.Simulation("transeth2008a/flat", duration=0.1)
    >>> seen = sim.step(0.1)  # rad, for all joints
    >>> sim.done, round(sim.time, 3)
    (False, 0.01)
    """

    def __init__(
        self,
        scenario: Source | Scenario,
        overrides: Mapping[str, Any] | None = None,
        *,
        sensors: Iterable[str] | None = None,
        **fields: Any,
    ) -> None:
        self.scenario = find_scenario(scenario).with_overrides({**(overrides or {}), **fields}).pinned()
        self._sensors = tuple(sensors or self.scenario.sensors or SENSORS)
        self._build()

    def _build(self) -> None:
        with enough_memory(self.scenario):
            setup = self._setup = Setup.of(self.scenario)
            mount = Mount(setup.robot, setup.world, self.scenario.control_period)
            self._suite = Suite.of(self.scenario, self._sensors, mount)
            self._begin()

    def _begin(self) -> None:
        self._run, self._sensed = begin(self._setup), Memory()
        self._failure: Failure | None = None
        self._seen: Observation | None = None

    def reset(self, seed: int | None = None) -> Observation:
        """Begin anew.

        Parameters
        ----------
        seed
            Of world, sensors and start; the scenario's if it is not given.
        """
        if seed is not None and seed != self.scenario.seed:
            self.scenario = self.scenario.with_overrides({"seed": seed}).pinned()
            self._build()
        else:
            self._begin()
        return self.observation

    @property
    def observation(self) -> Observation:
        """What the sensors read at the present tick."""
        if self._seen is None:
            tick = self._run.first_tick + self._run.done
            self._seen = self._suite.observe(self.snapshot, self._sensed, tick)
        return self._seen

    @property
    def snapshot(self) -> Snapshot:
        """The truth at the present tick, whatever the sensors read; impulses are those of the last tick."""
        return self._setup.plant.snapshot(self._run.parts.plant)

    @property
    def time(self) -> float:
        """Since the start [s]."""
        return (self._run.first_tick + self._run.done) * self.scenario.control_period

    @property
    def done(self) -> bool:
        """Whether the duration of the scenario is over, a stop condition was met, or the plant cannot go on."""
        return self._failure is not None or self._run.met is not None or self._run.done >= self._run.ticks

    @property
    def stopped(self) -> str:
        """Which condition of `scenario.stop` was met; empty if none was."""
        return "" if self._run.met is None else self._run.met.why

    @property
    def failure(self) -> str:
        """Why the plant could not go on; empty if it can."""
        return "" if self._failure is None else self._run.message(self._failure)

    def step(self, command: Command | Any = None) -> Observation:
        """One control tick.

        Parameters
        ----------
        command
            A `Command`, or joint angles [rad], one for all joints or an array; without one, the scenario's controller
            decides.

        Returns
        -------
        Observation
            What is seen at its end.

        Raises
        ------
        SolverFailure
            The plant cannot go on; with the recording until then. Not if `stop.failure` is set in the scenario: then
            `done` is true, and `failure` says why.
        """
        self._refuse_done()
        run = self._run
        if command is None:
            failure = run.go_on(run.done + 1)
        else:
            failure = run.obey(command if isinstance(command, Command) else self._command(command))
            run.done += 1
            if run.end_if_met():
                failure = None
        return self._after(failure)

    def advance(self, duration: float) -> Observation:
        """Let the scenario's controller go on for so long [s]; in one compiled call where that is possible.

        Parameters
        ----------
        duration
            [s], a multiple of the control period; at most until the end of the scenario.
        """
        self._refuse_done()
        ticks = whole_multiple("duration", duration, "control_period", self.scenario.control_period)
        return self._after(self._run.go_on(min(self._run.done + ticks, self._run.ticks)))

    def _after(self, failure: Failure | None) -> Observation:
        self._seen, self._failure = None, failure
        if failure is not None and not self._setup.ends_by_failure:
            raise SolverFailure(self._run.message(failure), self.recording())
        return self.observation

    def _refuse_done(self) -> None:
        if self.done:
            why = self.failure or self.stopped or f"the duration of the scenario, {self.scenario.duration:g} s, is over"
            raise InvalidInput(f"{self.scenario.name}: {why}; call reset(), or give a longer duration")

    def _command(self, angles: Any) -> Command:
        zero = np.zeros(self._setup.joints)
        return Command(zero + np.asarray(angles, dtype=float), zero, zero)

    def copy(self, duration: float | None = None) -> Simulation:
        """The same instant, to try what would happen: what is done to a copy does not change the original.

        A copy records from now on alone.

        Parameters
        ----------
        duration
            How long the copy can go on [s]; by default to the end of the scenario.
        """
        twin, run = copy(self), self._run
        left = run.ticks - run.done
        if duration is not None:
            period = self.scenario.control_period
            left = min(left, whole_multiple("duration", duration, "control_period", period))
        twin._run, twin._sensed = run.fork(left), deepcopy(self._sensed)
        return twin

    def recording(self) -> Recording:
        """What was recorded until now; it can be saved, and resumed unless the plant could not go on."""
        return self._run.recording(self._failure)
