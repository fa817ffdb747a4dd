"""Pegs along a sine-shaped path, each where it can push a robot on the path forward."""

from __future__ import annotations

import math

from pushpoint.quantities import Coordinate, FrictionCoefficient, Gain, Length, SomeObstacles
from pushpoint.worlds import Disc, Ground, World, worlds


@worlds.register("sine-pegs")
def sine_pegs(
    amplitude: Length = 0.28,
    wavelength: Length = 2.0,
    radius: Length = 0.1,
    offset: Length = 0.15,
    first: Coordinate = -4.0,
    pegs: SomeObstacles = 11,
    friction: FrictionCoefficient = 0.0,
    viscous: Gain = 0.0,
    peg_friction: FrictionCoefficient = 0.0,
) -> World:
    """Pegs at the inflections of y = amplitude sin(2 pi x / wavelength) [m], from the one at or after x = first [m].

    Their centres are `offset` [m] from the path: on its left where it rises and on its right where it falls, so that a
    robot that leans on them is pushed along. `viscous` is in N s/m per link.
    """
    discs = tuple(
        Disc(x=x, y=y, radius=radius, friction=peg_friction)
        for x, y in inflection_pegs(amplitude, wavelength, offset, first, pegs)
    )
    ground = Ground(friction=friction, viscous=viscous)
    return World(name="sine-pegs", ground=ground, obstacles=discs, source="ours, not published")


def inflection_pegs(
    amplitude: float, wavelength: float, offset: float, first: float, pegs: int
) -> list[tuple[float, float]]:
    """Centres [m] of the pegs, in the order of x."""
    slope = 2 * math.pi * amplitude / wavelength
    across = offset / math.hypot(1.0, slope)  # the path's left is (-slope, 1) where it rises, its right alike mirrored
    begin = math.ceil(2 * first / wavelength - 1e-9)
    return [
        (k * wavelength / 2 - across * slope, across if k % 2 == 0 else -across) for k in range(begin, begin + pegs)
    ]
