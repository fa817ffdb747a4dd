"""Which links of a chain in the plane cross each other, row by row: their axes from joint to joint, without width."""

from __future__ import annotations

import numpy as np

from pushpoint.mechanics.overlap import axes_cross
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, IntArray

PAIRS = 1_000_000  # pairs of links that are looked at at once


def crossings(robot: Robot, position: FloatArray, angle: FloatArray) -> tuple[IntArray, IntArray]:
    """Rows in which links cross, and the pairs of links (crossings, 2), in the order of rows and links.

    For links at `position` (rows, n, 2) [m] and `angle` (rows, n). Neighbours share a joint and are left out; links
    that only touch do not cross.
    """
    half = np.array([link.length for link in robot.links]) / 2
    one, other = np.triu_indices(len(half), k=2)
    along = half[:, np.newaxis] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    start, end = position - along, position + along
    size, step = half[one] + half[other], max(1, PAIRS // max(1, len(one)))
    rows, pairs = [np.zeros(0, np.int64)], [np.zeros((0, 2), np.int64)]
    for first in range(0, len(position), step):
        part = slice(first, first + step)
        away = position[part][:, one] - position[part][:, other]
        row, pair = np.nonzero(away[..., 0] ** 2 + away[..., 1] ** 2 < size**2)
        row, i, j = row + first, one[pair], other[pair]
        crossed = axes_cross(start[row, i], end[row, i], start[row, j], end[row, j])
        rows.append(row[crossed])
        pairs.append(np.stack([i[crossed], j[crossed]], axis=1))
    return np.concatenate(rows), np.concatenate(pairs)
