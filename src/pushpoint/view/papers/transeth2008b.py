"""Figs. 6 to 11 of P5: Transeth, Leine, Glocker, Pettersen, 3D Snake Robot Motion: Non-smooth Modeling, Simulations,
and Experiments, 2008.

P5's curves are not digitised: shown are our runs and what P5's text says. P5's link 6 is link 5 here. Forward is x in
both; sideways, in sidewinding, is +y here; in P5 it is the axis of Fig. 10 (x6, as far as our scan can be read) along
which link 6 goes to about -1.4 m.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import Patch

from pushpoint.view import style
from pushpoint.view.papers import Published, Runs, figures_of
from pushpoint.view.papers._parts import (
    label_lowest,
    label_outer,
    legend_above,
    mark,
    nearest_row,
    note_below,
    plots_below_each_other,
    scene_grid,
    scenes_below_each_other,
    times,
)
from pushpoint.view.scene import Box
from pushpoint.view.space import TOP, draw_in_space
from pushpoint.view.space_scene import boxes_of, draw_top

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

KEY = "transeth2008b"
ORTHOTROPIC, ISOTROPIC, SIDEWINDING = (
    f"{KEY}/{slug}" for slug in ("undulation-orthotropic", "undulation-isotropic", "sidewinding")
)
LINK_6 = 5  # P5's name, our number
PERIOD = 4.5  # [s], of the gait: 80 deg/s
START_UP = tuple(0.1 * k * PERIOD for k in range(6))  # [s], of Fig. 8; ours, P5 does not say
INSTANTS = (0.0, 5.0, 10.0, 15.0)  # [s], of Fig. 9
DURATION = 15.0  # [s], of the axes
SIDEWAYS = 1.4  # [m], in 15 s, P5 Fig. 10; the text gives no number, the scale of the figure ends there
HALF_HEIGHT = 0.22  # [m], of Fig. 10
TIME = "time [s]"
OURS = "this run: link 5, P5's link 6"
SAID = f"P5: about {SIDEWAYS:g} m"
PUBLISHED: dict[str, Any] = {"color": style.ORANGE, "linestyle": "--", "linewidth": 1.4, "zorder": 2}
PUBLISHED_DOT: dict[str, Any] = {
    "color": style.ORANGE,
    "markeredgecolor": style.INK,
    "markeredgewidth": 0.6,
    "marker": "D",
    "markersize": 6.5,
    "linestyle": "none",
    "zorder": 5,
    "clip_on": False,
}
SAME_LINK = "P5's link 6 is link 5 here."
TURNED = (
    f"Sideways is +y here; in P5's Fig. 10 it is the axis that goes to \N{MINUS SIGN}{SIDEWAYS:g} m, x6 by our scan."
)


figure = figures_of(KEY)


def path_of_link_6(run: Recording) -> FloatArray:
    """Its centre [m], (rows, 3)."""
    return np.asarray(run.data["link_position"].values, dtype=float)[:, LINK_6]


# --- lateral undulation, VIII-B and VIII-D ---


@figure("fig6", "Fig. 6: lateral undulation with orthotropic friction", ORTHOTROPIC)
def fig6(runs: Runs, published: Published) -> Figure:
    sheet = _coordinates(runs[ORTHOTROPIC])
    note_below(
        sheet,
        "P5's curve is not digitised. P5, VIII-B: the robot starts moving steadily forward, mainly along x. "
        + SAME_LINK,
    )
    return sheet


@figure("fig7", "Fig. 7: lateral undulation with isotropic friction", ISOTROPIC)
def fig7(runs: Runs, published: Published) -> Figure:
    sheet = _coordinates(runs[ISOTROPIC])
    note_below(
        sheet,
        "P5's curves are not digitised. P5, VIII-D: the robot moves slowly backward along x, farther in the simulation "
        "than in the experiment.\n" + SAME_LINK,
    )
    return sheet


def _coordinates(run: Recording) -> Figure:
    """x and y of link 6 over time, and how far forward it came."""
    sheet, panels = plots_below_each_other(2)
    path = path_of_link_6(run)
    for axes, values, name in zip(panels, path.T, "xy", strict=False):
        _draw_coordinate(axes, run, values, name)
    moved = f"{path[-1, 0] - path[0, 0]:+.2f} m".replace("-", "\N{MINUS SIGN}")
    panels[0].set_title(f"(a) forward: {moved} in {times(run)[-1]:g} s")
    panels[1].set_title("(b) to the left")
    label_lowest(panels)
    legend_above(sheet, [mark(OURS, color=style.BLUE)])
    return sheet


def _draw_coordinate(axes: Axes, run: Recording, values: FloatArray, name: str) -> None:
    axes.plot(times(run), values, color=style.BLUE, zorder=3)
    axes.axhline(0.0, color=style.QUIET, linewidth=0.7, zorder=1)
    axes.set(xlabel=TIME, ylabel=f"{name} [m]", xlim=(0, max(DURATION, times(run)[-1])))


# --- sidewinding, VIII-E ---


@figure("fig8", "Fig. 8: postures at the start of sidewinding, from above", SIDEWINDING)
def fig8(runs: Runs, published: Published) -> Figure:
    run = runs[SIDEWINDING]
    rows = [nearest_row(run, t) for t in START_UP if t <= times(run)[-1] + 1e-9]
    whole = boxes_of(run).top
    y = np.asarray(run.data["link_position"].values, dtype=float)[rows][..., 1]
    box = Box(whole.left, whole.right, float(y.min()) - 0.12, float(y.max()) + 0.12)
    sheet, panels = scene_grid(len(rows), 2, box)
    for axes, row in zip(panels, rows, strict=True):
        draw_top(axes, run, box)
        draw_in_space(axes, run, row, TOP)
        axes.set_title(f"t = {times(run)[row]:.2f} s")
    label_outer(panels, 2)
    _legend_of_links(sheet)
    note_below(
        sheet,
        "P5's drawing is not digitised; the instants, tenths of the gait's period, are ours. Soft start, P5, VIII-E: a "
        "joint stays straight until its\nreference is first within 3 deg of zero.",
    )
    return sheet


@figure("fig9", "Fig. 9: sidewinding after 0, 5, 10 and 15 s, from above", SIDEWINDING)
def fig9(runs: Runs, published: Published) -> Figure:
    run = runs[SIDEWINDING]
    box = boxes_of(run).top.widened(0.85)
    sheet, (axes,) = scenes_below_each_other(1, box)
    wide, high = sheet.get_size_inches()
    sheet.set_size_inches(0.72 * wide, 0.72 * high)
    draw_top(axes, run, box)
    for t in [t for t in INSTANTS if t <= times(run)[-1] + 1e-9]:
        row = nearest_row(run, t)
        draw_in_space(axes, run, row, TOP)
        tail = np.asarray(run.data["link_position"].values, dtype=float)[row, 0]
        axes.annotate(f"t = {t:g} s", tail[:2].tolist(), (-26, 0), textcoords="offset points", ha="right", va="center")
    axes.set_title("Postures where they were; the robot moves to its left")
    _legend_of_links(sheet)
    note_below(sheet, f"P5's pictures are not digitised; the instants are those of P5.\n{TURNED}")
    return sheet


def _legend_of_links(sheet: Figure) -> None:
    marks = [
        Patch(facecolor=style.BODY, label="link"),
        Patch(facecolor=style.HEAD, label="head"),
        Patch(facecolor=style.BODY_DOWN, label="darker: presses on the ground"),
    ]
    sheet.legend(handles=marks, ncols=len(marks), loc="outside upper left")


@figure("fig10", "Fig. 10: path of link 6 during sidewinding", SIDEWINDING)
def fig10(runs: Runs, published: Published) -> Figure:
    path = path_of_link_6(runs[SIDEWINDING])
    box = Box(-SIDEWAYS - 0.15, 0.15, -HALF_HEIGHT, HALF_HEIGHT)
    sheet, (axes,) = scenes_below_each_other(1, box)
    axes.axvline(-SIDEWAYS, **PUBLISHED)
    axes.plot(-path[:, 1], path[:, 0], color=style.BLUE, zorder=3)
    axes.plot(-path[-1:, 1], path[-1:, 0], color=style.BLUE, marker="o", markersize=7, linestyle="none", zorder=4)
    minus = "\N{MINUS SIGN}"
    axes.set(xlim=box[:2], ylim=box[2:], aspect="equal", xlabel=f"{minus}y [m]", ylabel="x [m]")
    gone = f"{path[-1, 1] - path[0, 1]:.2f} m sideways in {times(runs[SIDEWINDING])[-1]:g} s"
    axes.set_title(f"Seen from above and turned by 90 deg; {gone}")
    marks = [
        mark(f"{OURS}, and its end", color=style.BLUE, marker="o", markersize=6),
        mark(f"{SAID} sideways in 15 s", **PUBLISHED),
    ]
    legend_above(sheet, marks)
    note_below(sheet, f"P5's curves are not digitised. {TURNED}")
    return sheet


@figure("fig11", "Fig. 11: position of link 6 during sidewinding", SIDEWINDING)
def fig11(runs: Runs, published: Published) -> Figure:
    run = runs[SIDEWINDING]
    path = path_of_link_6(run)
    sheet, panels = plots_below_each_other(2)
    for axes, values, name in zip(panels, path.T, "xy", strict=False):
        _draw_coordinate(axes, run, values, name)
    panels[0].set_title("Along the robot as it lay at the start")
    panels[1].set_title("Sideways, to the left")
    panels[1].plot([DURATION], [SIDEWAYS], **PUBLISHED_DOT)
    label_lowest(panels)
    legend_above(sheet, [mark(OURS, color=style.BLUE), mark(f"{SAID} sideways in 15 s", **PUBLISHED_DOT)])
    note_below(sheet, f"P5's curves are not digitised. {TURNED}")
    return sheet
