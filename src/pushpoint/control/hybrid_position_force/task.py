"""Task coordinates of contacts, P4 (3.15)-(3.30): how contact points move along, across and about their links.

Each contact i has r_t = (x_t, y_t, theta_t). P4 wants E_F = [0 1 0] to pick the motion across the link, (3.18), and
defines r_t in the base frame, (3.19), (3.30). Both hold together only for links along x (erratum P4-2). There are three
solutions, `Frame`:

- `contact` (default): velocities in the frame that turns with the link, E_F = [0 1 0], dE_F/dt = 0;
- `base`: velocities in the base frame, E_F = [-sin, cos, 0], whose rate is not zero; the same motions;
- `printed`: velocities in the base frame with E_F = [0 1 0].

P4 takes the contacts' places k and angles phi_c as coordinates, (2.8); that makes M singular (erratum P4-3). Here q has
n + 2 coordinates, and the slide of a link along its peg is -x_t'.

Closed kinematic chains, P4 3.5.3: a `regular` chain reaches from the base to the contact; a `minimal` one from the
contact before, whose link is taken as fixed. Only joints of the chain move its contact; angles are relative to it.
`largest` chains, P4 6.1.4, are those of contacts to be controlled: each begins at the one before that is controlled,
too, so that no joint is idle and none serves two of them. Other contacts have no chain.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pushpoint.mechanics.peg_contacts import PegContacts
from pushpoint.mechanics.tail_chain import TailState
from pushpoint.types import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]
Frame = Literal["contact", "base", "printed"]
Chains = Literal["regular", "minimal", "largest"]


class Task(NamedTuple):
    """Contacts in task coordinates, one block of three rows each: along, across, turn (or x, y, turn)."""

    jacobian: FloatArray  # J_t, (3 k, N), (3.29)
    bias: FloatArray  # a_q = J_t' q', (3 k,), (3.28); P4 says n_c entries (erratum P4-1)
    force_axes: FloatArray  # E_F, (k, 3 k), (3.20)
    force_bias: FloatArray  # a_rF = dE_F/dt r_t', (k,), (3.21)
    position_axes: FloatArray  # E_P, (2 k, 3 k), (3.25)
    position_bias: FloatArray  # a_rP = dE_P/dt r_t', (2 k,), (3.43) corrected: of r_t', not of r_P'
    place: FloatArray  # r_P, (2 k,): minus the contact's place k on its link [m], angle of the link [rad]
    place_rate: FloatArray  # E_P r_t', (2 k,), (3.42) corrected: r_P = s(r_t)

    @property
    def normal_rows(self) -> FloatArray:
        """E_F J_t, (k, N): motion of the contact points to the left of their links."""
        return np.asarray(self.force_axes @ self.jacobian)

    def block(self, contact: int) -> FloatArray:
        """J_t,i, (3, N), (3.30)."""
        return self.jacobian[3 * contact : 3 * contact + 3]


def task_of(
    state: TailState,
    contacts: PegContacts,
    chains: Chains = "regular",
    frame: Frame = "contact",
    controlled: BoolArray | None = None,
) -> Task:
    """The task coordinates of contacts, in the order from the tail; `controlled` (k,) counts for largest chains."""
    k, N = len(contacts.link), state.chain.coordinates
    J, a, place, place_rate = np.zeros((3 * k, N)), np.zeros(3 * k), np.zeros(2 * k), np.zeros(2 * k)
    E_F, a_F = np.zeros((k, 3 * k)), np.zeros(k)
    E_P, a_P = np.zeros((2 * k, 3 * k)), np.zeros(2 * k)
    for i, (begin, moved) in enumerate(chains_of(contacts.link, state.chain.links, chains, controlled)):
        rows, pairs = slice(3 * i, 3 * i + 3), slice(2 * i, 2 * i + 2)
        seen = state.chain.at(state.q, np.where(moved, state.rate, 0.0))
        one = _one(seen, int(contacts.link[i]), float(contacts.along[i]), frame)
        J[rows], a[rows] = one.jacobian * moved, one.bias
        E_F[i, rows], a_F[i] = one.force_axis, one.force_bias
        E_P[pairs, rows], a_P[pairs] = one.position_axes, one.position_bias
        before = 0.0 if begin is None else state.angle[begin]
        place[pairs] = -contacts.along[i], state.angle[contacts.link[i]] - before
        place_rate[pairs] = one.position_axes @ (J[rows] @ state.rate)
    return Task(J, a, E_F, a_F, E_P, a_P, place, place_rate)


class Chain(NamedTuple):
    """The closed kinematic chain of a contact."""

    begin: int | None  # the link that it begins at, as if it were fixed; None: the base
    moved: BoolArray  # (N,): the coordinates that belong to it


def chains_of(link: IntArray, links: int, chains: Chains, controlled: BoolArray | None = None) -> list[Chain]:
    """The chains of contacts at links (k,); of largest ones, only those of contacts that are `controlled` (k,)."""
    counts = np.ones(len(link), dtype=bool) if controlled is None or chains != "largest" else controlled
    out: list[Chain] = []
    before: int | None = None
    for here, has_one in zip(link, counts, strict=True):
        moved = np.zeros(links + 2, dtype=bool)
        begin = None if chains == "regular" else before
        if begin is None:
            moved[: here + 1] = moved[-2:] = has_one
        else:
            moved[begin + 1 : here + 1] = has_one
        out.append(Chain(begin, moved))
        before = int(here) if has_one else before
    return out


class _One(NamedTuple):
    jacobian: FloatArray  # (3, N)
    bias: FloatArray  # (3,)
    force_axis: FloatArray  # (3,)
    force_bias: float
    position_axes: FloatArray  # (2, 3)
    position_bias: FloatArray  # (2,)


def _one(state: TailState, link: int, along: float, frame: Frame) -> _One:
    """One contact, as a point of the link's axis at `along` [m] from its tail end."""
    points = state.points(np.array([link]), np.array([along]), np.zeros(1))
    turn = np.zeros(state.chain.coordinates)
    turn[: link + 1] = 1.0
    e, left, w, v = state.forward[link], state.left[link], float(state.turning[link]), points.velocity[0]
    J, bias = np.vstack([points.jacobian[0], turn]), np.append(points.bias[0], 0.0)
    straight = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # (3.24)
    if frame == "printed":
        return _One(J, bias, np.array([0.0, 1.0, 0.0]), 0.0, straight, np.zeros(2))
    if frame == "base":
        turned = np.array([[e[0], e[1], 0.0], [0.0, 0.0, 1.0]])
        return _One(J, bias, np.append(left, 0.0), -w * float(e @ v), turned, np.array([w * float(left @ v), 0.0]))
    rotation = np.eye(3)
    rotation[:2, :2] = e, left
    dragged = w * np.array([float(left @ v), -float(e @ v), 0.0])  # the frame turns under the velocity
    return _One(rotation @ J, rotation @ bias + dragged, np.array([0.0, 1.0, 0.0]), 0.0, straight, np.zeros(2))
