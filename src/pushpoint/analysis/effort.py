"""How large are joint torques, and what does a metre cost in torque and in contact forces?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measure
from pushpoint.analysis._series import between, checked, displaced, recorded, times
from pushpoint.analysis.contacts import impulses
from pushpoint.analysis.motion import displacement
from pushpoint.errors import InvalidInput
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

AT_THE_LIMIT = 0.999  # of the torque limit

# --- cost per metre ---


@measure()
def contact_cost_ratio(run: Recording, reference: Recording, *, axis: str, end: float) -> float:
    """Contact impulse per metre along `axis` until `end` [s], as a multiple of the reference's.

    The impulse is the time integral of the contact forces' magnitudes, summed over links: peaks of single
    steps grow as 1/dt, impulses do not.
    """
    return _cost_along(run, "contact_force", axis, end) / _cost_along(reference, "contact_force", axis, end)


@measure()
def torque_cost_ratio(run: Recording, reference: Recording, *, axis: str, end: float) -> float:
    """Time integral of the joint torques' magnitudes per metre, as a multiple of the reference's."""
    return _cost_along(run, "joint_torque", axis, end) / _cost_along(reference, "joint_torque", axis, end)


def _cost_along(run: Recording, variable: str, axis: str, end: float) -> float:
    """Integral of the summed magnitudes over the displacement along an axis; infinite if the run gets nowhere."""
    rows = between(run, 0.0, end)
    values = recorded(run, variable)[rows]
    size = np.linalg.norm(values, axis=2) if values.ndim == 3 else np.abs(values)
    # Rows hold means since the previous row, so the sum over rows is the integral.
    total = float(np.sum(size.sum(axis=1)[1:] * np.diff(times(run)[rows])))
    covered = displacement(run, axis=axis, end=end)
    return total / covered if covered > 0 else math.inf


@measure("N s/m")
def contact_cost(run: Recording, *, start: float, end: float) -> float:
    """Contact impulse per metre [N s/m]: the time integral of the magnitudes, summed over links, over the distance."""
    force = impulses(run, "contact_force", start, end)
    return _per_metre(run, float(np.linalg.norm(force, axis=2).sum()), start, end)


@measure("N m s/m")
def torque_cost(run: Recording, *, start: float, end: float) -> float:
    """Time integral of the joint torques' magnitudes per metre [N m s/m]."""
    return _per_metre(run, float(np.abs(impulses(run, "joint_torque", start, end)).sum()), start, end)


@measure()
def cost_of_transport(run: Recording, *, axis: str | None = "x", end: float) -> float:
    """Work of the servos until `end` [s] per weight and displacement along `axis` or, without one, straight distance;
    infinite if the run gets nowhere."""
    rows = between(run, 0.0, end)
    covered = displacement(run, axis=axis, end=end) if axis else float(np.linalg.norm(displaced(run, 0.0, end)))
    work = recorded(run, "servo_work")[rows]
    scenario = run.scenario
    weight = scenario.built_robot().mass * scenario.built_world().gravity
    return float(work[-1] - work[0]) / (weight * covered) if covered > 0 and weight > 0 else math.inf


def _per_metre(run: Recording, total: float, start: float, end: float) -> float:
    far = float(np.linalg.norm(displaced(run, start, end)))
    return total / far if far > 0 else math.inf


# --- torques and rates of joints ---


@measure("N m")
def peak_torque_of_joint(run: Recording, *, joint: int) -> float:
    """Largest torque [N m] of a joint, as means from row to row."""
    torque = recorded(run, "joint_torque")
    return float(np.abs(torque[:, checked("joint", joint, torque.shape[1])]).max())


@measure("rad/s")
def peak_joint_rate(run: Recording, *, start: float = 0.0, end: float | None = None) -> float:
    """Largest rate [rad/s] of any joint from `start` to `end` [s], at the rows."""
    return float(np.abs(recorded(run, "joint_rate")[between(run, start, end)]).max())


@measure()
def saturated_share(run: Recording, *, limit: float, start: float = 0.0, end: float | None = None) -> float:
    """Share of the time in which the torque of some joint is at `limit` [N m]."""
    torque = np.abs(recorded(run, "joint_torque")[between(run, start, end)])
    return float((torque >= AT_THE_LIMIT * limit).any(axis=1).mean())


# --- torques of a straight beam on three supports, bent at its centre (P4 5.2) ---
#
# A torque T at joint `centre` presses the beam on a support there and on two others at a distance of `reach`, which
# take T / reach each; the torque at a distance d from the centre is T (1 - d / reach), and zero beyond the supports.


@measure("N m")
def torque_off_statics(
    run: Recording, *, centre: int, torque: float, reach: float, start: float, end: float | None = None
) -> float:
    """Largest distance [N m] of the joints' mean torques from those of statics, with `torque` [N m] at the centre and
    supports at a distance of `reach` [m]."""
    return float(np.abs(mean_torques(run, start, end) - static_torques(run, centre, torque, reach)).max())


@measure("N m")
def torque_asymmetry(run: Recording, *, centre: int, start: float, end: float | None = None) -> float:
    """Largest difference [N m] of the mean torques of two joints at the same distance from the centre."""
    measured = mean_torques(run, start, end)
    half = min(centre, len(measured) - 1 - centre)
    before, after = measured[centre - half : centre], measured[centre + 1 : centre + 1 + half]
    return float(np.abs(before[::-1] - after).max(initial=0.0))


@measure("N m")
def torque_off_a_line(run: Recording, *, centre: int, joints: int, start: float, end: float | None = None) -> float:
    """Largest distance [N m] of mean torques from the line that fits them best, of the centre and so many
    `joints` on either side of it, by their distance from the centre."""
    measured = mean_torques(run, start, end)
    if joints > min(centre, len(measured) - 1 - centre):
        raise InvalidInput(f"joints = {joints}: there are not so many on both sides of joint {centre}")
    chosen = np.arange(centre - joints, centre + joints + 1)
    distance = np.abs(chosen - centre)
    line = np.polynomial.Polynomial.fit(distance, measured[chosen], 1)
    return float(np.abs(measured[chosen] - line(distance)).max())


def mean_torques(run: Recording, start: float, end: float | None) -> FloatArray:
    """Of the joints [N m], between two times [s]."""
    return np.asarray(recorded(run, "joint_torque")[between(run, start, end)].mean(axis=0))


def static_torques(run: Recording, centre: int, torque: float, reach: float) -> FloatArray:
    """Torques [N m] of all joints by statics."""
    lengths = np.array([link.length for link in run.scenario.built_robot().links])
    joints = np.cumsum(lengths)[:-1]
    if not 0 <= centre < len(joints):
        raise InvalidInput(f"centre = {centre}: there are joints 0 (at the tail) to {len(joints) - 1}")
    return np.asarray(torque * np.clip(1.0 - np.abs(joints - joints[centre]) / reach, 0.0, None))
