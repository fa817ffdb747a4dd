"""Convex polygons thrown at random, the same for the same seed."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from pushpoint.fields import Fraction
from pushpoint.quantities import Coordinate, Darts, FrictionCoefficient, Length, Obstacles, Seed, Width
from pushpoint.worlds import Ground, Polygon, World, worlds
from pushpoint.worlds._darts import Target, refuse_reversed, thinned, throw

IRREGULARITY = 0.6  # corners are moved by up to half this part of the angle between two

Corners = Annotated[int, Field(ge=3, le=100)]


@worlds.register("polygon-field")
def polygon_field(
    seed: Seed = 0,
    polygons: Obstacles = 25,
    corners_min: Corners = 3,
    corners_max: Corners = 6,
    x_min: Coordinate = 0.8,
    x_max: Coordinate = 4.0,
    y_min: Coordinate = -0.6,
    y_max: Coordinate = 0.6,
    size_min: Length = 0.05,
    size_max: Length = 0.12,
    gap: Width = 0.14,
    darts: Darts = 6000,
    friction: FrictionCoefficient = 0.2,
    obstacle_friction: FrictionCoefficient = 0.0,
    restitution: Fraction = 0.0,
    keep: Fraction = 1.0,
) -> World:
    """Up to `polygons` of them, at least `gap` [m] apart; `size` [m] is the radius of the circle through the corners.

    The limits of x and y hold for the middles. They keep the place free where robots start by default. Each polygon
    is kept with probability `keep`: the same field, less dense.
    """
    target = Target((x_min, x_max), (y_min, y_max), (size_min, size_max))
    ranges = {"x": target.x, "y": target.y, "size": target.radius, "corners": (corners_min, corners_max)}
    refuse_reversed("polygon-field", ranges)
    random = np.random.default_rng(seed)
    placed = throw(random, target, polygons, gap, darts)
    counts = random.integers(corners_min, corners_max, size=len(placed), endpoint=True)
    obstacles = tuple(
        Polygon(points=_corners(random, circle, count), friction=obstacle_friction, restitution=restitution)
        for circle, count in zip(placed, counts.tolist(), strict=True)
    )
    kept = tuple(thinned(obstacles, seed, keep))
    return World(name="polygon-field", ground=Ground(friction=friction), obstacles=kept, source=f"seed {seed}")


def _corners(
    random: np.random.Generator, circle: tuple[float, float, float], count: int
) -> tuple[tuple[float, float], ...]:
    """Points on a circle, in order: a convex polygon, whatever their distances."""
    x, y, radius = circle
    start = random.uniform(0.0, math.tau)
    moved = random.uniform(-IRREGULARITY / 2, IRREGULARITY / 2, size=count)
    turns = (start + math.tau / count * (np.arange(count) + moved)).tolist()
    return tuple((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns)
