"""Shape curves, their control points and virtual snake robots along them: from above, from the side, or in space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pushpoint.shapes.virtual_snake import link_centres, link_rotations, virtual_snake
from pushpoint.view import style
from pushpoint.view.space import Sight, View, link_outline
from pushpoint.view.style import paled
from pushpoint.view.surroundings import Box

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pushpoint.control.shape_rehearsal import Rehearsal
    from pushpoint.robots import Robot
    from pushpoint.shapes import Laid, ShapeCurve
    from pushpoint.types import FloatArray

PER_PIECE = 24  # samples of a curve between two control points
AXIS_LENGTH = 1.15  # of a joint's axis over the width of the robot
ROUND_OFF = 1e-6  # of parameters of curves
MARGIN = 0.06  # of the larger side, around what is shown
CURVE = style.drawn_as(color="green", linewidth=1.2, zorder=4)
DOT = style.drawn_as(marker="o", markersize=5, markeredgecolor="green", markeredgewidth=1.3)
POINT = DOT | style.drawn_as(color="paper", linestyle="none", zorder=4.5)
SHADOW = style.drawn_as(color="quiet", linewidth=0.8, linestyle=style.DOTS, zorder=1)
AXIS = style.drawn_as(colors="ink", linewidths=1.0, capstyle="round", zorder=3.6)
JOINT = style.drawn_as(color="ink", marker="o", markersize=2, linestyle="none", zorder=4.2)


@dataclass(frozen=True, slots=True)
class Aslant:
    """From far away, so that parallels stay parallel: the eye is `azimuth` from x and `elevation` above, [deg]."""

    azimuth: float = -60.0
    elevation: float = 28.0

    @property
    def axes(self) -> FloatArray:
        """Rows: to the right, up, and towards the eye."""
        a, e = math.radians(self.azimuth), math.radians(self.elevation)
        towards = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
        right = np.array([-math.sin(a), math.cos(a), 0.0])
        return np.stack([right, np.cross(towards, right), towards])

    def flat(self, points: FloatArray) -> FloatArray:
        return np.asarray(points @ self.axes[:2].T)

    def nearness(self, points: FloatArray) -> FloatArray:
        return np.asarray(points @ self.axes[2])


# --- the curve ---


class Stretch(NamedTuple):
    """A part of a curve."""

    curve: ShapeCurve
    low: float
    high: float

    @property
    def places(self) -> FloatArray:
        """Along it [m], (samples, 3)."""
        samples = max(2, math.ceil((self.high - self.low) * PER_PIECE) + 1)
        return self.curve.at(np.linspace(self.low, self.high, samples))

    @property
    def points(self) -> FloatArray:
        """Its shape control points [m], (points, 3)."""
        first = int(self.curve.first)
        return np.asarray(self.curve.points[max(0, math.ceil(self.low) - first) : math.floor(self.high) + 1 - first])

    @property
    def floor(self) -> float:
        """Height [m] of its lowest place."""
        return float(self.places[:, 2].min())

    def shadow(self, height: float) -> FloatArray:
        """Straight below its places, at a height [m], (samples, 3)."""
        places = self.places
        return np.column_stack([places[:, :2], np.full(len(places), height)])


def whole(curve: ShapeCurve) -> Stretch:
    """All of a curve."""
    return Stretch(curve, curve.first, curve.last)


def next_point(s: float) -> float:
    """The parameter of the control point at s, or of the next one; s may be off by round-off."""
    return float(math.ceil(s - ROUND_OFF))


def under(motion: Rehearsal, row: int = 0) -> Stretch:
    """What the robot lies on, from control point to control point."""
    curve, laid = motion.in_use[row], motion.laid[row]
    low = max(curve.first, math.floor(laid.aim.min()))
    return Stretch(curve, float(low), min(curve.last, next_point(motion.head[row])))


def draw_curve(axes: Axes, part: Stretch, view: Sight, **drawn_as: Any) -> None:
    """The curve through its control points, and these."""
    axes.plot(*view.flat(part.places).T, **(CURVE | drawn_as))
    axes.plot(*view.flat(part.points).T, **POINT)


def draw_shadow(axes: Axes, part: Stretch, view: Sight, height: float) -> None:
    """The curve straight below itself, on a plane at a height [m], and how far every control point is above it."""
    axes.plot(*view.flat(part.shadow(height)).T, **SHADOW)
    ends = np.stack([part.points, part.points], axis=1)
    ends[:, 1, 2] = height
    axes.add_collection(LineCollection(list(view.flat(ends)), colors=style.QUIET, linewidths=0.5, zorder=1))


def label_points(axes: Axes, curve: ShapeCurve, view: Sight) -> None:
    """P_0, P_1, ... beside the control points."""
    for k, place in enumerate(view.flat(curve.points)):
        axes.annotate(f"$P_{{{k}}}$", place.tolist(), (5, 6), textcoords="offset points", zorder=6)


# --- the virtual robot ---


def draw_virtual(
    axes: Axes, robot: Robot, laid: Laid, view: Sight, *, joint_axes: bool = True, links: int | None = None
) -> None:
    """A robot laid along a curve: pale bodies, links as lines, joints as short lines along their axes.

    Of many `links` the first ones from the head on may be enough.
    """
    snake = virtual_snake(robot)
    shown = len(robot.links) if links is None else links
    _draw_bodies(axes, robot, laid, view, shown)
    solid = np.flatnonzero(snake.length > 0.0)[:shown]
    places = laid.frame[:, :, 3]
    lines = view.flat(np.stack([places[solid], places[solid + 1]], axis=1))
    colours = [style.HEAD] + [style.BODY] * (len(solid) - 1)
    axes.add_collection(
        LineCollection(list(lines), colors=colours, linewidths=3.0, capstyle="round", zorder=3.5, clip_on=True)
    )
    if joint_axes:
        axes.plot(*view.flat(places[1 : 1 + solid[-1]]).T, **JOINT)
        axes.add_collection(LineCollection(list(view.flat(axis_lines(robot, laid, int(solid[-1])))), **AXIS))


def axis_lines(robot: Robot, laid: Laid, joints: int) -> FloatArray:
    """Ends of the rotation axes of the first joints from the head on [m], (joints, 2, 3); joint i turns about z_i-1."""
    frames = laid.frame[1 : 1 + joints]
    off = _reach(robot) * frames[:, :, 2]
    return np.stack([frames[:, :, 3] - off, frames[:, :, 3] + off], axis=1)


def _reach(robot: Robot) -> float:
    """Half the length of a joint's axis in pictures [m]: it shows on both sides of the robot."""
    return AXIS_LENGTH * max(max(link.radius, 0.25 * link.length) for link in robot.links)


def _draw_bodies(axes: Axes, robot: Robot, laid: Laid, view: Sight, shown: int) -> None:
    snake = virtual_snake(robot)
    centre, turn = link_centres(snake, laid.frame), link_rotations(snake, laid.frame)
    order = [k for k in np.argsort(view.nearness(centre), kind="stable") if k >= len(robot.links) - shown]
    shapes = [link_outline(robot.links[k], centre[k], turn[k], view) for k in order]
    fill = [paled(style.HEAD if k == len(robot.links) - 1 else style.BODY, 0.22) for k in order]
    axes.add_collection(PolyCollection(shapes, facecolors=fill, edgecolors=style.BODY_EDGE, linewidths=0.6, zorder=2))


# --- frames around it ---


def box_around(view: Sight, *places: FloatArray) -> Box:
    """What shows all places [m], (..., 3), with a margin."""
    flat = np.concatenate([view.flat(place.reshape(-1, 3)) for place in places])
    low, high = flat.min(axis=0), flat.max(axis=0)
    margin = MARGIN * float((high - low).max())
    return Box(*(float(v) for v in (low[0] - margin, high[0] + margin, low[1] - margin, high[1] + margin)))


def room_of(robot: Robot, laid: Laid) -> FloatArray:
    """Corners [m] of the cubes about the joints that hold the robot and the axes of its joints, (corners, 3)."""
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    return np.asarray((laid.frame[:, np.newaxis, :, 3] + _reach(robot) * signs).reshape(-1, 3))


def set_frame(axes: Axes, view: Sight, box: Box) -> None:
    """Axes to scale; aslant they have no ticks but three arrows, each as long as it says."""
    axes.set(xlim=box[:2], ylim=box[2:], aspect="equal")
    if isinstance(view, View):
        axes.set(xlabel=f"{'xyz'[view.right]} [m]", ylabel=f"{'xyz'[view.up]} [m]")
        return
    axes.grid(False)
    axes.set_axis_off()
    _draw_tripod(axes, view, box)


def _draw_tripod(axes: Axes, view: Sight, box: Box) -> None:
    """The world's axes in the lower left corner."""
    wide = box.right - box.left
    length = _round_length(0.16 * wide)
    tips = view.flat(length * np.eye(3))
    corner = np.array([box.left, box.bottom]) + 0.02 * wide - np.minimum(tips.min(axis=0), 0.0)
    for tip, name in zip(tips, "xyz", strict=True):
        arrow = {"arrowstyle": "-|>", "color": style.QUIET, "linewidth": 1.0, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (corner + tip).tolist(), corner.tolist(), arrowprops=arrow, zorder=5)
        beyond = corner + tip * 1.16
        axes.text(float(beyond[0]), float(beyond[1]), name, ha="center", va="center", fontsize=8, color=style.INK)
    place: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "top"}
    axes.annotate(f"arrows: {length:g} m", (0.0, 0.0), (2, -4), fontsize=7, color=style.QUIET, **place)


def _round_length(length: float) -> float:
    """1, 2 or 5 times a power of ten, not above `length`."""
    power = 10.0 ** math.floor(math.log10(length))
    return float(max(step * power for step in (1, 2, 5) if step * power <= length * (1 + 1e-9)))


def marks() -> Sequence[Any]:
    """Entries of a legend."""
    return [
        Line2D([], [], label="shape curve", **CURVE),
        Line2D([], [], label="shape control point", **POINT),
        Patch(facecolor=style.BODY, label="virtual robot"),
        Patch(facecolor=style.HEAD, label="its head"),
        Line2D([], [], color=style.INK, marker="|", markersize=9, linestyle="none", label="joint's axis"),
    ]
