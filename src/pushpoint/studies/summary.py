"""What the runs of a study say together: medians, shares, and every variant against the first, seed by seed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pushpoint.studies import statistics
from pushpoint.studies.statistics import Interval, PairedCounts, quantile
from pushpoint.studies.study import Study

if TYPE_CHECKING:
    from pushpoint.studies.results import Row
    from pushpoint.types import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]
MOST_POINTS = 2_000  # of a sweep, times variants, that are summarised one by one

FAILED_RUNS = "a share counts failed runs as not above; medians, quartiles and differences leave them out"


@dataclass(frozen=True, slots=True)
class Share:
    """How many of all runs are above a threshold. A failed run, or one without a number, is not, but it counts."""

    beyond: float  # the threshold
    count: int  # of runs above it
    total: int  # of all runs
    failed: int  # of these, counted as not above
    share: float  # count / total
    interval: Interval  # of confidence, of the share


@dataclass(frozen=True, slots=True)
class Spread:
    """One column of one variant; NaN where no run has a number."""

    count: int  # of runs with a number
    median: float  # of their numbers
    interval: Interval  # of confidence, of the median
    quartiles: Interval  # lower and upper
    share: Share | None  # above the threshold, if there is one


@dataclass(frozen=True, slots=True)
class ShareComparison:
    """Difference of the shares, this variant - first, over all seeds that both have."""

    difference: float  # of the shares
    interval: Interval  # of confidence
    p_value: float  # McNemar's exact test


@dataclass(frozen=True, slots=True)
class Comparison:
    """Median of the differences, this variant - first, over the seeds for which both have a number."""

    pairs: int  # seeds that count
    difference: float  # median
    interval: Interval  # of confidence
    p_value: float  # sign test
    share: ShareComparison | None  # if there is a threshold


@dataclass(frozen=True, slots=True)
class VariantSummary:
    """One variant: how many runs, how many of them failed or have accepted steps, and each column."""

    runs: int  # all of them
    failed: int  # of these
    accepted: int  # runs with steps that were not solved to the tolerance, but accepted
    accepted_steps: int  # of all its runs
    columns: dict[str, Spread]  # by name
    against_first: dict[str, Comparison] | None  # None for the first itself


@dataclass(frozen=True, slots=True)
class PointSummary:
    """One point of a sweep in one variant, over the seeds."""

    variant: str  # its label
    settings: dict[str, Any]  # swept values, by dotted key
    runs: int  # all of them
    failed: int  # of these
    columns: dict[str, Spread]  # by name


@dataclass(frozen=True, slots=True)
class Summary:
    """All variants by label. With a sweep, medians of variants are over all of its points; those of each point are
    apart, unless they are too many."""

    scenario: str  # its name
    confidence: float  # of all intervals
    variants: dict[str, VariantSummary]  # by label
    points: tuple[PointSummary, ...] = ()  # of a sweep, at most MOST_POINTS

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in summary.json."""
        data = asdict(self) | {"failed_runs": FAILED_RUNS}
        if not self.points:
            del data["points"]
        return data


@dataclass(slots=True)
class Runs:
    """The runs of one variant as arrays, by point and seed; a number per run and column, NaN where there is none."""

    there: BoolArray
    failed: BoolArray
    accepted: IntArray
    values: dict[str, FloatArray]

    @classmethod
    def empty(cls, size: int, columns: Sequence[str]) -> Runs:
        return cls(
            np.zeros(size, bool),
            np.zeros(size, bool),
            np.zeros(size, np.int64),
            {column: np.full(size, np.nan) for column in columns},
        )

    def add(self, place: int, row: Row) -> None:
        self.there[place], self.failed[place], self.accepted[place] = True, row.failed, row.accepted
        for column, values in self.values.items():
            values[place] = row.values.get(column, math.nan)

    def part(self, places: slice) -> Runs:
        """Those at some places."""
        values = {column: values[places] for column, values in self.values.items()}
        return Runs(self.there[places], self.failed[places], self.accepted[places], values)

    def numbers(self, column: str) -> FloatArray:
        """Of the runs that have one."""
        values = self.values[column]
        return values[~np.isnan(values)]

    @property
    def count(self) -> int:
        return int(self.there.sum())


def summarised(study: Study, rows: Iterable[Row]) -> Summary:
    """The summary of the rows of a study."""
    groups = gathered(study, rows)
    first = next(iter(groups))
    variants = {
        label: _variant(study, runs, None if label == first else groups[first]) for label, runs in groups.items()
    }
    return Summary(study.base_scenario.name, statistics.CONFIDENCE, variants, tuple(_points(study, groups)))


def gathered(study: Study, rows: Iterable[Row]) -> dict[str, Runs]:
    """The rows of each variant as arrays."""
    seeds = {seed: k for k, seed in enumerate(study.seeds)}
    size = len(study.points) * len(seeds)
    groups = {label: Runs.empty(size, study.columns) for label in study.variants}
    for row in rows:
        groups[row.variant].add(row.point * len(seeds) + seeds[row.seed], row)
    return groups


def _points(study: Study, groups: Mapping[str, Runs]) -> Iterator[PointSummary]:
    if not study.sweep or len(study.points) * len(groups) > MOST_POINTS:
        return
    seeds = len(study.seeds)
    for label, runs in groups.items():
        for number, settings in enumerate(study.points):
            own = runs.part(slice(number * seeds, (number + 1) * seeds))
            columns = {name: _spread(own, name, study.beyond.get(name)) for name in study.columns}
            yield PointSummary(label, settings, own.count, int(own.failed.sum()), columns)


def _variant(study: Study, runs: Runs, first: Runs | None) -> VariantSummary:
    against = None
    if first is not None:
        against = {name: _compared(first, runs, name, study.beyond.get(name)) for name in study.columns}
    return VariantSummary(
        runs=runs.count,
        failed=int(runs.failed.sum()),
        accepted=int((runs.accepted > 0).sum()),
        accepted_steps=int(runs.accepted.sum()),
        columns={name: _spread(runs, name, study.beyond.get(name)) for name in study.columns},
        against_first=against,
    )


def _spread(runs: Runs, column: str, threshold: float | None) -> Spread:
    values = runs.numbers(column).tolist()
    share = None if threshold is None else _share(runs, column, threshold)
    if not values:
        return Spread(0, math.nan, (math.nan, math.nan), (math.nan, math.nan), share)
    middle, interval = statistics.median(values), statistics.median_interval(values)
    return Spread(len(values), middle, interval, (quantile(values, 0.25), quantile(values, 0.75)), share)


def _share(runs: Runs, column: str, threshold: float) -> Share:
    count, total = int((runs.values[column] > threshold).sum()), runs.count
    failed, share = int(runs.failed.sum()), count / total if total else math.nan
    return Share(threshold, count, total, failed, share, statistics.share_interval(count, total))


def _compared(first: Runs, runs: Runs, column: str, threshold: float | None) -> Comparison:
    before, after = first.values[column], runs.values[column]
    both = ~np.isnan(before) & ~np.isnan(after)
    share = None if threshold is None else _compared_shares(first, runs, column, threshold)
    if not both.any():
        return Comparison(0, math.nan, (math.nan, math.nan), math.nan, share)
    found = statistics.paired_difference(before[both].tolist(), after[both].tolist())
    return Comparison(int(both.sum()), found.median, found.interval, found.p_value, share)


def _compared_shares(first: Runs, runs: Runs, column: str, threshold: float) -> ShareComparison | None:
    common = first.there & runs.there
    if not common.any():
        return None
    before, after = (group.values[column][common] > threshold for group in (first, runs))
    counts = PairedCounts(
        both=int((before & after).sum()),
        first_only=int((before & ~after).sum()),
        second_only=int((after & ~before).sum()),
        neither=int((~before & ~after).sum()),
    )
    difference = (int(after.sum()) - int(before.sum())) / int(common.sum())
    interval, p_value = statistics.paired_share_interval(counts), statistics.mcnemar_p(counts)
    return ShareComparison(difference, interval, p_value)
