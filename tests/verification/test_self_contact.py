"""Links of a planar robot that touch each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.analysis.remarks import remarks
from pushpoint.mechanics.self_contact import SelfClearance, segment_distances
from pushpoint.recording.recording import Recording
from pushpoint.scenario import Scenario

DEEP = 1e-4  # [m]: links land on each other, as on obstacles
MOST = {1e-3: DEEP, 5e-3: 2.8e-3}  # [m], by step size; for long steps the depth from which on they are repeated


def curling(self_contact: Any = "auto", dt: float = 1e-3, **changes: Any) -> Recording:
    """A robot whose servos bend it until its ends would cross."""
    robot = {"links": 16, "length": 0.1, "mass": 0.3, "radius": 0.03, "stiffness": 20.0, "damping": 1.0}
    gait = {"amplitude": 0.9, "frequency": 2.0, "phase_shift": 0.15}
    scenario = Scenario.parse({
        "name": "lab/curling",
        "robot": {"name": "uniform", "options": robot},
        "world": {"name": "plane", "ground": {"friction": 0.2}, "obstacles": []},
        "plant": {"name": "planar_stepping", "options": {"dt": dt, "self_contact": self_contact}},
        "controller": {"name": "serpenoid", "options": gait},
        "start": {"joint_angle": [0.0] * 15},
        "duration": 2.0,
        "control_period": 0.01,
    })  # fmt: skip
    return pp.simulate(scenario.with_overrides(changes))


def least_gap(recording: Recording) -> float:
    clearance, data = SelfClearance.of(recording.scenario.built_robot()), recording.data
    rows = zip(data["link_position"].values, data["link_angle"].values, strict=True)
    return min(clearance.nearest(position, angle, 1.0) for position, angle in rows)


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_links_do_not_pass_through_each_other(dt: float) -> None:
    through, touching = curling(False, dt), curling("auto", dt)
    assert least_gap(through) == pytest.approx(-0.06)  # crossing: both half widths
    assert least_gap(touching) > -MOST[dt]
    assert (touching.contacts["obstacle"].values < -1).any()
    assert touching.data["step_residual"].max() <= 1e-8


def test_looking_only_when_links_are_near_changes_nothing() -> None:
    auto, always = curling("auto"), curling(True)
    np.testing.assert_allclose(auto.data["link_position"], always.data["link_position"], atol=1e-7)


def test_contacts_between_links_name_both_and_balance() -> None:
    every_step = {"control_period": 1e-3, "record_period": 1e-3}  # within a row normals turn with the links
    table = curling(**every_step).contacts
    own = table.isel(contact=table["obstacle"].values < -1)
    other = -2 - own["obstacle"].values
    assert (np.abs(other - own["link"].values) >= 2).all()
    assert (own["normal_force"] >= 0.0).all()
    assert (np.abs(own["tangential_force"]) <= 1e-9 * own["normal_force"].max()).all()
    recording = curling()  # no obstacles: what links do to each other sums up to nothing
    total = recording.data["contact_force"].sum("link").values
    assert np.abs(total).max() <= 1e-9 * np.abs(recording.data["contact_force"].values).max()


def test_limp_links_that_meet_keep_momentum_and_make_no_energy() -> None:
    """A folded chain in flight whose halves swing into each other."""
    bend = [0.0] * 5 + [1.5, 1.5] + [0.0] * 5
    swing = [0.0] * 5 + [3.0, 3.0] + [0.0] * 5
    limp = {"links": 13, "length": 0.1, "mass": 0.3, "radius": 0.02, "stiffness": 0.0, "damping": 0.0}
    scenario = Scenario.parse({
        "name": "lab/folding",
        "robot": {"name": "uniform", "options": limp},
        "world": {"name": "plane", "ground": {"friction": 0.0}, "obstacles": []},
        "controller": "hold",
        "start": {"joint_angle": bend, "joint_rate": swing},
        "duration": 0.5,
        "control_period": 0.01,
    })  # fmt: skip
    recording = pp.simulate(scenario)
    assert (recording.contacts["obstacle"].values < -1).any()
    assert least_gap(recording) > -DEEP
    momentum = recording.data["link_velocity"].sum("link").values
    np.testing.assert_allclose(momentum, momentum[:1] * np.ones_like(momentum), atol=1e-9)
    energy = recording.data["kinetic_energy"].values
    assert energy.max() <= energy[0] * (1 + 1e-4)  # no guard in flight: the error of the scheme


def test_links_that_cross_at_the_start_part_in_peace() -> None:
    """Nobody can say on which side they belong: they are let through, and nothing explodes."""
    crossing = curling("auto", **{"start.joint_angle": [0.6] * 15})
    assert least_gap(pp.simulate(crossing.scenario, duration=0.01)) < 0.0
    assert np.abs(crossing.data["link_velocity"].values).max() < 20.0
    assert crossing.metrics()["energy_closure_error"] < 1e-9
    assert any("links overlap, among them links 0 and " in remark for remark in remarks(crossing))
    assert not any("overlap" in remark for remark in remarks(curling("auto", duration=0.1)))


@pytest.mark.parametrize("name", ["transeth2008a/track", "transeth2008a/flat"])
def test_published_gaits_never_search(name: str) -> None:
    with_it, without = (pp.simulate(name, {"plant.self_contact": how}, duration=3.0) for how in ("auto", False))
    np.testing.assert_array_equal(with_it.data["link_position"], without.data["link_position"])


def test_distances_of_segments() -> None:
    """Side by side, end to side, crossing, and in line."""
    centre, arm = np.zeros((4, 2)), np.array([[1.0, 0.0]] * 4)
    other = np.array([[0.5, 0.3], [0.0, 1.5], [0.2, 0.1], [3.0, 0.0]])
    other_arm = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_allclose(segment_distances(centre, arm, other, other_arm), [0.3, 0.5, 0.0, 1.0])


def test_a_run_goes_on_from_links_that_touch() -> None:
    whole = curling(duration=1.0)
    pressed = whole.contacts["time"].values[whole.contacts["obstacle"].values < -1]
    stop = float(pressed[len(pressed) // 2])
    resumed = pp.resume(curling(duration=stop).checkpoint(), duration=1.0)
    np.testing.assert_array_equal(resumed.data["link_position"][-1], whole.data["link_position"][-1])
