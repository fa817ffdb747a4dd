"""Figs. 4 and 6 to 10 of P3: Liljebäck, Pettersen, Stavdahl, Gravdahl, A 3D Motion Planning Framework for Snake Robots.

P3's curves are not digitised: shown are our runs, and what P3 says of its own. Curves and virtual robots are those that
the controller of the run draws (`control/shape_rehearsal`); postures are those of the run. P3's Fig. 5 is a sketch.
"""

from __future__ import annotations

from math import radians
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from pushpoint.control.shape_rehearsal import cycle_time, rehearsed
from pushpoint.shapes import GaitSegment, ShapeCurve
from pushpoint.view import style
from pushpoint.view.panels import middle
from pushpoint.view.papers import Published, Runs, figures_of
from pushpoint.view.papers._parts import nearest_row, remark, scenes_in_rows, times
from pushpoint.view.papers._shape_parts import (
    box_of_robot,
    draw_postures,
    draw_scene,
    legend,
    once,
    pose_marks,
    segment_and_robot,
    segment_box,
    segment_of,
)
from pushpoint.view.scene import united
from pushpoint.view.shapes import (
    CURVE,
    Aslant,
    Stretch,
    box_around,
    draw_virtual,
    label_points,
    marks,
    next_point,
    room_of,
    set_frame,
    under,
    whole,
)
from pushpoint.view.space import SIDE, TOP, draw_in_space
from pushpoint.view.space_scene import boxes_of, draw_side, draw_top

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording
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


figure = figures_of(KEY)


# --- III: examples ---


@figure("fig4", "Fig. 4: a shape curve, a virtual robot along it, and a gait segment repeated", EXAMPLES, EXAMPLE_5)
def fig4(runs: Runs, published: Published) -> Figure:
    run = runs[EXAMPLES]
    robot, motion = run.scenario.built_robot(), rehearsed(run.scenario, 0.0)
    curve, laid = whole(motion.curve), motion.laid[0]
    cycle, turned = once(runs[EXAMPLE_5]), _turned(segment_of(runs[EXAMPLE_5]))
    both = box_around(ASLANT, room_of(robot, laid), curve.shadow(0.0))
    below = [segment_box(runs[EXAMPLE_5], ASLANT), box_around(ASLANT, turned.places)]
    sheet, (upper, lower) = scenes_in_rows([[both, both], below])
    for axes in upper:
        draw_scene(axes, curve, ASLANT, both, floor=0.0)
    label_points(upper[0], motion.curve, ASLANT)
    upper[0].set_title("(a) Example 1: a curve through four points")
    draw_virtual(upper[1], robot, laid, ASLANT)
    upper[1].set_title("(b) Example 4: six joints along it")
    for axes, shown, box in zip(lower, (cycle, turned), below, strict=True):
        draw_scene(axes, shown, ASLANT, box, shown.floor)
    lower[0].set_title("(c) Example 5: a gait segment")
    lower[1].set_title("four times, the shape frame turned by 45 deg for the last two")
    legend(sheet, marks())
    remark(
        sheet,
        f"{NOT_READ} Points and look-ahead distance of (a) and (b) are those of P3; P3 gives no numbers for the "
        "segment of (c), here it is that of\nIV-B. Dotted: straight below the curve.",
    )
    return sheet


def _turned(segment: GaitSegment) -> Stretch:
    """Four cycles, the shape frame turned for the last two."""
    straight, further = segment.repeated(2), segment.repeated(2, TURN)
    return whole(ShapeCurve(np.concatenate([straight, straight[-1] - further[0] + further[1:]])))


# --- IV-B: sidewinding ---


@figure("fig6", "Fig. 6: sidewinding, steered by the shape frame", SIDEWINDING, STRAIGHT)
def fig6(runs: Runs, published: Published) -> Figure:
    run, motion = runs[SIDEWINDING], rehearsed(runs[SIDEWINDING].scenario)
    robot, laid = run.scenario.built_robot(), [motion.laid[motion.row(t)] for t in DRAWN_AT]
    developed = Stretch(motion.curve, 0.0, motion.head[-1]).places
    paths = [_middle_path(runs[name]) for name in (SIDEWINDING, STRAIGHT)]
    boxes = [box_around(TOP, developed, *(room_of(robot, one) for one in laid)), box_around(TOP, *paths)]
    first = [segment_box(run, ASLANT), box_of_robot(robot, under(motion), motion.laid[0], ASLANT)]
    sheet, (upper, (left, right)) = scenes_in_rows([first, boxes])
    segment_and_robot(upper, run, motion, ASLANT)
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
    right.set_title("(c) The centre link")
    legend(
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
        draw_postures(axes, run, SCREENSHOTS, TOP, (-18, 0))
        axes.set_title(title)
    legend(sheet, pose_marks())
    remark(sheet, f"{NOT_READ} Its instants are not given; these are ours. Postures are where they were.")
    return sheet


# --- IV-C: vertical wave ---


@figure("fig8", "Fig. 8: a vertical wave along the body", VERTICAL)
def fig8(runs: Runs, published: Published) -> Figure:
    run = runs[VERTICAL]
    motion, boxes = rehearsed(run.scenario, 0.0), boxes_of(run)
    robot, period = run.scenario.built_robot(), cycle_time(run.scenario)
    first = [segment_box(run, ALONG), box_of_robot(robot, under(motion), motion.laid[0], ALONG)]
    begin = min(7.5, times(run)[-1] - period)
    close = [nearest_row(run, begin + k * period / 3) for k in range(3)]
    x = np.asarray(run.data["link_position"].values, dtype=float)[close][..., 0]
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
    legend(sheet, [*marks(), pose_marks()[2]])
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
    curve, laid = whole(motion.curve), motion.laid[0]
    rows = [nearest_row(run, t) for t in ROLLED]
    place = np.asarray(run.data["link_position"].values, dtype=float)
    seen = box_around(TOP, place[rows])
    boxes = [box_of_robot(robot, curve, laid, ASLANT), seen]
    sheet, ((left, right),) = scenes_in_rows([boxes])
    draw_scene(left, curve, ASLANT, boxes[0])
    draw_virtual(left, robot, laid, ASLANT)
    label_points(left, motion.curve, ASLANT)
    left.set_title("(a) The shape curve and the virtual robot")
    draw_top(right, run, seen)
    draw_postures(right, run, ROLLED, TOP, (0, 12))
    right.set_title("(b) Postures, from above")
    legend(sheet, [*marks(), pose_marks()[2]])
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
    robot, motion, around = run.scenario.built_robot(), rehearsed(run.scenario, STAIRS_AT), boxes_of(run)
    first, last = motion.laid[0], motion.laid[-1]
    segment = ShapeCurve(segment_of(run).array())
    on_curve = whole(ShapeCurve(segment.points + (first.frame[0, :, 3] - segment.points[-1])))  # its last copy
    few = first._replace(frame=first.frame[: FEW_LINKS + 1])
    developed = Stretch(motion.curve, 0.0, next_point(motion.head[-1]))
    boxes = [
        box_around(SIDE, room_of(robot, few), on_curve.points),
        box_around(SIDE, room_of(robot, last), developed.points),
        around.side,
    ]
    sheet, ((left, centre, right),) = scenes_in_rows([boxes])
    draw_scene(left, on_curve, SIDE, boxes[0])
    draw_virtual(left, robot, first, SIDE, links=FEW_LINKS)
    left.set_title("(a) The gait segment")
    draw_scene(centre, developed, SIDE, boxes[1])
    draw_virtual(centre, robot, last, SIDE)
    centre.set_title(f"(b) The curve at {STAIRS_AT:g} s")
    draw_side(right, run, around)
    draw_postures(right, run, ON_STAIRS, SIDE, (14, 10))
    right.set_title("(c) Postures on the staircase")
    legend(sheet, [*marks(), pose_marks()[2]])
    remark(
        sheet,
        f"{NOT_READ} P3, IV-E: the steps are 0.2 m deep and high, and a gait segment that is one of them leads the "
        "robot down.\nPoints, speed and look-ahead are ours.",
    )
    return sheet
