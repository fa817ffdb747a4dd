"""A handful of random fields: paths are planned, and robots arrive. Shares over many are in push_path_figures.py."""

from __future__ import annotations

import pytest

from tests.validation.push_path_figures import MOST_LACKING, ROWS, outcome

pytest.importorskip("daqp")
pytest.importorskip("scipy")

pytestmark = pytest.mark.slow
MOST_CPU = 5.0  # [s] for a field, in the mean: 2.4 to 2.7 were measured, 4.5 at most


@pytest.mark.parametrize(("row", "seeds", "planned", "least"), [
    ("dense", range(1100, 1106), 5, 5),  # of seeds 1300 to 1359: 59 of 60 planned, 60 arrived
    ("sparse", range(1100, 1104), 1, 2),
    ("wide", range(1100, 1103), 2, 2),
    ("map-2mm", range(1100, 1103), 2, 2),
])  # fmt: skip
def test_robots_arrive_on_planned_paths(row: str, seeds: range, planned: int, least: int) -> None:
    found = [outcome(seed, ROWS[row]) for seed in seeds]
    assert sum(one.lacking <= MOST_LACKING for one in found) >= planned
    assert sum(any(one.arrived) for one in found) >= least
    assert sum(one.cpu for one in found[1:]) / len(found[1:]) < MOST_CPU  # the first one may compile


def test_robots_come_onto_a_path_from_where_they_lie() -> None:
    """Planned again where they get stuck: of 60 fields from 1300 on 53 arrived."""
    found = [outcome(seed, ROWS["given-start"]) for seed in range(1100, 1106)]
    assert sum(any(one.arrived) for one in found) >= 4
