"""Axes of links, in the plane and in space alike."""

from __future__ import annotations

import numpy as np

from pushpoint.geometry.rotation import matrices, yaws_of
from pushpoint.geometry.sides import fill_sides, fill_sides_in_space
from pushpoint.mechanics.yaw import yaw_quaternions
from pushpoint.types import Contacts, FloatArray, IntArray, Pairs, Snapshot


def axes(seen: Snapshot) -> FloatArray:
    """(n, d, d): columns are forward, left and, in space, up."""
    if seen.attitude.ndim == 2:
        return matrices(seen.attitude)
    cos, sin = np.cos(seen.attitude), np.sin(seen.attitude)
    return np.moveaxis(np.array([[cos, -sin], [sin, cos]]), -1, 0)


ALL = slice(None)


def yaws(seen: Snapshot, links: slice = ALL) -> FloatArray:
    """[rad], (n,), of some links"""
    attitude = seen.attitude[links]
    return attitude if attitude.ndim == 1 else yaws_of(attitude)


def quaternions(seen: Snapshot, links: slice = ALL) -> FloatArray:
    """wxyz, (n, 4), of some links"""
    attitude = seen.attitude[links]
    return yaw_quaternions(attitude) if attitude.ndim == 1 else attitude


def contacts_of(seen: Snapshot, period: float) -> Contacts:
    """Forces are means over the last tick of `period` [s]."""
    pairs = seen.pairs
    side = _sides(seen, pairs) if len(pairs.link) else pairs.link
    return Contacts(pairs.link, pairs.obstacle, pairs.place, side, pairs.point, pairs.normal, pairs.impulse / period)


def _sides(seen: Snapshot, pairs: Pairs) -> IntArray:
    """+1 where the obstacle is on the left: it pushes to the right."""
    attitude, normal = np.ascontiguousarray(seen.attitude), np.ascontiguousarray(pairs.normal)
    found = np.empty(len(normal), dtype=np.int64)
    fill = fill_sides if attitude.ndim == 1 else fill_sides_in_space
    fill(attitude, np.ascontiguousarray(pairs.link), normal, found)
    return found
