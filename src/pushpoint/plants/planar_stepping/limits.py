"""What entries of a state may be that kernels use as indices or counts: states also come from files."""

from __future__ import annotations

from pushpoint.numerics.restored import MOST_COUNT, Limit, Limits
from pushpoint.plants.planar_stepping.parts import PARTS
from pushpoint.plants.planar_stepping.touching import TOUCHING


def limits(pairs: int, codes: int, may_touch: bool) -> Limits:
    """`pairs`: room for neighbours; `codes`: how many there can be; `may_touch`: whether links may touch each other."""
    return {
        "clock": Limit(0, MOST_COUNT),
        "clock.1": Limit(0, 1),
        "clock.2": Limit(0, PARTS.bit_length() - 1),
        f"clock.{TOUCHING}": Limit(0, int(may_touch)),
        "pair_start": Limit(0, pairs if codes else 0, rising=True),
        "pair_code": Limit(0, max(codes - 1, 0)),
        "through": Limit(0, 1),
    }
