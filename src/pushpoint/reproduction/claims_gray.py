"""Claims of P2 Fig. 7, after Gray 1946: which way three links between three pegs glide. Data only."""

from __future__ import annotations

from pushpoint.reproduction import Claim, claims
from pushpoint.scenario import Choice

MIDDLE, END = 1, 0.2  # link, [s]


def add(slug: str, way: str, statement: str, published: str, accepted: tuple[float | None, float | None]) -> None:
    """One claim about where the middle link, which starts at x = 0, is in the end."""
    claim = Claim(
        id=f"lab/gray-{way}",
        scenarios=(f"lab/gray-three-links{slug}",),
        measure=Choice(name="link_coordinate", options={"link": MIDDLE, "axis": "x", "time": END}),
        figure="P2 Fig. 7",
        statement=statement,
        published=published,
        unit="mm",
        scale=1e3,
        accepted=accepted,
    )
    claims.add(claim.id, claim)


add("", "forward", "Three links glide forward if alpha > beta", "> 0", (1.0, None))
add("-backward", "backward", "Three links glide backward if alpha < beta", "< 0", (None, -1.0))
add("-equal", "rest", "Three links stay if alpha = beta", "0", (-1e-6, 1e-6))
