"""Figs. 5.3 to 5.17 of P4: Koushan, Hybrid Obstacle Aided Locomotion in Snake Robots, 2020.

P4's curves are not digitised: shown are our runs of its controllers, the same tasks by the quadratic program, and the
numbers of P4's tables. P4 counts links, joints and obstacles from 1, this package from 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.analysis._series import recorded, times
from pushpoint.analysis.body_shape import link_angles
from pushpoint.analysis.contacts import peg_forces
from pushpoint.analysis.effort import static_torques
from pushpoint.view import style
from pushpoint.view.bodies import draw_robot, draw_shape
from pushpoint.view.papers import Published, figures_of
from pushpoint.view.papers import _parts as parts
from pushpoint.view.papers._parts import BODY, DASHED, HEAD, MINUS, TIME, DrawnAs, explained
from pushpoint.view.style import paled
from pushpoint.view.surroundings import Box, draw_scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording

CENTRE, TORQUE, REACH = 6, -2.0, 1.35  # P4's joint 7; [N m], Table 5.1; [m], from there to the outer pegs
ANGLE, FORCE = "angle [rad]", "force [N]"
COLOURS = tuple(style.drawn_as(color=name, zorder=3) for name in ("blue", "green", "red"))
NOT_READ = "P4's curves are not digitised; dashed are its set-points."
AS_COUNTED = f"{NOT_READ} Links and joints as P4 counts them, from 1."
DAMPED = "Joints have a damping of 0.5 N m s/rad, not in P4."
CONTROL = {
    "position-filtered": "P4's filtered control, (3.49)",
    "position-unfiltered": "P4's unfiltered control, (3.38)-(3.41)",
    "ignored-joints": "P4's control with torques for all joints, (3.39)",
    "active-joints": "P4's control with torques for active joints only, (3.48)",
}
HELD = {"regular": (1.6, 2.4, 0.8), "minimal": (4.0, 6.0, 2.0)}  # [N], by chains: in balance
WANTED = style.drawn_as(color="orange", linestyle="--", linewidth=1.6, zorder=4)
SHOWN_FORCE = 10.0  # [N]: hits of single rows are larger
TABLE = Box(-0.25, 1.95, -0.3, 0.5)  # [m]: the six links and their pegs
STRENGTHS = np.linspace(1.0, 0.35, 5)  # of the ink for the torques of five joints

figure = figures_of("koushan2020")


def joint_lines() -> list[DrawnAs]:
    """Torques of five joints, dark to light."""
    return [{"color": paled(style.INK, strength), "linewidth": 1.1, "zorder": 3} for strength in STRENGTHS]


def joint_marks() -> dict[str, DrawnAs]:
    """Their entries in legends."""
    first, *_, last = joint_lines()
    return {"torque of joint 1": first, "to 5": last}


# --- 5.2 ---


@figure("fig5.3", "Fig. 5.3: joint torques of a straight robot on three pegs", "validity", "validity-qp")
def fig5_3(published: Published, run: Recording, program: Recording) -> Figure:
    sheet, (axes,) = parts.plots_below_each_other(1)
    joint = np.arange(len(run.data["joint"])) - CENTRE
    axes.plot(joint, -static_torques(run, CENTRE, TORQUE, REACH), **WANTED)
    dot: dict[str, Any] = {"color": style.BLUE, "marker": "o", "linestyle": "none"}
    cross: dict[str, Any] = {"color": style.GREEN, "marker": "x", "linestyle": "none"}
    for each, drawn_as in (
        (run, dot | {"markersize": 7}),
        (program, cross | {"markersize": 6, "markeredgewidth": 1.8}),
    ):
        axes.plot(joint, -recorded(each, "joint_torque")[-50:].mean(axis=0), zorder=5, **drawn_as)
    axes.set(xlabel="joints from the centre, to the head", ylabel=f"{MINUS}torque [N m]", xticks=joint)
    forces = ", ".join(f"{peg_forces(run, peg)[-50:].mean():.2f}" for peg in range(3))
    axes.set_title(f"Steady torques; the pegs take {forces} N")
    marks = {
        "statics, which P4 expects": WANTED,
        "PID of Table 5.1": dot | {"markersize": 6},
        "quadratic program": cross | {"markersize": 6},
    }
    note = "P4's values are not digitised: it finds them close to linear and symmetric. " + DAMPED
    return explained(sheet, marks, note)


# --- 5.3 ---


@figure("fig5.6", "Fig. 5.6: angle of link 5 with the filter", "position-filtered", "position-filtered-qp")
@figure("fig5.7", "Fig. 5.7: angle of link 5 without the filter", "position-unfiltered", "position-unfiltered-qp")
def one_angle(published: Published, run: Recording, program: Recording) -> Figure:
    """Angles of the links at the pegs."""
    links = {f"link {link + 1}": (link, colour) for link, colour in zip((1, 2, 4), COLOURS, strict=True)}

    def draw(axes: Axes, each: Recording) -> None:
        for link, colour in links.values():
            axes.plot(times(each), link_angles(each, link), **colour)
        axes.axhline(0.3, **WANTED)
        axes.set(ylabel=ANGLE)

    sheet, _ = _beside_program(run, program, draw, _titles(run))
    marks: dict[str, DrawnAs] = {label: colour for label, (_, colour) in links.items()}
    return explained(sheet, marks | {"set-point of link 5": WANTED} | joint_marks(), f"{AS_COUNTED} {DAMPED}")


def _titles(run: Recording) -> tuple[str, str]:
    return CONTROL[run.scenario.name.rpartition("/")[2]], "The same task by the quadratic program"


def _beside_program(
    run: Recording, program: Recording, draw: Callable[[Axes, Recording], None], titles: tuple[str, str]
) -> tuple[Figure, list[Axes]]:
    """What is controlled by P4, its torques, and the same by the program, each over the time of its run."""
    sheet, panels = parts.plots_below_each_other(3)
    for axes, each, title in zip((panels[0], panels[2]), (run, program), titles, strict=True):
        draw(axes, each)
        axes.set_title(title)
    _draw_torques(panels[1], run, "Torques of its motors")
    for axes, each in zip(panels, (run, run, program), strict=True):
        axes.set(xlim=(0, times(each)[-1]))
    panels[2].set(xlabel=TIME)
    panels[0].tick_params(labelbottom=False)
    return sheet, panels


def _draw_torques(axes: Axes, run: Recording, title: str) -> None:
    """Of the motors: what is recorded holds what dampers take."""
    robot = run.scenario.built_robot()
    damping = np.array([robot.joint(j).damping for j in range(len(robot.links) - 1)])
    torque = recorded(run, "joint_torque") + damping * recorded(run, "joint_rate")
    for values, drawn_as in zip(torque[1:].T, joint_lines(), strict=True):
        axes.plot(times(run)[1:], values, **drawn_as)
    axes.set(ylabel="torque [N m]")
    axes.set_title(title)


@figure(
    "fig5.8",
    "Fig. 5.8: robots after position control, and Fig. 5.9",
    "position-filtered",
    "position-unfiltered",
    "position-filtered-qp",
)
def fig5_8(published: Published, *runs: Recording) -> Figure:
    sheet, panels = parts.scenes_below_each_other(len(runs), TABLE)
    titles = ("P4, filtered", "P4, unfiltered", "Quadratic program")
    for axes, run, title in zip(panels, runs, titles, strict=True):
        draw_scene(axes, run, TABLE)
        draw_shape(axes, run, 0, **DASHED)
        draw_robot(axes, run, -1)
        axes.set_title(f"{title}, after {times(run)[-1]:g} s: link 5 at {link_angles(run, 4)[-1]:.2f} rad of 0.3")
    parts.label_outer(panels)
    marks = {"at the start": DASHED, "at the end": BODY, "its head": HEAD}
    return explained(sheet, marks, f"P4's pictures are not digitised. {DAMPED}")


# --- 5.4 ---


@figure("fig5.11", "Fig. 5.11: forces with regular chains", "force-regular", "force-regular-qp")
@figure("fig5.12", "Fig. 5.12: forces with minimal chains", "force-minimal", "force-minimal-qp")
def forces(published: Published, run: Recording, program: Recording) -> Figure:
    """On the pegs, and those that the program holds."""
    chains = run.scenario.name.rpartition("-")[2]

    def draw(axes: Axes, each: Recording) -> None:
        for peg, colour in enumerate(COLOURS):
            axes.plot(times(each)[1:], peg_forces(each, peg)[1:], **colour)
        axes.set(ylabel=FORCE)

    balance = ", ".join(f"{force:g}" for force in HELD[chains])
    titles = (
        f"P4's control with {chains} chains: 2 N at obstacles 2 and 3",
        f"Forces in balance, by the quadratic program: {balance} N",
    )
    sheet, panels = _beside_program(run, program, draw, titles)
    panels[0].axhline(2.0, **WANTED)
    panels[0].set(ylim=(-0.4, SHOWN_FORCE))
    for force in HELD[chains]:
        panels[2].axhline(force, **WANTED | {"linewidth": 1.0})
    marks: dict[str, DrawnAs] = {f"obstacle {peg + 1}": colour for peg, colour in enumerate(COLOURS)}
    return explained(
        sheet,
        marks | {"set-points": WANTED} | joint_marks(),
        f"{NOT_READ} At rest three smooth pegs take forces in the ratio 2 : 3 : 1 only: P4's set-points cannot be held "
        f"(erratum P4-6),\nand the robot leaves its pegs; hits are cut off above {SHOWN_FORCE:g} N. {DAMPED}",
    )


# --- 5.5 ---


@figure("fig5.14", "Fig. 5.14: two angles, torques of virtual joints ignored", "ignored-joints", "active-joints-qp")
@figure("fig5.15", "Fig. 5.15: two angles, torques of active joints", "active-joints", "active-joints-qp")
def two_angles(published: Published, run: Recording, program: Recording) -> Figure:
    def draw(axes: Axes, each: Recording) -> None:
        for link, before, wanted, colour in ((2, 1, -0.2, COLOURS[0]), (4, 2, 0.2, COLOURS[1])):
            axes.plot(times(each), link_angles(each, link, before), **colour)
            axes.axhline(wanted, **WANTED)
        axes.set(ylabel=ANGLE)

    sheet, _ = _beside_program(run, program, draw, _titles(run))
    marks: dict[str, DrawnAs] = {"link 3 to link 2": COLOURS[0], "link 5 to link 3": COLOURS[1]}
    return explained(sheet, marks | {"set-points": WANTED} | joint_marks(), f"{AS_COUNTED} {DAMPED}")


# --- 5.6 ---


@figure("fig5.17", "Fig. 5.17: angle and force at once", "simultaneous", "simultaneous-qp")
def fig5_17(published: Published, run: Recording, program: Recording) -> Figure:
    sheet, panels = parts.plots_below_each_other(3)
    for each, colour in ((run, style.BLUE), (program, style.GREEN)):
        panels[0].plot(times(each), link_angles(each, 4, 2), color=colour, zorder=3)
        panels[1].plot(times(each)[1:], peg_forces(each, 2)[1:], color=colour, zorder=3)
    panels[0].axhline(0.1, **WANTED)
    panels[1].axhline(1.0, **WANTED)
    panels[0].set(ylabel=ANGLE)
    panels[0].set_title("Angle of link 5 to link 3")
    panels[1].set(ylabel=FORCE)
    panels[1].set_title("Force on obstacle 3")
    _draw_torques(panels[2], run, "Torques of the motors, P4's control")
    for axes in panels:
        axes.set(xlim=(0, times(program)[-1]), xlabel=TIME)
    parts.label_outer(panels)
    marks: dict[str, DrawnAs] = {
        "P4's control": {"color": style.BLUE},
        "quadratic program": {"color": style.GREEN},
        "set-points": WANTED,
    }
    return explained(
        sheet,
        marks | joint_marks(),
        f"{NOT_READ} With a force goes a shape: the program takes one in balance (erratum P4-6), P4's control none.\n"
        f"{DAMPED}",
    )
