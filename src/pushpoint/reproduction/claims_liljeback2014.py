"""Claims of P3: Liljebäck et al., A 3D Motion Planning Framework for Snake Robots. Data only.

P3 shows pictures of its runs and no numbers; masses, friction and gains are not given. Ranges are those that two
independent engines agree on with the values of `scenarios/liljeback2014`. P3 counts joints from the head: its q_i is
joint 6 - i of Example 4 here, yaw angles with the other sign.
"""

from __future__ import annotations

from math import degrees, radians
from typing import Any

from pushpoint.reproduction import Claim, claims
from pushpoint.scenario import Choice

KEY = "liljeback2014"
DEGREES = degrees(1.0)
# Example 4, q_1 to q_6 [deg]: 0, -15.8, -3.1, -20.3, 9.0, -9.7; odd ones are yaw joints.
EXAMPLE_4 = tuple(radians(angle) for angle in (-9.7, -9.0, -20.3, 3.1, -15.8, 0.0))
CYCLE = (9.8, 15.0)  # [s]: two cycles of sidewinding, at the end of the run
SWING = "The robot turns by itself while it winds, and its heading swings with every cycle: averaged over two of them."


def add(slug: str, scenarios: str | tuple[str, ...], measure: str, options: dict[str, Any], **fields: Any) -> None:
    """Register one claim."""
    names = (scenarios,) if isinstance(scenarios, str) else scenarios
    claim = Claim(
        id=f"{KEY}/{slug}",
        scenarios=tuple(f"{KEY}/{name}" for name in names),
        measure=Choice(name=measure, options=options),
        **fields,
    )
    claims.add(claim.id, claim)


for axis, value in (("x", 0.625), ("y", -0.075), ("z", 0.1417)):
    add(
        f"example-1-{axis}",
        "examples",
        "curve_coordinate",
        {"s": 2.5, "axis": axis},
        figure="Example 1",
        statement=f"{axis} of the shape curve at s = 2.5",
        published=f"{value:g}",
        unit="m",
        accepted=(value - 5e-5, value + 5e-5),
        note="Not printed in P3; it follows from its points and its interpolation.",
    )
add(
    "example-1-length",
    "examples",
    "curve_length",
    {},
    figure="Example 1",
    statement="Length of the shape curve",
    published="0.991",
    unit="m",
    accepted=(0.9905, 0.9915),
    note="Not printed in P3; it follows from its points and its interpolation.",
)
add(
    "example-4-angles",
    "examples",
    "reference_difference",
    {"angles": EXAMPLE_4},
    figure="Example 4",
    statement="Joint angles of six links aligned from s = 3, largest difference",
    published="0, -15.8, -3.1, -20.3, 9.0, -9.7",
    unit="deg",
    scale=DEGREES,
    accepted=(None, 0.06),
    note="Not printed in P3; they follow from its algorithm.",
)
add(
    "example-5-turn",
    "example-5",
    "curve_turn",
    {"before": 2, "after": 2, "angle": radians(45.0)},
    figure="Example 5",
    statement="A shape frame turned by 45 deg turns the curve by as much",
    published="45",
    unit="deg",
    scale=DEGREES,
    accepted=(44.95, 45.05),
)
add(
    "sidewinding-speed",
    "sidewinding",
    "ground_speed",
    {"start": 0.0, "end": 15.0},
    figure="Figs. 6, 7",
    statement="Sidewinding moves the robot, with its head at 0.5 m/s along the curve",
    published="moves",
    unit="m/s",
    accepted=(0.25, 0.45),
)
for slug, name, low, high in (("left", "sidewinding", 5.0, 90.0), ("right", "sidewinding-right", -90.0, -5.0)):
    add(
        f"steered-{slug}",
        (name, "sidewinding-straight"),
        "heading_difference",
        {"start": CYCLE[0], "end": CYCLE[1]},
        figure="Fig. 6",
        statement=f"A shape frame that turns to the {slug} at 22.5 deg/s for 5 s turns the robot to the {slug}",
        published="counter-clockwise" if slug == "left" else "(P3 steers to the left only)",
        unit="deg",
        scale=DEGREES,
        accepted=(low, high),
        note=SWING,
    )
add(
    "heading-loop",
    "sidewinding-heading",
    "heading",
    {"start": 24.8, "end": 30.0},
    figure="IV-B",
    statement="A closed heading loop makes the whole turn of 112.5 deg",
    published="112.5, of the shape frame",
    unit="deg",
    scale=DEGREES,
    accepted=(102.5, 122.5),
    note=SWING,
)
add(
    "vertical-wave",
    "vertical-wave",
    "way",
    {"axis": "x", "end": 15.0},
    figure="Fig. 8",
    statement="A vertical wave of 2 m/s along the body moves the robot",
    published="propelled",
    unit="m",
    accepted=(-9.0, -3.0),
    note="Backward, against the way of the head, here and in MuJoCo; P3 does not say which way.",
)
add(
    "rolling",
    "rolling",
    "mean_speed",
    {"axis": "y", "start": 0.0, "end": 15.0},
    figure="Fig. 9",
    statement="Rolling at one turn per second moves the robot sideways, to the open side of its arc",
    published="sideways",
    unit="m/s",
    accepted=(0.2, 0.3),
)
add(
    "stairs",
    "stairs",
    "drop",
    {"start": 2.0, "end": 18.0},
    figure="Fig. 10",
    statement="Eight cycles at 0.2 m/s take the robot seven to eight steps of 0.2 m down",
    published="stepwise",
    unit="steps",
    scale=1 / 0.2,
    accepted=(7.0, 8.05),
)
