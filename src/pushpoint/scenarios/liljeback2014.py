"""Runs of P3: Liljebäck et al., A 3D Motion Planning Framework for Snake Robots.

P3 gives shapes, speeds and the robot's outline. Not given, and ours: masses, friction and gains (erratum P3-9: values
that work on two engines), the segment of the stairs and its speed, how runs start (in the shape of the curve, lying on
it). P3 sends references at 30 Hz; here a tick is 0.03 s, so that steps of a millisecond fit. The look-ahead is P3's,
2 a = 0.16 m, everywhere.
"""

from __future__ import annotations

from math import pi, radians
from typing import Any

from pushpoint.scenario import Start
from pushpoint.scenarios import chosen, family

SOURCE = "Liljebäck, Pettersen, Stavdahl, Gravdahl, A 3D Motion Planning Framework for Snake Robots"
FRICTION = 0.5  # ours
LINK = 0.08  # [m], a_0
BODY = 17 * LINK  # [m], a_0 (N + 1)

EXAMPLE_1 = ((0.0, 0.0, 0.0), (0.25, 0.15, 0.0), (0.5, 0.0, 0.05), (0.75, -0.15, 0.3))  # [m]

# P3 (19) with k_x, k_y, k_z of IV-B, nine points: (20).
SIDEWINDING: dict[str, Any] = {
    "curve": {
        "x": {"advance": 0.7 * BODY},
        "y": {"waves": [{"amplitude": 3 * LINK}]},
        "z": {"waves": [{"amplitude": LINK / 3, "phase": pi / 2}]},
    }
}
VERTICAL: dict[str, Any] = {"curve": {"x": {"advance": 0.7 * BODY}, "z": {"waves": [{"amplitude": 0.1 * BODY}]}}}
ARC = ((-0.5 * BODY, 3 * LINK, 0.0), (0.0, 0.0, 0.0), (0.5 * BODY, 3 * LINK, 0.0))  # IV-D

STEP = 0.2  # [m], IV-E: depth and height of a step; points at the corners and between them
DOWN_ONE_STEP = ((0.0, 0.0), (STEP / 2, 0.0), (STEP, 0.0), (STEP, -STEP / 2), (STEP, -STEP))
OFF_THE_WALL = 0.08  # [m], the drawing from the walls of the steps: half the robot's width and room for its corners

TURN = ((5.0, 0.0), (10.0, radians(112.5)))  # IV-B: 22.5 deg/s from 5 s to 10 s
WINDING: dict[str, Any] = {"segment": SIDEWINDING, "speed": 0.5}

add = family(
    "liljeback2014",
    f"{SOURCE}, {{}}",
    robot=chosen("square-17"),
    world=chosen("plane", friction=FRICTION),
    plant=chosen("spatial_stepping"),
    duration=15.0,
    control_period=0.03,
)
STAIRS = {
    "world": chosen("stairs", steps=16, rise=-STEP, run=STEP, start=0.0, friction=FRICTION),
    "start": Start(position=(OFF_THE_WALL, 0.0)),
    "duration": 18.0,
}

# Slug, title, section, shape, fields that differ from those of the demonstrations on the plane.
RUNS: tuple[tuple[str, str, str, dict[str, Any], dict[str, Any]], ...] = (
    # III: examples, which lie still
    ("examples", "Examples 1 and 4: six joints along a curve through four points", "III, Examples 1 and 4, Fig. 4",
     {"points": EXAMPLE_1, "look_ahead": 0.2}, {"robot": chosen("square-17", links=7, length=0.1), "duration": 0.9}),
    ("example-5", "Example 5: a gait segment four times, the shape frame turned by 45 degrees for the last two",
     "III-E, Example 5, Fig. 4; P3 draws the segment without numbers, here it is that of IV-B",
     WINDING | {"heading": ((5.2, 0.0), (5.21, radians(45.0)))}, {"duration": 10.5}),
    # IV-B: sidewinding
    ("sidewinding", "Sidewinding, steered to the left by the shape frame from 5 s to 10 s", "IV-B, Figs. 6 and 7",
     WINDING | {"heading": TURN}, {}),
    ("sidewinding-straight", "Sidewinding without steering", "IV-B, without the turn", WINDING, {}),
    ("sidewinding-right", "Sidewinding, steered to the right", "IV-B, with the turn in the other direction",
     WINDING | {"heading": tuple((time, -angle) for time, angle in TURN)}, {}),
    ("sidewinding-heading", "Sidewinding with a heading loop that closes the turn of 112.5 degrees",
     "IV-B; the loop is ours", WINDING | {"loop": {"reference": TURN}}, {"duration": 30.0}),
    # IV-C to IV-E
    ("vertical-wave", "A vertical wave that runs along the body", "IV-C, Fig. 8",
     {"segment": VERTICAL, "speed": 2.0}, {}),
    ("rolling", "Lateral rolling: the body rolls about an arc that stays where it is", "IV-D, Fig. 9",
     {"points": ARC, "roll_rate": -2 * pi}, {}),
    ("stairs", "Down a staircase, step by step", "IV-E, Fig. 10",
     {"segment": {"points": tuple((x, 0.0, z) for x, z in DOWN_ONE_STEP)}, "speed": 0.2}, STAIRS),
)  # fmt: skip
for slug, title, section, shape, fields in RUNS:
    add(slug, title, section, controller=chosen("shape-follower", **shape), **fields)
