"""Convex polygons, or short walls, thrown at random, the same for the same seed."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from pushpoint.fields import Fraction
from pushpoint.quantities import Coordinate, Darts, FrictionCoefficient, Length, Obstacles, PlanePoints, Seed, Width
from pushpoint.worlds import Ground, Polygon, Wall, World, worlds
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
    ground_torque: bool = False,
    keep_clear: PlanePoints = (),
    clearance: Width = 0.005,
    keep: Fraction = 1.0,
) -> World:
    """Up to `polygons` of them, at least `gap` [m] apart; `size` [m] is the radius of the circle through the corners.

    The limits of x and y hold for the middles. They keep the place free where robots start by default; besides, the
    circles stay `clearance` [m] away from the line through the points `keep_clear` [m]. Each polygon is kept with
    probability `keep`: the same field, less dense.
    """
    target = Target((x_min, x_max), (y_min, y_max), (size_min, size_max))
    ranges = {"x": target.x, "y": target.y, "size": target.radius, "corners": (corners_min, corners_max)}
    refuse_reversed("polygon-field", ranges)
    random = np.random.default_rng(seed)
    placed = throw(random, target, polygons, gap, darts, keep_clear, clearance)
    counts = random.integers(corners_min, corners_max, size=len(placed), endpoint=True)
    obstacles = tuple(
        Polygon(points=_corners(random, circle, count), friction=obstacle_friction, restitution=restitution)
        for circle, count in zip(placed, counts.tolist(), strict=True)
    )
    kept, ground = tuple(thinned(obstacles, seed, keep)), Ground(friction=friction, torque=ground_torque)
    return World(name="polygon-field", ground=ground, obstacles=kept, source=f"seed {seed}")


@worlds.register("wall-field")
def wall_field(
    seed: Seed = 0,
    walls: Obstacles = 25,
    x_min: Coordinate = 0.8,
    x_max: Coordinate = 4.0,
    y_min: Coordinate = -0.6,
    y_max: Coordinate = 0.6,
    length_min: Length = 0.10,
    length_max: Length = 0.24,
    gap: Width = 0.14,
    darts: Darts = 6000,
    friction: FrictionCoefficient = 0.2,
    obstacle_friction: FrictionCoefficient = 0.0,
    ground_torque: bool = False,
    keep_clear: PlanePoints = (),
    clearance: Width = 0.005,
    keep: Fraction = 1.0,
) -> World:
    """Up to `walls` straight ones in any direction; the circles around them are at least `gap` [m] apart.

    Limits, `keep_clear` and `keep` are as in `polygon-field`.
    """
    target = Target((x_min, x_max), (y_min, y_max), (length_min / 2, length_max / 2))
    refuse_reversed("wall-field", {"x": target.x, "y": target.y, "length": (length_min, length_max)})
    random = np.random.default_rng(seed)
    placed = throw(random, target, walls, gap, darts, keep_clear, clearance)
    turns = random.uniform(0.0, math.pi, size=len(placed)).tolist()
    obstacles = [
        Wall(points=_ends(*circle, turn), friction=obstacle_friction)
        for circle, turn in zip(placed, turns, strict=True)
    ]
    ground = Ground(friction=friction, torque=ground_torque)
    return World(
        name="wall-field", ground=ground, obstacles=tuple(thinned(obstacles, seed, keep)), source=f"seed {seed}"
    )


def _ends(x: float, y: float, half: float, turn: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Of a wall about (x, y)."""
    along, across = half * math.cos(turn), half * math.sin(turn)
    return (x - along, y - across), (x + along, y + across)


def _corners(
    random: np.random.Generator, circle: tuple[float, float, float], count: int
) -> tuple[tuple[float, float], ...]:
    """Points on a circle, in order: a convex polygon, whatever their distances."""
    x, y, radius = circle
    start = random.uniform(0.0, math.tau)
    moved = random.uniform(-IRREGULARITY / 2, IRREGULARITY / 2, size=count)
    turns = (start + math.tau / count * (np.arange(count) + moved)).tolist()
    return tuple((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns)
