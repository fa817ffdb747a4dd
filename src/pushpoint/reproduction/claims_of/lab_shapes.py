"""Checks of our own runs by shape curves. Data only."""

from __future__ import annotations

from pushpoint.reproduction import Claim, claims
from pushpoint.reproduction._statement import check
from pushpoint.scenario import Choice

claims.add(
    "lab/draw-your-own-moves",
    Claim(
        id="lab/draw-your-own-moves",
        figure="own",
        statement="A cycle of sidewinding drawn by hand moves the robot like P3's",
        published=check("as P3's: 0.33", 0.25, 0.45, "P3's segment moves our robot at 0.33 m/s on two engines."),
        scenarios=("lab/draw-your-own",),
        measure=Choice(name="ground_speed", options={"start": 0.0, "end": 9.0}),
        unit="m/s",
    ),
)
claims.add(
    "lab/compliant-pegs-passes",
    Claim(
        id="lab/compliant-pegs-passes",
        figure="own",
        statement="A compliant shape carries the robot through pegs at random, at least 1.5 m in 20 s",
        published=check("passes", 1.5, None, "What counts as passed in docs/theory/shape-curves."),
        scenarios=("lab/compliant-pegs",),
        measure=Choice(name="displacement", options={"axis": "x", "end": 20.0}),
        unit="m",
        note="One seed. Of twenty 95 % pass, 75 % with a stiff shape: docs/theory/shape-curves.",
    ),
)
