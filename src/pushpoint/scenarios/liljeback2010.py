"""Runs of P1: Liljebäck, Pettersen, Stavdahl, Gravdahl, Hybrid Modelling and Control of Obstacle-Aided Snake Robot
Locomotion, 2010.

Here P1's signs and numbers are translated, and nowhere else:

- P1 counts links from the tail (1) to the head (n), this package from the tail too, but from 0. P1's joint angle is
  theta_i - theta_{i+1}, ours has the other sign.
- P1 (99) is the gait of P2 with the phase counted from the head joint, A sin(w t + (i - (n - 1)) d): only so do
  Figs. 10 and 11 come out. At our joint j = i - 1 of J it is A sin(w t - (J - 1 - j) d + pi).
"""

from __future__ import annotations

import math
from math import radians
from typing import Any

from pushpoint.scenario import Choice, Start
from pushpoint.scenarios import chosen, family
from pushpoint.scenarios._curled import CURLED, LAWS, ends_of_links

PAPER = "Liljebäck et al. 2010, Hybrid Modelling and Control of Obstacle-Aided Snake Robot Locomotion"

# P1 Fig. 10 at t = 0: the gait's own shape; place and mean angle were fitted to the figure, to 1 mm rms.
AMONG_PIPES = Start(position=(0.514, 0.0957), angle=radians(9.355))

# P1 VIII-B1: three rows of 5 cm radius (the printed 10 cm is the diameter: only so does the stated pose not overlap),
# 25 cm apart; places read off Fig. 12.
ROWS = chosen("rows", columns=18, x=-0.585, y=-0.24, **LAWS)
# As many as 6000 darts find room for.
RANDOM = chosen("random-field", pegs=1000, x_min=-0.9, x_max=4.2, keep_clear=ends_of_links(), **LAWS)


def gait(frequency: float, phase_shift: float) -> Choice:
    """P1 (99) with an amplitude of 40 deg; frequency [deg/s], phase shift [deg]."""
    return chosen(
        "serpenoid",
        amplitude=radians(40.0),
        frequency=radians(frequency),
        phase_shift=radians(-phase_shift),
        start_phase=math.pi,
        rates=False,  # P1 (81)
    )


add = family(
    "liljeback2010",
    f"{PAPER}, {{}}",
    robot=chosen("ten-link"),
    world=ROWS,
    plant=chosen("planar_hybrid"),
    controller=chosen("jam-resolution"),
    start=CURLED,
    duration=30.0,
    control_period=0.005,  # [s]; P1 controls in continuous time
)
TRACK = {"robot": chosen("thin-aiko"), "world": chosen("track", ground_torque=True), "start": AMONG_PIPES}
CLUTTER, WITHOUT = {"world": chosen("clutter")}, {"controller": chosen("jam-resolution", resolution=False)}

# Slug, title, section, fields that differ from those of the hybrid controller among rows of obstacles.
RUNS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("track", "Aiko without width along seven pipes, lateral undulation", "VIII-A, Figs. 10 and 11",
     TRACK | {"controller": gait(80.0, 50.0), "duration": 11.0}),
    ("rows-serpenoid", "Lateral undulation among rows of obstacles gets stuck", "VIII-B2, Fig. 12 top",
     {"controller": gait(40.0, 40.0), "duration": 20.0}),
    ("rows", "Jams among rows of obstacles are detected and resolved", "VIII-B3, Fig. 12 middle, Figs. 13 to 15", {}),
    ("rows-no-resolution", "The same, jams left alone", "VIII-B3; without resolution ours", WITHOUT),
    ("clutter", "Jams in clutter are detected and resolved", "VIII-B3, Fig. 12 bottom, Fig. 13", CLUTTER),
    ("clutter-no-resolution", "The same, jams left alone", "VIII-B3; without resolution ours", CLUTTER | WITHOUT),
    ("random", "Random obstacles, another field for every seed", "the controller of VII; the fields are ours",
     {"world": RANDOM}),
)  # fmt: skip
for slug, title, section, fields in RUNS:
    add(slug, title, section, **fields)
