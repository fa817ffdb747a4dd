"""What a shape follower asks of its robot, on one sheet: curve, virtual robot along it, joint references of a cycle."""

from __future__ import annotations

from collections.abc import Sequence
from math import degrees
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pushpoint.shapes import GaitSegment, ShapeCurve
from pushpoint.view import shapes, style
from pushpoint.view.panels import show_at_least
from pushpoint.view.shapes import Aslant, Stretch, box_around
from pushpoint.view.space import SIDE, TOP, Sight
from pushpoint.view.space_figure import AXIS, GAP, HEAD, LEFT, LEGEND, LINE, RIGHT, TITLE, WIDTH, Sheet
from pushpoint.view.surroundings import Box

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.control.shape_rehearsal import Demands, Rehearsal
    from pushpoint.robots import Robot
    from pushpoint.scenario import Scenario

PLOT = 2.3  # [inch], high: joint references
HIGHEST = 3.2  # [inch], of views
ASLANT = Aslant()
SPAN = 10.0  # [deg], least range of joint angles
LIMIT = style.drawn_as(color="force", linewidth=1.0, linestyle="--", zorder=2)


class Panel(NamedTuple):
    """One view of a curve, with the robot or without."""

    title: str
    part: Stretch
    view: Sight
    box: Box
    with_robot: bool


def shape_sheet(scenario: Scenario, motion: Rehearsal, asked: Demands) -> Figure:
    """Of a scenario whose controller follows a shape curve: a rehearsed cycle, and what that asks for."""
    with style.styled():
        robot, rows = scenario.built_robot(), _views(scenario, motion)
        widths = [_equally_high(rows[0]), _equally_wide(rows[1])]
        heights = [
            max(w * panel.box.shape for panel, w in zip(*pair, strict=True)) for pair in zip(rows, widths, strict=True)
        ]
        top = HEAD + LINE + LEGEND
        sheet = Sheet(WIDTH, top + sum(heights) + (TITLE + AXIS) * (len(rows) + 1) + PLOT)
        for row, wide, height in zip(rows, widths, heights, strict=True):
            left, top = LEFT, top + TITLE
            for panel, width in zip(row, wide, strict=True):
                _draw_view(sheet.panel(left, top, width, width * panel.box.shape), panel, robot, motion)
                left += width + GAP
            top += height + AXIS
        _draw_references(sheet, top + TITLE, robot, motion)
        _head(sheet, scenario, asked)
        return sheet.figure


def _head(sheet: Sheet, scenario: Scenario, asked: Demands) -> None:
    sheet.head(scenario.title or scenario.name)
    largest = [
        f"joints up to {1e3 * asked.off_curve:.0f} mm off the curve",
        f"angles up to {degrees(asked.angle):.0f} deg",
    ]
    if asked.distance > 0.0:
        largest.insert(0, f"{asked.distance:.2f} m of curve in {asked.time:.2f} s")
    if asked.time > 0.0:
        largest.append(f"rates up to {degrees(asked.rate):.0f} deg/s")
    shown = "One cycle: " if asked.whole_cycle else f"The first {asked.time:.3g} s, less than a cycle: "
    sheet.figure.text(
        0.01, 1 - HEAD / sheet.height, shown * (asked.time > 0.0) + ", ".join(largest), ha="left", va="top"
    )
    sheet.legend(shapes.marks(), HEAD + LINE)


# --- views ---


def _views(scenario: Scenario, motion: Rehearsal) -> list[list[Panel]]:
    """Aslant the segment, if there is one, and the robot; below, the robot from above and from the side."""
    part, rooms = shapes.under(motion), shapes.room_of(scenario.built_robot(), motion.laid[0])
    seen = box_around(ASLANT, rooms, part.places, part.shadow(part.floor))
    aslant = [Panel("The virtual robot along the curve, at the start", part, ASLANT, seen, True)]
    options = scenario.controller.options
    if options.get("segment") is not None:
        points = GaitSegment.parse(options["segment"]).array()
        cycle = shapes.whole(ShapeCurve(points, options.get("interpolation", "pchip")))
        box = box_around(ASLANT, cycle.places, cycle.shadow(cycle.floor))
        aslant.insert(0, Panel("Gait segment", cycle, ASLANT, box, False))
    above, beside = (box_around(view, rooms, part.places) for view in (TOP, SIDE))
    left, right = min(above.left, beside.left), max(above.right, beside.right)
    flat = [
        Panel(title, part, view, box._replace(left=left, right=right), True)
        for title, view, box in (("From above", TOP, above), ("From the side", SIDE, beside))
    ]
    return [aslant, flat]


def _equally_high(row: Sequence[Panel]) -> list[float]:
    """Widths of views to scale that fill the sheet's width [inch]."""
    height = min(HIGHEST, _free(row) / sum(1.0 / panel.box.shape for panel in row))
    return [height / panel.box.shape for panel in row]


def _equally_wide(row: Sequence[Panel]) -> list[float]:
    """Widths of views to scale with the same x axis [inch]."""
    return [min(_free(row) / len(row), HIGHEST / max(panel.box.shape for panel in row))] * len(row)


def _free(row: Sequence[Panel]) -> float:
    return WIDTH - LEFT - RIGHT - GAP * (len(row) - 1)


def _draw_view(axes: Axes, panel: Panel, robot: Robot, motion: Rehearsal) -> None:
    if panel.view is ASLANT:
        shapes.draw_shadow(axes, panel.part, panel.view, panel.part.floor)
    shapes.draw_curve(axes, panel.part, panel.view)
    if panel.with_robot:
        shapes.draw_virtual(axes, robot, motion.laid[0], panel.view)
    shapes.set_frame(axes, panel.view, panel.box)
    axes.set_title(panel.title)


# --- joint references ---


def _draw_references(sheet: Sheet, top: float, robot: Robot, motion: Rehearsal) -> None:
    """One panel for yaw axes and one for pitch axes, as far as the robot has them."""
    kinds = [axis for axis in ("yaw", "pitch") if any(kind == axis for _, kind in robot.freedoms)]
    for axes, kind in zip(sheet.beside(len(kinds), top, PLOT), kinds, strict=True):
        chosen = [j for j, (_, axis) in enumerate(robot.freedoms) if axis == kind]
        _draw_angles(axes, motion, chosen)
        show_at_least(axes, SPAN)
        _draw_limits(axes, robot, chosen)
        axes.set(ylabel="joint angle [deg]")
        axes.set_title(f"{kind.capitalize()} joints, from the tail (green) to the head (dark)")


def _draw_angles(axes: Axes, motion: Rehearsal, joints: Sequence[int]) -> None:
    """Over the path of the head in the cycle, or over time if it rests; bars if nothing moves."""
    angles, last = np.degrees(motion.reference), max(1, motion.reference.shape[1] - 1)
    from_tail = style.from_tail()
    if len(motion.time) == 1:
        axes.bar(list(joints), angles[0, joints], color=[from_tail(j / last) for j in joints], zorder=3)
        axes.set(xlabel="joint, from the tail", xticks=list(joints))
        return
    if motion.head[-1] == motion.head[0]:
        label, over = "time [s]", motion.time
    else:
        label = "path of the head along the curve [m]"
        over = np.array([motion.curve.length(motion.head[0], head) for head in motion.head])
    for j in joints:
        axes.plot(over, angles[:, j], color=from_tail(j / last), linewidth=1.2, zorder=3)
    axes.set(xlabel=label, xlim=(over[0], over[-1]))


def _draw_limits(axes: Axes, robot: Robot, joints: Sequence[int]) -> None:
    """Dashed, those of joint angles that are near what is shown."""
    low, high = axes.get_ylim()
    room = 0.5 * (high - low)
    ends = {end for j in joints for joint in [robot.joint(robot.freedoms[j][0])] for end in (joint.lower, joint.upper)}
    for end in sorted(ends):
        if low - room < degrees(end) < high + room:
            axes.axhline(degrees(end), **LIMIT)
            axes.annotate("limit", (1.0, degrees(end)), (-3, 3), xycoords=("axes fraction", "data"),
                          textcoords="offset points", ha="right", fontsize=7, color=style.FORCE)  # fmt: skip
