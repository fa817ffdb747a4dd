"""Work on local processes: tasks go out, results come back; a process that dies takes one task along, no others."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING, Generic, TypeVar

from pushpoint import limits
from pushpoint._interrupts import Stop, blocked, noted
from pushpoint.errors import InvalidInput, shown
from pushpoint.user_code import Source, described, sources, take_over

if TYPE_CHECKING:
    from pushpoint._progress import RunsBar

T = TypeVar("T")  # of tasks
R = TypeVar("R")  # of results

AHEAD = 3  # tasks per process that wait in the pool
CHECKED_EVERY = 0.25  # [s], for interrupts
PROCESS_DIED = (
    "the process that ran it died; was there enough memory? "
    'In scripts studies have to start below `if __name__ == "__main__":`'
)
PATIENCE = 5.0  # [s], for the pool to find out that its processes were ended
IN_VAIN = 2  # times that processes may die in succession before any has finished a task


def _ignore(_number: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Work(Generic[T, R]):
    """What is done with each task, and what stands for the results that are missing."""

    do: Callable[[T], R]  # that can be sent to processes
    lost: Callable[[str], R]  # is given the reason
    started: Callable[[int], None] = _ignore  # is given the number of a task when a process may begin it


def done(work: Work[T, R], tasks: Sequence[T], processes: int | None = None) -> Iterator[tuple[int, R]]:
    """Numbers and results of the tasks, as they are finished; with one process, all in this one."""
    processes = at_most(processes, len(tasks))
    if processes <= 1:
        for k, task in enumerate(tasks):
            work.started(k)
            yield k, work.do(task)
        return
    waiting, in_vain = dict(enumerate(tasks)), 0
    while waiting and in_vain < IN_VAIN:
        before = len(waiting)
        yield from _done_beside(work, waiting, processes)
        in_vain = in_vain + 1 if len(waiting) == before else 0
        if waiting:  # A process died, and took the others along. Whose fault it was shows when tasks are done alone.
            yield _done_alone(work, waiting)
    yield from ((k, work.lost(PROCESS_DIED)) for k in waiting)


def at_most(processes: int | None, tasks: int) -> int:
    """How many processes are of use; by default as many as there are processors."""
    if processes is not None and not 1 <= processes <= limits.PROCESSES:
        raise InvalidInput(f"processes = {shown(processes)}: should be from 1 to {limits.PROCESSES}")
    return min(processes or os.cpu_count() or 1, tasks)


def _done_beside(work: Work[T, R], waiting: dict[int, T], processes: int) -> Iterator[tuple[int, R]]:
    """Take out what can be done by so many processes until one of them dies.

    Interrupts are noted and raised here: inside of the pool they would leave locks behind.
    """
    with noted() as stop:
        with _pool(processes) as pool, suppress(BrokenProcessPool):
            yield from _from_pool(pool, work, waiting, AHEAD * processes, stop)
        stop.raise_if_asked()  # a signal to all processes kills the others first


def _from_pool(
    pool: ProcessPoolExecutor, work: Work[T, R], waiting: dict[int, T], most: int, stop: Stop
) -> Iterator[tuple[int, R]]:
    """Results of the tasks that wait, of which so many at most are in the pool."""
    left, numbers = iter(list(waiting.items())), dict[Future[R], int]()
    while True:
        with blocked():  # for the processes that are started now
            for k, task in islice(left, most - len(numbers)):
                numbers[pool.submit(work.do, task)] = k
                work.started(k)
        finished, _ = wait(numbers, timeout=CHECKED_EVERY, return_when=FIRST_COMPLETED)
        for future in finished:
            result, k = result_of(future, work.lost), numbers.pop(future)
            del waiting[k]
            yield k, result
        stop.raise_if_asked()
        if not numbers:
            return


def _done_alone(work: Work[T, R], waiting: dict[int, T]) -> tuple[int, R]:
    """Take out the first task."""
    first = next(iter(waiting))
    task = {first: waiting.pop(first)}
    for found in _done_beside(work, task, 1):
        return found
    return first, work.lost(PROCESS_DIED)


def result_of(future: Future[R], lost: Callable[[str], R]) -> R:
    try:
        return future.result()
    except BrokenProcessPool:
        raise
    except Exception as error:  # such as tasks that cannot be sent to another process
        return lost(described(error))


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that start empty: copies of this one would share locks of its threads. None outlives an interrupt."""
    before = set(active_children())
    context = get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin, initargs=(os.getpid(), sources()))
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(active_children()) - before:
            child.terminate()
        if (thread := getattr(pool, "_executor_manager_thread", None)) is not None:
            thread.join(PATIENCE)  # at its end Python would wake it by a pipe that it may just be closing
        raise
    pool.shutdown()


def _begin(master: int, loaded: Sequence[Source]) -> None:
    """What a process does first. Ctrl-C reaches all processes of a terminal; the first one decides what becomes of the
    others. Files that it loaded are loaded here; whoever misses one of their names says so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from pushpoint.studies.workers import end_with_master

    end_with_master(master)
    for source in loaded:
        with suppress(InvalidInput):
            take_over([source])


@contextmanager
def runs_bar(name: str, runs: int, wanted: bool, what: str = "runs") -> Iterator[RunsBar | None]:
    """A bar on standard error, if wanted and if somebody can see it."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    from pushpoint._progress import RunsBar

    with RunsBar(name, runs, what) as bar:
        yield bar
