"""Aiko, the wheel-less robot of NTNU and SINTEF (P2 VIII-A and VIII-C)."""

from __future__ import annotations

from math import radians
from typing import Literal

from pushpoint.errors import InvalidInput
from pushpoint.quantities import Gain, Index, Links
from pushpoint.robots import Joint, Link, Robot, Servo, robots


@robots.register("aiko")
def aiko(links: Links = 11) -> Robot:
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


@robots.register("aiko-passive-tail")
def aiko_passive_tail(links: Links = 11, passive: Index = 3, stiffness: Gain = 1.0, damping: Gain = 0.1) -> Robot:
    """Aiko whose last joints have a spring [N m/rad] and a damper [N m s/rad] and no servo. Ours, not built."""
    whole = aiko(links)
    if passive > links - 1:
        raise InvalidInput(f"aiko-passive-tail: passive = {passive}: {links} links have {links - 1} joints")
    tail = Joint(actuated=False, stiffness=stiffness, damping=damping)
    return whole.model_copy(
        update={
            "name": "aiko-passive-tail",
            "joints": (tail,) * passive + (Joint(),) * (links - 1 - passive),
            "source": f"{whole.source}; the passive joints are ours",
        }
    )


@robots.register("thin-aiko")
def thin_aiko(links: Links = 11) -> Robot:
    """Aiko as P1 models it: links without width, softer servos."""
    link = Link(length=0.122, mass=0.682, inertia=0.0013, radius=0.0)  # P1 VIII-A: 2 l, m, J
    return Robot(
        name="thin-aiko",
        links=(link,) * links,
        servo=Servo(stiffness=20.0, damping=5.0),  # P1 VIII-A: k_P, k_D
        source="Liljebäck et al. 2010, Hybrid Modelling and Control of Obstacle-Aided Snake Robot Locomotion, VIII-A",
    )


@robots.register("aiko-cardan")
def aiko_cardan(links: Links = 11, axes: Literal["pitch-yaw", "yaw-pitch"] = "pitch-yaw") -> Robot:
    """Aiko in space, as P5 models it: cardan joints that bend sideways, softly, and up and down, firmly.

    The printed moments of inertia belong to half the stated radius (0.0525 m gives 1.32e-3 and 9.40e-4 kg m2); they
    are kept, results hardly change.
    """
    link = Link(
        length=0.122,  # P5 VIII-A: L_i
        mass=7.5 / 11,  # P5 VIII-A: m_i
        inertia=9.63e-4,  # P5 VIII-A: Theta_1
        inertia_roll=2.35e-4,  # P5 VIII-A: Theta_3
        radius=0.0525,  # P5 VIII-A: L_SC
        core=0.0393,  # P5 VIII-A: L_GS
    )
    return Robot(
        name="aiko-cardan",
        links=(link,) * links,
        joints=(Joint(axes=axes),) * (links - 1),
        # P5 VIII-A: K_h, K_v
        servo=Servo(stiffness=40.0, damping=0.2, pitch_stiffness=800.0, pitch_damping=0.2),
        source="Transeth et al. 2008, 3D Snake Robot Motion, VIII-A",
    )


@robots.register("aiko-cardan-as-built")
def aiko_as_built(links: Links = 11) -> Robot:
    """Aiko in space with what P5 VIII-F names and its model leaves out: play, motors that saturate, axes that do not
    meet.

    From joint to joint a link is as long as in the model: 0.1 m and the 2.2 cm between the two axes. P5 reports two to
    three degrees of play, of which the middle is taken. It prints no torque; that of P2's robot, which is the same one,
    is taken (see scenarios/transeth2008a): a 6 W motor cannot give more at the fastest joint rate there.
    """
    ideal, apart = aiko_cardan(links), 0.022  # P5 VIII-F 4
    link = ideal.links[0]
    return ideal.model_copy(
        update={
            "name": "aiko-cardan-as-built",
            "links": (link.model_copy(update={"length": link.length - apart}),) * links,
            "joints": (Joint(axes="pitch-yaw", axes_apart=apart),) * (links - 1),
            "servo": ideal.servo.model_copy(update={"play": radians(2.5), "torque_limit": 6.2}),  # P5 VIII-F 1 and 2
            "source": f"{ideal.source} and VIII-F",
        }
    )
