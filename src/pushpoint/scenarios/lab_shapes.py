"""Runs of our own by shape curves: a compliant body among pegs, and a gait drawn by hand."""

from __future__ import annotations

from typing import Any

from pushpoint.scenarios import chosen, family

WAVE: dict[str, Any] = {"curve": {"x": {"advance": 0.8}, "y": {"waves": [{"amplitude": 0.14}]}}}

# One cycle of sidewinding as somebody may draw it on paper: seven points, not quite even.
BY_HAND = (
    (0.0, 0.0, 0.03), (0.14, 0.18, 0.02), (0.27, 0.22, 0.0), (0.43, 0.03, -0.02), (0.60, -0.20, -0.025),
    (0.76, -0.21, 0.0), (0.92, 0.0, 0.03),
)  # [m]  # fmt: skip

# Where Aiko's joints lie along the wave at the start [m], from the head's tip: no peg may stand there.
WHERE_IT_LIES = (
    (2.400000, 0.000000), (2.311945, -0.084442), (2.197094, -0.125589), (2.085447, -0.076406),
    (1.996202, 0.006776), (1.905915, 0.088827), (1.789086, 0.123969), (1.679166, 0.071039),
    (1.590544, -0.012808), (1.498944, -0.093389), (1.380263, -0.121654), (1.272272, -0.064893),
)  # fmt: skip
PEGS = {
    "pegs": 150, "x_min": 0.5, "x_max": 5.3, "y_min": -0.5, "y_max": 0.5, "gap": 0.13,
    "radius_min": 0.03, "radius_max": 0.05, "keep_clear": WHERE_IT_LIES, "clearance": 0.058,
}  # fmt: skip

add = family("lab", "ours, not published{}")
add(
    "compliant-pegs",
    "Aiko winds through pegs at random, its shape stiff to what pushes on and soft to what pushes back",
    "; P4 2.1.4 describes the compliance",
    robot=chosen("aiko"),
    world=chosen("random-field", **PEGS),
    controller=chosen("shape-follower", segment=WAVE, speed=0.2, look_ahead=0.15, rate_reference=True, compliance={}),
    duration=20.0,
    control_period=0.02,
)
add(
    "draw-your-own",
    "A gait drawn by hand: seven points, repeated",
    robot=chosen("square-17"),
    world=chosen("plane", friction=0.5),
    plant=chosen("spatial_stepping"),
    controller=chosen("shape-follower", segment={"points": BY_HAND}, interpolation="vector-pchip", speed=0.5),
    duration=9.0,
    control_period=0.03,
)
