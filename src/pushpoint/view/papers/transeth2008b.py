"""Figs. 6 to 11 of P5: Transeth, Leine, Glocker, Pettersen, 3D Snake Robot Motion: Non-smooth Modeling, Simulations,
and Experiments, 2008.

P5's curves are not digitised: shown are our runs and what P5's text says. P5's link 6 is link 5 here. Forward is x in
both; sideways, in sidewinding, is +y here; in P5 it is the axis of Fig. 10 (x6, as far as our scan can be read) along
which link 6 goes to about -1.4 m.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.analysis._series import recorded, times
from pushpoint.view import style
from pushpoint.view.papers import Published, figures_of
from pushpoint.view.papers import _parts as parts
from pushpoint.view.papers._parts import MINUS, OURS, TIME, explained, nearest_row
from pushpoint.view.space import TOP, draw_in_space
from pushpoint.view.space_figure import link_marks
from pushpoint.view.space_scene import boxes_of, draw_top
from pushpoint.view.surroundings import Box

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

LINK_6 = 5  # P5's name, our number
PERIOD = 4.5  # [s], of the gait: 80 deg/s
START_UP = tuple(0.1 * k * PERIOD for k in range(6))  # [s], of Fig. 8; ours, P5 does not say
INSTANTS = (0.0, 5.0, 10.0, 15.0)  # [s], of Fig. 9
DURATION = 15.0  # [s], of the axes
SIDEWAYS = 1.4  # [m], in 15 s, P5 Fig. 10; the text gives no number, the scale of the figure ends there
HALF_HEIGHT = 0.22  # [m], of Fig. 10
THIS_RUN = "this run: link 5, P5's link 6"
SAID = f"P5: about {SIDEWAYS:g} m sideways in 15 s"
PUBLISHED = style.drawn_as(color="orange", linestyle="--", linewidth=1.4, zorder=2)
DOT = style.drawn_as(marker="D", markersize=6.5, markeredgecolor="ink", markeredgewidth=0.6)
PUBLISHED_DOT = DOT | style.drawn_as(color="orange", linestyle="none", zorder=5, clip_on=False)
NOT_READ = "P5's curves are not digitised."
TURNED = f"Sideways is +y here; in P5's Fig. 10 it is the axis that goes to {MINUS}{SIDEWAYS:g} m, x6 by our scan."
FORWARD = {
    "transeth2008b/undulation-orthotropic": "P5's curve is not digitised. P5, VIII-B: the robot starts moving steadily "
    "forward, mainly along x. P5's link 6 is link 5 here.",
    "transeth2008b/undulation-isotropic": f"{NOT_READ} P5, VIII-D: the robot moves slowly backward along x, farther in "
    "the simulation than in the experiment.\nP5's link 6 is link 5 here.",
}

figure = figures_of("transeth2008b")


# --- lateral undulation, VIII-B and VIII-D ---


@figure("fig6", "Fig. 6: lateral undulation with orthotropic friction", "undulation-orthotropic")
@figure("fig7", "Fig. 7: lateral undulation with isotropic friction", "undulation-isotropic")
def undulation(published: Published, run: Recording) -> Figure:
    """x and y of link 6 over time, and how far forward it came."""
    path = _path_of_link_6(run)
    moved = f"{path[-1, 0] - path[0, 0]:+.2f} m".replace("-", MINUS)
    sheet, _ = _coordinates(run, f"(a) forward: {moved} in {times(run)[-1]:g} s", "(b) to the left")
    return explained(sheet, {THIS_RUN: OURS}, FORWARD[run.scenario.name])


def _path_of_link_6(run: Recording) -> FloatArray:
    """Its centre [m], (rows, 3)."""
    return recorded(run, "link_position")[:, LINK_6]


def _coordinates(run: Recording, *titles: str) -> tuple[Figure, list[Axes]]:
    sheet, panels = parts.plots_below_each_other(2)
    for axes, values, name, title in zip(panels, _path_of_link_6(run).T[:2], "xy", titles, strict=True):
        axes.plot(times(run), values, **OURS)
        axes.axhline(0.0, color=style.QUIET, linewidth=0.7, zorder=1)
        axes.set(xlabel=TIME, ylabel=f"{name} [m]", xlim=(0, max(DURATION, times(run)[-1])))
        axes.set_title(title)
    parts.label_outer(panels)
    return sheet, panels


# --- sidewinding, VIII-E ---


@figure("fig8", "Fig. 8: postures at the start of sidewinding, from above", "sidewinding")
def fig8(published: Published, run: Recording) -> Figure:
    rows = [nearest_row(run, t) for t in parts.reached(run, START_UP)]
    whole = boxes_of(run).top
    y = recorded(run, "link_position")[rows][..., 1]
    box = Box(whole.left, whole.right, float(y.min()) - 0.12, float(y.max()) + 0.12)
    sheet, panels = parts.scene_grid(len(rows), 2, box)
    for axes, row in zip(panels, rows, strict=True):
        draw_top(axes, run, box)
        draw_in_space(axes, run, row, TOP)
        axes.set_title(f"t = {times(run)[row]:.2f} s")
    parts.label_outer(panels, 2)
    parts.legend(sheet, link_marks())
    return parts.noted(
        sheet,
        "P5's drawing is not digitised; the instants, tenths of the gait's period, are ours. Soft start, P5, VIII-E: a "
        "joint stays straight until its\nreference is first within 3 deg of zero.",
    )


@figure("fig9", "Fig. 9: sidewinding after 0, 5, 10 and 15 s, from above", "sidewinding")
def fig9(published: Published, run: Recording) -> Figure:
    box = boxes_of(run).top.widened(0.85)
    sheet, (axes,) = parts.scenes_below_each_other(1, box)
    wide, high = sheet.get_size_inches()
    sheet.set_size_inches(0.72 * wide, 0.72 * high)
    draw_top(axes, run, box)
    for t in parts.reached(run, INSTANTS):
        row = nearest_row(run, t)
        draw_in_space(axes, run, row, TOP)
        tail = recorded(run, "link_position")[row, 0, :2].tolist()
        axes.annotate(f"t = {t:g} s", tail, (-26, 0), textcoords="offset points", ha="right", va="center")
    axes.set_title("Postures where they were; the robot moves to its left")
    parts.legend(sheet, link_marks())
    return parts.noted(sheet, f"P5's pictures are not digitised; the instants are those of P5.\n{TURNED}")


@figure("fig10", "Fig. 10: path of link 6 during sidewinding", "sidewinding")
def fig10(published: Published, run: Recording) -> Figure:
    path = _path_of_link_6(run)
    box = Box(-SIDEWAYS - 0.15, 0.15, -HALF_HEIGHT, HALF_HEIGHT)
    sheet, (axes,) = parts.scenes_below_each_other(1, box)
    axes.axvline(-SIDEWAYS, **PUBLISHED)
    axes.plot(-path[:, 1], path[:, 0], **OURS)
    axes.plot(-path[-1:, 1], path[-1:, 0], color=style.BLUE, marker="o", markersize=7, linestyle="none", zorder=4)
    axes.set(xlim=box[:2], ylim=box[2:], aspect="equal", xlabel=f"{MINUS}y [m]", ylabel="x [m]")
    gone = f"{path[-1, 1] - path[0, 1]:.2f} m sideways in {times(run)[-1]:g} s"
    axes.set_title(f"Seen from above and turned by 90 deg; {gone}")
    marks = {f"{THIS_RUN}, and its end": OURS | {"marker": "o", "markersize": 6}, SAID: PUBLISHED}
    return explained(sheet, marks, f"{NOT_READ} {TURNED}")


@figure("fig11", "Fig. 11: position of link 6 during sidewinding", "sidewinding")
def fig11(published: Published, run: Recording) -> Figure:
    sheet, panels = _coordinates(run, "Along the robot as it lay at the start", "Sideways, to the left")
    panels[1].plot([DURATION], [SIDEWAYS], **PUBLISHED_DOT)
    return explained(sheet, {THIS_RUN: OURS, SAID: PUBLISHED_DOT}, f"{NOT_READ} {TURNED}")
