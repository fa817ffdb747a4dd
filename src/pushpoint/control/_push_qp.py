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
from pushpoint.numerics.symmetric_solve import fill_program, solve_in_place
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
        forces, bounds, rows = self._columns(state, contacts, 0 if wish.along is None else 1)
        N, size = forces.shape
        own = size if wish.along is None else size - 1  # unknowns that are torques and forces
        # q'' = M^-1 (forces z + rest)
        solved = np.empty((N, size + 1))
        solved[:, :size], solved[:, size] = forces, wish.drag - state.coriolis_force
        if not solve_in_place(state.mass_matrix.copy(), solved):
            return None
        weight = np.full(size, self._weights.force)  # of the unknowns themselves
        weight[: n - 1] = self._weights.torque
        by_z, at_rest = np.ascontiguousarray(solved[:, :size]), solved[:, size].copy()
        if wish.along is not None:
            heavy = state.mass_matrix @ wish.along
            by_z[:, own], forces[:, own], weight[own] = -wish.along, -heavy, self._weights.along * (heavy @ wish.along)
        # Gaps should close as they are to be kept: J_n q'' + bias = -damping gap' - stiffness gap
        keeping = self._keeping
        J, wanted = contacts.normal_jacobian, wish.acceleration
        off = contacts.bias + keeping.damping * contacts.gap_rate + keeping.stiffness * contacts.gap + J @ wanted
        H, g = np.diag(weight), np.zeros(size)
        fill_program(forces, by_z, at_rest - wanted, J, off, self._weights.keeping, np.empty((k, size)), H, g)
        if wish.force is not None:
            g[n - 1 : n - 1 + k] -= self._weights.force * wish.force
        z = self._solve(H, g, rows, *bounds)
        if z is None:
            return None
        return Push(z[: n - 1], z[n - 1 : n - 1 + k], solved[:, :own] @ z[:own] + at_rest)

    def _columns(
        self, state: TailState, contacts: PegContacts, free: int
    ) -> tuple[FloatArray, tuple[FloatArray, FloatArray], FloatArray]:
        """Generalised forces of the unknowns (N, size), their lower and upper bounds and those of the rows, rows. The
        last unknowns, so many as are `free`, have no forces and no bounds."""
        n, k, S = state.chain.links, len(contacts.link), state.chain.actuation
        kinds = 2 if self._sticking else 1
        size, cone = n - 1 + kinds * k, 2 * k if self._sticking else 0  # unknowns and rows
        columns, rows = np.zeros((len(S), size + free)), np.zeros((cone, size + free))
        low, high = np.full(size + free + cone, -NO_BOUND), np.full(size + free + cone, NO_BOUND)
        columns[:, : n - 1], low[: n - 1], high[: n - 1] = S, -self._limit, self._limit
        low[n - 1 : n - 1 + k] = 0.0
        if not self._sticking:
            sliding = contacts.normal_jacobian - self._friction * contacts.tangent_jacobian
            columns[:, n - 1 : size] = sliding.T
            return columns, (low, high), rows
        columns[:, n - 1 : n - 1 + k], columns[:, n - 1 + k : size] = (
            contacts.normal_jacobian.T,
            contacts.tangent_jacobian.T,
        )
        each = np.arange(k)
        rows[each, n - 1 + each] = rows[k + each, n - 1 + each] = -self._friction
        rows[each, n - 1 + k + each], rows[k + each, n - 1 + k + each] = 1.0, -1.0
        high[size + free :] = 0.0
        return columns, (low, high), rows
