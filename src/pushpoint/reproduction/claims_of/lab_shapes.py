"""Checks of our own runs by shape curves. Data only."""

from __future__ import annotations

from pushpoint.reproduction._adding import adder, measured
from pushpoint.reproduction._statement import check

add = adder("lab", figure="own")

add(
    "draw-your-own-moves",
    measured("draw-your-own", "ground_speed", start=0.0, end=9.0),
    statement="A cycle of sidewinding drawn by hand moves the robot like P3's",
    published=check("as P3's: 0.33", 0.25, 0.45, "P3's segment moves our robot at 0.33 m/s on two engines."),
    unit="m/s",
)
add(
    "compliant-pegs-passes",
    measured("compliant-pegs", "displacement", axis="x", end=20.0),
    statement="A compliant shape carries the robot through pegs at random, at least 1.5 m in 20 s",
    published=check("passes", 1.5, None, "What counts as passed in docs/theory/shape-curves."),
    unit="m",
    note="One seed. Of twenty 95 % pass, 75 % with a stiff shape: docs/theory/shape-curves.",
)
