"""Judges: what of a run is compared, which result counts as exact, and how near to it is accurate.

The exact result of a plant is its **own** limit of small steps, so that a difference between two models is no error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan

import numpy as np

from pushpoint.types import FloatArray

Result = FloatArray  # (rows, 2) [m], what is compared of a run; in the last row is where the tracked link ends
FAILED: Result = np.full((1, 2), nan)  # a run that the plant gave up, or a limit that cannot be found

SAMPLE_PERIOD = 0.1  # [s], a multiple of every control period that occurs, so that all paths have the same instants
LIMIT_RUNS = 2


@dataclass(frozen=True)
class PathJudge:
    """Compares the whole path with that of one run at a small dt."""

    compared: str = "path"
    accuracy: float = 1e-3  # [m], the largest error that is accurate
    limit_dt: float = 5e-5  # [s]

    def result(self, start: FloatArray, path: FloatArray, period: float) -> Result:
        """What is compared of a path (ticks, 2) of the tracked link, which does not hold its start."""
        stride = round(SAMPLE_PERIOD / period)
        return path[stride - 1 :: stride]

    def limit_steps(self, ladder: Sequence[float]) -> Sequence[float]:
        """Step sizes [s] of the runs that give the limit, the finest last."""
        return (self.limit_dt,)

    def limit(self, results: Sequence[Result]) -> Result:
        """The limit, from results of which the finest is last."""
        return results[-1]

    def error(self, result: Result, limit: Result) -> float:
        """Root mean square of the distance [m] from the limit; infinite for a run that failed, or without a limit."""
        return finite_or_inf(np.sqrt(np.mean(np.sum((result - limit) ** 2, axis=1))))


@dataclass(frozen=True)
class DistanceJudge:
    """Compares how far the link gets with the mean of the two finest runs that finish.

    Paths in space scatter: where a link touches down decides what comes next, and a start pose changed by a thousandth
    of a radian, or another dt, gives an end that is some millimetres off. So a limit is a mean of two runs, and a
    setting is accurate only if runs from several start poses are near it (`Case.starts`).
    """

    compared: str = "distance"
    accuracy: float = 0.01  # of the limit

    def result(self, start: FloatArray, path: FloatArray, period: float) -> Result:
        """The displacement."""
        return path[-1:] - start

    def limit_steps(self, ladder: Sequence[float]) -> Sequence[float]:
        return sorted(ladder, reverse=True)[-LIMIT_RUNS - 1 :]  # one more than needed, as one may fail

    def limit(self, results: Sequence[Result]) -> Result:
        """Only its length means something."""
        lengths = [found for result in results if isfinite(found := length(result))][-LIMIT_RUNS:]
        return np.array([[np.mean(lengths), 0.0]]) if len(lengths) == LIMIT_RUNS else FAILED

    def error(self, result: Result, limit: Result) -> float:
        """Of the length, relative to the limit; the direction is not judged."""
        return finite_or_inf(abs(length(result) - length(limit)) / length(limit))


Judge = PathJudge | DistanceJudge


def length(displacement: Result) -> float:
    return float(np.hypot(*displacement[-1]))


def finite_or_inf(error: float) -> float:
    return float(error) if isfinite(error) else inf
