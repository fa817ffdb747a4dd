"""The robot of P4's simulations: SnakeSIM's model of Mamba, cut to six links for all experiments but the first."""

from __future__ import annotations

from pushpoint.quantities import Gain, Links, TorqueLimit
from pushpoint.robots import Joint, Link, Robot, Servo, robots

LENGTH = 0.3  # [m], from joint to joint: P4 Table 4.1, "joint offset"
MASS = 1.0  # [kg], P4 Table 4.1
BODY, WIDTH = 0.2, 0.1  # [m], of the box that a link is: P4 Table 4.1


@robots.register("snakesim")
def snakesim(links: Links = 6, joint_damping: Gain = 0.5, torque_limit: TorqueLimit = 2.0) -> Robot:
    """Links of 1 kg, 0.1 m wide, with joints 0.3 m apart (P4 Tables 4.1, 5.1, 5.2) and torque control.

    P4's links are boxes of 0.2 m with joints in the air between them; here they are capsules from joint to joint, so
    that a peg at a joint touches, as in P4's Fig. 5.2. The inertia is that of the box. `joint_damping` [N m s/rad] is
    not in P4's text: a simulator of its kind has some, and it decides whether P4's controllers settle (erratum P4-7).
    `torque_limit` [N m] is that of P4 5.4.1.
    """
    link = Link(length=LENGTH, mass=MASS, inertia=MASS * (BODY**2 + WIDTH**2) / 12, radius=WIDTH / 2)
    return Robot(
        name="snakesim",
        links=(link,) * links,
        joints=(Joint(damping=joint_damping),) * (links - 1),
        servo=Servo(torque_limit=torque_limit),
        source="Koushan 2020, Hybrid Obstacle Aided Locomotion in Snake Robots, Tables 4.1 and 5.1 to 5.5",
    )
