"""Runs of our own; their laws and claims are checked with all others in test_claims.py."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.reproduction import claims
from pushpoint.scenarios import scenarios

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LAB = [name for name in scenarios if name.startswith("lab/")]
GAIT_PERIOD = 4.5  # [s]


@pytest.mark.parametrize("name", LAB)
def test_every_lab_run_has_a_claim(name: str) -> None:
    assert any(name in claims[key].scenarios for key in claims)


@pytest.mark.parametrize("name", [name for name in LAB if "gray" not in name])
def test_lab_runs_say_that_they_are_ours(name: str) -> None:
    assert scenarios[name].source.startswith("ours, not published")


def test_straight_smooth_walls_push_across_only() -> None:
    force = pp.simulate("lab/corridor-straight", duration=GAIT_PERIOD).data["contact_force"].values
    assert np.abs(force[..., 1]).max() > 1.0
    assert np.all(force[..., 0] == 0.0)


def test_undulation_moves_no_link_tail_first() -> None:
    data = pp.simulate("lab/asymmetric-skin", duration=GAIT_PERIOD).data
    angle, velocity = data["link_angle"].values, data["link_velocity"].values
    along = velocity[..., 0] * np.cos(angle) + velocity[..., 1] * np.sin(angle)
    assert along.min() >= -1e-9  # measured: 0


def test_loose_pipes_obey_newton_and_the_friction_of_the_ground() -> None:
    """Newton's law of each pipe: the impulses of links and ground are its change of momentum."""
    recording = pp.simulate("lab/movable-pegs", duration=2.0)
    data, contacts = recording.data, recording.contacts
    mass, time = 5.0, data["time"].values
    on_pipe = data["obstacle_ground_force"].values.copy()
    row = np.searchsorted(time, contacts["time"].values - 1e-9)
    np.subtract.at(on_pipe, (row, contacts["obstacle"].values), contacts["force"].values)
    gained = mass * np.diff(data["obstacle_velocity"].values, axis=0)
    impulse = on_pipe[1:] * np.diff(time)[:, np.newaxis, np.newaxis]
    assert np.abs(impulse - gained).max() < 1e-6  # [N s]; measured 1.2e-8 of up to 0.29
    assert np.linalg.norm(data["obstacle_ground_force"].values, axis=2).max() <= 0.2 * mass * 9.81 * (1 + 1e-6)


def test_passive_joints_follow_spring_and_damper() -> None:
    """Between rows of smooth motion the recorded torque is that of spring and damper."""
    data = pp.simulate("lab/passive-tail", duration=2.0).data
    tail = data.sel(joint=[0, 1, 2])
    middle = tail["joint_angle"].rolling(time=2).mean(), tail["joint_rate"].rolling(time=2).mean()
    expected = -1.0 * middle[0].values[1:] - 0.1 * middle[1].values[1:]
    error = np.abs(tail["joint_torque"].values[1:] - expected)
    assert np.median(error) < 2e-3  # [N m]; measured 5e-4 of up to 0.79; up to 0.05 in rows with impacts
    assert np.abs(data["joint_angle"].sel(joint=0).values).max() > 0.05


@pytest.mark.parametrize("example", ["other_surroundings.py"])
def test_example_runs_and_prints_what_the_page_shows(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / example), run_name="__main__")
    page = (EXAMPLES.parent / "docs" / "howto" / "other-surroundings.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out.strip() in page


def test_zigzag_walls_are_equally_wide_everywhere_and_wind() -> None:
    world = pp.Scenario.parse({"name": "lab/x", "robot": "aiko", "world": "zigzag", "controller": "hold"}).built_world()
    left, right = (np.array(wall.points) for wall in world.obstacles)  # type: ignore[union-attr]  # all of them have points
    np.testing.assert_allclose(left - right, [[0.0, 0.24]] * len(left), atol=1e-12)
    assert np.ptp(left[:, 1]) == pytest.approx(0.2)
    assert left[-1, 0] - left[0, 0] >= 4.0


def test_polygons_have_an_edge_where_the_pipe_pushes() -> None:
    from pushpoint.worlds.track import CENTRES, RADIUS, SET_BACK, mean_normal, track_polygons

    for number, (obstacle, (x, y)) in enumerate(zip(track_polygons().obstacles, CENTRES, strict=True)):
        points = np.array(obstacle.points)  # type: ignore[union-attr]  # all of them have points
        normal = np.array([math.cos(mean_normal(number)), math.sin(mean_normal(number))])
        reach = (points - (x, y)) @ normal
        assert np.sort(reach)[-2:] == pytest.approx(RADIUS - SET_BACK)
