"""Places thrown at random that keep their distance."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pushpoint.errors import InvalidInput


class Target(NamedTuple):
    """Where circles may be, and how large; ranges from least to most [m]."""

    x: tuple[float, float]
    y: tuple[float, float]
    radius: tuple[float, float]


def refuse_reversed(world: str, ranges: dict[str, tuple[float, float]]) -> None:
    """Ranges whose least exceeds the most, named by `world` and what they are of."""
    for what, (low, high) in ranges.items():
        if low > high:
            raise InvalidInput(f"{world}: {what}_min = {low} exceeds {what}_max = {high}")


def throw(
    random: np.random.Generator, target: Target, count: int, gap: float, darts: int
) -> list[tuple[float, float, float]]:
    """(x, y, radius) [m] of up to `count` circles, at least `gap` apart, from at most `darts` throws."""
    placed: list[tuple[float, float, float]] = []
    for _ in range(darts):
        if len(placed) == count:
            break
        x, y, r = random.uniform(*target.x), random.uniform(*target.y), random.uniform(*target.radius)
        if all(math.hypot(x - a, y - b) >= r + c + gap for a, b, c in placed):
            placed.append((x, y, r))
    return placed
