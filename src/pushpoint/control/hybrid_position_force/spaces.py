"""Propulsion, shape and constraint spaces, P4 3.6.2 after Stavdahl.

The motions of a robot in contact, M, are those that P_ap allows. They split into propulsion P, which moves the head
along its path, and shape S, which does not; forces live in the constraint space C. P4 gives the propulsion space by
J_p^+ alone, (3.50); here it is the part of it that contacts allow, so that M = P + S and R^N = P + S + C, all
orthogonal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.control.hybrid_position_force.projections import allowable_force, allowable_motion, onto
from pushpoint.mechanics.tail_chain import TailState
from pushpoint.types import FloatArray


class Spaces(NamedTuple):
    """Orthogonal projectors (N, N) whose sum is the identity."""

    propulsion: FloatArray
    shape: FloatArray
    constraint: FloatArray

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Dimensions of the three."""
        propulsion, shape, constraint = (round(float(np.trace(P))) for P in self)
        return propulsion, shape, constraint


def head_rows(state: TailState, direction: FloatArray) -> FloatArray:
    """J_p, (1, N): velocity of the head's end along a direction (2,) of the path."""
    head = state.chain.links - 1
    tip = state.points(np.array([head]), state.chain.length[[head]], np.zeros(1))
    return np.asarray(direction @ tip.jacobian[0])[np.newaxis]


def spaces(contact_rows: FloatArray, path_rows: FloatArray) -> Spaces:
    """The spaces of contacts (k, N) and of the head's motion along a path (p, N). Propulsion is empty, up to round-off
    SINGULAR, where no motion that contacts allow moves the head along: a necessary condition is not met."""
    motion = allowable_motion(contact_rows)
    allowed = motion @ path_rows.T
    small = np.abs(allowed).max(initial=0.0) < 1e-9 * np.abs(path_rows).max(initial=1.0)
    propulsion = np.zeros_like(motion) if small else onto(allowed)
    return Spaces(propulsion, motion - propulsion, allowable_force(contact_rows))
