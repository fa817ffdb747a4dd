"""What sensors and compiled controllers can read of a state: see `pushpoint.feedback`."""

from __future__ import annotations

from pushpoint._jit import kernel
from pushpoint.feedback import EVERYTHING, Feedback
from pushpoint.plants._feedback import decide, hide
from pushpoint.plants.planar_hybrid.contacts import place_links
from pushpoint.plants.planar_hybrid.model import Problem, State
from pushpoint.types import CommandTable, FloatArray


@kernel
def observe(problem: Problem, state: State, time: float, period: float, shown: int, out: FloatArray) -> None:
    """Fill the flat observation at `time` [s]; impulses of the last tick are divided by `period` [s]."""
    place_links(problem, state.vector)
    links, vector, sums = problem.link.shape[0], state.vector, state.sums
    joints, slots = links - 1, state.pushed.shape[0] // links
    rates = links + 2
    out[0] = time
    for j in range(joints):
        out[1 + j] = vector[j + 1] - vector[j]
        out[1 + joints + j] = vector[rates + j + 1] - vector[rates + j]
        out[1 + 2 * joints + j] = sums[j + 1, 2] / period
    at = 1 + 3 * joints
    for i in range(links):
        a = problem.link[i]
        out[at + 2 * i], out[at + 2 * i + 1] = a.x, a.y
        out[at + 2 * links + i] = vector[i]
        out[at + 3 * links + 2 * i], out[at + 3 * links + 2 * i + 1] = a.vx, a.vy
        out[at + 5 * links + i] = vector[rates + i]
        for k in range(2):
            pushed = 0.0
            for s in range(slots * i, slots * (i + 1)):
                pushed += state.pushed[s, k]
            out[at + 6 * links + 2 * i + k] = pushed / period
            out[at + 8 * links + 2 * i + k] = sums[i, k] / period
    hide(out, links, joints, 2, shown)


@kernel
def list_pairs(state: State, out: FloatArray) -> int:
    """Pairs that pushed during the last tick, one row each; returns how many."""
    count, slots = 0, state.pushed.shape[0] // state.sums.shape[0]
    for s in range(state.pushed.shape[0]):
        if state.pushed[s, 0] == 0.0 and state.pushed[s, 1] == 0.0:
            continue
        t = state.touch[s]
        out[count, 0], out[count, 1], out[count, 2] = s // slots, t.obstacle, t.place
        out[count, 3], out[count, 4], out[count, 5], out[count, 6] = t.point_x, t.point_y, t.normal_x, t.normal_y
        out[count, 7], out[count, 8] = state.pushed[s, 0], state.pushed[s, 1]
        count += 1
    return count


@kernel
def let_decide(problem: Problem, state: State, commands: CommandTable, row: int, feedback: Feedback) -> None:
    """A compiled controller answers what it observes."""
    number = feedback.number[0]
    observe(problem, state, (number.tick + row) * number.period, number.period, number.shown, feedback.values)
    decide(feedback, commands, row)


@kernel
def show(problem: Problem, state: State, dt: float, feedback: Feedback) -> None:
    """What a snapshot needs."""
    observe(problem, state, state.clock[0] * dt, 1.0, EVERYTHING, feedback.values)
    feedback.number[0].pairs = list_pairs(state, feedback.pairs)
