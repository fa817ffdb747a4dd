"""Shape followers that ask for nothing but the time: the curve is planned ahead in Python, and the robot is laid along
it tick by tick inside the compiled call of the plant.

Which curves can be planned: points that stay where they are, headed by a schedule, interpolated such that new points
change nothing under the robot, not even a bit. Then it does not matter how many ticks are planned at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pushpoint.control._base import ControlEvent, ControllerState
from pushpoint.control._shape_options import ShapeFollowerOptions
from pushpoint.control.compiled import compiled_part, compiled_tick
from pushpoint.control.shape_follower import QUIET, REPORTED, ShapeFollower, end_of_curve, joints_report
from pushpoint.feedback import CompiledLoop
from pushpoint.shapes.alignments import Laid, Memory, Settings
from pushpoint.shapes.alignments.look_ahead import lay
from pushpoint.shapes.gait_segment import changes_nothing_afar
from pushpoint.shapes.hermite import Curve
from pushpoint.shapes.virtual_snake import VirtualSnake
from pushpoint.types import FloatArray, Observation

# Numbers at the begin of the parameters; then the chain, the course, points and slopes of the curve.
PERIOD, LOOK_AHEAD, MOST_TURN, RATES, FIRST, JOINTS, TICKS, POINTS, NUMBERS = range(9)
ROW, TAIL, KEPT = range(3)  # of the state: rows of the course that are done; where the last link aims at; then arrays
HEAD, ROLL, ENDED, COLUMNS = range(4)  # of the course, a row per tick: s_h, phi_h [rad], whether the curve is used up
FLAGGED, USED_UP = 1, 2  # event codes
KINDS = len(REPORTED)  # flags of a joint are the bits 0 to KINDS - 1


class Course(NamedTuple):
    """Ticks that were planned."""

    rows: FloatArray  # (ticks, COLUMNS)
    end: ControllerState  # after them, but for what the alignment remembers


def can_be_planned(options: ShapeFollowerOptions) -> bool:
    """Whether a shape follower with these options asks for nothing but the time, and is laid by compiled code."""
    feedback = options.loop is not None or options.compliance is not None
    if feedback or options.motion is not None or options.alignment != "look-ahead":
        return False
    return options.segment is None or changes_nothing_afar(options.interpolation, options.segment)


class PlannedShapeFollower(ShapeFollower):
    """The shape follower where it needs no sensor; in plants that are not compiled it steps tick by tick."""

    uses: ClassVar[frozenset[str]] = frozenset()
    most_ticks: ClassVar[int] = 2000  # of one call of a plant: each event is logged with the whole course

    def start(self, obs: Observation) -> ControllerState:
        return {key: value.copy() if isinstance(value, np.ndarray) else value for key, value in self._first.items()}

    def _later(self, state: ControllerState, obs: Observation) -> ControllerState:
        self._refuse_lost_head(state)
        tick = round(obs.time / self._period)
        self._go_along(state, tick)
        self._forget(state)
        return self._laid(state, (tick + 1) * self._period, self._most_turn)[0]

    def _go_along(self, state: ControllerState, tick: int) -> None:
        """All of a tick but the alignment."""
        now, end = tick * self._period, (tick + 1) * self._period
        state["heading"] = self._heading.at(end)
        state["roll"] += self._roll_rate.between(now, end)
        self._progress(state, self._speed.between(now, end), now)

    # --- inside a compiled plant ---

    def loop(self, state: ControllerState, first_tick: int, ticks: int) -> CompiledLoop:
        """The next ticks, planned."""
        self._refuse_lost_head(state)
        rows, end = np.zeros((ticks, COLUMNS)), dict(state)
        for k in range(ticks):
            self._go_along(end, first_tick + k)
            rows[k] = end["head_place"], end["roll"], end["ended"]
        parameters = self._parameters(rows, self._curve(end, 0.0).curve)
        loop = CompiledLoop(tick.address, parameters, self._packed(state), self._period, first_tick, shown=0)
        loop.planned = Course(rows, end)
        return loop

    def _parameters(self, rows: FloatArray, curve: Curve) -> FloatArray:
        snake, options = self._snake, self._options
        numbers = [
            self._period, self._aligner.look_ahead, self._most_turn, options.rate_reference, curve.first, snake.joints,
            len(rows), len(curve.point),
        ]  # fmt: skip
        return np.concatenate([numbers, *snake, rows.ravel(), curve.point.ravel(), curve.slope.ravel()])

    def _packed(self, state: ControllerState) -> FloatArray:
        joints = self._snake.joints
        room = np.zeros(3 * joints + 1 + 12 * (joints + 2))  # new flags, and what the alignment fills
        kept = [state["q"], state["axis"], state["flags"], state["flagged"].ravel()]
        return np.concatenate([[0.0, state["tail"]], *kept, [float(state["ended"])], room])

    def after(self, loop: CompiledLoop, state: ControllerState) -> ControllerState:
        """The state after the ticks of a loop."""
        joints, values, after = self._snake.joints, loop.state, dict(loop.planned.end)
        q, axis, flags, flagged, _ = np.split(values[KEPT:], np.cumsum([joints, 7, joints, KINDS * joints]))
        after |= {"tail": float(values[TAIL]), "q": q, "axis": axis, "flags": flags.astype(np.int64)}
        after["flagged"] = flagged.reshape(KINDS, joints)
        self._forget(after)
        return after

    def events(self, loop: CompiledLoop, state: ControllerState) -> Iterable[ControlEvent]:
        """What happened during the ticks of a loop."""
        joints = self._snake.joints
        at = KEPT + (2 + KINDS) * joints + 8  # of the new flags in the flat state
        for code, number, values in loop.events:
            then = values[len(values) - len(loop.state) :]
            if code & FLAGGED:
                yield from joints_report(number * self._period, then[at : at + joints].astype(np.int64))
            if code & USED_UP:
                yield end_of_curve(number * self._period, loop.planned.rows[int(then[ROW]) - 1, HEAD])


@compiled_part
def note_flags(state: FloatArray, joints: int, time: float) -> bool:
    """Which flags of which joints are to be reported: those that were not there for some time."""
    flags, flagged = KEPT + joints + 7, KEPT + 2 * joints + 7
    new = flagged + KINDS * joints + 1
    any_new = False
    for j in range(joints):
        state[new + j] = 0.0
        for kind in range(KINDS):
            if int(state[flags + j]) & (1 << kind):
                if time - state[flagged + kind * joints + j] > QUIET:
                    state[new + j] += 1 << kind
                    any_new = True
                state[flagged + kind * joints + j] = time
    return any_new


@compiled_tick
def tick(state: FloatArray, parameters: FloatArray, observation: FloatArray, reference: FloatArray) -> None:
    """One tick: the references are the angles until now; then the robot is laid along the curve for its end."""
    joints, ticks, points = int(parameters[JOINTS]), int(parameters[TICKS]), int(parameters[POINTS])
    links, row, at = joints + 1, int(state[ROW]), NUMBERS
    length, at = parameters[at : at + links], at + links
    sine, at = parameters[at : at + links], at + links
    cosine, at = parameters[at : at + links], at + links
    lower, at = parameters[at : at + joints], at + joints
    upper, at = parameters[at : at + joints], at + joints
    sign, at = parameters[at : at + joints], at + joints
    course, at = parameters[at + row * COLUMNS : at + (row + 1) * COLUMNS], at + ticks * COLUMNS
    point, at = parameters[at : at + 3 * points].reshape((points, 3)), at + 3 * points
    slope = parameters[at : at + 6 * (points - 1)].reshape((points - 1, 2, 3))
    q, axis = state[KEPT : KEPT + joints], state[KEPT + joints : KEPT + joints + 7]
    flags: Any = state[KEPT + joints + 7 : KEPT + 2 * joints + 7]  # whole numbers, as floats
    ended = KEPT + (2 + KINDS) * joints + 7
    at = ended + 1 + joints
    laid_q, at = state[at : at + joints], at + joints
    aim, at = state[at : at + links], at + links
    frame = state[at : at + 12 * (joints + 2)].reshape((joints + 2, 3, 4))
    for j in range(joints):
        reference[joints - 1 - j] = sign[j] * q[j]
    settings = Settings(course[HEAD], course[ROLL], parameters[LOOK_AHEAD], parameters[MOST_TURN])
    snake = VirtualSnake(length, sine, cosine, lower, upper, sign)
    lay(Curve(point, slope, parameters[FIRST]), snake, settings, Memory(q, axis), Laid(laid_q, frame, aim, flags))
    for j in range(joints):
        k, rate = joints - 1 - j, 0.0
        if parameters[RATES] > 0.0:
            rate = sign[j] * ((laid_q[j] - sign[j] * reference[k]) / parameters[PERIOD])
        reference[joints + k], reference[2 * joints + k] = rate, 0.0
    state[TAIL] = max(parameters[FIRST], aim[joints])
    code = FLAGGED if note_flags(state, joints, observation[0]) else 0
    if course[ENDED] > state[ended]:
        code += USED_UP
    state[ended] = course[ENDED]
    state[ROW] += 1.0
    reference[3 * joints] = code
