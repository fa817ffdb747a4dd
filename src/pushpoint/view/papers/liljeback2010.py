"""Figs. 10 to 15 of P1: Liljebäck, Pettersen, Stavdahl, Gravdahl, Hybrid Modelling and Control of Obstacle-Aided
Snake Robot Locomotion, 2010.

P1 counts links and joints from 1, this package from 0; P1's joint angles and torques have the other sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from pushpoint.view import style
from pushpoint.view.bodies import ARROW_LENGTH, FORCE_WINDOW, draw_arrows, draw_robot, draw_shape, pushes_at
from pushpoint.view.papers import Published, Runs, Table, figures_of
from pushpoint.view.papers._parts import (
    centre_velocity,
    event_times,
    label_lowest,
    legend_above,
    mark,
    nearest_row,
    note_below,
    plots_below_each_other,
    scenes_below_each_other,
    smoothed,
    times,
)
from pushpoint.view.scene import draw_scene, united, view_box

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

KEY = "liljeback2010"
TRACK, SERPENOID, ROWS, CLUTTER = (f"{KEY}/{slug}" for slug in ("track", "rows-serpenoid", "rows", "clutter"))
LINK_6, LINK_5, JOINT_5 = 5, 4, 4  # P1's names, our numbers
SPEED = 0.1  # [m/s], P1 VIII-B3
JAM = 17.05  # [s], when the jam of Fig. 15 is resolved
SMOOTHING = 0.3  # [s], of velocities
TIME = "time [s]"
TITLE_PAD = 9  # [points], above marks on the upper edge
SMALLEST_SHARE = 0.05  # of the largest force: those that are named
HALO = withStroke(linewidth=2.5, foreground=style.GROUND)

PUBLISHED: dict[str, Any] = {"color": style.ORANGE, "markeredgecolor": style.INK, "markeredgewidth": 0.6}
PUBLISHED_DOT = PUBLISHED | {"marker": "o", "markersize": 4.2, "linestyle": "none", "zorder": 6}
PUBLISHED_EDGE = PUBLISHED | {"marker": "v", "markersize": 7, "linestyle": "none", "clip_on": False, "zorder": 6}
DASHED: dict[str, Any] = {"color": style.INK, "linestyle": (0, (3.5, 2)), "linewidth": 1.3, "zorder": 2.5}
SAID: dict[str, Any] = {"color": style.GREEN, "linestyle": "--", "linewidth": 1.1, "zorder": 2.2}
HEAD_PATH: dict[str, Any] = {"color": style.HEAD, "linestyle": style.DOTS, "linewidth": 1.3, "zorder": 2.4}


figure = figures_of(KEY)


def slug_of(name: str) -> str:
    return name.split("/")[1]


# --- along the track, VIII-A ---


@figure("fig10", "Fig. 10: serpenoid along the track, the published joints over it", TRACK)
def fig10(runs: Runs, published: Published) -> Figure:
    run, read_off = runs[TRACK], published["fig10"]
    instants = [t for t in np.unique(read_off["t_s"]) if t <= times(run)[-1] + 1e-9]
    sheet, panels = scenes_below_each_other(len(instants), view_box(run))
    for axes, t in zip(panels, instants, strict=True):
        draw_scene(axes, run, view_box(run))
        draw_robot(axes, run, nearest_row(run, t))
        chosen = read_off["t_s"] == t
        axes.plot(read_off["x_m"][chosen], read_off["y_m"][chosen], **PUBLISHED_DOT)
        axes.set_title(f"t = {t:g} s")
    label_lowest(panels)
    marks = [
        mark("this run", color=style.BODY, marker="o", markersize=4),
        mark("its head", color=style.HEAD, marker="o", markersize=4),
        mark("joints and ends, published", **PUBLISHED_DOT),
    ]
    legend_above(sheet, marks)
    return sheet


@figure("fig11", "Fig. 11: path of link 6 along the track", TRACK)
def fig11(runs: Runs, published: Published) -> Figure:
    run, read_off = runs[TRACK], published["fig11"]
    time = times(run)
    path = np.asarray(run.data["link_position"].values, dtype=float)[:, LINK_6]
    shown = read_off["t_s"] <= time[-1] + 1e-9
    t, x, y = (read_off[name][shown] for name in ("t_s", "x6_m", "y6_m"))
    box = view_box(run)
    sheet, (scene, *panels) = scenes_below_each_other(1, box, further=2)
    draw_scene(scene, run, box)
    scene.plot(*path.T, color=style.BLUE, zorder=3)
    scene.plot(x, y, **PUBLISHED_DOT)
    scene.set_title("y against x, among the pipes")
    for axes, ours, theirs, name in zip(panels, path.T, (x, y), "xy", strict=True):
        axes.plot(time, ours, color=style.BLUE, zorder=3)
        axes.plot(t, theirs, **PUBLISHED_DOT, clip_on=False)
        axes.set(ylabel=f"{name} [m]", xlim=(0, time[-1]), xlabel=TIME)
        axes.set_title(f"{name} against time")
    label_lowest(panels)
    legend_above(sheet, [mark("this run", color=style.BLUE), mark("published", **PUBLISHED_DOT)])
    return sheet


# --- among obstacles, VIII-B ---


@figure("fig12", "Fig. 12: initial and final shape and the trace of the head", SERPENOID, ROWS, CLUTTER)
def fig12(runs: Runs, published: Published) -> Figure:
    titles = {
        SERPENOID: "Serpenoid among rows of obstacles",
        ROWS: "Jam resolution among rows of obstacles",
        CLUTTER: "Jam resolution in clutter",
    }
    box = united([view_box(runs[name]) for name in titles])
    sheet, panels = scenes_below_each_other(len(titles), box)
    for axes, (name, title) in zip(panels, titles.items(), strict=True):
        run = runs[name]
        draw_scene(axes, run, box)
        _draw_start_and_end(axes, run)
        _mark_final_x(axes, run, published["fig12"])
        axes.set_title(f"{title}, {times(run)[-1]:g} s", pad=TITLE_PAD)
    label_lowest(panels)
    marks = [
        mark("initial shape", **DASHED),
        mark("final shape", color=style.BODY, linewidth=2.4),
        mark("its head", color=style.HEAD, linewidth=2.4),
        mark("path of the head", **HEAD_PATH),
        mark("final x of the centre of mass", color=style.BODY, marker="v", markersize=7, linestyle="none"),
        mark("the same, published", **PUBLISHED_EDGE),
    ]
    legend_above(sheet, marks)
    note_below(
        sheet,
        "P1's shapes and traces are not available. VIII-B: about 0.5 m in 20 s with the serpenoid, about 2.5 m in 30 s "
        "with jam resolution in both environments.",
    )
    return sheet


def _draw_start_and_end(axes: Axes, run: Recording) -> None:
    draw_shape(axes, run, 0, **DASHED)
    draw_robot(axes, run, -1)
    axes.plot(*_head_path(run).T, **HEAD_PATH)


def _head_path(run: Recording) -> FloatArray:
    """The tip of the head [m], (rows, 2)."""
    centre = np.asarray(run.data["link_position"].values, dtype=float)[:, -1, :2]
    angle = np.asarray(run.data["link_angle"].values, dtype=float)[:, -1:]
    half = run.scenario.built_robot().links[-1].length / 2
    return np.asarray(centre + half * np.concatenate([np.cos(angle), np.sin(angle)], axis=1))


def _mark_final_x(axes: Axes, run: Recording, read_off: Table) -> None:
    """Triangles on the upper edge."""
    on_edge = axes.get_xaxis_transform()
    ours = float(run.data["centre_of_mass"].values[-1, 0])
    look = PUBLISHED_EDGE | {"color": style.BODY, "markeredgecolor": style.PAPER}
    axes.plot([ours], [1.0], transform=on_edge, **look)
    theirs = read_off["x_m"][read_off["run"] == slug_of(run.scenario.name)]
    axes.plot(theirs, np.ones(len(theirs)), transform=on_edge, **PUBLISHED_EDGE)


@figure("fig13", "Fig. 13: velocity along x, and when jam resolution starts", ROWS, CLUTTER)
def fig13(runs: Runs, published: Published) -> Figure:
    sheet, panels = plots_below_each_other(2)
    read_off = published["fig13"]
    for axes, name, title in zip(panels, (ROWS, CLUTTER), ("Rows of obstacles", "Clutter"), strict=True):
        starts = event_times(runs[name], "resolution")
        theirs = read_off["t_s"][read_off["run"] == slug_of(name)]
        _draw_velocity(axes, runs[name])
        for start in starts:
            axes.axvline(start, **DASHED | {"linewidth": 0.8, "zorder": 2})
        axes.axhline(SPEED, **SAID)
        axes.plot(theirs, np.ones(len(theirs)), transform=axes.get_xaxis_transform(), **PUBLISHED_EDGE)
        axes.set_title(f"{title}: {len(starts)} resolutions, published {len(theirs)}", pad=TITLE_PAD)
    label_lowest(panels)
    _show_velocities(panels, [runs[name] for name in (ROWS, CLUTTER)])
    marks = [
        mark(f"this run, smoothed over {SMOOTHING:g} s", color=style.BLUE),
        mark("not smoothed", color=style.SKY, linewidth=0.8),
        mark("jam resolution starts", **DASHED | {"linewidth": 0.8}),
        mark("the same, published", **PUBLISHED_EDGE),
        mark(f"VIII-B3: around {100 * SPEED:g} cm/s", **SAID),
    ]
    legend_above(sheet, marks)
    note_below(sheet, "P1's curves of the velocity are not available.")
    return sheet


def _draw_velocity(axes: Axes, run: Recording) -> None:
    time, velocity = times(run), centre_velocity(run)[:, 0]
    smooth = smoothed(velocity, time, SMOOTHING)
    axes.plot(time, velocity, color=style.SKY, linewidth=0.5, alpha=0.8, zorder=1.5)
    axes.plot(time, smooth, color=style.BLUE, linewidth=1.5, zorder=3)
    axes.axhline(0.0, color=style.QUIET, linewidth=0.7, zorder=1)
    axes.set(xlim=(0, time[-1]), xlabel=TIME, ylabel="velocity [m/s]")


def _show_velocities(panels: Sequence[Axes], runs: Sequence[Recording]) -> None:
    """The same range for all, without the highest spikes of impacts."""
    velocity = np.concatenate([centre_velocity(run)[:, 0] for run in runs])
    low, high = np.percentile(velocity, [0.5, 99.5])
    for axes in panels:
        axes.set_ylim(min(low, -0.01), max(1.1 * high, 0.01))


@figure("fig14", "Fig. 14: force across link 5 and torque at joint 5 among rows", ROWS)
def fig14(runs: Runs, published: Published) -> Figure:
    run, read_off = runs[ROWS], published["fig14"]
    time = times(run)
    torque = -np.asarray(run.data["joint_torque"].values, dtype=float)[:, JOINT_5]
    curves = (
        (_force_to_the_left(run, LINK_5), "force [N]", "Contact force across link 5, positive to its left", "force_N"),
        (torque, "torque [N m]", "Torque of joint 5, with the sign of the paper", "torque_Nm"),
    )
    sheet, panels = plots_below_each_other(len(curves))
    for axes, (values, label, title, column) in zip(panels, curves, strict=True):
        axes.plot(time, values, color=style.BLUE, linewidth=0.7, zorder=3)
        for size in read_off[column]:
            axes.axhline(size, color=style.ORANGE, linestyle="--", linewidth=1.1, zorder=2)
            axes.axhline(-size, color=style.ORANGE, linestyle="--", linewidth=1.1, zorder=2)
        axes.set(xlim=(0, time[-1]), xlabel=TIME, ylabel=label)
        axes.set_title(title)
    label_lowest(panels)
    said = f"above {read_off['force_N'][0]:g} N, as high as {read_off['torque_Nm'][0]:g} N m"
    marks = [
        mark("this run", color=style.BLUE),
        mark(f"published: {said}", color=style.ORANGE, linestyle="--", linewidth=1.1),
    ]
    legend_above(sheet, marks)
    note_below(sheet, "P1's curves are not available; the dashed lines are what VIII-B3 says is reached.")
    return sheet


def _force_to_the_left(run: Recording, link: int) -> FloatArray:
    """Component of the contact force across a link [N], with its sign."""
    force = np.asarray(run.data["contact_force"].values, dtype=float)[:, link]
    angle = np.asarray(run.data["link_angle"].values, dtype=float)[:, link]
    return np.asarray(force[:, 1] * np.cos(angle) - force[:, 0] * np.sin(angle))


@figure("fig15", "Fig. 15: before and after one jam resolution among rows", ROWS)
def fig15(runs: Runs, published: Published) -> Figure | None:
    run = runs[ROWS]
    starts = event_times(run, "resolution")
    if not len(starts):
        return None
    start = float(starts[np.argmin(np.abs(starts - JAM))])
    end = _end_of_resolution(run, start)
    before, after = nearest_row(run, start), nearest_row(run, end)
    box = view_box(_part(run, before, after))
    sheet, (axes,) = scenes_below_each_other(1, box)
    draw_scene(axes, run, box)
    draw_shape(axes, run, before, **DASHED | {"marker": "o", "markersize": 2.5})
    draw_robot(axes, run, after)
    _draw_forces(axes, run, before)
    axes.set_title(f"Resolution from {start:.2f} to {end:.2f} s; published: {JAM} to {JAM + 0.5} s")
    legend_above(sheet, _marks_of_a_resolution())
    note_below(
        sheet,
        "P1's drawing is not available; shown is our resolution that starts nearest to P1's. VIII-B3: forces on "
        "links 4 and 8 cause the jam; link 4 is turned\nclockwise and link 8 counterclockwise.",
    )
    return sheet


def _draw_forces(axes: Axes, run: Recording, row: int) -> None:
    """Arrows, each with P1's number of its link and its size; the largest force has the full length."""
    pushes = pushes_at(run, row)
    size = np.linalg.norm(pushes.force, axis=1)
    draw_arrows(axes, run, row, float(size.max(initial=0.0)) or 1.0)
    for link, point, force, newton in zip(pushes.link, pushes.point, pushes.force, size, strict=True):
        if newton > SMALLEST_SHARE * size.max():
            tip = point + force * (ARROW_LENGTH / size.max())
            text = axes.annotate(f"link {link + 1}: {newton:.0f} N", tip, (5, 0), textcoords="offset points")
            text.set(color=style.FORCE, va="center", zorder=7, path_effects=[HALO])


def _end_of_resolution(run: Recording, start: float) -> float:
    ends = event_times(run, "resolution-ended")
    later = ends[ends > start]
    return float(later[0]) if len(later) else float(times(run)[-1])


def _part(run: Recording, first: int, last: int) -> Recording:
    return replace(run, data=run.data.isel(time=slice(first, last + 1)))


def _marks_of_a_resolution() -> Sequence[Line2D]:
    arrow: dict[str, Any] = {"marker": r"$\rightarrow$", "markersize": 12, "linestyle": "none"}
    return [
        mark("before", **DASHED | {"marker": "o", "markersize": 2.5}),
        mark("after", color=style.BODY, linewidth=2.4),
        mark("its head", color=style.HEAD, linewidth=2.4),
        mark(f"contact force before, mean over {FORCE_WINDOW:g} s", color=style.FORCE, **arrow),
    ]
