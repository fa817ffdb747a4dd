"""A robot among its obstacles from above, as it is now: what stands still is drawn once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure

from pushpoint.geometry.rotation import matrices
from pushpoint.robots import Robot
from pushpoint.types import FloatArray
from pushpoint.view import style
from pushpoint.view.bodies import ARROW_LENGTH, LINE_WIDTH, THIN, arrows, outlines
from pushpoint.view.space import TOP, link_outline
from pushpoint.view.surroundings import Box, draw_world
from pushpoint.worlds import World

Picture = npt.NDArray[np.uint8]

SIZE = (6.4, 3.2)  # [inch]
DPI = 100
FRAME = (0.1, 0.14, 0.885, 0.78)  # left, bottom, width, height of the axes over those of the figure
LENGTHS = 2.4  # width of the view in lengths of the robot
EDGE = 0.05  # of the view: nearer to its rim the view moves on
LEAD = 0.2  # of the view: as much more of it lies ahead of the robot
FULL_FORCE = 0.3  # weights of the robot: as long as ARROW_LENGTH


class LivePicture:
    """Pictures of one robot, one after the other.

    Parameters
    ----------
    robot
        Whose outline is drawn.
    direction
        Where it goes to: more is shown of what lies there.
    course
        Points of a line that it should follow [m], (k, 2).
    """

    def __init__(
        self, robot: Robot, direction: tuple[float, float] = (1.0, 0.0), course: FloatArray | None = None
    ) -> None:
        self._robot, self._course = robot, np.zeros((0, 2)) if course is None else course
        self._lead = LEAD * np.array(direction) / np.hypot(*direction)
        width = LENGTHS * sum(link.length for link in robot.links)
        self._view = np.array([width, width * SIZE[1] * FRAME[3] / (SIZE[0] * FRAME[2])])
        self.forget()

    def forget(self) -> None:
        """The next picture is of another world or episode."""
        self._stage: _Stage | None = None
        self._trail: list[FloatArray] = []

    def draw(self, world: World, position: FloatArray, attitude: FloatArray, force: FloatArray, time: float) -> Picture:
        """The picture of an instant, (height, width, 3).

        Parameters
        ----------
        world
            With its obstacles; those that were pushed about are drawn where they were at the start.
        position
            Of link centres [m], (n, 2) or (n, 3).
        attitude
            Angles [rad], (n,), or quaternions wxyz, (n, 4).
        force
            Of obstacles on links [N], (n, 2) or (n, 3).
        time
            Shown above [s].
        """
        place = position[:, :2]
        self._trail.append(place[len(place) // 2].copy())
        if self._stage is None or not self._stage.shows(place):
            with style.styled():
                self._stage = _Stage(self._robot, world, self._box(place), self._course)
        weight = self._robot.mass * (world.gravity or 9.81)
        pushes = arrows(force[:, :2], FULL_FORCE * weight)
        return self._stage.draw(position, attitude, pushes, np.array(self._trail), f"t = {time:.2f} s")

    def _box(self, place: FloatArray) -> Box:
        middle = (place.min(axis=0) + place.max(axis=0)) / 2 + self._lead * self._view
        low, high = middle - self._view / 2, middle + self._view / 2
        return Box(float(low[0]), float(high[0]), float(low[1]), float(high[1]))


class _Stage:
    """One view: the ground and what stands on it as a finished picture, and what moves as few artists."""

    def __init__(self, robot: Robot, world: World, box: Box, course: FloatArray) -> None:
        self._robot, self._box = robot, box
        figure = Figure(figsize=SIZE, dpi=DPI)
        axes = figure.add_axes(FRAME)
        self._axes: Any = axes  # typed Any because Matplotlib's drawing is not typed
        canvas: Any = FigureCanvasAgg(figure)
        self._canvas = canvas
        draw_world(axes, world, box)
        axes.plot(*course.T, color=style.GREEN, linewidth=1.0, zorder=0.8, scalex=False, scaley=False)
        self._thin = [link.radius < THIN for link in robot.links]
        colours = [style.BODY] * (len(robot.links) - 1) + [style.HEAD]
        self._body = PolyCollection([], edgecolors=style.BODY_EDGE, linewidths=0.7, zorder=3)
        self._colours = [*(c for c, thin in zip(colours, self._thin, strict=True) if not thin), *[style.BODY_EDGE] * 2]
        thin_colours = [c for c, thin in zip(colours, self._thin, strict=True) if thin]
        self._lines = LineCollection([], colors=thin_colours, linewidths=LINE_WIDTH, capstyle="round", zorder=3)
        self._forces = LineCollection([], colors=style.FORCE, linewidths=2.0, zorder=5)
        (self._trail,) = axes.plot([], [], **style.TRAIL)
        self._clock = axes.text(0.0, 1.02, "", transform=axes.transAxes, fontweight="bold", va="bottom")
        for moving in (self._body, self._lines, self._forces):
            axes.add_collection(moving, autolim=False)
        self._moving: list[Any] = [self._trail, self._body, self._lines, self._forces, self._clock]
        for artist in self._moving:
            artist.set_animated(True)
        canvas.draw()
        self._still: Any = canvas.copy_from_bbox(figure.bbox)

    def shows(self, place: FloatArray) -> bool:
        """Whether points (n, 2) [m] are in view, and not near its rim."""
        low, high = np.array(self._box[::2]), np.array(self._box[1::2])
        rim = EDGE * (high - low)
        return bool(((place > low + rim) & (place < high - rim)).all())

    def draw(
        self, position: FloatArray, attitude: FloatArray, force: FloatArray, trail: FloatArray, clock: str
    ) -> Picture:
        shapes, ends = self._shapes(position, attitude)
        self._body.set_verts(shapes)
        self._body.set_facecolor(self._colours[: len(shapes)])
        self._lines.set_segments(list(ends))
        start = position[:, :2]
        pushed = np.hypot(force[:, 0], force[:, 1]) > 0.02 * ARROW_LENGTH
        self._forces.set_segments(list(np.stack([start, start + force], axis=1)[pushed]))
        self._trail.set_data(*trail.T)
        self._clock.set_text(clock)
        self._canvas.restore_region(self._still)
        for artist in self._moving:
            self._axes.draw_artist(artist)
        return np.asarray(self._canvas.buffer_rgba())[..., :3].copy()

    def _shapes(self, position: FloatArray, attitude: FloatArray) -> tuple[list[FloatArray], FloatArray]:
        """Outlines of wide links and of eyes, and the ends of thin ones (k, 2, 2), [m]."""
        plane, links = attitude.ndim == 1, self._robot.links
        half = np.array([link.length / 2 for link in links])[:, np.newaxis]
        if plane:
            axis = np.stack([np.cos(attitude), np.sin(attitude)], axis=1)
            drawn = outlines(self._robot, position, attitude)
        else:
            turn = matrices(attitude)
            axis, at = turn[:, :2, 0], zip(links, position, turn, strict=True)
            drawn = [link_outline(link, centre, axes, TOP) for link, centre, axes in at]
        ends = np.stack([position[:, :2] - half * axis, position[:, :2] + half * axis], axis=1)
        kept = [shape for shape, thin in zip(drawn, self._thin, strict=False) if not thin] + drawn[len(links) :]
        return kept, ends[np.array(self._thin)]
