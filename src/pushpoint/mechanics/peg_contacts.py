"""Links on round pegs in tail coordinates: gaps, their first and exact second derivatives, contact Jacobians.

Between the ends of its axis a link touches a peg with its straight side, and the contact point moves along the link
while it turns:    gap = side e' . (c - P) - r - R,    c the peg's centre, P the link's tail end,
so that with X, the material point of the axis that is nearest at the moment, and the normal u = -side e'
                   gap'' = J_n q'' + u . X''_bias + 2 side w e . X' - w^2 |X - c|.
At its ends it touches with a circle about a fixed point X of the axis, u = (X - c) / |X - c|:
                   gap'' = J_n q'' + u . X''_bias + (|X'|^2 - (u . X')^2) / |X - c|.
X''_bias is the acceleration of X at q'' = 0. In both cases J_n is u . J_X, the gradient of the gap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.mechanics.tail_chain import TailState
from pushpoint.mechanics.tail_kernels import (
    ALONG,
    AT_END,
    BIAS,
    COLUMNS,
    GAP,
    GAP_RATE,
    NORMAL,
    POINT,
    SIDE,
    TANGENT,
    fill_contacts,
)
from pushpoint.types import FloatArray, IntArray


class PegContacts(NamedTuple):
    """Pairs of a link and a peg. Normals point from the peg to the link, tangents along its surface headwards."""

    link: IntArray  # (k,)
    gap: FloatArray  # [m], (k,)
    gap_rate: FloatArray  # [m/s], (k,)
    bias: FloatArray  # [m/s2], (k,): gap'' = normal_jacobian @ q'' + bias
    along: FloatArray  # [m], (k,): nearest point of the axis, from the link's tail end: P4's k
    side: FloatArray  # (k,): +1 where the peg is on the left of the link, -1 on its right; P4's gamma is -side
    at_end: IntArray  # (k,): -1 tail end of the axis, +1 its head end, 0 between
    point: FloatArray  # [m], (k, 2): nearest point of the link's surface
    normal: FloatArray  # (k, 2)
    tangent: FloatArray  # (k, 2)
    normal_jacobian: FloatArray  # J_n, (k, N): the gradient of the gap; J_n' lambda is the generalised normal force
    tangent_jacobian: FloatArray  # J_t, (k, N): velocity of the link's surface along the tangent


def peg_contacts(state: TailState, link: IntArray, centre: FloatArray, radius: FloatArray) -> PegContacts:
    """Links (k,) against pegs at `centre` (k, 2) [m] of `radius` (k,) [m]: each link against the peg in its row."""
    k, n = len(link), state.chain.links
    out, rows = np.empty((k, COLUMNS)), np.empty((2 * k, n + 2))
    pegs = np.empty((k, 3))
    pegs[:, :2], pegs[:, 2] = centre, radius
    link = np.ascontiguousarray(link, dtype=np.int64)
    rate = np.ascontiguousarray(state.rate)
    fill_contacts(state.chain.table, state.table, state.joints, rate, link, pegs, out, rows)
    return PegContacts(
        link=link,
        gap=out[:, GAP],
        gap_rate=out[:, GAP_RATE],
        bias=out[:, BIAS],
        along=out[:, ALONG],
        side=out[:, SIDE],
        at_end=out[:, AT_END].astype(np.int64),
        point=out[:, POINT : POINT + 2],
        normal=out[:, NORMAL : NORMAL + 2],
        tangent=out[:, TANGENT : TANGENT + 2],
        normal_jacobian=rows[:k],
        tangent_jacobian=rows[k:],
    )
