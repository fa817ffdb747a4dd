"""Rough ground: random hills and pits on a grid, level at the rim."""

from __future__ import annotations

import numpy as np

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.quantities import Coordinate, FrictionCoefficient, Length, Seed
from pushpoint.worlds import Ground, Heightfield, World, worlds

FLAT = 1e-6  # of a wave: less is round-off


@worlds.register("rough-ground")
def rough_ground(
    height: Length = 0.05,
    hill: Length = 0.3,
    length: Length = 3.0,
    width: Length = 2.0,
    spacing: Length = 0.05,
    x: Coordinate = -1.5,
    y: Coordinate = -1.0,
    friction: FrictionCoefficient = 0.3,
    seed: Seed = 0,
) -> World:
    """Hills up to `height` [m], about `hill` [m] apart, over a rectangle from (x, y) on; `seed` draws them."""
    columns, rows = round(length / spacing) + 1, round(width / spacing) + 1
    if columns < 3 or rows < 3 or columns * rows > limits.HEIGHTS:
        raise InvalidInput(
            f"world.spacing = {spacing} m makes {columns} x {rows} points over {length} m x {width} m; "
            f"should be at least 3 x 3 and at most {limits.HEIGHTS} in all"
        )
    heights = height * _hills(rows, columns, hill / spacing, seed) * _level_at_the_rim(rows, columns)
    terrain = Heightfield(x=x, y=y, spacing=spacing, heights=tuple(tuple(row) for row in heights.tolist()))
    return World(name="rough-ground", ground=Ground(friction=friction), terrain=terrain, source="own")


def _hills(rows: int, columns: int, wavelength: float, seed: int) -> np.ndarray:
    """Values from 0 to 1: a sum of waves in random directions, `wavelength` points long and more."""
    draws = np.random.default_rng(seed)
    row, column = np.mgrid[0:rows, 0:columns]
    total = np.zeros((rows, columns))
    for _ in range(24):
        direction, phase = draws.uniform(0.0, 2 * np.pi, 2)
        number = 2 * np.pi / (wavelength * draws.uniform(1.0, 2.0))
        total += np.sin(number * (row * np.sin(direction) + column * np.cos(direction)) + phase)
    low, high = float(total.min()), float(total.max())
    if not high - low > FLAT:
        raise InvalidInput(f"world.hill is {wavelength:g} times world.spacing: that leaves the ground flat")
    return (total - low) / (high - low)


def _level_at_the_rim(rows: int, columns: int) -> np.ndarray:
    """1 inside, and 0 along the rim, with a ramp of an eighth of the rectangle in between."""
    parts = []
    for count in (rows, columns):
        k = np.arange(count)
        parts.append(np.clip(np.minimum(k, count - 1 - k) / max(1.0, count / 8), 0.0, 1.0))
    return np.outer(parts[0], parts[1])
