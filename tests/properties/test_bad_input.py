"""Bad input of every kind is refused with words that help; new fields are found without an edit here."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

import pushpoint as pp
from pushpoint.cli.main import SOLVER_FAILED, main
from pushpoint.control import controllers
from pushpoint.errors import InvalidInput, SolverFailure, UnknownName
from pushpoint.fields import Frozen
from pushpoint.plants import plants
from pushpoint.registry import Registry
from pushpoint.robots import Joint, Link, Robot, Servo, robots
from pushpoint.scenario import Choice, Scenario, Start, build
from pushpoint.worlds import Disc, Ground, GroundLaw, Patch, Polygon, Wall, World, worlds

TRACK = "transeth2008a/track"

# Wrong type, negative, zero, not finite, not whole, empty. What is bad depends on the field.
VALUES: tuple[Any, ...] = (
    "wrong", "", -1.0, -1, 0.0, 1.5, math.nan, math.inf, -math.inf,
    None, [], ["wrong"], [math.nan], [-1.0], {},
)  # fmt: skip

DATA: tuple[type[Frozen], ...] = (
    *(Link, Servo, Joint, Robot, Start, Choice, Scenario),
    *(GroundLaw, Patch, Ground, Disc, Wall, Polygon, World),
    *(plants[name].Options for name in plants),
    *(controllers[name].Options for name in controllers),
)
FACTORIES: tuple[tuple[Registry[Any], str], ...] = (
    *((robots, name) for name in robots),
    *((worlds, name) for name in worlds),
)


# --- what an annotation allows, written apart from the code that is tested ---


def allows(annotation: Any, value: Any, metadata: Iterable[Any] = ()) -> bool:
    """Whether a field of this annotation may have this value."""
    origin, members = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return allows(members[0], value, [*metadata, *unpacked(members[1:])])
    if origin in (Union, UnionType):
        return any(allows(member, value, metadata) for member in members)
    if origin is Literal:
        return value in members
    if origin is tuple:
        return isinstance(value, list) and fits(members, value) and within(metadata, value)
    if origin is dict:
        return isinstance(value, dict)
    return allows_plain(annotation, value) and within(metadata, value)


def allows_plain(kind: Any, value: Any) -> bool:
    if kind is Any:
        return True
    if kind is NoneType:
        return value is None
    if kind in (str, Path):
        return isinstance(value, str)
    if kind is float:
        return isinstance(value, int | float)
    if kind is int:
        return isinstance(value, int | float) and math.isfinite(value) and value == int(value)
    if kind is bool:
        return value in (0, 1)
    if kind is Choice and isinstance(value, str):
        return value != ""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return value == {} and not any(field.is_required() for field in kind.model_fields.values())
    raise NotImplementedError(f"teach this test what {kind} allows")


def fits(members: tuple[Any, ...], value: list[Any]) -> bool:
    if members[-1] is Ellipsis:
        return all(allows(members[0], item) for item in value)
    return len(members) == len(value) and all(map(allows, members, value))


def unpacked(metadata: Iterable[Any]) -> Iterator[Any]:
    for item in metadata:
        yield from item.metadata if isinstance(item, FieldInfo) else (item,)


def within(metadata: Iterable[Any], value: Any) -> bool:
    """Whether a value of the right type is within the bounds; they say nothing of None."""
    return value is None or all(within_one(item, value) for item in metadata)


def within_one(bound: Any, value: Any) -> bool:
    if hasattr(bound, "min_length"):
        return bool(len(value) >= bound.min_length)
    if getattr(bound, "allow_inf_nan", True) is False and not math.isfinite(value):
        return False
    return not (
        (hasattr(bound, "gt") and not value > bound.gt)
        or (hasattr(bound, "ge") and not value >= bound.ge)
        or (hasattr(bound, "lt") and not value < bound.lt)
        or (hasattr(bound, "le") and not value <= bound.le)
    )


# --- every field ---


@pytest.mark.parametrize("model", DATA)
def test_a_bad_value_is_refused_and_its_field_named(model: type[Frozen]) -> None:
    for name, field in model.model_fields.items():
        named = rf"\b{model.__name__}\.{name}( =|\.)"
        for value in VALUES:
            if not allows(field.annotation, value, field.metadata):
                print(f"{name} = {value!r}")  # seen where it is taken
                with pytest.raises(InvalidInput, match=named):
                    model(**{name: value})
                with pytest.raises(InvalidInput, match=named):
                    model.parse({name: value})


@pytest.mark.parametrize(("registry", "name"), FACTORIES)
def test_a_bad_option_is_refused_and_named(registry: Registry[Any], name: str) -> None:
    for option, hint in get_type_hints(registry[name], include_extras=True).items():
        for value in VALUES:
            if option != "return" and not allows(hint, value):
                print(f"{option} = {value!r}")  # seen where it is taken
                with pytest.raises(InvalidInput, match=rf"(^|; ){registry.kind}\.{option}( =|\.)"):
                    build(registry, Choice(name=name, options={option: value}), seed=0)


@pytest.mark.parametrize("model", DATA)
def test_every_field_has_values_that_it_refuses(model: type[Frozen]) -> None:
    """The walk is not blind: whatever a field holds, something is bad for it."""
    for name, field in model.model_fields.items():
        assert not all(allows(field.annotation, value, field.metadata) for value in VALUES), name


@pytest.mark.parametrize("model", DATA)
def test_an_unknown_field_is_refused_and_the_known_ones_listed(model: type[Frozen]) -> None:
    first = next(iter(model.model_fields))
    with pytest.raises(UnknownName, match=f"unknown field of {model.__name__} '{first}x'") as refusal:
        model.parse({f"{first}x": 1})
    assert first in refusal.value.suggestions
    assert all(name in str(refusal.value) for name in model.model_fields)


# --- values that are bad because of others ---

LINK = {"length": 0.1, "mass": 1.0, "inertia": 1.0, "radius": 0.02}
SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]
STAR = [[math.cos(k * 0.8 * math.pi), math.sin(k * 0.8 * math.pi)] for k in range(5)]  # turns twice
PATCH = {"x_min": 0, "x_max": 1, "y_min": 0, "y_max": 1}


@pytest.mark.parametrize(
    ("model", "data", "words"),
    [
        (Joint, {"lower": 0.5, "upper": 0.4}, r"Joint\.upper = 0\.4: should be at least lower = 0\.5 rad"),
        (Joint, {"upper": -math.inf, "lower": 0.0}, r"Joint\.upper = -inf"),
        (Patch, PATCH | {"x_max": -1}, r"Patch\.x_max = -1: should be greater than x_min = 0"),
        (Patch, PATCH | {"y_max": 0}, r"Patch\.y_max = 0: should be greater than y_min = 0"),
        (Wall, {"points": [[0, 0]]}, r"Wall\.points = .* at least 2 items"),
        (Wall, {"points": [[0, 0], [1, 1], [1, 1]]}, r"Wall\.points = .*: points 1 and 2 coincide at \(1\.0, 1\.0\)"),
        (Wall, {"points": [[0, 0], [1, math.nan]]}, r"Wall\.points\.1\.1 = nan"),
        (Wall, {"points": [[0, 0], [1, 2, 3]]}, r"Wall\.points\.1"),
        (Polygon, {"points": SQUARE[:2]}, r"Polygon\.points = .* at least 3 items"),
        (Polygon, {"points": [*SQUARE, [0, 0]]}, r"Polygon\.points = .*: points 4 and 0 coincide"),
        (Polygon, {"points": [[0, 0], [1, 1], [2, 2]]}, r"Polygon\.points = .* convex"),
        (Polygon, {"points": [SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3]]}, r"Polygon\.points = .* convex"),
        (Polygon, {"points": [*SQUARE, [0.4, 0.5]]}, r"Polygon\.points = .* convex"),
        (Polygon, {"points": STAR}, r"Polygon\.points = .* convex"),
    ],
)
def test_what_does_not_go_together_is_refused(model: type[Frozen], data: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        model(**data)
    with pytest.raises(InvalidInput, match=words):
        model.parse(data)


@pytest.mark.parametrize("points", [SQUARE, SQUARE[::-1], [*SQUARE, [0, 0.5]]])
def test_a_convex_polygon_is_taken_in_either_order_and_with_flat_corners(points: list[list[float]]) -> None:
    corners = Polygon.parse({"points": points}).points
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)) / 2
    assert area == 1.0  # counter-clockwise


@pytest.mark.parametrize(
    ("obstacle", "words"),
    [
        ({"kind": "wall", "points": [[0, 0], [1, "far"]]}, r"World\.obstacles\.1\.points\.1\.1 = 'far'"),
        ({"kind": "wall", "points": [[0, 0], [1, 1]], "restitution": 2}, r"World\.obstacles\.1\.restitution = 2"),
        ({"kind": "polygon", "points": SQUARE, "friction": -1}, r"World\.obstacles\.1\.friction = -1"),
        ({"kind": "polygon", "points": STAR}, r"World\.obstacles\.1\.points = .* convex"),
        ({"kind": "cone"}, r"World\.obstacles\.1 = .* kind should be one of 'disc', 'wall', 'polygon'"),
        ({"x": 1, "y": 1, "radius": 1, "mass": 0}, r"World\.obstacles\.1\.mass = 0"),
        ({"x": 1, "y": 1, "radius": 1, "ground_friction": -1}, r"World\.obstacles\.1\.ground_friction = -1"),
        ({"x": 1, "y": 1}, r"World\.obstacles\.1\.radius: is required"),
    ],
)
def test_a_bad_obstacle_is_named_by_its_place(obstacle: dict[str, Any], words: str) -> None:
    good = {"x": 0, "y": 0, "radius": 1}
    with pytest.raises(InvalidInput, match=words):
        World.parse({"name": "w", "obstacles": [good, obstacle]})


@pytest.mark.parametrize(
    ("field", "value"),
    [("friction", -1), ("friction_backward", "x"), ("viscous", -1), ("torque", "maybe"), ("x_max", -5)],
)
def test_a_bad_patch_is_named_by_its_place(field: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=rf"World\.ground\.patches\.1\.{field} = {value!r}"):
        World.parse({"name": "w", "ground": {"patches": [PATCH, PATCH | {field: value}]}})


@pytest.mark.parametrize("field", Joint.model_fields)
def test_a_bad_joint_is_named_by_its_place(field: str) -> None:
    with pytest.raises(InvalidInput, match=rf"Robot\.joints\.1\.{field} = 'wrong'"):
        Robot.parse({"name": "r", "links": [LINK] * 3, "joints": [{}, {field: "wrong"}]})


@pytest.mark.parametrize(("links", "joints"), [(3, 1), (3, 3), (1, 1)])
def test_joints_that_are_too_many_or_too_few_are_refused(links: int, joints: int) -> None:
    with pytest.raises(InvalidInput, match=rf"Robot\.joints = .*: should be {links - 1} joints for {links} links"):
        Robot.parse({"name": "r", "links": [LINK] * links, "joints": [{}] * joints})


# --- names ---


@pytest.mark.parametrize(
    ("changes", "meant"),
    [
        ({"robot": "aikoo"}, "aiko"),
        ({"world": "trak"}, "track"),
        ({"plant": "planar_steping"}, "planar_stepping"),
        ({"controller": "serpentoid"}, "serpenoid"),
    ],
)
def test_unknown_names_come_with_the_one_that_was_meant(changes: dict[str, str], meant: str) -> None:
    ((kind, name),) = changes.items()
    with pytest.raises(UnknownName, match=f"unknown {kind} '{name}'. Did you mean '{meant}'") as refusal:
        pp.simulate(TRACK, changes, duration=0.01)
    assert meant in refusal.value.suggestions


def test_an_unknown_scenario_comes_with_the_one_that_was_meant() -> None:
    with pytest.raises(UnknownName, match=r"unknown scenario 'transeth2008a/trakc'.*'transeth2008a/track'"):
        pp.simulate("transeth2008a/trakc")


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("controller.amplitud", "controller.amplitude"),
        ("controller.options.amplitud", "controller.amplitude"),
        ("plant.tolerence", "plant.tolerance"),
        ("world.frictoin", "world.friction"),
        ("robot.lniks", "robot.links"),
    ],
)
def test_unknown_options_are_spelt_as_in_overrides(key: str, meant: str) -> None:
    with pytest.raises(UnknownName, match=rf"'{key.replace('.options', '')}'\. Did you mean .*Known: ") as refusal:
        pp.simulate(TRACK, {key: 1}, duration=0.01)
    assert meant in refusal.value.suggestions


@pytest.mark.parametrize(
    ("part", "name"), [*(("plant", name) for name in plants), *(("controller", name) for name in controllers)]
)
def test_options_are_named_as_whoever_sets_them_does(part: str, name: str) -> None:
    """By keywords, overrides and in files; the names of classes mean nothing to most people."""
    data = {"name": "lab/x", "robot": "aiko", "world": "plane", "controller": "hold"}
    for option in {"plant": plants, "controller": controllers}[part][name].Options.model_fields:
        data[part] = {"name": name, "options": {option: {"no": "value"}}}
        with pytest.raises(InvalidInput) as refusal:
            pp.simulate(Scenario.parse(data))
        message = str(refusal.value)
        assert re.search(rf"(^|; |'){part}\.{option}( = |: |\.)", message), message
        assert "Options" not in message
        with pytest.raises(InvalidInput) as refusal:
            pp.simulate(TRACK, {part: name, f"{part}.{option}": {"no": "value"}})
        assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("duration: -1", "duration = -1: should be greater than 0"),
        ("start: {angle: far}", "start.angle = 'far': should be a valid number"),
        ("robot: {name: aiko, options: {links: 0}}", "robot.links = 0: should be greater than"),
        ("robot: {name: aiko, options: {lniks: 3}}", "unknown option of robot 'aiko': 'robot.lniks'. Did you mean"),
        ("robot: {nam: aiko}", "unknown key 'robot.nam'. Did you mean 'robot.name'? Known: robot.name, robot.options."),
        ("world: {name: w, obstacles: [{kind: disc, z: 0}]}", "unknown key 'world.obstacles.0.z'. Known: world.obsta"),
        ("plant: {name: mujoco, options: {dt: 7}}", "plant.dt = 7: should be less than or equal to"),
        ("durtaion: 1", "unknown key 'durtaion'. Did you mean 'duration'"),
    ],
)
def test_files_are_answered_in_their_own_words(change: str, message: str, tmp_path: Path) -> None:
    lines = {"name": "lab/x", "robot": "aiko", "world": "plane", "controller": "hold"}
    key, _, value = change.partition(": ")
    path = tmp_path / "my.yaml"
    path.write_text("\n".join(f"{k}: {v}" for k, v in (lines | {key: value}).items()), encoding="utf-8")
    with pytest.raises(InvalidInput) as refusal:
        pp.simulate(path)
    assert str(refusal.value).startswith(message)


# --- what does not fit together ---


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"control_period": 0.0125, "plant.dt": 0.002}, ["control_period = 0.0125 s", "plant.dt = 0.002 s"]),
        ({"record_period": 0.015}, ["record_period = 0.015 s", "control_period = 0.01 s", "nearest"]),
        ({"duration": 0.0101}, ["duration = 0.0101 s", "nearest 0.01 s"]),
        ({"start.joint_angle": [0.1, 0.2]}, ["start.joint_angle", "2 values", "10 joints"]),
        ({"start.link": 11}, ["start.link = 11", "links 0 to 10"]),
        (
            {"control_period": 1e-5, "plant.dt": 1e-5, "duration": 86400},
            ["duration = 86400 s", "control_period", "too many"],
        ),
        (
            {"control_period": 1e-4, "plant.dt": 1e-4, "duration": 86400},
            ["duration = 86400 s", "steps", "GB of memory"],
        ),
    ],
)
def test_what_does_not_fit_together_is_named(changes: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(InvalidInput) as refusal:
        pp.simulate(TRACK, changes)
    assert all(word in str(refusal.value) for word in words), refusal.value


def test_an_overlapping_start_is_refused_with_link_obstacle_and_depth() -> None:
    with pytest.raises(InvalidInput, match=r"link \d+ is [\d.]+ mm inside obstacle \d+.*start\.overlap"):
        pp.simulate(TRACK, {"start.position": [0.42, 0.0]})


# --- a plant that cannot go on ---


def test_a_solver_failure_says_where_and_what_to_do_and_carries_the_recording() -> None:
    with pytest.raises(SolverFailure) as failure:
        pp.simulate(TRACK, {"plant.max_iterations": 1}, duration=1.0)
    words = r"planar_stepping stopped at t = [\d.e-]+ s: NOT_CONVERGED at link \d+, residual [\d.e+-]+; try "
    assert re.match(words, str(failure.value)), failure.value
    recording = failure.value.recording
    assert recording is not None
    assert recording.failure is not None
    assert recording.data.sizes["time"] >= 1
    assert math.isfinite(float(recording.data["link_position"].sum()))


def test_the_command_saves_what_was_recorded_until_the_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", TRACK, "--duration", "1", "--set", "plant.max_iterations=1", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["pushpoint", *words])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == SOLVER_FAILED == 3
    assert "NOT_CONVERGED" in capsys.readouterr().err
    saved = pp.load(tmp_path / "recording.nc")
    assert saved.failure is not None
    assert saved.scenario.name == TRACK
