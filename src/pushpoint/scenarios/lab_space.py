"""Our own runs in space: pegs, stairs, rough ground, slopes."""

from __future__ import annotations

from math import radians
from typing import Any

from pushpoint.robots import Servo
from pushpoint.scenario import Choice, Start
from pushpoint.scenarios import chosen, family
from pushpoint.scenarios.transeth2008a import ALONG_TRACK

LIMP = Servo(stiffness=0.0, damping=0.02)  # joints that are loose, with a little friction in the gears
LAID_DOWN = {"controller": chosen("hold", joint_angle=0.0), "servo": LIMP, "duration": 5.0}

add = family("lab", "ours, not published", plant=chosen("spatial_stepping"), robot=chosen("aiko-cardan"))
add("pegs-3d", "Aiko pushes itself along the seven pipes of P2, in space", **ALONG_TRACK)

# Slug, title, world, start, other fields.
RUNS: tuple[tuple[str, str, Choice, Start, dict[str, Any]], ...] = (
    ("stairs-rest", "A limp robot is laid on stairs and comes to rest",
     chosen("stairs", steps=4, rise=-0.08, run=0.25, start=-0.5),
     Start(pitch=radians(15.0), angle=radians(10.0), height=0.005), LAID_DOWN),
    ("rough-ground", "A limp robot is laid on rough ground and comes to rest",
     chosen("rough-ground"), Start(angle=radians(20.0), height=0.005), LAID_DOWN),
    ("slope", "Sidewinding across a slope of ten degrees",
     chosen("slope", angle=radians(10.0), friction=0.4), Start(link=5),
     {"controller": chosen("gait", preset="sidewinding"), "duration": 15.0}),
)  # fmt: skip
for slug, title, world, start, fields in RUNS:
    add(slug, title, world=world, start=start, **fields)
