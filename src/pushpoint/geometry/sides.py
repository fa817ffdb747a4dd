"""On which side of a link something is that pushes at it."""

from __future__ import annotations

import math

from pushpoint._jit import entry_point
from pushpoint.types import FloatArray, IntArray


@entry_point
def fill_sides(angle: FloatArray, link: IntArray, normal: FloatArray, out: IntArray) -> None:
    """+1 where it is on the left, as it pushes to the right, else -1: of links at angles (n,) [rad], by normals (k, 2)
    that point to the links (k,)."""
    for c in range(len(link)):
        a = angle[link[c]]
        across = math.cos(a) * normal[c, 1] - math.sin(a) * normal[c, 0]
        out[c] = 1 if across < 0.0 else -1


@entry_point
def fill_sides_in_space(quaternion: FloatArray, link: IntArray, normal: FloatArray, out: IntArray) -> None:
    """The same of links with quaternions (n, 4), by normals (k, 3)."""
    for c in range(len(link)):
        i = link[c]
        w, x, y, z = quaternion[i, 0], quaternion[i, 1], quaternion[i, 2], quaternion[i, 3]
        left_x, left_y, left_z = 2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)
        across = left_x * normal[c, 0] + left_y * normal[c, 1] + left_z * normal[c, 2]
        out[c] = 1 if across < 0.0 else -1
