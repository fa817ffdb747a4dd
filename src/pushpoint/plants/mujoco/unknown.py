"""What this plant does not know is refused by name, never left out silently."""

from __future__ import annotations

from collections.abc import Iterator

from pushpoint.errors import InvalidInput
from pushpoint.mechanics.flatness import beyond_dry_friction
from pushpoint.robots import Joint, Robot, Servo
from pushpoint.worlds import Disc, Obstacle, World

SERVOS = "has no dead band"
DISCS = "knows fixed smooth inelastic discs only"
GROUND = "knows dry friction along and across the links only"
JOINTS = "knows joints with nothing but a servo and a damper"
KNOWN = ("damping",)  # fields of joints


def refuse_unknown(robot: Robot, world: World, servo: Servo) -> None:
    """Name the first thing that the plant has no model of."""
    for what, known in _unknown(robot, world, servo):
        raise InvalidInput(f"plant 'mujoco' {known}: {what}; use plant 'planar_stepping'")


def _unknown(robot: Robot, world: World, servo: Servo) -> Iterator[tuple[str, str]]:
    """(what, why) of everything that is unknown."""
    for i, link in enumerate(robot.links):
        if link.radius == 0:
            yield f"robot.links.{i}.radius = 0.0 m", "needs links with a width"
    if servo.play > 0:
        yield f"servo.play = {servo.play} rad", SERVOS
    for what in beyond_dry_friction(world.ground):
        yield f"world.ground.{what}", GROUND
    for k in range(len(world.ground.patches)):
        yield f"world.ground.patches.{k} is a patch with a law of its own", GROUND
    for k, thing in enumerate(world.obstacles):
        for what in _of_obstacle(thing):
            yield f"world.obstacles.{k}{what}", DISCS
    for j, joint in enumerate(robot.joints):
        for what in _of_joint(joint):
            yield f"robot.joints.{j}.{what}", JOINTS


def _of_obstacle(thing: Obstacle) -> Iterator[str]:
    if not isinstance(thing, Disc):
        yield f" is a {type(thing).__name__.lower()}"
    elif thing.mass is not None:
        yield f".mass = {thing.mass} kg"
    for field in ("friction", "restitution"):
        if getattr(thing, field) > 0:
            yield f".{field} = {getattr(thing, field)}"


def _of_joint(joint: Joint) -> Iterator[str]:
    plain = Joint()
    for field in Joint.model_fields.keys() - KNOWN:
        value = getattr(joint, field)
        if value != getattr(plain, field):
            yield f"{field} = {value}"
