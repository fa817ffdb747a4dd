"""Obstacles as a controller believed them to be, over those that there were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.patches import Circle

from pushpoint.analysis._series import times
from pushpoint.view import style

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

ROUNDING = 1e-9  # [s]
LARGEST = 100.0  # radius of a rim that is drawn, in sizes of the view: on a longer one dashes have no end


def known_at(run: Recording, row: int) -> FloatArray:
    """Both ends and radius (k, 5) [m] of what was believed in at a row: that which was reported last."""
    when = run.known["time"].values
    before = when <= times(run)[row] + ROUNDING
    if not before.any():
        return np.zeros((0, 5))
    last = when == when[before].max()
    return np.column_stack([run.known[name].values[last] for name in ("x", "y", "end_x", "end_y", "radius")])


def draw_known(axes: Axes, run: Recording, row: int) -> list[Artist]:
    """Rims of discs, and edges; nothing for controllers that do not say what they know."""
    known = known_at(run, row)
    view = max(abs(high - low) for low, high in (axes.get_xlim(), axes.get_ylim()))
    edges, discs = known[known[:, 4] == 0.0], known[(known[:, 4] > 0.0) & (known[:, 4] <= LARGEST * view)]
    named = dict(style.KNOWN)
    drawn: list[Artist] = []
    if len(discs):
        rims = [Circle((x, y), radius) for x, y, _, _, radius in discs.tolist()]
        drawn_as = {"edgecolor" if name == "color" else name: value for name, value in named.items()}
        drawn.append(axes.add_collection(PatchCollection(rims, facecolor="none", **drawn_as)))
    if len(edges):
        drawn.append(axes.add_collection(LineCollection(edges[:, :4].reshape(-1, 2, 2).tolist(), **named)))
    return drawn
