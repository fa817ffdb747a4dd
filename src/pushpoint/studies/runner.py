"""Runs of studies on local processes: jobs go out, numbers come back, failures are rows."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING

from pushpoint import limits
from pushpoint._interrupts import Stop, blocked, noted, number_of
from pushpoint.errors import InvalidInput, MissingExtra, shown
from pushpoint.scenario import Scenario
from pushpoint.simulation import Setup, simulate
from pushpoint.studies.jobs import Job, Outcome, Question, do
from pushpoint.studies.results import Results, Row
from pushpoint.studies.study import Study
from pushpoint.user_code import Source, described, sources, take_over

if TYPE_CHECKING:
    from pushpoint._progress import RunsBar

RUN = "run"  # name of the only run of a job
AHEAD = 3  # jobs per process that wait in the pool
CHECKED_EVERY = 0.25  # [s], for interrupts
PROCESS_DIED = (
    "the process that ran it died; was there enough memory? "
    'In scripts studies have to start below `if __name__ == "__main__":`'
)
PATIENCE = 5.0  # [s], for the pool to find out that its processes were ended
IN_VAIN = 2  # times that processes may die in succession before any has finished a job


def run(study: Study, processes: int | None = None, *, progress: bool = False, finished: Sequence[Row] = ()) -> Results:
    """Make all runs of a study on that many processes (default: as many as there are processors).

    With one process everything happens in this one. Rows are in the order of variants and seeds, whatever is
    finished first. A run that fails is a row; an interrupt (Ctrl-C) keeps the rows that are finished. Rows that are
    `finished` already are not run again.
    """
    pairs = [(variant, seed) for variant in study.variants for seed in study.seeds]
    processes = _at_most(processes, len(pairs))
    check(study)
    known = {(row.variant, row.seed): row for row in finished}
    jobs, rows = _jobs(study, pairs)
    rows |= {k: known[pair] for k, pair in enumerate(pairs) if pair in known}
    jobs = {k: job for k, job in jobs.items() if k not in rows}
    numbers, number = list(jobs), 2
    try:
        with _bar(study, len(jobs), progress) as bar:
            for k, outcome in outcomes(list(jobs.values()), processes):
                rows[numbers[k]] = _row(*pairs[numbers[k]], outcome)
                if bar is not None:
                    bar.update(failed=outcome.problems != {})
    except KeyboardInterrupt as stop:
        if not rows:
            raise
        number = number_of(stop)
    return Results(study, tuple(rows[k] for k in sorted(rows)), len(rows) < len(pairs), number)


def check(study: Study) -> None:
    """Refuse variants that cannot run, and compile what the others need: processes then find it on the disk."""
    for variant in study.variants:
        refusal: InvalidInput | None = None
        for seed in study.seeds:  # a random world may be impossible for one seed alone: that run fails, not the study
            try:
                warm_up(study.scenario_of(variant, seed))
                break
            except InvalidInput as error:
                refusal = refusal or error
        else:
            raise InvalidInput(f"variant {variant!r}: {refusal}")


def warm_up(scenario: Scenario) -> None:
    """Build everything and make one tick; refuses bad input, the run itself reports other failures."""
    try:
        Setup.of(scenario)
        simulate(scenario, duration=scenario.control_period, record_period=scenario.control_period)
    except (InvalidInput, MissingExtra):
        raise
    except Exception:  # a step that fails, or a controller that raises: rows of their own
        return


def _jobs(study: Study, pairs: Sequence[tuple[str, int]]) -> tuple[dict[int, Job], dict[int, Row]]:
    """The jobs by number, and the rows of those that cannot even be stated: a world may be impossible for a seed."""
    questions = {wanted.column: Question(wanted.name, wanted.options, (RUN,)) for wanted in study.measurements}
    jobs, refused = {}, {}
    for k, (variant, seed) in enumerate(pairs):
        try:
            jobs[k] = Job({RUN: study.scenario_of(variant, seed)}, questions)
        except InvalidInput as error:
            refused[k] = _row(variant, seed, Outcome(problems={RUN: str(error)}))
    return jobs, refused


def _row(variant: str, seed: int, outcome: Outcome) -> Row:
    failed = bool(outcome.problems)
    return Row(
        variant=variant,
        seed=seed,
        status="failed" if failed else "ok",
        message="; ".join(outcome.problems.values()),
        wall_time_s=outcome.wall_time_s,
        values={} if failed else outcome.answers,
        events=dict(sorted(outcome.events.items())),
        accepted=outcome.accepted_steps,
    )


def outcomes(jobs: Sequence[Job], processes: int | None = None) -> Iterator[tuple[int, Outcome]]:
    """Numbers and outcomes of the jobs, as they are finished."""
    processes = _at_most(processes, len(jobs))
    if processes <= 1:
        yield from ((k, do(job)) for k, job in enumerate(jobs))
        return
    waiting, in_vain = dict(enumerate(jobs)), 0
    while waiting and in_vain < IN_VAIN:
        before = len(waiting)
        yield from _done_beside(waiting, processes)
        in_vain = in_vain + 1 if len(waiting) == before else 0
        if waiting:  # A process died, and took the others along. Whose fault it was shows when jobs are done alone.
            yield _done_alone(waiting)
    yield from ((k, Outcome(problems={RUN: PROCESS_DIED})) for k in waiting)


def _at_most(processes: int | None, jobs: int) -> int:
    if processes is not None and not 1 <= processes <= limits.PROCESSES:
        raise InvalidInput(f"processes = {shown(processes)}: should be from 1 to {limits.PROCESSES}")
    return min(processes or os.cpu_count() or 1, jobs)


def _done_beside(waiting: dict[int, Job], processes: int) -> Iterator[tuple[int, Outcome]]:
    """Take out what can be done by so many processes until one of them dies.

    Interrupts are noted and raised here: inside of the pool they would leave locks behind.
    """
    with noted() as stop:
        with _pool(processes) as pool, suppress(BrokenProcessPool):
            yield from _from_pool(pool, waiting, AHEAD * processes, stop)
        stop.raise_if_asked()  # a signal to all processes kills the others first


def _from_pool(
    pool: ProcessPoolExecutor, waiting: dict[int, Job], most: int, stop: Stop
) -> Iterator[tuple[int, Outcome]]:
    """Outcomes of the jobs that wait, of which so many at most are in the pool."""
    left, numbers = iter(list(waiting.items())), dict[Future[Outcome], int]()
    while True:
        with blocked():  # for the processes that are started now
            for k, job in islice(left, most - len(numbers)):
                numbers[pool.submit(do, job)] = k
        done, _ = wait(numbers, timeout=CHECKED_EVERY, return_when=FIRST_COMPLETED)
        for future in done:
            outcome, k = _outcome_of(future), numbers.pop(future)
            del waiting[k]
            yield k, outcome
        stop.raise_if_asked()
        if not numbers:
            return


def _done_alone(waiting: dict[int, Job]) -> tuple[int, Outcome]:
    """Take out the first job."""
    first = next(iter(waiting))
    job = {first: waiting.pop(first)}
    for found in _done_beside(job, 1):
        return found
    return first, Outcome(problems={RUN: PROCESS_DIED})


def _outcome_of(future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except BrokenProcessPool:
        raise
    except Exception as error:  # such as jobs that cannot be sent to another process
        return Outcome(problems={RUN: described(error)})


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that start empty: copies of this one would share locks of its threads. None outlives an interrupt."""
    before = set(active_children())
    context = get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin, initargs=(sources(),))
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


def _begin(loaded: Sequence[Source]) -> None:
    """What a process does first. Ctrl-C reaches all processes of a terminal; the first one decides what becomes of the
    others. Files that it loaded are loaded here; whoever misses one of their names says so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for source in loaded:
        with suppress(InvalidInput):
            take_over([source])


@contextmanager
def _bar(study: Study, runs: int, wanted: bool) -> Iterator[RunsBar | None]:
    """A bar on standard error, if wanted and if somebody can see it."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    from pushpoint._progress import RunsBar

    with RunsBar(study.base_scenario.name, runs) as bar:
        yield bar
