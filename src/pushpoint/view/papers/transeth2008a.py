"""Figs. 9 to 15 of P2: Transeth, Leine, Glocker, Pettersen, Liljebäck, Snake Robot Obstacle Aided Locomotion:
Modeling, Simulations, and Experiments, 2008.

Of P2's curves only those of Fig. 14 were read off; elsewhere our runs are shown with the numbers of P2's text, and the
figure says so. P2 counts links from the head (1) to the tail (11): its link i is link 11 - i here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.analysis._series import link_path, recorded, times
from pushpoint.view import style
from pushpoint.view.bodies import FORCE_WINDOW, arrows, draw_robot, pushes_at, quiver
from pushpoint.view.papers import Published, Table, figures_of
from pushpoint.view.papers import _parts as parts
from pushpoint.view.papers._parts import BODY, HEAD, MINUS, OURS, TIME, explained, nearest_row
from pushpoint.view.surroundings import Box, draw_scene, united, view_box

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

FIRST = 11  # P2's link i is link FIRST - i here
LINK_6 = FIRST - 6
PUSHED = 5.2  # [s], of Fig. 10
FORCES_FROM, FORCES_TO = 4.5, 5.5  # [s], of Fig. 11
FORCE_LINKS = (2, 7, 10)  # P2's numbers, of Fig. 11
POSTURES_UNTIL = 5.0  # [s], of Fig. 12
INSTANTS = (0.0, 2.5, 5.0, 7.5, 10.0)  # [s], of Fig. 15; but for 0 s ours, P2 does not say
FLAT_SPEED, TRACK_SPEED = -0.01, 0.15  # [m/s], P2 VIII-D1 and VIII-D2
FLAT_X, FLAT_Y = (-0.17, 0.03), (-0.25, 0.15)  # [m], spans as wide as those of P2's Fig. 13

SAID = style.drawn_as(color="orange", linestyle="--", linewidth=1.4, zorder=2)
ALSO_SAID = SAID | style.drawn_as(color="quiet", linewidth=1.0)
DOT = style.drawn_as(markeredgecolor="ink", markeredgewidth=0.5, markersize=4.2, linestyle="none")
SIMULATED = DOT | style.drawn_as(color="orange", marker="o", zorder=5)
MEASURED = DOT | style.drawn_as(color="green", marker="s", zorder=4)
PATH = parts.DASHED | style.drawn_as(linewidth=1.4, zorder=4)
MEAN = PATH | style.drawn_as(linewidth=1.0)
AS_BUILT = style.drawn_as(color="sky", linewidth=1.1, zorder=2.5)
SIZE = OURS | {"linewidth": 1.2}
COMPONENT = style.drawn_as(color="sky", linewidth=1.0, zorder=2.5)

figure = figures_of("transeth2008a")


def draw_coordinates(panels: Sequence[Axes], run: Recording, **drawn_as: Any) -> None:
    """x and y of link 6 over time, one per panel."""
    for axes, values, name, title in zip(
        panels, link_path(run, LINK_6).T, "xy", ("(a) along the track", "(b) across it"), strict=True
    ):
        axes.plot(times(run), values, **drawn_as)
        axes.set(xlabel=TIME, ylabel=f"$\\mathregular{{{name}_6}}$ [m]", xlim=(0, times(run)[-1]))
        axes.set_title(title)


def draw_published(panels: Sequence[Axes], read_off: Table, source: str, until: float, **drawn_as: Any) -> None:
    """x and y of link 6, simulated or measured, as far as our run goes."""
    shown = read_off["t_s"] <= until + 1e-9
    for axes, name in zip(panels, "xy", strict=True):
        axes.plot(read_off["t_s"][shown], read_off[f"{name}6_{source}_m"][shown], **drawn_as, clip_on=False)


# --- thin pegs, VIII-B ---


@figure("fig9", "Fig. 9: position of link 6 among small obstacles", "track-small-pegs")
def fig9(published: Published, run: Recording) -> Figure:
    sheet, panels = parts.plots_below_each_other(2)
    draw_coordinates(panels, run, **OURS)
    draw_published(panels, published["fig14"], "simulated", times(run)[-1], **SIMULATED)
    parts.label_outer(panels)
    return explained(
        sheet,
        {"this run, small obstacles": OURS, "published simulation with large ones, Fig. 14": SIMULATED},
        "P2's curve is not available. VIII-D2: the path of Fig. 14 'is almost identical'. P2 gives no places of the "
        "small obstacles: each touches the robot where\nthe large one does.",
    )


@figure("fig10", "Fig. 10: contact forces on the robot at 5.2 s", "track-small-pegs")
def fig10(published: Published, run: Recording) -> Figure | None:
    if times(run)[-1] < PUSHED - 1e-9:
        return None
    row = nearest_row(run, PUSHED)
    box = _box_around(_links(run, row))
    box = box._replace(bottom=box.bottom - 0.1)  # room for the sum of the forces
    sheet, (axes,) = parts.scenes_below_each_other(1, box)
    draw_scene(axes, run, box)
    draw_robot(axes, run, row)
    _draw_forces(axes, run, row, box)
    axes.set_title(f"t = {PUSHED:g} s; the robot moves to the right")
    return explained(
        sheet,
        {"its head": HEAD, f"contact force on a link, mean over {FORCE_WINDOW:g} s; below: their sum": style.ARROW},
        "P2's drawing is not available. VIII-B: the sum of the forces points to the right; link 7 (P2 counts from the "
        f"head) alone is pushed along {MINUS}y, links 2 and\n10 are not. Ours is so in the links' own axes, "
        "which point to the tail; in the axes of the picture the signs are the opposite (docs, Departures from P2).",
    )


def _links(run: Recording, row: int) -> FloatArray:
    """Their centres at one row [m], (links, 2)."""
    return recorded(run, "link_position")[row, :, :2]


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
    names = [f"link {FIRST - link}" for link in pushes.link] + ["sum"]
    for name, tip, (x, y) in zip(names, start + arrows(force, full), force, strict=True):
        text = f"{name}: ({x:+.1f}, {y:+.1f}) N".replace("-", MINUS)
        label = axes.annotate(text, tip.tolist(), (8, 0), textcoords="offset points", va="center")
        label.set(color=style.FORCE, zorder=7, path_effects=parts.halo())


@figure("fig11", "Fig. 11: contact forces on links 2, 7 and 10", "track-small-pegs")
def fig11(published: Published, run: Recording) -> Figure | None:
    time = times(run)
    shown = (time >= FORCES_FROM - 1e-9) & (time <= FORCES_TO + 1e-9)
    if shown.sum() < 2:
        return None
    chosen = [FIRST - number for number in FORCE_LINKS]
    force = recorded(run, "contact_force")[shown][:, chosen, :2]
    size = np.linalg.norm(force, axis=2)
    sheet, panels = parts.plots_below_each_other(len(chosen))
    top = 1.2 * float(np.percentile(size, 97, axis=0).max()) or 1.0
    for k, (axes, number, letter) in enumerate(zip(panels, FORCE_LINKS, "abc", strict=True)):
        mean = float(size[:, k].mean())
        axes.plot(time[shown], size[:, k], **SIZE)
        axes.plot(time[shown], force[:, k, 1], **COMPONENT)
        axes.axhline(mean, **MEAN)
        axes.set(xlim=(FORCES_FROM, FORCES_TO), ylim=(-top, top), xlabel=TIME, ylabel="force [N]")
        axes.set_title(f"({letter}) link {number}: {mean:.1f} N in the mean")
    parts.label_outer(panels)
    return explained(
        sheet,
        {"size of the contact force, this run": SIZE, "its component along y": COMPONENT, "mean of the size": MEAN},
        "P2's curves are not available. VIII-B: the mean on link 7 is higher than on the other two; spikes of impacts "
        "are cut off, there and here.\nForces are means over 10 ms, P2's over a time step. Which link touches when "
        "depends on the places of the obstacles, not printed.",
    )


@figure(
    "fig12",
    "Fig. 12: postures with phase shifts of -30 and -70 deg, and the path of the middle link",
    "posture-low",
    "posture-high",
)
def fig12(published: Published, *runs: Recording) -> Figure:
    titles = (f"(a) phase shift {MINUS}30 deg", f"(b) phase shift {MINUS}70 deg")
    box = united([_box_around(np.vstack([_links(run, 0), link_path(run, LINK_6)])) for run in runs])
    sheet, panels = parts.scenes_below_each_other(len(runs), box)
    for axes, run, title in zip(panels, runs, titles, strict=True):
        draw_scene(axes, run, box)
        draw_robot(axes, run, 0)
        until = nearest_row(run, POSTURES_UNTIL) + 1  # both runs end there; longer ones would say more than P2 shows
        path = link_path(run, LINK_6)[:until]
        axes.plot(*path.T, **PATH)
        gone = f"{path[-1, 0] - path[0, 0]:.2f} m in {times(run)[until - 1]:g} s".replace("-", MINUS)
        axes.set_title(f"{title}: {gone}")
    parts.label_outer(panels)
    return explained(
        sheet,
        {"robot at t = 0 s": BODY, "its head": HEAD, "path of the middle link": PATH},
        "P2's drawing and the places of its obstacles are not available; they are placed by its rule (VII-D). VIII-B: "
        f"with {MINUS}30 deg the robot is unable to move\nforward, with {MINUS}70 deg it is able, but "
        "inefficiently.",
    )


# --- experiments, VIII-D ---


@figure("fig13", "Fig. 13: position of link 6 on flat ground", "flat")
def fig13(published: Published, run: Recording) -> Figure:
    sheet, panels = parts.plots_below_each_other(2)
    time, path = times(run), link_path(run, LINK_6)
    for axes, values, name, span in zip(panels, (path - path[0]).T, "xy", (FLAT_X, FLAT_Y), strict=True):
        axes.plot(time, values, **OURS)
        axes.set(xlabel=TIME, xlim=(0, time[-1]), ylim=span)
        axes.set_ylabel(f"$\\mathregular{{{name}_6}}$ from its start [m]")
    panels[0].plot(time[[0, -1]], FLAT_SPEED * time[[0, -1]], **SAID)
    panels[0].set_title("(a) forward")
    panels[1].set_title("(b) to the left")
    parts.label_outer(panels)
    said = f"P2, VIII-D1: about {100 * FLAT_SPEED:g} cm/s".replace("-", MINUS)
    return explained(
        sheet,
        {"this run": OURS, said: SAID},
        "P2's curves are not available. Its axes are as wide as these; x runs from 0.3 to 0.5 m there, where link 6 "
        "starts is not printed.",
    )


@figure("fig14", "Fig. 14: position of link 6 along the track of seven pipes", "track", "track-as-built")
def fig14(published: Published, run: Recording, as_built: Recording) -> Figure:
    read_off, until = published["fig14"], times(run)[-1]
    sheet, panels = parts.plots_below_each_other(2)
    draw_coordinates(panels, run, **OURS)
    draw_coordinates(panels, as_built, **AS_BUILT)
    draw_published(panels, read_off, "measured", until, **MEASURED)
    draw_published(panels, read_off, "simulated", until, **SIMULATED)
    start = float(read_off["x6_simulated_m"][0])
    panels[0].plot([0, until], [start, start + TRACK_SPEED * until], **ALSO_SAID)
    parts.label_outer(panels)
    marks = {
        "this run": OURS,
        "with what VIII-E names": AS_BUILT,
        "published, simulated": SIMULATED,
        "published, robot": MEASURED,
        f"VIII-D2: ca. {100 * TRACK_SPEED:g} cm/s": ALSO_SAID,
    }
    return explained(sheet, marks)


@figure("fig15", "Fig. 15: the robot among the pipes", "track")
def fig15(published: Published, run: Recording) -> Figure:
    instants, box = parts.reached(run, INSTANTS), view_box(run)
    sheet, panels = parts.scenes_below_each_other(len(instants), box)
    for axes, t in zip(panels, instants, strict=True):
        draw_scene(axes, run, box)
        draw_robot(axes, run, nearest_row(run, t))
        axes.set_title(f"t = {t:g} s")
    parts.label_outer(panels)
    return explained(
        sheet,
        {"this run": BODY, "its head": HEAD},
        "P2's pictures, of the simulation and of the robot, are not available; but for the first the instants are "
        "ours. The pose at 0 s was fitted to the first\npoint of Fig. 14.",
    )
