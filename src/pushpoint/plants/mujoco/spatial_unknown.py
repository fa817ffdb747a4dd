"""What the plant does not know in space is refused by name, never left out silently."""

from __future__ import annotations

from collections.abc import Iterator

from pushpoint.errors import InvalidInput
from pushpoint.mechanics.flatness import beyond_dry_friction
from pushpoint.plants.mujoco.unknown import SERVOS
from pushpoint.robots import Link, Robot, Servo
from pushpoint.worlds import Disc, Obstacle, World

GROUND = "knows dry friction along and across the links and rolling friction only"
TERRAIN = "knows the directions of links on the plane only"
OBSTACLES = "knows fixed inelastic obstacles only"
LINKS = "needs links that can be made of masses, with a width"
JOINTS = "needs some way between the stops of a joint"
ROUND_OFF = 1e-9  # relative, in the moments of inertia of flat things
STRIBECK = "knows friction that does not depend on the speed"


def refuse_unknown_in_space(robot: Robot, world: World, servo: Servo) -> None:
    """Name the first thing that the plant has no model of."""
    for what, known in _unknown(robot, world, servo):
        raise InvalidInput(f"plant 'mujoco' {known}: {what}; use plant 'spatial_stepping'")


def _unknown(robot: Robot, world: World, servo: Servo) -> Iterator[tuple[str, str]]:
    """(what, why) of everything that is unknown."""
    for i, link in enumerate(robot.links):
        for what in _of_link(link):
            yield f"robot.links.{i}.{what}", LINKS
    for j, joint in enumerate(robot.joints):
        if joint.lower == joint.upper:
            yield f"robot.joints.{j}.upper = {joint.upper} rad", JOINTS
    if servo.play > 0:
        yield f"servo.play = {servo.play} rad", SERVOS
    if world.ground.stribeck > 0:
        yield f"world.ground.stribeck = {world.ground.stribeck}", STRIBECK
    for what in beyond_dry_friction(world.ground):
        yield f"world.ground.{what}", GROUND
    for k in range(len(world.ground.patches)):
        yield f"world.ground.patches.{k} is a patch with a law of its own", GROUND
    if world.terrain is not None and world.ground.across != world.ground.along:
        yield f"world.ground.friction_across = {world.ground.across} on terrain", TERRAIN
    for k, thing in enumerate(world.obstacles):
        for what in _of_obstacle(thing):
            yield f"world.obstacles.{k}.{what}", OBSTACLES


def _of_link(link: Link) -> Iterator[str]:
    if link.radius == 0:
        yield "radius = 0.0 m"
    moments = {"inertia": link.inertia, "inertia_pitch": link.about_pitch, "inertia_roll": link.about_roll}
    largest = max(moments, key=lambda name: moments[name])
    others = sum(moments.values()) - moments[largest]
    if moments[largest] > others * (1 + ROUND_OFF):
        yield f"{largest} = {moments[largest]} kg m2 is more than the other two moments together, {others:.6g} kg m2"


def _of_obstacle(thing: Obstacle) -> Iterator[str]:
    if isinstance(thing, Disc) and thing.mass is not None:
        yield f"mass = {thing.mass} kg"
    if thing.restitution > 0:
        yield f"restitution = {thing.restitution}"
