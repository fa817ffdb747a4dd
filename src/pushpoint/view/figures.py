"""Figures of one run: the panels that are chosen, on one sheet; and how figures are saved."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.layout_engine import ConstrainedLayoutEngine

from pushpoint.analysis import Curve
from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.files import write_bytes
from pushpoint.view import panels as parts
from pushpoint.view import style as styles
from pushpoint.view.run_panels import PANELS, default_panels, draw_from_above, rows_at
from pushpoint.view.space import is_spatial
from pushpoint.view.space_figure import space_figure
from pushpoint.view.style import SCENE_WIDTH, WIDTH
from pushpoint.view.surroundings import view_box

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import GridSpec

    from pushpoint.recording.recording import Recording

LOWEST, HIGHEST = 1.2, 3.4  # [inch], of panels to scale
ABOVE, TITLE, PLOT = 0.5, 1.25, 2.45  # [inch]: headline; titles and axis of a panel to scale; a row of other panels
ABREAST = 2  # panels over time beside each other
DPI = 160
SMALLEST, LARGEST = 1.0, 60.0  # [inch], of sheets


def figure(
    recording: Recording,
    panels: Sequence[str] | None = None,
    *,
    size: tuple[float, float] | None = None,
    style: str = "light",
    published: Mapping[str, Curve] | None = None,
) -> Figure:
    """Draw panels of a run on one sheet.

    Parameters
    ----------
    recording
        What is drawn.
    panels
        Names, in their order: "scene", "side", "path", "x", "y", "z", "contact_forces", "ground_forces",
        "joint_angles", "joint_torques", "energy", "events". Those to scale (the first two) have a row each, of the
        others two are beside each other. None: what the figure of a run shows.
    size
        Width and height [inch]; None: 10 inches wide and as high as the panels need.
    style
        "light", "dark", or "print" for journals: black on white.
    published
        Curves of the middle link by label, for "x" and "y".

    Returns
    -------
    Figure
        `save_figure` writes it; `.axes` are its panels and the bars of maps.

    Raises
    ------
    InvalidInput
        If a panel is unknown or the run has nothing for it, or the size cannot be.

    Examples
    --------
    >>> run = pp.simulate("transeth2008a/track", duration=0.1)
    >>> sheet = pp.view.figure(run, ["joint_angles", "events"], size=(8, 3), style="print")
    >>> [axes.get_title("left") for axes in sheet.axes][:2]
    ['Joint angles', 'Events']
    """
    with styles.styled(style):
        if panels is None and size is None:
            return run_figure(recording, published)
        names = default_panels(recording) if panels is None else list(panels)
        for name in names:
            if name not in PANELS:
                raise UnknownName("panel", name, PANELS)
        if not names:
            raise InvalidInput("panels: should hold one name at least")
        return _sheet_of(recording, names, _checked(size), style, published or {})


def _checked(size: tuple[float, float] | None) -> tuple[float, float] | None:
    if size is None:
        return None
    if len(size) != 2 or not all(SMALLEST <= float(side) <= LARGEST for side in size):
        raise InvalidInput(f"size = {size!r}: should be width and height from {SMALLEST:g} to {LARGEST:g} inches")
    return float(size[0]), float(size[1])


def _sheet_of(
    run: Recording, names: Sequence[str], size: tuple[float, float] | None, style: str, published: Mapping[str, Curve]
) -> Figure:
    rows = rows_of(names)
    wide = WIDTH if size is None else size[0]
    shapes = [PANELS[row[0]].shape for row in rows]
    free = wide - (WIDTH - SCENE_WIDTH)
    heights = [
        PLOT if shape is None else float(np.clip(free * shape(run), LOWEST, HIGHEST)) + TITLE for shape in shapes
    ]
    sheet, grid = _empty(wide, ABOVE + sum(heights) if size is None else size[1], heights)
    for k, row in enumerate(rows):
        for name, axes in zip(row, _axes_of(sheet, grid, k, len(row)), strict=True):
            options = {"published": published} if name in ("x", "y") and published else {}
            PANELS[name].draw(run, axes, style=style, **options)
    _headline(sheet, run, wide / WIDTH)
    return sheet


def rows_of(names: Sequence[str]) -> list[list[str]]:
    """Panels to scale by themselves, others ABREAST."""
    rows: list[list[str]] = []
    for name in names:
        goes_on = rows and not PANELS[name].shape and not PANELS[rows[-1][0]].shape and len(rows[-1]) < ABREAST
        if goes_on:
            rows[-1].append(name)
        else:
            rows.append([name])
    return rows


def _empty(width: float, height: float, heights: Sequence[float]) -> tuple[Figure, GridSpec]:
    layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06, hspace=0.02, wspace=0.03)
    sheet = styles.sheet(width, height, layout=layout)
    return sheet, sheet.add_gridspec(len(heights), ABREAST, height_ratios=heights)


def _axes_of(sheet: Figure, grid: GridSpec, row: int, count: int) -> list[Axes]:
    if count == 1:
        return [sheet.add_subplot(grid[row, :])]
    return [sheet.add_subplot(grid[row, column]) for column in range(count)]


def _headline(sheet: Figure, run: Recording, share: float = 1.0) -> None:
    """Title above and remarks below, for sheets of a `share` of WIDTH."""
    sheet.suptitle(parts.headline(run, share), x=0.01, ha="left", fontsize=12, fontweight="bold")
    parts.draw_caption(sheet, parts.caption(run, share))


def run_figure(run: Recording, published: Mapping[str, Curve] | None = None) -> Figure:
    """World, robot at four instants, path of the middle link, contact forces and energy.

    `published` holds curves of the middle link by label: the first is drawn as a dashed line, others as dots.
    Runs in space are shown from above and from the side.
    """
    with styles.styled():
        if is_spatial(run):
            return space_figure(run, published or {})
        box = view_box(run)
        scene = float(np.clip(SCENE_WIDTH * box.shape, LOWEST, HIGHEST))
        sheet, rows = _empty(WIDTH, ABOVE + scene + TITLE + 2 * PLOT, (scene + TITLE, PLOT, PLOT))
        draw_from_above(sheet.add_subplot(rows[0, :]), run, rows_at(run, None), box.widened(scene / SCENE_WIDTH))
        for column, axis in enumerate("xy"):
            parts.draw_coordinate(sheet.add_subplot(rows[1, column]), run, axis, published or {})
        parts.draw_loads(sheet.add_subplot(rows[2, 0]), run)
        parts.draw_energy(sheet.add_subplot(rows[2, 1]), run)
        _headline(sheet, run)
        return sheet


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure.

    Parameters
    ----------
    figure
        As `figure` returns it.
    path
        The ending says in which format: .png (160 pixels per inch), .pdf, .svg.
    """
    target = Path(path)
    ending, known = target.suffix[1:].lower(), figure.canvas.get_supported_filetypes()
    if ending and ending not in known:
        allowed = ", ".join(sorted(known))
        raise InvalidInput(f"figure {target.name}: .{ending} is no format of figures; allowed: {allowed}")
    write_bytes(target, _image(figure, ending or None))


def png(figure: Figure) -> bytes:
    """A figure as the bytes of a PNG file."""
    return _image(figure, "png")


def _image(figure: Figure, ending: str | None) -> bytes:
    image = io.BytesIO()
    with styles.styled():
        figure.savefig(image, format=ending, dpi=DPI)
    return image.getvalue()
