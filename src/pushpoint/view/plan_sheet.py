"""A planned path on one sheet: pegs, path and push-points from above; margin, torque and push-points along it."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.planning.paths import Path
from pushpoint.planning.push_path.plan import STOPPED, Plan
from pushpoint.types import FloatArray
from pushpoint.view import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.robots import Robot

WIDTH, PLOT, GAP = 10.0, 1.35, 0.62  # [inch]
HEAD, LINE_HEIGHT, CHARACTERS = 0.43, 0.16, 145  # title [inch], lines of the summary below it [inch], and their length
LOWEST, HIGHEST = 1.5, 5.0  # [inch], of the view from above
MARGIN = 0.15  # [m], around what is shown
BESIDE = 4.0  # [m]: pegs farther from the path are not shown
LEAST = 1.0  # [m], that is shown
SPACING = 5e-3  # [m], between points of lines
MOST_ALPHA = 4.0  # of the margin that is shown
LINE = style.drawn_as(color="path", linewidth=1.3, zorder=3)
WEAK = style.drawn_as(color="fault", linewidth=3.0, zorder=4, solid_capstyle="butt")
BODY = style.drawn_as(color="body", linewidth=3.2, zorder=5, alpha=0.85, solid_capstyle="round")
DEAD_END = style.drawn_as(color="fault", marker="x", markersize=9, markeredgewidth=2.0, zorder=6)
LIMIT = style.drawn_as(color="force", linewidth=1.0, linestyle="--", zorder=2)


def plan_sheet(plan: Plan, robot: Robot, title: str) -> Figure:
    """Of a plan; where it has no prediction, the view from above alone."""
    with style.styled():
        low, high = _box(plan)
        wide, tall = high - low
        view = min(HIGHEST, (WIDTH - 1.0) * tall / wide)
        summary = textwrap.wrap(_summary(plan), CHARACTERS, break_on_hyphens=False)
        head = HEAD + LINE_HEIGHT * (1 + len(summary))
        rows = 3 if plan.s else 0
        height = head + view + GAP + rows * (PLOT + 0.12) + (GAP if rows else 0.0)
        sheet = style.sheet(WIDTH, height)
        axes = _axes(sheet, head, view, height)
        _draw_above(axes, plan, robot)
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="x [m]", ylabel="y [m]", aspect="equal")
        if rows:
            top = head + view + GAP
            panels = [_axes(sheet, top + k * (PLOT + 0.12), PLOT, height) for k in range(rows)]
            _draw_along(panels, plan)
        sheet.text(0.01, 1 - 0.12 / height, title, ha="left", va="top", fontsize=11, fontweight="bold")
        sheet.text(0.01, 1 - 0.40 / height, "\n".join(summary), ha="left", va="top", fontsize=8.5)
        return sheet


def _axes(sheet: Figure, top: float, tall: float, height: float) -> Axes:
    """A panel [inch] below the sheet's upper edge."""
    return sheet.add_axes((0.075, 1 - (top + tall) / height, 0.905, tall / height))


def _box(plan: Plan) -> tuple[FloatArray, FloatArray]:
    """[m], lower left and upper right corner of what is shown: the path and the pegs beside it; without one, all."""
    pegs = np.array(plan.pegs, dtype=float).reshape(-1, 3)
    points = np.array(plan.path, dtype=float).reshape(-1, 2)
    if len(points):
        beside = (np.abs(pegs[:, :2] - np.clip(pegs[:, :2], points.min(axis=0), points.max(axis=0))) < BESIDE).all(
            axis=1
        )
        pegs = pegs[beside]
    shown = np.concatenate([points, pegs[:, :2] - pegs[:, 2:], pegs[:, :2] + pegs[:, 2:]])
    low, high = (shown.min(axis=0), shown.max(axis=0)) if len(shown) else (np.zeros(2), np.zeros(2))
    size = high - low + 2.0 * MARGIN
    size[0] = max(size[0], LEAST)
    size[1] = max(size[1], LOWEST / (WIDTH - 1.0) * size[0])
    return (low + high - size) / 2.0, (low + high + size) / 2.0


def _summary(plan: Plan) -> str:
    """Whether a robot gets along the path, in a sentence or two."""
    if plan.reason.startswith(STOPPED):
        return plan.reason[0].upper() + plan.reason[1:]
    simulated = {None: "", True: "In a simulation it arrives. ", False: "In simulations it does not arrive. "}
    if plan.reason:
        return simulated[plan.checked] + f"Not passable by prediction: {plan.reason}"
    most = plan.largest_torque()
    torque = (
        "motors have no limit" if most is None else f"else it needs up to {most:.1f} N m of {plan.torque_limit:g} N m"
    )
    return simulated[plan.checked] + (
        f"{plan.distance:g} m of path at {plan.speed:g} m/s; {100 * plan.lacking:.1f} % of it lack push, {torque}"
    )


def _draw_above(axes: Axes, plan: Plan, robot: Robot) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle

    pushed = {peg for pegs in plan.push_points for peg in pegs}
    for chosen, colour in ((False, style.PEG), (True, style.ORANGE)):
        discs = [Circle((x, y), r) for k, (x, y, r) in enumerate(plan.pegs) if (k in pushed) == chosen]
        axes.add_collection(PatchCollection(discs, facecolor=colour, edgecolor=style.PEG_EDGE, zorder=2))
    for k in sorted(pushed):
        x, y, _ = plan.pegs[k]
        axes.annotate(str(k), (x, y), ha="center", va="center", fontsize=6.5, color=style.INK, zorder=6)
    if not plan.pegs:
        axes.text(0.5, 0.5, "no pegs on the map", transform=axes.transAxes, ha="center", va="center", color=style.INK)
    if len(plan.path) < 2:
        return
    path = Path(np.array(plan.path))
    tail = _draw_body(axes, plan, robot, path) if plan.s else 0.0
    axes.plot(*_line(path, tail, path.length), **LINE)
    if plan.s:
        _draw_weak(axes, plan, path)
    else:
        axes.plot(*plan.path[-1], **DEAD_END)


def _draw_body(axes: Axes, plan: Plan, robot: Robot, path: Path) -> float:
    """The robot at the start. Returns the arc length [m] of its tail end: it never is on what comes before."""
    from pushpoint.mechanics.tail_chain import TailChain
    from pushpoint.planning.follow import arcs_on

    arcs = arcs_on(TailChain.of(robot), path, np.array([plan.head]))[0]
    joints = path(arcs)
    axes.plot(*joints.T, **BODY)
    axes.plot(*joints.T, "o", markersize=2.5, color=style.PAPER, zorder=6)
    end = path(np.array([plan.head + plan.distance]))[0]
    axes.plot(*end, marker="x", markersize=7, color=style.HEAD, zorder=6)
    return float(arcs[0])


def _draw_weak(axes: Axes, plan: Plan, path: Path) -> None:
    """Where the head is while push is missing."""
    s, weak = np.array(plan.s), np.array(plan.alpha) < 1.0
    for first, last in _runs(weak):
        axes.plot(*_line(path, s[first], s[last]), **WEAK)


def _line(path: Path, begin: float, end: float) -> FloatArray:
    """x and y (2, k) [m] of a stretch of the path."""
    return np.asarray(path(np.linspace(begin, end, 2 + math.ceil((end - begin) / SPACING))).T)


def _runs(marked: Any) -> list[tuple[int, int]]:
    """First and last place of stretches that are marked, the places beside them included."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]]).astype(int)))
    last = len(marked) - 1
    return [(max(a - 1, 0), min(b, last)) for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)]


def _draw_along(panels: list[Axes], plan: Plan) -> None:
    s, alpha = np.array(plan.s) - plan.head, np.array(plan.alpha)
    margin, torque, pegs = panels
    margin.plot(s, np.minimum(alpha, MOST_ALPHA), color=style.BLUE, linewidth=1.2)
    margin.axhline(1.0, **LIMIT)
    margin.set(ylabel=f"load / drag, to {MOST_ALPHA:g}", ylim=(0.0, MOST_ALPHA))
    needed = plan.torque_needed
    torque.plot(s, np.where(np.isfinite(needed), needed, np.nan), color=style.GREEN, linewidth=1.2)
    most = float(needed[np.isfinite(needed)].max(initial=1e-6))
    if np.isfinite(plan.torque_limit):
        most = plan.torque_limit
        torque.axhline(plan.torque_limit, **LIMIT)
    torque.set(ylabel="torque [N m]", ylim=(0.0, 1.25 * most))
    _draw_pegs(pegs, s, plan)
    for axes in panels:
        for first, last in _runs(alpha < 1.0):
            axes.axvspan(s[first], s[last], color=style.FAULT, alpha=0.15, linewidth=0)
        axes.set_xlim(0.0, s[-1])
        if axes is not pegs:
            axes.tick_params(labelbottom=False)
    pegs.set_xlabel("distance of the head along the path [m]")


def _draw_pegs(axes: Axes, s: FloatArray, plan: Plan) -> None:
    """A line for each peg, where it pushes; in the order in which they come."""
    order: list[int] = []
    for pegs in plan.push_points:
        order += [peg for peg in pegs if peg not in order]
    for row, peg in enumerate(order):
        pushes = np.array([peg in pegs for pegs in plan.push_points])
        for first, last in _runs(pushes):
            axes.plot(s[[first, last]], [row, row], color=style.ORANGE, linewidth=3.0, solid_capstyle="butt")
    axes.set(ylabel="push-points", ylim=(-0.7, len(order) - 0.3))
    axes.set_yticks(range(len(order)), [str(peg) for peg in order], fontsize=6)
