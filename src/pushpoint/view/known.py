"""Obstacles as a controller believed them to be, over those that there were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import PatchCollection
from matplotlib.patches import Circle

from pushpoint.analysis._series import times
from pushpoint.view import style

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

ROUNDING = 1e-9  # [s]


def known_at(run: Recording, row: int) -> FloatArray:
    """Discs (k, 3) [m] that were believed in at a row: those that were reported last."""
    when = run.known["time"].values
    before = when <= times(run)[row] + ROUNDING
    if not before.any():
        return np.zeros((0, 3))
    last = when == when[before].max()
    return np.column_stack([run.known[name].values[last] for name in ("x", "y", "radius")])


def draw_known(axes: Axes, run: Recording, row: int) -> list[Artist]:
    """Their rims; nothing for controllers that do not say what they know."""
    discs = known_at(run, row)
    if not len(discs):
        return []
    rims = [Circle((x, y), radius) for x, y, radius in discs.tolist()]
    drawn_as = {"edgecolor" if name == "color" else name: value for name, value in dict(style.KNOWN).items()}
    drawn = PatchCollection(rims, facecolor="none", **drawn_as)
    axes.add_collection(drawn)
    return [drawn]
