"""Broad phase: obstacles sorted into the cells of a uniform grid, so that a query costs what is near."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pushpoint._jit import kernel
from pushpoint.types import FloatArray, IntArray

MOST_CELLS = 100_000  # along a side, and
MOST_ENTRIES = 4_000_000  # of boxes in cells: large boxes in small cells would be in very many


class Grid(NamedTuple):
    """Cells in row-major order; the items of cell c are item[start[c] : start[c + 1]]."""

    origin: FloatArray  # [m], (3,): x, y, cell size
    shape: IntArray  # (2,): columns, rows
    start: IntArray  # (cells + 1,)
    item: IntArray  # (entries,)


def build_grid(boxes: FloatArray, reach: float) -> Grid:
    """Grid over the boxes (m, 4: x_min, y_min, x_max, y_max) [m]; `reach` is the typical size of a query."""
    if len(boxes) == 0:
        return Grid(np.array([0.0, 0.0, 1.0]), np.array([0, 0]), np.zeros(1, np.int64), np.zeros(0, np.int64))
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    size = max(reach, math.sqrt(float(np.prod(high - low)) / len(boxes)), float((high - low).max()) / MOST_CELLS, 1e-9)
    while _entries(boxes, low, size) > MOST_ENTRIES:
        size *= 2.0
    columns, rows = (int(v) + 1 for v in (high - low) / size)
    first = ((boxes[:, :2] - low) / size).astype(np.int64)
    last = ((boxes[:, 2:] - low) / size).astype(np.int64)
    item, column, row = cells_of(first, last)
    return sorted_grid(np.array([low[0], low[1], size]), np.array([columns, rows]), item, row * columns + column)


def cells_of(first: IntArray, last: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """All cells from the first to the last of each item, column and row: item, column, row."""
    wide, count = last[:, 0] - first[:, 0] + 1, np.prod(last - first + 1, axis=1)
    item = np.repeat(np.arange(len(first)), count)
    number = np.arange(len(item)) - np.repeat(np.cumsum(count) - count, count)
    return item, first[item, 0] + number % wide[item], first[item, 1] + number // wide[item]


def sorted_grid(origin: FloatArray, shape: IntArray, item: IntArray, cell: IntArray) -> Grid:
    """A grid of items and the cells that they are in, one by one; in a cell they keep their order."""
    start = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=int(np.prod(shape))))]).astype(np.int64)
    return Grid(origin, shape, start, item[np.argsort(cell, kind="stable")])


def _entries(boxes: FloatArray, low: FloatArray, size: float) -> float:
    """How often the boxes stand in cells of a size, all together."""
    first, last = np.floor((boxes[:, :2] - low) / size), np.floor((boxes[:, 2:] - low) / size)
    return float(np.prod(last - first + 1.0, axis=1).sum())


@kernel
def cell_range(low: float, high: float, cells: int) -> tuple[int, int]:
    """First and one past the last cell that [low, high] (in cells from the grid's origin) touches; empty if outside."""
    return max(math.floor(low), 0), min(math.floor(high) + 1, cells)
