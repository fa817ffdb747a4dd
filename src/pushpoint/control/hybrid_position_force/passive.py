"""Passive coordinates, P4 3.2 after Arai and Tachi 1991: (3.44)-(3.48).

The accelerations of some coordinates, psi, are given; those of as many others as there are passive ones, phi, follow.
P4's rows of passive coordinates,  M_21 phi'' + M_22 psi'' + C_2 = 0  (3.46b), leave out that pegs push (erratum P4-5):
they are  J_n' lambda,  and the contacts hold:  J_n q'' = -bias.  P4 5.5 takes psi as the joints and phi as the virtual
coordinates (phi_0, x_0, y_0); so does the default here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.control._reachable import Aim, reachable
from pushpoint.control.hybrid_position_force.projections import SINGULAR
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.peg_contacts import PegContacts
from pushpoint.mechanics.tail_chain import TailState
from pushpoint.types import FloatArray


class Driven(NamedTuple):
    """Torques that give wanted accelerations to the coordinates psi."""

    torque: FloatArray  # [N m], (n - 1,), of the joints
    acceleration: FloatArray  # q'', (N,)
    force: FloatArray  # [N], (k,): normal forces that pegs would have to give; empty in the printed form


def free_coordinates(links: int, given: tuple[int, ...] | None) -> list[int]:
    """phi: the coordinates whose accelerations follow; by default the three virtual ones."""
    virtual = [0, links, links + 1]
    if given is None:
        return virtual
    if len(given) != len(virtual) or any(not 0 <= c < links + 2 for c in given) or len(set(given)) != len(virtual):
        raise InvalidInput(
            f"free coordinates {given}: three different ones of 0 (tail angle), 1 to {links - 1} (joints), "
            f"{links}, {links + 1} (place of the tail) are needed, as many as there are passive ones"
        )
    return list(given)


def without_reactions(state: TailState, wanted: FloatArray, free: list[int]) -> Driven:
    """(3.47) and (3.48) as printed: as if no peg pushed. `wanted` (N,): q'' of which the coordinates psi count."""
    M, C = state.mass_matrix, state.coriolis_force
    passive = [0, state.chain.links, state.chain.links + 1]
    coupling = M[np.ix_(passive, free)]  # M_21
    if np.linalg.cond(coupling) > 1.0 / SINGULAR:
        raise InvalidInput(f"free coordinates {free}: M_21 is singular here, they do not move the passive ones")
    q2 = wanted.copy()
    q2[free] = 0.0
    q2[free] = np.linalg.solve(coupling, -(M[passive] @ q2) - C[passive])  # (3.47)
    torque = M @ q2 + C  # (3.48) in the rows of the joints
    return Driven(torque[1:-2], q2, np.zeros(0))


def with_reactions(state: TailState, contacts: PegContacts, wanted: FloatArray, free: list[int]) -> Driven:
    """(3.46)-(3.48) corrected: passive rows with J_n' lambda, and contacts that hold, J_n q'' = -bias.

    On three pegs not all accelerations psi'' are possible, and near a straight robot phi'' and lambda are hardly told;
    the nearest ones that are possible are taken.
    """
    aim = Aim.of(wanted, len(contacts.link))._replace(arbitrary=free)
    q2, force = reachable(state, contacts, aim)
    torque = state.mass_matrix @ q2 + state.coriolis_force - contacts.normal_jacobian.T @ force
    return Driven(torque[1:-2], q2, force)
