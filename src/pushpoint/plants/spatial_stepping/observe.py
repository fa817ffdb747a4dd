"""What sensors and compiled controllers can read of a state: see `pushpoint.feedback`."""

from __future__ import annotations

from pushpoint._jit import kernel
from pushpoint.feedback import EVERYTHING, Feedback
from pushpoint.numerics.records import Records
from pushpoint.plants._feedback import decide, hide
from pushpoint.plants.spatial_stepping.model import State
from pushpoint.types import CommandTable, FloatArray


@kernel
def observe(state: State, joint: Records, time: float, period: float, shown: int, out: FloatArray) -> None:
    """Fill the flat observation at `time` [s]; impulses of the last tick are divided by `period` [s]."""
    body, sums, links, joints = state.body, state.sums, state.body.shape[0], joint.shape[0]
    out[0] = time
    for k in range(joints):
        out[1 + k], out[1 + joints + k] = state.angle[0, k], state.angle[1, k]
        out[1 + 2 * joints + k] = sums[int(joint[k].joint) + 1, int(joint[k].place) + 6] / period
    at = 1 + 3 * joints
    for i in range(links):
        b, x, q, v = body[i], at + 3 * i, at + 3 * links + 4 * i, at + 7 * links + 3 * i
        w, contact, ground = at + 10 * links + 3 * i, at + 13 * links + 3 * i, at + 16 * links + 3 * i
        out[x], out[x + 1], out[x + 2] = b.x, b.y, b.z
        out[q], out[q + 1], out[q + 2], out[q + 3] = b.qw, b.qx, b.qy, b.qz
        out[v], out[v + 1], out[v + 2] = b.vx, b.vy, b.vz
        out[w], out[w + 1], out[w + 2] = b.wx, b.wy, b.wz
        for k in range(3):
            out[contact + k], out[ground + k] = sums[i, k] / period, sums[i, 3 + k] / period
    hide(out, links, joints, 3, shown)


@kernel
def list_pairs(state: State, out: FloatArray) -> int:
    """Pairs that pushed during the last tick, one row each; returns how many."""
    count = 0
    for p in range(state.clock[2]):
        pair = state.pair[p]
        if pair.tick_x == 0.0 and pair.tick_y == 0.0 and pair.tick_z == 0.0:
            continue
        out[count, 0], out[count, 1], out[count, 2] = pair.link, pair.obstacle, pair.place
        out[count, 3], out[count, 4], out[count, 5] = pair.point_x, pair.point_y, pair.point_z
        out[count, 6], out[count, 7], out[count, 8] = pair.normal_x, pair.normal_y, pair.normal_z
        out[count, 9], out[count, 10], out[count, 11] = pair.tick_x, pair.tick_y, pair.tick_z
        count += 1
    return count


@kernel
def let_decide(state: State, joint: Records, commands: CommandTable, row: int, feedback: Feedback) -> None:
    """A compiled controller answers what it observes; bodies are shown already."""
    number = feedback.number[0]
    observe(state, joint, (number.tick + row) * number.period, number.period, number.shown, feedback.values)
    decide(feedback, commands, row)


@kernel
def show(state: State, joint: Records, dt: float, feedback: Feedback) -> None:
    """What a snapshot needs."""
    observe(state, joint, state.clock[0] * dt, 1.0, EVERYTHING, feedback.values)
    feedback.number[0].pairs = list_pairs(state, feedback.pairs)
