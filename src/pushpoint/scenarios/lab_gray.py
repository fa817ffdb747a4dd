"""Gray's mechanism, P2 Fig. 7: three links between three smooth pegs, and why it glides.

Link 1 of P2 is the head here. Both joints bend the robot to the right with the same torque, so that head and tail link
press on pegs on their right and the middle link on one on its left:

                 peg 2
           o------------o                    ----> forward
    peg 3 /    middle    \\ peg 1
         / beta     alpha \\
       tail               head

The pegs push the head link with N (sin alpha, cos alpha) and the tail link with N (-sin beta, cos beta): forward if
alpha > beta, backward if alpha < beta, and not at all if they are equal.
"""

from __future__ import annotations

from math import cos, pi, sin

from pushpoint.robots import Link, Robot
from pushpoint.scenario import Scenario, Start
from pushpoint.scenarios import chosen, scenarios
from pushpoint.worlds import Disc, Ground, World

LENGTH, RADIUS, MASS = 0.2, 0.02, 0.5  # [m], [m], [kg], of a link
PEG_RADIUS = 0.02  # [m]
TORQUE = 0.5  # [N m]
FRICTION = 0.02  # P2: the resultant is large enough to overcome it
DURATION = 0.2  # [s]: the pegs are still beside their links


def gray_three_links(name: str, alpha: float, beta: float) -> Scenario:
    """The mechanism at rest with the bends `alpha` (head) and `beta` (tail) [rad]."""
    link = Link(length=LENGTH, mass=MASS, inertia=MASS * LENGTH**2 / 12, radius=RADIUS)
    ground = Ground(friction=FRICTION)
    return Scenario(
        name=name,
        title=f"Gray's three links, alpha = {180 * alpha / pi:.3g} deg, beta = {180 * beta / pi:.3g} deg",
        robot=Robot(name="three-links", links=(link,) * 3, source="P2, Fig. 7; sizes and masses are ours"),
        world=World(name="three-pegs", ground=ground, obstacles=pegs(alpha, beta), source="P2, Fig. 7"),
        controller=chosen("torque_playback", times=[0.0], torque=[[-TORQUE, -TORQUE]]),
        start=Start(link=1, angle=(beta - alpha) / 3, joint_angle=(-beta, -alpha)),
        duration=DURATION,
        source="P2 (Transeth et al. 2008), Fig. 7 after Gray 1946",
    )


def pegs(alpha: float, beta: float) -> tuple[Disc, ...]:
    """Touching the middles of tail, middle and head link."""
    half, away = LENGTH / 2, RADIUS + PEG_RADIUS
    tail = (-half - half * cos(beta) + away * sin(beta), -half * sin(beta) - away * cos(beta))
    head = (half + half * cos(alpha) - away * sin(alpha), -half * sin(alpha) - away * cos(alpha))
    return tuple(Disc(x=x, y=y, radius=PEG_RADIUS) for x, y in (tail, (0.0, away), head))


def degrees(angle: float) -> float:
    return angle * pi / 180


for slug, head, tail in (("", 50, 30), ("-backward", 30, 50), ("-equal", 40, 40)):
    name = f"lab/gray-three-links{slug}"
    scenarios.add(name, gray_three_links(name, degrees(head), degrees(tail)))
