"""Where is a link at a given time?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import at, column, link_path

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("link_coordinate")
def link_coordinate(run: Recording, *, link: int, axis: str, time: float) -> float:
    """Coordinate [m] of the centre of a link at `time` [s]."""
    return float(at(run, link_path(run, link), np.array([time]))[0, column(axis)])
