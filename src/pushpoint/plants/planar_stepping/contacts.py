"""Which links may touch which obstacles in this step: neighbour lists, then gaps and contact directions."""

from __future__ import annotations

from pushpoint._jit import kernel
from pushpoint.geometry.capsule_disc import capsule_disc
from pushpoint.geometry.grid import cell_range
from pushpoint.numerics.records import Records
from pushpoint.plants.planar_stepping.model import (
    CONSERVING,
    DT,
    LISTED,
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
def is_near(dx: float, dy: float, distance: float) -> bool:
    """Whether a vector is shorter than `distance`."""
    return dx * dx + dy * dy < distance * distance


@kernel
def list_link(link: Records, around: Surroundings, i: int, reach: float, start: IntArray, out: IntArray) -> bool:
    """Neighbours of link i: all discs with a gap below `reach`, and some beyond. False if the table is full."""
    a = link[i]
    start[i + 1] = start[i]
    x, y, cell_size = a.x, a.y, around.grid.origin[2]
    full = a.axis + a.radius + reach
    size = full / cell_size
    column, row = (x - around.grid.origin[0]) / cell_size, (y - around.grid.origin[1]) / cell_size
    column_first, column_last = cell_range(column - size, column + size, around.grid.shape[0])
    row_first, row_last = cell_range(row - size, row + size, around.grid.shape[1])
    for r in range(row_first, row_last):
        for c in range(column_first, column_last):
            cell = r * around.grid.shape[0] + c
            for k in range(around.grid.start[cell], around.grid.start[cell + 1]):
                disc = around.grid.item[k]
                dx, dy = x - around.disc[disc, 0], y - around.disc[disc, 1]
                if is_near(dx, dy, around.disc[disc, 2] + full) and not add_pair(disc, start, i, out):
                    return False
    return True


@kernel
def recall(state: State, i: int, around: Surroundings, at: int) -> None:
    """What is remembered of link i and the disc of the new pair `at`, if it was a pair before."""
    new = around.pair[at]
    new.impulse = new.place = new.normal_x = new.normal_y = 0.0
    new.tick_x = new.tick_y = new.record_x = new.record_y = 0.0
    for p in range(state.pair_start[i], state.pair_start[i + 1]):
        if state.pair_disc[p] == around.pair_disc[at]:
            around.pair[at] = state.pair[p]


@kernel
def list_neighbours(problem: Problem, around: Surroundings, state: State, reach: float) -> bool:
    """List all discs within `reach` [m] at the current pose, keeping warm starts. False if the table is full."""
    n, start = problem.link.shape[0], around.pair_start
    for i in range(n):
        if not list_link(problem.link, around, i, reach, start, around.pair_disc):
            return False
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            if state.pair[p].record_x != 0.0 or state.pair[p].record_y != 0.0:  # not yet written
                add_pair(state.pair_disc[p], start, i, around.pair_disc)
        for at in range(start[i], start[i + 1]):
            recall(state, i, around, at)
    for i in range(n + 1):
        state.pair_start[i] = start[i]
    for p in range(start[n]):
        state.pair_disc[p] = around.pair_disc[p]
        state.pair[p] = around.pair[p]
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
        a = link[i]
        problem.first[i] = count
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            k = state.pair_disc[p]
            dx, dy = a.x - disc[k, 0], a.y - disc[k, 1]
            if not is_near(dx, dy, disc[k, 2] + a.radius + a.axis + reach):
                pair[p].impulse = 0.0
                continue
            distance, place, nx, ny = capsule_disc(dx, dy, a.cos, a.sin, a.axis)
            gap = distance - disc[k, 2] - a.radius
            if gap > (reach if conserving else 0.0):
                pair[p].impulse = 0.0
                continue
            contact[count].normal_x, contact[count].normal_y = nx, ny
            contact[count].arm = place * (a.cos * ny - a.sin * nx)
            contact[count].approach = max(gap, 0.0) / problem.number[DT] if conserving else 0.0
            contact[count].guess = pair[p].impulse
            contact[count].pair = p
            pair[p].place, pair[p].normal_x, pair[p].normal_y = place, nx, ny
            count += 1
    problem.first[link.shape[0]] = count
