"""Figure of a run in space, and the stage of its animation: a view from above and one from the side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pushpoint.analysis._series import recorded
from pushpoint.view import panels, style
from pushpoint.view.bodies import FORCE_WINDOW, scale_of
from pushpoint.view.faults import SAID, links_in_solids
from pushpoint.view.space import SIDE, TOP, View, draw_in_space, draw_pushes
from pushpoint.view.space_scene import Boxes, boxes_of, contour_levels, draw_side, draw_top, ground_below
from pushpoint.view.space_scene import draw_movable_from_side as draw_movable_beside
from pushpoint.view.surroundings import Movable, draw_movable, movable
from pushpoint.worlds import Heightfield

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.analysis import Curve
    from pushpoint.recording.recording import Recording

# All in inches: the views are to scale and stand above each other, so that every place is known.
WIDTH, LEFT, RIGHT = 10.0, 0.7, 0.25
HEIGHT = 10.0  # of the sheet, at most
BESIDE_WIDTH = 4.9  # of views that have the curves beside them, not below, at most
LEAST_SHARE = 0.72  # of the width: views that would be narrower above the curves have these beside them
HEAD, LINE, LEGEND = 0.42, 0.22, 0.3  # headline, further lines of it, legend
TITLE, AXIS = 0.36, 0.5  # above panels, and below them
PLOT, MAP = 1.3, 1.8  # heights of panels over time
GAP = 0.85  # between panels beside each other
SPAN = 0.005  # [m], least range of coordinates over time
LETTERS, MARK_WIDTH = 14.5, 6  # of legends: that fit into an inch, and those that a mark takes the place of
ENTRY = 0.13  # height of a line of a legend
LOW_SIDE = 0.35  # least height of a side view
BELOW = style.drawn_as(color="orange", linewidth=1.4, zorder=3.5)  # ground below the robot


class Sheet:
    """A figure whose panels are placed in inches from its upper left corner."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.figure = style.sheet(width, height)

    def panel(self, left: float, top: float, width: float, height: float) -> Axes:
        """A panel [inch]; `top` is the distance of its upper edge from that of the sheet."""
        bottom = self.height - top - height
        place = (left / self.width, bottom / self.height, width / self.width, height / self.height)
        return self.figure.add_axes(place)

    def beside(self, count: int, top: float, height: float) -> list[Axes]:
        """Panels beside each other, over the whole width."""
        wide = (self.width - LEFT - RIGHT - (count - 1) * GAP) / count
        return [self.panel(LEFT + k * (wide + GAP), top, wide, height) for k in range(count)]

    def head(self, text: str) -> None:
        """In large letters at the upper edge."""
        drawn_as: dict[str, Any] = {"ha": "left", "va": "top", "fontsize": 12, "fontweight": "bold"}
        self.figure.suptitle(text, x=0.01, y=1 - 0.12 / self.height, **drawn_as)

    def line(self, text: str, top: float) -> None:
        """In small letters, `top` [inch] from the upper edge."""
        self.figure.text(0.01, 1 - top / self.height, text, ha="left", va="top", fontsize=9)

    def legend(self, entries: Sequence[Any], top: float, above: float = 0.0) -> None:
        """In one line or two, `top` [inch] from the upper edge, or a share of the height `above` that."""
        place = (0.0, 1 - top / self.height + above)
        columns = -(-len(entries) // lines_of(entries))
        self.figure.legend(handles=entries, ncols=columns, loc="upper left", bbox_to_anchor=place)


def lines_of(entries: Sequence[Any], wide: float = WIDTH) -> int:
    """How many lines a legend needs that is so wide [inch], with the entries in columns."""
    lengths = [len(entry.get_label()) + MARK_WIDTH for entry in entries]
    for lines in range(1, len(lengths)):
        if sum(max(lengths[k : k + lines]) for k in range(0, len(lengths), lines)) <= LETTERS * wide:
            return lines
    return max(1, len(lengths))


class Views(NamedTuple):
    """Sizes of the two views [inch], and what they show."""

    boxes: Boxes
    width: float
    top: float
    side: float

    @property
    def height(self) -> float:
        return self.top + TITLE + self.side


def views_for(boxes: Boxes, width: float) -> Views:
    """Both views `width` wide."""
    return Views(boxes, width, width * boxes.top.shape, max(LOW_SIDE, width * boxes.side.shape))


def place_views(sheet: Sheet, views: Views, left: float, top: float) -> tuple[Axes, Axes]:
    """Panels for the top view and, below it, the side view."""
    above = sheet.panel(left, top, views.width, views.top)
    return above, sheet.panel(left, top + views.top + TITLE, views.width, views.side)


# --- the figure ---


def space_figure(run: Recording, published: Mapping[str, Curve]) -> Figure:
    """Robot at four instants from above and from the side, the middle link's path, forces and energy over time."""
    with style.styled():
        title, said = panels.headline(run), panels.caption(run)
        below = HEAD + LINE * title.count("\n")
        marks = marks_of(run)
        start = below + LINE * lines_of(marks) + LEGEND + TITLE
        end = MAP + AXIS + ENTRY * (said.count("\n") + 2 if said else 0)  # from the upper edge of the maps on
        views, is_tall = _fitting(boxes_of(run), HEIGHT - start - AXIS - TITLE - end)
        curves = start if is_tall else start + views.height + AXIS + TITLE
        maps = start + views.height + AXIS + TITLE if is_tall else curves + PLOT + AXIS + TITLE
        sheet = Sheet(WIDTH, maps + end)
        _draw_views(sheet, run, views, start)
        for axes, axis in zip(_curves(sheet, views, curves, is_tall), "xyz", strict=True):
            panels.draw_coordinate(axes, run, axis, published)
            panels.show_at_least(axes, SPAN)
            if is_tall and axis != "z":
                axes.set_xlabel("")
        _draw_maps(sheet, run, maps)
        sheet.head(title)
        sheet.line(f"Robot at {panels.times_shown(run)}", below)
        panels.draw_caption(sheet.figure, said, bottom=0.05 / sheet.height)
        sheet.legend(marks, below + LINE, above=0.004)
        return sheet.figure


def _fitting(boxes: Boxes, height: float) -> tuple[Views, bool]:
    """The views if so much height is left for them and, unless they are tall, for the curves; whether they are tall."""
    full, shape = WIDTH - LEFT - RIGHT, boxes.top.shape + boxes.side.shape
    wide = min(full, (height - PLOT - AXIS - TITLE - TITLE) / shape)
    if wide >= LEAST_SHARE * full:
        return views_for(boxes, wide), False
    highest = height - TITLE - max(LOW_SIDE, BESIDE_WIDTH * boxes.side.shape)
    if highest < BESIDE_WIDTH * boxes.top.shape:  # then both are to be narrower
        return views_for(boxes, min(BESIDE_WIDTH, (height - TITLE - LOW_SIDE) / shape)), True
    return views_for(boxes, BESIDE_WIDTH), True


def _curves(sheet: Sheet, views: Views, top: float, is_tall: bool) -> list[Axes]:
    """Three panels: beside tall views, or beside each other."""
    if is_tall:
        left, between = LEFT + views.width + GAP, TITLE + 0.1
        high = (views.height - 2 * between) / 3
        found = [sheet.panel(left, top + k * (high + between), WIDTH - RIGHT - left, high) for k in range(3)]
        for axes in found[:-1]:
            axes.tick_params(labelbottom=False)
        return found
    return sheet.beside(3, top, PLOT)


def _draw_maps(sheet: Sheet, run: Recording, top: float) -> None:
    touched = bool(np.any(run.data["contact_force"].values))
    left, *centre, right = sheet.beside(2 + touched, top, MAP)
    panels.draw_forces(left, run, "ground_force", "Force of the ground on each link")
    for axes in centre:
        panels.draw_forces(axes, run, "contact_force", "Force of obstacles on each link")
    _draw_energy(right, run, columns=1 if touched else 2)


def _draw_energy(axes: Axes, run: Recording, columns: int) -> None:
    """With room for the legend above the curves."""
    panels.draw_energy(axes, run)
    axes.set_title("Work since the start")
    lines = -(-len(axes.lines) // columns)
    low, high = axes.get_ylim()
    axes.set_ylim(low, low + (high - low) * MAP / (MAP - ENTRY * (lines + 0.5)))
    axes.legend(loc="upper left", ncols=columns, fontsize=7, labelspacing=0.25, borderaxespad=0.1)


def _draw_views(sheet: Sheet, run: Recording, views: Views, top: float) -> None:
    above, beside = place_views(sheet, views, LEFT, top)
    draw_scenes(above, beside, run, views.boxes)
    rows, discs = panels.rows_shown(run), movable(run)
    for row, strength in zip(rows, panels.STRENGTHS, strict=True):
        draw_instant(above, beside, run, discs, row, strength)
    draw_trails(above, beside, run, rows[-1])
    above.set_title("From above")


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
    pushed = (draw_movable(above, discs, row, strength), draw_movable_beside(beside, run, discs, row, strength))
    drawn: list[Artist] = [patches for patches in pushed if patches is not None]
    for axes, view in ((above, TOP), (beside, SIDE)):
        drawn += draw_in_space(axes, run, row, view, strength)
    return drawn


def draw_trails(above: Axes, beside: Axes, run: Recording, row: int) -> list[Artist]:
    """Up to one row: the middle link's path; at this row the forces of obstacles, and the ground below the robot."""
    path = recorded(run, "link_position")[: row + 1, panels.middle(run)]
    drawn: list[Artist] = []
    view: View
    for axes, view in ((above, TOP), (beside, SIDE)):
        drawn += axes.plot(*view.flat(path).T, **style.TRAIL)
        forces = draw_pushes(axes, run, row, view)
        drawn += [] if forces is None else [forces]
    below = ground_below(run, row)
    return drawn if below is None else [*drawn, *beside.plot(*below.T, **BELOW)]


def link_marks() -> list[Patch]:
    """Entries of a legend: links of a run."""
    colours = {"link": style.BODY, "head": style.HEAD, "darker: presses on the ground": style.BODY_DOWN}
    return [Patch(facecolor=colour, label=label) for label, colour in colours.items()]


def marks_of(run: Recording) -> list[Any]:
    """Entries of the legend."""
    world = run.scenario.built_world()
    marks: list[Any] = [*link_marks(), Line2D([], [], label="path of the middle link", **style.TRAIL)]
    if world.obstacles:
        scale = scale_of(run, panels.rows_shown(run)[-1], 3)
        marks.append(Line2D([], [], label=f"force of obstacles, mean of {FORCE_WINDOW:g} s: {scale}", **style.ARROW))
    if isinstance(world.terrain, Heightfield):
        levels = contour_levels(world.terrain)
        marks.append(Line2D([], [], color=style.PEG_EDGE, linewidth=0.8, label=f"every {levels[0]:.2g} m of height"))
        marks.append(Line2D([], [], label="ground below the robot", **BELOW))
    if any(len(links_in_solids(run, row)) for row in panels.rows_shown(run)):
        marks.append(Line2D([], [], label=SAID, **style.FAULT_MARK))
    return marks
