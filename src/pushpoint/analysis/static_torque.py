"""Are joint torques those of a straight beam on three supports, bent at its centre (P4 5.2)?

A torque T at joint `centre` presses the beam on a support there and on two others at a distance of `reach`, which take
T / reach each; the torque at a distance d from the centre is T (1 - d / reach), and zero beyond the supports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import between
from pushpoint.errors import InvalidInput
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("torque_off_statics")
def torque_off_statics(
    run: Recording, *, centre: int, torque: float, reach: float, start: float, end: float | None = None
) -> float:
    """Largest distance [N m] of the joints' mean torques from those of statics; `reach` [m]."""
    measured = mean_torques(run, start, end)
    return float(np.abs(measured - static_torques(run, centre, torque, reach)).max())


@measures.register("torque_asymmetry")
def torque_asymmetry(run: Recording, *, centre: int, start: float, end: float | None = None) -> float:
    """Largest difference [N m] of the mean torques of two joints at the same distance from the centre."""
    measured = mean_torques(run, start, end)
    half = min(centre, len(measured) - 1 - centre)
    before, after = measured[centre - half : centre], measured[centre + 1 : centre + 1 + half]
    return float(np.abs(before[::-1] - after).max(initial=0.0))


@measures.register("torque_off_a_line")
def torque_off_a_line(run: Recording, *, centre: int, joints: int, start: float, end: float | None = None) -> float:
    """Largest distance [N m] of mean torques from the line that fits them best, of the centre and so many joints on
    either side of it, by their distance from the centre."""
    measured = mean_torques(run, start, end)
    if joints > min(centre, len(measured) - 1 - centre):
        raise InvalidInput(f"joints = {joints}: there are not so many on both sides of joint {centre}")
    chosen = np.arange(centre - joints, centre + joints + 1)
    distance = np.abs(chosen - centre)
    line = np.polynomial.Polynomial.fit(distance, measured[chosen], 1)
    return float(np.abs(measured[chosen] - line(distance)).max())


def mean_torques(run: Recording, start: float, end: float | None) -> FloatArray:
    """Of the joints [N m], between two times [s]."""
    torque = np.asarray(run.data["joint_torque"].values, dtype=float)
    return np.asarray(torque[between(run, start, end)].mean(axis=0))


def static_torques(run: Recording, centre: int, torque: float, reach: float) -> FloatArray:
    """Torques [N m] of all joints by statics."""
    lengths = np.array([link.length for link in run.scenario.built_robot().links])
    joints = np.cumsum(lengths)[:-1]
    if not 0 <= centre < len(joints):
        raise InvalidInput(f"centre = {centre}: there are joints 0 (at the tail) to {len(joints) - 1}")
    return np.asarray(torque * np.clip(1.0 - np.abs(joints - joints[centre]) / reach, 0.0, None))
