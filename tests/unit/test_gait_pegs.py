"""Pegs placed for a gait by the rule of P2: where they are, and that robots move among them."""

from __future__ import annotations

import math
from math import radians
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.pose import planar_pose
from pushpoint.planning.gait_course import gait_course
from pushpoint.robots import Robot, robots
from pushpoint.scenario import Choice
from pushpoint.scenarios import scenarios
from pushpoint.types import Pose
from pushpoint.worlds import worlds

STUDY = Path(__file__).parents[2] / "examples" / "gait_guidelines.yaml"
CLEARANCE = 0.003  # [m], default of the world

GAITS = [
    {},
    {"phase_shift": radians(50.0)},  # moves backward
    {"frequency": radians(-80.0), "start_phase": 2.0},  # moves backward
    {"amplitude": radians(-40.0), "start_phase": 1.0},
    {"amplitude": radians(55.0), "phase_shift": radians(-45.0)},
    {"amplitude": radians(20.0), "phase_shift": radians(-80.0), "start_phase": -5.0},
    {"amplitude": radians(30.0), "phase_shift": radians(-30.0)},
]
ROBOTS = [("aiko", {}), ("thin-aiko", {}), ("uniform", {"links": 3}), ("uniform", {"links": 40, "length": 0.05})]


def start_of(scenario: pp.Scenario) -> tuple[Robot, Pose]:
    """The robot as it lies at the start."""
    robot, options = scenario.built_robot(), scenario.controller.options
    joints = len(robot.links) - 1
    phase = np.arange(joints - 1, -1, -1) * options["phase_shift"] + options["start_phase"]
    start = scenario.start
    return robot, planar_pose(robot, options["amplitude"] * np.sin(phase), start.angle, start.position, start.link)


def gaps(scenario: pp.Scenario) -> np.ndarray:
    """Between links and pegs at the start [m], (pegs, links)."""
    robot, pose = start_of(scenario)
    along = np.stack([np.cos(pose.angle), np.sin(pose.angle)], axis=1)
    core, width = np.array([link.half_core for link in robot.links]), np.array([link.radius for link in robot.links])
    found = []
    for disc in scenario.built_world().discs:
        away = np.array([disc.x, disc.y]) - pose.position
        place = np.clip((away * along).sum(axis=1), -core, core)
        found.append(np.linalg.norm(away - place[:, np.newaxis] * along, axis=1) - width - disc.radius)
    return np.array(found)


def mixed() -> Robot:
    """Aiko with links of two lengths."""
    robot = robots["aiko"]()
    links = [
        link.model_copy(update={"length": link.length * (1.15 if i % 2 else 0.85)})
        for i, link in enumerate(robot.links)
    ]
    return robot.model_copy(update={"name": "mixed", "links": tuple(links)})


def expected_speed(gait: dict[str, float], length: float) -> float:
    """Of a chain that follows its own wave without slip [m/s]: links per second, times the mean cosine of their swing
    about the centre line, to the fourth order."""
    amplitude, shift = gait.get("amplitude", radians(40.0)), gait.get("phase_shift", radians(-50.0))
    swing = amplitude / (2 * math.sin(shift / 2))
    return length * radians(80.0) / abs(shift) * (1 - swing**2 / 4 + swing**4 / 64)


# --- where they are ---


@pytest.mark.parametrize("gait", GAITS)
@pytest.mark.parametrize(("name", "options"), ROBOTS)
def test_pegs_are_clear_of_the_robot_and_some_are_near_it(
    name: str, options: dict[str, Any], gait: dict[str, float]
) -> None:
    scenario = gait_course(Choice(name=name, options=options), gait)
    found = gaps(scenario)
    assert found.min() >= CLEARANCE - 1e-9
    beside = len(found) - 6  # pegs ahead of the robot, by default
    near = found.min(axis=1)
    first = near[:beside] if gait_moves_forward(gait) else near[len(near) - beside :]
    # A link's capsule is shorter than the line from joint to joint, from which pegs are kept away; 2 cm is far less
    # than the wave is high.
    assert np.all(first < CLEARANCE + 0.02)


def gait_moves_forward(gait: dict[str, float]) -> bool:
    return gait.get("frequency", 1.0) * gait.get("phase_shift", -1.0) < 0


@pytest.mark.parametrize("gait", GAITS)
def test_pegs_push_where_the_gait_goes(gait: dict[str, float]) -> None:
    """The nearest link is pushed away from its peg: forward, or backward if the wave runs to the head."""
    scenario = gait_course("aiko", gait)
    _, pose = start_of(scenario)
    found, sign = gaps(scenario), 1.0 if gait_moves_forward(gait) else -1.0
    pushed = 0
    for disc, near in zip(scenario.built_world().discs, found, strict=True):
        link = int(np.argmin(near))
        if near[link] > CLEARANCE + 0.02:
            continue  # ahead of the robot
        normal = np.array([-np.sin(pose.angle[link]), np.cos(pose.angle[link])])
        normal *= np.sign(normal @ (pose.position[link] - np.array([disc.x, disc.y])))
        assert sign * normal[0] > 0.1
        pushed += 1
    assert pushed >= 1


@pytest.mark.parametrize(("slug", "shift"), [("posture-low", -30.0), ("posture-high", -70.0)])
def test_same_places_as_found_by_hand(slug: str, shift: float) -> None:
    """Pegs of two scenarios were placed by the same rule before there was a function for it; rounded to 1 mm."""
    by_hand = np.array([(disc.x, disc.y) for disc in scenarios[f"transeth2008a/{slug}"].built_world().discs])
    placed = gait_course("aiko", {"phase_shift": radians(shift), "start_phase": math.pi})
    centres = np.array([(disc.x, disc.y) for disc in placed.built_world().discs])
    nearest = np.linalg.norm(by_hand[:, np.newaxis] - centres, axis=2).min(axis=1)
    assert nearest.max() <= 0.012  # clearances were 2 to 6 mm by hand; a peg more or less would be 0.2 m off


def test_ahead_adds_pegs_where_the_robot_goes() -> None:
    few, many = (gait_course("aiko", pegs={"ahead": ahead}).built_world().discs for ahead in (2, 9))
    assert len(many) == len(few) + 7
    assert many[: len(few)] == few
    assert many[-1].x > few[-1].x + 2.0


def test_a_course_is_data() -> None:
    scenario = gait_course(mixed(), GAITS[2], {"radius": 0.05}, duration=3.0)
    again = pp.Scenario.from_yaml(scenario.to_yaml())
    assert again.built_world() == scenario.built_world()
    assert again.duration == 3.0


# --- robots among them ---


@pytest.mark.parametrize(
    ("robot", "gait", "length"),
    [
        ("aiko", {}, 0.122),
        ("aiko", {"phase_shift": radians(50.0)}, 0.122),
        (Choice(name="uniform", options={"links": 14}), {"amplitude": radians(45.0), "start_phase": 2.5}, 0.14),
        (mixed(), {}, 0.122),
    ],
)
def test_robots_move_as_their_wave_does(robot: Any, gait: dict[str, float], length: float) -> None:
    run = pp.simulate(gait_course(robot, gait, duration=4.5))
    sign = 1.0 if gait_moves_forward(gait) else -1.0
    speed = sign * run.metrics()["mean_speed_x"]
    # 5 %: at first the robot closes its clearance; links of two lengths do not follow each other exactly.
    assert speed == pytest.approx(expected_speed(gait, length), rel=0.05)
    assert abs(run.metrics()["mean_speed_y"]) < 0.1 * speed


def test_from_a_scenario_file_with_starts_elsewhere() -> None:
    """Without the function: position and angle are those of the start."""
    place = {"position": [1.0, -2.0], "angle": 0.8}
    scenario = pp.Scenario.model_validate(
        {
            "name": "elsewhere",
            "robot": "aiko",
            "world": {"name": "gait-pegs", "options": place},
            "controller": {"name": "serpenoid", "options": {"amplitude": radians(40), "frequency": radians(80)}},
            "start": {"link": 5, **place},
        }
    ).with_overrides({"controller.phase_shift": radians(-50), "duration": 3.0})
    assert gaps(scenario.with_overrides({"controller.start_phase": 0.0})).min() >= CLEARANCE - 1e-9
    assert pp.simulate(scenario).metrics()["distance"] > 0.4


# --- refusals ---


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"amplitude": 0.0}, "world.amplitude"),
        ({"amplitude": 3.0}, "world.amplitude"),
        ({"phase_shift": 0.0}, "world.phase_shift"),
        ({"phase_shift": 4.0}, "world.phase_shift"),
        ({"frequency": 0.0}, "world.frequency"),
        ({"link": 11}, "world.link"),
        ({"link_length": (0.1, 0.2)}, "world.link_length"),
        ({"links": 2, "ahead": 0, "phase_shift": -0.1, "amplitude": 0.1, "start_phase": 1.5}, "world.ahead"),
        ({"ahead": 100_000}, "world.ahead"),
        ({"radius": 1.0}, "world.radius"),
    ],
)
def test_waves_without_places_are_refused(options: dict[str, Any], word: str) -> None:
    with pytest.raises(InvalidInput, match=word) as caught:
        worlds["gait-pegs"](**options)
    assert "\n" not in str(caught.value)


def test_what_follows_from_the_robot_is_not_given_again() -> None:
    with pytest.raises(InvalidInput, match=r"pegs\.links"):
        gait_course("aiko", pegs={"links": 4})
    with pytest.raises(InvalidInput, match=r"gait\.phase_shift|phase_shift"):
        gait_course("aiko", {"phase_shift": 0.0})


# --- P2's guidelines ---


@pytest.mark.slow
def test_guidelines_on_amplitude_phase_shift_and_frequency() -> None:
    """P2 VIII-B, as the study that the documentation runs; orders alone."""
    results = pp.run_study(STUDY, seeds=3, processes=1)
    median = {
        name: {measure: found.median for measure, found in variant.columns.items()}
        for name, variant in results.summary().variants.items()
    }

    def of(measure: str, *variants: str) -> list[float]:
        return [median[name][measure] for name in variants]

    speed, share, cost = "ground_speed", "forward_share", "contact_cost"
    assert max(of(speed, "shift-30", "shift-40")) < 0.2 * median["base"][speed]  # no longer three push-points
    shifts = ("base", "shift-60", "shift-70", "shift-80")
    assert of(share, *shifts) == sorted(of(share, *shifts), reverse=True)  # forces point sideways
    assert of(cost, *shifts) == sorted(of(cost, *shifts))  # and are larger for the same distance
    amplitudes = ("amplitude-20", "amplitude-30", "base", "amplitude-50")
    assert of(share, *amplitudes) == sorted(of(share, *amplitudes))
    assert of(cost, *amplitudes) == sorted(of(cost, *amplitudes), reverse=True)
    rates = ("frequency-40", "base", "frequency-120", "frequency-160")
    assert of(speed, *rates) == sorted(of(speed, *rates))  # faster waves, faster robots
    assert of("peak_contact_force", *rates) == sorted(of("peak_contact_force", *rates))  # that hit harder
