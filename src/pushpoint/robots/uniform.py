"""A chain of equal rods, for experiments of one's own."""

from __future__ import annotations

from pushpoint.quantities import Gain, Length, Links, Mass
from pushpoint.robots import Link, Robot, Servo, robots


@robots.register("uniform")
def uniform(
    links: Links = 10,
    length: Length = 0.14,
    mass: Mass = 1.0,
    radius: Length = 0.03,
    stiffness: Gain = 100.0,
    damping: Gain = 1.0,
) -> Robot:
    """Equal slender rods: the inertia is that of a rod, mass * length**2 / 12."""
    link = Link(length=length, mass=mass, inertia=mass * length**2 / 12, radius=radius)
    return Robot(name="uniform", links=(link,) * links, servo=Servo(stiffness=stiffness, damping=damping), source="own")
