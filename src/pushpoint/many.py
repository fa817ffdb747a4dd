"""Many runs at once, recorded: see `simulate_many`."""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, Literal

import numpy as np

from pushpoint._interrupts import Stop, noted, number_of
from pushpoint.errors import Interrupted, InvalidInput, SolverFailure
from pushpoint.plants._compiled import CompiledPlant, Rollout
from pushpoint.plants._many import NEVER_RUN, Crew, Threads
from pushpoint.recording import Recording
from pushpoint.scenario import Scenario
from pushpoint.scenarios import Source, find_scenario
from pushpoint.simulation import Run, Setup, begin, enough_memory, next_chunk
from pushpoint.types import Failure
from pushpoint.user_code import load_code

AT_ONCE = 64  # runs per thread that are built and run together, while others are recorded


def simulate_many(
    scenarios: Source | Scenario | Sequence[Source | Scenario],
    overrides: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    *,
    seeds: Sequence[int] | None = None,
    threads: int | None = None,
    on_failure: Literal["keep", "raise"] = "keep",
    code: Iterable[Source] = (),
    **fields: Any,
) -> list[Recording]:
    """Run many scenarios on threads of this process and record them.

    Each recording is equal to the bit to that of `simulate`. Compiled plants whose commands are known ahead, or whose
    controller is compiled, run on all threads; controllers in Python and other plants run one after the other.

    Parameters
    ----------
    scenarios
        A registered name, a path to a .yaml or .json file, a `Scenario`, or a sequence of these. They may differ in
        everything.
    overrides
        Values by dotted key: one mapping for all runs, or a sequence with one for each.
    seeds
        One for each run.
    threads
        How many at once; default: as many as there are processors.
    on_failure
        "keep": a plant that cannot go on ends its run alone; `Recording.failure` says why. "raise": an error, once all
        runs are over.
    code
        Paths of Python files to load first, as by `load_code`.
    **fields
        Fields of the scenarios to replace, such as ``duration=5.0`` [s].

    Returns
    -------
    list[Recording]
        One per run, in the order of what was given.

    Raises
    ------
    InvalidInput
        If something cannot be used; the message names it.
    SolverFailure
        With on_failure = "raise", the first one.
    Interrupted
        After Ctrl-C, with the `recordings` until then.

    Examples
    --------
    >>> runs = pp.simulate_many("transeth2008a/flat", [{"controller.amplitude": a} for a in (0.4, 0.6)], duration=0.1)
    >>> [run.data.sizes["time"] for run in runs]
    [11, 11]
    """
    for path in code:
        load_code(path)
    if on_failure not in ("keep", "raise"):
        raise InvalidInput(f"on_failure = {on_failure!r}: should be 'keep' or 'raise'")
    many = _Many(scenarios_of(scenarios, overrides, seeds, fields), Threads(threads))
    with noted() as many.stop:
        try:
            many.run()
        except KeyboardInterrupt as stop:  # in code of users
            many.stop.signal = number_of(stop)
        finally:
            many.threads.close()
    if many.stop.signal is not None:
        done = sum(found is not None for found in many.recordings)
        words = f"interrupted: {done} of {len(many.recordings)} runs had begun"
        raise Interrupted(words, None, many.stop.signal, many.recordings)
    found = [recording for recording in many.recordings if recording is not None]
    if on_failure == "raise":
        for message, recording in zip(many.messages, found, strict=True):
            if message:
                raise SolverFailure(message, recording)
    return found


class _Many:
    """Runs in rounds: all that have begun make a part of their ticks on threads. Meanwhile this thread records those
    that are over, and builds the next."""

    def __init__(self, scenarios: list[Scenario], threads: Threads) -> None:
        self.threads, self.stop = threads, Stop()
        self.recordings: list[Recording | None] = [None] * len(scenarios)
        self.messages = [""] * len(scenarios)
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
        """Build the next runs; those that need Python at every tick are run here."""
        found = []
        for k, scenario in islice(self._waiting, AT_ONCE * self.threads.count):
            if self.stop.signal is not None:
                break
            with enough_memory(scenario):
                run = begin(Setup.of(scenario))
            run.stop = self.stop
            run.compile()
            if run.in_one_call and isinstance(run.setup.plant, CompiledPlant):
                found.append((k, run))
                continue
            started = clock.perf_counter()
            failure = run.go_on(run.ticks)
            run.wall_time_s = clock.perf_counter() - started
            self._over.append((k, run, failure))
        return found

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


def scenarios_of(
    scenarios: Source | Scenario | Sequence[Source | Scenario],
    overrides: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None,
    seeds: Sequence[int] | None,
    fields: Mapping[str, Any],
) -> list[Scenario]:
    """One scenario per robot; what is given once holds for all."""
    found = list(scenarios) if isinstance(scenarios, Sequence) and not isinstance(scenarios, str) else [scenarios]
    changes = [overrides or {}] if overrides is None or isinstance(overrides, Mapping) else list(overrides)
    seeded: list[dict[str, Any]] = [{}] if seeds is None else [{"seed": int(seed)} for seed in seeds]
    counts = {"scenarios": len(found), "overrides": len(changes), "seeds": len(seeded)}
    count = max(counts.values())
    for name, own in counts.items():
        if own == 0:
            raise InvalidInput(f"{name}: there are none; give one at least")
        if own not in (1, count):
            largest = next(other for other, number in counts.items() if number == count)
            raise InvalidInput(f"{own} {name} and {count} {largest}: give one for all robots, or as many")
    bases = [find_scenario(one) for one in found]
    return [
        bases[k % len(bases)]
        .with_overrides({**changes[k % len(changes)], **fields, **seeded[k % len(seeded)]})
        .pinned()
        for k in range(count)
    ]
