"""Mass-spring-damper dynamics of shape control points under contact forces, after P4 2.1.4."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from pushpoint.control._shape_options import Compliance
from pushpoint.types import Contacts, FloatArray

ACROSS = 0.2  # cosine to the direction of motion: forces with less are counted as across it, in part


def forces_on_points(
    contacts: Contacts, turn: FloatArray, place: FloatArray, points: int, forward: FloatArray, options: Compliance
) -> FloatArray:
    """What pushes each shape control point [N], (points, 3), in the frame of the drawing.

    `turn` (n, 3, 3) leads from the world to the drawing, link by link; `place` (n,) is each link's parameter on the
    curve; `forward` is the direction of motion in the world. A force is shared by the two points about its link.
    """
    total = np.zeros((points, 3))
    for link, force in zip(contacts.link, contacts.force, strict=True):
        push = np.zeros(3)
        push[: len(force)] = force
        size = float(np.linalg.norm(push))
        if size == 0.0:
            continue
        admitted = _admitted(float(push @ forward) / size, options.propulsive)
        drawn = turn[link] @ push * admitted * min(1.0, options.force_limit / size)
        low = int(np.clip(np.floor(place[link]), 0, points - 2))
        part = float(np.clip(place[link] - low, 0.0, 1.0))
        total[low] += (1.0 - part) * drawn
        total[low + 1] += part * drawn
    return total


def from_obstacles(contacts: Contacts) -> Contacts:
    """Without what the ground or its terrain does: its support is no obstacle."""
    kept = contacts.obstacle >= 0
    return Contacts(*(getattr(contacts, field.name)[kept] for field in fields(contacts)))


def _admitted(cosine: float, propulsive: float) -> float:
    """The share of a force that moves a point: all of one that pushes back, `propulsive` of one that pushes on, and
    something between of one that pushes across the motion, by the cosine of its angle to it."""
    back = min(1.0, max(0.0, 0.5 - 0.5 * cosine / ACROSS))
    return propulsive + (1.0 - propulsive) * back


def moved_points(
    offset: FloatArray, rate: FloatArray, force: FloatArray, period: float, options: Compliance
) -> tuple[FloatArray, FloatArray]:
    """Offsets [m] and their rates [m/s] (points, 3) a period later: m p'' + d p' + k p = f, by the implicit Euler
    rule, which no stiffness upsets."""
    stiff, loss = period * options.stiffness, options.damping
    new_rate = (options.mass * rate + period * (force - options.stiffness * offset)) / (
        options.mass + period * (loss + stiff)
    )
    new = offset + period * new_rate
    size = np.linalg.norm(new, axis=1, keepdims=True)
    beyond = size > options.limit
    return np.where(beyond, new * options.limit / np.maximum(size, options.limit), new), np.where(beyond, 0.0, new_rate)
