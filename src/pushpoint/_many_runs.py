"""Many runs at once on threads of one process: all that have begun make a part of their ticks in one compiled call."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np

from pushpoint._interrupts import Stop
from pushpoint.plants._compiled import CompiledPlant, Rollout
from pushpoint.plants._many import NEVER_RUN, Crew, Threads
from pushpoint.recording import Recording
from pushpoint.scenario import Scenario
from pushpoint.simulation import Run, Setup, begin, enough_memory, next_chunk
from pushpoint.types import Failure

AT_ONCE = 64  # runs per thread that are built and run together, while others are recorded


class ManyRuns:
    """Runs in rounds: all that have begun make a part of their ticks on threads. Meanwhile this thread records those
    that are over, and builds the next.

    With `refused`, a run that cannot begin, or whose controller raises an error, is given to it with its number and the
    error, and the others go on; without, it is an error."""

    def __init__(
        self, scenarios: list[Scenario], threads: Threads, refused: Callable[[int, Exception], None] | None = None
    ) -> None:
        self.threads, self.stop, self._refused = threads, Stop(), refused
        self.recordings: list[Recording | None] = [None] * len(scenarios)
        self.messages = [""] * len(scenarios)
        self.complete = [False] * len(scenarios)  # whether the run has come to an end of its own
        self._waiting = iter(enumerate(scenarios))
        self._over: list[tuple[int, Run, Failure | None]] = []

    def run(self) -> None:
        active = self._next()
        with ThreadPoolExecutor(1, thread_name_prefix="pushpoint") as driver:
            while active:
                round_ = _Round(active, self.threads)
                running = driver.submit(round_.run, self.stop)
                try:
                    self._record()
                    following = self._next()
                finally:
                    running.result()
                active = self._end(round_) + following
        self._record()

    def _next(self) -> list[tuple[int, Run]]:
        """Build the next runs, until some can be run together or none is left; those that need Python at every tick are
        run, and recorded, here."""
        found: list[tuple[int, Run]] = []
        while not found:
            some = list(islice(self._waiting, AT_ONCE * self.threads.count))
            if not some:
                break
            for k, scenario in some:
                if self.stop.signal is not None:
                    return found
                run = self._begun_or_refused(k, scenario)
                if run is not None:
                    found.append((k, run))
            self._record()
        return found

    def _begun_or_refused(self, k: int, scenario: Scenario) -> Run | None:
        try:
            return self._begun(k, scenario)
        except Exception as error:  # code of users may raise anything
            if self._refused is None:
                raise
            self._refused(k, error)
            return None

    def _begun(self, k: int, scenario: Scenario) -> Run | None:
        """A run at its start; None if it needed Python at every tick, and is over."""
        with enough_memory(scenario):
            run = begin(Setup.of(scenario))
        run.stop = self.stop
        run.compile()
        if run.in_one_call and isinstance(run.setup.plant, CompiledPlant):
            return run
        started = clock.perf_counter()
        failure = run.go_on(run.ticks)
        run.wall_time_s = clock.perf_counter() - started
        self._over.append((k, run, failure))
        return None

    def _end(self, round_: _Round) -> list[tuple[int, Run]]:
        """Take what is over out of a round; returns the others, none of them after a signal."""
        going = []
        for (k, run), failure in zip(round_.runs, round_.end(), strict=True):
            if failure is not None or run.met is not None or run.done >= run.ticks or self.stop.signal is not None:
                self._over.append((k, run, failure))
            else:
                going.append((k, run))
        return going

    def _record(self) -> None:
        for k, run, failure in self._over:
            self.recordings[k] = run.recording(failure)
            self.complete[k] = failure is not None or run.met is not None or run.done >= run.ticks
            self.messages[k] = "" if failure is None or run.setup.ends_by_failure else run.message(failure)
        self._over.clear()


class _Round:
    """A compiled call of each of several runs."""

    def __init__(self, runs: list[tuple[int, Run]], threads: Threads) -> None:
        self.runs = runs
        self._kept = [None if run.conditions is None else run.kept_instant() for _, run in runs]
        self._planned = [run.prepare(min(run.chunk, run.ticks - run.done)) for _, run in runs]
        rollouts = []
        for (_, run), (table, loop) in zip(runs, self._planned, strict=True):
            plant = run.setup.plant
            assert isinstance(plant, CompiledPlant)
            rollouts.append(Rollout(plant, run.parts.plant, table, run.setup.substeps, run.tape, loop))
        self._crew, self._wall_time = Crew(rollouts, threads), 0.0

    def run(self, stop: Stop) -> None:
        started = clock.perf_counter()
        self._crew.run(np.arange(len(self.runs)), stop)
        self._wall_time = clock.perf_counter() - started

    def end(self) -> list[Failure | None]:
        """Let the runs keep what happened."""
        share = self._wall_time * self._crew.threads.count / len(self.runs)
        found: list[Failure | None] = []
        for k, ((_, run), (table, loop)) in enumerate(zip(self.runs, self._planned, strict=True)):
            if self._crew.results[k, 0] == NEVER_RUN:
                found.append(None)
                continue
            run.tape, failure = self._crew.rollouts[k].end(self._crew.place(k))
            run.conclude(table, loop)
            run.done += len(table.joint_angle)
            run.wall_time_s += share
            run.chunk = next_chunk(len(table.joint_angle), share)
            met = run.end_if_met(run.controller_ticks(), self._kept[k])
            found.append(None if met else failure)
        return found
