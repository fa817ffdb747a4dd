"""Claims of P5: Transeth et al., 3D Snake Robot Motion, 2008. Data only.

Scenarios translate P5's numbering and axes: its link 6 is link 5 here and starts at the origin; its sideways motion,
along -x in Figs. 10 and 11, is along +y here. P5 gives no numbers for its curves beyond what can be read off the axes.
"""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction._adding import adder, known, measured
from pushpoint.reproduction._statement import (
    check,
    derived,
    half_digit,
    less_than,
    more_than,
    read,
)

add = adder("transeth2008b")
MIDDLE = 5  # P5's link 6
RUN = "sidewinding"


def place(axis: str, time: float) -> dict[str, Any]:
    return {"link": MIDDLE, "axis": axis, "time": time}


# --- VIII-E: sidewinding ---

add(
    "sidewinding-sideways",
    measured(RUN, "link_coordinate", **place("y", 15.0)),
    figure="Fig. 10",
    statement="Sidewinding moves link 6 about 1.4 m sideways in 15 s",
    published=read("1.4", "about 1.4"),
    unit="m",
    **known(
        "1.32 m, and MuJoCo agrees: 6 % less than the figure reads. The centre of mass moves 1.41 m.", 1.3155, 0.006
    ),
)
add(
    "sidewinding-along",
    measured(RUN, "link_coordinate", **place("x", 15.0)),
    figure="Fig. 10",
    statement="While it does so, link 6 hardly moves along the body",
    published=read("0.0", "0.0: almost follows the axis"),
    unit="m",
)
add(
    "sidewinding-lifted",
    measured(RUN, "lifted_share", start=1.5),
    figure="VIII-E",
    statement="Most of the body is lifted from the ground during sidewinding (mean share of the links)",
    published=more_than(0.5, "most"),
    note="From 1.5 s on, when the soft start is over.",
)
COSTS = (7.1, 1.3)  # [min] of computing per simulated second
add(
    "sidewinding-cost",
    measured(f"{RUN} undulation-isotropic", "iteration_ratio"),
    figure="VIII-E",
    statement="A second of sidewinding costs 7.1 : 1.3 as much to compute as one of lateral undulation (iterations)",
    published=derived(
        round(COSTS[0] / COSTS[1], 2),
        round(COSTS[0] / COSTS[1] * half_digit("0.1") * (1 / COSTS[0] + 1 / COSTS[1]), 2),
        "Ratio of the two printed times, with half a unit of their last digits.",
        "7.1 : 1.3 = 5.46",
    ),
    **known(
        "Newton's method takes hardly more iterations for it. P5's iteration of projections needs many where "
        "contacts open and close.",
        1.37,
        0.1,
    ),
)

# --- VIII-B, VIII-D: lateral undulation ---

add(
    "orthotropic-forward",
    measured("undulation-orthotropic", "link_coordinate", **place("x", 15.0)),
    figure="Fig. 6",
    statement="Lateral undulation with orthotropic friction moves the robot steadily forward",
    published=more_than(0.0, "forward"),
    unit="m",
)
add(
    "isotropic-backward",
    measured("undulation-isotropic", "link_coordinate", **place("x", 13.5)),
    figure="Fig. 7",
    statement="With isotropic friction it moves the robot slowly backward (three periods)",
    published=less_than(0.0, "backward"),
    unit="m",
    note="Friction inherits the split of the normal forces, defined here by equal compliance of all contacts.",
)
for name, friction in (("low", 0.1), ("high", 0.4)):
    add(
        f"isotropic-friction-{name}",
        measured(f"undulation-friction-{name} undulation-isotropic", "rms_between", link=MIDDLE),
        figure="VIII-D",
        statement=f"A friction of {friction:g} instead of 0.2 has no noticeable effect on the path of link 6 (rms)",
        published=derived(
            0.0, half_digit("0.2"), "None to the last digit of the axis of Fig. 7.", "no noticeable effect"
        ),
        unit="m",
        note="The friction is ours.",
    )

# --- our own numbers ---

for slug, scenario, options, low, high, reason in (
    ("orthotropic-converged", "undulation-orthotropic", place("x", 15.0), 1.7, 1.9, "1.81 m at small steps."),
    ("isotropic-converged", "undulation-isotropic", place("x", 13.5), -0.195, -0.135, "-0.165 m at small steps."),
    ("sidewinding-converged", RUN, place("y", 15.0), 1.30, 1.33, "1.31 to 1.32 m by three models at small steps."),
):
    add(
        slug,
        measured(scenario, "link_coordinate", **options),
        figure="ours",
        statement="It is near where the model converges to as the time step shrinks",
        published=check(f"{low:g} to {high:g}", low, high, reason),
        unit="m",
    )
for name in (RUN, "undulation-orthotropic", "undulation-isotropic"):
    add(
        f"{name}-residual",
        measured(name, "largest_residual"),
        figure="(93)",
        statement=f"Every step balances momenta and meets the contact laws ({name})",
        published=check("below the tolerance", None, 1e-6, "The tolerance of the plant."),
        note="P5 measures increments of an iteration; this is what is left of the equations, relative to the weight.",
    )
