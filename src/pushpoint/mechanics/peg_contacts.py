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
    chain, n = state.chain, state.chain.links
    e, left = state.forward[link], state.left[link]
    along, at_end, to_peg = nearest(state, link, centre)
    away = along[:, np.newaxis] * e - to_peg  # from the peg's centre to the axis
    offset = dot(to_peg, left)
    side = np.where(offset >= 0.0, 1.0, -1.0)
    distance = np.where(at_end == 0, np.abs(offset), np.sqrt(dot(away, away)))
    is_round = (at_end != 0) & (distance > 0.0)
    curvature = is_round / np.where(is_round, distance, 1.0)  # [1/m]
    normal = np.where(is_round[:, np.newaxis], away * curvature[:, np.newaxis], -side[:, np.newaxis] * left)
    tangent = side[:, np.newaxis] * np.stack([-normal[:, 1], normal[:, 0]], axis=1)

    axis = state.points(link, along, np.zeros(len(link)))
    surface = -chain.radius[link, np.newaxis] * normal  # from the axis
    tangent_jacobian = np.einsum("kc,kcj->kj", tangent, axis.jacobian)
    turned = tangent[:, 1] * surface[:, 0] - tangent[:, 0] * surface[:, 1]
    tangent_jacobian[:, :n] += (np.arange(n) <= link[:, np.newaxis]) * turned[:, np.newaxis]

    gap_rate, turning = dot(normal, axis.velocity), state.turning[link]
    bias_round = curvature * (dot(axis.velocity, axis.velocity) - gap_rate**2)
    bias_flat = 2.0 * side * turning * dot(e, axis.velocity) - turning**2 * distance
    return PegContacts(
        link=link,
        gap=distance - chain.radius[link] - radius,
        gap_rate=gap_rate,
        bias=dot(normal, axis.bias) + np.where(is_round, bias_round, bias_flat),
        along=along,
        side=side,
        at_end=at_end,
        point=axis.position + surface,
        normal=normal,
        tangent=tangent,
        normal_jacobian=np.einsum("kc,kcj->kj", normal, axis.jacobian),
        tangent_jacobian=tangent_jacobian,
    )


def nearest(state: TailState, link: IntArray, centre: FloatArray) -> tuple[FloatArray, IntArray, FloatArray]:
    """The place on each link's axis nearest to its peg [m], at which end it is, and the way from the link's tail end to
    the peg's centre (k, 2) [m]."""
    to_peg = centre - state.joints[link]
    free, half, core = dot(to_peg, state.forward[link]), state.chain.length[link] / 2, state.chain.core[link]
    along = np.minimum(np.maximum(free, half - core), half + core)
    return along, np.sign(free - along).astype(np.int64), to_peg


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Row by row."""
    return np.asarray(a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1])
