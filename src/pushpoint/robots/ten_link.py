"""The robot of P1 VIII-B, which the authors had built but did not name."""

from __future__ import annotations

from pushpoint.quantities import Links, Width
from pushpoint.robots import Link, Robot, Servo, robots


@robots.register("ten-link")
def ten_link(links: Links = 10, radius: Width = 0.0) -> Robot:
    """Ten links of 0.14 m and 1 kg; P1's have no width, `radius` [m] gives them half of one."""
    link = Link(length=0.14, mass=1.0, inertia=0.0016, radius=radius)  # P1 VIII-B1: 2 l, m, J
    return Robot(
        name="ten-link",
        links=(link,) * links,
        servo=Servo(stiffness=20.0, damping=5.0),  # P1 VIII-B1: k_P, k_D
        source="Liljebäck et al. 2010, Hybrid Modelling and Control of Obstacle-Aided Snake Robot Locomotion, VIII-B",
    )
