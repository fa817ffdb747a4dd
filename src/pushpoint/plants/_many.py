"""Rollouts of many robots on threads: a compiled call per thread, which takes robots from a common list."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, cast

import numpy as np

from pushpoint._many_calls import RESULT, Loop, loop_of, words_of
from pushpoint.errors import InvalidInput
from pushpoint.feedback import CompiledLoop
from pushpoint.plants._compiled import CompiledPlant, Rollout, Stopped
from pushpoint.plants._tape import OK
from pushpoint.tape import Tape, new_tape
from pushpoint.types import CommandTable, Failure, IntArray

BLOCKS = 16  # per thread: robots are handed out in blocks, fewer at a time where they are few
LARGEST_BLOCK = 32  # robots
PATIENCE = 0.05  # [s], from poll to poll of signals
NEVER_RUN, ENOUGH = -99, 1 << 62  # in place of an error; where the counter stands when nothing more is to be begun


def threads_or_all(threads: int | None) -> int:
    """As many as are asked for; by default, as there are processors for this process."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1 or threads != int(threads):
        raise InvalidInput(f"threads = {threads}: should be a whole number of at least 1")
    return int(threads)


class Threads:
    """A few threads that wait for work; the one that asks does its share."""

    def __init__(self, count: int | None = None) -> None:
        self.count = threads_or_all(count)
        self._pool: ThreadPoolExecutor | None = None

    @property
    def pool(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.count, thread_name_prefix="pushpoint")
        return self._pool

    def share(self, work: Callable[[], None], most: int) -> None:
        """The same work on all threads, at most so many, this one included."""
        others = [self.pool.submit(work) for _ in range(min(self.count, most) - 1)]
        try:
            work()
        finally:
            wait(others)
        for other in others:
            other.result()

    def share_and_poll(self, work: Callable[[], None], most: int, poll: Callable[[], None]) -> None:
        """The same on other threads alone, while this one polls now and then."""
        others: set[Future[None]] = {self.pool.submit(work) for _ in range(min(self.count, most))}
        pending = others
        while pending:
            poll()
            pending = wait(pending, PATIENCE).not_done
        for other in others:
            other.result()

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


class Crew:
    """Rollouts of many robots, each from its beginning, as often as wanted: states, tables and tapes are theirs.

    The compiled calls of all that have the same kernels are one call per thread. What they come back for is done in
    Python, robot by robot.
    """

    def __init__(self, rollouts: Sequence[Rollout], threads: Threads) -> None:
        self.rollouts, self.threads = list(rollouts), threads
        count = len(self.rollouts)
        self.results = np.zeros((count, RESULT), np.int64)  # error; status, and place that was not completed
        self._rows: list[Any] = [None] * count
        self._loaded: list[tuple[Any, Tape]] = [(None, run.tape) for run in self.rollouts]  # see `_is_loaded`
        self._changed: set[int] = set()
        self._address = np.zeros(count, np.int64)
        self._loops: list[Loop | None] = []
        self._loop = np.zeros(count, np.int64)  # number of it among these
        self._place = np.zeros(count, np.int64)  # word of its row where the place begins
        for k in range(count):
            self.load(k)

    def load(self, k: int) -> None:
        """Take the arguments of a robot's call from its rollout."""
        run = self.rollouts[k]
        entry, given, arguments = run.arguments()
        self._rows[k], kinds = words_of(arguments)
        self._address[k], self._loaded[k] = self._rows[k].ctypes.data, (given, run.tape)
        loop = loop_of(entry.function, arguments, kinds)
        if loop not in self._loops:
            self._loops.append(loop)
        self._loop[k] = self._loops.index(loop)
        behind = words_of(arguments[len(given) + 2 + run.plant.places :])[0]
        self._place[k] = len(self._rows[k]) - len(behind) - run.plant.places

    def _is_loaded(self, k: int) -> bool:
        """Whether its row still holds: a state may ask for other kernels, and a tape may have grown."""
        (given, tape), run = self._loaded[k], self.rollouts[k]
        return run.plant.call(run.state)[1] is given and run.tape is tape

    def check(self, k: int) -> None:
        """Load a robot again before it runs, if need be."""
        if not self._is_loaded(k):
            self._changed.add(k)

    def run(self, which: IntArray, stop: Any = None) -> None:
        """Robots `which`; their results are those of `Rollout.go_on`. With a `stop` (of `_interrupts.noted`), no more
        robots are begun after its signal; those have the error NEVER_RUN."""
        while self._changed:
            self.load(self._changed.pop())
        self.results[which, 0] = NEVER_RUN
        used = self._loop[which]
        for number in range(len(self._loops)):
            own = which if len(self._loops) == 1 else which[used == number]
            if len(own):
                self._call(self._loops[number], np.ascontiguousarray(own), stop)
        back = which[(self.results[which, :2] != OK).any(axis=1)]
        if len(back):
            self._finish([k for k in back.tolist() if self.results[k, 0] != NEVER_RUN], stop)

    def _call(self, loop: Loop | None, which: IntArray, stop: Any) -> None:
        counter, rows, results = np.zeros(1, np.int64), self._address, self.results
        block = max(1, min(LARGEST_BLOCK, len(which) // (BLOCKS * self.threads.count)))

        def compiled() -> None:
            assert loop is not None
            loop(which, rows, results, counter, block)

        def interpreted() -> None:
            while counter[0] < len(which):
                k = int(which[counter[0]])
                counter[0] += 1
                results[k] = 0, *self.rollouts[k].go_on((OK, 0, 0))

        work, most = (compiled, -(-len(which) // block)) if loop is not None else (interpreted, 1)
        self._shared(work, most, counter, stop)

    def _shared(self, work: Callable[[], None], most: int, counter: IntArray, stop: Any) -> None:
        if stop is None:
            self.threads.share(work, most)
            return

        def poll() -> None:
            if stop.signal is not None:
                counter[0] = ENOUGH

        self.threads.share_and_poll(work, most, poll)

    def _finish(self, which: list[int], stop: Any) -> None:
        """What compiled calls came back for."""
        left = iter(which)

        def work() -> None:
            for k in left:  # each of them is taken by one thread
                self._resolve(k)

        if len(which) == 1:
            work()
        else:
            self._shared(work, len(which), np.zeros(1, np.int64), stop)

    def _resolve(self, k: int) -> None:
        error, *place = self.results[k].tolist()
        if error != 0:
            raise RuntimeError(f"robot {k}: a compiled call of {self.rollouts[k].plant.name} raised an error")
        self.results[k, 1:] = self.rollouts[k].resolve(cast(Stopped, tuple(place)), partial(self._continue, k))
        self.check(k)

    def _continue(self, k: int, at: Stopped) -> Stopped:
        """One robot from a place on; without Numba's conversion of all arguments, if its row still holds."""
        run, loop, row = self.rollouts[k], self._loops[self._loop[k]], self._rows[k]
        if loop is None or not self._is_loaded(k):
            return run.call(at)
        begin, count = int(self._place[k]), run.plant.places
        row[begin : begin + count] = at[1 : 1 + count]
        loop(np.array([k]), self._address, self.results, np.zeros(1, np.int64), 1)
        row[begin : begin + count] = 0
        if self.results[k, 0] != 0:
            raise RuntimeError(f"robot {k}: a compiled call of {run.plant.name} raised an error")
        return self.place(k)

    def place(self, k: int) -> Stopped:
        """Where a robot has come to."""
        return cast(Stopped, tuple(self.results[k, 1:].tolist()))


def rollout_many(
    plants: Sequence[CompiledPlant],
    states: Sequence[Any],
    commands: CommandTable | Sequence[CompiledLoop],
    substeps: int,
    ticks: int | None,
    threads: int | None,
) -> list[tuple[Tape, Failure | None]]:
    """See `CompiledPlant.rollout_many`."""
    tables, loops = _each(plants[0].layout.joints if plants else 0, commands, ticks)
    if not len(plants) == len(states) == len(tables) > 0:
        raise InvalidInput(
            f"{len(plants)} plants, {len(states)} states, commands of {len(tables)} robots: there has to be one of "
            "each for every robot, and one robot at least"
        )
    refuse_unequal(plants)
    group, rollouts = Threads(threads), []
    for plant, state, table, loop in zip(plants, states, tables, loops, strict=True):
        plant.snapshot(state)  # compiles
        rollouts.append(Rollout(plant, state, table, substeps, _tape_for(plant, state, table, substeps), loop))
    try:
        crew = Crew(rollouts, group)
        crew.run(np.arange(len(rollouts)))
    finally:
        group.close()
    return [run.end(crew.place(k)) for k, run in enumerate(rollouts)]


def _each(
    joints: int, commands: CommandTable | Sequence[CompiledLoop], ticks: int | None
) -> tuple[list[CommandTable], Sequence[CompiledLoop | None]]:
    """A table and, where there is one, a controller for each robot."""
    if not isinstance(commands, CommandTable):
        if ticks is None:
            raise InvalidInput("ticks: with controllers, give how many")
        return [CommandTable(*np.zeros((3, ticks, joints))) for _ in commands], commands
    columns = [np.ascontiguousarray(column, dtype=np.float64) for column in commands]
    shapes = {column.shape for column in columns}
    if len(shapes) > 1 or columns[0].ndim != 3 or columns[0].shape[2] != joints:
        found = ", ".join(str(column.shape) for column in columns)
        raise InvalidInput(f"commands of shape {found}: all should have (robots, ticks, {joints})")
    if not all(np.isfinite(column).all() for column in columns):
        raise InvalidInput("commands: all have to be finite")
    tables = [CommandTable(*(column[k, :ticks] for column in columns)) for k in range(len(columns[0]))]
    return tables, [None] * len(tables)


def refuse_unequal(plants: Sequence[CompiledPlant]) -> None:
    """Plants of different kinds, and robots of different size."""
    first = plants[0]
    for k, plant in enumerate(plants):
        if type(plant) is not type(first):
            raise InvalidInput(f"robot 0 is on plant {first.name}, robot {k} on {plant.name}: should be the same")
        if plant.layout != first.layout:
            raise InvalidInput(
                f"robot 0 has {first.layout.links} links and {first.layout.joints} joint angles, robot {k} has "
                f"{plant.layout.links} and {plant.layout.joints}: should be the same"
            )


def bodies_of(plant: CompiledPlant, state: Any) -> int:
    """Links and movable obstacles."""
    return plant.layout.links + len(plant.obstacle_position(state))


def _tape_for(plant: CompiledPlant, state: Any, table: CommandTable, substeps: int) -> Tape:
    ticks, extra = len(table.joint_angle), len(plant.extra_columns)
    dimensions = plant.layout.dimensions
    tape = new_tape(bodies_of(plant, state), 1 + ticks, ticks * substeps, 1, dimensions=dimensions, extra=extra)
    plant.record_start(state, tape)
    return tape
