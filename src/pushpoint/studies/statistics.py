"""What a sample says about all runs that could have been made: estimates with confidence intervals, exact tests.

None assumes a distribution of the values. Values may be infinite (a line that is never reached), but not NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

EXACT = 500  # tosses of a coin, whose cases are counted as whole numbers
CONFIDENCE = 0.95

Interval = tuple[float, float]


class PairedCounts(NamedTuple):
    """How often a property holds in pairs of runs: a two by two table."""

    both: int
    first_only: int
    second_only: int
    neither: int


class PairedDifference(NamedTuple):
    """Median of the differences second - first, its interval, and the sign test's p."""

    median: float
    interval: Interval
    p_value: float


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the sample lies; the mean of two where it falls between them.

    Definition 2 of R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, The American
    Statistician 50 (1996): it takes no part of an infinite step.
    """
    ordered, place = sorted(values), share * len(values)
    if place != int(place):
        return ordered[math.ceil(place) - 1]
    low, high = ordered[max(int(place) - 1, 0)], ordered[min(int(place), len(ordered) - 1)]
    return low if low == high else (low + high) / 2


def median(values: Sequence[float]) -> float:
    return quantile(values, 0.5)


def median_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Distribution-free interval of the median: two order statistics.

    The number of values below the median is binomial with probability 1/2, so the k-th smallest and the k-th
    largest value enclose it with at least the wanted confidence; the largest such k is taken. Fewer than six
    values have none for 95 %: the interval is then infinite. H. A. David and H. N. Nagaraja, Order Statistics,
    3rd ed., Wiley 2003, section 7.1.
    """
    ordered, outside = sorted(values), _outermost(len(values), confidence)
    if outside == 0:
        return -math.inf, math.inf
    return ordered[outside - 1], ordered[-outside]


@lru_cache(maxsize=64)
def _outermost(count: int, confidence: float) -> int:
    """The largest k with P(Binomial(count, 1/2) < k) <= (1 - confidence) / 2."""
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(count) / 2
    k = max(0, min(count // 2, round(count / 2 - reach)))  # near it; exactly below
    while k > 0 and _at_most(k - 1, count) > (1 - confidence) / 2:
        k -= 1
    while 2 * k < count and _at_most(k, count) <= (1 - confidence) / 2:
        k += 1
    return k


def _at_most(heads: int, tosses: int) -> float:
    """P(Binomial(tosses, 1/2) <= heads), for at most half of the tosses: a sum that is exact, or to 1e-9 of itself."""
    if tosses <= EXACT:
        return float(sum(math.comb(tosses, k) for k in range(heads + 1)) / 2**tosses)
    term = math.exp(
        math.lgamma(tosses + 1) - math.lgamma(heads + 1) - math.lgamma(tosses - heads + 1) - tosses * math.log(2.0)
    )
    total, k = 0.0, heads
    while k >= 0 and term > 1e-17 * total:
        total += term
        term *= k / (tosses - k + 1)
        k -= 1
    return total


def share_interval(count: int, total: int, confidence: float = CONFIDENCE) -> Interval:
    """Score interval of a probability after `count` of `total` trials.

    E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal of the American
    Statistical Association 22 (1927).
    """
    if total == 0:
        return 0.0, 1.0
    z, share = NormalDist().inv_cdf((1 + confidence) / 2), count / total
    middle = share + z**2 / (2 * total)
    reach = z * math.sqrt(share * (1 - share) / total + (z / (2 * total)) ** 2)
    scale = 1 + z**2 / total
    low = 0.0 if count == 0 else (middle - reach) / scale  # exact there, but for round-off
    high = 1.0 if count == total else (middle + reach) / scale
    return low, high


def paired_share_interval(counts: PairedCounts, confidence: float = CONFIDENCE) -> Interval:
    """Interval of the difference of two shares in paired runs, second - first.

    Method 10 (square-and-add Wilson limits with a continuity-corrected correlation) of R. G. Newcombe, Improved
    confidence intervals for the difference between binomial proportions based on paired data, Statistics in
    Medicine 17 (1998).
    """
    total = sum(counts)
    if total == 0:
        return -1.0, 1.0
    first, second = counts.both + counts.first_only, counts.both + counts.second_only
    difference, correlation = (second - first) / total, _correlation(counts)
    low1, high1 = (abs(limit - first / total) for limit in share_interval(first, total, confidence))
    low2, high2 = (abs(limit - second / total) for limit in share_interval(second, total, confidence))
    down = math.sqrt(max(0.0, low2**2 - 2 * correlation * low2 * high1 + high1**2))
    up = math.sqrt(max(0.0, high2**2 - 2 * correlation * high2 * low1 + low1**2))
    return difference - down, difference + up


def _correlation(counts: PairedCounts) -> float:
    """Newcombe's phi: a positive association is reduced by half the number of pairs, at most to none."""
    a, b, c, d = counts
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    association = float(a * d - b * c)
    if association > 0:
        association = max(0.0, association - sum(counts) / 2)
    return association / math.sqrt(margins)


def mcnemar_p(counts: PairedCounts) -> float:
    """Exact two-sided test that two shares in paired runs are equal: only pairs that differ matter.

    Q. McNemar, Note on the sampling error of the difference between correlated proportions or percentages,
    Psychometrika 12 (1947), with the binomial distribution in place of chi-squared.
    """
    return sign_test_p(counts.first_only, counts.second_only)


def sign_test_p(fewer: int, more: int) -> float:
    """Exact two-sided test that two outcomes are equally likely; ties are left out by the caller.

    W. J. Dixon and A. M. Mood, The statistical sign test, Journal of the American Statistical Association 41
    (1946).
    """
    return min(1.0, 2.0 * _at_most(min(fewer, more), fewer + more))


def paired_difference(
    first: Sequence[float], second: Sequence[float], confidence: float = CONFIDENCE
) -> PairedDifference:
    """Median of the differences of paired runs, with the interval that belongs to the sign test.

    The differences are a sample like any other, so `median_interval` holds for their median. Unlike Wilcoxon's
    signed ranks this needs no symmetric distribution, which runs that get stuck do not have; it is wider where
    there is one. W. J. Conover, Practical Nonparametric Statistics, 3rd ed., Wiley 1999, sections 3.4 and 5.7.
    """
    # Two runs that both never get there (infinity) do not differ.
    differences = [0.0 if a == b else b - a for a, b in zip(first, second, strict=True)]
    below, above = sum(d < 0 for d in differences), sum(d > 0 for d in differences)
    return PairedDifference(median(differences), median_interval(differences, confidence), sign_test_p(below, above))


def placed_in_range(value: float, low: float | None, high: float | None) -> float:
    """Where on a line from 0 to 1 a value is drawn if `low` is at 1/4 and `high` at 3/4; None: that side is open."""
    if low is not None and high is not None:
        share = 0.25 + 0.5 * (value - low) / max(high - low, 1e-12)
    elif low is not None:
        share = 0.25 + 0.25 * (value - low) / max(abs(low), abs(value), 1e-12)
    elif high is not None:
        share = 0.75 - 0.25 * (high - value) / max(abs(high), abs(value), 1e-12)
    else:
        share = 0.5
    return min(max(share, 0.02), 0.9) if math.isfinite(share) else 0.9
