"""The robot of our runs along a path of pegs."""

from __future__ import annotations

from pushpoint.quantities import Links, TorqueLimit
from pushpoint.robots import Link, Robot, Servo, robots


@robots.register("fourteen-link")
def fourteen_link(links: Links = 14, torque_limit: TorqueLimit = 5.0) -> Robot:
    """Links of 0.3 m and 1 kg, 0.1 m wide, with torque control [N m]: as many links as the robot of P4 5.2."""
    link = Link(length=0.3, mass=1.0, inertia=0.00417, radius=0.05)
    return Robot(name="fourteen-link", links=(link,) * links, servo=Servo(torque_limit=torque_limit), source="own")
