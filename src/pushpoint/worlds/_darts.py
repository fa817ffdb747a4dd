"""Places thrown at random that keep their distance."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from pushpoint import limits
from pushpoint.errors import InvalidInput

BLOCK = 256  # darts that are thrown at once
MOST_COMPARED = 300  # circles with which all of them are compared
THINNING = 0xC1077E5  # seeds the draw of what stays, apart from that of the places
SAFE = 1e-9  # [m], against round-off of that comparison: the exact one decides

T = TypeVar("T")


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
    random: np.random.Generator,
    target: Target,
    count: int,
    gap: float,
    darts: int,
    clear_of: Sequence[tuple[float, float]] = (),
    clearance: float = 0.0,
) -> list[tuple[float, float, float]]:
    """(x, y, radius) [m] of up to `count` circles, at least `gap` apart, from at most `darts` throws.

    None comes closer than `clearance` to the line through the points `clear_of`.
    """
    if darts * len(clear_of) > limits.DART_CHECKS:
        raise InvalidInput(
            f"world.darts = {darts} times {len(clear_of)} points of world.keep_clear: should be "
            f"{limits.DART_CHECKS} at most"
        )
    placed: list[tuple[float, float, float]] = []
    # Circles by cells that are as wide as two of the largest with the gap: others than the nine about a place are far.
    cells: dict[tuple[int, int], list[tuple[float, float, float]]] = defaultdict(list)
    width = 2 * target.radius[1] + gap
    for x, y, r in _thrown(random, target, darts, placed, gap):
        if len(placed) == count:
            break
        column, row = math.floor((x - target.x[0]) / width), math.floor((y - target.y[0]) / width)
        near = (cells.get((column + i, row + j), ()) for i in (-1, 0, 1) for j in (-1, 0, 1))
        apart = all(math.hypot(x - a, y - b) >= r + c + gap for circles in near for a, b, c in circles)
        if apart and all(distance_to(x, y, a, b) >= r + clearance for a, b in pairwise(clear_of)):
            placed.append((x, y, r))
            cells[column, row].append((x, y, r))
    return placed


def thinned(placed: Sequence[T], seed: int, keep: float) -> list[T]:
    """Each with probability `keep`. Those that stay are the same for the same seed, and a smaller share is a part of
    a larger one."""
    drawn = np.random.default_rng([seed, THINNING]).random(len(placed))
    return [item for item, number in zip(placed, drawn.tolist(), strict=True) if number < keep]


def _thrown(
    random: np.random.Generator, target: Target, darts: int, placed: list[tuple[float, float, float]], gap: float
) -> Iterator[tuple[float, float, float]]:
    """(x, y, radius) of the darts, without most of those that are too near to what is placed."""
    low, high = np.array(target).T
    for first in range(0, darts, BLOCK):
        block = low + (high - low) * random.random((min(BLOCK, darts - first), 3))
        if 0 < len(placed) <= MOST_COMPARED:
            x, y, r = (block[:, np.newaxis] - np.array(placed)).transpose(2, 0, 1)
            reach = r + 2.0 * np.array(placed)[:, 2] + (gap - SAFE)
            block = block[(x * x + y * y >= reach * np.abs(reach)).all(axis=1)]
        yield from map(tuple, block.tolist())


def distance_to(x: float, y: float, a: tuple[float, float], b: tuple[float, float]) -> float:
    """Of a point from the line between a and b."""
    ex, ey = b[0] - a[0], b[1] - a[1]
    length = ex * ex + ey * ey
    share = ((x - a[0]) * ex + (y - a[1]) * ey) / length if length > 0 else 0.0
    share = min(1.0, max(0.0, share))
    return math.hypot(x - a[0] - share * ex, y - a[1] - share * ey)
