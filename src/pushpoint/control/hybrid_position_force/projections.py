"""Projections and filters of hybrid position/force control, P4 3.1.1 after West and Asada 1985. No word of snakes.

Motions and forces are vectors of N generalised coordinates. A matrix P is a projector if P P = P. Orthogonal ones
(P' = P) are given by their range alone; those of essential variables are oblique.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from pushpoint.types import FloatArray

Form = Literal["corrected", "printed"]
SINGULAR = 1e-9  # of the largest singular value: smaller ones count as zero


def inverse(A: FloatArray) -> FloatArray:
    """The pseudoinverse of Moore and Penrose."""
    return np.asarray(np.linalg.pinv(A, rcond=SINGULAR))


def onto(columns: FloatArray) -> FloatArray:
    """The orthogonal projector onto the span of columns (N, k), which may depend on each other: (3.9), (3.10)."""
    return np.asarray(columns @ inverse(columns))


def allowable_motion(rows: FloatArray) -> FloatArray:
    """P_ap = I - J_c^+ J_c, (3.6): motions that leave all constraints `rows` (k, N) alone.

    Taken of all constraints together this is the intersection that P4 asks for where there are several.
    """
    return np.eye(rows.shape[1]) - onto(rows.T)


def allowable_force(rows: FloatArray) -> FloatArray:
    """P_af = (J_c^+ J_c)', (3.6): generalised forces that constraints can take; of several, the union."""
    return onto(rows.T)


def intersection(first: FloatArray, second: FloatArray) -> FloatArray:
    """The orthogonal projector onto what two orthogonal projectors have in common."""
    identity = np.eye(len(first))
    return identity - onto(np.hstack([identity - first, identity - second]))


def actuated_force(rows: FloatArray, active: FloatArray) -> FloatArray:
    """P_af without the forces of passive joints, P4 3.1.1: those that constraints can take and motors can give.

    `active` (N,): 1 where there is a motor. For smooth contacts of a snake robot this is J_n' lambda with no wrench on
    the base, G lambda = 0: a line for three contacts along a straight robot, and nothing for most bent ones (erratum
    P4-6).
    """
    return intersection(allowable_force(rows), np.diag(active))


def essential_motion(directions: list[FloatArray], jacobians: list[FloatArray]) -> FloatArray:
    """P_ep = J_t^+ P J_t, (3.11), of several contacts: E_p (3, a) in the task space of each, J_t (3, N).

    West and Asada's end effector has a J_t of full rank, P4's stacked contacts do not, and then the printed form is no
    projector. With R the columns J_t^+ E_p and L the rows E_p' J_t of all contacts, R (L R)^+ L always is one, and is
    the printed form where that is.
    """
    across = np.hstack([inverse(J) @ E for E, J in zip(directions, jacobians, strict=True)])
    along = np.vstack([E.T @ J for E, J in zip(directions, jacobians, strict=True)])
    return np.asarray(across @ inverse(along @ across) @ along)


def essential_force(directions: list[FloatArray], jacobians: list[FloatArray], form: Form = "corrected") -> FloatArray:
    """P_ef = J_c' P (J_c')^+, (3.12) corrected (erratum P4-1): E_f (3, b) of each contact, J_c (3, N).

    The printed form has J_c^+ in place of the first J_c'. It maps forces to motions, and is no projector.
    """
    if form == "printed":
        J = np.vstack(jacobians)
        return np.asarray(inverse(J) @ onto(_block_columns(directions)) @ inverse(J.T))
    along = np.hstack([J.T @ E for E, J in zip(directions, jacobians, strict=True)])
    across = np.vstack([E.T @ inverse(J.T) for E, J in zip(directions, jacobians, strict=True)])
    return np.asarray(along @ inverse(across @ along) @ across)


def task_filter(allowable: FloatArray, essential: FloatArray) -> FloatArray:
    """F = P_a (P_e P_a)^+ P_e, (3.13) and (3.14): what is allowed and does what is essential. Its rank is zero where
    the task asks for nothing that is allowed (P4 6.1.1)."""
    return np.asarray(allowable @ inverse(essential @ allowable) @ essential)


def _block_columns(blocks: list[FloatArray]) -> FloatArray:
    """Blocks along the diagonal of an otherwise empty matrix."""
    rows, columns = (sum(block.shape[axis] for block in blocks) for axis in (0, 1))
    out, row, column = np.zeros((rows, columns)), 0, 0
    for block in blocks:
        out[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return out
