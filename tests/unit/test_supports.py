"""What plants support: every feature that a model lists builds, every other is refused by name with an alternative."""

from __future__ import annotations

import math
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

from pushpoint.errors import InvalidInput
from pushpoint.plants import plants
from pushpoint.plants._capability_table import all_models, capability_table
from pushpoint.plants._supports import FEATURES, JOINT_FIELDS, Supports, Use, uses
from pushpoint.robots import Joint, Link, Robot, Servo
from pushpoint.worlds import Box, Cylinder, Disc, Ground, Heightfield, Obstacle, Patch, Polygon, Profile, Wall, World

LINK = Link(length=0.2, mass=0.5, inertia=2e-3, radius=0.03)
THIN = Link(length=0.2, mass=0.5, inertia=2e-3, radius=0.0, inertia_roll=1e-4)
PEG = Disc(x=5, y=5, radius=0.1)
SQUARE = ((5.0, 5.0), (6.0, 5.0), (6.0, 6.0), (5.0, 6.0))
HILL = Heightfield(x=5, y=5, spacing=1, heights=((0, 0, 0), (0, 0.1, 0), (0, 0, 0)))
PATCH = Patch(x_min=0, x_max=1, y_min=0, y_max=1)


class Block(Box):
    """Any kind that is not one of the package's."""

    kind: Literal["block of a kind of its own"] = "block of a kind of its own"  # type: ignore[assignment]


class Example(NamedTuple):
    """A small robot and world with one feature, and the field and value by which it is named."""

    named: str
    robot: Robot = Robot(name="two", links=(LINK, LINK))
    world: World = World(name="w")
    servo: Servo = Servo()
    self_contact: bool = False  # option of the plant


def of_links(named: str, link: Link) -> Example:
    return Example(f"robot.links.0.{named}", robot=Robot(name="two", links=(link, link)))


def of_joint(named: str, **fields: Any) -> Example:
    joint = Joint.parse(fields)
    return Example(f"robot.joints.0.{named}", robot=Robot(name="two", links=(LINK, LINK), joints=(joint,)))


def of_ground(named: str, **fields: Any) -> Example:
    return Example(f"world.ground.{named}", world=World(name="w", ground=Ground(**fields)))


def of_obstacle(named: str, obstacle: Obstacle) -> Example:
    return Example(f"world.obstacles.0{named}", world=World.parse({"name": "w", "obstacles": (obstacle,)}))


EXAMPLES: dict[tuple[str, str], Example] = {
    ("links", "round"): of_links("shape = 'round'", LINK),
    ("links", "square"): of_links("shape = 'square'", LINK.model_copy(update={"shape": "square"})),
    ("links", "thin"): of_links("radius = 0.0 m", THIN),
    ("self_contact", "self_contact"): Example("plant.self_contact = true", self_contact=True),
    ("axes", "yaw"): of_joint("axes = 'yaw'"),
    ("axes", "pitch"): of_joint("axes = 'pitch'", axes="pitch"),
    ("axes", "yaw-pitch"): of_joint("axes = 'yaw-pitch'", axes="yaw-pitch"),
    ("axes", "pitch-yaw"): of_joint("axes = 'pitch-yaw'", axes="pitch-yaw"),
    ("joints", "unactuated"): of_joint("actuated = False", actuated=False),
    ("joints", "spring"): of_joint("stiffness = 1.0 N m/rad", stiffness=1.0),
    ("joints", "damper"): of_joint("damping = 0.1 N m s/rad", damping=0.1),
    ("joints", "stops"): of_joint("upper = 0.5 rad", upper=0.5),
    ("joints", "armature"): of_joint("armature = 0.1 kg m2", armature=0.1),
    ("joints", "axes_apart"): of_joint("axes", axes="yaw-pitch", axes_apart=0.01),  # cardan joints alone have it
    ("servo", "play"): Example("servo.play = 0.01 rad", servo=Servo(play=0.01)),
    ("ground", "friction_across"): of_ground("friction_across = 0.5", friction_across=0.5),
    ("ground", "friction_backward"): of_ground("friction_backward = 0.5", friction_backward=0.5),
    ("ground", "viscous"): of_ground("viscous = 2.0 N s/m", viscous=2.0),
    ("ground", "torque"): of_ground("torque = True", torque=True),
    ("ground", "patches"): of_ground("patches.0 is a patch", patches=(PATCH,)),
    ("ground", "rolling"): of_ground("rolling = 0.1", rolling=0.1),
    ("ground", "stribeck"): of_ground("stribeck = 0.2", stribeck=0.2),
    ("terrain", "slope"): Example("world.down = (1.0, 0.0, -1.0)", world=World(name="w", down=(1, 0, -1))),
    ("terrain", "profile"): Example(
        "world.terrain is a profile", world=World(name="w", terrain=Profile(points=((0, 0), (1, 0.1))))
    ),
    ("terrain", "heightfield"): Example("world.terrain is a heightfield", world=World(name="w", terrain=HILL)),
    ("obstacles", "disc"): of_obstacle(" is a disc", PEG),
    ("obstacles", "wall"): of_obstacle(" is a wall", Wall(points=SQUARE[:2])),
    ("obstacles", "polygon"): of_obstacle(" is a polygon", Polygon(points=SQUARE)),
    ("obstacles", "cylinder"): of_obstacle(" is a cylinder", Cylinder(start=(5, 5, 0), end=(6, 5, 0), radius=0.1)),
    ("obstacles", "box"): of_obstacle(" is a box", Box(centre=(5, 5, 0), size=(1, 1, 1))),
    ("obstacles", "solid"): of_obstacle(" is a block of a kind of its own", Block(centre=(5, 5, 0), size=(1, 1, 1))),
    ("touch", "friction"): of_obstacle("", PEG.model_copy(update={"friction": 0.3})),  # or the disc is what is named
    ("touch", "restitution"): of_obstacle("", PEG.model_copy(update={"restitution": 0.4})),
    ("touch", "mass"): of_obstacle("", PEG.model_copy(update={"mass": 0.5})),
}
# What has to come along with a feature.
TOGETHER = {("touch", feature): {("obstacles", "disc")} for feature in FEATURES["touch"]} | {
    ("joints", "axes_apart"): {("axes", "yaw-pitch")}
}
MUJOCO = find_spec("mujoco") is not None
CASES = [
    pytest.param(
        model,
        feature,
        id=f"{model.title}, {feature[1]}",
        marks=pytest.mark.skipif(model.plant == "mujoco" and not MUJOCO, reason="the extra `mujoco` is optional"),
    )
    for model in all_models()
    for feature in EXAMPLES
]


def build(plant: str, example: Example, **options: Any) -> Any:
    kind = plants[plant]
    touching = {"self_contact": True} if example.self_contact else {}
    return kind.build(example.robot, example.world, example.servo, kind.Options.parse(options | touching))


def supported(model: Supports, feature: tuple[str, str]) -> bool:
    return all(model.has(*each) for each in {feature, *TOGETHER.get(feature, ())})


def test_every_feature_has_an_example_with_nothing_else() -> None:
    assert set(EXAMPLES) == {(group, feature) for group, features in FEATURES.items() for feature in features}
    always = {("links", "round"), ("axes", "yaw")}
    for feature, example in EXAMPLES.items():
        found = uses(example.robot, example.world, example.servo, example.self_contact)
        assert {use[:2] for use in found} - always == {feature, *TOGETHER.get(feature, ())} - always


@pytest.mark.parametrize(("model", "feature"), CASES)
def test_what_is_supported_builds_and_what_is_not_is_refused(model: Supports, feature: tuple[str, str]) -> None:
    example, options = EXAMPLES[feature], dict([model.option] if model.option else [])
    if supported(model, feature):
        assert build(model.plant, example, **options).dimensions == model.dimensions
        return
    with pytest.raises(InvalidInput) as refused:
        build(model.plant, example, **options)
    message = str(refused.value)
    assert "\n" not in message
    if example.self_contact and "self_contact" not in plants[model.plant].Options.model_fields:
        assert "unknown field" in message
        assert "'self_contact'" in message
        return
    only = "is planar" if model.dimensions == 2 and Use(*feature, "").is_spatial else "supports"
    assert message.startswith(f"{model.title} {only}"), message
    assert f": {example.named}" in message
    assert_alternative_builds(model, example, message)


def assert_alternative_builds(model: Supports, example: Example, message: str) -> None:
    advice = message.rpartition("; use ")[2]
    if other := re.fullmatch(r"plant '(\w+)'", advice):
        assert other[1] != model.plant
        build(other[1], example)
    else:
        option = re.fullmatch(r"plant\.(\w+) = '?(\w+)'?", advice)
        assert option is not None, message
        build(model.plant, example, **{option[1]: int(option[2]) if option[2].isdigit() else option[2]})


def test_what_no_plant_supports_says_so() -> None:
    both = EXAMPLES["terrain", "profile"]._replace(robot=EXAMPLES["axes", "pitch"].robot)
    world = both.world.model_copy(update={"obstacles": (PEG.model_copy(update={"mass": 0.5}),)})
    with pytest.raises(InvalidInput, match=r"world\.obstacles\.0\.mass = 0\.5 kg; no plant supports all of this robot"):
        build("spatial_stepping", both._replace(world=world))


def test_laws_of_patches_are_named_too() -> None:
    patch = PATCH.model_copy(update={"rolling": 0.1})
    with pytest.raises(InvalidInput, match=r"is planar: world\.ground\.patches\.0\.rolling = 0\.1"):
        build("planar_stepping", of_ground("patches", patches=(patch,)))


def test_no_field_is_left_out() -> None:
    """A new field of these needs a feature, or a line here that says why every plant has it."""
    everywhere = {
        Link: {"length", "mass", "inertia", "core", "inertia_roll", "inertia_pitch", "edge_radius"},
        Servo: {"stiffness", "damping", "torque_limit", "pitch_stiffness", "pitch_damping"},
        Ground: {"friction", "stribeck_speed"},
        World: {"name", "gravity", "source"},
        Obstacle: set(),
    }
    named: dict[type[Any], set[str]] = {
        Link: {"shape", "radius"},
        Servo: {"play"},
        Ground: {*FEATURES["ground"], "viscous_across"},
        World: {"ground", "down", "terrain", "obstacles"},
        Obstacle: {"friction", "restitution"},
    }
    assert set(Joint.model_fields) == {"axes", *JOINT_FIELDS}
    for model, fields in everywhere.items():
        assert set(model.model_fields) == fields | named[model], model.__name__
    assert math.isinf(Joint().upper)  # a stop that is not there is no feature


def test_the_documentation_has_this_table() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/plants.md").read_text(encoding="utf-8")
    table = capability_table()
    assert table in page, f"docs/reference/plants.md should have this table:\n{table}"
