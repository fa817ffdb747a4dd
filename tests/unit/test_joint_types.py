"""A new type of joint is a line of robots.JOINT_TYPES: docs/howto/add-a-joint-type.md."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidInput
from pushpoint.geometry.rotation import about_axis, matrices
from pushpoint.mechanics.spatial_pose import Attitude, spatial_pose
from pushpoint.robots import AXES, JOINT_TYPES, Joint
from pushpoint.scenario import Scenario
from pushpoint.shapes.virtual_snake import virtual_snake

LINK = {"length": 0.15, "mass": 0.5, "inertia": 1e-3, "inertia_roll": 8e-4, "radius": 0.04}
TYPES = ("roll", "yaw", "roll-yaw", "pitch-roll", "pitch")
AIM = (0.4, -0.3, 0.5, 0.6, -0.2, -0.5, 0.3)  # [rad]
MUJOCO = pytest.param("mujoco", marks=pytest.mark.skipif(find_spec("mujoco") is None, reason="an extra"))


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, words in (("roll", "roll axes"), ("roll-yaw", "twist and turn"), ("pitch-roll", "bend and twist")):
        monkeypatch.setitem(JOINT_TYPES, name, words)


def robot() -> pp.Robot:
    joints = [{"axes": axes} for axes in TYPES]
    servo = {"stiffness": 20.0, "damping": 0.3}
    return pp.Robot.parse({"name": "twisting", "links": [LINK] * 6, "joints": joints, "servo": servo})


def twisted(plant: Any) -> pp.Recording:
    """It goes to some angles of all its joints, free in space."""
    scenario = {
        "name": "lab/twist",
        "robot": robot().model_dump(),
        "world": {"name": "nowhere", "gravity": 0.0},
        "plant": plant,
        "controller": {"name": "hold", "options": {"joint_angle": AIM}},
        "start": {"height": 1.0},
        "duration": 1.0,
    }
    return pp.simulate(Scenario.parse(scenario))


def test_it_is_a_robot_like_others() -> None:
    made = robot()
    assert [axis for _, axis in made.freedoms] == ["roll", "yaw", "roll", "yaw", "pitch", "roll", "pitch"]
    assert made.places == ((0, 0), (1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (4, 0))
    pose = spatial_pose(made, np.array(AIM), Attitude(), (0.0, 0.0, 0.0), link=0)
    rotation = matrices(pose.orientation)
    for (j, axis), angle in list(zip(made.freedoms, AIM, strict=True))[:2]:
        turn = about_axis(np.eye(3)[AXES[axis].column], angle)
        assert rotation[j + 1] == pytest.approx(rotation[j] @ turn, abs=1e-12)


@pytest.mark.parametrize("plant", ["spatial_stepping", MUJOCO])
def test_plants_in_space_simulate_it(plant: str) -> None:
    """Servos bring the joints to their references; the recording reads the angles off the links."""
    run = twisted(plant)
    angle = run.data["joint_angle"].values
    assert list(run.data["joint_axis"].values[:3]) == ["roll", "yaw", "roll"]
    assert np.abs(angle[-1] - AIM).max() < 0.05
    pose = spatial_pose(robot(), angle[-1], Attitude(), (0.0, 0.0, 0.0), link=0)
    found = matrices(run.data["link_orientation"].values[-1])
    between = np.swapaxes(found[:-1], -1, -2) @ found[1:]
    wanted = matrices(pose.orientation)
    assert between == pytest.approx(np.swapaxes(wanted[:-1], -1, -2) @ wanted[1:], abs=1e-9)
    step = run.data["time"].values[1] - run.data["time"].values[0]
    assert run.data["joint_rate"].values[1:-1] == pytest.approx((angle[2:] - angle[:-2]) / (2 * step), abs=0.05)


@pytest.mark.skipif(find_spec("mujoco") is None, reason="an extra")
def test_plants_agree() -> None:
    ours, theirs = (twisted({"name": plant, "options": {"dt": 5e-4}}) for plant in ("spatial_stepping", "mujoco"))
    away = np.linalg.norm(ours.data["link_position"].values - theirs.data["link_position"].values, axis=-1)
    assert away.max() < 2e-3


def test_others_refuse_it_by_name() -> None:
    with pytest.raises(InvalidInput, match=r"is planar: robot\.joints\.0\.axes = 'roll'; use plant"):
        twisted("planar_stepping")
    with pytest.raises(InvalidInput, match=r"'paper' supports .*robot\.joints\.0\.axes = 'roll'"):
        twisted({"name": "spatial_stepping", "options": {"scheme": "paper"}})
    with pytest.raises(InvalidInput, match=r"shape curves need .* yaw and pitch axes; the robot has a roll axis"):
        virtual_snake(robot())


def test_types_that_nobody_listed_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(JOINT_TYPES, "roll")
    with pytest.raises(InvalidInput, match=r"Joint\.axes = 'roll': should be one of 'yaw', 'pitch', 'yaw-pitch'"):
        Joint(axes="roll")


def test_names_of_axes_are_in_one_table() -> None:
    """Elsewhere a plant asks the table; controllers, servos and shape curves are about yaw and pitch by themselves."""
    root = Path(pp.__file__).parent
    found = [
        path.relative_to(root).as_posix()
        for part in ("mechanics", "geometry", "recording", "plants/spatial_stepping", "plants/mujoco")
        for path in (root / part).rglob("*.py")
        if 'axis == "' in path.read_text() or '"yaw": ' in path.read_text()
    ]
    assert found == []
