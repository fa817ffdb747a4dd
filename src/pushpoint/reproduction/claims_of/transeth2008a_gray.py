"""Claims of P2 Fig. 7, after Gray 1946: which way three links between three pegs glide. Data only."""

from __future__ import annotations

from pushpoint.reproduction._adding import MM, adder, measured
from pushpoint.reproduction._statement import check, less_than, more_than

MIDDLE, END = 1, 0.2  # link, [s]; the link starts at x = 0
add = adder("transeth2008a", figure="Fig. 7", **MM)

for slug, moves, relation, published in (
    ("", "forward", "glide forward if alpha > beta", more_than(0.0, "forward")),
    ("-backward", "backward", "glide backward if alpha < beta", less_than(0.0, "backward")),
    ("-equal", "rest", "stay if alpha = beta", check("0", -1e-6, 1e-6, "Zero, but for round-off.")),
):
    add(
        f"gray-{moves}",
        measured(f"lab/gray-three-links{slug}", "link_coordinate", link=MIDDLE, axis="x", time=END),
        statement=f"Three links {relation}",
        published=published,
    )
