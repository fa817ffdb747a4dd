"""Dynamic hybrid position/force control, P4 3.1.2 after Yoshikawa 1987: (3.31)-(3.43).

f_F are forces of the robot on the pegs, positive to the left of a link, so that a peg on the right is pushed with a
negative one: f_F = -gamma |f| (erratum P4-4).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.control.hybrid_position_force.projections import inverse
from pushpoint.control.hybrid_position_force.task import Task
from pushpoint.mechanics.tail_chain import TailState
from pushpoint.types import FloatArray


class Response(NamedTuple):
    """What generalised forces lead to while all contacts hold."""

    acceleration: FloatArray  # q'', (N,), (3.35)
    force: FloatArray  # f_F [N], (k,), (3.36)


def response(state: TailState, task: Task, torque: FloatArray) -> Response:
    """(3.35)-(3.37): q'' and f_F of generalised forces tau_c (N,) with contacts that neither open nor close.

    Of `regular` chains; minimal ones leave out how other joints move a contact.
    """
    rows = task.normal_rows
    b1 = torque - state.coriolis_force
    b2 = -task.force_axes @ task.bias - task.force_bias
    light = np.linalg.solve(state.mass_matrix, np.column_stack([rows.T, b1]))
    by_force, free = light[:, :-1], light[:, -1]
    push = np.linalg.solve(rows @ by_force, b2 - rows @ free)  # K (b2 - E_F J_t M^-1 b1)
    return Response(np.asarray(free + by_force @ push), np.asarray(-push))


def wanted_acceleration(task: Task, position: FloatArray, arbitrary: FloatArray | None = None) -> FloatArray:
    """q''_d of (3.41) for wanted r_P'' (2 k,), with (3.43): r_EP'' = r_P'' - a_rP. `arbitrary`: P4's k, (N,)."""
    E = np.vstack([task.position_axes, task.force_axes])
    along = np.linalg.solve(E, np.concatenate([position - task.position_bias, -task.force_bias]))
    back = inverse(task.jacobian)
    wanted = np.asarray(back @ (along - task.bias))
    if arbitrary is not None:
        wanted = wanted + arbitrary - back @ (task.jacobian @ arbitrary)
    return wanted


def position_torque(state: TailState, acceleration: FloatArray) -> FloatArray:
    """tau_P, (N,), of (3.39): what q'' would need if every coordinate had a motor."""
    return np.asarray(state.mass_matrix @ acceleration + state.coriolis_force)


def force_torque(task: Task, force: FloatArray) -> FloatArray:
    """tau_F = J_t' E_F' f_F, (N,), (3.31) and (3.40) with J_t (erratum P4-1), of forces on the pegs (k,) [N]."""
    return np.asarray(task.normal_rows.T @ force)
