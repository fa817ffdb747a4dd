"""Wall times that survive a busy machine: the best of several runs, taken in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

TURN_RUNS, TURN_SECONDS = 3, 0.01  # a turn has at least that many runs in a row, and takes at least that long


def timed(job: Callable[[], T]) -> tuple[T, float]:
    """What one call returns, and the seconds it takes."""
    started = time.perf_counter()
    result = job()
    return result, time.perf_counter() - started


def interleaved_best(jobs: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """Best wall time [s] of each job. Every round calls all of them, so that noise hits all alike."""
    best = [float("inf")] * len(jobs)
    for _ in range(rounds):
        for k, job in enumerate(jobs):
            best[k] = min(best[k], timed(job)[1])
    return best


def best_in_turns(jobs: Sequence[Callable[[], Any]], turns: int) -> list[float]:
    """The same where a turn is several runs in a row: what the others leave in the processor's caches does not count,
    and short jobs do not fall into a slow moment of the machine with all their runs."""
    best = [float("inf")] * len(jobs)
    for _ in range(turns):
        for k, job in enumerate(jobs):
            runs, spent = 0, 0.0
            while runs < TURN_RUNS or spent < TURN_SECONDS:
                seconds = timed(job)[1]
                runs, spent, best[k] = runs + 1, spent + seconds, min(best[k], seconds)
    return best


def least_cpu_time(jobs: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """CPU time [s] of each job in this process, the least of all rounds; a round calls all of them."""
    best = [float("inf")] * len(jobs)
    for _ in range(rounds):
        for k, job in enumerate(jobs):
            started = time.process_time()
            job()
            best[k] = min(best[k], time.process_time() - started)
    return best
