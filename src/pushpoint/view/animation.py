"""The robot moving among its obstacles, as a GIF."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from pushpoint.analysis._series import link_path
from pushpoint.analysis.metrics import duration
from pushpoint.errors import InvalidInput
from pushpoint.view import space_figure, style
from pushpoint.view.bodies import ARROW_LENGTH, draw_arrows, draw_robot, full_force
from pushpoint.view.encoding import palette_of, save_gif
from pushpoint.view.faults import FaultFinder
from pushpoint.view.panels import middle
from pushpoint.view.space import is_spatial
from pushpoint.view.space_figure import AXIS, LEFT, RIGHT, TITLE, Sheet
from pushpoint.view.space_scene import boxes_of
from pushpoint.view.surroundings import draw_movable, draw_scene, movable, view_box

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from pushpoint.recording.recording import Recording

MOST_FRAMES = 100
PAUSE = 40  # [ms] between frames: 25 a second
LAST_PAUSE = 1000  # [ms], before it starts again
WIDTH = 8.0  # [inch]
DPI = 100
EXACT = ("paper", "ground", "peg", "movable", "body", "head", "force", "path")
EXACT_IN_SPACE = (*EXACT, "body_down", "head_down", "earth", "orange")
TALLEST = 5.0  # [inch], top view of a run in space


class Stage(NamedTuple):
    """A figure with all that does not move."""

    figure: Figure
    titled: Axes  # has the clock above it
    draw: Callable[[int], list[Artist]]  # what moves, at a row


def animation(run: Recording, path: Path, style_name: str = "light") -> None:
    """Write a GIF of the run in a style: smooth, and faster than real time if that would need too many frames."""
    if run.data.sizes["time"] < 2:
        raise InvalidInput("the recording has one row only: nothing moves")
    with style.styled(style_name):
        frames = _frames(run)
        names = EXACT_IN_SPACE if is_spatial(run) else EXACT
        palette = palette_of(frames[len(frames) // 2], [getattr(style, name.upper()) for name in names])
    flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    pauses = [PAUSE] * (len(frames) - 1) + [LAST_PAUSE]
    save_gif(path, flat, pauses)


def _frames(run: Recording) -> list[Image.Image]:
    """Evenly spaced in time."""
    wanted = max(2, min(MOST_FRAMES, round(1000 * duration(run) / PAUSE)))
    rows = [round(row) for row in np.linspace(0, run.data.sizes["time"] - 1, wanted)]
    with style.styled():
        stage = _space_stage(run) if is_spatial(run) else _flat_stage(run)
        canvas = FigureCanvasAgg(stage.figure)
        clock = stage.titled.set_title("")
        speed = 1000 * duration(run) / (PAUSE * (len(rows) - 1))
        said = f"{speed:.1f} × real time{_scale(run)}"
        stage.titled.set_title(said, loc="right", fontweight="normal", fontsize=8, color=style.NOTE)
        _picture(canvas)
        stage.figure.set_layout_engine("none")  # made once: it would tremble from frame to frame
        frames = []
        for row in rows:
            moving = stage.draw(row)
            clock.set_text(f"{run.scenario.name}   t = {run.data['time'].values[row]:.1f} s")
            frames.append(_picture(canvas))
            for artist in moving:
                artist.remove()
        return frames


def _scale(run: Recording) -> str:
    """What the length of arrows says, if there may be some."""
    return f"; arrows: {ARROW_LENGTH:g} m for {full_force(run):g} N" if run.scenario.built_world().obstacles else ""


def _flat_stage(run: Recording) -> Stage:
    box = view_box(run).widened(0.6)
    figure = Figure(figsize=(WIDTH, (WIDTH - 0.8) * box.shape + 0.9), dpi=DPI, layout="constrained")
    axes = figure.add_subplot()
    draw_scene(axes, run, box)
    path, discs, faults = link_path(run, middle(run)), movable(run), FaultFinder(run)

    def draw(row: int) -> list[Artist]:
        trail = axes.plot(*path[: row + 1].T, **style.TRAIL)
        others = (draw_movable(axes, discs, row), draw_arrows(axes, run, row))
        return [
            *draw_robot(axes, run, row, faults=faults),
            *trail,
            *(artist for artist in others if artist is not None),
        ]

    return Stage(figure, axes, draw)


def _space_stage(run: Recording) -> Stage:
    wide = WIDTH - LEFT - RIGHT
    views = space_figure.views_for(boxes_of(run).widened(TALLEST / wide), wide)
    sheet = Sheet(WIDTH, TITLE + views.height + AXIS)
    sheet.figure.set_dpi(DPI)
    above, beside = space_figure.place_views(sheet, views, LEFT, TITLE)
    space_figure.draw_scenes(above, beside, run, views.boxes)
    beside.set_title("From the side; dark links press on the ground")
    discs = movable(run)

    def draw(row: int) -> list[Artist]:
        robot = space_figure.draw_instant(above, beside, run, discs, row)
        return [*robot, *space_figure.draw_trails(above, beside, run, row)]

    return Stage(sheet.figure, above, draw)


def _picture(canvas: Any) -> Image.Image:
    """The canvas drawn; typed Any because Matplotlib's canvas is not typed."""
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())
