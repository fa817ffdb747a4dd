"""Which links may touch which obstacles in this step: neighbour lists, then gaps and contact directions."""

from __future__ import annotations

from pushpoint._jit import kernel
from pushpoint.geometry.capsule_disc import capsule_disc
from pushpoint.geometry.grid import cell_range
from pushpoint.plants.planar_stepping.model import Params, Scratch, State


@kernel
def load_capsule(params: Params, scratch: Scratch, i: int) -> None:
    """Put link i at its pose in the middle of the step into scratch.capsule."""
    for k in range(4):
        scratch.capsule[k] = scratch.pose[i, k]
    scratch.capsule[4] = params.capsule[i, 0]
    scratch.capsule[5] = params.capsule[i, 1]


@kernel
def add_pair(params: Params, state: State, scratch: Scratch, i: int, disc: int) -> bool:
    """Append a pair to link i's list unless it is there; bring along what is remembered of it. False if full."""
    last = state.pair_start[i + 1]
    for p in range(state.pair_start[i], last):
        if state.pair_disc[p] == disc:
            return True
    if last == state.pair_disc.size:
        return False
    state.pair_disc[last] = disc
    for k in range(8):
        state.pair[last, k] = 0.0
    for p in range(scratch.old_start[i], scratch.old_start[i + 1]):
        if scratch.old_disc[p] == disc:
            for k in range(8):
                state.pair[last, k] = scratch.old_pair[p, k]
    state.pair_start[i + 1] = last + 1
    return True


@kernel
def list_link(params: Params, state: State, scratch: Scratch, i: int) -> bool:
    """Neighbours of link i: obstacles within `skin`. False if the table is full."""
    state.pair_start[i + 1] = state.pair_start[i]
    load_capsule(params, scratch, i)
    reach = params.capsule[i, 0] + params.capsule[i, 1] + params.skin
    x, y = scratch.pose[i, 0], scratch.pose[i, 1]
    column_first, column_last = cell_range(params.grid, 0, x - reach, x + reach)
    row_first, row_last = cell_range(params.grid, 1, y - reach, y + reach)
    for row in range(row_first, row_last):
        for column in range(column_first, column_last):
            cell = row * params.grid.shape[0] + column
            for k in range(params.grid.start[cell], params.grid.start[cell + 1]):
                disc = params.grid.item[k]
                capsule_disc(scratch.capsule, params.disc[disc], scratch.gap)
                if scratch.gap[0] <= params.skin and not add_pair(params, state, scratch, i, disc):
                    return False
    return True


@kernel
def list_neighbours(params: Params, state: State, scratch: Scratch) -> bool:
    """Rebuild all lists at the current pose, keeping warm starts. False if the table is full."""
    n = params.mass.size
    for p in range(state.pair_start[n]):
        scratch.old_disc[p] = state.pair_disc[p]
        for k in range(8):
            scratch.old_pair[p, k] = state.pair[p, k]
    for i in range(n + 1):
        scratch.old_start[i] = state.pair_start[i]
    for i in range(n):
        if not list_link(params, state, scratch, i):
            return False
    state.travel[0] = 0.0
    return True


@kernel
def find_contacts(params: Params, state: State, scratch: Scratch, reach: float) -> None:
    """Contacts of this step, P2 (39): gaps at the middle of the step, directions (14), (16).

    conserving: obstacles within `reach` [m] may be approached at most at gap / dt, so that links land on the surface.
    paper: obstacles already overlapped at the middle of the step may not be approached at all, P2 (57).
    """
    count = 0
    for i in range(params.mass.size):
        scratch.contact_start[i] = count
        if state.pair_start[i] == state.pair_start[i + 1]:
            continue
        load_capsule(params, scratch, i)
        for p in range(state.pair_start[i], state.pair_start[i + 1]):
            capsule_disc(scratch.capsule, params.disc[state.pair_disc[p]], scratch.gap)
            gap, place, nx, ny = scratch.gap[0], scratch.gap[1], scratch.gap[2], scratch.gap[3]
            if gap > (reach if params.conserving else 0.0):
                state.pair[p, 0] = 0.0
                continue
            row = scratch.contact[count]
            row[0], row[1] = nx, ny
            row[2] = place * (scratch.pose[i, 2] * ny - scratch.pose[i, 3] * nx)
            row[3] = max(gap, 0.0) / params.dt if params.conserving else 0.0
            row[4] = state.pair[p, 0]
            scratch.contact_pair[count] = p
            state.pair[p, 1], state.pair[p, 2], state.pair[p, 3] = place, nx, ny
            count += 1
    scratch.contact_start[params.mass.size] = count
