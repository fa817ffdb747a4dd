"""Scenarios as data: what they accept, how they are changed, and what they say of mistakes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from pushpoint.control import controllers
from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.mapping import ModelSettings
from pushpoint.robots import Link, Robot, Servo
from pushpoint.scenario import Choice, Scenario
from pushpoint.worlds import Disc, Ground, World

LINK: dict[str, Any] = {"length": 0.1, "mass": 1.0, "inertia": 1e-3, "radius": 0.02}


def scenario(**fields: Any) -> Scenario:
    defaults: dict[str, Any] = {
        "name": "lab/test",
        "robot": "aiko",
        "world": "track",
        "controller": {"name": "serpenoid", "options": {"amplitude": 0.5}},
    }
    return Scenario(**{**defaults, **fields})


def described(**fields: Any) -> str:
    with pytest.raises(InvalidInput) as refusal:
        scenario(**fields)
    return str(refusal.value)


# --- problems are reported once, with the whole path ---


def test_a_problem_deep_inside_is_reported_once_with_its_path() -> None:
    robot = {"name": "mine", "links": [LINK | {"length": -1}]}
    assert described(robot=robot) == "Scenario.robot.links.0.length = -1: should be greater than 0"


def test_all_problems_are_reported() -> None:
    world = {"name": "mine", "obstacles": [{"x": 0, "y": math.nan, "radius": 0}], "gravity": "strong"}
    message = described(world=world, duration=-1)
    for path in ("world.obstacles.0.y = nan", "world.obstacles.0.radius = 0", "world.gravity = 'strong'"):
        assert message.count(f"Scenario.{path}: should be ") == 1, message
    assert "Scenario.duration = -1" in message


def test_an_empty_chain_is_distinguished_from_a_bad_link() -> None:
    assert "robot.links = []" in described(robot={"name": "mine", "links": []})
    assert "at least 1" not in described(robot={"name": "mine", "links": [{}]})


def test_what_is_missing_is_named() -> None:
    with pytest.raises(InvalidInput) as refusal:
        Scenario.parse({"name": "lab/test"})
    assert str(refusal.value) == (
        "Scenario.robot: is required; Scenario.world: is required; Scenario.controller: is required"
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"world": {"name": "w", "ground": {"fricton": 1}}}, "unknown field of Ground 'fricton'. Did you mean"),
        ({"robot": {"name": "r", "links": [LINK | {"masss": 1}]}}, "unknown field of Link 'masss'. Did you"),
        ({"robot": {"name": "aiko", "option": {}}}, "unknown field of Choice 'option'. Did you mean 'options'"),
        ({"servo": {"stifness": 3}}, "unknown field of Servo 'stifness'. Did you mean 'stiffness'"),
        ({"start": {3: 4}}, "unknown field of Start '3'."),
        ({"sed": 4}, "unknown field of Scenario 'sed'. Did you mean 'seed'"),
    ],
)
def test_unknown_fields_are_named_at_any_depth(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownName) as refusal:
        scenario(**fields)
    assert str(refusal.value).startswith(message)
    assert "Known: " in str(refusal.value)


@pytest.mark.parametrize(
    ("robot", "kind"),
    [
        ("aiko", Choice),
        ({"name": "aiko"}, Choice),
        (Choice(name="aiko"), Choice),
        ({"name": "mine", "links": [LINK]}, Robot),
        (Robot(name="mine", links=(Link(**LINK),)), Robot),
    ],
)
def test_robots_are_chosen_by_name_or_given_in_full(robot: Any, kind: type) -> None:
    assert isinstance(scenario(robot=robot).robot, kind)


@pytest.mark.parametrize("field", ["robot", "world", "plant", "controller"])
def test_what_is_neither_says_what_it_should_be(field: str) -> None:
    assert described(**{field: 3}) == f"Scenario.{field} = 3: should be a name, or a name with options"


def test_what_is_given_in_part_is_measured_as_given_in_full() -> None:
    assert described(robot={"name": "mine", "servo": {}}) == "Scenario.robot.links: is required"


def test_a_core_that_is_far_too_long_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"Link\.core = 60: should be at most 5 times the length of 0\.1 m"):
        Link(**LINK, core=60)


# --- overrides ---


def test_whole_fields_come_before_their_parts() -> None:
    for overrides in (
        {"plant": "mujoco", "plant.dt": 1e-3},
        {"plant.dt": 1e-3, "plant": "mujoco"},
    ):
        changed = scenario(plant={"name": "planar_stepping", "options": {"scheme": "paper"}})
        assert changed.with_overrides(overrides).plant == Choice(name="mujoco", options={"dt": 1e-3})


def test_the_same_name_keeps_the_options() -> None:
    same = scenario().with_overrides({"controller": "serpenoid", "controller.offset": 0.1})
    assert same.controller.options == {"amplitude": 0.5, "offset": 0.1}
    assert scenario().with_overrides({"controller": "hold"}).controller.options == {}
    assert scenario().with_overrides({"world.name": "rows"}).world == Choice(name="rows")


def test_an_option_is_meant_if_the_path_ends_there_and_a_field_if_it_goes_on() -> None:
    assert scenario().with_overrides({"robot.links": 5}).robot == Choice(name="aiko", options={"links": 5})
    changed = scenario().with_overrides({"robot.links": 4, "robot.links.2.mass": 3.0}).built_robot()
    assert [link.mass for link in changed.links] == pytest.approx([7.5 / 11, 7.5 / 11, 3.0, 7.5 / 11])


def test_options_and_fields_of_worlds() -> None:
    assert scenario().with_overrides({"world.friction": 0.4}).built_world().ground.friction == 0.4
    assert scenario().with_overrides({"world.options.friction": 0.4}).built_world().ground.friction == 0.4
    assert scenario().with_overrides({"world.options": {"friction": 0.4}}).built_world().ground.friction == 0.4
    assert scenario().with_overrides({"world.ground.friction_across": 0.4}).built_world().ground.across == 0.4
    whole = World(name="w", ground=Ground(friction=0.1), obstacles=(Disc(x=1, y=2, radius=0.1),))
    changed = scenario().with_overrides({"world": whole, "world.obstacles.0.x": 3})
    assert changed.built_world().obstacles[0] == Disc(x=3, y=2, radius=0.1)


def test_a_part_of_the_servo_leaves_the_rest_as_the_robot_has_it() -> None:
    overrides = {"servo.damping": 7.0, "robot": "uniform", "robot.stiffness": 50.0}
    assert scenario().with_overrides(overrides).servo == Servo(stiffness=50.0, damping=7.0)


def test_parts_of_lists() -> None:
    assert scenario().with_overrides({"start.position.1": 2}).start.position == (0.0, 2.0)
    ramp = scenario().with_overrides({"controller.amplitude": [[0, 0], [1, 0.5]]})
    changed = ramp.with_overrides({"controller.amplitude.1.1": 0.7})
    assert changed.controller.options["amplitude"] == [[0, 0], [1, 0.7]]
    assert ramp.controller.options["amplitude"] == [[0, 0], [1, 0.5]]  # frozen


def test_parts_of_options_need_not_be_given_before() -> None:
    base = scenario().with_overrides({"sensors": {"joint-encoders": {}}, "controller": {"name": "clutter-plan"}})
    changed = base.with_overrides({"sensors.joint-encoders.noise": 0.1, "controller.model.dt": 0.002})
    assert changed.sensors == {"joint-encoders": {"noise": 0.1}}
    assert changed.controller.options == {"model": {"dt": 0.002}}
    again = changed.with_overrides({"controller.model.peg_friction": 0.3})
    assert again.controller.options == {"model": {"dt": 0.002, "peg_friction": 0.3}}
    kind = controllers["clutter-plan"].Options
    assert again.options_of("controller", kind).model == ModelSettings(dt=0.002, peg_friction=0.3)
    with pytest.raises(InvalidInput, match=r"'controller\.model\.dr'\. Did you mean 'controller\.model\.dt'"):
        changed.with_overrides({"controller.model.dr": 0.002}).options_of("controller", kind)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("controler.amplitude", "unknown scenario field 'controler'. Did you mean 'controller'"),
        ("start.positon", "unknown key 'start.positon'. Did you mean 'start.position'"),
        ("world.frictoin", "unknown key 'world.frictoin'. Did you mean 'world.friction'"),
        ("world.ground.frictoin", "unknown key 'world.ground.frictoin'. Did you mean 'world.ground.friction'"),
        ("robot.links.2.mas", "unknown key 'robot.links.2.mas'. Did you mean 'robot.links.2.mass'"),
        ("robot.links.11.mass", "'robot.links.11.mass': '11' is not an index of robot.links, which has 11"),
        ("world.ground.friction.x", "'world.ground.friction.x': world.ground.friction = 0.2 has no parts"),
        ("controller.offset.1.1", "'controller.offset.1.1': 'offset' is not set, so no part of it can be"),
    ],
)
def test_paths_that_lead_nowhere_are_refused(path: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        scenario().with_overrides({path: 1})
    assert str(refusal.value).startswith(message)


def test_bad_values_of_overrides_are_named_by_their_keys() -> None:
    with pytest.raises(InvalidInput, match=r"^robot\.links\.2\.mass = -1: should be greater than 0$"):
        scenario().with_overrides({"robot.links.2.mass": -1})


# --- periods and files ---


@pytest.mark.parametrize(
    ("control_period", "recorded_every"),
    [(0.001, 0.01), (0.004, 0.008), (0.006, 0.012), (0.01, 0.01), (0.02, 0.02), (0.05, 0.05)],
)
def test_rows_are_the_nearest_whole_number_of_ticks_apart(control_period: float, recorded_every: float) -> None:
    assert scenario(control_period=control_period).recorded_every == pytest.approx(recorded_every)
    assert scenario(control_period=control_period, record_period=0.3).recorded_every == 0.3


def test_infinite_limits_survive_files() -> None:
    limited = scenario(servo=Servo(stiffness=1.0))
    assert limited.servo is not None
    assert math.isinf(limited.servo.torque_limit)
    assert Scenario.from_yaml(limited.to_yaml()) == limited
    assert Scenario.from_yaml(limited.model_dump_json()) == limited


@pytest.mark.parametrize("content", [b"", b"[]", b"robot: [", b"\xff\xfe\x00", b"3: 4", b"name: x"])
def test_files_that_hold_no_scenario_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(content)
    with pytest.raises(InvalidInput):
        Scenario.from_yaml(path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        Scenario.from_yaml(tmp_path / "missing.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "name: x\nrobot: [aiko\nworld: plane\n",
            "line 3, column 6: not valid YAML: did not find expected ',' or ']', "
            "while parsing a flow sequence that begins at line 2, column 8",
        ),
        (
            "name: x\nrobot: aiko\n  world: plane\n",
            "line 3, column 8: not valid YAML: mapping values are not allowed in this context",
        ),
        (
            "name: x\nrobot: !mine aiko\n",
            "line 2, column 8: tag '!mine' is not allowed; plain data need none",
        ),
        (
            "name: x\nrobot:\n\tname: aiko\n",
            "line 3, column 1: not valid YAML: found character that cannot start any token; "
            "indent by spaces, not by tabs",
        ),
        ("name: x\ntitle: a\x07b\n", "line 2, column 9: not valid YAML: character #x0007 is not allowed"),
    ],
)
def test_what_is_no_yaml_is_reported_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput) as refusal:
        Scenario.from_yaml(path)
    assert str(refusal.value) == f"scenario file {str(path)!r}, {message}"
    with pytest.raises(InvalidInput) as refusal:
        Scenario.from_yaml(text)
    assert str(refusal.value) == f"scenario text, {message}"
