"""Runs in space from above and from the side: robots and contact forces drawn to scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from pushpoint.analysis._series import recorded
from pushpoint.geometry.rotation import matrices
from pushpoint.view import bodies, style
from pushpoint.view.bodies import ARC_POINTS, FORCE_WINDOW, THIN, draw_outlines, draw_thin, draw_wide
from pushpoint.view.faults import links_in_solids
from pushpoint.view.style import paled

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.quiver import Quiver

    from pushpoint.recording.recording import Recording
    from pushpoint.robots import Link, Robot
    from pushpoint.types import FloatArray

    BoolArray = npt.NDArray[np.bool_]

GROUND = -1  # as an obstacle
PRESSING = 0.05  # share of its weight with which a link that touches the ground presses on it
EYE = 0.17  # radius of an eye over that of the head


def is_spatial(run: Recording) -> bool:
    """Whether the run happened in space."""
    return "link_orientation" in run.data


class Sight(Protocol):
    """A direction from which one looks."""

    def flat(self, points: FloatArray) -> FloatArray:
        """Places in the picture [m], (..., 2)."""
        ...

    def nearness(self, points: FloatArray) -> FloatArray:
        """Along the line of sight [m], larger if nearer to the eye."""
        ...


class View(NamedTuple):
    """From where one looks: which of the world's axes go to the right, up, and towards the eye."""

    right: int
    up: int
    depth: int
    sign: int  # +1: the depth axis points to the eye, -1: away from it

    def flat(self, points: FloatArray) -> FloatArray:
        """Places in the picture [m], (..., 2)."""
        return points[..., [self.right, self.up]]

    def nearness(self, points: FloatArray) -> FloatArray:
        """Along the line of sight [m], larger if nearer to the eye."""
        return self.sign * points[..., self.depth]


TOP = View(0, 1, 2, 1)
SIDE = View(0, 2, 1, -1)


class Pose(NamedTuple):
    """Of all links at one row."""

    centre: FloatArray  # [m], (links, 3)
    turn: FloatArray  # rotation matrices, (links, 3, 3): columns are forward, left, up

    def ends(self, robot: Robot) -> FloatArray:
        """Rear and front end of each link [m], (links, 2, 3): where its joints are."""
        along = np.array([[link.length / 2] for link in robot.links]) * self.turn[:, :, 0]
        return np.stack([self.centre - along, self.centre + along], axis=1)


def pose_in_space(run: Recording, row: int) -> Pose:
    """Where the links are at one row."""
    return Pose(recorded(run, "link_position")[row], matrices(recorded(run, "link_orientation")[row]))


# --- outlines ---


def hull(points: FloatArray) -> FloatArray:
    """The smallest convex polygon around points in a plane, (points, 2), counter-clockwise: Andrew's chain."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return np.array(ordered).reshape(-1, 2)
    halves = []
    for half in (ordered, ordered[::-1]):
        chain: list[tuple[float, float]] = []
        for point in half:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        halves += chain[:-1]
    return np.array(halves)


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Positive if the path from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def circle(radius: float) -> FloatArray:
    """Around the origin [m], (points, 2)."""
    turn = np.linspace(0, 2 * np.pi, 2 * ARC_POINTS, endpoint=False)
    return radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)


def link_outline(link: Link, centre: FloatArray, turn: FloatArray, view: Sight) -> FloatArray:
    """The outline of a link in the picture [m], (points, 2): a capsule, or a bar with rounded edges."""
    off, ball = (0.0, link.radius) if link.shape == "round" else (link.radius - link.rounding, link.rounding)
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    balls = view.flat(centre + signs * (link.half_core, off, off) @ turn.T)
    return hull((np.unique(balls, axis=0)[:, np.newaxis] + circle(ball)).reshape(-1, 2))


def eyes(link: Link, centre: FloatArray, turn: FloatArray, view: Sight) -> list[FloatArray]:
    """Those of the head's two eyes that can be seen."""
    found, ahead = [], link.half_core + (0.25 if link.shape == "round" else -0.2) * link.radius
    for side in (1, -1):
        off = turn @ np.array([0.0, 0.45 * side, 0.5]) * link.radius
        if view.nearness(off) > 0:
            place = centre + off + turn[:, 0] * ahead
            found.append(view.flat(place) + circle(EYE * link.radius))
    return found


# --- robots ---


def pressing(run: Recording, row: int) -> BoolArray:
    """Which links press on the ground: with a twentieth of their weight or more, on the mean over FORCE_WINDOW.

    Rows hold means since the row before, so that the first row has none: there the next ones count.
    """
    count = max(1, round(FORCE_WINDOW / bodies.row_period(run)))
    row %= run.data.sizes["time"]
    first = max(1, row - count + 1)
    force = recorded(run, "ground_force")[first : max(row, first) + 1]
    mean = np.linalg.norm(force.mean(axis=0), axis=1) if len(force) else np.zeros(run.data.sizes["link"])
    weight = run.scenario.built_world().gravity * np.array([link.mass for link in run.scenario.built_robot().links])
    return np.asarray(mean > np.maximum(PRESSING * weight, 1e-9))


def draw_in_space(axes: Axes, run: Recording, row: int, view: View, strength: float = 1.0) -> list[Artist]:
    """The robot at one row, links that press on the ground darker; a `strength` below one pales it.

    Links that lie inside of obstacles have an outline.
    """
    robot, at = run.scenario.built_robot(), pose_in_space(run, row)
    colours = [paled(colour, strength) for colour in _colours(pressing(run, row))]
    thin = [k for k, link in enumerate(robot.links) if link.radius < THIN]
    drawn: list[Artist] = []
    if len(thin) < len(robot.links):
        drawn.append(_draw_wide(axes, robot, at, view, colours, strength))
    if thin:
        ends = view.flat(at.ends(robot))[thin]
        drawn += draw_thin(axes, ends, [colours[k] for k in thin], strength)
    marked = [k for k in links_in_solids(run, row) if k not in thin]
    shapes = [link_outline(robot.links[k], at.centre[k], at.turn[k], view) for k in marked]
    return [*drawn, *draw_outlines(axes, shapes, strength)]


def _colours(down: BoolArray) -> list[str]:
    body = [style.BODY_DOWN if is_down else style.BODY for is_down in down[:-1]]
    return [*body, style.HEAD_DOWN if down[-1] else style.HEAD]


def _draw_wide(
    axes: Axes, robot: Robot, at: Pose, view: View, colours: list[tuple[float, ...]], strength: float
) -> PolyCollection:
    """Links that have a width; what is nearer covers what is behind."""
    shapes: list[FloatArray] = []
    fill: list[tuple[float, ...]] = []
    for k in np.argsort(view.nearness(at.centre), kind="stable"):
        link, centre, turn = robot.links[k], at.centre[k], at.turn[k]
        if link.radius < THIN:
            continue
        shapes.append(link_outline(link, centre, turn, view))
        fill.append(colours[k])
        if k == len(robot.links) - 1:
            seen = eyes(link, centre, turn, view)
            shapes += seen
            fill += [paled(style.BODY_EDGE, 1.0)] * len(seen)
    return draw_wide(axes, shapes, fill, strength)


# --- forces ---


def draw_pushes(axes: Axes, run: Recording, row: int, view: View) -> Quiver | None:
    """Forces of obstacles and other links, not of the ground, on links at one row; None without any."""
    pushes = bodies.pushes_at(run, row, 3)
    above_ground = pushes.obstacle != GROUND
    if not np.any(above_ground):
        return None
    length = bodies.arrows(pushes.force[above_ground], bodies.full_force(run))
    return bodies.quiver(axes, view.flat(pushes.point[above_ground]), view.flat(length))
