"""Claims of P3: Liljebäck et al., A 3D Motion Planning Framework for Snake Robots. Data only.

P3 shows pictures of its runs and no numbers; masses, friction and gains are not given. So its claims are about signs
and orders. Checks have ranges that two independent engines agree on with the values of `scenarios/liljeback2014`.
P3 counts joints from the head: its q_i is joint 6 - i of Example 4 here, yaw angles with the other sign.
"""

from __future__ import annotations

from math import radians
from typing import Any

from pushpoint.reproduction._adding import DEG, adder, measured
from pushpoint.reproduction._statement import Statement, check, less_than, more_than, printed

add = adder("liljeback2014")
# Example 4, q_1 to q_6 [deg]: 0, -15.8, -3.1, -20.3, 9.0, -9.7; odd ones are yaw joints.
EXAMPLE_4 = tuple(radians(angle) for angle in (-9.7, -9.0, -20.3, 3.1, -15.8, 0.0))
CYCLE = (9.8, 15.0)  # [s]: two cycles of sidewinding, at the end of the run
SWING = "The robot turns by itself while it winds, and its heading swings with every cycle: averaged over two of them."


FOLLOWS = "Not printed in P3; it follows from its points, its interpolation and its algorithm."
TWO_ENGINES = "What two engines agree on; P3 gives no number."


def near(value: float, within: float, reason: str) -> Statement:
    """A check of our own value."""
    return check(f"{value:g}", value - within, value + within, reason)


# --- III: curves and alignment ---

for axis, number in (("x", "0.5"), ("z", "0.05")):
    add(
        f"example-1-point-{axis}",
        measured("examples", "curve_coordinate", s=2.0, axis=axis),
        figure="Example 1",
        statement=f"S(2) is the third control point: {axis}",
        published=printed(number),
        unit="m",
    )
add(
    "example-1-overshoot",
    measured("examples", "curve_overshoot"),
    figure="Example 1",
    statement="The curve does not overshoot its control points",
    published=Statement(kind="printed", text="0: does not overshoot", low=0.0, high=0.0),
    unit="m",
)
for axis, value in (("x", 0.625), ("y", -0.075), ("z", 0.1417)):
    add(
        f"example-1-{axis}",
        measured("examples", "curve_coordinate", s=2.5, axis=axis),
        figure="Example 1",
        statement=f"{axis} of the shape curve at s = 2.5",
        published=near(value, 5e-5, FOLLOWS),
        unit="m",
    )
add(
    "example-1-length",
    measured("examples", "curve_length"),
    figure="Example 1",
    statement="Length of the shape curve",
    published=near(0.991, 0.0005, FOLLOWS),
    unit="m",
)
add(
    "example-4-angles",
    measured("examples", "reference_difference", angles=EXAMPLE_4),
    figure="Example 4",
    statement="Joint angles of six links aligned from s = 3, largest difference",
    published=check("0, -15.8, -3.1, -20.3, 9.0, -9.7", None, 0.06, FOLLOWS),
    **DEG,
)
for slug, multiple in (("a", 1), ("2a", 2)):
    add(
        f"look-ahead-{slug}",
        measured("examples", "alignment_ratio", look_ahead=multiple * 0.1, reference=0.4),
        figure="Remark 3",
        statement=f"A look-ahead of {slug} lays the robot nearer to its curve than one beyond [a, 2a] (4a; "
        "ratio of the largest distances)",
        published=less_than(1.0, "performs well within [a, 2a]"),
        note="Example 4. Less than a is refused: links overshoot their points.",
    )
add(
    "example-5-turn",
    measured("example-5", "curve_turn", before=2, after=2, angle=radians(45.0)),
    figure="Example 5",
    statement="A shape frame turned by 45 deg turns the curve by as much",
    published=printed("45"),
    **DEG,
)

# --- IV: motion ---

add(
    "sidewinding-sideways",
    measured("sidewinding-straight", "across_over_along", start=0.0, end=15.0),
    figure="Figs. 6, 7",
    statement="Sidewinding moves the robot sideways (distance across its body over that along it)",
    published=more_than(1.0, "sideways"),
)
add(
    "sidewinding-speed",
    measured("sidewinding", "ground_speed", start=0.0, end=15.0),
    figure="Figs. 6, 7",
    statement="Speed of sidewinding, with the head at 0.5 m/s along the curve",
    published=check("0.25 to 0.45", 0.25, 0.45, TWO_ENGINES),
    unit="m/s",
)
TURNED: dict[str, Any] = DEG | {"note": SWING}
for slug, name, published in (
    ("left", "sidewinding", more_than(0.0, "counter-clockwise")),
    ("right", "sidewinding-right", check("-90 to -5", -90.0, -5.0, "P3 steers to the left only.")),
):
    add(
        f"steered-{slug}",
        measured(f"{name} sidewinding-straight", "heading_difference", start=CYCLE[0], end=CYCLE[1]),
        figure="Fig. 6",
        statement=f"A shape frame that turns to the {slug} at 22.5 deg/s for 5 s turns the robot to the {slug}",
        published=published,
        **TURNED,
    )
add(
    "heading-loop",
    measured("sidewinding-heading", "heading", start=24.8, end=30.0),
    figure="IV-B",
    statement="A closed heading loop makes the whole turn of 112.5 deg",
    published=check("112.5", 102.5, 122.5, "The loop is ours; the shape frame of P3 turns by 112.5 deg."),
    **TURNED,
)
add(
    "vertical-wave-along",
    measured("vertical-wave", "across_over_along", start=0.0, end=15.0),
    figure="Fig. 8",
    statement="A vertical wave of 2 m/s along the body propels the robot along its body (distance across over along)",
    published=less_than(1.0, "propelled"),
    note="Backward, against the direction of the head, here and in MuJoCo; P3 does not say where to.",
)
add(
    "vertical-wave",
    measured("vertical-wave", "displacement", axis="x", end=15.0),
    figure="Fig. 8",
    statement="How far the vertical wave propels the robot",
    published=check("-9 to -3", -9.0, -3.0, TWO_ENGINES),
    unit="m",
)
add(
    "rolling-sideways",
    measured("rolling", "across_over_along", start=0.0, end=15.0),
    figure="Fig. 9",
    statement="Rolling at one turn per second moves the robot sideways (distance across over along)",
    published=more_than(1.0, "sideways"),
)
add(
    "rolling",
    measured("rolling", "mean_speed", axis="y", start=0.0, end=15.0),
    figure="Fig. 9",
    statement="Speed of rolling, to the open side of the arc",
    published=check("0.2 to 0.3", 0.2, 0.3, TWO_ENGINES),
    unit="m/s",
)
add(
    "stairs-down",
    measured("stairs", "drop", start=2.0, end=18.0),
    figure="Fig. 10",
    statement="The robot climbs down the stairs",
    published=more_than(0.0, "down"),
    unit="m",
)
add(
    "stairs",
    measured("stairs", "drop", start=2.0, end=18.0),
    figure="Fig. 10",
    statement="Eight cycles at 0.2 m/s take the robot seven to eight steps of 0.2 m down",
    published=check("7 to 8", 7.0, 8.05, TWO_ENGINES),
    unit="steps",
    scale=1 / 0.2,
)
