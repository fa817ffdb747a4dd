"""Statistics of studies: closed forms, SciPy where it is installed, and how often intervals hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pushpoint.studies.statistics import (
    PairedCounts,
    mcnemar_p,
    median,
    median_interval,
    paired_difference,
    paired_share_interval,
    quantile,
    share_interval,
    sign_test_p,
)

DRAWS = 2000  # samples of a coverage test
NOISE = 4 * math.sqrt(0.95 * 0.05 / DRAWS)  # four standard errors of a coverage of 95 %: 0.019


def test_quantiles_are_values_of_the_sample_or_means_of_two() -> None:
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert median([4.0, 1.0, 2.0, 3.0]) == 2.5
    assert median([1.0, math.inf, math.inf]) == math.inf
    assert quantile([1.0, 2.0, 3.0, 4.0], 0.25) == 1.5
    assert (quantile([7.0], 0.25), quantile([7.0], 0.75)) == (7.0, 7.0)
    values = np.random.default_rng(1).normal(size=31)
    expected = np.quantile(values, [0.25, 0.5, 0.75], method="averaged_inverted_cdf")
    assert [quantile(list(values), q) for q in (0.25, 0.5, 0.75)] == pytest.approx(expected)


@pytest.mark.parametrize(("count", "rank"), [(6, 1), (10, 2), (20, 6), (100, 40)])
def test_median_interval_has_the_tabulated_ranks(count: int, rank: int) -> None:
    """Ranks for 95 % of Conover 1999, table A3."""
    values = [float(k) for k in range(1, count + 1)]
    assert median_interval(values[::-1]) == (rank, count + 1 - rank)


def test_too_few_values_have_no_interval() -> None:
    assert median_interval([1.0] * 5) == (-math.inf, math.inf)
    assert median_interval([1.0] * 5, confidence=0.9) == (1.0, 1.0)


def test_median_interval_is_that_of_the_binomial_distribution() -> None:
    stats = pytest.importorskip("scipy.stats")
    for count in (7, 50, 333, 499, 501, 2000, 10_001, 200_000):
        low, high = median_interval([float(k) for k in range(count)])
        assert stats.binom.cdf(low, count, 0.5) <= 0.025 < stats.binom.cdf(low + 1, count, 0.5)
        assert high == count - 1 - low


def test_median_interval_covers() -> None:
    rng, truth = np.random.default_rng(2), math.log(2.0)  # of the exponential distribution: far from symmetric
    held = [
        low <= truth <= high for low, high in (median_interval(list(rng.exponential(size=20))) for _ in range(DRAWS))
    ]
    assert np.mean(held) == pytest.approx(0.9586, abs=NOISE)  # 1 - 2 P(Binomial(20, 1/2) <= 5)


def test_wilson_closed_forms_and_scipy() -> None:
    z2 = 1.959963984540054**2
    assert share_interval(0, 10) == pytest.approx((0.0, z2 / (10 + z2)), abs=1e-12)
    assert share_interval(10, 10) == pytest.approx((10 / (10 + z2), 1.0), abs=1e-12)
    assert share_interval(0, 0) == (0.0, 1.0)
    stats = pytest.importorskip("scipy.stats")
    for count, total in ((1, 7), (45, 100), (99, 100)):
        wilson = stats.binomtest(count, total).proportion_ci(method="wilson")
        assert share_interval(count, total) == pytest.approx((wilson.low, wilson.high), abs=1e-12)


def test_paired_shares_as_printed() -> None:
    """Newcombe 1998, table II, (36, 12, 2, 0), first - second: 0.0569 to 0.3404 by method 10."""
    assert paired_share_interval(PairedCounts(36, 2, 12, 0)) == pytest.approx((0.0569, 0.3404), abs=5e-5)
    low, high = paired_share_interval(PairedCounts(36, 12, 2, 0))
    assert (-high, -low) == pytest.approx((0.0569, 0.3404), abs=5e-5)
    assert paired_share_interval(PairedCounts(0, 0, 0, 0)) == (-1.0, 1.0)


def test_paired_share_interval_covers() -> None:
    rng, chances = np.random.default_rng(3), (0.4, 0.1, 0.25, 0.25)
    truth = chances[2] - chances[1]
    intervals = [paired_share_interval(PairedCounts(*map(int, n))) for n in rng.multinomial(40, chances, size=DRAWS)]
    coverage = np.mean([low <= truth <= high for low, high in intervals])
    assert 0.95 - NOISE <= coverage <= 0.98  # the method is a little conservative; measured 0.958


def test_exact_tests() -> None:
    assert mcnemar_p(PairedCounts(5, 0, 6, 9)) == 2 / 2**6
    assert mcnemar_p(PairedCounts(5, 3, 3, 9)) == 1.0
    assert sign_test_p(0, 0) == 1.0
    stats = pytest.importorskip("scipy.stats")
    for fewer, more in ((1, 9), (12, 4), (0, 20), (400, 480), (4900, 5100), (99_000, 100_500)):
        assert sign_test_p(fewer, more) == pytest.approx(stats.binomtest(fewer, fewer + more).pvalue, rel=1e-9)


def test_paired_difference() -> None:
    first = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, math.inf]
    second = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, math.inf]
    found = paired_difference(first, second)
    assert found.median == 0.5
    assert found.interval == (0.0, 0.5)  # seven pairs: smallest and largest difference
    assert found.p_value == 2 / 2**6  # the pair that never arrives is a tie


def test_sign_test_keeps_its_level() -> None:
    rng = np.random.default_rng(4)
    samples = rng.exponential(size=(DRAWS, 2, 15))
    rejected = np.mean([paired_difference(list(a), list(b)).p_value <= 0.05 for a, b in samples])
    assert rejected <= 0.05  # exact: 0.035
