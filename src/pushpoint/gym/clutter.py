"""Through a random field of pegs, another one for every seed: `liljeback2010/random`."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.gym.observing import Part, Scene
from pushpoint.gym.task import Task
from pushpoint.types import FloatArray
from pushpoint.worlds import World

NEAREST = 6  # pegs that are shown
ROOM = 128  # pegs of a field at most
FAR = 1e3  # [m]: where pegs are that are not there
MOST_DISTANCE = 2.0  # [m], as shown


class Clutter(Task):
    """Progress along x through pegs thrown at random. The nearest pegs are shown, seen from the head."""

    defaults: ClassVar[dict[str, Any]] = {
        "scenario": "liljeback2010/random",
        "plant": "planar_stepping",
        "overrides": {"world.darts": 1500},  # as many as matter; the last ones hardly find room
        "duration": 20.0,
        "amplitude": math.radians(70.0),
        "clock": math.radians(40.0),  # P1 VIII-B2
        "goal": 2.5,
    }

    def about(self, world: World) -> FloatArray:
        discs = [(disc.x, disc.y, disc.radius) for disc in world.discs]
        if len(discs) > ROOM:
            raise InvalidInput(f"the world has {len(discs)} pegs; {type(self).__name__} has room for {ROOM}")
        return np.array(discs + [(FAR, FAR, 0.0)] * (ROOM - len(discs))).ravel()

    def made_parts(self) -> tuple[Part, ...]:
        meaning = f"of the {NEAREST} nearest pegs, the nearest first: x, y and radius in the axes of the head link"
        pegs = Part("pegs", 3 * NEAREST, "m", MOST_DISTANCE, meaning, _nearest)
        return (*self.parts_of_body(), *self.parts_of_course(), pegs, *self.clock_parts())


def _nearest(scene: Scene) -> FloatArray:
    """(N, 3 NEAREST): pegs by the distance of their surface from the centre of the head link."""
    pegs = scene.about.reshape(len(scene.about), ROOM, 3)
    off = pegs[..., :2] - scene.seen.position[:, -1:, :2]
    gap = np.hypot(off[..., 0], off[..., 1]) - pegs[..., 2]
    order = np.argsort(gap, axis=1, kind="stable")[:, :NEAREST, np.newaxis]
    near, radius = np.take_along_axis(off, order, axis=1), np.take_along_axis(pegs[..., 2:], order, axis=1)
    x, y = scene.axes[:, -1:, 0], scene.axes[:, -1:, 1]
    along, across = x * near[..., 0] + y * near[..., 1], x * near[..., 1] - y * near[..., 0]
    return np.concatenate([along[..., np.newaxis], across[..., np.newaxis], radius], axis=2).reshape(len(off), -1)
