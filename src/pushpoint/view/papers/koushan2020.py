"""Figs. 5.3 to 5.17 of P4: Koushan, Hybrid Obstacle Aided Locomotion in Snake Robots, 2020.

P4's curves are not digitised: shown are our runs of its controllers, the same tasks by the quadratic program, and the
numbers of P4's tables. P4 counts links, joints and obstacles from 1, this package from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D

from pushpoint.analysis.contacts import peg_forces
from pushpoint.analysis.effort import static_torques
from pushpoint.view import style
from pushpoint.view.bodies import draw_robot, draw_shape
from pushpoint.view.papers import Drawing, PaperFigure, Published, Runs, paper_figures
from pushpoint.view.papers._parts import (
    label_lowest,
    legend_above,
    mark,
    note_below,
    plots_below_each_other,
    scenes_below_each_other,
    times,
)
from pushpoint.view.scene import Box, draw_scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

KEY = "koushan2020"
CENTRE, TORQUE, REACH = 6, -2.0, 1.35  # P4's joint 7; [N m], Table 5.1; [m], from there to the outer pegs
TIME, ANGLE, FORCE = "time [s]", "angle [rad]", "force [N]"
COLOURS = (style.BLUE, style.GREEN, style.RED, style.PINK, style.SKY)
NOT_READ = "P4's curves are not digitised; dashed are its set-points."
DAMPED = "Joints have a damping of 0.5 N m s/rad, not in P4."
WANTED: dict[str, Any] = {"color": style.ORANGE, "linestyle": "--", "linewidth": 1.6, "zorder": 4}
START: dict[str, Any] = {"color": style.INK, "linestyle": (0, (3.5, 2)), "linewidth": 1.3, "zorder": 2.5}
SHOWN_FORCE = 10.0  # [N]: hits of single rows are larger
TABLE = Box(-0.25, 1.95, -0.3, 0.5)  # [m]: the six links and their pegs


def name(slug: str) -> str:
    return f"{KEY}/{slug}"


def figure(slug: str, title: str, *scenarios: str) -> Callable[[Drawing], Drawing]:
    """Decorator: register the function that draws one figure."""

    def add(draw: Drawing) -> Drawing:
        paper_figures.add(name(slug), PaperFigure(title, tuple(name(s) for s in scenarios), draw))
        return draw

    return add


def link_angle(run: Recording, link: int, relative_to: int | None = None) -> FloatArray:
    """[rad], (rows,)."""
    angle = np.asarray(run.data["link_angle"].values, dtype=float)
    return np.asarray(angle[:, link] if relative_to is None else angle[:, link] - angle[:, relative_to])


def motor_torque(run: Recording) -> FloatArray:
    """[N m], (rows, joints): what is recorded holds what dampers take."""
    robot = run.scenario.built_robot()
    damping = np.array([robot.joint(j).damping for j in range(len(robot.links) - 1)])
    torque, rate = (np.asarray(run.data[key].values, dtype=float) for key in ("joint_torque", "joint_rate"))
    return np.asarray(torque + damping * rate)


# --- 5.2 ---


@figure("fig5.3", "Fig. 5.3: joint torques of a straight robot on three pegs", "validity", "validity-qp")
def fig5_3(runs: Runs, published: Published) -> Figure:
    run = runs[name("validity")]
    sheet, (axes,) = plots_below_each_other(1)
    joint = np.arange(len(run.data["joint"])) - CENTRE
    axes.plot(joint, -static_torques(run, CENTRE, TORQUE, REACH), **WANTED)
    looks: dict[str, dict[str, Any]] = {
        "validity": {"color": style.BLUE, "marker": "o", "markersize": 7},
        "validity-qp": {"color": style.GREEN, "marker": "x", "markersize": 6, "markeredgewidth": 1.8},
    }
    for slug, look in looks.items():
        last = np.asarray(runs[name(slug)].data["joint_torque"].values, dtype=float)[-50:].mean(axis=0)
        axes.plot(joint, -last, linestyle="none", zorder=5, **look)
    axes.set(xlabel="joints from the centre, to the head", ylabel="\N{MINUS SIGN}torque [N m]", xticks=joint)
    forces = ", ".join(f"{peg_forces(run, peg)[-50:].mean():.2f}" for peg in range(3))
    axes.set_title(f"Steady torques; the pegs take {forces} N")
    marks = [
        mark("statics, which P4 expects", **WANTED),
        mark("PID of Table 5.1", color=style.BLUE, marker="o", markersize=6, linestyle="none"),
        mark("quadratic program", color=style.GREEN, marker="x", markersize=6, linestyle="none"),
    ]
    legend_above(sheet, marks)
    note_below(sheet, "P4's values are not digitised: it finds them close to linear and symmetric. " + DAMPED)
    return sheet


# --- 5.3 ---


@figure("fig5.6", "Fig. 5.6: angle of link 5 with the filter", "position-filtered", "position-filtered-qp")
def fig5_6(runs: Runs, published: Published) -> Figure:
    return _position(runs, "position-filtered", "P4's filtered control, (3.49)")


@figure("fig5.7", "Fig. 5.7: angle of link 5 without the filter", "position-unfiltered", "position-unfiltered-qp")
def fig5_7(runs: Runs, published: Published) -> Figure:
    return _position(runs, "position-unfiltered", "P4's unfiltered control, (3.38)-(3.41)")


def _position(runs: Runs, slug: str, title: str) -> Figure:
    """Angles of the links at the pegs under P4's control, its torques, and the program's angles."""
    sheet, panels = plots_below_each_other(3)
    links = (1, 2, 4)
    for axes, run in ((panels[0], runs[name(slug)]), (panels[2], runs[name(f"{slug}-qp")])):
        for link, colour in zip(links, COLOURS, strict=False):
            axes.plot(times(run), link_angle(run, link), color=colour, zorder=3)
        axes.axhline(0.3, **WANTED)
        axes.set(ylabel=ANGLE)
    panels[0].set_title(title)
    _draw_torques(panels[1], runs[name(slug)])
    panels[2].set_title("The same task by the quadratic program")
    _share_time(panels, runs[name(slug)], runs[name(f"{slug}-qp")])
    marks = [mark(f"link {link + 1}", color=colour) for link, colour in zip(links, COLOURS, strict=False)]
    legend_above(sheet, [*marks, mark("set-point of link 5", **WANTED), *_joint_marks()])
    note_below(sheet, f"{NOT_READ} Links and joints as P4 counts them, from 1. {DAMPED}")
    return sheet


def _draw_torques(axes: Axes, run: Recording) -> None:
    torque = motor_torque(run)
    for j, look in enumerate(_joint_looks(torque.shape[1])):
        axes.plot(times(run)[1:], torque[1:, j], **look)
    axes.set(ylabel="torque [N m]")
    axes.set_title("Torques of its motors")


def _joint_looks(joints: int) -> list[dict[str, Any]]:
    shades = np.linspace(0.15, 0.75, joints)
    return [{"color": (s, s, s), "linewidth": 1.1, "zorder": 3} for s in shades]


def _joint_marks() -> list[Line2D]:
    looks = _joint_looks(5)
    return [mark("torque of joint 1", **looks[0]), mark("to 5", **looks[-1])]


def _share_time(panels: Sequence[Axes], first: Recording, second: Recording) -> None:
    """Two panels over the time of P4's run, the last one over that of the program's."""
    for axes in panels[:-1]:
        axes.set(xlim=(0, times(first)[-1]))
    panels[-1].set(xlim=(0, times(second)[-1]), xlabel=TIME)
    panels[0].tick_params(labelbottom=False)


@figure(
    "fig5.8",
    "Fig. 5.8: robots after position control, and Fig. 5.9",
    "position-filtered",
    "position-unfiltered",
    "position-filtered-qp",
)
def fig5_8(runs: Runs, published: Published) -> Figure:
    titles = {
        "position-filtered": "P4, filtered",
        "position-unfiltered": "P4, unfiltered",
        "position-filtered-qp": "Quadratic program",
    }
    sheet, panels = scenes_below_each_other(len(titles), TABLE)
    for axes, (slug, title) in zip(panels, titles.items(), strict=True):
        run = runs[name(slug)]
        draw_scene(axes, run, TABLE)
        draw_shape(axes, run, 0, **START)
        draw_robot(axes, run, -1)
        axes.set_title(f"{title}, after {times(run)[-1]:g} s: link 5 at {link_angle(run, 4)[-1]:.2f} rad of 0.3")
    label_lowest(panels)
    marks = [
        mark("at the start", **START),
        mark("at the end", color=style.BODY, linewidth=2.4),
        mark("its head", color=style.HEAD, linewidth=2.4),
    ]
    legend_above(sheet, marks)
    note_below(sheet, f"P4's pictures are not digitised. {DAMPED}")
    return sheet


# --- 5.4 ---


@figure("fig5.11", "Fig. 5.11: forces with regular chains", "force-regular", "force-regular-qp")
def fig5_11(runs: Runs, published: Published) -> Figure:
    return _forces(runs, "force-regular", (1.6, 2.4, 0.8))


@figure("fig5.12", "Fig. 5.12: forces with minimal chains", "force-minimal", "force-minimal-qp")
def fig5_12(runs: Runs, published: Published) -> Figure:
    return _forces(runs, "force-minimal", (4.0, 6.0, 2.0))


def _forces(runs: Runs, slug: str, held: tuple[float, float, float]) -> Figure:
    """Forces on the pegs under P4's control, its torques, and forces that the program holds."""
    sheet, panels = plots_below_each_other(3)
    ours, program = runs[name(slug)], runs[name(f"{slug}-qp")]
    for axes, run in ((panels[0], ours), (panels[2], program)):
        for peg, colour in enumerate(COLOURS[:3]):
            axes.plot(times(run)[1:], peg_forces(run, peg)[1:], color=colour, zorder=3)
        axes.set(ylabel=FORCE)
    panels[0].axhline(2.0, **WANTED)
    panels[0].set(ylim=(-0.4, SHOWN_FORCE))
    for force in held:
        panels[2].axhline(force, **WANTED | {"linewidth": 1.0})
    panels[0].set_title(f"P4's control with {slug.partition('-')[2]} chains: 2 N at obstacles 2 and 3")
    _draw_torques(panels[1], ours)
    panels[2].set_title("Forces in balance, by the quadratic program: " + ", ".join(f"{f:g}" for f in held) + " N")
    _share_time(panels, ours, program)
    marks = [mark(f"obstacle {peg + 1}", color=colour) for peg, colour in enumerate(COLOURS[:3])]
    legend_above(sheet, [*marks, mark("set-points", **WANTED), *_joint_marks()])
    note_below(
        sheet,
        f"{NOT_READ} At rest three smooth pegs take forces in the ratio 2 : 3 : 1 only: P4's set-points cannot be held "
        f"(erratum P4-6),\nand the robot leaves its pegs; hits are cut off above {SHOWN_FORCE:g} N. {DAMPED}",
    )
    return sheet


# --- 5.5 ---


@figure("fig5.14", "Fig. 5.14: two angles, torques of virtual joints ignored", "ignored-joints", "active-joints-qp")
def fig5_14(runs: Runs, published: Published) -> Figure:
    return _two_angles(runs, "ignored-joints", "P4's control with torques for all joints, (3.39)")


@figure("fig5.15", "Fig. 5.15: two angles, torques of active joints", "active-joints", "active-joints-qp")
def fig5_15(runs: Runs, published: Published) -> Figure:
    return _two_angles(runs, "active-joints", "P4's control with torques for active joints only, (3.48)")


def _two_angles(runs: Runs, slug: str, title: str) -> Figure:
    sheet, panels = plots_below_each_other(3)
    ours, program = runs[name(slug)], runs[name("active-joints-qp")]
    for axes, run in ((panels[0], ours), (panels[2], program)):
        for (link, before, wanted), colour in zip(((2, 1, -0.2), (4, 2, 0.2)), COLOURS, strict=False):
            axes.plot(times(run), link_angle(run, link, before), color=colour, zorder=3)
            axes.axhline(wanted, **WANTED)
        axes.set(ylabel=ANGLE)
    panels[0].set_title(title)
    _draw_torques(panels[1], ours)
    panels[2].set_title("The same task by the quadratic program")
    _share_time(panels, ours, program)
    marks = [mark("link 3 to link 2", color=COLOURS[0]), mark("link 5 to link 3", color=COLOURS[1])]
    legend_above(sheet, [*marks, mark("set-points", **WANTED), *_joint_marks()])
    note_below(sheet, f"{NOT_READ} Links and joints as P4 counts them, from 1. {DAMPED}")
    return sheet


# --- 5.6 ---


@figure("fig5.17", "Fig. 5.17: angle and force at once", "simultaneous", "simultaneous-qp")
def fig5_17(runs: Runs, published: Published) -> Figure:
    sheet, panels = plots_below_each_other(3)
    looks = (("simultaneous", style.BLUE), ("simultaneous-qp", style.GREEN))
    for slug, colour in looks:
        run = runs[name(slug)]
        panels[0].plot(times(run), link_angle(run, 4, 2), color=colour, zorder=3)
        panels[1].plot(times(run)[1:], peg_forces(run, 2)[1:], color=colour, zorder=3)
    panels[0].axhline(0.1, **WANTED)
    panels[1].axhline(1.0, **WANTED)
    panels[0].set(ylabel=ANGLE)
    panels[0].set_title("Angle of link 5 to link 3")
    panels[1].set(ylabel=FORCE)
    panels[1].set_title("Force on obstacle 3")
    _draw_torques(panels[2], runs[name("simultaneous")])
    panels[2].set_title("Torques of the motors, P4's control")
    for axes in panels:
        axes.set(xlim=(0, times(runs[name("simultaneous-qp")])[-1]), xlabel=TIME)
    label_lowest(panels)
    marks = [
        mark("P4's control", color=style.BLUE),
        mark("quadratic program", color=style.GREEN),
        mark("set-points", **WANTED),
    ]
    legend_above(sheet, [*marks, *_joint_marks()])
    note_below(
        sheet,
        f"{NOT_READ} With a force goes a shape: the program takes one in balance (erratum P4-6), P4's control none.\n"
        f"{DAMPED}",
    )
    return sheet
