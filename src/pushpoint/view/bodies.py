"""Robots and contact forces drawn to scale on one pair of axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb

from pushpoint.view import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.quiver import Quiver

    from pushpoint.recording.recording import Recording
    from pushpoint.robots import Robot
    from pushpoint.types import FloatArray

ARC_POINTS = 12  # per end of a capsule
EYES = 2
ARROW_LENGTH = 0.2  # [m], of a force of `full_force`
LONGEST_ARROW = 0.26  # [m], for impacts
FORCE_WINDOW = 0.1  # [s]


def outlines(robot: Robot, position: FloatArray, angle: FloatArray) -> list[FloatArray]:
    """The outline of each link as a polygon [m], (points, 2)."""
    turn = np.linspace(-np.pi / 2, np.pi / 2, ARC_POINTS)
    cap = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    shapes = []
    for link, centre, heading in zip(robot.links, position, angle, strict=True):
        front = link.radius * cap + (link.half_core, 0.0)
        outline = np.concatenate([front, -front])
        c, s = np.cos(heading), np.sin(heading)
        shapes.append(outline @ np.array([[c, s], [-s, c]]) + centre)
    return shapes


def draw_robot(axes: Axes, run: Recording, row: int, strength: float = 1.0) -> PolyCollection:
    """The robot at one row, head in another colour; a `strength` below one pales it towards the ground."""
    shapes = figure_shapes(run.scenario.built_robot(), *pose(run, row))
    links = len(shapes) - EYES
    colours = [style.BODY] * (links - 1) + [style.HEAD] + [style.BODY_EDGE] * EYES
    body = PolyCollection(
        shapes,
        facecolors=[paled(colour, strength) for colour in colours],
        edgecolors=style.BODY_EDGE,
        linewidths=0.7,
        zorder=2 + strength,
    )
    axes.add_collection(body)
    return body


def figure_shapes(robot: Robot, position: FloatArray, angle: FloatArray) -> list[FloatArray]:
    """The links' outlines and two eyes, so that one sees where the head looks."""
    head, c, s = robot.links[-1], np.cos(angle[-1]), np.sin(angle[-1])
    turn = np.linspace(0, 2 * np.pi, 2 * ARC_POINTS)
    disc = 0.17 * head.radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    ahead, beside = head.half_core + 0.25 * head.radius, 0.45 * head.radius
    eyes = [disc + position[-1] + (ahead * c - side * beside * s, ahead * s + side * beside * c) for side in (1, -1)]
    return outlines(robot, position, angle) + eyes


def paled(colour: str, strength: float) -> tuple[float, ...]:
    """A colour mixed with that of the ground. Opaque, so that overlapping links do not show through."""
    return tuple(strength * a + (1 - strength) * b for a, b in zip(to_rgb(colour), to_rgb(style.GROUND), strict=True))


def pose(run: Recording, row: int) -> tuple[FloatArray, FloatArray]:
    """Link centres [m] and angles [rad] at one row."""
    position = np.asarray(run.data["link_position"].values[row], dtype=float)[:, :2]
    return position, np.asarray(run.data["link_angle"].values[row], dtype=float)


def contact_arrows(run: Recording, row: int) -> tuple[FloatArray, FloatArray]:
    """Where links push against obstacles at one row, and arrows along the forces [m], one for each such pair.

    Forces are means over the last FORCE_WINDOW: single rows tremble with impacts.
    """
    table, now = run.contacts, float(run.data["time"].values[row])
    age = now - table["time"].values
    tolerance = 0.5 * row_period(run)
    chosen = (age > -tolerance) & (age < FORCE_WINDOW - tolerance)
    pair = np.stack([table["link"].values[chosen], table["obstacle"].values[chosen]], axis=1)
    point = np.asarray(table["point"].values, dtype=float)[chosen][:, :2]
    force = np.asarray(table["force"].values, dtype=float)[chosen][:, :2]
    _, member, count = np.unique(pair, axis=0, return_inverse=True, return_counts=True)
    rows = max(1.0, min(FORCE_WINDOW, now) / row_period(run))
    size = len(count)
    mean_point, mean_force = np.zeros((size, 2)), np.zeros((size, 2))
    np.add.at(mean_point, member.reshape(-1), point)
    np.add.at(mean_force, member.reshape(-1), force)
    return mean_point / count[:, np.newaxis], _arrows(mean_force / rows, full_force(run))


def _arrows(force: FloatArray, full: float) -> FloatArray:
    """Arrows [m] for forces [N]: `full` is ARROW_LENGTH long, none is longer than LONGEST_ARROW."""
    size = np.linalg.norm(force, axis=1, keepdims=True)
    length = np.minimum(size * (ARROW_LENGTH / full), LONGEST_ARROW)
    return np.asarray(length * np.divide(force, size, out=np.zeros_like(force), where=size > 0))


def row_period(run: Recording) -> float:
    """Time between rows [s]."""
    time = run.data["time"].values
    return float(time[1] - time[0]) if len(time) > 1 else 1.0


def full_force(run: Recording) -> float:
    """A force [N] near the upper end of the means over FORCE_WINDOW; hard impacts may exceed it."""
    force = np.asarray(run.data["contact_force"].values, dtype=float)
    size = max(1, min(len(force), round(FORCE_WINDOW / row_period(run))))
    blocks = force[: len(force) // size * size].reshape(-1, size, *force.shape[1:])
    means = np.linalg.norm(blocks.mean(axis=1), axis=-1)
    return float(np.percentile(means[means > 0], 80)) if np.any(means > 0) else 1.0


def draw_arrows(axes: Axes, run: Recording, row: int) -> Quiver | None:
    """Contact forces of one row; None without contacts."""
    point, arrow = contact_arrows(run, row)
    if not len(point):
        return None
    return axes.quiver(
        *point.T,
        *arrow.T,
        angles="xy",
        scale_units="xy",
        scale=1,
        width=0.0045,
        facecolor=style.FORCE,
        edgecolor=style.BODY_EDGE,
        linewidth=0.5,
        zorder=5,
    )
