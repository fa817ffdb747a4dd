"""Links that cross each other: which, when, and what a run says of it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.analysis.remarks import on_crossings
from pushpoint.mechanics import crossings as module
from pushpoint.mechanics.crossings import crossings
from pushpoint.mechanics.pose import planar_pose
from pushpoint.robots import Link, Robot
from pushpoint.scenario import Scenario


def robot(links: int) -> Robot:
    return Robot(name="thin", links=(Link(length=0.2, mass=1.0, inertia=0.004, radius=0.0),) * links)


def crossed(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> bool:
    """Whether a-b and c-d have a common point, by solving for it."""
    matrix = np.column_stack([b - a, c - d])
    if abs(np.linalg.det(matrix)) < 1e-14:
        return False
    s, t = np.linalg.solve(matrix, c - a)
    return bool(0 < s < 1 and 0 < t < 1)


def test_crossings_are_those_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAIRS", 100)  # several parts
    random = np.random.default_rng(8)
    chain, seen = robot(12), 0
    poses = [planar_pose(chain, random.uniform(-2, 2, 11), random.uniform(-3, 3), (0.0, 0.0)) for _ in range(50)]
    position, angle = np.array([pose.position for pose in poses]), np.array([pose.angle for pose in poses])
    row, pair = crossings(chain, position, angle)
    assert np.all(np.diff(row) >= 0)
    for k in range(len(poses)):
        along = 0.1 * np.stack([np.cos(angle[k]), np.sin(angle[k])], axis=1)
        ends = list(zip(position[k] - along, position[k] + along, strict=True))
        expected = [
            [i, j] for i, j in itertools.combinations(range(12), 2) if j > i + 1 and crossed(*ends[i], *ends[j])
        ]
        assert pair[row == k].tolist() == expected
        seen += len(expected)
    assert seen > 20


def test_few_links_cannot_cross() -> None:
    for links in (1, 2):
        row, pair = crossings(robot(links), np.zeros((3, links, 2)), np.zeros((3, links)))
        assert (row.shape, pair.shape) == ((0,), (0, 2))


def folding(duration: float) -> Scenario:
    """Four limp links in free flight whose end links swing through each other and out again."""
    return Scenario.parse(
        {
            "name": "folding",
            "robot": robot(4),
            "world": {"name": "empty", "ground": {"friction": 0.0}},
            "plant": {"name": "planar_hybrid"},
            "controller": {"name": "hold"},
            "start": {"joint_angle": [1.5, 1.5, 1.5], "joint_rate": [3.0, 0.0, 3.0]},
            "duration": duration,
            "control_period": 0.01,
        }
    )


def test_a_run_reports_when_links_cross_and_when_no_more() -> None:
    run = pp.simulate(folding(1.5))
    count = run.data["links_crossing"].values
    names, times = run.events["name"].values, run.events["time"].values
    assert count.max() >= 1
    assert np.sum(names == "links-cross") - np.sum(names == "links-cross-ended") == count[-1]
    begin = times[names == "links-cross"][0]
    assert begin == run.data["time"].values[np.flatnonzero(count)[0]]
    assert str(run.events["detail"].values[names == "links-cross"][0]).startswith("links 0 and ")
    # One event per begin and end: as many as the sum of the changes, where one pair changes at a time.
    assert len(names) == np.abs(np.diff(count)).sum()
    assert "links cross each other" in on_crossings(run)


def test_a_run_that_is_continued_does_not_report_them_again() -> None:
    whole = pp.simulate(folding(1.5))
    first = whole.data["time"].values[np.flatnonzero(whole.data["links_crossing"].values)[0]]
    part = pp.simulate(folding(round(float(first) + 0.02, 2)))
    rest = pp.resume(part.checkpoint(), 1.5)
    together = [*part.events["time"].values, *rest.events["time"].values]
    assert together == whole.events["time"].values.tolist()
    assert rest.data["links_crossing"].values[0] == part.data["links_crossing"].values[-1] > 0


def test_a_start_with_crossed_links_is_reported_at_once() -> None:
    crossed_start = folding(0.02).with_overrides({"start.joint_angle": [2.2, 2.2, 0.0], "start.joint_rate": [0.0] * 3})
    run = pp.simulate(crossed_start)
    assert run.events["time"].values.tolist() == [0.0]
    assert run.data["links_crossing"].values.tolist() == [1.0, 1.0, 1.0]
