"""What P1's model supports."""

from __future__ import annotations

from pushpoint.plants._supports import Supports

HYBRID = Supports(
    plant="planar_hybrid",
    dimensions=2,
    links=frozenset({"round", "thin"}),
    ground=frozenset({"torque"}),
    obstacles=frozenset({"disc"}),
    touch=frozenset({"friction"}),
    assumptions=(
        ("ground", "P1 (10)"),
        ("obstacles", "P1's Assumptions 3 and 7"),
        ("touch", "P1's Assumptions 3 and 7"),
    ),
)
