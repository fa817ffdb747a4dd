"""Wall times that survive a busy machine: the best of several interleaved rounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

ROUNDS = 20


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
