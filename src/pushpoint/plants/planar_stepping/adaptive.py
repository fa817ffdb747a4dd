"""Steps as long as they may be: each dt is cut into halves of halves where the motion is not smooth, or not solved.

The error of a step is judged by what was not foreseen, (dt / 2) |u_E - u_predicted| of the link centre that it is
largest for, where the prediction continues the change of the last step: of third order in smooth motion, and the way
that is in doubt where something hits, sticks or slips. Nothing of the state changes before a step is accepted, so that
refusing one costs its solve alone.
"""

from __future__ import annotations

import math

from pushpoint._jit import entry_point, inlined, kernel
from pushpoint.plants.planar_stepping.extras import Extras
from pushpoint.plants.planar_stepping.joints import drive_joints
from pushpoint.plants.planar_stepping.model import ACCEPTED, DT, STEP_ERROR, STRETCH, Problem, State, Surroundings
from pushpoint.plants.planar_stepping.newton import newton
from pushpoint.plants.planar_stepping.run import TABLE_FULL, clear_tick, close_tick, note_step
from pushpoint.plants.planar_stepping.step import (
    LOOKS,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    is_as_foreseen,
    look,
    predict,
    settle,
)
from pushpoint.types import CommandTable, Trace

FINEST = 10  # halvings of dt at most
PARTS = 1 << FINEST
EASY = 0.125  # of the error allowed: below, the next part may be twice as long


@kernel
def rescale(problem: Problem, extras: Extras | None, dt: float) -> None:
    """Set the length of the step, and all that is kept as an impulse of one step."""
    ratio = dt / problem.number[DT]
    problem.number[DT] = dt
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        a.disc *= ratio
        a.servo_p *= ratio
        a.servo_d *= ratio
        a.band *= ratio
        a.limit *= ratio
        if extras is not None:
            extras.more[i].spin *= ratio


@kernel
def surprise(problem: Problem, state: State) -> float:
    """The error of the step that was just solved [m]."""
    stretch, largest = problem.number[STRETCH], 0.0
    for i in range(problem.link.shape[0]):
        own, a = state.link[i], problem.link[i]
        x = a.vx - own.vx - stretch * (own.vx - own.last_vx)
        y = a.vy - own.vy - stretch * (own.vy - own.last_vy)
        largest = max(largest, x * x + y * y)
    return float(0.5 * problem.number[DT] * math.sqrt(largest))


@inlined
def solve_part(problem: Problem, around: Surroundings, state: State, extras: Extras | None) -> tuple[float, int, int]:
    """Solve one part of a step: residual, sweeps and status. The state stays where it is."""
    predict(problem, state, extras)
    residual, iterations, status = 0.0, 0, OK
    for times in range(LOOKS):
        status = look(problem, around, state, times, extras)
        if status != OK:
            break
        residual, sweeps = newton(problem, extras)
        iterations += sweeps
        if is_as_foreseen(problem, around, state, extras):
            break
    if status == OK and not residual <= problem.number[ACCEPTED]:
        status = NOT_CONVERGED
    return residual, iterations, status


@entry_point
def run_ticks_adaptively(
    problem: Problem,
    around: Surroundings,
    extras: Extras | None,
    state: State,
    commands: CommandTable,
    first: int,
    substeps: int,
    trace: Trace,
) -> tuple[int, int]:
    """run.run_ticks with steps that are cut where they have to be; the trace has a row per whole step."""
    longest = problem.number[DT]
    for row in range(first, commands.joint_angle.shape[0]):
        if trace.cursor[1] + state.pair_code.size > trace.contact.shape[0]:
            return TABLE_FULL, row
        clear_tick(state.sums, state.pair, state.pair_start)
        for k in range(substeps):
            worst, iterations, status, done, level = 0.0, 0, OK, 0, state.clock[2]
            while done < PARTS and status == OK:
                size = PARTS >> level
                dt = longest * size / PARTS
                rescale(problem, extras, dt)
                problem.number[STRETCH] = size * (1 << state.clock[2]) / PARTS
                drive_joints(problem, state.link, commands, row, k * longest + longest * (done + size) / PARTS, extras)
                residual, sweeps, status = solve_part(problem, around, state, extras)
                iterations += sweeps
                error = surprise(problem, state)
                bad = status != OK or not error <= problem.number[STEP_ERROR]
                if bad and level < FINEST:
                    level += 1
                    status = OK
                    continue
                worst = max(worst, residual)
                if status == OK and not settle(problem, state, extras):
                    status = NOT_FINITE
                done += size
                state.clock[2] = level
                if error < EASY * problem.number[STEP_ERROR] and level > 0 and done % (2 * size) == 0:
                    level -= 1
            rescale(problem, extras, longest)
            state.clock[0] += 1
            note_step(trace, worst, iterations, status)
            if status != OK:
                return status, row
        close_tick(state, trace, longest, substeps, extras)
    return OK, commands.joint_angle.shape[0]
