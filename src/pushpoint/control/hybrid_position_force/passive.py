"""Passive coordinates, P4 3.2 after Arai and Tachi 1991: (3.44)-(3.48).

The accelerations of some coordinates, psi, are given; those of as many others as there are passive ones, phi, follow.
P4's rows of passive coordinates,  M_21 phi'' + M_22 psi'' + C_2 = 0  (3.46b), leave out that pegs push (erratum P4-5):
they are  J_n' lambda,  and the contacts hold:  J_n q'' = -bias.  P4 5.5 takes psi as the joints and phi as the virtual
coordinates (phi_0, x_0, y_0); so does the default here. Joints without a motor are passive like these. `choose_free`
chooses phi by itself, which P4 8.1 asks for.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from pushpoint.control._reachable import Aim, reachable
from pushpoint.control.hybrid_position_force.projections import SINGULAR
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.peg_contacts import PegContacts
from pushpoint.mechanics.tail_chain import TailChain, TailState
from pushpoint.types import FloatArray, IntArray

MOST_CHOICES = 1000  # of phi that are all compared: eighteen coordinates, three of them passive
PARALLEL = 1e-3  # of the largest singular value: forces of pegs along a straight robot cannot be separated
EASE = 1e-3  # of |M_21^-1| beside its effect on the task
HYSTERESIS = 2.0  # times as much disturbance as the best choice: less is no reason to change


class Driven(NamedTuple):
    """Torques that give wanted accelerations to the coordinates psi."""

    torque: FloatArray  # [N m], (n - 1,), of the joints
    acceleration: FloatArray  # q'', (N,)
    force: FloatArray  # [N], (k,): normal forces that pegs would have to give; empty in the printed form


def free_coordinates(chain: TailChain, given: tuple[int, ...] | None) -> list[int]:
    """phi: the coordinates whose accelerations follow; by default the passive ones."""
    if given is None:
        return list(chain.passive)
    count, links = len(chain.passive), chain.links
    if len(given) != count or any(not 0 <= c < links + 2 for c in given) or len(set(given)) != count:
        raise InvalidInput(
            f"free coordinates {given}: {count} different ones of 0 (tail angle), 1 to {links - 1} (joints), "
            f"{links}, {links + 1} (place of the tail) are needed, as many as there are passive ones"
        )
    return list(given)


def choose_free(
    state: TailState, rows: FloatArray, kept: list[int] | None = None, contacts: PegContacts | None = None
) -> list[int]:
    """phi for a task with rows (t, N), P4 8.1: the coordinates that disturb it least by having to follow.

    If phi'' has to differ by d from what is wanted, the task does by rows[:, phi] d, and by (3.47) d = M_21^-1 r for
    what is left over, r, in the passive rows. So |rows[:, phi] M_21^-1| is made as small as can be, and among equals
    |M_21^-1| is, as then phi'' are small. With `contacts`, forces of pegs follow like phi'', and gaps stay closed:
    B = [[M_21, -G], [J_phi, 0]] in place of M_21. All choices are compared where these are at most MOST_CHOICES, else
    single coordinates are exchanged while that helps. `kept`: a choice to stay with unless another is much better.
    """
    score = _Disturbance(state, rows, contacts)
    N, count = state.chain.coordinates, len(state.chain.passive)
    if math.comb(N, count) <= MOST_CHOICES:
        choices = np.array(list(combinations(range(N), count)))
        best = choices[int(np.argmin(score(choices)))]
    else:
        best = _exchanged(score, N, np.array(sorted(state.chain.passive)))
    if kept is not None:
        least, now = score(np.array([best, sorted(kept)]))
        if now <= HYSTERESIS * least:
            return list(kept)
    return [int(c) for c in best]


def _exchanged(score: _Disturbance, coordinates: int, now: IntArray) -> IntArray:
    """A choice that no exchange of one coordinate improves."""
    while True:
        others = [c for c in range(coordinates) if c not in now]
        tried = np.array([now, *(sorted({*now} - {out} | {new}) for out in now for new in others)])
        scores = score(tried)
        k = int(np.argmin(scores))
        if not scores[k] < scores[0] * (1.0 - SINGULAR):
            return now
        now = tried[k]


class _Disturbance:
    """How much choices of phi disturb a task. Lengths count by the longest link and masses by that of the robot, so
    that angles, places and forces compare."""

    def __init__(self, state: TailState, rows: FloatArray, contacts: PegContacts | None) -> None:
        chain = state.chain
        length, mass = float(chain.length.max()), float(chain.mass.sum())
        unit = np.ones(chain.coordinates)
        unit[-2:] = length
        passive = chain.passive
        k = 0 if contacts is None else len(contacts.link)
        self._rows, self._passive = rows * unit, len(passive)
        # Equations of the passive rows and of the gaps, columns of coordinates and of forces.
        self._by_q, self._by_force = np.zeros((len(passive) + k, len(unit))), np.zeros((len(passive) + k, k))
        self._by_q[: len(passive)] = unit[passive, np.newaxis] * state.mass_matrix[passive] * unit / (mass * length**2)
        if contacts is not None:
            J = contacts.normal_jacobian
            self._by_q[len(passive) :] = J * unit / length
            self._by_force[: len(passive)] = -unit[passive, np.newaxis] * J[:, passive].T / length

    def __call__(self, choices: IntArray) -> FloatArray:
        """Of choices (m, p): (m,), infinite where phi cannot move what it should."""
        m, p = choices.shape
        B = np.zeros((m, len(self._by_q), p + self._by_force.shape[1]))
        B[:, :, :p], B[:, :, p:] = np.moveaxis(self._by_q[:, choices], 1, 0), self._by_force
        coupled, both = (np.linalg.svd(each, compute_uv=False) for each in (B[:, : self._passive, :p], B))
        usable = coupled[:, -1] > np.sqrt(SINGULAR) * coupled[:, 0]
        small = PARALLEL if both.shape[1] > coupled.shape[1] else SINGULAR
        rank = (both > small * both[:, :1]).sum(axis=1)
        usable &= rank == rank.max()  # what phi does not move is no merit of it
        scores = np.full(m, np.inf)
        if usable.any():
            follows = np.linalg.pinv(B[usable], rcond=small)[:, :p]
            task = np.moveaxis(self._rows[:, choices[usable]], 1, 0) @ follows
            scores[usable] = np.sqrt((task**2).sum(axis=(1, 2))) + EASE * np.sqrt((follows**2).sum(axis=(1, 2)))
        return scores


def without_reactions(state: TailState, wanted: FloatArray, free: list[int]) -> Driven:
    """(3.47) and (3.48) as printed: as if no peg pushed. `wanted` (N,): q'' of which the coordinates psi count."""
    M, C = state.mass_matrix, state.coriolis_force
    passive = state.chain.passive
    coupling = M[np.ix_(passive, free)]  # M_21
    if np.linalg.cond(coupling) > 1.0 / SINGULAR:
        raise InvalidInput(f"free coordinates {free}: M_21 is singular here, they do not move the passive ones")
    q2 = wanted.copy()
    q2[free] = 0.0
    q2[free] = np.linalg.solve(coupling, -(M[passive] @ q2) - C[passive])  # (3.47)
    torque = M @ q2 + C  # (3.48) in the rows of the joints
    return Driven(state.chain.motors * torque[1:-2], q2, np.zeros(0))


def with_reactions(state: TailState, contacts: PegContacts, wanted: FloatArray, free: list[int]) -> Driven:
    """(3.46)-(3.48) corrected: passive rows with J_n' lambda, and contacts that hold, J_n q'' = -bias.

    On three pegs not all accelerations psi'' are possible, and near a straight robot phi'' and lambda are nearly
    undetermined; the nearest ones that are possible are taken.
    """
    aim = Aim.of(wanted, len(contacts.link))._replace(arbitrary=free)
    q2, force = reachable(state, contacts, aim)
    torque = state.mass_matrix @ q2 + state.coriolis_force - contacts.normal_jacobian.T @ force
    return Driven(state.chain.motors * torque[1:-2], q2, force)
