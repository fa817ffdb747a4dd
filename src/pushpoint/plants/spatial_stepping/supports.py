"""What this plant supports: by the default scheme, and by P5's own."""

from __future__ import annotations

import math
from dataclasses import replace

from pushpoint.errors import InvalidInput
from pushpoint.plants._supports import Supports
from pushpoint.plants.spatial_stepping.options import SpatialSteppingOptions
from pushpoint.robots import JOINT_TYPES, Robot, Servo

CONSERVING = Supports(
    plant="spatial_stepping",
    option=("scheme", "conserving"),
    dimensions=3,
    links=frozenset({"round", "square", "thin"}),
    self_contact=frozenset({"self_contact"}),
    axes=JOINT_TYPES,
    joints=frozenset({"unactuated", "spring", "damper", "stops", "armature", "axes_apart"}),
    servo=frozenset({"play"}),
    ground=frozenset({"friction_across", "rolling", "stribeck"}),
    terrain=frozenset({"slope", "profile", "heightfield"}),
    obstacles=frozenset({"disc", "wall", "polygon", "cylinder", "box", "solid"}),
    touch=frozenset({"friction"}),
)
PAPER = replace(
    CONSERVING,
    option=("scheme", "paper"),
    is_default=False,
    links=frozenset({"round", "thin"}),
    self_contact=frozenset(),
    axes=frozenset({"yaw", "pitch", "yaw-pitch", "pitch-yaw"}),
    joints=frozenset({"unactuated", "spring", "damper"}),
    ground=frozenset({"friction_across", "rolling"}),
    terrain=frozenset({"slope"}),
    obstacles=frozenset(),
    touch=frozenset(),
)


def refuse_thin(robot: Robot) -> None:
    """Links of no width must resist rolling by an inertia that is given, and have no edges."""
    for i, link in enumerate(robot.links):
        if link.about_roll == 0.0:
            raise _thin(i, "needs links that resist rolling", " without inertia_roll")
        if link.shape == "square" and link.radius == 0.0:
            raise _thin(i, "needs square links with a width")


def _thin(link: int, needed: str, without: str = "") -> InvalidInput:
    return InvalidInput(f"plant 'spatial_stepping' {needed}: robot.links.{link}.radius = 0.0 m{without}")


def refuse_by_scheme(robot: Robot, servo: Servo, options: SpatialSteppingOptions) -> None:
    """Options of the other scheme, and steps that are too long for P5's own."""
    if options.scheme == "conserving":
        for name in ("r_N", "r_T", "r_V"):
            if getattr(options, name) is not None:
                raise InvalidInput(f"plant.{name}: it belongs to plant.scheme = 'paper'; 'conserving' has no such step")
        return
    if "hardness" in options.model_fields_set:
        raise InvalidInput(
            f"plant.hardness = {options.hardness:g}: it belongs to plant.scheme = 'conserving'; 'paper' has rigid "
            "contacts"
        )
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
