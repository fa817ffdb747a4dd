"""Pegs thrown at random, the same for the same seed."""

from __future__ import annotations

import math

import numpy as np
from pydantic import NonNegativeInt

from pushpoint.errors import InvalidInput
from pushpoint.fields import NonNegative, Number, Positive
from pushpoint.worlds import Disc, Ground, World, worlds


@worlds.register("random-field")
def random_field(
    seed: NonNegativeInt = 0,
    pegs: NonNegativeInt = 30,
    x_min: Number = 0.8,
    x_max: Number = 4.0,
    y_min: Number = -0.6,
    y_max: Number = 0.6,
    radius_min: Positive = 0.04,
    radius_max: Positive = 0.10,
    gap: NonNegative = 0.14,
    darts: NonNegativeInt = 6000,
    friction: NonNegative = 0.2,
) -> World:
    """Up to `pegs` discs, at least `gap` [m] apart, from at most `darts` throws."""
    for low, high, what in ((x_min, x_max, "x"), (y_min, y_max, "y"), (radius_min, radius_max, "radius")):
        if low > high:
            raise InvalidInput(f"random-field: {what}_min = {low} exceeds {what}_max = {high}")
    random = np.random.default_rng(seed)
    placed: list[tuple[float, float, float]] = []
    for _ in range(darts):
        if len(placed) == pegs:
            break
        x, y, r = (
            random.uniform(x_min, x_max),
            random.uniform(y_min, y_max),
            random.uniform(radius_min, radius_max),
        )
        if all(math.hypot(x - a, y - b) >= r + c + gap for a, b, c in placed):
            placed.append((x, y, r))
    discs = tuple(Disc(x=x, y=y, radius=r) for x, y, r in placed)
    ground = Ground(friction=friction)
    return World(name="random-field", ground=ground, obstacles=discs, source=f"seed {seed}")
