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

from pushpoint.mechanics.tail_chain import TailState, relative
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
    chain = state.chain
    e, left = state.forward[link], state.left[link]
    along, at_end, to_peg = nearest(state, link, centre)
    away = along[:, np.newaxis] * e - to_peg  # from the peg's centre to the axis
    offset = dot(to_peg, left)
    side = np.where(offset >= 0.0, 1.0, -1.0)
    distance = np.where(at_end == 0, np.abs(offset), np.sqrt(dot(away, away)))
    is_round = (at_end != 0) & (distance > 0.0)
    curvature = is_round / np.where(is_round, distance, 1.0)  # [1/m]
    normal = np.where(is_round[:, np.newaxis], away * curvature[:, np.newaxis], -side[:, np.newaxis] * left)
    tangent = np.empty_like(normal)
    tangent[:, 0], tangent[:, 1] = -side * normal[:, 1], side * normal[:, 0]

    turning, n, k = state.turning, chain.links, len(link)
    behind = (np.arange(n) < link[:, np.newaxis]) * chain.length  # (k, n)
    velocity = state.rate[-2:] + (behind * turning) @ state.left + (along * turning[link])[:, np.newaxis] * left
    acceleration = -(behind * turning**2) @ state.forward - (along * turning[link] ** 2)[:, np.newaxis] * e
    surface = -chain.radius[link, np.newaxis] * normal  # from the axis
    # Rows by link angles and the tail's place: normals first, then tangents.
    direction, rows = np.concatenate([normal, tangent]), np.empty((2 * k, n + 2))
    rows[:, :n] = (direction @ state.left.T) * np.concatenate([behind, behind])
    rows[np.arange(k), link] = along * dot(normal, left)
    rows[np.arange(k, 2 * k), link] = along * dot(tangent, left) + cross(surface, tangent)
    rows[:, n:] = direction
    rows = relative(rows)

    gap_rate, turn = dot(normal, velocity), turning[link]
    bias_round = curvature * (dot(velocity, velocity) - gap_rate**2)
    bias_flat = 2.0 * side * turn * dot(e, velocity) - turn**2 * distance
    return PegContacts(
        link=link,
        gap=distance - chain.radius[link] - radius,
        gap_rate=gap_rate,
        bias=dot(normal, acceleration) + np.where(is_round, bias_round, bias_flat),
        along=along,
        side=side,
        at_end=at_end,
        point=centre + away + surface,
        normal=normal,
        tangent=tangent,
        normal_jacobian=rows[:k],
        tangent_jacobian=rows[k:],
    )


def nearest(state: TailState, link: IntArray, centre: FloatArray) -> tuple[FloatArray, IntArray, FloatArray]:
    """The place on each link's axis nearest to its peg [m], at which end it is, and the vector from the link's tail
    end to the peg's centre (k, 2) [m]."""
    to_peg = centre - state.joints[link]
    free, half, core = dot(to_peg, state.forward[link]), state.chain.length[link] / 2, state.chain.core[link]
    along = np.minimum(np.maximum(free, half - core), half + core)
    return along, np.sign(free - along).astype(np.int64), to_peg


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Row by row."""
    return np.asarray(a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1])


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Row by row: how fast a, turning at one, moves along b."""
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
