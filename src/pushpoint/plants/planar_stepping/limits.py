"""What entries of a state may be that kernels use as indices or counts: states also come from files."""

from __future__ import annotations

from pushpoint.numerics.restored import MOST_COUNT, Limit, Limits
from pushpoint.plants.planar_stepping.adaptive import FINEST
from pushpoint.plants.planar_stepping.extras import Extras
from pushpoint.plants.planar_stepping.model import Surroundings


def limits(around: Surroundings, extras: Extras | None) -> Limits:
    codes = len(around.disc) if extras is None else 3 * len(extras.feature)
    return {
        "clock": Limit(0, MOST_COUNT),
        "clock.1": Limit(0, 1),
        "clock.2": Limit(0, FINEST),
        "pair_start": Limit(0, len(around.pair_code) if codes else 0, rising=True),
        "pair_code": Limit(0, max(codes - 1, 0)),
    }
