"""When does a link first reach a line?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import column, link_path, times

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("first_passage")
def first_passage(run: Recording, *, link: int, axis: str, value: float) -> float:
    """First time [s] at which a coordinate of a link is at least `value` [m]; infinite if it never is."""
    t, path = times(run), link_path(run, link)[:, column(axis)]
    reached = np.flatnonzero(path >= value)
    if not len(reached):
        return math.inf
    k = int(reached[0])
    if k == 0:
        return float(t[0])
    share = (value - path[k - 1]) / (path[k] - path[k - 1])
    return float(t[k - 1] + share * (t[k] - t[k - 1]))
