"""What the frames of a video are drawn on: what does not move is drawn once, what moves for each frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from pushpoint.analysis._series import link_path, recorded, times
from pushpoint.view import style
from pushpoint.view.bodies import ARROW_LENGTH, arrows, draw_robot, full_force, pushes_at, quiver
from pushpoint.view.faults import FaultFinder
from pushpoint.view.known import draw_known
from pushpoint.view.panels import middle
from pushpoint.view.space import GROUND, TOP, draw_in_space, is_spatial
from pushpoint.view.space_scene import boxes_of, draw_top
from pushpoint.view.surroundings import Box, draw_movable, draw_scene, movable, view_box

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray
    from pushpoint.view.encoding import Frame

USUAL = (1280, 720)  # [pixels]: there letters have 100 dots per inch, and else in proportion
LOWEST_DPI, HIGHEST_DPI = 60.0, 300.0
HEAD, LEFT, RIGHT, BOTTOM = 0.42, 0.72, 0.15, 0.48  # [inch]: the line above the picture, and room for the axes
SMOOTHING = 1.0  # [s]: the camera follows means over so long
AROUND = 0.25  # room around a robot that is followed, as a share of what it takes


class Shown(NamedTuple):
    """What a video shows."""

    run: Recording
    size: tuple[int, int]  # [pixels]
    speed: float  # times real time
    follow: bool  # whether the camera does


class Camera(NamedTuple):
    """How much is seen, in the coordinates of the picture [m]."""

    box: Box  # of the first row
    shift: FloatArray  # of the box at every row since the first, (rows, 2)

    @property
    def moves(self) -> bool:
        return bool(np.any(self.shift))

    def at(self, row: int) -> Box:
        x, y = (float(value) for value in self.shift[row])
        return Box(self.box.left + x, self.box.right + x, self.box.bottom + y, self.box.top + y)


def fixed_camera(box: Box, shape: float, rows: int) -> Camera:
    """Shows a box, and more to the sides or above and below, until height over width is `shape`."""
    return Camera(fitted(box, shape), np.zeros((rows, 2)))


def following_camera(places: FloatArray, period: float, reach: float, shape: float) -> Camera:
    """Follows links at `places` (rows, links, 2) that reach so far [m]; it never loses sight of one."""
    centre = smoothed(places.mean(axis=1), SMOOTHING / period)
    away = np.abs(places - centre[:, np.newaxis]).max(axis=(0, 1)) + reach
    away *= 1 + AROUND
    x, y = centre[0]
    box = Box(float(x - away[0]), float(x + away[0]), float(y - away[1]), float(y + away[1]))
    return Camera(fitted(box, shape), centre - centre[0])


def fitted(box: Box, shape: float) -> Box:
    """The same box made wider or higher until height over width is `shape`."""
    box = box.widened(shape)
    extra = ((box.right - box.left) * shape - (box.top - box.bottom)) / 2
    return box._replace(bottom=box.bottom - extra, top=box.top + extra)


def smoothed(path: FloatArray, rows: float) -> FloatArray:
    """Means of a path (rows, 2) over so many rows around each; before the start and behind the end it stays."""
    half = max(0, min(round(rows / 2), len(path) - 1))
    padded = np.vstack([np.repeat(path[:1], half, axis=0), path, np.repeat(path[-1:], half, axis=0)])
    sums = np.cumsum(np.vstack([np.zeros((1, 2)), padded]), axis=0)
    return np.asarray((sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1))


class Picture(Protocol):
    """What is on a stage."""

    camera: Camera

    def draw_still(self, axes: Axes) -> None:
        """What does not move."""
        ...

    def draw_moving(self, axes: Axes, row: int) -> list[Artist]:
        """What does, at a row."""
        ...


class Stage:
    """A canvas of some pixels with a picture, and a line above it with name, time, speed and scale.

    A camera at rest needs the still part once: it is copied back below what moves. `frame` is valid until the next.
    """

    def __init__(self, shown: Shown, picture: Picture, place: tuple[float, float, float, float], scale: str) -> None:
        self._shown, self._picture = shown, picture
        self._figure = empty(shown.size)
        self._canvas: Any = canvas_of(self._figure)
        self._axes = self._figure.add_axes(place)
        picture.draw_still(self._axes)
        self._aim(0)
        high = self._figure.get_size_inches()[1]
        line: dict[str, Any] = {"y": 1 - 0.5 * HEAD / high, "va": "center"}
        self._clock = self._figure.text(0.012, s="", ha="left", fontsize=11, fontweight="bold", **line)
        said = f"{shown.speed:g} × real time{scale}"
        self._figure.text(0.988, s=said, ha="right", fontsize=9, color=style.NOTE, **line)
        self._clock.set_animated(not picture.camera.moves)
        self._canvas.draw()
        self._still = self._canvas.copy_from_bbox(self._figure.bbox)

    def frame(self, row: int) -> Frame:
        """The picture at a row."""
        now = times(self._shown.run)[row]
        self._clock.set_text(f"{self._shown.run.scenario.name}   t = {now:.2f} s")
        moves = self._picture.camera.moves
        if moves:
            self._aim(row)
        moving = self._picture.draw_moving(self._axes, row)
        if moves:
            self._canvas.draw()
        else:
            self._canvas.restore_region(self._still)
            for artist in sorted(moving, key=lambda each: each.get_zorder()):
                self._axes.draw_artist(artist)
            self._figure.draw_artist(self._clock)
        for artist in moving:
            artist.remove()
        return np.asarray(self._canvas.buffer_rgba())

    def _aim(self, row: int) -> None:
        box = self._picture.camera.at(row)
        self._axes.set(xlim=box[:2], ylim=box[2:])


def empty(size: tuple[int, int]) -> Figure:
    """A figure of just so many pixels; the larger it is, the larger its letters."""
    dpi = float(np.clip(100 * min(size[0] / USUAL[0], size[1] / USUAL[1]), LOWEST_DPI, HIGHEST_DPI))
    return Figure(figsize=((size[0] + 1e-3) / dpi, (size[1] + 1e-3) / dpi), dpi=dpi)


def canvas_of(figure: Figure) -> Any:
    """Matplotlib's canvas is not typed."""
    return FigureCanvasAgg(figure)


def with_axes(size: tuple[int, int]) -> tuple[float, float, float, float]:
    """Left, bottom, width and height of axes with labels, as shares of a figure."""
    wide, high = empty(size).get_size_inches()
    return LEFT / wide, BOTTOM / high, 1 - (LEFT + RIGHT) / wide, 1 - (HEAD + BOTTOM) / high


def shape_of(size: tuple[int, int], place: tuple[float, float, float, float]) -> float:
    """Height over width of axes."""
    return size[1] * place[3] / (size[0] * place[2])


def halo() -> list[Any]:
    """Around letters and arrows of keys."""
    return [withStroke(linewidth=3, foreground=style.GROUND)]


def draw_key(axes: Axes, full: float) -> list[Artist]:
    """In the lower right corner an arrow that says which force is how long, to scale."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    start = np.array([[right - 0.02 * (right - left) - ARROW_LENGTH, bottom + 0.04 * (top - bottom)]])
    arrow = quiver(axes, start, np.array([[ARROW_LENGTH, 0.0]]))
    arrow.set_zorder(8)
    middle_of = start[0, 0] + ARROW_LENGTH / 2
    text = axes.text(middle_of, start[0, 1] + 0.018 * (top - bottom), f"{full:g} N", ha="center", va="bottom")
    text.set(fontsize=9, color=style.FORCE, zorder=8, path_effects=halo())
    return [arrow, text]


class FromAbove:
    """A run from above: x and y, with axes."""

    def __init__(self, shown: Shown, shape: float) -> None:
        run = self._run = shown.run
        self._spatial = is_spatial(run)
        self._box = boxes_of(run).top if self._spatial else view_box(run)
        rows = int(run.data.sizes["time"])
        self.camera = self._following(shape) if shown.follow else fixed_camera(self._box, shape, rows)
        self._path, self._discs = link_path(run, middle(run)), movable(run)
        self._faults = None if self._spatial else FaultFinder(run)
        self._full = full_force(run)

    def _following(self, shape: float) -> Camera:
        reach = max(link.half_core + link.radius for link in self._run.scenario.built_robot().links)
        return following_camera(recorded(self._run, "link_position")[..., :2], period_of(self._run), reach, shape)

    def draw_still(self, axes: Axes) -> None:
        if self._spatial:
            draw_top(axes, self._run, self._box)
        else:
            draw_scene(axes, self._run, self._box)
        axes.set_aspect("auto")  # the camera has the shape of the axes

    def draw_moving(self, axes: Axes, row: int) -> list[Artist]:
        drawn: list[Artist] = list(axes.plot(*self._path[: row + 1].T, **style.TRAIL))
        drawn += draw_known(axes, self._run, row)
        discs = draw_movable(axes, self._discs, row)
        if self._spatial:
            drawn += draw_in_space(axes, self._run, row, TOP)
        else:
            drawn += draw_robot(axes, self._run, row, faults=self._faults)
        return [*drawn, *([] if discs is None else [discs]), *self._forces(axes, row)]

    def _forces(self, axes: Axes, row: int) -> list[Artist]:
        if not self._run.scenario.built_world().obstacles:
            return []
        pushes = pushes_at(self._run, row)
        chosen = pushes.obstacle != GROUND if self._spatial else np.ones(len(pushes.link), dtype=bool)
        drawn = draw_key(axes, self._full)
        if chosen.any():
            drawn.append(quiver(axes, pushes.point[chosen], arrows(pushes.force[chosen], self._full)))
        return drawn


def period_of(run: Recording) -> float:
    """Time between rows [s]."""
    time = times(run)
    return float(time[-1] - time[0]) / max(1, len(time) - 1)


def flat_stage(shown: Shown) -> Stage:
    """A run from above."""
    place = with_axes(shown.size)
    return Stage(shown, FromAbove(shown, shape_of(shown.size, place)), place, "")
