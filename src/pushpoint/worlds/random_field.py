"""Pegs thrown at random, the same for the same seed."""

from __future__ import annotations

import numpy as np

from pushpoint.fields import Fraction
from pushpoint.quantities import Coordinate, Darts, FrictionCoefficient, Length, Obstacles, PlanePoints, Seed, Width
from pushpoint.worlds import Disc, Ground, World, worlds
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
) -> World:
    """Up to `pegs` discs, at least `gap` [m] apart, from at most `darts` throws.

    They stay `clearance` [m] away from the line through the points `keep_clear` [m], where a robot may lie. Of those
    that are placed, each is kept with probability `keep`: the same field, less dense.
    """
    target = Target((x_min, x_max), (y_min, y_max), (radius_min, radius_max))
    refuse_reversed("random-field", target._asdict())
    placed = throw(np.random.default_rng(seed), target, pegs, gap, darts, keep_clear, clearance)
    kept = thinned(placed, seed, keep)
    discs = tuple(Disc(x=x, y=y, radius=r, friction=obstacle_friction) for x, y, r in kept)
    ground = Ground(friction=friction, torque=ground_torque)
    return World(name="random-field", ground=ground, obstacles=discs, source=f"seed {seed}")
