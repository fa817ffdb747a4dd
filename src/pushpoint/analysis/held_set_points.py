"""Which angles and forces at contacts can be held together, by how many joints there are between contacts (P4 6, 7)?

A study of statics: for every combination of angles between neighbouring contact links and of a force at the last
contact, is there a shape on the pegs, near the start of the run, with forces in balance (`planning.equilibrium`)?
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.planning.equilibrium import Rows, Touches, held_pair, link_angle_row
from pushpoint.worlds import Disc

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("held_share")
def held_share(run: Recording, *, links: Sequence[int], angles: Sequence[float], forces: Sequence[float]) -> float:
    """Share of the set-points that can be held; `links` touch the world's discs in their order.

    `angles` [rad] are tried for each pair of neighbouring contacts, `forces` [N] at the last contact.
    """
    chain, touches = TailChain.of(run.scenario.built_robot()), _touches(run, links)
    angle = np.asarray(run.data["link_angle"].values, dtype=float)[0]
    q = chain.q_of(angle, 0, np.asarray(run.data["link_position"].values, dtype=float)[0, 0, :2])
    row = {link: link_angle_row(chain, link) for link in links}
    bends = np.array([row[after] - row[before] for before, after in pairwise(links)])
    last = np.eye(len(links))[-1:]
    wanted = list(product(*[angles] * len(bends), forces))
    held = [
        _can_hold(chain, q, touches, Rows(bends, np.array(values)), Rows(last, np.array([force])))
        for *values, force in wanted
    ]
    return float(np.mean(held))


@measures.register("held_share_gain")
def held_share_gain(
    run: Recording,
    reference: Recording,
    *,
    links: Sequence[int],
    reference_links: Sequence[int],
    angles: Sequence[float],
    forces: Sequence[float],
) -> float:
    """By how much the share that can be held exceeds that of the reference."""
    other = held_share(reference, links=reference_links, angles=angles, forces=forces)
    return held_share(run, links=links, angles=angles, forces=forces) - other


def _can_hold(chain: TailChain, q: np.ndarray, touches: Touches, task: Rows, forces: Rows) -> bool:
    try:
        held_pair(chain, q, touches, task, forces)
    except InvalidInput:  # that is how it says no
        return False
    return True


def _touches(run: Recording, links: Sequence[int]) -> Touches:
    discs = [each for each in run.scenario.built_world().obstacles if isinstance(each, Disc)]
    if len(links) != len(discs) or not all(0 <= link < len(run.scenario.built_robot().links) for link in links):
        raise InvalidInput(f"links = {list(links)}: should be one link of the robot for each of {len(discs)} discs")
    centre = np.array([[disc.x, disc.y] for disc in discs])
    return Touches(np.array(links), centre, np.array([disc.radius for disc in discs]))
