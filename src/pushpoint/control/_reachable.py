"""Accelerations that motors and pegs can give, nearest to wanted ones.

A snake robot has at most n - 1 motors for n + 2 coordinates; what the virtual ones (phi_0, x_0, y_0) and those of
unactuated joints do depends on the pegs. With the passive rows of the equation of motion, marked p, and contacts that
stay as they are,

    M_p q'' + C_p = G lambda + f_p,    J_n q'' + bias = gap'',    A q'' = a,

q'' and lambda are sought that minimise |q'' - wanted|^2_M / 2 + SOFT |lambda|^2 / 2. Rows A are tasks that come first:
a wish for all coordinates at once cannot be met, and its errors would be shared out, tasks included.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.mechanics.peg_contacts import PegContacts
from pushpoint.mechanics.tail_chain import TailState
from pushpoint.types import FloatArray

SOFT = 1e-3  # [1/kg]: how much forces count beside errors of acceleration
SINGULAR = 1e-9  # of the largest singular value: smaller ones count as zero


class Aim(NamedTuple):
    """What is wanted."""

    acceleration: FloatArray  # q'', (N,)
    gap: FloatArray  # [m/s2], (k,): second derivatives of the gaps
    rows: FloatArray  # A, (t, N)
    value: FloatArray  # a, (t,)
    arbitrary: list[int]  # coordinates whose wanted accelerations do not count
    load: FloatArray  # f, (N,): other generalised forces

    @classmethod
    def of(cls, acceleration: FloatArray, contacts: int) -> Aim:
        """Nothing but accelerations, gaps as they are."""
        N = len(acceleration)
        return cls(acceleration, np.zeros(contacts), np.zeros((0, N)), np.zeros(0), [], np.zeros(N))


def reachable(state: TailState, contacts: PegContacts, aim: Aim) -> tuple[FloatArray, FloatArray]:
    """q'' (N,) and normal forces (k,) [N], which may come out negative: bounds are for others to keep."""
    M, J = state.mass_matrix, contacts.normal_jacobian
    passive, k, N = state.chain.passive, len(J), len(M)
    loose = k + len(passive)
    weight = np.zeros((N + k, N + k))
    weight[:N, :N] = M
    weight[aim.arbitrary], weight[:, aim.arbitrary] = 0.0, 0.0
    weight[N:, N:] = SOFT * np.eye(k)
    rows = np.zeros((loose + len(aim.rows), N + k))
    rows[:k, :N], rows[k:loose, :N], rows[loose:, :N] = J, M[passive], aim.rows
    rows[k:loose, N:] = -J[:, passive].T
    value = np.concatenate([aim.gap - contacts.bias, (aim.load - state.coriolis_force)[passive], aim.value])
    left = np.zeros((N + k + len(rows),) * 2)
    left[: N + k, : N + k], left[: N + k, N + k :], left[N + k :, : N + k] = weight, rows.T, rows
    found = np.linalg.lstsq(left, np.concatenate([weight[:, :N] @ aim.acceleration, value]), rcond=SINGULAR)[0]
    return np.asarray(found[:N]), np.asarray(found[N : N + k])
