"""Claims of P2 Fig. 7, after Gray 1946: which way three links between three pegs glide. Data only."""

from __future__ import annotations

from pushpoint.reproduction import Claim, claims
from pushpoint.reproduction._statement import Statement, check, less_than, more_than
from pushpoint.scenario import Choice

MIDDLE, END = 1, 0.2  # link, [s]


def add(slug: str, moves: str, statement: str, published: Statement) -> None:
    """One claim about where the middle link, which starts at x = 0, is in the end."""
    claim = Claim(
        id=f"transeth2008a/gray-{moves}",
        scenarios=(f"lab/gray-three-links{slug}",),
        measure=Choice(name="link_coordinate", options={"link": MIDDLE, "axis": "x", "time": END}),
        figure="Fig. 7",
        statement=statement,
        published=published,
        unit="mm",
        scale=1e3,
    )
    claims.add(claim.id, claim)


add("", "forward", "Three links glide forward if alpha > beta", more_than(0.0, "forward"))
add("-backward", "backward", "Three links glide backward if alpha < beta", less_than(0.0, "backward"))
add("-equal", "rest", "Three links stay if alpha = beta", check("0", -1e-6, 1e-6, "Zero, but for round-off."))
