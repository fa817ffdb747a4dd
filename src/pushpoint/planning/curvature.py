"""How sharply a path may bend for the links of a robot, P4 (3.51)."""

from __future__ import annotations

import math

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.planning.paths import Path
from pushpoint.types import FloatArray

SPACING = 2e-3  # [m], of the places at which a path is looked at
ROUNDING = 1e-3  # of the bound: splines through points of a circle are no better


def largest_curvature(path: Path, begin: float, end: float) -> tuple[float, float]:
    """The largest curvature [1/m] between two arc lengths [m], and where it is [m]."""
    s = np.linspace(begin, end, max(3, 1 + math.ceil((end - begin) / SPACING)))
    angle = np.unwrap(np.arctan2(*path.tangent(s).T[::-1]))
    bend = np.abs(np.diff(angle) / np.diff(s))
    k = int(np.argmax(bend))
    return float(bend[k]), float(s[k] + s[k + 1]) / 2


def refuse_sharp_bends(path: Path, head: float, length: FloatArray, limit: float) -> None:
    """Refuse a path that bends more than `limit` over the longest of links (n,) [m], from the robot with its head's end
    at `head` [m] on. The limit of P4 (3.51) is 1: no radius below the length of a link."""
    longest = float(np.max(length))
    behind = float(np.sum(length)) * arc_over_chord(limit)
    bend, place = largest_curvature(path, max(0.0, head - behind), path.length)
    if bend * longest > limit * (1.0 + ROUNDING):
        raise InvalidInput(
            f"the path bends with a radius of {1.0 / bend:.3g} m at {place:.3g} m of its length; with links of "
            f"{longest:g} m should be {longest / limit:.3g} m at least"
        )


def arc_over_chord(limit: float) -> float:
    """Length of path per length of link where it bends at the limit: pi / 3 for a radius of one link."""
    half = min(1.0, limit / 2.0)
    return math.asin(half) / half
