"""Conditions that end a run before its duration, checked at the rows of its recording."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pushpoint.mechanics.pose import mass_mean
from pushpoint.robots import Robot
from pushpoint.scenario import Region, Stop
from pushpoint.tape import Tape
from pushpoint.types import FloatArray

BoolArray = npt.NDArray[np.bool_]


class Met(NamedTuple):
    """A condition that holds."""

    row: int  # of the tape, the first one at which it holds
    why: str


class Conditions:
    """Those of a scenario, with the place of the robot at t = 0."""

    def __init__(self, stop: Stop, robot: Robot, start: FloatArray) -> None:
        """`start` (links, axes) [m]: centres of the links at t = 0."""
        self._stop, self._robot = stop, robot
        self._start = self._point(start[np.newaxis])[0]
        self._over: frozenset[str] = frozenset()

    def without_those_met(self, tape: Tape) -> Conditions:
        """The same but for conditions that hold in the first row: a run that goes on has reported them."""
        copied = Conditions.__new__(Conditions)
        copied.__dict__.update(self.__dict__)
        copied._over = self._over | {why for why, holds in self._held(tape, 0, 1).items() if holds[0]}
        return copied

    def first_met(self, tape: Tape, since: int) -> Met | None:
        """The first of the rows from `since` on at which a condition holds."""
        rows = int(tape.cursor[0].row)
        if rows <= since:
            return None
        found = [Met(since + int(np.argmax(holds)), why) for why, holds in self._held(tape, since, rows).items()
                 if why not in self._over and holds.any()]  # fmt: skip
        return min(found, default=None)

    def _held(self, tape: Tape, since: int, rows: int) -> dict[str, BoolArray]:
        """By condition, whether it holds at each row."""
        place = self._point(tape.link[since:rows, : len(self._robot.links), tape.layout.columns("position")])
        stop, name, found = self._stop, self._stop.point.replace("_", " "), dict[str, BoolArray]()
        if stop.distance is not None:
            moved = np.linalg.norm(place - self._start, axis=1)
            found[f"the {name} is {stop.distance:g} m from its start"] = moved >= stop.distance
        if stop.enter is not None:
            found[f"the {name} entered {_words(stop.enter)}"] = _inside(stop.enter, place)
        if stop.leave is not None:
            found[f"the {name} left {_words(stop.leave)}"] = ~_inside(stop.leave, place)
        return found

    def _point(self, centres: FloatArray) -> FloatArray:
        """(rows, axes) from (rows, links, axes): the point of the robot that conditions are about."""
        if self._stop.point == "centre_of_mass":
            by_link = np.moveaxis(centres, 1, 0)
            return mass_mean(self._robot, by_link.reshape(len(by_link), -1)).reshape(len(centres), -1)
        place: FloatArray = centres[:, -1 if self._stop.point == "head" else 0]
        return place


def _inside(region: Region, place: FloatArray) -> BoolArray:
    inside = np.ones(len(place), dtype=bool)
    for axis, (low, high) in enumerate((region.x, region.y, region.z)[: place.shape[1]]):
        inside &= (low is None or place[:, axis] >= low) & (high is None or place[:, axis] <= high)
    return inside


def _words(region: Region) -> str:
    """Such as "x >= 1.5, -1 <= y <= 1"."""
    parts = []
    for axis, (low, high) in (("x", region.x), ("y", region.y), ("z", region.z)):
        if low is None and high is None:
            continue
        left = "" if low is None else f"{low:g} <= " if high is not None else f"{axis} >= {low:g}"
        right = "" if high is None else f"{axis} <= {high:g}"
        parts.append(left + right)
    return ", ".join(parts)
