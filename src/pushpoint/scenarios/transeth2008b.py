"""Runs of P5: Transeth et al., 3D Snake Robot Motion: Non-smooth Modeling, Simulations, and Experiments.

Here P5's signs and numbers are translated, and nowhere else:

- Waves with P5's phase offset of -50 deg run from its joint 1 to its joint 10, and the robot moves forward with
  orthotropic friction, so that joint 1 is the head's. P5's link i is link 11 - i; its link 6 is link 5.
- P5's body axes then point to the tail. Seen from the head's side a yaw angle changes sign, a pitch angle does not:
  P5's A_h sin(w t + (i - 1) d) is our A_h sin(w t + (9 - j) d + pi), hence `yaw_start_phase` pi.
- P5's yaw axis is fixed to the link on the head's side of a joint, its pitch axis to that on the tail's side: counted
  from the tail, the joints are "pitch-yaw".
- mu_V is not given; results do not change with it. It is zero here.
"""

from __future__ import annotations

import math
from math import radians
from typing import Any

from pushpoint.scenario import Start
from pushpoint.scenarios import chosen, family

SOURCE = "Transeth, Leine, Glocker, Pettersen, 3D Snake Robot Motion: Non-smooth Modeling, Simulations, Experiments"
LATERAL, SIDEWINDING = {"preset": "lateral-undulation"}, {"preset": "sidewinding"}
ISOTROPIC = {"friction": 0.2}

# P5 VIII-F lists what the robot has and the model leaves out. The robot starts 50 to 150 ms before its positions are
# logged; the middle is taken. Of the Stribeck effect there is no number: here friction at rest is larger by a fifth,
# and that is gone above 1 to 2 cm/s. Play, torque limit and the distance between the axes are the robot's. Not
# modelled: the shape of the exoskeleton (3), worn varnish (6), uneven masses (8). That references arrive at 10 Hz
# (VIII-C) is not in the list, and what the motors' controllers make of such stairs is not printed: see
# `controller.hold_period`.
AS_BUILT = {"start_delay": 0.1}
STRIBECK = {"friction": 0.2, "stribeck": 0.2}

_add = family(
    "transeth2008b",
    f"{SOURCE}, {{}}",
    plant=chosen("spatial_stepping"),
    start=Start(link=5),  # P5's link 6
    duration=15.0,
)


def add(
    slug: str, title: str, section: str, friction: dict[str, float], gait: dict[str, Any], robot: str = "aiko-cardan"
) -> None:
    """Register one run of Aiko on the plane, from the shape that its gait begins with."""
    controller = chosen("gait", yaw_start_phase=math.pi, **gait)
    _add(slug, title, section, robot=chosen(robot), world=chosen("plane", **friction), controller=controller)


# Slug, title, section, ground, gait, robot.
RUNS: tuple[tuple[str, str, str, dict[str, float], dict[str, Any], str], ...] = (
    ("undulation-orthotropic", "Lateral undulation on ground that resists sideways motion five times as much",
     "VIII-B and Fig. 6", {"friction": 0.1, "friction_across": 0.5}, LATERAL | {"yaw_amplitude": radians(30.0)},
     "aiko-cardan"),
    ("undulation-isotropic", "Lateral undulation where the ground resists all motion alike: slowly backward",
     "VIII-D and Fig. 7", ISOTROPIC, LATERAL, "aiko-cardan"),
    ("sidewinding", "Sidewinding from a straight start",
     "VIII-E and Figs. 8 to 11", ISOTROPIC, SIDEWINDING, "aiko-cardan"),
    ("sidewinding-as-built", "Sidewinding with the play, delay, torque limit, joints and friction of the real robot",
     "VIII-E and VIII-F", STRIBECK, SIDEWINDING | AS_BUILT, "aiko-cardan-as-built"),
    ("undulation-isotropic-as-built",
     "Lateral undulation with the play, delay, torque limit, joints and friction of the real robot",
     "VIII-D and VIII-F", STRIBECK, LATERAL | AS_BUILT, "aiko-cardan-as-built"),
)  # fmt: skip
for run in RUNS:
    add(*run)
