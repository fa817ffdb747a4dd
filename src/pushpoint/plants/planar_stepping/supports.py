"""What this plant supports: by Newton's method, and by P2's own solver."""

from __future__ import annotations

from pushpoint.errors import InvalidInput
from pushpoint.plants._supports import Supports
from pushpoint.robots import Robot
from pushpoint.worlds import Disc, World

NEWTON = Supports(
    plant="planar_stepping",
    option=("solver", "newton"),
    dimensions=2,
    links=frozenset({"round", "thin"}),
    self_contact=frozenset({"self_contact"}),
    joints=frozenset({"unactuated", "spring", "damper", "stops", "armature"}),
    servo=frozenset({"play"}),
    ground=frozenset({"friction_across", "friction_backward", "viscous", "torque", "patches"}),
    obstacles=frozenset({"disc", "wall", "polygon"}),
    touch=frozenset({"friction", "restitution", "mass"}),
)
PROJECTION = Supports(  # P2's own problem
    plant="planar_stepping",
    option=("solver", "projection"),
    is_default=False,
    dimensions=2,
    links=frozenset({"round", "thin"}),
    servo=frozenset({"play"}),
    ground=frozenset({"friction_across"}),
    obstacles=frozenset({"disc"}),
)


def refuse_thin_at_edges(robot: Robot, world: World) -> None:
    """Links without width and obstacles with edges: each alone is supported."""
    thin = [i for i, link in enumerate(robot.links) if link.radius == 0.0]
    flat = [k for k, obstacle in enumerate(world.obstacles) if not isinstance(obstacle, Disc)]
    if thin and flat:
        raise InvalidInput(
            f"robot.links.{thin[0]}.radius = 0.0 m: links without width have no side of a "
            f"{world.obstacles[flat[0]].kind} that they are on (world.obstacles.{flat[0]}); give them a radius, or use "
            "discs only"
        )
