"""A chain of equal rods, for experiments of one's own."""

from __future__ import annotations

from pydantic import PositiveInt

from pushpoint.fields import NonNegative, Positive
from pushpoint.robots import Link, Robot, Servo, robots


@robots.register("uniform")
def uniform(
    links: PositiveInt = 10,
    length: Positive = 0.14,
    mass: Positive = 1.0,
    radius: Positive = 0.03,
    stiffness: NonNegative = 100.0,
    damping: NonNegative = 1.0,
) -> Robot:
    """Equal slender rods: the inertia is that of a rod, mass * length**2 / 12."""
    link = Link(length=length, mass=mass, inertia=mass * length**2 / 12, radius=radius)
    return Robot(name="uniform", links=(link,) * links, servo=Servo(stiffness=stiffness, damping=damping), source="own")
