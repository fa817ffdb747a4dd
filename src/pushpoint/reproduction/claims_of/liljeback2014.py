"""Claims of P3: Liljebäck et al., A 3D Motion Planning Framework for Snake Robots. Data only.

P3 shows pictures of its runs and no numbers; masses, friction and gains are not given. So its claims are about signs
and orders. Checks have ranges that two independent engines agree on with the values of `scenarios/liljeback2014`.
P3 counts joints from the head: its q_i is joint 6 - i of Example 4 here, yaw angles with the other sign.
"""

from __future__ import annotations

from math import radians
from typing import Any

from pushpoint.reproduction._adding import DEG, claims_about, measured
from pushpoint.reproduction._statement import Statement, check, less_than, more_than, printed

claim = claims_about("liljeback2014")
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
    claim(f"example-1-point-{axis}", "Example 1", measured("examples", "curve_coordinate", s=2.0, axis=axis)).says(
        f"S(2) is the third control point: {axis}", printed(number)
    )
claim("example-1-overshoot", "Example 1", measured("examples", "curve_overshoot")).says(
    "The curve does not overshoot its control points",
    Statement(kind="printed", text="0: does not overshoot", low=0.0, high=0.0),
)
for axis, value in (("x", 0.625), ("y", -0.075), ("z", 0.1417)):
    claim(f"example-1-{axis}", "Example 1", measured("examples", "curve_coordinate", s=2.5, axis=axis)).says(
        f"{axis} of the shape curve at s = 2.5", near(value, 5e-5, FOLLOWS)
    )
claim("example-1-length", "Example 1", measured("examples", "curve_length")).says(
    "Length of the shape curve", near(0.991, 0.0005, FOLLOWS)
)
claim("example-4-angles", "Example 4", measured("examples", "reference_difference", angles=EXAMPLE_4)).says(
    "Joint angles of six links aligned from s = 3, largest difference",
    check("0, -15.8, -3.1, -20.3, 9.0, -9.7", None, 0.06, FOLLOWS),
    **DEG,
)
for slug, multiple in (("a", 1), ("2a", 2)):
    claim(
        f"look-ahead-{slug}",
        "Remark 3",
        measured("examples", "alignment_ratio", look_ahead=multiple * 0.1, reference=0.4),
    ).says(
        f"A look-ahead of {slug} lays the robot nearer to its curve than one beyond [a, 2a] (4a; "
        "ratio of the largest distances)",
        less_than(1.0, "performs well within [a, 2a]"),
        note="Example 4. Less than a is refused: links overshoot their points.",
    )
claim("example-5-turn", "Example 5", measured("example-5", "curve_turn", before=2, after=2, angle=radians(45.0))).says(
    "A shape frame turned by 45 deg turns the curve by as much", printed("45"), **DEG
)

# --- IV: motion ---

claim(
    "sidewinding-sideways", "Figs. 6, 7", measured("sidewinding-straight", "across_over_along", start=0.0, end=15.0)
).says("Sidewinding moves the robot sideways (distance across its body over that along it)", more_than(1.0, "sideways"))
claim("sidewinding-speed", "Figs. 6, 7", measured("sidewinding", "ground_speed", start=0.0, end=15.0)).says(
    "Speed of sidewinding, with the head at 0.5 m/s along the curve", check("0.25 to 0.45", 0.25, 0.45, TWO_ENGINES)
)
TURNED: dict[str, Any] = DEG | {"note": SWING}
for slug, name, published in (
    ("left", "sidewinding", more_than(0.0, "counter-clockwise")),
    ("right", "sidewinding-right", check("-90 to -5", -90.0, -5.0, "P3 steers to the left only.")),
):
    claim(
        f"steered-{slug}",
        "Fig. 6",
        measured(f"{name} sidewinding-straight", "heading_difference", start=CYCLE[0], end=CYCLE[1]),
    ).says(
        f"A shape frame that turns to the {slug} at 22.5 deg/s for 5 s turns the robot to the {slug}",
        published,
        **TURNED,
    )
claim("heading-loop", "IV-B", measured("sidewinding-heading", "heading", start=24.8, end=30.0)).says(
    "A closed heading loop makes the whole turn of 112.5 deg",
    check("112.5", 102.5, 122.5, "The loop is ours; the shape frame of P3 turns by 112.5 deg."),
    **TURNED,
)
claim("vertical-wave-along", "Fig. 8", measured("vertical-wave", "across_over_along", start=0.0, end=15.0)).says(
    "A vertical wave of 2 m/s along the body propels the robot along its body (distance across over along)",
    less_than(1.0, "propelled"),
    note="Backward, against the direction of the head, here and in MuJoCo; P3 does not say where to.",
)
claim("vertical-wave", "Fig. 8", measured("vertical-wave", "displacement", axis="x", end=15.0)).says(
    "How far the vertical wave propels the robot", check("-9 to -3", -9.0, -3.0, TWO_ENGINES)
)
claim("rolling-sideways", "Fig. 9", measured("rolling", "across_over_along", start=0.0, end=15.0)).says(
    "Rolling at one turn per second moves the robot sideways (distance across over along)", more_than(1.0, "sideways")
)
claim("rolling", "Fig. 9", measured("rolling", "mean_speed", axis="y", start=0.0, end=15.0)).says(
    "Speed of rolling, to the open side of the arc", check("0.2 to 0.3", 0.2, 0.3, TWO_ENGINES)
)
claim("stairs-down", "Fig. 10", measured("stairs", "drop", start=2.0, end=18.0)).says(
    "The robot climbs down the stairs", more_than(0.0, "down")
)
claim("stairs", "Fig. 10", measured("stairs", "drop", start=2.0, end=18.0)).says(
    "Eight cycles at 0.2 m/s take the robot seven to eight steps of 0.2 m down",
    check("7 to 8", 7.0, 8.05, TWO_ENGINES),
    unit="steps",
    scale=1 / 0.2,
)
