"""Aiko, the wheel-less robot of NTNU and SINTEF (P2 VIII-A and VIII-C)."""

from __future__ import annotations

from pydantic import PositiveInt

from pushpoint.robots import Link, Robot, Servo, robots


@robots.register("aiko")
def aiko(links: PositiveInt = 11) -> Robot:
    """Eleven links of 0.122 m and 7.5/11 kg with round outline; `links` makes it longer or shorter."""
    link = Link(
        length=0.122,  # P2 VIII-A: L_i
        mass=7.5 / 11,  # P2 VIII-A: m_i
        inertia=1.32e-3,  # P2 VIII-A: J_i
        radius=0.0525,  # P2 VIII-A: L_SC
        core=0.0393,  # P2 VIII-A: L_GS
    )
    return Robot(
        name="aiko",
        links=(link,) * links,
        servo=Servo(stiffness=800.0, damping=2.0),  # P2 VIII-A: K_P, K_D
        source="Transeth et al. 2008, Snake Robot Obstacle Aided Locomotion, VIII-A",
    )
