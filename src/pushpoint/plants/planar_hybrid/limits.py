"""What entries of a state may be that kernels use as indices, counts or steps: states also come from files."""

from __future__ import annotations

from pushpoint.numerics.restored import MOST_COUNT, Limit, Limits
from pushpoint.plants.planar_hybrid.integrate import SHORTEST
from pushpoint.plants.planar_hybrid.model import NEXT_STEP, Problem


def limits(problem: Problem) -> Limits:
    discs, dt = len(problem.disc), float(problem.number[0].dt)
    side = 1 if discs else 0  # without obstacles no link touches one
    return {
        "clock": Limit(0, MOST_COUNT),
        "alpha": Limit(-side, side),
        "pushing": Limit(0, 1),
        "leaving": Limit(0, 1),
        "touch.obstacle": Limit(0, max(discs - 1, 0)),
        f"ledger.{NEXT_STEP}": Limit(min(SHORTEST, dt), dt),
    }
