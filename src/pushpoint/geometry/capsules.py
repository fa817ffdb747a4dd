"""The outline of a link in space: one capsule, or four thin ones along the edges of a square link."""

from __future__ import annotations

from typing import NamedTuple


class CapsuleOnLink(NamedTuple):
    """A capsule parallel to its link's long axis."""

    left: float  # [m], of its axis from the link's
    up: float  # [m]
    half: float  # [m], half the length of its axis
    radius: float  # [m]


def outline(shape: str, half_core: float, radius: float, rounding: float) -> tuple[CapsuleOnLink, ...]:
    """The capsules of a link: `round`, or `square` with edges of radius `rounding` [m]."""
    if shape == "round":
        return (CapsuleOnLink(0.0, 0.0, half_core, radius),)
    off = radius - rounding
    return tuple(CapsuleOnLink(y * off, z * off, half_core, rounding) for y in (-1, 1) for z in (-1, 1))
