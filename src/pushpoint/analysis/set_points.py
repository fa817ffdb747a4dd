"""Are set-points of angles and forces held while all contacts last, and which of them can be held (P4 chapters 5 to 7)?

P4's controllers assume that links stay at their pegs. Once one has left, an angle may come to its set-point by
swinging free, and a force is that of another task. So what P4 says of angles and forces counts over a window that ends
when a pair (link, peg) is first farther apart than LOST, or with the recording. If contacts last for less than the
window, nothing is held: an angle or a force is 0, and a ratio 1, as nothing can be compared.

Which set-points can be held is a question of statics: for every combination of angles between neighbouring contact
links and of a force at the last contact, is there a shape on the pegs, near the start of the run, with forces in
balance (`planning.equilibrium`)?
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measure
from pushpoint.analysis._series import ROUNDING, between, checked, recorded
from pushpoint.analysis.body_shape import link_angles
from pushpoint.analysis.contacts import Pairs, first_loss, peg_forces
from pushpoint.errors import InvalidInput
from pushpoint.worlds import Disc

if TYPE_CHECKING:
    from pushpoint.planning.equilibrium import Touches
    from pushpoint.recording.recording import Recording

LOST = 0.005  # [m]

# --- while all contacts last ---


def while_touching(run: Recording, pairs: Pairs, window: float) -> slice | None:
    """The rows of the last `window` [s] in which all contacts last; None if they last for less."""
    end = first_loss(run, pairs=pairs, gap=LOST)
    return between(run, max(0.0, end - window), end) if end >= window - ROUNDING else None


@measure("rad")
def link_angle_while(
    run: Recording, *, link: int, pairs: Pairs, window: float, relative_to: int | None = None
) -> float:
    """Mean angle [rad] of a link; 0 if contacts last for less than the window."""
    rows = while_touching(run, pairs, window)
    return 0.0 if rows is None else float(link_angles(run, link, relative_to)[rows].mean())


@measure("N")
def peg_force_while(run: Recording, *, peg: int, pairs: Pairs, window: float) -> float:
    """Mean normal force [N] on an obstacle; 0 if contacts last for less than the window."""
    rows = while_touching(run, pairs, window)
    return 0.0 if rows is None else float(peg_forces(run, peg)[rows].mean())


@measure("N")
def peg_force_peak_while(run: Recording, *, peg: int, pairs: Pairs) -> float:
    """Largest normal force [N] on an obstacle, as means from row to row, until the first contact is lost."""
    end = first_loss(run, pairs=pairs, gap=LOST)
    return float(peg_forces(run, peg)[between(run, 0.0, end)].max())


@measure()
def peg_force_error_ratio(run: Recording, *, peg: int, other: int, force: float, pairs: Pairs, window: float) -> float:
    """Mean distance of the force on an obstacle from `force` [N], over that of another; 1 without a window."""
    rows = while_touching(run, pairs, window)
    if rows is None:
        return 1.0
    one, reference = (float(np.abs(peg_forces(run, number)[rows] - force).mean()) for number in (peg, other))
    return one / reference if reference else math.inf


@measure()
def joint_angle_ratio_while(run: Recording, *, joint: int, other: int, pairs: Pairs, window: float) -> float:
    """Mean angle of a joint over that of another, negative if they bend in opposite directions; 1 without a window."""
    angle = recorded(run, "joint_angle")
    for number in (joint, other):
        checked("joint", number, angle.shape[1])
    rows = while_touching(run, pairs, window)
    if rows is None:
        return 1.0
    mean = angle[rows].mean(axis=0)
    return float(mean[joint] / mean[other])


@measure()
def torque_roughness_ratio(run: Recording, reference: Recording, *, pairs: Pairs, window: float) -> float:
    """How much torques change from row to row, over all joints, as a multiple of the reference's; 1 without windows."""
    changes = []
    for each in (run, reference):
        rows = while_touching(each, pairs, window)
        if rows is None:
            return 1.0
        changes.append(float(np.abs(np.diff(recorded(each, "joint_torque")[rows], axis=0)).sum()))
    return changes[0] / changes[1] if changes[1] else math.inf


# --- what can be held ---


@measure()
def held_share(run: Recording, *, links: Sequence[int], angles: Sequence[float], forces: Sequence[float]) -> float:
    """Share of the set-points that can be held; `links` touch the world's discs in their order.

    `angles` [rad] are tried for each pair of neighbouring contacts, `forces` [N] at the last contact.
    """
    from pushpoint.mechanics.tail_chain import TailChain
    from pushpoint.planning.equilibrium import Rows, held_pair, link_angle_row

    chain, touches = TailChain.of(run.scenario.built_robot()), _touches(run, links)
    q = chain.q_of(recorded(run, "link_angle")[0], 0, recorded(run, "link_position")[0, 0, :2])
    row = {link: link_angle_row(chain, link) for link in links}
    bends = np.array([row[after] - row[before] for before, after in pairwise(links)])
    last = np.eye(len(links))[-1:]

    def can_hold(values: Sequence[float], force: float) -> bool:
        try:
            held_pair(chain, q, touches, Rows(bends, np.array(values)), Rows(last, np.array([force])))
        except InvalidInput:  # that is how it says no
            return False
        return True

    return float(np.mean([can_hold(values, force) for *values, force in product(*[angles] * len(bends), forces)]))


@measure()
def held_share_gain(
    run: Recording,
    reference: Recording,
    *,
    links: Sequence[int],
    reference_links: Sequence[int],
    angles: Sequence[float],
    forces: Sequence[float],
) -> float:
    """By how much the share that can be held exceeds that of the reference.

    `links`, `angles` [rad] and `forces` [N] as for `held_share`; `reference_links` are those of the reference.
    """
    other = held_share(reference, links=reference_links, angles=angles, forces=forces)
    return held_share(run, links=links, angles=angles, forces=forces) - other


def _touches(run: Recording, links: Sequence[int]) -> Touches:
    from pushpoint.planning.equilibrium import Touches

    discs = [each for each in run.scenario.built_world().obstacles if isinstance(each, Disc)]
    if len(links) != len(discs) or not all(0 <= link < len(run.scenario.built_robot().links) for link in links):
        raise InvalidInput(f"links = {list(links)}: should be one link of the robot for each of {len(discs)} discs")
    centre = np.array([[disc.x, disc.y] for disc in discs])
    return Touches(np.array(links), centre, np.array([disc.radius for disc in discs]))
