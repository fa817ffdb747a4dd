"""Which robots, worlds and servos a plant has a model of: as data, and one check that refuses all others by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from pushpoint.errors import InvalidInput
from pushpoint.robots import JOINT_TYPES, Joint, Link, Robot, Servo
from pushpoint.worlds import LAW_FEATURES, GroundLaw, Obstacle, World

Links = Literal["round", "square", "thin"]
Joints = Literal["unactuated", "spring", "damper", "stops", "armature", "axes_apart"]
Play = Literal["play"]
Terrain = Literal["slope", "profile", "heightfield"]
Obstacles = Literal["disc", "wall", "polygon", "cylinder", "box", "solid"]  # solid: of any other kind, by its parts
Touch = Literal["friction", "restitution", "mass"]
SelfContact = Literal["self_contact"]

# All features, by the fields of `Supports`: how they are called in the table of the documentation.
FEATURES: dict[str, dict[str, str]] = {
    "links": {"round": "round links", "square": "square links", "thin": "links of no width"},
    "self_contact": {"self_contact": "links that touch each other"},
    "axes": JOINT_TYPES,
    "joints": {
        "unactuated": "joints without a servo",
        "spring": "springs",
        "damper": "dampers",
        "stops": "stops",
        "armature": "armature",
        "axes_apart": "`axes_apart`",
    },
    "servo": {"play": "play of servos"},
    "ground": {name: feature.words for name, feature in LAW_FEATURES.items()},
    "terrain": {"slope": "slopes", "profile": "profiles", "heightfield": "height fields"},
    "obstacles": {
        "disc": "discs",
        "wall": "walls",
        "polygon": "polygons",
        "cylinder": "cylinders",
        "box": "boxes",
        "solid": "other solids",
    },
    "touch": {
        "friction": "friction on obstacles",
        "restitution": "restitution of obstacles",
        "mass": "obstacles that can be pushed about",
    },
}

# What no planar model can have, so that refusals say no more than this.
SPATIAL = {
    *(("terrain", kind) for kind in FEATURES["terrain"]),
    *(("obstacles", kind) for kind in ("cylinder", "box", "solid")),
    *(("ground", name) for name, feature in LAW_FEATURES.items() if feature.in_space),
    *(("links", "square"), ("joints", "axes_apart")),
}

# Fields of joints: the feature that one has whose value is not the default, and the unit.
JOINT_FIELDS: dict[str, tuple[Joints, str]] = {
    "actuated": ("unactuated", ""),
    "stiffness": ("spring", " N m/rad"),
    "angle": ("spring", " rad"),
    "damping": ("damper", " N m s/rad"),
    "lower": ("stops", " rad"),
    "upper": ("stops", " rad"),
    "armature": ("armature", " kg m2"),
    "axes_apart": ("axes_apart", " m"),
}
PLAIN = Joint()


class Use(NamedTuple):
    """A feature that a robot, world, servo or run has, and the field and value that say so."""

    group: str
    feature: str
    where: str

    @property
    def is_spatial(self) -> bool:
        return (self.group, self.feature) in SPATIAL or (self.group == "axes" and self.feature != "yaw")


@dataclass(frozen=True, kw_only=True)
class Supports:
    """What one model of a plant supports. Every model has dry friction and joints with a servo; the rest is listed."""

    plant: str
    option: tuple[str, Any] | None = None  # name and value of the option that chooses this model of the plant
    is_default: bool = True  # whether the plant uses it without that option
    dimensions: Literal[2, 3]
    links: frozenset[Links]
    self_contact: frozenset[SelfContact] = frozenset()
    axes: Collection[str] = frozenset({"yaw"})
    joints: frozenset[Joints] = frozenset()  # besides a servo
    servo: frozenset[Play] = frozenset()
    ground: frozenset[str] = frozenset()  # besides dry friction: names of LAW_FEATURES
    terrain: frozenset[Terrain] = frozenset()  # besides the level plane
    obstacles: frozenset[Obstacles] = frozenset()  # kinds
    touch: frozenset[Touch] = frozenset()  # besides fixed smooth inelastic obstacles
    assumptions: tuple[tuple[str, str], ...] = ()  # of a paper: group, and where they are printed

    def has(self, group: str, feature: str) -> bool:
        return feature in getattr(self, group)

    @property
    def size(self) -> int:
        """Number of features."""
        return sum(len(getattr(self, group)) for group in FEATURES)

    @property
    def title(self) -> str:
        """As refusals call it: options that nobody has to give are left out."""
        if self.is_default or self.option is None:
            return f"plant {self.plant!r}"
        return f"plant {self.plant!r} with {self.option[0]} = {self.option[1]!r}"

    def check(self, robot: Robot, world: World, servo: Servo, self_contact: object = False) -> None:
        """Refuse the first feature that is not supported; `self_contact` is the option of the plant."""
        for use in uses(robot, world, servo, self_contact):
            if not self.has(use.group, use.feature):
                planar = self.dimensions == 2 and use.is_spatial
                only = "is planar" if planar else _only(self, use.group)
                used = {(each.group, each.feature) for each in uses(robot, world, servo, self_contact)}
                raise InvalidInput(f"{self.title} {only}: {use.where}; {_alternative(self, used)}")


def uses(robot: Robot, world: World, servo: Servo, self_contact: object = False) -> Iterator[Use]:
    """All their features, one by one, but for those that every model has, such as dry friction."""
    for i, link in enumerate(robot.links):
        yield from _of_link(f"robot.links.{i}", link)
    for j, joint in enumerate(robot.joints):
        yield from _of_joint(f"robot.joints.{j}", joint)
    if servo.play > 0:
        yield Use("servo", "play", f"servo.play = {servo.play} rad")
    if self_contact is True:
        yield Use("self_contact", "self_contact", "plant.self_contact = true")
    if world.terrain is not None:
        yield Use("terrain", world.terrain.kind, f"world.terrain is a {world.terrain.kind}")
    if not (world.down[0] == world.down[1] == 0 and world.down[2] < 0):
        yield Use("terrain", "slope", f"world.down = {world.down}")
    yield from _of_law("world.ground", world.ground)
    for k, patch in enumerate(world.ground.patches):
        yield Use("ground", "patches", f"world.ground.patches.{k} is a patch with a law of its own")
        yield from _of_law(f"world.ground.patches.{k}", patch)
    for k, obstacle in enumerate(world.obstacles):
        feature = obstacle.kind if obstacle.kind in FEATURES["obstacles"] else "solid"
        yield Use("obstacles", feature, f"world.obstacles.{k} is a {obstacle.kind}")
        yield from _of_touch(f"world.obstacles.{k}", obstacle)


def _of_link(where: str, link: Link) -> Iterator[Use]:
    yield Use("links", link.shape, f"{where}.shape = {link.shape!r}")
    if link.radius == 0:
        yield Use("links", "thin", f"{where}.radius = 0.0 m")


def _of_joint(where: str, joint: Joint) -> Iterator[Use]:
    yield Use("axes", joint.axes, f"{where}.axes = {joint.axes!r}")
    for field, (feature, unit) in JOINT_FIELDS.items():
        value = getattr(joint, field)
        if value != getattr(PLAIN, field):
            yield Use("joints", feature, f"{where}.{field} = {value}{unit}")


def _of_law(where: str, law: GroundLaw) -> Iterator[Use]:
    for feature, said in law.features():
        yield Use("ground", feature, f"{where}.{said}")


def _of_touch(where: str, obstacle: Obstacle) -> Iterator[Use]:
    if obstacle.is_movable:
        yield Use("touch", "mass", f"{where}.mass = {getattr(obstacle, 'mass', None)} kg")
    if obstacle.friction > 0:
        yield Use("touch", "friction", f"{where}.friction = {obstacle.friction}")
    if obstacle.restitution > 0:
        yield Use("touch", "restitution", f"{where}.restitution = {obstacle.restitution}")


def _only(supports: Supports, group: str) -> str:
    """What is supported in place of something else of the same group."""
    printed = dict(supports.assumptions).get(group)
    return _ONLY[group](supports) + (f", {printed}" if printed else "")


def _obstacles(supports: Supports) -> str:
    if not supports.obstacles:
        return "supports no obstacles"
    plain = {"mass": "fixed ", "friction": "smooth ", "restitution": "inelastic "}
    kind = "".join(word for feature, word in plain.items() if feature not in supports.touch)
    return f"supports {kind}{_listed(supports, 'obstacles')} only"


_ONLY: dict[str, Callable[[Supports], str]] = {
    "links": lambda s: f"supports {_listed(s, 'links')}" + (" only" if "thin" in s.links else " with a width only"),
    "self_contact": lambda s: "supports no contacts between links",
    "axes": lambda s: f"supports {_listed(s, 'axes')} only",
    "joints": lambda s: f"supports {_listed(s, 'joints', 'joints with servos')} only",
    "servo": lambda s: "supports servos without play only",
    "ground": lambda s: f"supports {_listed(s, 'ground', 'dry friction')} only",
    "terrain": lambda s: f"supports {_listed(s, 'terrain', 'the level plane')} only",
    "obstacles": _obstacles,
    "touch": _obstacles,
}


def _listed(supports: Supports, group: str, *always: str) -> str:
    words = [*always, *(word for feature, word in FEATURES[group].items() if supports.has(group, feature))]
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])).replace("`", "")


def _alternative(refused: Supports, used: Collection[tuple[str, str]]) -> str:
    """Which model to use instead: one that supports all of it, in as many dimensions if possible."""
    from pushpoint.plants import plants  # here, as only a refusal has to import all plants

    able = [model for name in plants for model in plants[name].supports if all(model.has(*each) for each in used)]
    if not able:
        return "no plant supports all of this robot and world"
    own = ("self_contact", "self_contact") in used  # an option that other plants need not have

    def order(model: Supports) -> tuple[bool, bool, int]:
        return own and model.plant != refused.plant, model.dimensions != refused.dimensions, -model.size

    best = min(able, key=order)
    if best.plant == refused.plant and best.option:
        return f"use plant.{best.option[0]} = {best.option[1]!r}"
    return f"use plant {best.plant!r}"
