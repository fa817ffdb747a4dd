"""Figs. 9 to 15 of P2: Transeth, Leine, Glocker, Pettersen, Liljebäck, Snake Robot Obstacle Aided Locomotion:
Modeling, Simulations, and Experiments, 2008.

Of P2's curves only those of Fig. 14 were read off; elsewhere our runs are shown with the numbers of P2's text, and the
figure says so. P2 counts links from the head (1) to the tail (11): its link i is link 11 - i here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patheffects import withStroke

from pushpoint.view import style
from pushpoint.view.bodies import FORCE_WINDOW, arrows, draw_robot, pushes_at, quiver
from pushpoint.view.papers import Published, Runs, Table, figures_of
from pushpoint.view.papers._parts import (
    label_lowest,
    legend_above,
    mark,
    nearest_row,
    note_below,
    plots_below_each_other,
    scenes_below_each_other,
    times,
)
from pushpoint.view.scene import Box, draw_scene, united, view_box

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

KEY = "transeth2008a"
FLAT, TRACK, AS_BUILT, SMALL_PEGS, LOW, HIGH = (
    f"{KEY}/{slug}" for slug in ("flat", "track", "track-as-built", "track-small-pegs", "posture-low", "posture-high")
)
HEAD = 11  # P2's link i is link HEAD - i here
LINK_6 = HEAD - 6
PUSHED = 5.2  # [s], of Fig. 10
FORCES_FROM, FORCES_TO = 4.5, 5.5  # [s], of Fig. 11
FORCE_LINKS = (2, 7, 10)  # P2's numbers, of Fig. 11
POSTURES_UNTIL = 5.0  # [s], of Fig. 12
INSTANTS = (0.0, 2.5, 5.0, 7.5, 10.0)  # [s], of Fig. 15; but for 0 s ours, P2 does not say
FLAT_SPEED, TRACK_SPEED = -0.01, 0.15  # [m/s], P2 VIII-D1 and VIII-D2
FLAT_X, FLAT_Y = (-0.17, 0.03), (-0.25, 0.15)  # [m], spans as wide as those of P2's Fig. 13
TIME = "time [s]"
HALO = withStroke(linewidth=2.5, foreground=style.GROUND)

SAID: dict[str, Any] = {"color": style.ORANGE, "linestyle": "--", "linewidth": 1.4, "zorder": 2}
DOT: dict[str, Any] = {"markeredgecolor": style.INK, "markeredgewidth": 0.5, "markersize": 4.2, "linestyle": "none"}
SIMULATED = DOT | {"color": style.ORANGE, "marker": "o", "zorder": 5}
MEASURED = DOT | {"color": style.GREEN, "marker": "s", "zorder": 4}
PATH: dict[str, Any] = {"color": style.INK, "linestyle": (0, (3.5, 2)), "linewidth": 1.4, "zorder": 4}
ARROW: dict[str, Any] = {"marker": r"$\rightarrow$", "markersize": 12, "linestyle": "none"}
NO_CURVE = "P2's curve is not available."


figure = figures_of(KEY)


def path_of_link_6(run: Recording) -> FloatArray:
    """Its centre [m], (rows, 2)."""
    return np.asarray(run.data["link_position"].values, dtype=float)[:, LINK_6, :2]


def draw_coordinates(panels: Sequence[Axes], run: Recording, **look: Any) -> None:
    """x and y of link 6 over time, one per panel."""
    for axes, values, name in zip(panels, path_of_link_6(run).T, "xy", strict=True):
        axes.plot(times(run), values, **look)
        axes.set(xlabel=TIME, ylabel=f"$\\mathregular{{{name}_6}}$ [m]", xlim=(0, times(run)[-1]))


def draw_published(panels: Sequence[Axes], read_off: Table, source: str, until: float, **look: Any) -> None:
    """x and y of link 6, simulated or measured, as far as our run goes."""
    shown = read_off["t_s"] <= until + 1e-9
    for axes, name in zip(panels, "xy", strict=True):
        axes.plot(read_off["t_s"][shown], read_off[f"{name}6_{source}_m"][shown], **look, clip_on=False)


# --- thin pegs, VIII-B ---


@figure("fig9", "Fig. 9: position of link 6 among small obstacles", SMALL_PEGS)
def fig9(runs: Runs, published: Published) -> Figure:
    run = runs[SMALL_PEGS]
    sheet, panels = plots_below_each_other(2)
    draw_coordinates(panels, run, color=style.BLUE, zorder=3)
    draw_published(panels, published["fig14"], "simulated", times(run)[-1], **SIMULATED)
    panels[0].set_title("(a) along the track")
    panels[1].set_title("(b) across it")
    label_lowest(panels)
    marks = [
        mark("this run, small obstacles", color=style.BLUE),
        mark("published simulation with large ones, Fig. 14", **SIMULATED),
    ]
    legend_above(sheet, marks)
    note_below(
        sheet,
        f"{NO_CURVE} VIII-D2: the path of Fig. 14 'is almost identical'. P2 gives no places of the small obstacles: "
        "each touches the robot where\nthe large one does.",
    )
    return sheet


@figure("fig10", "Fig. 10: contact forces on the robot at 5.2 s", SMALL_PEGS)
def fig10(runs: Runs, published: Published) -> Figure | None:
    run = runs[SMALL_PEGS]
    if times(run)[-1] < PUSHED - 1e-9:
        return None
    row = nearest_row(run, PUSHED)
    box = _box_around(_links(run, row))
    box = box._replace(bottom=box.bottom - 0.1)  # room for the sum of the forces
    sheet, (axes,) = scenes_below_each_other(1, box)
    draw_scene(axes, run, box)
    draw_robot(axes, run, row)
    _draw_forces(axes, run, row, box)
    axes.set_title(f"t = {PUSHED:g} s; the robot moves to the right")
    arrow = f"contact force on a link, mean over {FORCE_WINDOW:g} s; below: their sum"
    legend_above(sheet, [mark("its head", color=style.HEAD, linewidth=2.4), mark(arrow, color=style.FORCE, **ARROW)])
    note_below(
        sheet,
        "P2's drawing is not available. VIII-B: the sum of the forces points to the right; link 7 (P2 counts from the "
        "head) alone is pushed along \N{MINUS SIGN}y, links 2 and\n10 are not. Ours is so in the links' own axes, "
        "which point to the tail; in the axes of the picture the signs are the opposite (docs, Departures from P2).",
    )
    return sheet


def _links(run: Recording, row: int) -> FloatArray:
    """Their centres at one row [m], (links, 2)."""
    return np.asarray(run.data["link_position"].values, dtype=float)[row, :, :2]


def _box_around(points: FloatArray, margin: float = 0.15) -> Box:
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    return Box(float(low[0]), float(high[0]), float(low[1]), float(high[1]))


def _draw_forces(axes: Axes, run: Recording, row: int, box: Box) -> None:
    """One arrow per contact, named by P2's number of its link, and that of their sum; the largest has full length."""
    pushes = pushes_at(run, row)
    total = pushes.force.sum(axis=0)
    force = np.vstack([pushes.force, total])
    start = np.vstack([pushes.point, (0.5 * (box.left + box.right), box.bottom + 0.07)])
    full = float(np.linalg.norm(force, axis=1).max()) or 1.0
    quiver(axes, start, arrows(force, full))
    names = [f"link {HEAD - link}" for link in pushes.link] + ["sum"]
    for name, tip, (x, y) in zip(names, start + arrows(force, full), force, strict=True):
        text = f"{name}: ({x:+.1f}, {y:+.1f}) N".replace("-", "\N{MINUS SIGN}")
        label = axes.annotate(text, tip.tolist(), (8, 0), textcoords="offset points", va="center")
        label.set(color=style.FORCE, zorder=7, path_effects=[HALO])


@figure("fig11", "Fig. 11: contact forces on links 2, 7 and 10", SMALL_PEGS)
def fig11(runs: Runs, published: Published) -> Figure | None:
    run = runs[SMALL_PEGS]
    time = times(run)
    shown = (time >= FORCES_FROM - 1e-9) & (time <= FORCES_TO + 1e-9)
    if shown.sum() < 2:
        return None
    force = np.asarray(run.data["contact_force"].values, dtype=float)[shown][..., :2]
    size = np.linalg.norm(force, axis=2)
    chosen = [HEAD - number for number in FORCE_LINKS]
    sheet, panels = plots_below_each_other(len(chosen))
    top = 1.2 * max(float(np.percentile(size[:, link], 97)) for link in chosen) or 1.0
    for axes, link, number, letter in zip(panels, chosen, FORCE_LINKS, "abc", strict=True):
        mean = float(size[:, link].mean())
        axes.plot(time[shown], size[:, link], color=style.BLUE, linewidth=1.2, zorder=3)
        axes.plot(time[shown], force[:, link, 1], color=style.SKY, linewidth=1.0, zorder=2.5)
        axes.axhline(mean, **PATH | {"linewidth": 1.0})
        axes.set(xlim=(FORCES_FROM, FORCES_TO), ylim=(-top, top), xlabel=TIME, ylabel="force [N]")
        axes.set_title(f"({letter}) link {number}: {mean:.1f} N in the mean")
    label_lowest(panels)
    marks = [
        mark("size of the contact force, this run", color=style.BLUE, linewidth=1.2),
        mark("its component along y", color=style.SKY, linewidth=1.0),
        mark("mean of the size", **PATH | {"linewidth": 1.0}),
    ]
    legend_above(sheet, marks)
    note_below(
        sheet,
        "P2's curves are not available. VIII-B: the mean on link 7 is higher than on the other two; spikes of impacts "
        "are cut off, there and here.\nForces are means over 10 ms, P2's over a time step. Which link touches when "
        "depends on the places of the obstacles, not printed.",
    )
    return sheet


@figure("fig12", "Fig. 12: postures with phase shifts of -30 and -70 deg, and the path of the middle link", LOW, HIGH)
def fig12(runs: Runs, published: Published) -> Figure:
    titles = {LOW: "(a) phase shift \N{MINUS SIGN}30 deg", HIGH: "(b) phase shift \N{MINUS SIGN}70 deg"}
    box = united([_box_around(np.vstack([_links(runs[name], 0), path_of_link_6(runs[name])])) for name in titles])
    sheet, panels = scenes_below_each_other(len(titles), box)
    for axes, (name, title) in zip(panels, titles.items(), strict=True):
        run = runs[name]
        draw_scene(axes, run, box)
        draw_robot(axes, run, 0)
        until = nearest_row(run, POSTURES_UNTIL) + 1  # both runs end there; longer ones would say more than P2 shows
        path = path_of_link_6(run)[:until]
        axes.plot(*path.T, **PATH)
        gone = f"{path[-1, 0] - path[0, 0]:.2f} m in {times(run)[until - 1]:g} s".replace("-", "\N{MINUS SIGN}")
        axes.set_title(f"{title}: {gone}")
    label_lowest(panels)
    marks = [
        mark("robot at t = 0 s", color=style.BODY, linewidth=2.4),
        mark("its head", color=style.HEAD, linewidth=2.4),
        mark("path of the middle link", **PATH),
    ]
    legend_above(sheet, marks)
    note_below(
        sheet,
        "P2's drawing and the places of its obstacles are not available; they are placed by its rule (VII-D). VIII-B: "
        "with \N{MINUS SIGN}30 deg the robot is unable to move\nforward, with \N{MINUS SIGN}70 deg it is able, but "
        "inefficiently.",
    )
    return sheet


# --- experiments, VIII-D ---


@figure("fig13", "Fig. 13: position of link 6 on flat ground", FLAT)
def fig13(runs: Runs, published: Published) -> Figure:
    run = runs[FLAT]
    sheet, panels = plots_below_each_other(2)
    time, path = times(run), path_of_link_6(run)
    for axes, values, name, span in zip(panels, (path - path[0]).T, "xy", (FLAT_X, FLAT_Y), strict=True):
        axes.plot(time, values, color=style.BLUE, zorder=3)
        axes.set(xlabel=TIME, xlim=(0, time[-1]), ylim=span)
        axes.set_ylabel(f"$\\mathregular{{{name}_6}}$ from its start [m]")
    panels[0].plot(time[[0, -1]], FLAT_SPEED * time[[0, -1]], **SAID)
    panels[0].set_title("(a) forward")
    panels[1].set_title("(b) to the left")
    label_lowest(panels)
    said = f"P2, VIII-D1: about {100 * FLAT_SPEED:g} cm/s".replace("-", "\N{MINUS SIGN}")
    legend_above(sheet, [mark("this run", color=style.BLUE), mark(said, **SAID)])
    note_below(
        sheet,
        "P2's curves are not available. Its axes are as wide as these; x runs from 0.3 to 0.5 m there, where link 6 "
        "starts is not printed.",
    )
    return sheet


@figure("fig14", "Fig. 14: position of link 6 along the track of seven pipes", TRACK, AS_BUILT)
def fig14(runs: Runs, published: Published) -> Figure:
    run, read_off = runs[TRACK], published["fig14"]
    sheet, panels = plots_below_each_other(2)
    until = times(run)[-1]
    draw_coordinates(panels, run, color=style.BLUE, zorder=3)
    draw_coordinates(panels, runs[AS_BUILT], color=style.SKY, linewidth=1.1, zorder=2.5)
    draw_published(panels, read_off, "measured", until, **MEASURED)
    draw_published(panels, read_off, "simulated", until, **SIMULATED)
    start = float(read_off["x6_simulated_m"][0])
    panels[0].plot([0, until], [start, start + TRACK_SPEED * until], **SAID | {"color": style.QUIET, "linewidth": 1.0})
    panels[0].set_title("(a) along the track")
    panels[1].set_title("(b) across it")
    label_lowest(panels)
    marks = [
        mark("this run", color=style.BLUE),
        mark("with what VIII-E names", color=style.SKY, linewidth=1.1),
        mark("published, simulated", **SIMULATED),
        mark("published, robot", **MEASURED),
        mark(f"VIII-D2: ca. {100 * TRACK_SPEED:g} cm/s", **SAID | {"color": style.QUIET, "linewidth": 1.0}),
    ]
    legend_above(sheet, marks)
    return sheet


@figure("fig15", "Fig. 15: the robot among the pipes", TRACK)
def fig15(runs: Runs, published: Published) -> Figure:
    run = runs[TRACK]
    instants = [t for t in INSTANTS if t <= times(run)[-1] + 1e-9]
    box = view_box(run)
    sheet, panels = scenes_below_each_other(len(instants), box)
    for axes, t in zip(panels, instants, strict=True):
        draw_scene(axes, run, box)
        draw_robot(axes, run, nearest_row(run, t))
        axes.set_title(f"t = {t:g} s")
    label_lowest(panels)
    legend_above(sheet, [mark("this run", color=style.BODY, linewidth=2.4), mark("its head", color=style.HEAD, lw=2.4)])
    note_below(
        sheet,
        "P2's pictures, of the simulation and of the robot, are not available; but for the first the instants are "
        "ours. The pose at 0 s was fitted to the first\npoint of Fig. 14.",
    )
    return sheet
