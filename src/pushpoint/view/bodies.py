"""Robots and contact forces drawn to scale on one pair of axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection

from pushpoint.analysis._series import recorded
from pushpoint.view import style
from pushpoint.view.faults import MARK, FaultFinder
from pushpoint.view.style import paled

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.quiver import Quiver

    from pushpoint.recording.recording import Recording
    from pushpoint.robots import Robot
    from pushpoint.types import FloatArray, IntArray

ARC_POINTS = 12  # per end of a capsule
THIN = 0.004  # [m], half width of links that are drawn as lines
LINE_WIDTH = 2.4  # [points], of such links
DOT_SIZE = 13.0  # [points^2], of the dots at their ends
ARROW_LENGTH = 0.2  # [m], of a force of `full_force`
LONGEST_ARROW = 0.26  # [m], for impacts
FORCE_WINDOW = 0.1  # [s]


def outlines(robot: Robot, position: FloatArray, angle: FloatArray) -> list[FloatArray]:
    """The outline of each link as a polygon [m], (points, 2), and two eyes, so that one sees where the head looks; a
    thin head has none."""
    cap, shapes, head = _arc(-np.pi / 2, np.pi / 2, ARC_POINTS), [], robot.links[-1]
    turns = [np.array([[c, s], [-s, c]]) for c, s in zip(np.cos(angle), np.sin(angle), strict=True)]
    for link, centre, turn in zip(robot.links, position, turns, strict=True):
        front = link.radius * cap + (link.half_core, 0.0)
        shapes.append(np.concatenate([front, -front]) @ turn + centre)
    for side in (1, -1) if head.radius >= THIN else ():
        place = np.array([head.half_core + 0.25 * head.radius, side * 0.45 * head.radius])
        shapes.append(0.17 * head.radius * _arc(0, 2 * np.pi, 2 * ARC_POINTS) + position[-1] + place @ turns[-1])
    return shapes


def _arc(first: float, last: float, points: int) -> FloatArray:
    turn = np.linspace(first, last, points)
    return np.stack([np.cos(turn), np.sin(turn)], axis=1)


def draw_robot(
    axes: Axes, run: Recording, row: int, strength: float = 1.0, faults: FaultFinder | None = None
) -> list[Artist]:
    """The robot at one row, head in another colour; a `strength` below one pales it towards the ground.

    Links thinner than THIN are lines between dots, wide enough to be seen. Links that lie inside of obstacles or cross
    others have an outline; whoever draws many rows gives what finds them.
    """
    robot, (position, angle) = run.scenario.built_robot(), pose(run, row)
    marked = (faults or FaultFinder(run)).links(row)
    thin = np.array([link.radius < THIN for link in robot.links])
    drawn: list[Artist] = []
    marks: list[Artist] = []
    if not thin.all():
        shapes, links = outlines(robot, position, angle), len(robot.links)
        fill = [style.BODY] * (links - 1) + [style.HEAD] + [style.BODY_EDGE] * (len(shapes) - links)
        drawn.append(draw_wide(axes, shapes, [paled(colour, strength) for colour in fill], strength))
        marks += draw_outlines(axes, [shapes[k] for k in marked if not thin[k]], strength)
    if thin.any():
        colours = [paled(style.BODY, strength)] * int(thin.sum())
        if thin[-1]:
            colours[-1] = paled(style.HEAD, strength)
        ends = link_ends(robot, position, angle)
        drawn += draw_thin(axes, ends[thin], colours, strength)
        marks += _draw_halos(axes, ends[[k for k in marked if thin[k]]], strength)
    return [*drawn, *marks]


def draw_outlines(axes: Axes, shapes: list[FloatArray], strength: float) -> list[Artist]:
    """Around wide links."""
    if not shapes:
        return []
    colour: dict[str, Any] = {"facecolors": "none", "edgecolors": [paled(style.FAULT, strength)]}
    marks = PolyCollection(shapes, linewidths=1.8, zorder=2.05 + strength, gid=MARK, **colour)
    axes.add_collection(marks)
    return [marks]


def _draw_halos(axes: Axes, ends: FloatArray, strength: float) -> list[Artist]:
    """Behind thin links."""
    if not len(ends):
        return []
    drawn_as: dict[str, Any] = {"capstyle": "round", "zorder": 1.95 + strength, "gid": MARK}
    marks = LineCollection(list(ends), colors=[paled(style.FAULT, strength)], linewidths=2.4 * LINE_WIDTH, **drawn_as)
    axes.add_collection(marks)
    return [marks]


def draw_wide(
    axes: Axes, shapes: list[FloatArray], colours: list[tuple[float, ...]], strength: float
) -> PolyCollection:
    """Links that have a width, as polygons."""
    body = PolyCollection(
        shapes, facecolors=colours, edgecolors=style.BODY_EDGE, linewidths=0.7, zorder=2 + strength, clip_on=True
    )
    axes.add_collection(body)
    return body


def draw_thin(axes: Axes, ends: FloatArray, colours: list[tuple[float, ...]], strength: float) -> list[Artist]:
    """Lines and dots; `ends` of links is (links, 2, 2), the last ones have a larger dot in front."""
    lines = LineCollection(list(ends), colors=colours, linewidths=LINE_WIDTH, capstyle="round", zorder=2 + strength)
    axes.add_collection(lines)
    drawn_as: dict[str, Any] = {"edgecolors": style.BODY_EDGE, "linewidths": 0.5, "zorder": 2.1 + strength}
    rear = axes.scatter(ends[:, 0, 0], ends[:, 0, 1], s=DOT_SIZE, c=[paled(style.BODY, strength)], **drawn_as)
    tip = axes.scatter(ends[-1:, 1, 0], ends[-1:, 1, 1], s=2 * DOT_SIZE, c=colours[-1:], **drawn_as)
    return [lines, rear, tip]


def link_ends(robot: Robot, position: FloatArray, angle: FloatArray) -> FloatArray:
    """Rear and front end of each link [m], (links, 2, 2): where its joints are."""
    half = np.array([link.length / 2 for link in robot.links])
    along = half[:, np.newaxis] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.stack([position - along, position + along], axis=1)


def draw_shape(axes: Axes, run: Recording, row: int, **drawn_as: Any) -> Line2D:
    """The robot at one row as one line from the tip of the tail to that of the head."""
    ends = link_ends(run.scenario.built_robot(), *pose(run, row))
    (line,) = axes.plot(*np.vstack([ends[:, 0], ends[-1:, 1]]).T, **drawn_as)
    return line


def pose(run: Recording, row: int) -> tuple[FloatArray, FloatArray]:
    """Link centres [m] and angles [rad] at one row."""
    return recorded(run, "link_position")[row, :, :2], recorded(run, "link_angle")[row]


class Pushes(NamedTuple):
    """Contact forces, one for each pair of a link and an obstacle."""

    link: IntArray
    obstacle: IntArray
    point: FloatArray  # [m], (pairs, axes)
    force: FloatArray  # [N], (pairs, axes)


def pushes_at(run: Recording, row: int, axes: int = 2) -> Pushes:
    """Where links push against obstacles at one row, in the plane or, with 3 `axes`, in space.

    Forces are means over the last FORCE_WINDOW: single rows tremble with impacts.
    """
    table, now = run.contacts, float(run.data["time"].values[row])
    age = now - table["time"].values
    tolerance = 0.5 * row_period(run)
    chosen = (age > -tolerance) & (age < FORCE_WINDOW - tolerance)
    pair = np.stack([table["link"].values[chosen], table["obstacle"].values[chosen]], axis=1)
    point = np.asarray(table["point"].values, dtype=float)[chosen][:, :axes]
    force = np.asarray(table["force"].values, dtype=float)[chosen][:, :axes]
    pairs, member, count = np.unique(pair, axis=0, return_inverse=True, return_counts=True)
    rows = max(1.0, min(FORCE_WINDOW, now) / row_period(run))
    sum_point, sum_force = np.zeros((len(count), axes)), np.zeros((len(count), axes))
    np.add.at(sum_point, member.reshape(-1), point)
    np.add.at(sum_force, member.reshape(-1), force)
    return Pushes(pairs[:, 0], pairs[:, 1], sum_point / count[:, np.newaxis], sum_force / rows)


def arrows(force: FloatArray, full: float) -> FloatArray:
    """Arrows [m] for forces [N]: `full` is ARROW_LENGTH long, none is longer than LONGEST_ARROW."""
    size = np.linalg.norm(force, axis=1, keepdims=True)
    length = np.minimum(size * (ARROW_LENGTH / full), LONGEST_ARROW)
    return np.asarray(length * np.divide(force, size, out=np.zeros_like(force), where=size > 0))


def row_period(run: Recording) -> float:
    """Time between rows [s]."""
    time = run.data["time"].values
    return float(time[1] - time[0]) if len(time) > 1 else 1.0


def full_force(run: Recording, variable: str = "contact_force") -> float:
    """The force [N] of an arrow of ARROW_LENGTH: a round one near the upper end of the means over FORCE_WINDOW."""
    force = recorded(run, variable)
    size = max(1, min(len(force), round(FORCE_WINDOW / row_period(run))))
    blocks = force[: len(force) // size * size].reshape(-1, size, *force.shape[1:])
    means = np.linalg.norm(blocks.mean(axis=1), axis=-1)
    return rounded(float(np.percentile(means[means > 0], 80))) if np.any(means > 0) else 1.0


def rounded(value: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten, by ratio."""
    power = 10.0 ** math.floor(math.log10(value))
    nearest = min((1.0, 2.0, 5.0, 10.0), key=lambda step: abs(math.log(step * power / value)))
    return float(f"{nearest * power:.1g}")


def scale_of(run: Recording, row: int, axes: int = 2) -> str:
    """What the length of arrows says, for legends; of those at one row that are cut it says so."""
    full, pushes = full_force(run), pushes_at(run, row, axes)
    longest = full * LONGEST_ARROW / ARROW_LENGTH
    largest = float(np.linalg.norm(pushes.force, axis=1).max(initial=0.0))
    cut = f", cut above {longest:.3g} N (up to {largest:.3g} N)" if largest > longest else ""
    return f"{ARROW_LENGTH:g} m for {full:g} N{cut}"


def draw_arrows(axes: Axes, run: Recording, row: int, full: float | None = None) -> Quiver | None:
    """Contact forces of one row, `full` [N] (default: `full_force`) as ARROW_LENGTH; None without contacts."""
    pushes = pushes_at(run, row)
    if not len(pushes.link):
        return None
    return quiver(axes, pushes.point, arrows(pushes.force, full or full_force(run)))


def quiver(axes: Axes, start: FloatArray, arrow: FloatArray) -> Quiver:
    """Arrows of forces from `start` on, both [m] and (arrows, 2)."""
    drawn_as: dict[str, Any] = {"facecolor": style.FORCE, "edgecolor": style.BODY_EDGE, "linewidth": 0.5, "zorder": 5}
    return axes.quiver(*start.T, *arrow.T, angles="xy", scale_units="xy", scale=1, width=0.0045, **drawn_as)
