"""What holds while all contacts last: means over the last seconds before the first of them is lost (P4 chapter 5).

P4's controllers assume that links stay at their pegs. Once one has left, an angle may come to its set-point by
swinging free, and a force is that of another task. So what P4 says of angles and forces counts over a window that ends
when a pair (link, peg) is first farther apart than LOST, or with the recording. If contacts last for less than the
window, nothing is held: an angle or a force is 0, and a ratio 1, as nothing can be compared.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import ROUNDING, between
from pushpoint.analysis.link_angle import link_angles
from pushpoint.analysis.peg_force import peg_forces
from pushpoint.analysis.peg_gap import first_loss
from pushpoint.errors import InvalidInput

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

Pairs = list[tuple[int, int]]
LOST = 0.005  # [m]


def while_touching(run: Recording, pairs: Pairs, window: float) -> slice | None:
    """The rows of the last `window` [s] in which all contacts last; None if they last for less."""
    end = first_loss(run, pairs=pairs, gap=LOST)
    return between(run, max(0.0, end - window), end) if end >= window - ROUNDING else None


@measures.register("link_angle_while")
def link_angle_while(
    run: Recording, *, link: int, pairs: Pairs, window: float, relative_to: int | None = None
) -> float:
    """Mean angle [rad] of a link; 0 if contacts last for less than the window."""
    rows = while_touching(run, pairs, window)
    return 0.0 if rows is None else float(link_angles(run, link, relative_to)[rows].mean())


@measures.register("peg_force_while")
def peg_force_while(run: Recording, *, peg: int, pairs: Pairs, window: float) -> float:
    """Mean normal force [N] on an obstacle; 0 if contacts last for less than the window."""
    rows = while_touching(run, pairs, window)
    return 0.0 if rows is None else float(peg_forces(run, peg)[rows].mean())


@measures.register("peg_force_peak_while")
def peg_force_peak_while(run: Recording, *, peg: int, pairs: Pairs) -> float:
    """Largest normal force [N] on an obstacle, as means from row to row, until the first contact is lost."""
    end = first_loss(run, pairs=pairs, gap=LOST)
    return float(peg_forces(run, peg)[between(run, 0.0, end)].max())


@measures.register("peg_force_error_ratio")
def peg_force_error_ratio(run: Recording, *, peg: int, other: int, force: float, pairs: Pairs, window: float) -> float:
    """Mean distance of the force on an obstacle from `force` [N], over that of another; 1 without a window."""
    rows = while_touching(run, pairs, window)
    if rows is None:
        return 1.0
    one, reference = (float(np.abs(peg_forces(run, number)[rows] - force).mean()) for number in (peg, other))
    return one / reference if reference else math.inf


@measures.register("joint_angle_ratio_while")
def joint_angle_ratio_while(run: Recording, *, joint: int, other: int, pairs: Pairs, window: float) -> float:
    """Mean angle of a joint over that of another, negative if they bend in opposite directions; 1 without a window."""
    angle = np.asarray(run.data["joint_angle"].values, dtype=float)
    for number in (joint, other):
        if not 0 <= number < angle.shape[1]:
            raise InvalidInput(f"joint = {number}: the recording has joints 0 (at the tail) to {angle.shape[1] - 1}")
    rows = while_touching(run, pairs, window)
    if rows is None:
        return 1.0
    mean = angle[rows].mean(axis=0)
    return float(mean[joint] / mean[other])


@measures.register("torque_roughness_ratio")
def torque_roughness_ratio(run: Recording, reference: Recording, *, pairs: Pairs, window: float) -> float:
    """How much torques change from row to row, over all joints, as a multiple of the reference's; 1 without windows."""
    changes = []
    for each in (run, reference):
        rows = while_touching(each, pairs, window)
        if rows is None:
            return 1.0
        torque = np.asarray(each.data["joint_torque"].values, dtype=float)[rows]
        changes.append(float(np.abs(np.diff(torque, axis=0)).sum()))
    return changes[0] / changes[1] if changes[1] else math.inf
