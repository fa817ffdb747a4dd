"""Claims of P5: Transeth et al., 3D Snake Robot Motion, 2008. Data only.

Scenarios translate P5's numbering and axes: its link 6 is link 5 here and starts at the origin; its way sideways, along
-x in Figs. 10 and 11, is along +y here. P5 gives no numbers for its curves beyond what can be read off the axes.
"""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction import Claim, claims
from pushpoint.scenario import Choice

KEY = "transeth2008b"
MIDDLE = 5  # P5's link 6


def add(slug: str, scenario: str, measure: str, options: dict[str, Any], **fields: Any) -> None:
    """Register one claim."""
    claim = Claim(
        id=f"{KEY}/{slug}",
        scenarios=(scenario if "/" in scenario else f"{KEY}/{scenario}",),
        measure=Choice(name=measure, options=options),
        **fields,
    )
    claims.add(claim.id, claim)


def place(axis: str, time: float) -> dict[str, Any]:
    return {"link": MIDDLE, "axis": axis, "time": time}


add(
    "sidewinding-sideways",
    "sidewinding",
    "link_coordinate",
    place("y", 15.0),
    figure="Fig. 10",
    statement="Sidewinding moves link 6 about 1.4 m sideways in 15 s",
    published="about 1.4",
    unit="m",
    accepted=(1.35, 1.45),
    differs="1.32 m, and MuJoCo agrees: 6 % less than the figure reads. The centre of mass moves 1.41 m.",
)
add(
    "sidewinding-along",
    "sidewinding",
    "link_coordinate",
    place("x", 15.0),
    figure="Fig. 10",
    statement="While it does so, link 6 hardly moves along the body",
    published="about 0",
    unit="m",
    accepted=(-0.1, 0.1),
)
add(
    "orthotropic-forward",
    "undulation-orthotropic",
    "link_coordinate",
    place("x", 15.0),
    figure="Fig. 6",
    statement="Lateral undulation with orthotropic friction moves the robot steadily forward",
    published="forward",
    unit="m",
    accepted=(1.7, 1.9),
)
add(
    "isotropic-backward",
    "undulation-isotropic",
    "link_coordinate",
    place("x", 13.5),
    figure="Fig. 7",
    statement="With isotropic friction it moves the robot slowly backward (three periods)",
    published="backward",
    unit="m",
    accepted=(-0.195, -0.135),
    note="Friction inherits the split of the normal forces, defined here by equal compliance of all contacts.",
)
for name in ("sidewinding", "undulation-orthotropic", "undulation-isotropic"):
    add(
        f"{name}-residual",
        name,
        "largest_residual",
        {},
        figure="(93)",
        statement=f"Every step balances momenta and meets the contact laws ({name})",
        published="below a tolerance",
        accepted=(None, 1e-6),
        note="P5 measures increments of an iteration; this is what is left of the equations, relative to the weight.",
    )
