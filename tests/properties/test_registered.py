"""What holds for everything that is registered; a new file is tested without an edit here."""

from __future__ import annotations

import importlib.util
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control import Controller, OpenLoop, controllers
from pushpoint.fields import Frozen
from pushpoint.mechanics.overlap import overlaps
from pushpoint.mechanics.spatial_overlap import spatial_overlaps
from pushpoint.plants import plants
from pushpoint.registry import Registry
from pushpoint.robots import Robot, robots
from pushpoint.scenario import Choice, Scenario, build
from pushpoint.scenarios import scenarios
from pushpoint.sensors import sensors
from pushpoint.simulation import Setup
from pushpoint.simulation._start_pose import TOUCHING
from pushpoint.types import Pose, SpatialPose
from pushpoint.worlds import World, worlds

DURATION = 0.05  # [s], of the runs here: a few ticks of every combination
LINKS = 4

# What an item needs that has no default. Everything else has to work as it comes.
NEEDED_OPTIONS: dict[str, dict[str, Any]] = {
    "shape-follower": {"points": [(0.0, 0.0), (0.2, 0.05), (0.4, 0.0)]},
    "torque_playback": {"times": [0.0, 1.0], "torque": [[0.1] * (LINKS - 1), [-0.1] * (LINKS - 1)]},
}


def available(plant: str) -> bool:
    """Whether the optional package behind a plant is installed."""
    return plant != "mujoco" or find_spec("mujoco") is not None


PLANTS = [
    pytest.param(name, marks=pytest.mark.skipif(not available(name), reason=f"{name} is not installed"))
    for name in plants
]


def small_scenario(plant: str = "planar_stepping", controller: str = "hold", **fields: Any) -> Scenario:
    """A short robot on the plane, everything else as it comes."""
    defaults: dict[str, Any] = {
        "name": "lab/small",
        "robot": {"name": "uniform", "options": {"links": LINKS}},
        "world": "plane",
        "plant": plant,
        "controller": {"name": controller, "options": NEEDED_OPTIONS.get(controller, {})},
        "duration": DURATION,
    }
    return Scenario(**{**defaults, **fields})


def built_controller(name: str, control_period: float = 0.01) -> Controller:
    kind = controllers[name]
    robot: Robot = robots["uniform"](links=LINKS)
    return kind.build(kind.Options.parse(NEEDED_OPTIONS.get(name, {})), robot, control_period)


def finite(recording: pp.Recording) -> bool:
    numbers = [values for values in recording.data.values() if values.dtype.kind == "f"]
    return len(numbers) > 0 and all(np.isfinite(values).all() for values in numbers)


# --- robots and worlds ---


@pytest.mark.parametrize("name", list(robots))
def test_every_robot_is_built_from_its_defaults(name: str) -> None:
    robot = build(robots, Choice(name=name), seed=0)
    assert isinstance(robot, Robot)
    assert robot.name == name
    assert robot.mass == pytest.approx(sum(link.mass for link in robot.links))
    assert Robot.parse(json.loads(robot.model_dump_json())) == robot
    plant = "planar_stepping" if robot.is_planar else "spatial_stepping"
    assert finite(pp.simulate(small_scenario(plant, robot=name)))


@pytest.fixture
def world_options(tmp_path: Path) -> dict[str, dict[str, Any]]:
    table = tmp_path / "pegs.csv"
    table.write_text("x_m,y_m,radius_m\n1.5,0.4,0.05\n1.5,-0.4,0.1\n")
    return {"csv": {"path": str(table)}}


@pytest.mark.parametrize("name", list(worlds))
def test_every_world_is_built_from_its_defaults(name: str, world_options: dict[str, dict[str, Any]]) -> None:
    world = build(worlds, Choice(name=name, options=world_options.get(name, {})), seed=3)
    assert isinstance(world, World)
    assert world.name == name
    assert world == build(worlds, Choice(name=name, options=world_options.get(name, {})), seed=3)
    assert World.parse(json.loads(world.model_dump_json())) == world
    plant = "planar_stepping" if world.is_flat else "spatial_stepping"
    assert finite(pp.simulate(small_scenario(plant, world=world, start={"position": (-50.0, 0.0)})))


# --- scenarios: that they run is seen with their claims ---


@pytest.mark.parametrize("name", list(scenarios))
def test_every_scenario_is_named_as_it_is_registered_and_survives_its_files(name: str) -> None:
    scenario = scenarios[name]
    assert scenario.name == name
    assert scenario.title
    assert scenario.source
    assert Scenario.from_yaml(scenario.to_yaml()) == scenario
    assert Scenario.from_yaml(scenario.model_dump_json()) == scenario
    assert Scenario.model_validate_json(scenario.model_dump_json()) == scenario
    assert scenario.with_overrides({}) == scenario


@pytest.mark.parametrize("name", list(scenarios))
def test_every_scenario_starts_without_overlap(name: str) -> None:
    setup = Setup.of(scenarios[name])
    pose = setup.start_pose()
    found = overlaps(setup.robot, setup.world, pose) if isinstance(pose, Pose) else []
    if isinstance(pose, SpatialPose):
        found = spatial_overlaps(setup.robot, setup.world, pose)
    assert not [row for row in found if row[2] >= TOUCHING]


# --- controllers and plants ---


@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("controller", list(controllers))
def test_every_controller_runs_on_every_plant(controller: str, plant: str) -> None:
    recording = pp.simulate(small_scenario(plant, controller))
    assert finite(recording)
    assert recording.data["time"].values[-1] == pytest.approx(DURATION)
    assert recording.data["joint_angle"].shape == (6, LINKS - 1)


@pytest.mark.parametrize("plant", PLANTS)
def test_every_plant_takes_its_options_from_a_frozen_model_with_defaults(plant: str) -> None:
    kind: Any = plants[plant].Options
    assert issubclass(kind, Frozen)
    assert kind.parse({}).dt > 0


@pytest.mark.parametrize("name", [name for name in controllers if isinstance(built_controller(name), OpenLoop)])
def test_commands_stated_ahead_are_those_of_the_steps_to_the_bit(name: str) -> None:
    controller = built_controller(name)
    assert isinstance(controller, OpenLoop)
    period, ticks = 0.01, 150
    planned = controller.table(period * np.arange(ticks, dtype=np.float64))
    setup = Setup.of(small_scenario(controller=name))
    pose = setup.start_pose()
    plant_state = setup.plant.initial_state(pose)
    state = controller.start(setup.observe(plant_state, {}, tick=0))
    for tick in range(ticks):
        state, command, _ = controller.step(state, setup.observe(plant_state, {}, tick))
        assert np.array_equal(command.joint_angle, planned.joint_angle[tick])
        assert np.array_equal(command.joint_rate, planned.joint_rate[tick])
        assert np.array_equal(command.torque, planned.torque[tick])


@pytest.mark.parametrize("name", list(controllers))
def test_every_controller_starts_in_a_shape_that_fits_and_says_what_it_uses(name: str) -> None:
    controller = built_controller(name)
    shape = controller.initial_shape()
    assert shape is None or shape.shape == (LINKS - 1,)
    assert controller.uses <= set(sensors)


# --- one new file ---

NEW_FILE = """
from pushpoint.control import controllers
from pushpoint.control.hold import Hold
from pushpoint.robots import Link, Robot, Servo, robots
from pushpoint.scenario import Scenario
from pushpoint.scenarios import scenarios
from pushpoint.worlds import Disc, World, worlds


@robots.register("test-worm")
def worm(links: int = 3) -> Robot:
    link = Link(length=0.1, mass=0.2, inertia=2e-4, radius=0.02)
    return Robot(name="test-worm", links=(link,) * links, servo=Servo(stiffness=10.0, damping=0.1))


@worlds.register("test-gate")
def gate(width: float = 0.3) -> World:
    return World(name="test-gate", obstacles=[Disc(x=1, y=s * width / 2, radius=0.05) for s in (-1, 1)])


@controllers.register("test-stiff")
class Stiff(Hold):
    pass


scenarios.add(
    "lab/test-gate",
    Scenario(name="lab/test-gate", robot="test-worm", world="test-gate", controller="test-stiff", duration=0.05),
)
"""


@pytest.fixture
def _one_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registries: tuple[Registry[Any], ...] = (robots, worlds, controllers, scenarios)
    for registry in registries:
        monkeypatch.setattr(registry, "_items", {name: registry[name] for name in registry})  # undone after
    file = tmp_path / "new_file.py"
    file.write_text(NEW_FILE)
    spec = importlib.util.spec_from_file_location("new_file", file)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


@pytest.mark.usefixtures("_one_new_file")
def test_one_new_file_is_found_by_name_and_runs() -> None:
    assert "test-worm" in robots
    recording = pp.simulate("lab/test-gate", {"robot.links": 5, "world.width": 0.4})
    assert finite(recording)
    assert recording.data.sizes["link"] == 5
    assert recording.scenario.built_world().obstacles[1].y == pytest.approx(0.2)
