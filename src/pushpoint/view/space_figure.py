"""Figure of a run in space, and the stage of its animation: a view from above and one from the side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pushpoint.view import style
from pushpoint.view.bodies import FORCE_WINDOW
from pushpoint.view.panels import (
    INSTANTS,
    STRENGTHS,
    caption,
    draw_caption,
    draw_coordinate,
    draw_energy,
    draw_forces,
    headline,
    middle,
)
from pushpoint.view.scene import Movable, draw_movable, movable
from pushpoint.view.space import SIDE, TOP, View, draw_in_space, draw_pushes
from pushpoint.view.space_scene import (
    Boxes,
    boxes_of,
    contour_levels,
    draw_movable_from_side,
    draw_side,
    draw_top,
    ground_below,
)
from pushpoint.worlds import Heightfield

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from pushpoint.analysis import Curve
    from pushpoint.recording.recording import Recording

# All in inches: the views are to scale and stand above each other, so that every place is known.
WIDTH, LEFT, RIGHT = 10.0, 0.7, 0.25
TALL = 0.6  # height over width: top views that are taller have the curves beside them, not below
TALL_WIDTH, TALLEST = 4.9, 5.2  # of the views then
HIGHEST = 4.4  # of top views that are not
HEAD, LINE, LEGEND = 0.42, 0.22, 0.3  # headline, further lines of it, legend
TITLE, AXIS = 0.36, 0.5  # above panels, and below them
PLOT, MAP = 1.7, 2.1  # heights of panels over time
GAP = 0.85  # between panels beside each other
SPAN = 0.005  # [m], least range of coordinates over time
ENTRY = 0.13  # height of a line of a legend
LOW_SIDE = 0.35  # least height of a side view
TRAIL: dict[str, Any] = {"color": style.PATH, "linewidth": 1.2, "linestyle": style.DOTS, "zorder": 4}
BELOW: dict[str, Any] = {"color": style.ORANGE, "linewidth": 1.4, "zorder": 3.5}  # ground below the robot


class Sheet:
    """A figure whose panels are placed in inches from its upper left corner."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.figure = Figure(figsize=(width, height))
        FigureCanvasAgg(self.figure)

    def panel(self, left: float, top: float, width: float, height: float) -> Axes:
        """A panel [inch]; `top` is the way down to its upper edge."""
        bottom = self.height - top - height
        place = (left / self.width, bottom / self.height, width / self.width, height / self.height)
        return self.figure.add_axes(place)


class Views(NamedTuple):
    """Sizes of the two views [inch], and what they show."""

    boxes: Boxes
    width: float
    top: float
    side: float

    @property
    def height(self) -> float:
        return self.top + TITLE + self.side


def views_for(boxes: Boxes, width: float, highest: float) -> Views:
    """Both views `width` wide; what is too tall for `highest` is widened."""
    boxes = boxes.widened(highest / width)
    return Views(boxes, width, width * boxes.top.shape, max(LOW_SIDE, width * boxes.side.shape))


def place_views(sheet: Sheet, views: Views, left: float, top: float) -> tuple[Axes, Axes]:
    """Panels for the top view and, below it, the side view."""
    above = sheet.panel(left, top, views.width, views.top)
    return above, sheet.panel(left, top + views.top + TITLE, views.width, views.side)


# --- the figure ---


def space_figure(run: Recording, published: Mapping[str, Curve]) -> Figure:
    """Robot at four instants from above and from the side, the middle link's way, forces and energy over time."""
    with style.styled():
        boxes, lines = boxes_of(run), headline(run).count("\n")
        start = HEAD + LINE * lines + LEGEND + TITLE
        is_tall = boxes.top.shape > TALL
        wide = min(TALL_WIDTH, TALLEST / boxes.top.shape) if is_tall else WIDTH - LEFT - RIGHT
        views = views_for(boxes, wide, TALLEST if is_tall else HIGHEST)
        curves = start if is_tall else start + views.height + AXIS + TITLE
        maps = start + views.height + AXIS + TITLE if is_tall else curves + PLOT + AXIS + TITLE
        said = caption(run)
        sheet = Sheet(WIDTH, maps + MAP + AXIS + ENTRY * (said.count("\n") + 2 if said else 0))
        _draw_views(sheet, run, views, start)
        for axes, axis in zip(_curves(sheet, views, curves, is_tall), "xyz", strict=True):
            draw_coordinate(axes, run, axis, published)
            _keep_calm(axes)
            if is_tall and axis != "z":
                axes.set_xlabel("")
        _draw_maps(sheet, run, maps)
        sheet.figure.suptitle(
            headline(run), x=0.01, y=1 - 0.12 / sheet.height, ha="left", va="top", fontsize=12, fontweight="bold"
        )
        draw_caption(sheet.figure, said, bottom=0.05 / sheet.height)
        high = 1 - (HEAD + LINE * lines) / sheet.height
        marks = marks_of(run)
        sheet.figure.legend(handles=marks, ncols=len(marks), loc="upper left", bbox_to_anchor=(0.0, high + 0.004))
        return sheet.figure


def _curves(sheet: Sheet, views: Views, top: float, is_tall: bool) -> list[Axes]:
    """Three panels: beside tall views, or beside each other."""
    if is_tall:
        left, between = LEFT + views.width + GAP, TITLE + 0.1
        high = (views.height - 2 * between) / 3
        panels = [sheet.panel(left, top + k * (high + between), WIDTH - RIGHT - left, high) for k in range(3)]
        for axes in panels[:-1]:
            axes.tick_params(labelbottom=False)
        return panels
    return _beside(sheet, 3, top, PLOT)


def _keep_calm(axes: Axes) -> None:
    """Coordinates that hardly change shall look so: at least SPAN is shown."""
    low, high = axes.get_ylim()
    if high - low < SPAN:
        axes.set_ylim((low + high - SPAN) / 2, (low + high + SPAN) / 2)


def _beside(sheet: Sheet, count: int, top: float, height: float) -> list[Axes]:
    wide = (WIDTH - LEFT - RIGHT - (count - 1) * GAP) / count
    return [sheet.panel(LEFT + k * (wide + GAP), top, wide, height) for k in range(count)]


def _draw_maps(sheet: Sheet, run: Recording, top: float) -> None:
    touched = bool(np.any(run.data["contact_force"].values))
    panels = _beside(sheet, 2 + touched, top, MAP)
    draw_forces(panels[0], run, "ground_force", "Force of the ground on each link")
    if touched:
        draw_forces(panels[1], run, "contact_force", "Force of obstacles on each link")
    _draw_energy(panels[-1], run, columns=1 if touched else 2)


def _draw_energy(axes: Axes, run: Recording, columns: int) -> None:
    """With room for the legend above the curves."""
    draw_energy(axes, run)
    axes.set_title("Work since the start")
    lines = -(-len(axes.lines) // columns)
    low, high = axes.get_ylim()
    axes.set_ylim(low, low + (high - low) * MAP / (MAP - ENTRY * (lines + 0.5)))
    axes.legend(loc="upper left", ncols=columns, fontsize=7, labelspacing=0.25, borderaxespad=0.1)


def _draw_views(sheet: Sheet, run: Recording, views: Views, top: float) -> None:
    above, beside = place_views(sheet, views, LEFT, top)
    draw_scenes(above, beside, run, views.boxes)
    rows = [round(share * (run.data.sizes["time"] - 1)) for share in INSTANTS]
    discs = movable(run)
    for row, strength in zip(rows, STRENGTHS, strict=True):
        draw_instant(above, beside, run, discs, row, strength)
    draw_trails(above, beside, run, rows[-1])
    times = ", ".join(f"{t:.1f}" for t in run.data["time"].values[rows])
    above.set_title(f"From above, t = {times} s, light to dark")


def draw_scenes(above: Axes, beside: Axes, run: Recording, boxes: Boxes) -> None:
    """What does not move, in both views."""
    draw_top(above, run, boxes.top)
    draw_side(beside, run, boxes)
    above.set_xlabel("")
    above.tick_params(labelbottom=False)
    beside.set_title("From the side")


def draw_instant(
    above: Axes, beside: Axes, run: Recording, discs: Movable, row: int, strength: float = 1.0
) -> list[Artist]:
    """Robot and movable discs at one row, in both views."""
    things = [
        draw_movable(above, discs, row, strength),
        draw_movable_from_side(beside, run, discs, row, strength),
    ]
    drawn: list[Artist] = [thing for thing in things if thing is not None]
    for axes, view in ((above, TOP), (beside, SIDE)):
        drawn += draw_in_space(axes, run, row, view, strength)
    return drawn


def draw_trails(above: Axes, beside: Axes, run: Recording, row: int) -> list[Artist]:
    """Up to one row: the middle link's way; at this row the forces of obstacles, and the ground below the robot."""
    path = np.asarray(run.data["link_position"].values, dtype=float)[: row + 1, middle(run)]
    drawn: list[Artist] = []
    view: View
    for axes, view in ((above, TOP), (beside, SIDE)):
        drawn += axes.plot(*view.flat(path).T, **TRAIL)
        forces = draw_pushes(axes, run, row, view)
        drawn += [] if forces is None else [forces]
    below = ground_below(run, row)
    return drawn if below is None else [*drawn, *beside.plot(*below.T, **BELOW)]


def marks_of(run: Recording) -> list[Any]:
    """Entries of the legend."""
    world = run.scenario.built_world()
    marks: list[Any] = [
        Patch(facecolor=style.BODY, label="link"),
        Patch(facecolor=style.HEAD, label="head"),
        Patch(facecolor=style.BODY_DOWN, label="darker: presses on the ground"),
        Line2D([], [], label="path of the middle link", **TRAIL),
    ]
    if world.obstacles:
        arrow: dict[str, Any] = {"marker": r"$\rightarrow$", "markersize": 12, "linestyle": "none"}
        marks.append(
            Line2D([], [], color=style.FORCE, label=f"force of obstacles, mean of {FORCE_WINDOW:g} s", **arrow)
        )
    if isinstance(world.terrain, Heightfield):
        levels = contour_levels(world.terrain)
        marks.append(Line2D([], [], color=style.PEG_EDGE, linewidth=0.8, label=f"every {levels[0]:.2g} m of height"))
        marks.append(Line2D([], [], label="ground below the robot", **BELOW))
    return marks
