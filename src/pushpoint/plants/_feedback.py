"""Kernels of feedback that all compiled plants share: a compiled controller decides at a tick."""

from __future__ import annotations

import math
from typing import Any

import numba
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from pushpoint._jit import FLAT, INTERPRETED, kernel
from pushpoint.feedback import EVERYTHING, Feedback
from pushpoint.types import CommandTable, FloatArray

ORDER = (3, 2, 0, 1)  # state, parameters, observation, reference among the parts of Feedback.values
LOG_FULL = -4  # events have to be read before the run can go on


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _call(typing_context: Any, address: Any, values: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
    """Call the compiled function at `address` with four parts of `values`, of which the ends are given. Returns zero
    unless it raised an error."""
    signature = types.int32(types.int64, values, types.int64, types.int64, types.int64, types.int64)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = context.make_array(FLAT)(context, builder, arguments[1])
        size, begin, parts = context.get_constant(types.intp, 8), context.get_constant(types.intp, 0), []
        for end in arguments[2:]:
            part = context.make_array(FLAT)(context, builder)
            length = [builder.sub(end, begin)]
            populate_array(part, builder.gep(whole.data, [begin]), length, [size], size, None)
            parts.append(part._getvalue())
            begin = end
        convention, kinds = context.call_conv, (FLAT,) * 4
        pointer = convention.get_function_type(types.none, kinds).as_pointer()
        function = builder.inttoptr(arguments[0], pointer)
        status, _ = convention.call_function(builder, function, types.none, kinds, [parts[k] for k in ORDER])
        return status.code

    return signature, build


def _interpret(address: int, values: FloatArray, *ends: int) -> int:
    parts = [values[a:b] for a, b in zip((0, *ends), ends, strict=False)]
    INTERPRETED[address - 1](*(parts[k] for k in ORDER))
    return 0


if numba.config.DISABLE_JIT:
    _call = _interpret


@kernel
def hide(flat: FloatArray, links: int, joints: int, dimensions: int, shown: int) -> None:
    """NaN for the parts of a flat observation that are not shown."""
    if shown == EVERYTHING:
        return
    attitude, rate = (1, 1) if dimensions == 2 else (4, 3)
    begin = 1
    for k in range(1, 10):
        width = joints
        if k > 3:
            width = links * (attitude if k == 5 else rate if k == 7 else dimensions)
        if shown & (1 << k) == 0:
            for at in range(begin, begin + width):
                flat[at] = math.nan
        begin += width


@kernel
def is_undecided(feedback: Feedback, row: int) -> bool:
    """Whether a compiled controller has to decide row `row` of the table: once, also if the call is repeated."""
    number = feedback.number[0]
    return bool(number.address != 0 and number.decided < number.tick + row)


@kernel
def is_log_full(feedback: Feedback) -> bool:
    return bool(feedback.number[0].events == feedback.log.shape[0])


@kernel
def decide(feedback: Feedback, commands: CommandTable, row: int) -> None:
    """Let the controller answer the observation; the answer becomes row `row` of the table."""
    number, values, log, joints = feedback.number[0], feedback.values, feedback.log, commands.joint_angle.shape[1]
    wrong = _call(number.address, values, number.observation, number.reference, number.parameters, number.state)
    at = number.observation
    if wrong != 0:
        values[at] = math.nan  # which stops the run
    for j in range(joints):
        commands.joint_angle[row, j] = values[at + j]
        commands.joint_rate[row, j] = values[at + joints + j]
        commands.torque[row, j] = values[at + 2 * joints + j]
    number.decided = number.tick + row
    if values[at + 3 * joints] != 0.0:
        log[number.events, 0], log[number.events, 1] = values[at + 3 * joints], number.decided
        for k in range(values.shape[0]):
            log[number.events, 2 + k] = values[k]
        values[at + 3 * joints] = 0.0
        number.events += 1
