"""What only spatial plants can represent: planar ones refuse it by name."""

from __future__ import annotations

from collections.abc import Iterator

from pushpoint.errors import InvalidInput
from pushpoint.robots import Robot
from pushpoint.worlds import GroundLaw, Upright, World


def refuse_spatial(plant: str, robot: Robot, world: World) -> None:
    """Name the first thing that leaves the plane."""
    for what in _spatial(robot, world):
        raise InvalidInput(f"plant {plant!r} is planar: {what}; use plant 'spatial_stepping'")


def _spatial(robot: Robot, world: World) -> Iterator[str]:
    for j, joint in enumerate(robot.joints):
        if joint.axes != "yaw":
            yield f"robot.joints.{j}.axes = {joint.axes!r}"
    for i, link in enumerate(robot.links):
        if link.shape != "round":
            yield f"robot.links.{i}.shape = {link.shape!r}"
    if world.terrain is not None:
        yield f"world.terrain is a {world.terrain.kind}"
    if not (world.down[0] == world.down[1] == 0 and world.down[2] < 0):
        yield f"world.down = {world.down}"
    if world.ground.rolling > 0:
        yield f"world.ground.rolling = {world.ground.rolling}"
    for where, ground in (("", world.ground), *((f"patches.{k}.", p) for k, p in enumerate(world.ground.patches))):
        if ground.stribeck > 0:
            yield f"world.ground.{where}stribeck = {ground.stribeck}"
    for k, thing in enumerate(world.obstacles):
        if not isinstance(thing, Upright):
            yield f"world.obstacles.{k} is a {type(thing).__name__.lower()}"


def beyond_dry_friction(ground: GroundLaw) -> Iterator[str]:
    """What goes beyond dry friction, the same in both senses."""
    if ground.backward != ground.along:
        yield f"friction_backward = {ground.backward}"
    if ground.viscous:
        yield f"viscous = {ground.viscous} N s/m"
    if ground.drag_across:
        yield f"viscous_across = {ground.drag_across} N s/m"
    if ground.torque:
        yield "torque = True"
