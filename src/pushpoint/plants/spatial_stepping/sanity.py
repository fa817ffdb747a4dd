"""Whether a step that was just solved is a sane one; where it is not, it is made again in parts (see run).

Solved to the tolerance; hardly any energy made; no link turned far, ended deep in a solid or moved farther than
contacts were searched for.
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, inlined
from pushpoint.geometry.capsule_solids import capsule_contacts
from pushpoint.geometry.solids import Solids
from pushpoint.mechanics.spatial_chain import place_links
from pushpoint.numerics.records import Records
from pushpoint.plants._tape import ACCEPTED, NOT_CONVERGED, NOT_FINITE, OK
from pushpoint.plants.spatial_stepping.contacts import capsule_centre
from pushpoint.plants.spatial_stepping.laws import velocity_at
from pushpoint.plants.spatial_stepping.model import END, MARGIN, MIDDLE, Problem, State
from pushpoint.plants.spatial_stepping.step import aim_axes, measure_works, turn_body, works_of
from pushpoint.types import FloatArray, Repeated

NOT_SOLVED, TOO_MUCH_ENERGY = int(Repeated.NOT_SOLVED), int(Repeated.ENERGY)
TOO_DEEP, TOO_FAR_ROUND = int(Repeated.PENETRATION), int(Repeated.ROTATION)
# What a step may make or lose of energy by itself. Always: a part of the larger kinetic energy, and no more than so
# much per second, as errors of one sign add up; of the works in the step; and the weight times a tiny speed, or a robot
# at rest would be repeated. Besides: a part of the kinetic energy, if it can be paid from the purse.
MOST_ENERGY, MOST_POWER = 1e-4, 2.5e-3  # [1], [1/s]
MOST_OF_WORKS = 2e-3
LEAST_SPEED = 1e-6  # [m/s]
MOST_PAID = 2e-3
MOST_TURN = 0.5  # [rad] of a link in a step
ACCEPTABLE = 1e-3  # residual of a step with which a run may go on, if plant.on_failure says so
EASY = 0.125  # of what a step may make: below, the next part may be twice as long
SEEN = 0.5  # of the margin in which solids are searched for: no link may move farther in a step


@inlined
def misses(problem: Problem) -> bool:
    """Whether a link moved so far that it might have gone through a solid: farther than contacts are searched for."""
    dt = problem.number[0].dt
    for i in range(problem.link.shape[0]):
        a = problem.link[i]
        v1, v2, v3 = velocity_at(a, a.c1, a.c2, a.c3)
        turn = math.sqrt(a.w1 * a.w1 + a.w2 * a.w2 + a.w3 * a.w3)
        moved = dt * (math.sqrt(v1 * v1 + v2 * v2 + v3 * v3) + a.size * turn)
        if moved > max(a.reach, a.thick) or moved > SEEN * MARGIN:
            return True
    return False


@fused
def energy_made(number: Records, before: float, purse: float) -> float:
    """What the step made or lost of energy by itself, but for pushing links out of solids, over what it may. Notes
    what has to be paid of it."""
    made, energy = number.numerical, max(before, number.energy)
    most = min(MOST_ENERGY, MOST_POWER * number.dt) * energy + LEAST_SPEED * number.dt * number.weight
    made = max(made - number.pushed, 0.0) if made > 0.0 else -made
    most += MOST_OF_WORKS * works_of(number)
    number.excess = max(made - most, 0.0)
    most += max(min(0.25 * purse, MOST_PAID * before), 0.0)
    return float(made / most)


@inlined
def status_of_unsolved(problem: Problem, ledger: FloatArray, residual: float, solved: bool) -> int:
    """Status of a part that was not solved at its finest, after all: `solved`, where its residual is small in the whole
    step. If plant.on_failure says so, a run goes on with one that is nearly solved, and makes no more energy than any
    step may. Measures its works."""
    measure_works(problem, ledger[0])
    number = problem.number[0]
    if not math.isfinite(number.energy):
        return NOT_FINITE
    if solved:
        return OK
    makes = number.numerical > 0.0 and energy_made(number, ledger[0], ledger[6]) > 1.0
    return ACCEPTED if number.accept and residual <= ACCEPTABLE and not makes else NOT_CONVERGED


@inlined
def depth_at_end(problem: Problem, state: State, solids: Solids | None) -> float:
    """How deep [m] the deepest link is in a solid at the end of the step; moves the links there."""
    root = int(problem.tree[0, 0])
    a, b, end, h = problem.link[root], problem.root[MIDDLE], problem.root[END], 0.5 * problem.number[0].dt
    turn_body(end, b, a.w1, a.w2, a.w3, h)
    aim_axes(a, end)
    for k in range(problem.joint.shape[0]):
        problem.joint[k].middle += h * problem.joint[k].rate  # until below
    place_links(problem.link, problem.joint, problem.tree)
    x, y, z = b.x + h * a.v1, b.y + h * a.v2, b.z + h * a.v3
    depth = 0.0
    for m in range(problem.capsule.shape[0]):
        capsule = problem.capsule[m]
        a, half, radius = problem.link[int(capsule.link)], capsule.half, capsule.radius
        x1, x2, x3 = capsule_centre(a, capsule, x, y, z)
        if problem.number[0].has_plane:
            depth = max(depth, half * abs(a.x3) + radius - x3)
        if solids is not None:
            rows = capsule_contacts(solids, x1, x2, x3, a.x1, a.x2, a.x3, half, radius, 0.0, problem.found, 0)
            for row in range(min(rows, problem.found.shape[0])):
                depth = max(depth, -problem.found[row, 0])
    for k in range(problem.joint.shape[0]):
        problem.joint[k].middle = state.angle[0, k] + h * state.angle[1, k]
    return depth


@inlined
def goes_too_deep(problem: Problem, state: State, solids: Solids | None) -> bool:
    """Whether a link ends too deep in a solid, or might have gone through it. Links that hardly move do not."""
    number = problem.number[0]
    if number.sinks:
        return True
    moved = number.dt * (math.sqrt(number.fastest) + number.biggest * math.sqrt(number.turning))
    may_miss = solids is not None or number.self_contacts > 0
    if may_miss and moved > number.thinnest and misses(problem):
        return True
    if moved <= number.deepest:
        return False
    return bool(depth_at_end(problem, state, solids) > max(number.deepest, number.was_deep))


@inlined
def reasons_to_repeat(problem: Problem, state: State, solids: Solids | None, residual: float) -> int:
    """Reasons to make the step again in parts, as types.Repeated; 0 if it is sane. Measures its works."""
    number, before, wrong = problem.number[0], state.ledger[0], 0
    measure_works(problem, before)
    if not residual <= number.tolerance or not math.isfinite(number.energy):
        return NOT_SOLVED
    if not number.dt * number.dt * number.turning <= MOST_TURN * MOST_TURN:
        wrong |= TOO_FAR_ROUND
    if not energy_made(number, before, state.ledger[6]) <= 1.0 and number.was_deep < 2.0 * number.deepest:
        wrong |= TOO_MUCH_ENERGY
    if wrong == 0 and goes_too_deep(problem, state, solids):
        wrong |= TOO_DEEP
    return wrong
