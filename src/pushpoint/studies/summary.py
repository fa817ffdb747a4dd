"""What the runs of a study say together: medians, shares, and every variant against the first, seed by seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pushpoint.studies import statistics
from pushpoint.studies.statistics import Interval, PairedCounts, quantile
from pushpoint.studies.study import Study

if TYPE_CHECKING:
    from pushpoint.studies.results import Row

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
class Summary:
    """All variants by label."""

    scenario: str  # its name
    confidence: float  # of all intervals
    variants: dict[str, VariantSummary]  # by label

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in summary.json."""
        return asdict(self) | {"failed_runs": FAILED_RUNS}


Runs = dict[int, "Row"]  # by seed


def summarised(study: Study, rows: Sequence[Row]) -> Summary:
    """The summary of the rows of a study."""
    groups: dict[str, Runs] = {label: {} for label in study.variants}
    for row in rows:
        groups[row.variant][row.seed] = row
    first = next(iter(groups))
    variants = {
        label: _variant(study, runs, None if label == first else groups[first]) for label, runs in groups.items()
    }
    return Summary(study.base_scenario.name, statistics.CONFIDENCE, variants)


def _variant(study: Study, runs: Runs, first: Runs | None) -> VariantSummary:
    against = None
    if first is not None:
        against = {name: _compared(first, runs, name, study.beyond.get(name)) for name in study.columns}
    return VariantSummary(
        runs=len(runs),
        failed=sum(run.failed for run in runs.values()),
        accepted=sum(run.accepted > 0 for run in runs.values()),
        accepted_steps=sum(run.accepted for run in runs.values()),
        columns={name: _spread(runs, name, study.beyond.get(name)) for name in study.columns},
        against_first=against,
    )


def _spread(runs: Runs, column: str, threshold: float | None) -> Spread:
    values = list(_numbers(runs, column).values())
    share = None if threshold is None else _share(runs, column, threshold)
    if not values:
        return Spread(0, math.nan, (math.nan, math.nan), (math.nan, math.nan), share)
    middle, interval = statistics.median(values), statistics.median_interval(values)
    return Spread(len(values), middle, interval, (quantile(values, 0.25), quantile(values, 0.75)), share)


def _numbers(runs: Runs, column: str) -> dict[int, float]:
    """By seed, of the runs that have one."""
    found = {seed: run.values.get(column, math.nan) for seed, run in runs.items()}
    return {seed: value for seed, value in found.items() if not math.isnan(value)}


def _share(runs: Runs, column: str, threshold: float) -> Share:
    count, total = len(_seeds_beyond(runs, column, threshold)), len(runs)
    failed, share = sum(run.failed for run in runs.values()), count / total if total else math.nan
    return Share(threshold, count, total, failed, share, statistics.share_interval(count, total))


def _seeds_beyond(runs: Runs, column: str, threshold: float) -> set[int]:
    return {seed for seed, value in _numbers(runs, column).items() if value > threshold}


def _compared(first: Runs, runs: Runs, column: str, threshold: float | None) -> Comparison:
    before, after = _numbers(first, column), _numbers(runs, column)
    seeds = sorted(before.keys() & after.keys())
    share = None if threshold is None else _compared_shares(first, runs, column, threshold)
    if not seeds:
        return Comparison(0, math.nan, (math.nan, math.nan), math.nan, share)
    found = statistics.paired_difference([before[seed] for seed in seeds], [after[seed] for seed in seeds])
    return Comparison(len(seeds), found.median, found.interval, found.p_value, share)


def _compared_shares(first: Runs, runs: Runs, column: str, threshold: float) -> ShareComparison | None:
    common = first.keys() & runs.keys()
    if not common:
        return None
    before, after = (_seeds_beyond(group, column, threshold) & common for group in (first, runs))
    counts = PairedCounts(
        both=len(before & after),
        first_only=len(before - after),
        second_only=len(after - before),
        neither=len(common - before - after),
    )
    difference = (len(after) - len(before)) / len(common)
    interval, p_value = statistics.paired_share_interval(counts), statistics.mcnemar_p(counts)
    return ShareComparison(difference, interval, p_value)
