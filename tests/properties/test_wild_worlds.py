"""Runs in wild worlds: solved, sane, and nothing passes through anything."""

from __future__ import annotations

import pytest

from tests.properties.wild import judged, scenario

# Of the plant with its defaults; these bounds are what users are promised.
TOLERANCE = 1e-8
MOST_NUMERICAL = 0.01  # of what happens in the run
FEW, FEW_SWEPT = range(16), range(100, 103)
CROSSED = (3136, 3252)  # starts that cross themselves; crossings got locked between contacts
MANY, MANY_SWEPT = range(1000, 2000), range(2000, 2060)
MOST_STOPPED = 3  # of a thousand: rough contacts for which no solution was found at any length of the step


def check(seed: int, every_step: bool = False) -> bool:
    """Whether a run ends; whether it does or not, what is recorded of it holds."""
    verdict = judged(scenario(seed), every_step)
    assert verdict.numerical <= MOST_NUMERICAL, (seed, verdict)
    assert verdict.positive <= TOLERANCE, (seed, verdict)
    assert verdict.depth <= 1.0, (seed, verdict)
    assert not verdict.passed, (seed, verdict)
    if not verdict.failure:
        assert verdict.residual <= 1e-6, (seed, verdict)  # 1e-8, but for the few that `loose_steps` counts
    return not verdict.failure


@pytest.mark.parametrize("seed", [*FEW, *CROSSED])
def test_wild_worlds_run_through(seed: int) -> None:
    assert check(seed)


@pytest.mark.parametrize("seed", FEW_SWEPT)
def test_nothing_passes_through_obstacles(seed: int) -> None:
    assert check(seed, every_step=True)


@pytest.mark.slow
def test_a_thousand_wild_worlds() -> None:
    stopped = [seed for seed in MANY if not check(seed)]
    assert len(stopped) <= MOST_STOPPED, stopped


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY_SWEPT)
def test_nothing_passes_through_obstacles_in_many_worlds(seed: int) -> None:
    assert check(seed, every_step=True)
