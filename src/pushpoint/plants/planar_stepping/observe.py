"""What sensors and compiled controllers can read of a state: see `pushpoint.feedback`."""

from __future__ import annotations

from pushpoint._jit import kernel
from pushpoint.feedback import EVERYTHING, Feedback
from pushpoint.plants._feedback import decide, hide
from pushpoint.plants.planar_stepping.extended import Contacts
from pushpoint.plants.planar_stepping.model import State
from pushpoint.plants.planar_stepping.rows import obstacle_of
from pushpoint.types import CommandTable, FloatArray


@kernel
def observe(state: State, links: int, time: float, period: float, shown: int, out: FloatArray) -> None:
    """Fill the flat observation at `time` [s]; impulses of the last tick are divided by `period` [s]."""
    body, sums, joints = state.link, state.sums, links - 1
    out[0] = time
    for j in range(joints):
        out[1 + j] = body[j + 1].angle - body[j].angle
        out[1 + joints + j] = body[j + 1].w - body[j].w
        out[1 + 2 * joints + j] = sums[j + 1, 4] / period
    at = 1 + 3 * joints
    for i in range(links):
        own = body[i]
        out[at + 2 * i], out[at + 2 * i + 1] = own.x, own.y
        out[at + 2 * links + i] = own.angle
        out[at + 3 * links + 2 * i], out[at + 3 * links + 2 * i + 1] = own.vx, own.vy
        out[at + 5 * links + i] = own.w
        for k in range(2):
            out[at + 6 * links + 2 * i + k] = sums[i, k] / period
            out[at + 8 * links + 2 * i + k] = sums[i, 2 + k] / period
    hide(out, links, joints, 2, shown)


@kernel
def list_pairs(state: State, links: int, out: FloatArray, contacts: Contacts | None) -> int:
    """Pairs that pushed during the last tick, one row each; returns how many."""
    count = 0
    for i in range(links):
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            pair = state.pair[p]
            if pair.tick_x == 0.0 and pair.tick_y == 0.0:
                continue
            obstacle = float(state.pair_code[p])
            if contacts is not None:
                obstacle = obstacle_of(contacts.feature, state.pair_code[p])
            out[count, 0], out[count, 1], out[count, 2] = i, obstacle, pair.place
            out[count, 3], out[count, 4], out[count, 5] = pair.point_x, pair.point_y, pair.normal_x
            out[count, 6], out[count, 7], out[count, 8] = pair.normal_y, pair.tick_x, pair.tick_y
            count += 1
    return count


@kernel
def let_decide(state: State, links: int, commands: CommandTable, row: int, feedback: Feedback) -> None:
    """A compiled controller answers what it observes."""
    number = feedback.number[0]
    observe(state, links, (number.tick + row) * number.period, number.period, number.shown, feedback.values)
    decide(feedback, commands, row)


@kernel
def show(state: State, links: int, dt: float, feedback: Feedback, contacts: Contacts | None) -> None:
    """What a snapshot needs."""
    observe(state, links, state.clock[0] * dt, 1.0, EVERYTHING, feedback.values)
    feedback.number[0].pairs = list_pairs(state, links, feedback.pairs, contacts)
