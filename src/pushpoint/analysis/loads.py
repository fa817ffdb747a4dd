"""How large do loads become at one place of the robot?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.errors import InvalidInput

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("peak_force_on_link")
def peak_force_on_link(run: Recording, *, link: int) -> float:
    """Largest contact force [N] on a link, as means from row to row."""
    force = np.asarray(run.data["contact_force"].values, dtype=float)
    return float(np.linalg.norm(force[:, _checked("link", link, force.shape[1])], axis=1).max())


@measures.register("peak_torque_of_joint")
def peak_torque_of_joint(run: Recording, *, joint: int) -> float:
    """Largest torque [N m] of a joint, as means from row to row."""
    torque = np.asarray(run.data["joint_torque"].values, dtype=float)
    return float(np.abs(torque[:, _checked("joint", joint, torque.shape[1])]).max())


def _checked(what: str, number: int, count: int) -> int:
    if not 0 <= number < count:
        raise InvalidInput(f"{what} = {number}: the recording has {what}s 0 (at the tail) to {count - 1}")
    return number
