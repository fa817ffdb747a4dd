"""The robot moving among its obstacles, as a GIF."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from pushpoint.analysis._series import link_path
from pushpoint.analysis.metrics import duration
from pushpoint.errors import InvalidInput
from pushpoint.files import write_bytes
from pushpoint.view import space_figure, style
from pushpoint.view.bodies import draw_arrows, draw_robot
from pushpoint.view.panels import middle
from pushpoint.view.scene import draw_movable, draw_scene, movable, view_box
from pushpoint.view.space import is_spatial
from pushpoint.view.space_figure import AXIS, LEFT, RIGHT, TITLE, Sheet
from pushpoint.view.space_scene import boxes_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from pushpoint.recording.recording import Recording

MOST_FRAMES = 100
PAUSE = 40  # [ms] between frames: 25 a second
LAST_PAUSE = 1000  # [ms], before it starts again
WIDTH = 8.0  # [inch]
DPI = 100
COLOURS = 64  # of the one palette that all frames share; flat colours need no more
EXACT = (style.PAPER, style.GROUND, style.PEG, style.MOVABLE, style.BODY, style.HEAD, style.FORCE, style.PATH)
EXACT_IN_SPACE = (*EXACT, style.BODY_DOWN, style.HEAD_DOWN, style.EARTH, style.ORANGE)
TALLEST = 5.0  # [inch], top view of a run in space


class Stage(NamedTuple):
    """A figure with all that does not move."""

    figure: Figure
    titled: Axes  # has the clock above it
    draw: Callable[[int], list[Artist]]  # what moves, at a row


def animation(run: Recording, path: Path) -> None:
    """Write a GIF of the run: smooth, and faster than real time if that would need too many frames."""
    if run.data.sizes["time"] < 2:
        raise InvalidInput("the recording has one row only: nothing moves")
    frames = _frames(run)
    palette = _palette(frames[len(frames) // 2], EXACT_IN_SPACE if is_spatial(run) else EXACT)
    flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    pauses = [PAUSE] * (len(frames) - 1) + [LAST_PAUSE]
    image = io.BytesIO()
    flat[0].save(image, "GIF", save_all=True, append_images=flat[1:], duration=pauses, loop=0, optimize=False)
    write_bytes(Path(path), image.getbuffer())


def _palette(frame: Image.Image, wanted: Sequence[str]) -> Image.Image:
    """Colours of a frame, and those that must be exact however few pixels have them: thin robots, arrows."""
    found = frame.quantize(COLOURS - len(wanted), dither=Image.Dither.NONE).getpalette() or []
    exact = [round(255 * part) for colour in wanted for part in to_rgb(colour)]
    palette = Image.new("P", (1, 1))
    palette.putpalette(exact + found[: 3 * COLOURS - len(exact)])
    return palette


def _frames(run: Recording) -> list[Image.Image]:
    """Evenly spaced in time."""
    wanted = max(2, min(MOST_FRAMES, round(1000 * duration(run) / PAUSE)))
    rows = [round(row) for row in np.linspace(0, run.data.sizes["time"] - 1, wanted)]
    with style.styled():
        stage = _space_stage(run) if is_spatial(run) else _flat_stage(run)
        canvas = FigureCanvasAgg(stage.figure)
        clock = stage.titled.set_title("")
        speed = 1000 * duration(run) / (PAUSE * (len(rows) - 1))
        stage.titled.set_title(f"{speed:.1f} × real time", loc="right", fontweight="normal", color=style.QUIET)
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


def _flat_stage(run: Recording) -> Stage:
    box = view_box(run).widened(0.6)
    figure = Figure(figsize=(WIDTH, (WIDTH - 0.8) * box.shape + 0.9), dpi=DPI, layout="constrained")
    axes = figure.add_subplot()
    draw_scene(axes, run, box)
    path, discs = link_path(run, middle(run)), movable(run)

    def draw(row: int) -> list[Artist]:
        trail = axes.plot(*path[: row + 1].T, **style.TRAIL)
        others = (draw_movable(axes, discs, row), draw_arrows(axes, run, row))
        return [*draw_robot(axes, run, row), *trail, *(artist for artist in others if artist is not None)]

    return Stage(figure, axes, draw)


def _space_stage(run: Recording) -> Stage:
    views = space_figure.views_for(boxes_of(run), WIDTH - LEFT - RIGHT, TALLEST)
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
