"""Between which values does a link stay?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.analysis import measures
from pushpoint.analysis._series import between, column, link_path

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("lowest")
def lowest(run: Recording, *, link: int, axis: str, start: float = 0.0, end: float | None = None) -> float:
    """Smallest coordinate [m] of a link from `start` to `end` [s]."""
    return float(link_path(run, link)[between(run, start, end), column(axis)].min())


@measures.register("highest")
def highest(run: Recording, *, link: int, axis: str, start: float = 0.0, end: float | None = None) -> float:
    """Largest coordinate [m] of a link from `start` to `end` [s]."""
    return float(link_path(run, link)[between(run, start, end), column(axis)].max())
