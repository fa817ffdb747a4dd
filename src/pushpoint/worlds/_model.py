"""What a world is: the ground a robot lies on and the things it may push against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pushpoint.fields import Frozen, Name, NonNegative, Number, Positive


class Ground(Frozen):
    """Dry friction between ground and links, P2 (50) and (52).

    With `friction_across` the admissible forces form an ellipse in the link's frame: `friction` then holds
    along the link, `friction_across` across it.
    """

    friction: NonNegative = 0.2
    friction_across: NonNegative | None = None

    @property
    def along(self) -> float:
        return self.friction

    @property
    def across(self) -> float:
        return self.friction if self.friction_across is None else self.friction_across


class Disc(Frozen):
    """An upright cylinder fixed to the ground."""

    kind: Literal["disc"] = "disc"
    x: Number  # [m]
    y: Number  # [m]
    radius: Positive  # [m]


class World(Frozen):
    """Ground, gravity and obstacles."""

    name: Name
    ground: Ground = Ground()
    gravity: NonNegative = 9.81  # [m/s2], presses the links to the ground
    obstacles: tuple[Disc, ...] = ()
    source: str = ""


WorldFactory = Callable[..., World]
