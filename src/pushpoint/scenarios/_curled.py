"""How the robot of P1 lies among obstacles at t = 0, and what it slides on; for P1's runs and ours after them.

Angles have P1's signs; joint angles are translated here.
"""

from __future__ import annotations

import math
from itertools import accumulate, pairwise
from math import radians

from pushpoint.scenario import Start

# P1 VIII-B1: theta_0 and p_0.
LINK_ANGLES = (7.0, -32.0, -57.0, -46.0, -8.0, 33.0, 53.0, 45.0, 12.0, -23.0)  # [deg]
CURLED = Start(
    position=(0.0, 0.0),
    angle=radians(sum(LINK_ANGLES) / len(LINK_ANGLES)),
    joint_angle=tuple(radians(b - a) for a, b in pairwise(LINK_ANGLES)),
    jitter=1e-4,  # single runs are chaotic: claims are about ensembles over the seed
)


def ends_of_links() -> list[list[float]]:
    """The line [m] along which the robot lies at the start, its centre of mass at the origin."""
    steps = [0.14 * complex(math.cos(a), math.sin(a)) for a in map(radians, LINK_ANGLES)]
    ends = list(accumulate(steps, initial=0j))
    centre = sum((a + b) / 2 for a, b in pairwise(ends)) / len(steps)
    return [[(z - centre).real, (z - centre).imag] for z in ends]


# P1 VIII-B1.
LAWS = {"friction": 0.3, "obstacle_friction": 0.2, "ground_torque": True}
