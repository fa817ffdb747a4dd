"""Figures of one run and of a whole reproduction."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from pushpoint.analysis import Curve
from pushpoint.analysis._series import link_path
from pushpoint.errors import InvalidInput
from pushpoint.files import write_bytes
from pushpoint.studies.statistics import placed_in_range
from pushpoint.view import panels, style
from pushpoint.view.bodies import FORCE_WINDOW, draw_arrows, draw_robot
from pushpoint.view.scene import Box, draw_movable, draw_scene, movable, view_box
from pushpoint.view.space import is_spatial
from pushpoint.view.space_figure import space_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording

WIDTH = 10.0  # [inch]
SCENE_WIDTH = 9.2  # [inch], what the axes leave of it
DPI = 160
FADE = LinearSegmentedColormap.from_list("fade", [style.PAPER, "#d6e0e8"])


def run_figure(run: Recording, published: Mapping[str, Curve] | None = None) -> Figure:
    """World, robot at four instants, path of the middle link, contact forces and energy.

    `published` holds curves of the middle link by label: the first is drawn as a dashed line, others as dots.
    Runs in space are shown from above and from the side.
    """
    if is_spatial(run):
        return space_figure(run, published or {})
    with style.styled():
        box = view_box(run)
        scene = float(np.clip(SCENE_WIDTH * box.shape, 1.2, 4.0))  # [inch], high
        layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.08, hspace=0.04, wspace=0.03)
        figure = style.sheet(WIDTH, scene + 7.0, layout=layout)
        rows = figure.add_gridspec(3, 2, height_ratios=(scene + 0.9, 2.8, 2.8))
        _draw_robots(figure.add_subplot(rows[0, :]), run, box.widened(scene / SCENE_WIDTH))
        for column, axis in enumerate("xy"):
            panels.draw_coordinate(figure.add_subplot(rows[1, column]), run, axis, published or {})
        panels.draw_loads(figure.add_subplot(rows[2, 0]), run)
        panels.draw_energy(figure.add_subplot(rows[2, 1]), run)
        figure.suptitle(panels.headline(run), x=0.01, ha="left", fontsize=12, fontweight="bold")
        panels.draw_caption(figure, panels.caption(run))
        return figure


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure; the ending of `path` says in which format."""
    path = Path(path)
    ending, known = path.suffix[1:].lower(), figure.canvas.get_supported_filetypes()
    if ending and ending not in known:
        allowed = ", ".join(sorted(known))
        raise InvalidInput(f"figure {path.name}: .{ending} is no format of figures; allowed: {allowed}")
    write_bytes(path, _image(figure, ending or None))


def png(figure: Figure) -> bytes:
    """A figure as the bytes of a PNG file."""
    return _image(figure, "png")


def _image(figure: Figure, ending: str | None) -> bytes:
    image = io.BytesIO()
    with style.styled():
        figure.savefig(image, format=ending, dpi=DPI)
    return image.getvalue()


def _draw_robots(axes: Axes, run: Recording, box: Box) -> None:
    draw_scene(axes, run, box)
    rows, discs = panels.rows_shown(run), movable(run)
    for row, strength in zip(rows, panels.STRENGTHS, strict=True):
        draw_movable(axes, discs, row, strength)
        draw_robot(axes, run, row, strength)
    axes.plot(*link_path(run, panels.middle(run)).T, **style.TRAIL)
    draw_arrows(axes, run, rows[-1])
    axes.set_title(panels.times_shown(run))
    marks = [
        Line2D([], [], color=style.HEAD, marker="o", linestyle="none", label="head"),
        Line2D([], [], label="path of the middle link", **style.TRAIL),
    ]
    if run.scenario.built_world().obstacles:
        label = f"contact force, mean of the last {FORCE_WINDOW:g} s"
        marks.append(Line2D([], [], label=label, **style.ARROW))
    axes.legend(handles=marks, ncols=len(marks), loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)


def claims_figure(verdicts: Sequence[Mapping[str, Any]]) -> Figure:
    """Every claim on one line: the accepted range as a bar, the measured value as a dot.

    `verdicts` hold id, accepted (low, high), measured, unit, confirmed and, of ensembles, interval, which is drawn
    as a line. Each line has its own scale: the ends of the accepted range are at a quarter and three quarters; an
    open end fades out.
    """
    with style.styled():
        figure = style.sheet(WIDTH, 0.9 + 0.36 * len(verdicts), layout="constrained")
        axes = figure.add_subplot()
        for line, verdict in enumerate(verdicts):
            _draw_verdict(axes, -line, verdict)
        axes.set_yticks([-k for k in range(len(verdicts))], [str(v["id"]) for v in verdicts])
        axes.set(xlim=(0.0, 1.15), ylim=(0.6 - len(verdicts), 0.6), xticks=[])
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.tick_params(left=False)
        axes.grid(False)
        axes.set_title("Measured (dot) and accepted range (bar), each line on its own scale")
        return figure


def _draw_verdict(axes: Axes, height: float, verdict: Mapping[str, Any]) -> None:
    low, high = verdict["accepted"]
    measured = float(verdict["measured"])
    left, right = (0.0 if low is None else 0.25), (1.0 if high is None else 0.75)
    shades = np.array([[low is not None, True, True, high is not None]], dtype=float)
    extent = (left, right, height - 0.28, height + 0.28)
    scale: dict[str, Any] = {"cmap": FADE, "vmin": 0.0, "vmax": 1.0, "interpolation": "bilinear"}
    axes.imshow(shades, extent=extent, aspect="auto", zorder=1, **scale)
    drawn_as: dict[str, Any] = {"va": "center", "color": style.QUIET, "fontsize": 8}
    if low is not None:
        axes.text(left - 0.01, height, f"{low:g}", ha="right", **drawn_as)
    if high is not None:
        axes.text(right + 0.01, height, f"{high:g}", ha="left", **drawn_as)
    colour = style.GREEN if verdict["confirmed"] else style.RED
    interval = verdict.get("interval")
    if interval is not None and np.all(np.isfinite(interval)):
        ends = [placed_in_range(float(end), low, high) for end in interval]
        axes.plot(ends, [height, height], color=colour, linewidth=2.0, alpha=0.6, zorder=2)
    if np.isfinite(measured):
        axes.plot([placed_in_range(measured, low, high)], [height], marker="o", color=colour, markersize=6, zorder=3)
    text = f"{measured:.5g} {verdict['unit']}" if np.isfinite(measured) else "not measured"
    axes.text(1.14, height, text, va="center", ha="right", color=colour, fontsize=9, fontweight="bold")
