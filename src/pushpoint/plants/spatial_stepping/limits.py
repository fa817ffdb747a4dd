"""What entries of a state may be that kernels use as indices or counts: states also come from files."""

from __future__ import annotations

from pushpoint.numerics.restored import MOST_COUNT, Limit, Limits
from pushpoint.plants.spatial_stepping.model import State


def limits(template: State) -> Limits:
    return {
        "clock": Limit(0, MOST_COUNT),
        "clock.1": Limit(0, len(template.memory)),
        "clock.2": Limit(0, len(template.pair)),
        "pair.link": Limit(-1, len(template.body) - 1),
        "pair.obstacle": Limit(-1 - len(template.body), MOST_COUNT),  # -1 is the ground, -2 - j link j
        "pair.which": Limit(0, 2),
    }
