"""Feedback inside the compiled call of a run: what a plant shows at a tick, and a compiled controller that answers.

The observation is one flat array, which plants fill for snapshots and for compiled controllers alike. Forces are means
over the last control tick; `d` is 2 in the plane and 3 in space, `f` the number of joint angles:

    time | joint angle, rate, torque (f each) | of all links: position (d each), attitude (1 or 4), velocity (d),
    rate (1 or 3), contact force (d), ground force (d)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from pushpoint.types import FloatArray, Pairs, Snapshot

# Columns of the table of pairs: link, obstacle, place, point (d), normal (d), impulse (d).
PAIR_COLUMNS = {2: 9, 3: 12}
# Where parts of `Feedback.values` end, and what happened.
NUMBER = np.dtype(
    (np.record, [
        ("address", np.int64),  # of the controller's machine code; 0: commands come from the table
        ("observation", np.int64), ("reference", np.int64), ("parameters", np.int64), ("state", np.int64),  # ends
        ("tick", np.int64), ("decided", np.int64),  # from t = 0: of the table's first row; the last one decided
        ("events", np.int64),  # rows of `log`
        ("pairs", np.int64),  # that pushed during the last tick
        ("shown", np.int64),  # bits: parts of the observation that the controller gets
        ("period", np.float64),  # [s], of control
    ]),
    align=True,
)  # fmt: skip
EVERYTHING = 0b1111111111  # is shown to snapshots
LOGGED = 64  # events that are kept until Python reads them


class Feedback(NamedTuple):
    """Room for observations and for a compiled controller; few arrays, because each costs compile time."""

    number: Any  # (1,), of NUMBER
    values: FloatArray  # observation, reference, parameters, state
    pairs: FloatArray  # (room, PAIR_COLUMNS)
    log: FloatArray  # (LOGGED, 2 + values): event code, tick, and the values at that tick


@dataclass
class CompiledLoop:
    """A compiled controller in a run; its state goes on with it."""

    address: int
    parameters: FloatArray
    state: FloatArray
    period: float  # [s]
    tick: int  # from t = 0, of the next row of a table
    shown: int  # bit k: part k of the flat observation, counted from the time on, is shown; the others are NaN
    events: list[tuple[int, int, FloatArray]] = field(default_factory=list)  # code, tick, values: see Feedback.log
    planned: Any = None  # what the controller planned for these ticks, for its own use


class FlatLayout(NamedTuple):
    """Where each quantity of an observation begins and ends."""

    links: int
    joints: int
    dimensions: int
    bounds: tuple[int, ...]

    @property
    def size(self) -> int:
        return self.bounds[-1]


@cache
def flat_layout(links: int, joints: int, dimensions: int) -> FlatLayout:
    attitude, rate = (1, 1) if dimensions == 2 else (4, 3)
    per_link = (dimensions, attitude, dimensions, rate, dimensions, dimensions)
    widths = [1, joints, joints, joints, *(links * width for width in per_link)]
    return FlatLayout(links, joints, dimensions, (0, *np.cumsum(widths).tolist()))


def as_snapshot(flat: FloatArray, layout: FlatLayout, pairs: Pairs, obstacle_position: FloatArray) -> Snapshot:
    """The same as a Snapshot, by views. The flat array holds impulses, as of a tick of one second."""
    _, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10 = layout.bounds
    n, attitude, rate = layout.links, flat[b5:b6], flat[b7:b8]
    if layout.dimensions == 3:
        attitude, rate = attitude.reshape(n, 4), rate.reshape(n, 3)
    return Snapshot(
        float(flat[0]),
        flat[b1:b2],
        flat[b2:b3],
        flat[b3:b4],
        flat[b4:b5].reshape(n, -1),
        attitude,
        flat[b6:b7].reshape(n, -1),
        rate,
        flat[b8:b9].reshape(n, -1),
        flat[b9:b10].reshape(n, -1),
        pairs,
        obstacle_position,
    )


def as_pairs(table: FloatArray, dimensions: int) -> Pairs:
    """Rows of the table of pairs."""
    d, link, obstacle = dimensions, table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    return Pairs(link, obstacle, table[:, 2], table[:, 3 : 3 + d], table[:, 3 + d : 3 + 2 * d], table[:, 3 + 2 * d :])


def new_feedback(layout: FlatLayout, pairs: int) -> Feedback:
    """For commands from a table."""
    number, end = np.zeros(1, NUMBER), layout.size + 3 * layout.joints + 1
    number["observation"] = layout.size
    number["reference"] = number["parameters"] = number["state"] = end
    columns = PAIR_COLUMNS[layout.dimensions]
    return Feedback(number, np.zeros(end), np.zeros((pairs, columns)), np.zeros((0, 2)))


def with_controller(feedback: Feedback, loop: CompiledLoop) -> Feedback:
    """The same with a compiled controller."""
    number, end = feedback.number.copy(), int(feedback.number["reference"][0])
    number["address"], number["tick"], number["decided"], number["period"] = loop.address, loop.tick, -1, loop.period
    number["parameters"], number["shown"] = end + len(loop.parameters), loop.shown
    number["state"] = end + len(loop.parameters) + len(loop.state)
    values = np.concatenate([feedback.values[:end], loop.parameters, loop.state])
    return Feedback(number, values, feedback.pairs, np.zeros((LOGGED, 2 + len(values))))


def read_events(feedback: Feedback, loop: CompiledLoop) -> None:
    """Move what was logged to the loop."""
    number = feedback.number[0]
    for row in feedback.log[: number.events]:
        loop.events.append((int(row[0]), int(row[1]), row[2:].copy()))
    number.events = 0


def end_of(feedback: Feedback, loop: CompiledLoop, ticks: int) -> None:
    """Let the loop go on from here."""
    read_events(feedback, loop)
    number = feedback.number[0]
    loop.state = feedback.values[number.parameters : number.state].copy()
    loop.tick += ticks
