"""Links that cross each other: this model lets them, so it says when they do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pushpoint.mechanics.crossings import crossings
from pushpoint.robots import Robot
from pushpoint.tape import PLANE, Tape
from pushpoint.types import Event, IntArray

BEGIN, END = "links-cross", "links-cross-ended"


def _rows_and_pairs(robot: Robot, tape: Tape) -> tuple[IntArray, IntArray]:
    link = tape.link[: tape.cursor[0].row]
    return crossings(robot, link[:, :, PLANE.columns("position")], link[:, :, PLANE.columns("angle").start])


def crossing_counts(robot: Robot, tape: Tape) -> IntArray:
    """How many pairs cross in each row."""
    row, _ = _rows_and_pairs(robot, tape)
    return np.bincount(row, minlength=int(tape.cursor[0].row))


def crossing_events(robot: Robot, tape: Tape) -> Iterator[Event]:
    """When a pair is first recorded crossing, and when no more. What a run goes on with from before is not new."""
    row, pair = _rows_and_pairs(robot, tape)
    time = tape.energy[: tape.cursor[0].row, 0]
    before: set[tuple[int, int]] = set()
    if len(time) and time[0] > 0.0:
        before = {(int(i), int(j)) for i, j in pair[row == 0]}
    for k in np.unique(np.concatenate([row, row + 1])):
        if k == len(time):
            return
        now = {(int(i), int(j)) for i, j in pair[slice(*np.searchsorted(row, (k, k + 1)))]}
        for i, j in sorted(now - before):
            yield Event(float(time[k]), BEGIN, f"links {i} and {j}")
        for i, j in sorted(before - now):
            yield Event(float(time[k]), END, f"links {i} and {j}")
        before = now
