"""Checks of our own runs in space. Data only; what is judged are plain facts of mechanics and other models."""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction import Claim, claims
from pushpoint.reproduction._statement import check
from pushpoint.scenario import Choice

MIDDLE = 5


def add(slug: str, scenarios: str, measure: str, options: dict[str, Any], **fields: Any) -> None:
    """Register one check; `scenarios` are names separated by blanks, in the order the measure takes them."""
    low, high = fields.pop("accepted")
    claim = Claim(
        id=f"lab/{slug}",
        figure="own",
        scenarios=tuple(scenarios.split()),
        measure=Choice(name=measure, options=options),
        published=check(fields.pop("expected"), low, high, "Our own number."),
        **fields,
    )
    claims.add(claim.id, claim)


add(
    "pegs-3d-as-planar",
    "lab/pegs-3d transeth2008a/track",
    "rms_between",
    {"link": MIDDLE},
    statement="Among pegs the spatial and the planar model move the robot alike: rms distance of link 5 over 10 s",
    expected="0",
    unit="mm",
    scale=1e3,
    accepted=(0.0, 10.0),
)
add(
    "pegs-3d-forward",
    "lab/pegs-3d",
    "link_coordinate",
    {"link": MIDDLE, "axis": "x", "time": 10.0},
    statement="Isotropic friction: forward with pegs, in space too",
    expected="2.12",
    unit="m",
    accepted=(2.11, 2.13),
    note="Without pegs: backward, see transeth2008b/isotropic-backward.",
)
for name in ("pegs-3d", "stairs-rest", "rough-ground", "slope"):
    add(
        f"{name}-residual",
        f"lab/{name}",
        "largest_residual",
        {},
        statement=f"Every step balances momenta and meets the contact laws ({name})",
        expected="0",
        accepted=(None, 1e-6),
    )
