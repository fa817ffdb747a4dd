"""A run in one's own hands: to the end, or step by step, with one's own commands, copied, stopped and gone on with."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy, deepcopy
from typing import Any, Self

import numpy as np

from pushpoint._interrupts import noted, number_of
from pushpoint.errors import Interrupted, InvalidInput, SolverFailure
from pushpoint.recording import Checkpoint, Recording
from pushpoint.scenario import Scenario
from pushpoint.scenarios import Source, find_scenario
from pushpoint.sensors import Mount
from pushpoint.sensors._suite import Memory, Suite
from pushpoint.simulation.run import ProgressBar, Run, begin, go_on_from
from pushpoint.simulation.setup import Setup, enough_memory, whole_multiple
from pushpoint.types import Command, Failure, Observation, Snapshot
from pushpoint.user_code import refuse_changed

# What people want to see of a run in their own hands, unless they say otherwise.
SENSORS = ("joint-encoders", "joint-torque", "link-poses", "contact-force", "contacts")


def simulate(
    scenario: Source | Scenario,
    overrides: Mapping[str, Any] | None = None,
    *,
    progress: bool = False,
    **fields: Any,
) -> Recording:
    """Run a scenario and record it.

    Whole fields are replaced before overrides, so another plant and its options can be given together.

    Parameters
    ----------
    scenario
        A registered name, a path to a .yaml or .json file, or a `Scenario`.
    overrides
        Values by dotted key, such as ``{"controller.amplitude": 0.6}``.
    progress
        Whether to show a bar on standard error, if that is a terminal.
    **fields
        Fields of the scenario to replace, such as ``duration=5.0`` [s] or ``plant="mujoco"``.

    Returns
    -------
    Recording
        What happened, from t = 0 to the end.

    Raises
    ------
    InvalidInput
        If something cannot be used; the message names it.
    SolverFailure
        If the plant cannot go on; it holds the recording until then.
    Interrupted
        After Ctrl-C or SIGTERM, with the recording until then, from which `resume` goes on.

    Examples
    --------
    >>> run = pp.simulate("transeth2008a/flat", {"controller.amplitude": 0.6}, duration=0.1)
    >>> run.data.sizes["time"]
    11
    >>> run.scenario.controller.options["amplitude"]
    0.6
    """
    return Simulation(scenario, {**(overrides or {}), **fields}).run(progress)


def resume(
    checkpoint: Checkpoint, duration: float | None = None, *, progress: bool = False, force: bool = False
) -> Recording:
    """Go on from a checkpoint.

    The first row of the recording is the instant of the checkpoint; all rows are equal to the bit to those
    of a run that never stopped.

    Parameters
    ----------
    checkpoint
        Of `Recording.checkpoint` or `Checkpoint.load`.
    duration
        [s], when to stop, counted from t = 0; default: the scenario's.
    progress
        Whether to show a bar on standard error, if that is a terminal.
    force
        Whether to go on with loaded files that have changed since.

    Returns
    -------
    Recording
        What happened from the checkpoint on.

    Raises
    ------
    InvalidInput
        If the checkpoint is already at `duration`, or does not belong to its scenario, or was made with another version
        of a file that is loaded.
    SolverFailure
        If the plant cannot go on.

    Examples
    --------
    >>> first = pp.simulate("transeth2008a/flat", duration=0.05)
    >>> pp.resume(first.checkpoint(), duration=0.1).data["time"].values[[0, -1]].round(6).tolist()
    [0.05, 0.1]
    """
    return Simulation.from_checkpoint(checkpoint, duration, force=force).run(progress)


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
        if sensors is not None:
            self._observer()  # refuses wrong names now

    @classmethod
    def from_checkpoint(
        cls,
        checkpoint: Checkpoint,
        duration: float | None = None,
        *,
        sensors: Iterable[str] | None = None,
        force: bool = False,
    ) -> Self:
        """Go on from a checkpoint; what follows is equal to the bit to a run that never stopped.

        Parameters
        ----------
        checkpoint
            Of `Recording.checkpoint` or `Checkpoint.load`.
        duration
            [s], when to stop, counted from t = 0; default: the scenario's.
        sensors
            As for a new one.
        force
            Whether to go on with loaded files that have changed since.
        """
        scenario = checkpoint.scenario
        if duration is not None:
            # By default the time between rows depends on the duration: it stays what it was.
            scenario = scenario.with_overrides({"duration": duration, "record_period": scenario.recorded_every})
        if not force:
            refuse_changed(checkpoint.code, "the checkpoint")
        found = cls.__new__(cls)
        found.scenario = scenario
        found._sensors = tuple(sensors or scenario.sensors or SENSORS)
        found._go_on_from(checkpoint)
        return found

    def _build(self) -> None:
        with enough_memory(self.scenario):
            self._set_up()
            self._hold(begin(self._setup))

    def _set_up(self) -> None:
        self._setup = Setup.of(self.scenario)
        self._suite: Suite | None = None

    def _go_on_from(self, checkpoint: Checkpoint) -> None:
        with enough_memory(self.scenario):
            self._set_up()
            if self._setup.ticks <= checkpoint.tick:
                raise InvalidInput(
                    f"duration = {self.scenario.duration:g} s: the checkpoint is at {checkpoint.time:g} s already; "
                    "give a longer duration"
                )
            self._hold(go_on_from(checkpoint, self._setup))

    def _hold(self, run: Run) -> None:
        """Be at the first instant of a run."""
        self._run, self._sensed = run, Memory()
        self._failure: Failure | None = None
        self._seen: Observation | None = None

    def _observer(self) -> Suite:
        """The sensors of the observations, made when they are first needed."""
        if self._suite is None:
            mount = Mount(self._setup.robot, self._setup.world, self.scenario.control_period)
            self._suite = Suite.of(self.scenario, self._sensors, mount)
        return self._suite

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
            self._hold(begin(self._setup))
        return self.observation

    @property
    def observation(self) -> Observation:
        """What the sensors read at the present tick."""
        if self._seen is None:
            tick = self._run.first_tick + self._run.done
            self._seen = self._observer().observe(self.snapshot, self._sensed, tick)
        return self._seen

    @property
    def snapshot(self) -> Snapshot:
        """The truth at the present tick, whatever the sensors read; impulses are those of the last tick."""
        return self._setup.plant.snapshot(self._run.parts.plant)

    @property
    def time(self) -> float:
        """Since the start [s]."""
        return self._run.time

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

    def run(self, progress: bool = False) -> Recording:
        """Let the scenario's controller go on to the end of the scenario, and record it.

        Parameters
        ----------
        progress
            Whether to show a bar on standard error, if that is a terminal.

        Returns
        -------
        Recording
            What happened since the beginning of this simulation.

        Raises
        ------
        SolverFailure
            The plant cannot go on; with the recording until then. Not if `stop.failure` is set in the scenario.
        Interrupted
            After Ctrl-C or SIGTERM, with the recording until then.
        """
        self._refuse_done()
        run = self._run
        with enough_memory(self.scenario):
            run.compile()  # outside the measured time
        with enough_memory(self.scenario), noted() as run.stop:
            whole = self._go_on_to_the_end(progress)
            recording = run.recording(self._failure, resumable=whole)
        if self._failure is not None and not self._setup.ends_by_failure:
            raise SolverFailure(run.message(self._failure), recording)
        if run.stop.signal is not None:
            words = f"{self.scenario.name} was interrupted at t = {run.time:.6g} s"
            raise Interrupted(words, recording, run.stop.signal)
        return recording

    def _go_on_to_the_end(self, progress: bool) -> bool:
        """Whether the run can be resumed: not if a signal came inside of a tick, as nobody knows what that changed."""
        run, whole, self._seen = self._run, True, None
        started = clock.perf_counter()
        try:
            with _progress_bar(self._setup, progress) as bar:
                self._failure = run.go_on(run.ticks, bar)
        except KeyboardInterrupt as stop:
            run.stop.signal, whole = number_of(stop), False
        run.wall_time_s += clock.perf_counter() - started
        return whole

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


@contextmanager
def _progress_bar(setup: Setup, wanted: bool) -> Iterator[ProgressBar | None]:
    """A bar on standard error, if wanted and if somebody can see it."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    from pushpoint._progress import SimulationBar

    with SimulationBar(setup.scenario.name, setup.ticks, setup.scenario.control_period) as bar:
        yield bar
