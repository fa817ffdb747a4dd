"""What this plant does not know is refused by name, when it is built."""

from __future__ import annotations

from collections.abc import Iterator

from pushpoint.errors import InvalidInput
from pushpoint.mechanics.flatness import beyond_dry_friction
from pushpoint.robots import Robot, Servo
from pushpoint.worlds import Disc, Obstacle, World

GROUND = "knows dry friction along and across the links and rolling friction only"
OBSTACLES = "knows fixed inelastic obstacles only"


def refuse_unknown(robot: Robot, world: World, servo: Servo) -> None:
    """Name the first thing that the plant has no model of."""
    for what, known in _unknown(robot, world, servo):
        raise InvalidInput(f"plant 'spatial_stepping' {known}: {what}")


def _unknown(robot: Robot, world: World, servo: Servo) -> Iterator[tuple[str, str]]:
    """(what, why) of everything that is unknown."""
    for i, link in enumerate(robot.links):
        if link.about_roll == 0.0:
            yield f"robot.links.{i}.radius = 0.0 m without inertia_roll", "needs links that resist rolling"
        if link.shape == "square" and link.radius == 0.0:
            yield f"robot.links.{i}.radius = 0.0 m", "needs square links with a width"
    if servo.play > 0:
        yield f"servo.play = {servo.play} rad", "has no dead band"
    for what in beyond_dry_friction(world.ground):
        yield f"world.ground.{what}", GROUND
    for k in range(len(world.ground.patches)):
        yield f"world.ground.patches.{k} is a patch with a law of its own", GROUND
    for k, thing in enumerate(world.obstacles):
        for what in _of_obstacle(thing):
            yield f"world.obstacles.{k}.{what}", OBSTACLES


def _of_obstacle(thing: Obstacle) -> Iterator[str]:
    if isinstance(thing, Disc) and thing.mass is not None:
        yield f"mass = {thing.mass} kg"
    if thing.restitution > 0:
        yield f"restitution = {thing.restitution}"
