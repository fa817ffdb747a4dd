"""A handful of random fields: paths are planned, and robots arrive. Shares over many are in push_path_figures.py."""

from __future__ import annotations

import pytest

from tests.validation.push_path_figures import MOST_LACKING, ROWS, outcome

pytest.importorskip("daqp")
pytest.importorskip("scipy")

pytestmark = pytest.mark.slow
MOST_CPU = 8.0  # [s] for a field: 3.3 to 5.3 were measured


@pytest.mark.parametrize(("row", "seeds", "planned", "least"), [
    ("dense", range(1100, 1106), 6, 6),  # 50 of 50 and 50 of 50 of seeds 1100 to 1149
    ("sparse", range(1100, 1104), 1, 2),
    ("wide", range(1100, 1103), 2, 2),
    ("map-2mm", range(1100, 1103), 2, 2),
])  # fmt: skip
def test_robots_arrive_on_planned_paths(row: str, seeds: range, planned: int, least: int) -> None:
    found = [outcome(seed, ROWS[row]) for seed in seeds]
    assert sum(one.lacking <= MOST_LACKING for one in found) >= planned
    assert sum(any(one.arrived) for one in found) >= least
    assert sum(one.cpu for one in found[1:]) / len(found[1:]) < MOST_CPU  # the first one may compile
