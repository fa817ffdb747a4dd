"""What this plant does not know is refused by name, when it is built."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pushpoint.errors import InvalidInput
from pushpoint.mechanics.flatness import beyond_dry_friction
from pushpoint.plants.spatial_stepping.options import SpatialSteppingOptions
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
    for what in beyond_dry_friction(world.ground):
        yield f"world.ground.{what}", GROUND
    for k in range(len(world.ground.patches)):
        yield f"world.ground.patches.{k} is a patch with a law of its own", GROUND
    for k, thing in enumerate(world.obstacles):
        for what in _of_obstacle(thing):
            yield f"world.obstacles.{k}.{what}", OBSTACLES


def refuse_by_scheme(robot: Robot, world: World, servo: Servo, options: SpatialSteppingOptions) -> None:
    """What belongs to the other scheme, and what P5's own has no model of."""
    if options.scheme == "conserving":
        for name in ("r_N", "r_T", "r_V"):
            if getattr(options, name) is not None:
                raise InvalidInput(f"plant.{name}: it belongs to plant.scheme = 'paper'; 'conserving' has no such step")
        return
    for what in _not_printed(robot, world, options):
        raise InvalidInput(f"plant.scheme = 'paper': P5's own scheme {what}; use scheme 'conserving'")
    from pushpoint.plants.spatial_stepping.paper.model import longest_step

    longest = longest_step(robot, servo)
    if options.dt > longest:
        raise InvalidInput(
            f"plant.dt = {options.dt:g} s: scheme 'paper' takes joint torques from the start of a step, which is "
            f"stable with these servos and links up to {_rounded_down(longest):g} s; use a smaller one"
        )


def _rounded_down(value: float) -> float:
    """To two digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.floor(value / unit) * unit


def _not_printed(robot: Robot, world: World, options: SpatialSteppingOptions) -> Iterator[str]:
    if world.terrain is not None:
        yield f"knows the plane alone: world.terrain is a {world.terrain.kind}"
    for k, thing in enumerate(world.obstacles):
        yield f"knows the plane alone: world.obstacles.{k} is a {type(thing).__name__.lower()}"
    for i, link in enumerate(robot.links):
        if link.shape != "round":
            yield f"knows two spheres per link: robot.links.{i}.shape = {link.shape!r}"
    for j, joint in enumerate(robot.joints):
        if joint.armature > 0:
            yield f"has a diagonal mass matrix: robot.joints.{j}.armature = {joint.armature} kg m2"
        if joint.axes_apart > 0:
            yield f"knows cardan joints whose axes meet: robot.joints.{j}.axes_apart = {joint.axes_apart} m"
        for stop in ("lower", "upper"):
            if math.isfinite(getattr(joint, stop)):
                yield f"knows joints without stops: robot.joints.{j}.{stop} = {getattr(joint, stop)} rad"
    if world.ground.stribeck > 0:
        yield f"knows one coefficient of friction: world.ground.stribeck = {world.ground.stribeck}"
    if options.self_contact is True:
        yield "has no contacts between links: plant.self_contact = true"
    if "hardness" in options.model_fields_set:
        yield f"has rigid contacts: plant.hardness = {options.hardness:g}"


def _of_obstacle(thing: Obstacle) -> Iterator[str]:
    if isinstance(thing, Disc) and thing.mass is not None:
        yield f"mass = {thing.mass} kg"
    if thing.restitution > 0:
        yield f"restitution = {thing.restitution}"
