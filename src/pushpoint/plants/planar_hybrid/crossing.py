"""Links that cross each other: this model lets them, so it says when they do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pushpoint.mechanics.crossings import crossings
from pushpoint.robots import Robot
from pushpoint.types import LINK_COLUMNS, Event, IntArray, Trace

BEGIN, END = "links-cross", "links-cross-ended"


def _rows_and_pairs(robot: Robot, trace: Trace) -> tuple[IntArray, IntArray]:
    x, angle = LINK_COLUMNS.index("x"), LINK_COLUMNS.index("angle")
    link = trace.link[: trace.cursor[0]]
    return crossings(robot, link[:, :, x : x + 2], link[:, :, angle])


def crossing_counts(robot: Robot, trace: Trace) -> IntArray:
    """How many pairs cross in each row."""
    row, _ = _rows_and_pairs(robot, trace)
    return np.bincount(row, minlength=int(trace.cursor[0]))


def crossing_events(robot: Robot, trace: Trace) -> Iterator[Event]:
    """When a pair is first recorded crossing, and when no more. What a run goes on with from before is not new."""
    row, pair = _rows_and_pairs(robot, trace)
    time = trace.energy[: trace.cursor[0], 0]
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
