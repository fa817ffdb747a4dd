"""Checks of our own runs in space. Data only; what is judged are plain facts of mechanics and other models."""

from __future__ import annotations

from pushpoint.reproduction._adding import MM, adder, measured
from pushpoint.reproduction._statement import Statement, check

MIDDLE = 5
add = adder("lab", figure="own")


def ours(expected: str, low: float | None, high: float | None) -> Statement:
    return check(expected, low, high, "Our own number.")


add(
    "pegs-3d-as-planar",
    measured("pegs-3d transeth2008a/track", "rms_between", link=MIDDLE),
    statement="Among pegs the spatial and the planar model move the robot alike: rms distance of link 5 over 10 s",
    published=ours("0", 0.0, 10.0),
    **MM,
)
add(
    "pegs-3d-forward",
    measured("pegs-3d", "link_coordinate", link=MIDDLE, axis="x", time=10.0),
    statement="Isotropic friction: forward with pegs, in space too",
    published=ours("2.12", 2.11, 2.13),
    unit="m",
    note="Without pegs: backward, see transeth2008b/isotropic-backward.",
)
for name in ("pegs-3d", "stairs-rest", "rough-ground", "slope"):
    add(
        f"{name}-residual",
        measured(name, "largest_residual"),
        statement=f"Every step balances momenta and meets the contact laws ({name})",
        published=ours("0", None, 1e-6),
    )
