"""Pegs thrown at random, the same for the same seed."""

from __future__ import annotations

import numpy as np

from pushpoint.fields import Fraction
from pushpoint.quantities import (
    Coordinate,
    Darts,
    FrictionCoefficient,
    Length,
    Mass,
    Obstacles,
    PlanePoints,
    Seed,
    Width,
)
from pushpoint.worlds import Disc, Ground, Wall, World, worlds
from pushpoint.worlds._darts import Target, refuse_reversed, thinned, throw


@worlds.register("random-field")
def random_field(
    seed: Seed = 0,
    pegs: Obstacles = 30,
    x_min: Coordinate = 0.8,
    x_max: Coordinate = 4.0,
    y_min: Coordinate = -0.6,
    y_max: Coordinate = 0.6,
    radius_min: Length = 0.04,
    radius_max: Length = 0.10,
    gap: Width = 0.14,
    darts: Darts = 6000,
    friction: FrictionCoefficient = 0.2,
    obstacle_friction: FrictionCoefficient = 0.0,
    ground_torque: bool = False,
    keep_clear: PlanePoints = (),
    clearance: Width = 0.005,
    keep: Fraction = 1.0,
    mass: Mass | None = None,
    walls: Width = 0.0,
) -> World:
    """Up to `pegs` discs, at least `gap` [m] apart, from at most `darts` throws.

    They stay `clearance` [m] away from the line through the points `keep_clear` [m], where a robot may lie. Of those
    that are placed, each is kept with probability `keep`: the same field, less dense. With a `mass` [kg] they can be
    pushed about, and stand on the ground with `friction`. With `walls` two of them, so far [m] beyond the limits of y,
    make the field a corridor from x_min to x_max.
    """
    target = Target((x_min, x_max), (y_min, y_max), (radius_min, radius_max))
    refuse_reversed("random-field", target._asdict())
    placed = throw(np.random.default_rng(seed), target, pegs, gap, darts, keep_clear, clearance)
    kept = thinned(placed, seed, keep)
    laws = {"friction": obstacle_friction} | ({} if mass is None else {"mass": mass, "ground_friction": friction})
    discs = [Disc.parse({"x": x, "y": y, "radius": r, **laws}) for x, y, r in kept]
    sides = (y_min - walls, y_max + walls) if walls > 0.0 else ()
    along = [Wall(points=((x_min, y), (x_max, y)), friction=obstacle_friction) for y in sides]
    ground = Ground(friction=friction, torque=ground_torque)
    return World(name="random-field", ground=ground, obstacles=(*discs, *along), source=f"seed {seed}")
