"""Which pegs a robot can push against: a list from geometry, and what has been touched.

Never the contacts of a sensor alone: a contact that is lost for an instant would drop out of the plan and be lost for
good. The last centimetres of tail and head are left out until they touch; their round ends always are, as the normal
turns along the path there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pushpoint.mechanics.peg_contacts import PegContacts, peg_contacts
from pushpoint.mechanics.tail_chain import TailState
from pushpoint.mechanics.tail_kernels import Pegs, fill_gaps
from pushpoint.types import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]

NEAR = 3e-3  # [m]: a smaller gap counts as contact
KEPT = 20e-3  # [m]: and this one, where it was touched a moment ago
LEANING = 20e-3  # [m]: a robot leans over to a peg that is nearer than this, if that helps
TOGETHER = 3e-3  # [m]: links whose gaps to one peg differ by less touch it together, once the robot leans on it
ENDS = 20e-3  # [m]: of tail and head, left out until they touch
CLEAR = 1e-7  # [m], left between link and peg by `clear_of`
TOUCHING = 1e-9  # [m]: overlaps below this are round-off
ITERATIONS = 30  # of `clear_of`


class PushPoints(NamedTuple):
    """Contacts to push against."""

    peg: IntArray  # (k,)
    contacts: PegContacts


def push_points(
    state: TailState,
    pegs: Pegs,
    touched: BoolArray | None = None,
    near: float = NEAR,
    kept: float = KEPT,
    leaning: float = 0.0,
    alone: bool = False,
) -> PushPoints:
    """All pairs of links and pegs nearer than `near` [m], or nearer than `kept` [m] where `touched` (n, m); of pegs
    nearer than `leaning` [m] the nearest link, too, and others that touch together with it. If those that touch push
    `alone`, no other links count at the pegs that they touch. What tail and head touch counts up to their very ends:
    one of them often is the third push-point of a robot."""
    gaps, from_end = _gaps(state, pegs)
    chosen = gaps < near
    if leaning > near:
        chosen |= _leaning(gaps, _usable(gaps, from_end, ENDS), leaning)
    if touched is None:
        touched = np.zeros(gaps.shape, dtype=bool)
    felt = (gaps < kept) & touched
    for row, away in ((0, from_end[0]), (-1, from_end[1])):
        felt[row] &= away > 0.0
        chosen[row] &= away > ENDS
    # Neighbours of a link that touches would push against nothing, and it would have to do without their part.
    return _contacts(state, pegs, np.where(alone & felt.any(axis=0), felt, chosen | felt))


def points_to_lean_on(state: TailState, pegs: Pegs, near: float = LEANING, ends: float = 0.0) -> PushPoints:
    """What a robot can push against that leans over to pegs nearer than `near` [m]: for each of them the nearest link,
    and others that then touch it too. Up to the very ends of the robot, or `ends` [m] from them: their contacts push
    for as long as they last.
    """
    gaps, usable = all_gaps(state, pegs, ends)
    return _contacts(state, pegs, _leaning(gaps, usable, near))


def _leaning(gaps: FloatArray, usable: BoolArray, near: float) -> BoolArray:
    """Of pegs nearer than `near` [m] the nearest usable link, and those that touch together with it, (n, m)."""
    gaps = np.where(usable, gaps, np.inf)
    return np.asarray(gaps < np.minimum(near, gaps.min(axis=0, initial=np.inf) + TOGETHER))


def _contacts(state: TailState, pegs: Pegs, chosen: BoolArray) -> PushPoints:
    link, peg = np.nonzero(chosen)
    return PushPoints(peg, peg_contacts(state, link, pegs.centre[peg], pegs.radius[peg]))


def all_gaps(state: TailState, pegs: Pegs, ends: float = ENDS) -> tuple[FloatArray, BoolArray]:
    """Gaps (n, m) [m] of all links and pegs, and whether they are farther than `ends` [m] from the robot's ends."""
    gaps, from_end = _gaps(state, pegs)
    return gaps, _usable(gaps, from_end, ends)


def _gaps(state: TailState, pegs: Pegs) -> tuple[FloatArray, FloatArray]:
    """Gaps (n, m) [m], and how far (2, m) [m] from the ends of tail and head their nearest points are."""
    gaps, from_end = np.empty((state.chain.links, len(pegs.radius))), np.empty((2, len(pegs.radius)))
    centre, radius = np.ascontiguousarray(pegs.centre), np.ascontiguousarray(pegs.radius)
    fill_gaps(state.chain.table, state.table, state.joints, centre, radius, gaps, from_end)
    return gaps, from_end


def _usable(gaps: FloatArray, from_end: FloatArray, ends: float) -> BoolArray:
    usable = np.ones(gaps.shape, dtype=bool)
    usable[0] = from_end[0] > ends
    usable[-1] &= from_end[1] > ends
    return usable


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
