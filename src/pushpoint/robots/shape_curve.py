"""The robot that P3 simulates, which has no name there."""

from __future__ import annotations

from pushpoint.quantities import Length, Links
from pushpoint.robots import Joint, Link, Robot, Servo, robots


@robots.register("square-17")
def square_17(links: Links = 17, length: Length = 0.08) -> Robot:
    """Seventeen square links of 0.08 m (`length` [m]) with joints that turn sideways and up and down in turns.

    P3 gives no masses, gains or limits: mass, servo and armature are ours, chosen so that two engines follow P3's
    shapes with them. Moments of inertia are those of a solid bar. The joint next to the head is a yaw joint.
    """
    width, mass = 0.07, 0.3  # P3 IV-A: height/width; the mass [kg] is ours
    link = Link(
        length=length,
        mass=mass,
        inertia=mass * (length**2 + width**2) / 12,
        radius=width / 2,
        core=length / 2 - width / 20,  # the rounded edges end where the link ends
        shape="square",
    )
    turns = (Joint(axes="yaw", armature=0.01), Joint(axes="pitch", armature=0.01))  # [kg m2], ours
    return Robot(
        name="square-17",
        links=(link,) * links,
        joints=tuple(turns[j % 2] for j in reversed(range(links - 1))),  # P3 II: neighbouring axes are orthogonal
        servo=Servo(stiffness=200.0, damping=8.0, torque_limit=20.0),  # ours
        source="Liljebäck et al., A 3D Motion Planning Framework for Snake Robots, IV-A; mass and servo are ours",
    )
