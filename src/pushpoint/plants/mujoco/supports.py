"""What MuJoCo's planar and spatial models support, and robots in space that MuJoCo refuses for their numbers."""

from __future__ import annotations

from collections.abc import Iterator

from pushpoint.errors import InvalidInput
from pushpoint.plants._supports import Supports
from pushpoint.robots import JOINT_TYPES, Link, Robot
from pushpoint.worlds import World

PLANE = Supports(
    plant="mujoco",
    option=("dimensions", 2),
    is_default=False,
    dimensions=2,
    links=frozenset({"round"}),
    joints=frozenset({"damper"}),
    ground=frozenset({"friction_across"}),
    obstacles=frozenset({"disc"}),
)
SPACE = Supports(
    plant="mujoco",
    option=("dimensions", 3),
    is_default=False,
    dimensions=3,
    links=frozenset({"round", "square"}),
    self_contact=frozenset({"self_contact"}),
    axes=JOINT_TYPES,
    joints=frozenset({"unactuated", "spring", "damper", "stops", "armature", "axes_apart"}),
    ground=frozenset({"friction_across", "rolling"}),
    terrain=frozenset({"slope", "profile", "heightfield"}),
    obstacles=frozenset({"disc", "wall", "polygon", "cylinder", "box", "solid"}),
    touch=frozenset({"friction"}),
)

TERRAIN = "supports the directions of links on the plane only"
LINKS = "needs links that can be made of masses"
JOINTS = "needs some distance between the stops of a joint"
ROUND_OFF = 1e-9  # relative, in the moments of inertia of flat bodies


def refuse_by_numbers(robot: Robot, world: World) -> None:
    """Values in space that MuJoCo does not take, or in a combination that it has no model of."""
    for what, needed in _refused(robot, world):
        raise InvalidInput(f"plant 'mujoco' {needed}: {what}; use plant 'spatial_stepping'")


def _refused(robot: Robot, world: World) -> Iterator[tuple[str, str]]:
    """(what, why) of all of them."""
    for i, link in enumerate(robot.links):
        for what in _without_masses(link):
            yield f"robot.links.{i}.{what}", LINKS
    for j, joint in enumerate(robot.joints):
        if joint.lower == joint.upper:
            yield f"robot.joints.{j}.upper = {joint.upper} rad", JOINTS
    if world.terrain is not None and world.ground.across != world.ground.along:
        yield f"world.ground.friction_across = {world.ground.across} on terrain", TERRAIN


def _without_masses(link: Link) -> Iterator[str]:
    moments = {"inertia": link.inertia, "inertia_pitch": link.about_pitch, "inertia_roll": link.about_roll}
    largest = max(moments, key=lambda name: moments[name])
    others = sum(moments.values()) - moments[largest]
    if moments[largest] > others * (1 + ROUND_OFF):
        yield f"{largest} = {moments[largest]} kg m2 is more than the other two moments together, {others:.6g} kg m2"
