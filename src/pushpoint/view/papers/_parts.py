"""What figures of papers are put together from: sheets of panels, and series out of recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from pushpoint.analysis._series import recorded, times
from pushpoint.view import style
from pushpoint.view.style import SCENE_WIDTH, WIDTH

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray
    from pushpoint.view.surroundings import Box

LEGEND, TITLE, AXIS = 0.4, 0.4, 0.35  # [inch], high: the legend above all panels; of panels the title, and the x axis
NOTE, NOTE_LINE = 0.35, 0.18  # [inch], high: remarks of up to two lines below all panels, and any further line
EDGES, GAP, SCENE_AXIS = 0.95, 0.75, 0.5  # [inch]: left and right of rows of scenes, between scenes, below them
PLOT, HIGH_PLOT = 1.9, 2.3  # [inch], high: panels that show something over time
TIME = "time [s]"
MINUS = "\N{MINUS SIGN}"

DrawnAs = Mapping[str, Any]  # of lines
OURS = style.drawn_as(color="blue", zorder=3)
BODY = style.drawn_as(color="body", linewidth=2.4)
HEAD = style.drawn_as(color="head", linewidth=2.4)
DASHED = style.drawn_as(color="ink", linestyle=(0, (3.5, 2)), linewidth=1.3, zorder=2.5)


def halo() -> list[Any]:
    """Path effects of letters on drawings: the ground around them."""
    return [withStroke(linewidth=2.5, foreground=style.GROUND)]


# --- sheets ---


def scenes_below_each_other(scenes: int, box: Box, further: int = 0) -> tuple[Figure, list[Axes]]:
    """A sheet of panels just high enough to show `box` to scale, and under them some over time."""
    heights = [SCENE_WIDTH * box.shape] * scenes + [PLOT] * further
    return _sheet(heights, scenes + further, labelled=1 + (further > 0))


def plots_below_each_other(plots: int) -> tuple[Figure, list[Axes]]:
    """A sheet of panels that show something over time."""
    return _sheet([HIGH_PLOT] * plots, plots)


def scene_grid(scenes: int, columns: int, box: Box) -> tuple[Figure, list[Axes]]:
    """A sheet of panels in rows of `columns`, each just high enough to show `box` to scale."""
    return _sheet([SCENE_WIDTH / columns * box.shape] * -(-scenes // columns), scenes, columns)


def _sheet(heights: Sequence[float], panels: int, columns: int = 1, labelled: int = 1) -> tuple[Figure, list[Axes]]:
    """Panels in rows; so many rows have a labelled x axis."""
    layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.05, hspace=0.02)
    sheet = style.sheet(WIDTH, LEGEND + sum(heights) + TITLE * len(heights) + AXIS * labelled, layout=layout)
    grid = sheet.add_gridspec(len(heights), columns, height_ratios=heights)
    return sheet, [sheet.add_subplot(grid[k // columns, k % columns]) for k in range(panels)]


def scenes_in_rows(rows: Sequence[Sequence[Box]], highest: float = 4.0) -> tuple[Figure, list[list[Axes]]]:
    """A sheet of rows of panels to scale, with room for a remark.

    Those of a row are equally high, up to `highest` [inch], and fill the width if they can.
    """
    heights = []
    for boxes in rows:
        free = WIDTH - EDGES - GAP * (len(boxes) - 1)
        heights.append(min(highest, free / sum(1.0 / box.shape for box in boxes)))
    high = LEGEND + NOTE + sum(height + TITLE + SCENE_AXIS for height in heights)
    sheet, top = style.sheet(WIDTH, high), LEGEND
    panels: list[list[Axes]] = []
    for boxes, height in zip(rows, heights, strict=True):
        left, top = EDGES - 0.25, top + TITLE
        panels.append([])
        for box in boxes:
            place = (left / WIDTH, 1 - (top + height) / high, height / box.shape / WIDTH, height / high)
            panels[-1].append(sheet.add_axes(place))
            left += height / box.shape + GAP
        top += height + SCENE_AXIS
    return sheet, panels


def label_outer(panels: Sequence[Axes], columns: int = 1) -> None:
    """Panels in rows, all with the same axes: only the lowest and the leftmost ones say what they are."""
    for k, axes in enumerate(panels):
        lowest, leftmost = k + columns >= len(panels), k % columns == 0
        axes.tick_params(labelbottom=lowest, labelleft=leftmost)
        axes.set(xlabel=axes.get_xlabel() if lowest else "", ylabel=axes.get_ylabel() if leftmost else "")


def explained(sheet: Figure, marks: Mapping[str, DrawnAs], note: str = "") -> Figure:
    """The sheet with one legend, in one line above all panels, and a remark in small letters below them."""
    legend(sheet, [Line2D([], [], label=label, **drawn_as) for label, drawn_as in marks.items()])
    return noted(sheet, note) if note else sheet


def legend(sheet: Figure, entries: Sequence[Any]) -> None:
    """In one line above all panels."""
    sheet.legend(handles=entries, ncols=len(entries), loc="outside upper left")


def noted(sheet: Figure, note: str) -> Figure:
    """The sheet, made higher for a remark."""
    wide, high = sheet.get_size_inches()
    sheet.set_size_inches(wide, high + _room_for(note) - _room_for(sheet.get_supxlabel()))
    return remarked(sheet, note)


def _room_for(note: str) -> float:
    """Height [inch] of a remark."""
    return NOTE + NOTE_LINE * max(0, note.count("\n") - 1) if note else 0.0


def remarked(sheet: Figure, note: str) -> Figure:
    """With small letters at the lower edge, where there is room for them."""
    sheet.supxlabel(note, x=0.008, ha="left", fontsize=8, color=style.NOTE)
    return sheet


# --- series ---


def nearest_row(run: Recording, time: float) -> int:
    return int(np.argmin(np.abs(times(run) - time)))


def reached(run: Recording, instants: Sequence[float]) -> list[float]:
    """Those of some instants [s] that a run has come to."""
    return [t for t in instants if t <= times(run)[-1] + 1e-9]


def centre_velocity(run: Recording) -> FloatArray:
    """Velocity of the centre of mass [m/s], (rows, 2)."""
    mass = np.array([link.mass for link in run.scenario.built_robot().links])
    return np.asarray(np.einsum("l,tla->ta", mass / mass.sum(), recorded(run, "link_velocity")[..., :2]))


def smoothed(values: FloatArray, time: FloatArray, window: float) -> FloatArray:
    """Means over `window` [s] around each row, weighted by a bell; at the ends over what there is of it."""
    period = (time[-1] - time[0]) / max(1, len(time) - 1)
    half = min(round(window / 2 / period), (len(values) - 1) // 2) if period > 0 else 0
    bell = np.hanning(2 * half + 3)[1:-1]
    weight = np.convolve(np.ones(len(values)), bell, mode="same")
    return np.asarray(np.convolve(values, bell, mode="same") / weight)
