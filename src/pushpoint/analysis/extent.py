"""Between which values does a link stay?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import ROUNDING, at, between, column, link_path, times
from pushpoint.errors import InvalidInput
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("lowest")
def lowest(
    run: Recording, *, link: int, axis: str, start: float = 0.0, end: float | None = None, every: float | None = None
) -> float:
    """Smallest coordinate [m] of a link from `start` to `end` [s]; at every row, or `every` so many seconds."""
    return float(_seen(run, link, start, end, every)[:, column(axis)].min())


@measures.register("highest")
def highest(
    run: Recording, *, link: int, axis: str, start: float = 0.0, end: float | None = None, every: float | None = None
) -> float:
    """Largest coordinate [m] of a link from `start` to `end` [s]; at every row, or `every` so many seconds."""
    return float(_seen(run, link, start, end, every)[:, column(axis)].max())


def _seen(run: Recording, link: int, start: float, end: float | None, every: float | None) -> FloatArray:
    path, rows = link_path(run, link), between(run, start, end)
    if every is None:
        return path[rows]
    if every <= 0.0:
        raise InvalidInput(f"every = {every} s: must be positive")
    last = times(run)[rows][-1]
    return at(run, path, np.arange(start, last + ROUNDING, every))
