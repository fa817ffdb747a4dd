"""Claims of P5: Transeth et al., 3D Snake Robot Motion, 2008. Data only.

Scenarios translate P5's numbering and axes: its link 6 is link 5 here and starts at the origin; its sideways motion,
along -x in Figs. 10 and 11, is along +y here. P5 gives no numbers for its curves beyond what can be read off the axes.
"""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction._adding import claims_about, known, measured
from pushpoint.reproduction._statement import check, derived, half_digit, less_than, more_than, read

claim = claims_about("transeth2008b")
MIDDLE = 5  # P5's link 6
RUN = "sidewinding"


def place(axis: str, time: float) -> dict[str, Any]:
    return {"link": MIDDLE, "axis": axis, "time": time}


# --- VIII-E: sidewinding ---

claim("sidewinding-sideways", "Fig. 10", measured(RUN, "link_coordinate", **place("y", 15.0))).says(
    "Sidewinding moves link 6 about 1.4 m sideways in 15 s",
    read("1.4", "about 1.4"),
    **known(
        "1.32 m, and MuJoCo agrees: 6 % less than the figure reads. The centre of mass moves 1.41 m.", 1.3155, 0.006
    ),
)
claim("sidewinding-along", "Fig. 10", measured(RUN, "link_coordinate", **place("x", 15.0))).says(
    "While it does so, link 6 hardly moves along the body", read("0.0", "0.0: almost follows the axis")
)
claim("sidewinding-lifted", "VIII-E", measured(RUN, "lifted_share", start=1.5)).says(
    "Most of the body is lifted from the ground during sidewinding (mean share of the links)",
    more_than(0.5, "most"),
    note="From 1.5 s on, when the soft start is over.",
)
COSTS = (7.1, 1.3)  # [min] of computing per simulated second
claim("sidewinding-cost", "VIII-E", measured(f"{RUN} undulation-isotropic", "iteration_ratio")).says(
    "A second of sidewinding costs 7.1 : 1.3 as much to compute as one of lateral undulation (iterations)",
    derived(
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

claim("orthotropic-forward", "Fig. 6", measured("undulation-orthotropic", "link_coordinate", **place("x", 15.0))).says(
    "Lateral undulation with orthotropic friction moves the robot steadily forward", more_than(0.0, "forward")
)
claim("isotropic-backward", "Fig. 7", measured("undulation-isotropic", "link_coordinate", **place("x", 13.5))).says(
    "With isotropic friction it moves the robot slowly backward (three periods)",
    less_than(0.0, "backward"),
    note="Friction inherits the split of the normal forces, defined here by equal compliance of all contacts.",
)
for name, friction in (("low", 0.1), ("high", 0.4)):
    claim(
        f"isotropic-friction-{name}",
        "VIII-D",
        measured(f"undulation-friction-{name} undulation-isotropic", "rms_between", link=MIDDLE),
    ).says(
        f"A friction of {friction:g} instead of 0.2 has no noticeable effect on the path of link 6 (rms)",
        derived(0.0, half_digit("0.2"), "None to the last digit of the axis of Fig. 7.", "no noticeable effect"),
        note="The friction is ours.",
    )

# --- our own numbers ---

for slug, scenario, options, low, high, reason in (
    ("orthotropic-converged", "undulation-orthotropic", place("x", 15.0), 1.7, 1.9, "1.81 m at small steps."),
    ("isotropic-converged", "undulation-isotropic", place("x", 13.5), -0.195, -0.135, "-0.165 m at small steps."),
    ("sidewinding-converged", RUN, place("y", 15.0), 1.30, 1.33, "1.31 to 1.32 m by three models at small steps."),
):
    claim(slug, "ours", measured(scenario, "link_coordinate", **options)).says(
        "It is near where the model converges to as the time step shrinks",
        check(f"{low:g} to {high:g}", low, high, reason),
    )
for name in (RUN, "undulation-orthotropic", "undulation-isotropic"):
    claim(f"{name}-residual", "(93)", measured(name, "largest_residual")).says(
        f"Every step balances momenta and meets the contact laws ({name})",
        check("below the tolerance", None, 1e-6, "The tolerance of the plant."),
        note="P5 measures increments of an iteration; this is what is left of the equations, relative to the weight.",
    )
