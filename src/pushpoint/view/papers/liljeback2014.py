"""Figs. 4 and 6 to 10 of P3: Liljebäck, Pettersen, Stavdahl, Gravdahl, A 3D Motion Planning Framework for Snake Robots.

P3's curves are not digitised: shown are our runs, and what P3 says of its own. Curves and virtual robots are those that
the controller of the run draws (`control/shape_rehearsal`); postures are those of the run. P3's Fig. 5 is a sketch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import radians
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from pushpoint.control.shape_rehearsal import Rehearsal, cycle_time, rehearsed
from pushpoint.shapes import GaitSegment, ShapeCurve
from pushpoint.view import style
from pushpoint.view.panels import middle
from pushpoint.view.papers import Drawing, PaperFigure, Published, Runs, paper_figures
from pushpoint.view.papers._parts import nearest_row, remark, scenes_in_rows, times
from pushpoint.view.scene import Box, united
from pushpoint.view.shapes import (
    CURVE,
    Aslant,
    box_around,
    draw_curve,
    draw_shadow,
    draw_virtual,
    label_points,
    marks,
    room_of,
    sampled,
    set_frame,
    with_shadow,
)
from pushpoint.view.space import SIDE, TOP, Sight, View, draw_in_space
from pushpoint.view.space_scene import boxes_of, draw_side, draw_top

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording
    from pushpoint.robots import Robot
    from pushpoint.shapes import Laid
    from pushpoint.types import FloatArray

KEY = "liljeback2014"
EXAMPLES, EXAMPLE_5, SIDEWINDING, STRAIGHT, VERTICAL, ROLLING, STAIRS = (
    f"{KEY}/{slug}"
    for slug in (
        "examples",
        "example-5",
        "sidewinding",
        "sidewinding-straight",
        "vertical-wave",
        "rolling",
        "stairs",
    )
)
ASLANT, ALONG = Aslant(), Aslant(azimuth=-75.0, elevation=22.0)
TURN = radians(45.0)  # of the shape frame in Example 5
DRAWN_AT = (5.0, 10.0, 15.0)  # [s], Fig. 6(b)
STAIRS_AT = 7.5  # [s], Fig. 10(b)
SCREENSHOTS = (0.0, 3.0, 6.0, 9.0, 12.0, 15.0)  # [s], of Figs. 7 and 8; ours, P3 does not say
ROLLED = (0.0, 1.5, 3.0, 4.5, 6.0)  # [s], of Fig. 9, ours
ON_STAIRS = (0.0, 9.0, 18.0)  # [s], of Fig. 10, ours
FEW_LINKS = 7  # of Fig. 10(a)
PATH: dict[str, Any] = {"color": style.BLUE, "zorder": 3}
OTHER_PATH: dict[str, Any] = {"color": style.ORANGE, "linestyle": "--", "zorder": 2.5}
NOT_READ = "P3's drawings are not digitised."


def figure(slug: str, title: str, *scenarios: str) -> Callable[[Drawing], Drawing]:
    """Decorator: register the function that draws one figure."""

    def add(draw: Drawing) -> Drawing:
        paper_figures.add(f"{KEY}/{slug}", PaperFigure(title, scenarios, draw))
        return draw

    return add


# --- parts ---


def segment_of(run: Recording) -> GaitSegment:
    return GaitSegment.parse(run.scenario.controller.options["segment"])


def _box_of_laid(robot: Robot, curve: ShapeCurve, laid: Laid, view: Sight) -> Box:
    return box_around(view, room_of(robot, laid), curve.points)


def _draw_scene(axes: Axes, curve: ShapeCurve, view: Sight, box: Box, floor: float | None = None) -> None:
    """A curve with its points; over its shadow if a `floor` [m] is given."""
    if floor is not None:
        draw_shadow(axes, curve, view, floor)
    draw_curve(axes, curve, view)
    set_frame(axes, view, box)


def _under(motion: Rehearsal) -> ShapeCurve:
    """The part of the curve on which the robot lies at the start, from control point to control point."""
    first, last = max(0, int(motion.laid[0].aim.min())), int(np.ceil(motion.head[0]))
    return ShapeCurve(motion.curve.points[first : last + 1])


def _pose_marks() -> list[Patch]:
    return [
        Patch(facecolor=style.BODY, label="link"),
        Patch(facecolor=style.HEAD, label="head"),
        Patch(facecolor=style.BODY_DOWN, label="darker: presses on the ground"),
    ]


def _legend(sheet: Figure, entries: Sequence[Any]) -> None:
    sheet.legend(handles=entries, ncols=len(entries), loc="upper left", borderaxespad=0.3)


def _draw_postures(axes: Axes, run: Recording, instants: Sequence[float], view: View, off: tuple[float, float]) -> None:
    """The robot where it was; the time beside its tail, `off` [points] from it."""
    for t in [t for t in instants if t <= times(run)[-1] + 1e-9]:
        row = nearest_row(run, t)
        draw_in_space(axes, run, row, view)
        tail = np.asarray(run.data["link_position"].values, dtype=float)[row, 0]
        axes.annotate(
            f"{t:g} s", view.flat(tail).tolist(), off, textcoords="offset points", ha="center", va="center", fontsize=8
        )


def _segment_and_robot(panels: Sequence[Axes], run: Recording, motion: Rehearsal, view: Sight) -> None:
    """(a) of several figures: the gait segment, and the robot as it lies on the curve at the start."""
    robot, laid, curve = run.scenario.built_robot(), motion.laid[0], _under(motion)
    segment = ShapeCurve(segment_of(run).array())
    floor = float(min(segment.points[:, 2].min(), laid.frame[:, 2, 3].min()))
    _draw_scene(panels[0], segment, view, _segment_box(run, view), floor)
    panels[0].set_title("(a) Gait segment")
    _draw_scene(panels[1], curve, view, _box_of_laid(robot, curve, laid, view), floor)
    draw_virtual(panels[1], robot, laid, view)
    panels[1].set_title("and the virtual robot along it")


def _segment_box(run: Recording, view: Sight) -> Box:
    return box_around(view, sampled(ShapeCurve(segment_of(run).array())))


# --- III: examples ---


@figure("fig4", "Fig. 4: a shape curve, a virtual robot along it, and a gait segment repeated", EXAMPLES, EXAMPLE_5)
def fig4(runs: Runs, published: Published) -> Figure:
    run = runs[EXAMPLES]
    robot, motion = run.scenario.built_robot(), rehearsed(run.scenario, 0.0)
    curve, laid = motion.curve, motion.laid[0]
    segment = segment_of(runs[EXAMPLE_5])
    straight = segment.repeated(2)
    turned = straight[-1] + segment.repeated(2, TURN)[1:]
    turned_curve = ShapeCurve(np.concatenate([straight, turned]))
    both = box_around(ASLANT, room_of(robot, laid), with_shadow(curve, 0.0))
    below = [_segment_box(runs[EXAMPLE_5], ASLANT), box_around(ASLANT, turned_curve.points)]
    sheet, (upper, lower) = scenes_in_rows([[both, both], below])
    for axes in upper:
        _draw_scene(axes, curve, ASLANT, both, floor=0.0)
    label_points(upper[0], curve, ASLANT)
    upper[0].set_title("(a) Example 1: a curve through four points")
    draw_virtual(upper[1], robot, laid, ASLANT)
    upper[1].set_title("(b) Example 4: six joints along it")
    for axes, shown, box in zip(lower, (ShapeCurve(segment.array()), turned_curve), below, strict=True):
        _draw_scene(axes, shown, ASLANT, box, floor=float(shown.points[:, 2].min()))
    lower[0].set_title("(c) Example 5: a gait segment")
    lower[1].set_title("four times, the shape frame turned by 45 deg for the last two")
    _legend(sheet, marks())
    remark(
        sheet,
        f"{NOT_READ} Points and look-ahead distance of (a) and (b) are those of P3; P3 gives no numbers for the "
        "segment of (c), here it is that of\nIV-B. Dotted: straight below the curve.",
    )
    return sheet


# --- IV-B: sidewinding ---


@figure("fig6", "Fig. 6: sidewinding, steered by the shape frame", SIDEWINDING, STRAIGHT)
def fig6(runs: Runs, published: Published) -> Figure:
    run, motion = runs[SIDEWINDING], rehearsed(runs[SIDEWINDING].scenario)
    robot, laid = run.scenario.built_robot(), [motion.laid[motion.row(t)] for t in DRAWN_AT]
    developed = sampled(motion.curve, 0.0, motion.head[-1])
    paths = [_middle_path(runs[name]) for name in (SIDEWINDING, STRAIGHT)]
    boxes = [box_around(TOP, developed, *(room_of(robot, one) for one in laid)), box_around(TOP, *paths)]
    first = [_segment_box(run, ASLANT), _box_of_laid(robot, _under(motion), motion.laid[0], ASLANT)]
    sheet, (upper, (left, right)) = scenes_in_rows([first, boxes])
    _segment_and_robot(upper, run, motion, ASLANT)
    left.plot(*developed[:, :2].T, **(CURVE | {"linewidth": 1.0}))
    for t, one in zip(DRAWN_AT, laid, strict=True):
        draw_virtual(left, robot, one, TOP, joint_axes=False)
        left.annotate(f"{t:g} s", one.frame[0, :2, 3].tolist(), (10, 6), textcoords="offset points", fontsize=8)
    set_frame(left, TOP, boxes[0])
    left.set_title("(b) The curve drawn in 15 s, from above")
    for path, look in zip(paths, (PATH, OTHER_PATH), strict=True):
        right.plot(*path[:, :2].T, **look)
        right.plot(*path[-1:, :2].T, **(look | {"marker": "o", "linestyle": "none", "markersize": 6}))
    set_frame(right, TOP, boxes[1])
    right.set_title("(c) Path of the centre link")
    _legend(
        sheet,
        [*marks(), Line2D([], [], label="steered", **PATH), Line2D([], [], label="not steered", **OTHER_PATH)],
    )
    remark(
        sheet,
        f"{NOT_READ} P3, IV-B: the shape frame turns at 22.5 deg/s from 5 s to 10 s and steers the robot "
        "counter-clockwise. P3's link 9 is link 8 here.\nFriction and masses, which P3 does not give, decide how far "
        "the robot turns by itself: compare steered with not steered.",
    )
    return sheet


def _middle_path(run: Recording) -> FloatArray:
    return np.asarray(run.data["link_position"].values, dtype=float)[:, middle(run)]


@figure("fig7", "Fig. 7: sidewinding, from above", SIDEWINDING, STRAIGHT)
def fig7(runs: Runs, published: Published) -> Figure:
    pair = [runs[SIDEWINDING], runs[STRAIGHT]]
    box = united([boxes_of(run).top for run in pair])
    box = box._replace(left=box.left - 0.3)
    sheet, (panels,) = scenes_in_rows([[box, box]], highest=7.0)
    for axes, run, title in zip(panels, pair, ("Steered from 5 s to 10 s", "Not steered"), strict=True):
        draw_top(axes, run, box)
        _draw_postures(axes, run, SCREENSHOTS, TOP, (-18, 0))
        axes.set_title(title)
    _legend(sheet, _pose_marks())
    remark(sheet, f"{NOT_READ} Its instants are not given; these are ours. Postures are where they were.")
    return sheet


# --- IV-C: vertical wave ---


@figure("fig8", "Fig. 8: a vertical wave along the body", VERTICAL)
def fig8(runs: Runs, published: Published) -> Figure:
    run = runs[VERTICAL]
    motion, whole = rehearsed(run.scenario, 0.0), boxes_of(run)
    robot, period = run.scenario.built_robot(), cycle_time(run.scenario)
    first = [_segment_box(run, ALONG), _box_of_laid(robot, _under(motion), motion.laid[0], ALONG)]
    begin = min(7.5, times(run)[-1] - period)
    close = [nearest_row(run, begin + k * period / 3) for k in range(3)]
    x = np.asarray(run.data["link_position"].values, dtype=float)[close][..., 0]
    near = whole.side._replace(left=float(x.min()) - 0.1, right=float(x.max()) + 0.1)
    sheet, (upper, (strip,), lower) = scenes_in_rows([first, [whole.side], [near] * 3])
    _segment_and_robot(upper, run, motion, ALONG)
    draw_side(strip, run, whole)
    _draw_postures(strip, run, SCREENSHOTS, SIDE, (0, 22))
    strip.set_title("(b) From the side, postures where they were")
    for axes, row in zip(lower, close, strict=True):
        draw_side(axes, run, whole._replace(side=near))
        draw_in_space(axes, run, row, SIDE)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.set_title(f"t = {times(run)[row]:.2f} s")
    _legend(sheet, [*marks(), _pose_marks()[2]])
    way = _middle_path(run)[[0, -1], 0]
    gone = f"{way[1] - way[0]:+.1f} m".replace("-", "\N{MINUS SIGN}")
    remark(
        sheet,
        f"{NOT_READ} P3, IV-C: the waves, at 2 m/s along the curve, propel the robot; P3 does not say which way. Here "
        f"the centre link goes {gone} in {times(run)[-1]:g} s,\nx being the way of the head.",
    )
    return sheet


# --- IV-D: rolling ---


@figure("fig9", "Fig. 9: lateral rolling", ROLLING)
def fig9(runs: Runs, published: Published) -> Figure:
    run = runs[ROLLING]
    motion, robot = rehearsed(run.scenario, 0.0), run.scenario.built_robot()
    curve, laid = motion.curve, motion.laid[0]
    rows = [nearest_row(run, t) for t in ROLLED]
    place = np.asarray(run.data["link_position"].values, dtype=float)
    seen = box_around(TOP, place[rows])
    boxes = [_box_of_laid(robot, curve, laid, ASLANT), seen]
    sheet, ((left, right),) = scenes_in_rows([boxes])
    _draw_scene(left, curve, ASLANT, boxes[0])
    draw_virtual(left, robot, laid, ASLANT)
    label_points(left, curve, ASLANT)
    left.set_title("(a) The shape curve and the virtual robot")
    draw_top(right, run, seen)
    _draw_postures(right, run, ROLLED, TOP, (0, 12))
    right.set_title("(b) Postures, from above")
    _legend(sheet, [*marks(), _pose_marks()[2]])
    gone = place[-1, :, 1].mean() - place[0, :, 1].mean()
    remark(
        sheet,
        f"{NOT_READ} P3, IV-D: the virtual robot turns about the curve at \N{MINUS SIGN}360 deg/s, and the robot rolls "
        f"sideways. Here it goes {gone:.1f} m along y in {times(run)[-1]:g} s.",
    )
    return sheet


# --- IV-E: stairs ---


@figure("fig10", "Fig. 10: down a staircase", STAIRS)
def fig10(runs: Runs, published: Published) -> Figure:
    run = runs[STAIRS]
    robot, motion, whole = run.scenario.built_robot(), rehearsed(run.scenario, STAIRS_AT), boxes_of(run)
    first, last = motion.laid[0], motion.laid[-1]
    segment = ShapeCurve(segment_of(run).array())
    offset = _onto(segment, first)
    few = first._replace(frame=first.frame[: FEW_LINKS + 1])
    developed = ShapeCurve(motion.curve.points[: int(np.ceil(motion.head[-1])) + 1])
    boxes = [
        box_around(SIDE, room_of(robot, few), segment.points + offset),
        box_around(SIDE, room_of(robot, last), developed.points),
        whole.side,
    ]
    sheet, ((left, centre, right),) = scenes_in_rows([boxes])
    _draw_scene(left, ShapeCurve(segment.points + offset), SIDE, boxes[0])
    draw_virtual(left, robot, first, SIDE, links=FEW_LINKS)
    left.set_title("(a) The gait segment")
    _draw_scene(centre, developed, SIDE, boxes[1])
    draw_virtual(centre, robot, last, SIDE)
    centre.set_title(f"(b) The curve at {STAIRS_AT:g} s")
    draw_side(right, run, whole)
    _draw_postures(right, run, ON_STAIRS, SIDE, (14, 10))
    right.set_title("(c) Postures on the staircase")
    _legend(sheet, [*marks(), _pose_marks()[2]])
    remark(
        sheet,
        f"{NOT_READ} P3, IV-E: the steps are 0.2 m deep and high, and a gait segment that is one of them leads the "
        "robot down.\nPoints, speed and look-ahead are ours.",
    )
    return sheet


def _onto(segment: ShapeCurve, laid: Laid) -> FloatArray:
    """How far [m] the segment is from its last copy that is behind the head."""
    return np.asarray(laid.frame[0, :, 3] - segment.points[-1])
