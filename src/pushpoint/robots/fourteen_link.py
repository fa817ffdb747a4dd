"""The robot of our runs along a path of pegs."""

from __future__ import annotations

from pydantic import PositiveInt

from pushpoint.fields import PositiveOrInf
from pushpoint.robots import Link, Robot, Servo, robots


@robots.register("fourteen-link")
def fourteen_link(links: PositiveInt = 14, torque_limit: PositiveOrInf = 5.0) -> Robot:
    """Links of 0.3 m and 1 kg, 0.1 m wide, with torque control [N m]: as many links as the robot of P4 5.2."""
    link = Link(length=0.3, mass=1.0, inertia=0.00417, radius=0.05)
    return Robot(name="fourteen-link", links=(link,) * links, servo=Servo(torque_limit=torque_limit), source="own")
