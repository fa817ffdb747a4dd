"""Flow with error control from jump to jump: the pair of Dormand and Prince (1980), order 5(4), with dense output."""

from __future__ import annotations

import math

import numpy as np

from pushpoint._jit import inlined, kernel
from pushpoint.plants._tape import NOT_FINITE, OK
from pushpoint.plants.planar_hybrid.contacts import place_links
from pushpoint.plants.planar_hybrid.flow import FADING, MILLIMETRE, has_sure_solution, slopes, works_at
from pushpoint.plants.planar_hybrid.jump import any_due, jump
from pushpoint.plants.planar_hybrid.model import NEXT_STEP, STAGES, TRIED_STEP, Problem, State
from pushpoint.tape import Tape
from pushpoint.types import FloatArray

# Weights of the stages, and at which times they are.
STAGE = np.zeros((STAGES, STAGES))
STAGE[1, :1] = (1 / 5,)
STAGE[2, :2] = 3 / 40, 9 / 40
STAGE[3, :3] = 44 / 45, -56 / 15, 32 / 9
STAGE[4, :4] = 19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729
STAGE[5, :5] = 9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656
STAGE[6, :6] = 35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84
TIME = STAGE.sum(axis=1)
# Order five less order four.
ERROR = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])
# Dense output of order four (Shampine 1986): the weights of the stages as polynomials of the share of the step.
DENSE = np.array(
    [
        [1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
        [0, 0, 0, 0],
        [0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
        [0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
        [0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
        [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ]
)

SAFETY, MOST_GROWTH, MOST_SHRINK = 0.9, 5.0, 0.2  # of the next step
SHORTEST = 1e-12  # [s]: what is left of a step when it is done; steps that must be shorter do not come to an end
SHORTEST_TRIED = 1e-8  # [s]: how short steps become in search of contact forces
WORK_SHARE = 0.1  # of the tolerance: error of the work of contacts, of the kinetic energy and MILLIMETRE of weight
MOST_CHECKS = 1000.0  # at a step, for links that are faster than any robot
LOCATED = 1e-10  # [s]: how well the instant of a jump is found


@inlined
def flow(problem: Problem, state: State, tape: Tape, begun: float, since: float) -> int:
    """One step of dt, jumps included; `begun` [s] is the time, `since` that of the tick, at its beginning."""
    number, done, fresh = problem.number[0], 0.0, True
    dt, n = number.dt, problem.link.shape[0]
    while dt - done > SHORTEST:
        wanted = state.ledger[NEXT_STEP]
        pieces = max(1, math.ceil((dt - done) / wanted - 1e-9))
        h = (dt - done) / pieces
        before = number.residual
        if fresh:
            status = slopes(problem, state, state.vector, since + done, problem.slope[0])
            if status != OK and not shorten_or_accept(problem, state, h, SHORTEST_TRIED):
                return status
            if status != OK:
                number.residual = before
                continue
        fresh = False
        error, status = stages(problem, state, h, since + done)
        if status != OK:
            if not shorten_or_accept(problem, state, h, h):
                return status
            number.residual = before
            continue
        grow = SAFETY * error**-0.2 if error > 0.0 else MOST_GROWTH
        if not error <= 1.0:  # so written, NaN makes the step shorter too
            shrink = max(MOST_SHRINK, grow) if error > 1.0 and math.isfinite(error) else MOST_SHRINK
            state.ledger[NEXT_STEP] = h * shrink
            if h * shrink < SHORTEST:
                return NOT_FINITE
            continue
        number.parts += 1
        if h >= 0.5 * wanted:  # a short rest of the tick says nothing about longer steps
            state.ledger[NEXT_STEP] = min(dt, h * min(MOST_GROWTH, grow))
        if number.has_friction and not has_sure_solution(problem):
            number.unsure += 1
        share = first_due(problem, state, h)
        if share <= 1.0:
            interpolate(problem, state, h, share, state.vector, state.vector.shape[0])
            done = done + share * h
            status = jump(problem, state, tape, begun + done)
            if status != OK:
                return status
            fresh = True
        else:
            take_over(problem, state)
            done = dt if pieces == 1 else done + h
    return OK if math.isfinite(state.vector[2 * n + 2]) else NOT_FINITE


@inlined
def take_over(problem: Problem, state: State) -> None:
    """The end of a step is where the next one begins; contacts without a force that open are left."""
    for j in range(state.vector.shape[0]):
        state.vector[j] = problem.vector[1, j]
        problem.slope[0, j] = problem.slope[STAGES - 1, j]
    for k in range(problem.number[0].touching):
        c = problem.contact[k]
        state.pushing[int(c.slot)] = problem.basic[k]
        if c.speed > FADING and problem.force[k] == 0.0:
            state.leaving[int(c.slot)] = 1


@kernel
def shorten_or_accept(problem: Problem, state: State, h: float, length: float) -> bool:
    """What to try where contact forces cannot be found: a shorter step, whose stages stay nearer to its beginning.

    Then, if that is wanted, to accept what is nearly a solution until the end of this dt, with steps as long as before.
    """
    number, ledger = problem.number[0], state.ledger
    if length > SHORTEST_TRIED:
        if not number.shortened:
            ledger[TRIED_STEP] = h
        number.shortened, ledger[NEXT_STEP] = True, MOST_SHRINK * h
        return True
    if not number.accept or number.lenient:
        return False
    number.lenient = True
    if number.shortened:
        ledger[NEXT_STEP] = ledger[TRIED_STEP]
    return True


@inlined
def first_due(problem: Problem, state: State, h: float) -> float:
    """The share of the step after which a jump is due, more than one if none is; links are at the end of the step.

    Links that are so fast that they could pass through an obstacle within the step are checked on their path. The
    instant between two checks is found by bisection of the dense output.
    """
    n, fastest = problem.link.shape[0], 0.0
    for i in range(n):
        a = problem.link[i]
        fastest = max(fastest, math.sqrt(a.vx * a.vx + a.vy * a.vy) + abs(a.w) * a.half)
    checks = max(1.0, min(MOST_CHECKS, math.ceil(h * fastest / problem.number[0].stride)))
    low, high, found = 0.0, 1.0 / checks, False
    while not found or (high - low) * h > LOCATED:
        share = 0.5 * (low + high) if found else high
        if found or checks > 1.0:
            interpolate(problem, state, h, share, problem.vector[2], 2 * n + 4)
            place_links(problem, problem.vector[2])
        if any_due(problem, state):
            high, found = share, True
        elif found:
            low = share
        elif share == 1.0:
            return 2.0
        else:
            low, high = share, min(1.0, share + 1.0 / checks)
    return float(high)


@inlined
def stages(problem: Problem, state: State, h: float, since: float) -> tuple[float, int]:
    """All slopes of a step; the vector at its end is problem.vector[1]. Error over tolerance, and the status."""
    size = 2 * problem.link.shape[0] + 4
    slope, start = problem.slope, state.vector
    for s in range(1, STAGES):
        stage = problem.vector[1 if s == STAGES - 1 else 0]
        last = start.shape[0] if s == STAGES - 1 else size
        for j in range(last):
            total = 0.0
            for k in range(s):
                total += STAGE[s, k] * slope[k, j]
            stage[j] = start[j] + h * total
        status = slopes(problem, state, stage, since + TIME[s] * h, slope[s])
        if status != OK:
            return 0.0, status
    worst, tolerance, end = 0.0, problem.number[0].tolerance, problem.vector[1]
    for j in range(size):
        off = 0.0
        for k in range(STAGES):
            off += ERROR[k] * slope[k, j]
        scale = tolerance * (1.0 + max(abs(start[j]), abs(end[j])))
        off = abs(h * off) / scale
        if not off <= worst:
            worst = off
    pushed, off = works_at(start) + 2, 0.0
    for k in range(STAGES):
        off += ERROR[k] * slope[k, pushed]
    off = abs(h * off) / (WORK_SHARE * tolerance * (state.ledger[0] + problem.number[0].weight * MILLIMETRE))
    return (worst if off <= worst else off), OK


@kernel
def interpolate(problem: Problem, state: State, h: float, share: float, out: FloatArray, size: int) -> None:
    """The first `size` entries of the vector at a share of the step."""
    slope, start = problem.slope, state.vector
    weight = problem.vector[0]  # its first entries: a stage is not needed any more
    for k in range(STAGES):
        weight[k] = share * (DENSE[k, 0] + share * (DENSE[k, 1] + share * (DENSE[k, 2] + share * DENSE[k, 3])))
    for j in range(size):
        total = 0.0
        for k in range(STAGES):
            total += weight[k] * slope[k, j]
        out[j] = start[j] + h * total
