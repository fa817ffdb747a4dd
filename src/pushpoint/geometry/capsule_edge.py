"""Gaps between a planar capsule and the straight edges and corners of walls and polygons (see mechanics.features)."""

from __future__ import annotations

from pushpoint._jit import kernel
from pushpoint.geometry.capsule_disc import capsule_disc
from pushpoint.types import FloatArray

BEFORE, AFTER = 11, 14  # columns of a feature: how far an edge goes on, and then the neighbour's direction
APART = 1e30  # [m], for what cannot touch
# Edges and the cones of corners overlap by a little, so that round-off opens no hole between them. What touches both
# then has two contacts for one, which does no harm.
OVERLAP = 1e-9  # [m] beyond the ends of edges; of the cosines of cones

Touch = tuple[float, float, float, float]  # distance [m] from the axis, place [m] along it, normal x, y


@kernel
def end_to_edge(x: float, y: float, edge: FloatArray) -> tuple[float, float, float]:
    """A point and an edge (a row of features): its distance on the outside, and the outward normal x, y."""
    dx, dy = x - edge[1], y - edge[2]
    along, size = dx * edge[3] + dy * edge[4], edge[5]
    out = dx * edge[4] - dy * edge[3]
    far = along < -edge[BEFORE] - OVERLAP or along > size + edge[AFTER] + OVERLAP
    if along < -OVERLAP:  # behind the neighbour: only what is outside that one too
        far = far or dx * edge[BEFORE + 2] < dy * edge[BEFORE + 1]
    elif along > size + OVERLAP:
        dx, dy = dx - size * edge[3], dy - size * edge[4]
        far = far or dx * edge[AFTER + 2] < dy * edge[AFTER + 1]
    return APART if far or out < 0.0 else out, edge[4], -edge[3]


@kernel
def axis_to_corner(dx: float, dy: float, ex: float, ey: float, half: float, corner: FloatArray) -> Touch:
    """capsule_disc with a corner (a row of features), which touches only from within its cone; also for discs."""
    distance, place, nx, ny = capsule_disc(dx, dy, ex, ey, half)
    if nx * corner[3] + ny * corner[4] < corner[5] - OVERLAP:
        return APART, place, nx, ny
    return distance, place, nx, ny


@kernel
def distance_to_edge(x: float, y: float, edge: FloatArray) -> float:
    """Of a point from the nearest point of an edge [m], squared."""
    dx, dy = x - edge[1], y - edge[2]
    along = min(edge[5] + edge[AFTER], max(-edge[BEFORE], dx * edge[3] + dy * edge[4]))
    dx, dy = dx - along * edge[3], dy - along * edge[4]
    return float(dx * dx + dy * dy)
