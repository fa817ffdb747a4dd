"""The robot moving among its obstacles, as a GIF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from pushpoint.errors import InvalidInput
from pushpoint.files import replacing
from pushpoint.view import style
from pushpoint.view.bodies import draw_arrows, draw_robot
from pushpoint.view.scene import Movable, draw_movable, draw_scene, movable, view_box

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

MOST_FRAMES = 100
PAUSE = 40  # [ms] between frames: 25 a second
LAST_PAUSE = 1000  # [ms], before it starts again
WIDTH = 8.0  # [inch]
DPI = 100
COLOURS = 64  # of the one palette that all frames share; flat colours need no more
EXACT = (style.PAPER, style.GROUND, style.PEG, style.MOVABLE, style.BODY, style.HEAD, style.FORCE, style.PATH)


def animation(run: Recording, path: Path) -> None:
    """Write a GIF of the run: smooth, and faster than real time if that would need too many frames."""
    if run.data.sizes["time"] < 2:
        raise InvalidInput("the recording has one row only: nothing moves")
    rows = _chosen_rows(run)
    frames = _frames(run, rows)
    palette = _palette(frames[len(frames) // 2])
    flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    pauses = [PAUSE] * (len(frames) - 1) + [LAST_PAUSE]
    with replacing(Path(path)) as temporary:
        flat[0].save(
            temporary,
            format="GIF",
            save_all=True,
            append_images=flat[1:],
            duration=pauses,
            loop=0,
            optimize=False,
        )


def _palette(frame: Image.Image) -> Image.Image:
    """Colours of a frame, and those that must be exact however few pixels have them: thin robots, arrows."""
    found = frame.quantize(COLOURS - len(EXACT), dither=Image.Dither.NONE).getpalette() or []
    exact = [round(255 * part) for colour in EXACT for part in to_rgb(colour)]
    palette = Image.new("P", (1, 1))
    palette.putpalette(exact + found[: 3 * COLOURS - len(exact)])
    return palette


def _chosen_rows(run: Recording) -> list[int]:
    """Evenly spaced in time."""
    wanted = max(2, min(MOST_FRAMES, round(1000 * _duration(run) / PAUSE)))
    return [round(row) for row in np.linspace(0, run.data.sizes["time"] - 1, wanted)]


def _duration(run: Recording) -> float:
    time = run.data["time"].values
    return float(time[-1] - time[0])


def _frames(run: Recording, rows: list[int]) -> list[Image.Image]:
    with style.styled():
        box = view_box(run).widened(0.6)
        figure = Figure(figsize=(WIDTH, (WIDTH - 0.8) * box.shape + 0.9), dpi=DPI, layout="constrained")
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        draw_scene(axes, run, box)
        clock = axes.set_title("")
        speed = 1000 * _duration(run) / (PAUSE * (len(rows) - 1))
        axes.set_title(f"{speed:.1f} × real time", loc="right", fontweight="normal", color=style.QUIET)
        path = np.asarray(run.data["link_position"].values, dtype=float)[:, run.data.sizes["link"] // 2, :2]
        discs = movable(run)
        _picture(canvas)
        figure.set_layout_engine("none")  # made once: it would tremble from frame to frame
        frames = []
        for row in rows:
            moving = [*_draw_discs(axes, discs, row), *_draw_moving(axes, run, row, path)]
            clock.set_text(f"{run.scenario.name}   t = {run.data['time'].values[row]:.1f} s")
            frames.append(_picture(canvas))
            for artist in moving:
                artist.remove()
        return frames


def _picture(canvas: Any) -> Image.Image:
    """The canvas drawn; typed Any because Matplotlib's canvas is not typed."""
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())


def _draw_discs(axes: Axes, discs: Movable, row: int) -> list[Artist]:
    drawn = draw_movable(axes, discs, row)
    return [] if drawn is None else [drawn]


def _draw_moving(axes: Axes, run: Recording, row: int, path: FloatArray) -> list[Artist]:
    """What changes from frame to frame."""
    trail = axes.plot(*path[: row + 1].T, color=style.PATH, linewidth=1.2, linestyle=style.DOTS, zorder=4)
    arrows = draw_arrows(axes, run, row)
    return [*draw_robot(axes, run, row), *trail, *([] if arrows is None else [arrows])]
