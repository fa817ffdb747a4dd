"""What figures of motions by shape curves are put together from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import Patch

from pushpoint.shapes import GaitSegment, ShapeCurve
from pushpoint.view import style
from pushpoint.view.papers._parts import nearest_row, times
from pushpoint.view.shapes import (
    Stretch,
    box_around,
    draw_curve,
    draw_shadow,
    draw_virtual,
    room_of,
    set_frame,
    under,
    whole,
)
from pushpoint.view.space import Sight, View, draw_in_space

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.control.shape_rehearsal import Rehearsal
    from pushpoint.recording.recording import Recording
    from pushpoint.robots import Robot
    from pushpoint.shapes import Laid
    from pushpoint.view.scene import Box


def segment_of(run: Recording) -> GaitSegment:
    """The gait segment of a run's controller."""
    return GaitSegment.parse(run.scenario.controller.options["segment"])


def once(run: Recording) -> Stretch:
    """The curve of one cycle alone."""
    return whole(ShapeCurve(segment_of(run).array()))


def box_of_robot(robot: Robot, part: Stretch, laid: Laid, view: Sight) -> Box:
    """What shows a robot and the curve that it lies on."""
    return box_around(view, room_of(robot, laid), part.places)


def draw_scene(axes: Axes, part: Stretch, view: Sight, box: Box, floor: float | None = None) -> None:
    """A curve with its points; over its shadow if a `floor` [m] is given."""
    if floor is not None:
        draw_shadow(axes, part, view, floor)
    draw_curve(axes, part, view)
    set_frame(axes, view, box)


def pose_marks() -> list[Patch]:
    """Entries of a legend: robots of a run."""
    return [
        Patch(facecolor=style.BODY, label="link"),
        Patch(facecolor=style.HEAD, label="head"),
        Patch(facecolor=style.BODY_DOWN, label="darker: presses on the ground"),
    ]


def legend(sheet: Figure, entries: Sequence[Any]) -> None:
    """In one line above all panels."""
    sheet.legend(handles=entries, ncols=len(entries), loc="upper left", borderaxespad=0.3)


def draw_postures(axes: Axes, run: Recording, instants: Sequence[float], view: View, off: tuple[float, float]) -> None:
    """The robot where it was; the time beside its tail, `off` [points] from it."""
    for t in [t for t in instants if t <= times(run)[-1] + 1e-9]:
        row = nearest_row(run, t)
        draw_in_space(axes, run, row, view)
        tail = np.asarray(run.data["link_position"].values, dtype=float)[row, 0]
        axes.annotate(
            f"{t:g} s", view.flat(tail).tolist(), off, textcoords="offset points", ha="center", va="center", fontsize=8
        )


def segment_and_robot(panels: Sequence[Axes], run: Recording, motion: Rehearsal, view: Sight) -> None:
    """(a) of several figures: the gait segment, and the robot as it lies on the curve at the start."""
    robot, laid, part, cycle = run.scenario.built_robot(), motion.laid[0], under(motion), once(run)
    floor = min(cycle.floor, part.floor)
    draw_scene(panels[0], cycle, view, segment_box(run, view), floor)
    panels[0].set_title("(a) Gait segment")
    draw_scene(panels[1], part, view, box_of_robot(robot, part, laid, view), floor)
    draw_virtual(panels[1], robot, laid, view)
    panels[1].set_title("and the virtual robot along it")


def segment_box(run: Recording, view: Sight) -> Box:
    """What shows one cycle and its shadow."""
    cycle = once(run)
    return box_around(view, cycle.places, cycle.shadow(cycle.floor))
