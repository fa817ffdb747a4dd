"""Where pegs are believed to be, corrected by touch.

A map is wrong by millimetres, and a robot that pushes is not: what it feels, and what it does not feel where it should,
say where a peg is. A peg that a link feels is moved so that the gap between the two closes. A peg that should touch and
is not felt must be farther away: it yields, slowly, up to a limit, until it is felt. `Beliefs` are plain arrays, so that
they go into the state of a controller; whoever makes maps from more than touches replaces `corrected`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.mechanics.peg_contacts import peg_contacts
from pushpoint.mechanics.tail_chain import TailState
from pushpoint.planning.push_points import BoolArray, Pegs, all_gaps
from pushpoint.types import FloatArray, IntArray


class Beliefs(NamedTuple):
    """What is believed of the pegs of a map."""

    centre: FloatArray  # [m], (m, 2)
    anchor: FloatArray  # [m], (m, 2): where each peg was felt last, or mapped


class TouchRules(NamedTuple):
    """How touches correct a map."""

    closing: float = 50.0  # [1/s], of the gap of a peg that is felt
    yielding: float = 0.03  # [m/s], of a peg that should touch and is not felt
    farthest: float = 0.015  # [m], that it yields
    near: float = 3e-3  # [m]: a peg with a smaller gap should touch


def first_beliefs(pegs: Pegs, error: float = 0.0, seed: int = 0) -> Beliefs:
    """The map, with an error of normal distribution [m] in each coordinate."""
    centre = pegs.centre + error * np.random.default_rng([seed, MAP_STREAM]).standard_normal(pegs.centre.shape)
    return Beliefs(centre, centre.copy())


MAP_STREAM = 0x9E65  # keeps the draw of maps apart from those of worlds and sensors with the same seed


def corrected(
    beliefs: Beliefs, radius: FloatArray, body: TailState, felt: BoolArray, recent: BoolArray, rules: TouchRules, dt: float
) -> Beliefs:
    """The beliefs after a tick of dt [s]: `felt` (n, m) which links feel which pegs, `recent` (n, m) felt lately."""
    centre, anchor = beliefs.centre.copy(), beliefs.anchor
    link, peg = np.nonzero(felt)
    if len(peg):
        contacts = peg_contacts(body, link, centre[peg], radius[peg])
        share = min(1.0, rules.closing * dt) / np.bincount(peg)[peg]
        np.add.at(centre, peg, (share * contacts.gap)[:, np.newaxis] * contacts.normal)
        anchor = anchor.copy()
        anchor[peg] = centre[peg]
    link, peg = _missed(body, Pegs(centre, radius), recent, rules.near)
    if len(peg):
        away = -peg_contacts(body, link, centre[peg], radius[peg]).normal
        moved = centre[peg] + rules.yielding * dt * away
        within = np.linalg.norm(moved - anchor[peg], axis=1) <= rules.farthest
        centre[peg[within]] = moved[within]
    return Beliefs(centre, anchor)


def _missed(body: TailState, pegs: Pegs, recent: BoolArray, near: float) -> tuple[IntArray, IntArray]:
    """Pegs that should touch and have not been felt lately, with the links nearest to them."""
    gaps, usable = all_gaps(body, pegs)
    gaps = np.where(usable, gaps, np.inf)
    peg = np.flatnonzero((gaps.min(axis=0, initial=np.inf) < near) & ~recent.any(axis=0))
    return gaps[:, peg].argmin(axis=0), peg
