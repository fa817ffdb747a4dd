"""Figs. 10 to 15 of P1: Liljebäck, Pettersen, Stavdahl, Gravdahl, Hybrid Modelling and Control of Obstacle-Aided
Snake Robot Locomotion, 2010.

P1 counts links and joints from 1, this package from 0; P1's joint angles and torques have the other sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.analysis._series import recorded, times
from pushpoint.analysis.events import event_times
from pushpoint.analysis.paths import head_tip
from pushpoint.view import style
from pushpoint.view.bodies import ARROW_LENGTH, FORCE_WINDOW, draw_arrows, draw_robot, draw_shape, pushes_at
from pushpoint.view.papers import Published, Table, figures_of
from pushpoint.view.papers import _parts as parts
from pushpoint.view.papers._parts import BODY, DASHED, HEAD, OURS, TIME, DrawnAs, explained, nearest_row
from pushpoint.view.surroundings import draw_scene, united, view_box

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

LINK_6, LINK_5, JOINT_5 = 5, 4, 4  # P1's names, our numbers
SPEED = 0.1  # [m/s], P1 VIII-B3
JAM = 17.05  # [s], when the jam of Fig. 15 is resolved
SMOOTHING = 0.3  # [s], of velocities
TITLE_PAD = 9  # [points], above marks on the upper edge
SMALLEST_SHARE = 0.05  # of the largest force: those that are named

PUBLISHED = style.drawn_as(color="orange", markeredgecolor="ink", markeredgewidth=0.6, linestyle="none")
PUBLISHED_DOT = PUBLISHED | style.drawn_as(marker="o", markersize=4.2, zorder=6)
PUBLISHED_EDGE = PUBLISHED | style.drawn_as(marker="v", markersize=7, clip_on=False, zorder=6)
SAID = style.drawn_as(color="green", linestyle="--", linewidth=1.1, zorder=2.2)
REACHED = style.drawn_as(color="orange", linestyle="--", linewidth=1.1, zorder=2)
HEAD_PATH = style.drawn_as(color="head", linestyle=style.DOTS, linewidth=1.3, zorder=2.4)
BEFORE = DASHED | style.drawn_as(marker="o", markersize=2.5)

figure = figures_of("liljeback2010")


# --- along the track, VIII-A ---


@figure("fig10", "Fig. 10: serpenoid along the track, the published joints over it", "track")
def fig10(published: Published, run: Recording) -> Figure:
    read_off = published["fig10"]
    instants = parts.reached(run, np.unique(read_off["t_s"]).tolist())
    sheet, panels = parts.scenes_below_each_other(len(instants), view_box(run))
    for axes, t in zip(panels, instants, strict=True):
        draw_scene(axes, run, view_box(run))
        draw_robot(axes, run, nearest_row(run, t))
        chosen = read_off["t_s"] == t
        axes.plot(read_off["x_m"][chosen], read_off["y_m"][chosen], **PUBLISHED_DOT)
        axes.set_title(f"t = {t:g} s")
    parts.label_outer(panels)
    dot: dict[str, Any] = {"marker": "o", "markersize": 4}
    marks = {"this run": dot | {"color": style.BODY}, "its head": dot | {"color": style.HEAD}}
    return explained(sheet, marks | {"joints and ends, published": PUBLISHED_DOT})


@figure("fig11", "Fig. 11: path of link 6 along the track", "track")
def fig11(published: Published, run: Recording) -> Figure:
    read_off, time, path = published["fig11"], times(run), recorded(run, "link_position")[:, LINK_6]
    shown = read_off["t_s"] <= time[-1] + 1e-9
    t, x, y = (read_off[name][shown] for name in ("t_s", "x6_m", "y6_m"))
    box = view_box(run)
    sheet, (scene, *panels) = parts.scenes_below_each_other(1, box, further=2)
    draw_scene(scene, run, box)
    scene.plot(*path.T, **OURS)
    scene.plot(x, y, **PUBLISHED_DOT)
    scene.set_title("y against x, among the pipes")
    for axes, ours, theirs, name in zip(panels, path.T, (x, y), "xy", strict=True):
        axes.plot(time, ours, **OURS)
        axes.plot(t, theirs, **PUBLISHED_DOT, clip_on=False)
        axes.set(ylabel=f"{name} [m]", xlim=(0, time[-1]), xlabel=TIME)
        axes.set_title(f"{name} against time")
    parts.label_outer(panels)
    return explained(sheet, {"this run": OURS, "published": PUBLISHED_DOT})


# --- among obstacles, VIII-B ---


@figure("fig12", "Fig. 12: initial and final shape and the trace of the head", "rows-serpenoid", "rows", "clutter")
def fig12(published: Published, *runs: Recording) -> Figure:
    titles = (
        "Serpenoid among rows of obstacles",
        "Jam resolution among rows of obstacles",
        "Jam resolution in clutter",
    )
    box = united([view_box(run) for run in runs])
    sheet, panels = parts.scenes_below_each_other(len(runs), box)
    for axes, run, title in zip(panels, runs, titles, strict=True):
        draw_scene(axes, run, box)
        draw_shape(axes, run, 0, **DASHED)
        draw_robot(axes, run, -1)
        axes.plot(*head_tip(run).T, **HEAD_PATH)
        _mark_final_x(axes, run, published["fig12"])
        axes.set_title(f"{title}, {times(run)[-1]:g} s", pad=TITLE_PAD)
    parts.label_outer(panels)
    marks = {
        "initial shape": DASHED,
        "final shape": BODY,
        "its head": HEAD,
        "path of the head": HEAD_PATH,
        "final x of the centre of mass": {"color": style.BODY, "marker": "v", "markersize": 7, "linestyle": "none"},
        "the same, published": PUBLISHED_EDGE,
    }
    return explained(
        sheet,
        marks,
        "P1's shapes and traces are not available. VIII-B: about 0.5 m in 20 s with the serpenoid, about 2.5 m in 30 s "
        "with jam resolution in both environments.",
    )


def _mark_final_x(axes: Axes, run: Recording, read_off: Table) -> None:
    """Triangles on the upper edge."""
    _mark_on_edge(axes, recorded(run, "centre_of_mass")[-1:, 0], color=style.BODY, markeredgecolor=style.PAPER)
    _mark_on_edge(axes, read_off["x_m"][_of_run(read_off, run)])


def _mark_on_edge(axes: Axes, x: FloatArray, **drawn_as: Any) -> None:
    axes.plot(x, np.ones(len(x)), transform=axes.get_xaxis_transform(), **PUBLISHED_EDGE | drawn_as)


def _of_run(read_off: Table, run: Recording) -> Any:
    """Which lines of a table are about a run."""
    return read_off["run"] == run.scenario.name.split("/")[1]


@figure("fig13", "Fig. 13: velocity along x, and when jam resolution starts", "rows", "clutter")
def fig13(published: Published, *runs: Recording) -> Figure:
    sheet, panels = parts.plots_below_each_other(2)
    read_off, dashed = published["fig13"], DASHED | {"linewidth": 0.8, "zorder": 2}
    for axes, run, title in zip(panels, runs, ("Rows of obstacles", "Clutter"), strict=True):
        starts, theirs = event_times(run, "resolution"), read_off["t_s"][_of_run(read_off, run)]
        _draw_velocity(axes, run)
        for start in starts:
            axes.axvline(start, **dashed)
        axes.axhline(SPEED, **SAID)
        _mark_on_edge(axes, theirs)
        axes.set_title(f"{title}: {len(starts)} resolutions, published {len(theirs)}", pad=TITLE_PAD)
    parts.label_outer(panels)
    _show_velocities(panels, runs)
    marks: dict[str, DrawnAs] = {
        f"this run, smoothed over {SMOOTHING:g} s": OURS,
        "not smoothed": {"color": style.SKY, "linewidth": 0.8},
        "jam resolution starts": dashed,
        "the same, published": PUBLISHED_EDGE,
        f"VIII-B3: around {100 * SPEED:g} cm/s": SAID,
    }
    return explained(sheet, marks, "P1's curves of the velocity are not available.")


def _draw_velocity(axes: Axes, run: Recording) -> None:
    time, velocity = times(run), parts.centre_velocity(run)[:, 0]
    axes.plot(time, velocity, color=style.SKY, linewidth=0.5, alpha=0.8, zorder=1.5)
    axes.plot(time, parts.smoothed(velocity, time, SMOOTHING), **OURS | {"linewidth": 1.5})
    axes.axhline(0.0, color=style.QUIET, linewidth=0.7, zorder=1)
    axes.set(xlim=(0, time[-1]), xlabel=TIME, ylabel="velocity [m/s]")


def _show_velocities(panels: Sequence[Axes], runs: Sequence[Recording]) -> None:
    """The same range for all, without the highest spikes of impacts."""
    velocity = np.concatenate([parts.centre_velocity(run)[:, 0] for run in runs])
    low, high = np.percentile(velocity, [0.5, 99.5])
    for axes in panels:
        axes.set_ylim(min(low, -0.01), max(1.1 * high, 0.01))


@figure("fig14", "Fig. 14: force across link 5 and torque at joint 5 among rows", "rows")
def fig14(published: Published, run: Recording) -> Figure:
    read_off, time = published["fig14"], times(run)
    force, angle = recorded(run, "contact_force")[:, LINK_5], recorded(run, "link_angle")[:, LINK_5]
    to_the_left = force[:, 1] * np.cos(angle) - force[:, 0] * np.sin(angle)
    torque = -recorded(run, "joint_torque")[:, JOINT_5]
    curves = (
        (to_the_left, "force [N]", "Contact force across link 5, positive to its left", "force_N"),
        (torque, "torque [N m]", "Torque of joint 5, with the sign of the paper", "torque_Nm"),
    )
    sheet, panels = parts.plots_below_each_other(len(curves))
    for axes, (values, label, title, column) in zip(panels, curves, strict=True):
        axes.plot(time, values, **OURS | {"linewidth": 0.7})
        for size in read_off[column]:
            axes.axhline(size, **REACHED)
            axes.axhline(-size, **REACHED)
        axes.set(xlim=(0, time[-1]), xlabel=TIME, ylabel=label)
        axes.set_title(title)
    parts.label_outer(panels)
    said = f"published: above {read_off['force_N'][0]:g} N, as high as {read_off['torque_Nm'][0]:g} N m"
    note = "P1's curves are not available; the dashed lines are what VIII-B3 says is reached."
    return explained(sheet, {"this run": OURS, said: REACHED}, note)


@figure("fig15", "Fig. 15: before and after one jam resolution among rows", "rows")
def fig15(published: Published, run: Recording) -> Figure | None:
    starts, ends = (event_times(run, name) for name in ("resolution", "resolution-ended"))
    if not len(starts):
        return None
    start = float(starts[np.argmin(np.abs(starts - JAM))])
    end = float(next(iter(ends[ends > start]), times(run)[-1]))
    before, after = nearest_row(run, start), nearest_row(run, end)
    box = view_box(replace(run, data=run.data.isel(time=slice(before, after + 1))))
    sheet, (axes,) = parts.scenes_below_each_other(1, box)
    draw_scene(axes, run, box)
    draw_shape(axes, run, before, **BEFORE)
    draw_robot(axes, run, after)
    _draw_forces(axes, run, before)
    axes.set_title(f"Resolution from {start:.2f} to {end:.2f} s; published: {JAM} to {JAM + 0.5} s")
    arrow = f"contact force before, mean over {FORCE_WINDOW:g} s"
    return explained(
        sheet,
        {"before": BEFORE, "after": BODY, "its head": HEAD, arrow: style.ARROW},
        "P1's drawing is not available; shown is our resolution that starts nearest to P1's. VIII-B3: forces on "
        "links 4 and 8 cause the jam; link 4 is turned\nclockwise and link 8 counterclockwise.",
    )


def _draw_forces(axes: Axes, run: Recording, row: int) -> None:
    """Arrows, each with P1's number of its link and its size; the largest force has the full length."""
    pushes = pushes_at(run, row)
    size = np.linalg.norm(pushes.force, axis=1)
    draw_arrows(axes, run, row, float(size.max(initial=0.0)) or 1.0)
    for link, point, force, newton in zip(pushes.link, pushes.point, pushes.force, size, strict=True):
        if newton > SMALLEST_SHARE * size.max():
            tip = point + force * (ARROW_LENGTH / size.max())
            text = axes.annotate(f"link {link + 1}: {newton:.0f} N", tip, (5, 0), textcoords="offset points")
            text.set(color=style.FORCE, va="center", zorder=7, path_effects=parts.halo())
