"""What figures of papers are put together from: sheets of panels, and series out of recordings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from pushpoint.view import style
from pushpoint.view.figures import SCENE_WIDTH, WIDTH
from pushpoint.view.scene import Box

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

LEGEND, TITLE, AXIS = 0.4, 0.4, 0.35  # [inch], high: the legend above all panels; of panels the title, and the x axis
NOTE = 0.35  # [inch], high: remarks below all panels
EDGES, GAP, SCENE_AXIS = 0.95, 0.75, 0.5  # [inch]: left and right of rows of scenes, between scenes, below them
PLOT, HIGH_PLOT = 1.9, 2.3  # [inch], high: panels that show something over time

# --- sheets ---


def scenes_below_each_other(scenes: int, box: Box, further: int = 0) -> tuple[Figure, list[Axes]]:
    """A sheet of panels just high enough to show `box` to scale, and under them some over time."""
    heights = [SCENE_WIDTH * box.shape] * scenes + [PLOT] * further
    return _sheet(heights, labelled=1 + (further > 0))


def plots_below_each_other(plots: int) -> tuple[Figure, list[Axes]]:
    """A sheet of panels that show something over time."""
    return _sheet([HIGH_PLOT] * plots, labelled=1)


def _sheet(heights: Sequence[float], labelled: int) -> tuple[Figure, list[Axes]]:
    """Panels below each other; so many of them have a labelled x axis."""
    layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.05, hspace=0.02)
    high = LEGEND + sum(heights) + TITLE * len(heights) + AXIS * labelled
    sheet = Figure(figsize=(WIDTH, high), layout=layout)
    FigureCanvasAgg(sheet)
    grid = sheet.add_gridspec(len(heights), 1, height_ratios=heights)
    return sheet, [sheet.add_subplot(grid[k, 0]) for k in range(len(heights))]


def scene_grid(scenes: int, columns: int, box: Box) -> tuple[Figure, list[Axes]]:
    """A sheet of panels in rows of `columns`, each just high enough to show `box` to scale."""
    rows = -(-scenes // columns)
    height = SCENE_WIDTH / columns * box.shape
    layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.05, hspace=0.02)
    sheet = Figure(figsize=(WIDTH, LEGEND + AXIS + rows * (height + TITLE)), layout=layout)
    FigureCanvasAgg(sheet)
    return sheet, [sheet.add_subplot(rows, columns, k + 1) for k in range(scenes)]


def scenes_in_rows(rows: Sequence[Sequence[Box]], highest: float = 4.0) -> tuple[Figure, list[list[Axes]]]:
    """A sheet of rows of panels to scale, with room for a remark.

    Those of a row are equally high, up to `highest` [inch], and fill the width if they can.
    """
    heights = []
    for boxes in rows:
        free = WIDTH - EDGES - GAP * (len(boxes) - 1)
        heights.append(min(highest, free / sum(1.0 / box.shape for box in boxes)))
    high = LEGEND + NOTE + sum(height + TITLE + SCENE_AXIS for height in heights)
    sheet, top = Figure(figsize=(WIDTH, high)), LEGEND
    panels: list[list[Axes]] = []
    FigureCanvasAgg(sheet)
    for boxes, height in zip(rows, heights, strict=True):
        left, top = EDGES - 0.25, top + TITLE
        panels.append([])
        for box in boxes:
            place = (left / WIDTH, 1 - (top + height) / high, height / box.shape / WIDTH, height / high)
            panels[-1].append(sheet.add_axes(place))
            left += height / box.shape + GAP
        top += height + SCENE_AXIS
    return sheet, panels


def label_outer(panels: Sequence[Axes], columns: int) -> None:
    """Panels in rows, all with the same axes: only the lowest and the leftmost ones say what they are."""
    for k, axes in enumerate(panels):
        lowest, leftmost = k + columns >= len(panels), k % columns == 0
        axes.tick_params(labelbottom=lowest, labelleft=leftmost)
        axes.set(xlabel=axes.get_xlabel() if lowest else "", ylabel=axes.get_ylabel() if leftmost else "")


def note_below(sheet: Figure, text: str) -> None:
    """A remark in small letters below all panels."""
    wide, high = sheet.get_size_inches()
    sheet.set_size_inches(wide, high + NOTE)
    remark(sheet, text)


def remark(sheet: Figure, text: str) -> None:
    """Small letters at the lower edge, where there is room for them."""
    sheet.supxlabel(text, x=0.008, ha="left", fontsize=8, color=style.QUIET)


def label_lowest(panels: Sequence[Axes]) -> None:
    """Panels with the same x axis: only the lowest says what it is."""
    for axes in panels[:-1]:
        axes.set_xlabel("")
        axes.tick_params(labelbottom=False)


def mark(label: str, **look: Any) -> Line2D:
    """An entry of a legend."""
    return Line2D([], [], label=label, **look)


def legend_above(sheet: Figure, marks: Sequence[Line2D]) -> None:
    """One legend for all panels, in one line above them."""
    sheet.legend(handles=marks, ncols=len(marks), loc="outside upper left")


# --- series ---


def times(run: Recording) -> FloatArray:
    """Of the rows [s]."""
    return np.asarray(run.data["time"].values, dtype=float)


def nearest_row(run: Recording, time: float) -> int:
    return int(np.argmin(np.abs(times(run) - time)))


def event_times(run: Recording, name: str) -> FloatArray:
    """When events of that name happened [s]."""
    chosen = run.events["name"].values == name
    return np.asarray(run.events["time"].values[chosen], dtype=float)


def centre_velocity(run: Recording) -> FloatArray:
    """Velocity of the centre of mass [m/s], (rows, 2)."""
    mass = np.array([link.mass for link in run.scenario.built_robot().links])
    velocity = np.asarray(run.data["link_velocity"].values, dtype=float)[..., :2]
    return np.asarray(np.einsum("l,tla->ta", mass / mass.sum(), velocity))


def smoothed(values: FloatArray, time: FloatArray, window: float) -> FloatArray:
    """Means over `window` [s] around each row, weighted by a bell; at the ends over what there is of it."""
    period = (time[-1] - time[0]) / max(1, len(time) - 1)
    half = min(round(window / 2 / period), (len(values) - 1) // 2) if period > 0 else 0
    bell = np.hanning(2 * half + 3)[1:-1]
    weight = np.convolve(np.ones(len(values)), bell, mode="same")
    return np.asarray(np.convolve(values, bell, mode="same") / weight)
