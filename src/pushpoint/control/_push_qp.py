"""The quadratic program of pushing: torques and contact forces that come nearest to a wanted acceleration.

Unknowns are z = (tau, lambda), joint torques and normal forces. The dynamics in tail coordinates,

    M q'' + C q' = S tau + (J_n - mu_o J_t)' lambda + drag,

are eliminated: q'' is linear in z. Minimised is

    |q'' - wanted|^2_M  +  keeping |J_n q'' + bias - wanted gap''|^2  +  w_f |lambda - set-point|^2  +  w_tau |tau|^2

within |tau| <= limit and lambda >= 0. A robot on a path may lack the torque to keep up. Then speed should yield,
not the shape: q'' is replaced by q'' - beta u in the terms of shape and contacts, u along the path, and beta^2 u' M u
costs little. Contacts are kept softly: a hard row would make the program infeasible as soon as
a contact has to open. The metric M weighs errors of heavy directions more, as Gauss's principle does. Where a contact
may stick, its friction force is an unknown too, within the cone |f_t| <= mu_o lambda.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.mechanics.peg_contacts import PegContacts
from pushpoint.mechanics.tail_chain import TailState
from pushpoint.numerics.symmetric_solve import solve_in_place
from pushpoint.planning._solvers import NO_BOUND, quadratic_solver
from pushpoint.types import FloatArray


class Weights(NamedTuple):
    """What counts how much, beside errors of acceleration in the metric M [kg m2/s4]."""

    keeping: float = 300.0  # [kg], of gap accelerations
    force: float = 1e-5  # [1/kg], of normal forces off their set-points
    torque: float = 1e-5  # [1/(kg m2)]
    along: float = 0.1  # of accelerations along the path, over those of the shape


class Keeping(NamedTuple):
    """How gaps should close: gap'' = -damping gap' - stiffness gap."""

    damping: float = 20.0  # [1/s]
    stiffness: float = 100.0  # [1/s2]


class Wish(NamedTuple):
    """What the program should come near to."""

    acceleration: FloatArray  # q'', (N,)
    drag: FloatArray  # generalised force of the ground to reckon with, (N,)
    force: FloatArray | None = None  # [N], (k,): set-points of normal forces; None: as small as possible
    along: FloatArray | None = None  # u, (N,): a direction in which errors count less, by Weights.along


class Push(NamedTuple):
    """The solution."""

    torque: FloatArray  # [N m], (n - 1,)
    force: FloatArray  # [N], (k,)
    acceleration: FloatArray  # q'', (N,)


class PushProgram:
    """The program of one robot: torque limit, peg friction and weights do not change."""

    def __init__(
        self,
        torque_limit: float,
        peg_friction: float,
        weights: Weights | None = None,
        keeping: Keeping | None = None,
        sticking: bool = False,
    ) -> None:
        self._solve = quadratic_solver()
        self._limit, self._friction = torque_limit, peg_friction
        self._weights, self._keeping = weights or Weights(), keeping or Keeping()
        self._sticking = sticking and peg_friction > 0.0

    def solve(self, state: TailState, contacts: PegContacts, wish: Wish) -> Push | None:
        """The best torques; None where the solver gives up."""
        n, k = state.chain.links, len(contacts.link)
        columns, bounds, rows = self._columns(state, contacts)
        # q'' = M^-1 (columns z + rest)
        rest = (wish.drag - state.coriolis_force)[:, np.newaxis]
        solved = np.concatenate([columns, rest], axis=1)
        if not solve_in_place(state.mass_matrix.copy(), solved):
            return None
        by_z, at_rest = solved[:, :-1], solved[:, -1]
        weight = np.full(columns.shape[1], self._weights.force)  # of the unknowns themselves
        weight[: n - 1] = self._weights.torque
        if wish.along is not None:
            heavy = state.mass_matrix @ wish.along
            by_z = np.concatenate([by_z, -wish.along[:, np.newaxis]], axis=1)
            columns = np.concatenate([columns, -heavy[:, np.newaxis]], axis=1)
            weight = np.append(weight, self._weights.along * (heavy @ wish.along))
            bounds, rows = _with_free_unknown(bounds, rows)
        gap_wish = -self._keeping.damping * contacts.gap_rate - self._keeping.stiffness * contacts.gap
        gaps_by_z = contacts.normal_jacobian @ by_z
        gaps_short = contacts.normal_jacobian @ at_rest + contacts.bias - gap_wish
        H = columns.T @ by_z + self._weights.keeping * (gaps_by_z.T @ gaps_by_z)
        H.flat[:: len(weight) + 1] += weight
        g = columns.T @ (at_rest - wish.acceleration) + self._weights.keeping * (gaps_short @ gaps_by_z)
        if wish.force is not None:
            g[n - 1 : n - 1 + k] -= self._weights.force * wish.force
        z = self._solve(H, g, rows, *bounds)
        if z is None:
            return None
        size = solved.shape[1] - 1
        return Push(z[: n - 1], z[n - 1 : n - 1 + k], solved[:, :size] @ z[:size] + at_rest)

    def _columns(
        self, state: TailState, contacts: PegContacts
    ) -> tuple[FloatArray, tuple[FloatArray, FloatArray], FloatArray]:
        """Generalised forces of the unknowns (N, size), their lower and upper bounds and those of the rows, rows."""
        n, k = state.chain.links, len(contacts.link)
        low, high = np.full(n - 1, -self._limit), np.full(n - 1, self._limit)
        if not self._sticking:
            sliding = contacts.normal_jacobian - self._friction * contacts.tangent_jacobian
            columns = np.concatenate([state.chain.actuation, sliding.T], axis=1)
            bounds = np.concatenate([low, np.zeros(k)]), np.concatenate([high, np.full(k, NO_BOUND)])
            return columns, bounds, np.zeros((0, n - 1 + k))
        rows_of_contacts = np.concatenate([contacts.normal_jacobian, contacts.tangent_jacobian])
        columns = np.concatenate([state.chain.actuation, rows_of_contacts.T], axis=1)
        rows = np.zeros((2 * k, n - 1 + 2 * k))
        each = np.arange(k)
        rows[each, n - 1 + each] = rows[k + each, n - 1 + each] = -self._friction
        rows[each, n - 1 + k + each], rows[k + each, n - 1 + k + each] = 1.0, -1.0
        lower = np.concatenate([low, np.zeros(k), np.full(3 * k, -NO_BOUND)])
        upper = np.concatenate([high, np.full(2 * k, NO_BOUND), np.zeros(2 * k)])
        return columns, (lower, upper), rows


def _with_free_unknown(
    bounds: tuple[FloatArray, FloatArray], rows: FloatArray
) -> tuple[tuple[FloatArray, FloatArray], FloatArray]:
    """Bounds and rows with one more unknown, which is free, behind the others."""
    size, (low, high) = rows.shape[1], bounds
    low = np.concatenate([low[:size], [-NO_BOUND], low[size:]])
    high = np.concatenate([high[:size], [NO_BOUND], high[size:]])
    return (low, high), np.concatenate([rows, np.zeros((len(rows), 1))], axis=1)
