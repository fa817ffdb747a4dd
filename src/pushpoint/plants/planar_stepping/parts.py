"""Steps in parts: halves of halves of dt, where a step is not solved, not sane, or not as exact as is asked for.

Nothing of the state changes before a part is accepted, so that refusing one costs its solve alone.

With `step_error` a part is also judged by what was not predicted, (dt / 2) |u_E - u_predicted| of the link centre that
it is largest for, where the prediction continues the change of the last part: of third order in smooth motion, and the
distance that is in doubt where something hits, sticks or slips.
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, kernel
from pushpoint.plants._tape import NOT_CONVERGED, NOT_FINITE, OK, note_repeats, note_step
from pushpoint.plants.planar_stepping.extended import Contacts, Ground, Joints
from pushpoint.plants.planar_stepping.friction_limits import ROUNDS, mix_limits
from pushpoint.plants.planar_stepping.joint_law import drive_joints
from pushpoint.plants.planar_stepping.ledger import Works, works
from pushpoint.plants.planar_stepping.model import EARTH, Problem, State, Surroundings
from pushpoint.plants.planar_stepping.newton import newton
from pushpoint.plants.planar_stepping.sanity import ENERGY, NOT_SOLVED, allowed_error, is_sane
from pushpoint.plants.planar_stepping.step import DETECTIONS, detect_contacts, predict, prediction_holds, settle
from pushpoint.tape import Tape
from pushpoint.types import CommandTable, Repeated, Status

PARTS = 1024  # the finest parts that any option allows
EASY = 0.125  # of the error allowed: below, the next part may be twice as long
TOLERABLE = 1e-2  # numerical work of the finest part over the kinetic energy: more is no step
# Residuals of parts that no length solves to the tolerance: rough contacts may end less exactly, which is counted;
# `on_failure: accept` goes on with more.
LOOSE, LOOSE_RESIDUAL, ACCEPTED_RESIDUAL = int(Repeated.LOOSE), 1e-6, 1e-3
NOT_TO_TOLERANCE = int(Status.ACCEPTED)


@kernel
def rescale(problem: Problem, ground: Ground | None, dt: float) -> None:
    """Set the length of the step, and all that is kept as an impulse of one step."""
    ratio = dt / problem.number[0].dt
    problem.number[0].dt, problem.number[0].laid = dt, 0.0
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        a.disc *= ratio
        a.servo_p *= ratio
        a.servo_d *= ratio
        a.band *= ratio
        a.limit *= ratio
        if ground is not None:
            ground.link[i].spin *= ratio


@kernel
def position_error(problem: Problem, state: State) -> float:
    """The error of the part that was just solved [m]."""
    stretch, largest = problem.number[0].stretch, 0.0
    for i in range(problem.link.shape[0]):
        own, a = state.link[i], problem.link[i]
        x = a.vx - own.vx - stretch * (own.vx - own.last_vx)
        y = a.vy - own.vy - stretch * (own.vy - own.last_vy)
        largest = max(largest, x * x + y * y)
    return float(0.5 * problem.number[0].dt * math.sqrt(largest))


@kernel
def solve(
    problem: Problem, ground: Ground | None, contacts: Contacts | None, joints: Joints | None
) -> tuple[float, int, int]:
    """Residual, sweeps, and whether limits of friction had to be found one solve after the other."""
    residual, iterations, helped = 1.0, 0, 0
    problem.number[0].limits_fixed = 0.0
    for number in range(-1, ROUNDS):
        residual, sweeps = newton(problem, ground, contacts, joints)
        iterations += sweeps
        solved = residual <= problem.number[0].accepted
        if contacts is None or (number < 0 and solved):
            break
        if number < 0:
            if problem.number[0].lag <= problem.number[0].tolerance and residual <= LOOSE_RESIDUAL:
                break  # it is not friction that is left, but contacts that all but contradict each other
            problem.number[0].limits_fixed, helped = 1.0, 1
        elif not solved:
            break
        else:
            residual = max(residual, mix_limits(problem, contacts, number))
            if residual <= problem.number[0].tolerance:
                break
    problem.number[0].limits_fixed = 0.0
    return residual, iterations, helped


@fused
def solve_part(
    problem: Problem, around: Surroundings, state: State, ground: Ground | None, contacts: Contacts | None,
    joints: Joints | None,
) -> tuple[float, int, int, int]:  # fmt: skip
    """Solve one part of a step: residual, sweeps, fallbacks and status. The state stays where it is."""
    predict(problem, state, ground, contacts)
    residual, iterations, fallbacks, status = 1.0, 0, 0, OK
    for times in range(DETECTIONS):
        status = detect_contacts(problem, around, state, times, contacts)
        if status != OK:
            break
        residual, sweeps, helped = solve(problem, ground, contacts, joints)
        iterations += sweeps
        fallbacks += helped
        if prediction_holds(problem, around, state, contacts):
            break
    return residual, iterations, fallbacks, status


@fused
def is_tolerable(problem: Problem, state: State, made: Works) -> bool:
    """Whether a part that is not sane does no harm: its scheme makes little energy, and nothing passes through."""
    others = int(problem.number[0].reasons) & ~(ENERGY | NOT_SOLVED)
    # Of robots at rest: the speed that weight gives in a whole step.
    least = 0.5 * problem.number[0].weight * EARTH * problem.number[0].nominal * problem.number[0].nominal
    return others == 0 and bool(abs(made[5]) <= TOLERABLE * (max(made[0], state.ledger[0]) + least))


@fused
def pushes_in_vain(problem: Problem, state: State, residual: float, made: Works) -> bool:
    """Whether links had better not be pushed out of obstacles: it may need more energy than there is, and where a link
    is held from two sides there is no solution. Without it there always is one, no motion at all."""
    if not residual <= problem.number[0].accepted:
        for k in range(problem.first[problem.link.shape[0]]):
            if problem.contact[k].approach < 0.0:
                return True
    return bool(made[6] > allowed_error(problem, state, made))


@kernel
def step_in_parts(
    problem: Problem,
    around: Surroundings,
    ground: Ground | None,
    contacts: Contacts | None,
    joints: Joints | None,
    state: State,
    commands: CommandTable,
    row: int,
    k: int,
    level: int,
    tape: Tape,
) -> int:
    """Step k of tick `row`, first in parts of that level, and finer where they are not good. Returns the status."""
    number, nominal = problem.number[0], problem.number[0].nominal
    enough = ACCEPTED_RESIDUAL if number.accept > 0.0 else max(LOOSE_RESIDUAL, number.tolerance)
    worst, guard, best = 0.0, 0.0, enough
    iterations, fallbacks, parts, done, status, best_level, forced, marked = 0, 0, 0, 0, OK, -1, False, False
    reasons = int(number.reasons)
    while done < PARTS and status == OK:
        size = PARTS >> level
        rescale(problem, ground, nominal * size / PARTS)
        number.stretch = size * (1 << state.clock[2]) / PARTS
        drive_joints(problem, state.link, commands, row, k * nominal + nominal * (done + size) / PARTS, joints)
        residual, sweeps, helped, status = solve_part(problem, around, state, ground, contacts, joints)
        iterations += sweeps
        fallbacks += helped
        made = works(problem, ground)
        good = status == OK and is_sane(problem, around, state, residual, made, contacts)
        error = position_error(problem, state)
        exact = number.step_error == 0.0 or error <= number.step_error
        if status == OK:
            reasons |= int(number.reasons)
        harmless = status == OK and not good and is_tolerable(problem, state, made)
        if status == OK and number.pushing > 0.0 and pushes_in_vain(problem, state, residual, made):
            number.pushing = 0.0
            continue
        if harmless and residual < best:
            best, best_level = residual, level
        if not forced and not (good and exact) and level < number.finest:
            level += 1
            status = OK
            continue
        solved = status == OK and residual <= number.accepted
        if not good and not (solved and harmless):
            if not forced and best_level >= 0:
                level, status, forced = best_level, OK, True
                continue
            if not (forced and harmless and residual <= enough):
                status = NOT_CONVERGED if status == OK else status
                worst = max(worst, residual)
                break
            reasons |= LOOSE
            marked = marked or residual > max(LOOSE_RESIDUAL, number.tolerance)
        worst, parts = max(worst, residual), parts + 1
        easy = abs(made[5]) <= EASY * allowed_error(problem, state, made)
        if not settle(problem, state, made, ground, contacts, joints):
            status = NOT_FINITE
        guard += number.guard
        done += size
        state.clock[2] = level
        if number.step_error > 0.0:
            easy = easy and error < EASY * number.step_error
        if easy and level > 0 and done % (2 * size) == 0:
            level -= 1
        best, best_level, forced = enough, -1, False
        number.pushing = 1.0
    number.pushing = 1.0
    rescale(problem, ground, nominal)
    number.stretch = 1.0
    state.clock[0] += 1
    note_step(tape, worst, iterations, NOT_TO_TOLERANCE if marked and status == OK else status)
    note_repeats(tape, parts, reasons, fallbacks, guard)
    return status
