"""Do links stay at their pegs?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import between, times
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.peg_contacts import peg_contacts
from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.types import FloatArray
from pushpoint.worlds import Disc

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("largest_gap")
def largest_gap(run: Recording, *, pairs: list[tuple[int, int]], start: float = 0.0, end: float | None = None) -> float:
    """Largest gap [m] of any of the pairs (link, peg) between two times [s]."""
    return float(gaps(run, pairs)[between(run, start, end)].max())


@measures.register("first_loss")
def first_loss(run: Recording, *, pairs: list[tuple[int, int]], gap: float = 0.005) -> float:
    """When one of the pairs (link, peg) is first farther apart than `gap` [m]; the end of the recording if never."""
    lost = np.flatnonzero((gaps(run, pairs) > gap).any(axis=1))
    return float(times(run)[lost[0] if len(lost) else -1])


def gaps(run: Recording, pairs: list[tuple[int, int]]) -> FloatArray:
    """Gaps [m] of pairs (link, peg), (rows, pairs); overlap is negative."""
    chain = TailChain.of(run.scenario.built_robot())
    discs = _discs(run, pairs)
    link = np.array([link for link, _ in pairs])
    centre, radius = np.array([[d.x, d.y] for d in discs]), np.array([d.radius for d in discs])
    angle = np.asarray(run.data["link_angle"].values, dtype=float)
    place = np.asarray(run.data["link_position"].values, dtype=float)[:, 0, :2]
    still = np.zeros(chain.coordinates)
    states = (chain.at(chain.q_of(a, 0, p), still) for a, p in zip(angle, place, strict=True))
    return np.array([peg_contacts(state, link, centre, radius).gap for state in states])


def _discs(run: Recording, pairs: list[tuple[int, int]]) -> list[Disc]:
    obstacles, links = run.scenario.built_world().obstacles, len(run.scenario.built_robot().links)
    for link, peg in pairs:
        if not 0 <= link < links or not 0 <= peg < len(obstacles) or not isinstance(obstacles[peg], Disc):
            raise InvalidInput(f"pair ({link}, {peg}): there are links 0 to {links - 1} and {len(obstacles)} discs")
    return [disc for disc in (obstacles[peg] for _, peg in pairs) if isinstance(disc, Disc)]
