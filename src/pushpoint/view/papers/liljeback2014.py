"""Figs. 4 and 6 to 10 of P3: Liljebäck, Pettersen, Stavdahl, Gravdahl, A 3D Motion Planning Framework for Snake Robots.

P3's curves are not digitised: shown are our runs, and what P3 says of its own. Curves and virtual robots are those that
the controller of the run draws (`control/shape_rehearsal`); postures are those of the run. P3's Fig. 5 is a sketch.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import radians
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from pushpoint.analysis._series import recorded, times
from pushpoint.control.shape_rehearsal import cycle_time, rehearsed
from pushpoint.shapes import GaitSegment, ShapeCurve
from pushpoint.view import shapes, style
from pushpoint.view.panels import middle
from pushpoint.view.papers import Published, figures_of
from pushpoint.view.papers._parts import MINUS, OURS, nearest_row, reached, remarked, scenes_in_rows
from pushpoint.view.shapes import Aslant, Stretch, box_around, draw_virtual, marks, room_of, set_frame, under, whole
from pushpoint.view.space import SIDE, TOP, Sight, View, draw_in_space
from pushpoint.view.space_figure import link_marks
from pushpoint.view.space_scene import boxes_of, draw_side, draw_top
from pushpoint.view.surroundings import united

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.control.shape_rehearsal import Rehearsal
    from pushpoint.recording.recording import Recording
    from pushpoint.robots import Robot
    from pushpoint.shapes import Laid
    from pushpoint.types import FloatArray
    from pushpoint.view.surroundings import Box

ASLANT, ALONG = Aslant(), Aslant(azimuth=-75.0, elevation=22.0)
TURN = radians(45.0)  # of the shape frame in Example 5
DRAWN_AT = (5.0, 10.0, 15.0)  # [s], Fig. 6(b)
STAIRS_AT = 7.5  # [s], Fig. 10(b)
SCREENSHOTS = (0.0, 3.0, 6.0, 9.0, 12.0, 15.0)  # [s], of Figs. 7 and 8; ours, P3 does not say
ROLLED = (0.0, 1.5, 3.0, 4.5, 6.0)  # [s], of Fig. 9, ours
ON_STAIRS = (0.0, 9.0, 18.0)  # [s], of Fig. 10, ours
FEW_LINKS = 7  # of Fig. 10(a)
NOT_STEERED = style.drawn_as(color="orange", linestyle="--", zorder=2.5)
NOT_READ = "P3's drawings are not digitised."

figure = figures_of("liljeback2014")


# --- what several figures have ---


def segment_of(run: Recording) -> GaitSegment:
    """The gait segment of a run's controller."""
    return GaitSegment.parse(run.scenario.controller.options["segment"])


def once(run: Recording) -> Stretch:
    """The curve of one cycle alone."""
    return whole(ShapeCurve(segment_of(run).array()))


def segment_box(run: Recording, view: Sight) -> Box:
    """What shows one cycle and its shadow."""
    cycle = once(run)
    return box_around(view, cycle.places, cycle.shadow(cycle.floor))


def box_of_robot(robot: Robot, part: Stretch, laid: Laid, view: Sight) -> Box:
    """What shows a robot and the curve that it lies on."""
    return box_around(view, room_of(robot, laid), part.places)


def draw_curve(axes: Axes, part: Stretch, view: Sight, box: Box, floor: float | None = None) -> None:
    """A curve with its points; over its shadow if a `floor` [m] is given."""
    if floor is not None:
        shapes.draw_shadow(axes, part, view, floor)
    shapes.draw_curve(axes, part, view)
    set_frame(axes, view, box)


def draw_postures(axes: Axes, run: Recording, instants: Sequence[float], view: View, off: tuple[float, float]) -> None:
    """The robot where it was; the time beside its tail, `off` [points] from it."""
    drawn_as: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center", "fontsize": 8}
    for t in reached(run, instants):
        row = nearest_row(run, t)
        draw_in_space(axes, run, row, view)
        axes.annotate(f"{t:g} s", view.flat(recorded(run, "link_position")[row, 0]).tolist(), off, **drawn_as)


def segment_and_robot(panels: Sequence[Axes], run: Recording, motion: Rehearsal, view: Sight) -> None:
    """(a) of several figures: the gait segment, and the robot as it lies on the curve at the start."""
    robot, laid, part, cycle = run.scenario.built_robot(), motion.laid[0], under(motion), once(run)
    floor = min(cycle.floor, part.floor)
    draw_curve(panels[0], cycle, view, segment_box(run, view), floor)
    panels[0].set_title("(a) Gait segment")
    draw_curve(panels[1], part, view, box_of_robot(robot, part, laid, view), floor)
    draw_virtual(panels[1], robot, laid, view)
    panels[1].set_title("and the virtual robot along it")


def middle_path(run: Recording) -> FloatArray:
    return recorded(run, "link_position")[:, middle(run)]


def finished(sheet: Figure, entries: Sequence[Any], note: str) -> Figure:
    """With a legend in one line above all panels, and a remark below them."""
    sheet.legend(handles=entries, ncols=len(entries), loc="upper left", borderaxespad=0.3)
    return remarked(sheet, f"{NOT_READ} {note}")


# --- III: examples ---


@figure("fig4", "Fig. 4: a shape curve, a virtual robot along it, and a gait segment repeated", "examples", "example-5")
def fig4(published: Published, run: Recording, example_5: Recording) -> Figure:
    robot, motion = run.scenario.built_robot(), rehearsed(run.scenario, 0.0)
    curve, laid = whole(motion.curve), motion.laid[0]
    cycle, turned = once(example_5), _turned(segment_of(example_5))
    both = box_around(ASLANT, room_of(robot, laid), curve.shadow(0.0))
    below = [segment_box(example_5, ASLANT), box_around(ASLANT, turned.places)]
    sheet, (upper, lower) = scenes_in_rows([[both, both], below])
    for axes in upper:
        draw_curve(axes, curve, ASLANT, both, floor=0.0)
    shapes.label_points(upper[0], motion.curve, ASLANT)
    upper[0].set_title("(a) Example 1: a curve through four points")
    draw_virtual(upper[1], robot, laid, ASLANT)
    upper[1].set_title("(b) Example 4: six joints along it")
    for axes, shown, box in zip(lower, (cycle, turned), below, strict=True):
        draw_curve(axes, shown, ASLANT, box, shown.floor)
    lower[0].set_title("(c) Example 5: a gait segment")
    lower[1].set_title("four times, the shape frame turned by 45 deg for the last two")
    return finished(
        sheet,
        marks(),
        "Points and look-ahead distance of (a) and (b) are those of P3; P3 gives no numbers for the "
        "segment of (c), here it is that of\nIV-B. Dotted: straight below the curve.",
    )


def _turned(segment: GaitSegment) -> Stretch:
    """Four cycles, the shape frame turned for the last two."""
    straight, further = segment.repeated(2), segment.repeated(2, TURN)
    return whole(ShapeCurve(np.concatenate([straight, straight[-1] - further[0] + further[1:]])))


# --- IV-B: sidewinding ---


@figure("fig6", "Fig. 6: sidewinding, steered by the shape frame", "sidewinding", "sidewinding-straight")
def fig6(published: Published, run: Recording, straight: Recording) -> Figure:
    robot, motion = run.scenario.built_robot(), rehearsed(run.scenario)
    laid = [motion.laid[motion.row(t)] for t in DRAWN_AT]
    developed = Stretch(motion.curve, 0.0, motion.head[-1]).places
    paths = [middle_path(run), middle_path(straight)]
    boxes = [box_around(TOP, developed, *(room_of(robot, one) for one in laid)), box_around(TOP, *paths)]
    first = [segment_box(run, ASLANT), box_of_robot(robot, under(motion), motion.laid[0], ASLANT)]
    sheet, (upper, (left, right)) = scenes_in_rows([first, boxes])
    segment_and_robot(upper, run, motion, ASLANT)
    left.plot(*developed[:, :2].T, **(shapes.CURVE | {"linewidth": 1.0}))
    for t, one in zip(DRAWN_AT, laid, strict=True):
        draw_virtual(left, robot, one, TOP, joint_axes=False)
        left.annotate(f"{t:g} s", one.frame[0, :2, 3].tolist(), (10, 6), textcoords="offset points", fontsize=8)
    set_frame(left, TOP, boxes[0])
    left.set_title("(b) The curve drawn in 15 s, from above")
    for path, drawn_as in zip(paths, (OURS, NOT_STEERED), strict=True):
        right.plot(*path[:, :2].T, **drawn_as)
        right.plot(*path[-1:, :2].T, **(drawn_as | {"marker": "o", "linestyle": "none", "markersize": 6}))
    set_frame(right, TOP, boxes[1])
    right.set_title("(c) The centre link")
    steered = [Line2D([], [], label="steered", **OURS), Line2D([], [], label="not steered", **NOT_STEERED)]
    return finished(
        sheet,
        [*marks(), *steered],
        "P3, IV-B: the shape frame turns at 22.5 deg/s from 5 s to 10 s and steers the robot "
        "counter-clockwise. P3's link 9 is link 8 here.\nFriction and masses, which P3 does not give, decide how far "
        "the robot turns by itself: compare steered with not steered.",
    )


@figure("fig7", "Fig. 7: sidewinding, from above", "sidewinding", "sidewinding-straight")
def fig7(published: Published, *runs: Recording) -> Figure:
    box = united([boxes_of(run).top for run in runs])
    box = box._replace(left=box.left - 0.3)
    sheet, (panels,) = scenes_in_rows([[box, box]], highest=7.0)
    for axes, run, title in zip(panels, runs, ("Steered from 5 s to 10 s", "Not steered"), strict=True):
        draw_top(axes, run, box)
        draw_postures(axes, run, SCREENSHOTS, TOP, (-18, 0))
        axes.set_title(title)
    note = "Its instants are not given; these are ours. Postures are where they were."
    return finished(sheet, link_marks(), note)


# --- IV-C: vertical wave ---


@figure("fig8", "Fig. 8: a vertical wave along the body", "vertical-wave")
def fig8(published: Published, run: Recording) -> Figure:
    motion, boxes = rehearsed(run.scenario, 0.0), boxes_of(run)
    robot, period = run.scenario.built_robot(), cycle_time(run.scenario)
    first = [segment_box(run, ALONG), box_of_robot(robot, under(motion), motion.laid[0], ALONG)]
    begin = min(7.5, times(run)[-1] - period)
    close = [nearest_row(run, begin + k * period / 3) for k in range(3)]
    x = recorded(run, "link_position")[close][..., 0]
    near = boxes.side._replace(left=float(x.min()) - 0.1, right=float(x.max()) + 0.1)
    sheet, (upper, (strip,), lower) = scenes_in_rows([first, [boxes.side], [near] * 3])
    segment_and_robot(upper, run, motion, ALONG)
    draw_side(strip, run, boxes)
    draw_postures(strip, run, SCREENSHOTS, SIDE, (0, 22))
    strip.set_title("(b) From the side, postures where they were")
    for axes, row in zip(lower, close, strict=True):
        draw_side(axes, run, boxes._replace(side=near))
        draw_in_space(axes, run, row, SIDE)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.set_title(f"t = {times(run)[row]:.2f} s")
    x = middle_path(run)[:, 0]
    gone = f"{x[-1] - x[0]:+.1f} m".replace("-", MINUS)
    return finished(
        sheet,
        [*marks(), link_marks()[2]],
        "P3, IV-C: the waves, at 2 m/s along the curve, propel the robot; P3 does not say in which direction. Here "
        f"the centre link goes {gone} in {times(run)[-1]:g} s,\nx being the direction of the head.",
    )


# --- IV-D: rolling ---


@figure("fig9", "Fig. 9: lateral rolling", "rolling")
def fig9(published: Published, run: Recording) -> Figure:
    motion, robot = rehearsed(run.scenario, 0.0), run.scenario.built_robot()
    curve, laid = whole(motion.curve), motion.laid[0]
    rows = [nearest_row(run, t) for t in ROLLED]
    place = recorded(run, "link_position")
    seen = box_around(TOP, place[rows])
    boxes = [box_of_robot(robot, curve, laid, ASLANT), seen]
    sheet, ((left, right),) = scenes_in_rows([boxes])
    draw_curve(left, curve, ASLANT, boxes[0])
    draw_virtual(left, robot, laid, ASLANT)
    shapes.label_points(left, motion.curve, ASLANT)
    left.set_title("(a) The shape curve and the virtual robot")
    draw_top(right, run, seen)
    draw_postures(right, run, ROLLED, TOP, (0, 12))
    right.set_title("(b) Postures, from above")
    gone = place[-1, :, 1].mean() - place[0, :, 1].mean()
    return finished(
        sheet,
        [*marks(), link_marks()[2]],
        f"P3, IV-D: the virtual robot turns about the curve at {MINUS}360 deg/s, and the robot rolls "
        f"sideways. Here it goes {gone:.1f} m along y in {times(run)[-1]:g} s.",
    )


# --- IV-E: stairs ---


@figure("fig10", "Fig. 10: down a staircase", "stairs")
def fig10(published: Published, run: Recording) -> Figure:
    robot, motion, around = run.scenario.built_robot(), rehearsed(run.scenario, STAIRS_AT), boxes_of(run)
    first, last = motion.laid[0], motion.laid[-1]
    segment = ShapeCurve(segment_of(run).array())
    on_curve = whole(ShapeCurve(segment.points + (first.frame[0, :, 3] - segment.points[-1])))  # its last copy
    few = first._replace(frame=first.frame[: FEW_LINKS + 1])
    developed = Stretch(motion.curve, 0.0, shapes.next_point(motion.head[-1]))
    boxes = [
        box_around(SIDE, room_of(robot, few), on_curve.points),
        box_around(SIDE, room_of(robot, last), developed.points),
        around.side,
    ]
    sheet, ((left, centre, right),) = scenes_in_rows([boxes])
    draw_curve(left, on_curve, SIDE, boxes[0])
    draw_virtual(left, robot, first, SIDE, links=FEW_LINKS)
    left.set_title("(a) The gait segment")
    draw_curve(centre, developed, SIDE, boxes[1])
    draw_virtual(centre, robot, last, SIDE)
    centre.set_title(f"(b) The curve at {STAIRS_AT:g} s")
    draw_side(right, run, around)
    draw_postures(right, run, ON_STAIRS, SIDE, (14, 10))
    right.set_title("(c) Postures on the staircase")
    return finished(
        sheet,
        [*marks(), link_marks()[2]],
        "P3, IV-E: the steps are 0.2 m deep and high, and a gait segment that is one of them leads the "
        "robot down.\nPoints, speed and look-ahead are ours.",
    )
