"""A chain laid on a path: clear of pegs that it would overlap a little, and how far another one is off it."""

from __future__ import annotations

import numpy as np

from pushpoint.mechanics.peg_contacts import peg_contacts
from pushpoint.mechanics.tail_chain import TailState
from pushpoint.planning.push_points import LEANING, Pegs, all_gaps

ITERATIONS = 30
CLEAR = 1e-7  # [m], left between link and peg
TOUCHING = 1e-9  # [m]: overlaps below this are round-off


def clear_of(state: TailState, pegs: Pegs, most: float = LEANING) -> TailState:
    """The chain at rest, moved as little as possible (in the metric M) until no link overlaps a peg. Where one lies
    deeper inside a peg than `most` [m], or there is no room, it stays where it is: that is for others to refuse."""
    now = state.chain.at(state.q, np.zeros_like(state.q))
    for _ in range(ITERATIONS):
        gaps, _ = all_gaps(now, pegs)
        if gaps.size == 0 or gaps.min() >= -TOUCHING:
            return now
        if gaps.min() < -most:
            break
        link, peg = np.nonzero(gaps < CLEAR)
        contacts = peg_contacts(now, link, pegs.centre[peg], pegs.radius[peg])
        rows = contacts.normal_jacobian
        by_force = np.linalg.solve(now.mass_matrix, rows.T)
        force = np.linalg.lstsq(rows @ by_force, np.maximum(0.0, CLEAR - contacts.gap), rcond=1e-9)[0]
        now = state.chain.at(now.q + by_force @ force, np.zeros_like(state.q))
    return state


def off_by(state: TailState, laid: TailState) -> float:
    """The farthest that a joint or an end of the chain is from where it lies in `laid` [m]."""
    return float(np.linalg.norm(state.joints - laid.joints, axis=1).max())
