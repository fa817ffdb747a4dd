"""A simulation that goes on while it is shown. Each change of an option begins the run anew: a recording is of one
scenario."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pushpoint.errors import PushpointError, SolverFailure
from pushpoint.simulation import Simulation

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording
    from pushpoint.scenario import Scenario

LONGEST_CALL = 0.1  # [s] of wall time that is spent on the simulation between two frames
FIRST_TICKS = 5  # before it is known how long one takes


class LiveRun:
    """One scenario, run by one thread: the one that draws."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario, self.problem = scenario, ""
        self._owed, self._cost = 0.0, 0.0
        self._begin()

    def _begin(self) -> None:
        self._simulation = Simulation(self.scenario)
        self._owed, self.problem = 0.0, ""
        self._recording: Recording | None = None

    @property
    def time(self) -> float:
        return self._simulation.time

    @property
    def done(self) -> bool:
        return self._simulation.done or bool(self.problem)

    def recording(self) -> Recording:
        """What happened until now."""
        if self._recording is None:
            self._recording = self._simulation.recording()
        return self._recording

    def reset(self) -> None:
        """From t = 0."""
        self._begin()

    def change(self, key: str, value: Any) -> None:
        """Give an option or the plant another value, and begin anew; what cannot be used leaves all as it was, and
        `problem` says why."""
        before = self.scenario
        try:
            self.scenario = before.with_overrides({key: value})
            self._begin()
        except PushpointError as error:
            self.scenario, self.problem = before, str(error)

    def advance(self, duration: float) -> None:
        """Go on for so long [s], or less if the simulation is slower than that; times that are shorter than a tick
        add up."""
        period = self.scenario.control_period
        self._owed += duration
        ticks = int(self._owed / period)
        if ticks == 0 or self.done:
            return
        most = FIRST_TICKS if self._cost == 0.0 else max(1, int(LONGEST_CALL / self._cost))
        self._owed = self._owed - ticks * period if ticks <= most else 0.0
        ticks, begin = min(ticks, most), time.perf_counter()
        self._recording = None
        try:
            self._simulation.advance(ticks * period)
        except SolverFailure as error:
            self.problem, self._recording = str(error), error.recording
        except PushpointError as error:
            self.problem = str(error)
        self._cost = (time.perf_counter() - begin) / ticks

    def saved(self) -> bytes:
        """The file of the recording."""
        with tempfile.TemporaryDirectory(prefix="pushpoint-view-") as folder:
            return self.recording().save(Path(folder) / "recording.nc").read_bytes()
