"""Which pegs of a map a path may come near, each of them once."""

from __future__ import annotations

import math

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.planning.push_path.network import LONGEST
from pushpoint.planning.push_path.request import PlanOptions, Request
from pushpoint.planning.push_path.search import BEGIN
from pushpoint.types import FloatArray, IntArray

SPARE = 8.0  # links beyond the end of a path, within which pegs count
STICKS_OUT = 1e-4  # [m]: a disc that sticks out of another one by no more is a part of it
MOST_PEGS = 1000  # within reach

Cell = tuple[int, int]


def pegs_in_reach(request: Request, options: PlanOptions, total: float) -> IntArray:
    """Which pegs a path of the length `total` [m] may come near, sorted by their places; no discs inside of others.
    More than MOST_PEGS are refused."""
    pegs = np.column_stack([request.pegs.centre, request.pegs.radius])
    chosen = _near(request, options, total + SPARE * request.link)
    chosen = chosen[np.lexsort(pegs[chosen].T)]
    equal = (np.diff(pegs[chosen], axis=0) == 0.0).all(axis=1)
    chosen = chosen[np.flatnonzero(np.append(True, ~equal)[: len(chosen)])]
    if len(chosen) > MOST_PEGS:
        raise InvalidInput(
            f"{len(chosen)} pegs are within reach of the path; should be at most {MOST_PEGS}: ask for a shorter "
            "distance, or for another part of the map"
        )
    return chosen[_outermost(pegs[chosen])]


def _near(request: Request, options: PlanOptions, reach: float) -> IntArray:
    """Those far ahead of where a path may begin are too far [m], and those far from a robot that lies somewhere."""
    centre = request.pegs.centre
    if not len(centre):
        return np.zeros(0, dtype=np.int64)
    if request.start is not None:
        away = np.linalg.norm(centre - request.start.mean(axis=0), axis=1)
        return np.flatnonzero(away < reach)
    together = _largest_group(request)
    along = centre[together] @ np.array([math.cos(options.direction), math.sin(options.direction)])
    return np.asarray(together[along < along.min() + BEGIN * request.link + reach])


def _largest_group(request: Request) -> IntArray:
    """Pegs of the largest group, so far from all others that no arc leads there: a path is within one group."""
    centre, radius = request.pegs
    size = max(LONGEST) * request.link + 2.0 * (float(radius.max()) + request.width)
    cells, cell_of = np.unique(np.floor(centre / size).astype(np.int64), axis=0, return_inverse=True)
    group = np.array(_groups([(x, y) for x, y in cells.tolist()]))[cell_of.ravel()]
    return np.flatnonzero(group == np.bincount(group).argmax())


def _groups(cells: list[Cell]) -> list[int]:
    """A number for each cell of a grid, the same for neighbours."""
    number: dict[Cell, int] = dict.fromkeys(cells, -1)
    count = 0
    for cell in cells:
        waiting = [cell] if number[cell] < 0 else []
        count += len(waiting)
        while waiting:
            x, y = waiting.pop()
            if number.get((x, y), 0) < 0:
                number[x, y] = count - 1
                waiting += [(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    return list(number.values())


def _outermost(pegs: FloatArray) -> IntArray:
    """Which of some discs (m, 3), sorted by their radii, lie in no other one: the search would find them covered."""
    kept: list[int] = []
    for k in range(len(pegs) - 1, -1, -1):
        larger = pegs[kept]
        out = np.hypot(*(larger[:, :2] - pegs[k, :2]).T) + pegs[k, 2] - larger[:, 2]
        if not (out <= STICKS_OUT).any():
            kept.append(k)
    return np.array(kept[::-1], dtype=np.int64)
