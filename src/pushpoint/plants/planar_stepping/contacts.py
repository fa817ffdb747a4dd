"""Which links may touch which obstacles in this step: neighbour lists, then gaps and contact directions."""

from __future__ import annotations

from pushpoint._jit import kernel
from pushpoint.geometry.capsule_disc import capsule_disc
from pushpoint.geometry.grid import cell_range
from pushpoint.mechanics.planar_chain import COS, SIN, X, Y
from pushpoint.plants.planar_stepping.model import (
    APPROACH,
    ARM,
    AXIS,
    CONSERVING,
    DT,
    GUESS,
    LISTED,
    NORMAL_X,
    NORMAL_Y,
    P_IMPULSE,
    P_NORMAL_X,
    P_NORMAL_Y,
    P_PLACE,
    PAIR,
    PAIR_WIDTH,
    RADIUS,
    TRAVELLED,
    Problem,
    State,
    Surroundings,
)
from pushpoint.types import FloatArray, IntArray


@kernel
def add_pair(disc: int, start: IntArray, i: int, pair_disc: IntArray) -> bool:
    """Append a disc to link i's list unless it is there. False if the table is full."""
    last = start[i + 1]
    for p in range(start[i], last):
        if pair_disc[p] == disc:
            return True
    if last == pair_disc.size:
        return False
    pair_disc[last] = disc
    start[i + 1] = last + 1
    return True


@kernel
def list_link(link: FloatArray, around: Surroundings, i: int, reach: float, start: IntArray, out: IntArray) -> bool:
    """Neighbours of link i: discs with a gap below `reach`. False if the table is full."""
    start[i + 1] = start[i]
    x, y, cell_size = link[i, X], link[i, Y], around.grid.origin[2]
    size = (link[i, AXIS] + link[i, RADIUS] + reach) / cell_size
    column, row = (x - around.grid.origin[0]) / cell_size, (y - around.grid.origin[1]) / cell_size
    column_first, column_last = cell_range(column - size, column + size, around.grid.shape[0])
    row_first, row_last = cell_range(row - size, row + size, around.grid.shape[1])
    for r in range(row_first, row_last):
        for c in range(column_first, column_last):
            cell = r * around.grid.shape[0] + c
            for k in range(around.grid.start[cell], around.grid.start[cell + 1]):
                disc = around.grid.item[k]
                dx, dy = x - around.disc[disc, 0], y - around.disc[disc, 1]
                distance, _, _, _ = capsule_disc(dx, dy, link[i, COS], link[i, SIN], link[i, AXIS])
                near = distance <= around.disc[disc, 2] + link[i, RADIUS] + reach
                if near and not add_pair(disc, start, i, out):
                    return False
    return True


@kernel
def recall(pair: FloatArray, start: IntArray, disc: IntArray, i: int, new: Surroundings, at: int) -> None:
    """What is remembered of link i and the disc of the new pair `at`, if it was a pair before."""
    for k in range(PAIR_WIDTH):
        new.pair[at, k] = 0.0
    for p in range(start[i], start[i + 1]):
        if disc[p] == new.pair_disc[at]:
            for k in range(PAIR_WIDTH):
                new.pair[at, k] = pair[p, k]


@kernel
def list_neighbours(problem: Problem, around: Surroundings, state: State, reach: float) -> bool:
    """List all discs within `reach` [m] at the current pose, keeping warm starts. False if the table is full."""
    n, start = problem.link.shape[0], around.pair_start
    for i in range(n):
        if not list_link(problem.link, around, i, reach, start, around.pair_disc):
            return False
        for at in range(start[i], start[i + 1]):
            recall(state.pair, state.pair_start, state.pair_disc, i, around, at)
    for i in range(n + 1):
        state.pair_start[i] = start[i]
    for p in range(start[n]):
        state.pair_disc[p] = around.pair_disc[p]
        for k in range(PAIR_WIDTH):
            state.pair[p, k] = around.pair[p, k]
    state.ledger[TRAVELLED], state.ledger[LISTED] = 0.0, reach
    return True


@kernel
def find_contacts(problem: Problem, disc: FloatArray, state: State, reach: float) -> None:
    """Contacts of this step, P2 (39): gaps at the middle of the step, directions (14), (16).

    conserving: obstacles within `reach` [m] may be approached at most at gap / dt, so that links land on the surface.
    paper: obstacles already overlapped at the middle of the step may not be approached at all, P2 (57).
    """
    link, contact, pair = problem.link, problem.contact, state.pair
    conserving = problem.number[CONSERVING] > 0.0
    count = 0
    for i in range(link.shape[0]):
        problem.first[i] = count
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            k = state.pair_disc[p]
            dx, dy = link[i, X] - disc[k, 0], link[i, Y] - disc[k, 1]
            distance, place, nx, ny = capsule_disc(dx, dy, link[i, COS], link[i, SIN], link[i, AXIS])
            gap = distance - disc[k, 2] - link[i, RADIUS]
            if gap > (reach if conserving else 0.0):
                pair[p, P_IMPULSE] = 0.0
                continue
            contact[count, NORMAL_X], contact[count, NORMAL_Y] = nx, ny
            contact[count, ARM] = place * (link[i, COS] * ny - link[i, SIN] * nx)
            contact[count, APPROACH] = max(gap, 0.0) / problem.number[DT] if conserving else 0.0
            contact[count, GUESS] = pair[p, P_IMPULSE]
            contact[count, PAIR] = p
            pair[p, P_PLACE], pair[p, P_NORMAL_X], pair[p, P_NORMAL_Y] = place, nx, ny
            count += 1
    problem.first[link.shape[0]] = count
