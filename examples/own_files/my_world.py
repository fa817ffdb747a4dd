"""A row of pegs."""

from __future__ import annotations

import pushpoint as pp


@pp.register_world("gate")
def gate(width: float = 0.4, friction: float = 0.2) -> pp.World:
    """Two pegs, `width` [m] apart, in front of the robot."""
    pegs = [pp.Disc(x=0.6, y=side * width / 2, radius=0.05) for side in (-1, 1)]
    return pp.World(name="gate", ground=pp.Ground(friction=friction), obstacles=pegs)
