"""Panels of figures: functions that take a recording and return Matplotlib axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.lines import Line2D

from pushpoint.analysis import Curve
from pushpoint.analysis._series import checked, link_path, recorded, times
from pushpoint.errors import InvalidInput
from pushpoint.view import panels, space_figure
from pushpoint.view import style as styles
from pushpoint.view.bodies import FORCE_WINDOW, draw_arrows, draw_robot, scale_of
from pushpoint.view.faults import MARK, SAID, FaultFinder
from pushpoint.view.known import draw_known, known_at
from pushpoint.view.space import SIDE, TOP, View, draw_in_space, draw_pushes, is_spatial
from pushpoint.view.space_scene import boxes_of, draw_movable_from_side, draw_side, draw_top, ground_below
from pushpoint.view.surroundings import Box, draw_movable, draw_scene, movable, view_box

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pushpoint.recording.recording import Recording

PANEL = (6.0, 3.6)  # [inch], of a figure with one panel
AROUND = 1.5  # [inch], high: title, legend and axis of a panel to scale
LEGEND_LINE = 14  # [points], high
WIDENED = 1.15  # by which the layout makes axes wider than they are at first
DOTS = 10  # on a path, evenly spaced in time


@contextmanager
def drawing(ax: Axes | None, style: str, shape: float | None = None) -> Iterator[Axes]:
    """Axes to draw on in a style: those that are given, or new ones on a figure of their own.

    `shape` is the height over the width of a panel to scale.
    """
    if ax is not None:
        with styles.coloured(style):
            yield ax
        return
    with styles.styled(style):
        wide, high = PANEL
        if shape is not None:
            high = float(np.clip(wide * shape, 1.0, 6.0)) + AROUND
        yield styles.sheet(wide, high, layout="constrained").add_subplot()


# --- to scale ---


def scene(
    recording: Recording, ax: Axes | None = None, *, time: float | Sequence[float] | None = None, style: str = "light"
) -> Axes:
    """Draw the robot among its obstacles from above, to scale.

    With the path of the middle link and, at the last instant, the contact forces; the legend says their scale. Links
    that lie inside of obstacles or cross other links have an outline.

    Parameters
    ----------
    recording
        What is drawn.
    ax
        Axes to draw on; None: those of a new figure.
    time
        One instant [s] or several, drawn light to dark; None: four, evenly spaced.
    style
        "light", "dark" or "print".

    Returns
    -------
    Axes
        What was drawn on; `.figure` is the figure.

    Examples
    --------
    >>> run = pp.simulate("transeth2008a/track", duration=0.1)
    >>> axes = pp.view.scene(run, time=0.1)
    >>> axes.get_xlabel(), axes.get_aspect()
    ('x [m]', 1.0)
    """
    rows = rows_at(recording, time)
    with drawing(ax, style, _shape_from_above(recording)) as axes:
        draw_from_above(axes, recording, rows)
    return axes


def side(
    recording: Recording, ax: Axes | None = None, *, time: float | Sequence[float] | None = None, style: str = "light"
) -> Axes:
    """Draw a robot in space from the side (x and z, seen from -y), to scale.

    Parameters
    ----------
    recording
        What is drawn: a run in space.
    ax, time, style
        As for `scene`.

    Returns
    -------
    Axes
        What was drawn on.
    """
    if not is_spatial(recording):
        raise InvalidInput(f"{recording.scenario.name}: a run in the plane has no side view")
    rows, boxes, discs = rows_at(recording, time), boxes_of(recording), movable(recording)
    with drawing(ax, style, boxes.side.shape) as axes:
        draw_side(axes, recording, boxes)
        for row, strength in zip(rows, strengths(len(rows)), strict=True):
            draw_movable_from_side(axes, recording, discs, row, strength)
            draw_in_space(axes, recording, row, SIDE, strength)
        draw_pushes(axes, recording, rows[-1], SIDE)
        below = ground_below(recording, rows[-1])
        if below is not None:
            axes.plot(*below.T, **space_figure.BELOW)
        axes.set_title("From the side")
    return axes


def path(recording: Recording, ax: Axes | None = None, *, link: int | None = None, style: str = "light") -> Axes:
    """Draw the path of a link from above, to scale, with dots that are evenly spaced in time.

    Parameters
    ----------
    recording
        What is drawn.
    ax
        As for `scene`.
    link
        Counted from the tail; None: the middle one.
    style
        As for `scene`.

    Returns
    -------
    Axes
        What was drawn on.
    """
    number = panels.middle(recording) if link is None else checked("link", link, recording.data.sizes["link"])
    place, period = link_path(recording, number), times(recording)[-1] / DOTS
    rows = [round(share * (len(place) - 1)) for share in np.linspace(0, 1, DOTS + 1)]
    with drawing(ax, style) as axes:
        axes.plot(*place.T, color=styles.BLUE, zorder=3)
        axes.plot(*place[rows].T, color=styles.BLUE, marker="o", markersize=3.5, linestyle="none", zorder=4)
        axes.plot(*place[-1:].T, color=styles.HEAD, marker="o", markersize=6, linestyle="none", zorder=5, label="end")
        axes.set(xlabel="x [m]", ylabel="y [m]")
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_title(f"Path of link {number}, a dot every {period:.3g} s")
        axes.legend(loc="best")
    return axes


def draw_from_above(axes: Axes, run: Recording, rows: Sequence[int], box: Box | None = None) -> None:
    """The scene of a figure. Of the plane, so much as `box` shows; in space all."""
    discs, spatial = movable(run), is_spatial(run)
    if spatial:
        draw_top(axes, run, box or boxes_of(run).top)
    else:
        draw_scene(axes, run, box or view_box(run))
    faults = None if spatial else FaultFinder(run)
    for row, strength in zip(rows, strengths(len(rows)), strict=True):
        draw_movable(axes, discs, row, strength)
        if spatial:
            draw_in_space(axes, run, row, TOP, strength)
        else:
            draw_robot(axes, run, row, strength, faults)
    draw_known(axes, run, rows[-1])
    axes.plot(*link_path(run, panels.middle(run)).T, **styles.TRAIL)
    _draw_forces(axes, run, rows[-1], TOP if spatial else None)
    _explain(axes, run, rows)


def _draw_forces(axes: Axes, run: Recording, row: int, view: View | None) -> None:
    if view is None:
        draw_arrows(axes, run, row)
    else:
        draw_pushes(axes, run, row, view)


def _explain(axes: Axes, run: Recording, rows: Sequence[int]) -> None:
    """Instants, and below them a line with what the marks are."""
    marks = [
        Line2D([], [], color=styles.HEAD, marker="o", linestyle="none", label="head"),
        Line2D([], [], label="path of the middle link", **styles.TRAIL),
    ]
    if run.scenario.built_world().obstacles:
        scale = scale_of(run, rows[-1], 3 if is_spatial(run) else 2)
        label = f"contact force, mean of the last {FORCE_WINDOW:g} s: {scale}"
        marks.append(Line2D([], [], label=label, **styles.ARROW))
    if len(known_at(run, rows[-1])):
        marks.append(Line2D([], [], label="obstacles that the controller knows", **styles.KNOWN))
    if axes.findobj(lambda artist: artist.get_gid() == MARK):
        marks.append(Line2D([], [], label=SAID, **styles.FAULT_MARK))
    wide = WIDENED * axes.bbox.width / axes.figure.dpi
    lines = space_figure.lines_of(marks, wide)
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2}
    axes.legend(handles=marks, ncols=-(-len(marks) // lines), columnspacing=1.5, handlelength=1.6, **place)
    axes.set_title(panels.times_shown(run, rows), pad=8 + LEGEND_LINE * lines)


def rows_at(run: Recording, time: float | Sequence[float] | None) -> list[int]:
    """The recorded rows nearest to some instants; by default those of the figures."""
    if time is None:
        return panels.rows_shown(run)
    instants, known = np.atleast_1d(np.asarray(time, dtype=float)), times(run)
    if not instants.size or not np.all((instants >= known[0] - 1e-9) & (instants <= known[-1] + 1e-9)):
        raise InvalidInput(f"time = {time!r}: should be from {known[0]:g} to {known[-1]:g} s, the recorded ones")
    return [int(np.argmin(np.abs(known - instant))) for instant in instants]


def strengths(count: int) -> Sequence[float]:
    """Of the colours of a robot that is drawn so many times, light to dark."""
    if count == len(panels.STRENGTHS):
        return panels.STRENGTHS
    return [float(value) for value in np.linspace(0.2, 1.0, count)] if count > 1 else [1.0]


# --- over time ---


def coordinate(
    recording: Recording,
    ax: Axes | None = None,
    *,
    axis: str = "x",
    published: Mapping[str, Curve] | None = None,
    style: str = "light",
) -> Axes:
    """Draw a coordinate of the middle link over time.

    Parameters
    ----------
    recording
        What is drawn.
    ax
        As for `scene`.
    axis
        "x", "y" or, in space, "z".
    published
        Curves of the middle link by label: the first is a dashed line, others are dots.
    style
        As for `scene`.

    Returns
    -------
    Axes
        What was drawn on.
    """
    allowed = "xyz" if is_spatial(recording) else "xy"
    if axis not in tuple(allowed):
        raise InvalidInput(f"axis = {axis!r}: should be one of {', '.join(allowed)}")
    with drawing(ax, style) as axes:
        panels.draw_coordinate(axes, recording, axis, published or {})
        if is_spatial(recording):
            panels.show_at_least(axes, space_figure.SPAN)
    return axes


def contact_forces(recording: Recording, ax: Axes | None = None, *, style: str = "light") -> Axes:
    """Draw the contact force of obstacles on every link over time, as a map.

    The bar says how large the largest force is, if that is above the scale.

    Parameters
    ----------
    recording
        What is drawn.
    ax, style
        As for `scene`.

    Returns
    -------
    Axes
        What was drawn on.
    """
    with drawing(ax, style) as axes:
        panels.draw_forces(axes, recording, "contact_force", "Contact force on each link")
    return axes


def ground_forces(recording: Recording, ax: Axes | None = None, *, style: str = "light") -> Axes:
    """Draw the force of the ground on every link over time, as a map.

    Parameters
    ----------
    recording
        What is drawn.
    ax, style
        As for `scene`.

    Returns
    -------
    Axes
        What was drawn on.
    """
    if "ground_force" not in recording.data:
        raise InvalidInput(f"{recording.scenario.name}: the recording holds no ground forces")
    with drawing(ax, style) as axes:
        panels.draw_forces(axes, recording, "ground_force", "Force of the ground on each link")
    return axes


def joint_angles(recording: Recording, ax: Axes | None = None, *, style: str = "light") -> Axes:
    """Draw joint angles over time, a line each from the tail to the head.

    Parameters
    ----------
    recording
        What is drawn.
    ax, style
        As for `scene`.

    Returns
    -------
    Axes
        What was drawn on.
    """
    with drawing(ax, style) as axes:
        panels.draw_angles(axes, recording)
    return axes


def joint_torques(recording: Recording, ax: Axes | None = None, *, style: str = "light") -> Axes:
    """Draw the size of the torque of every joint over time, as a map.

    Parameters
    ----------
    recording
        What is drawn.
    ax, style
        As for `scene`.

    Returns
    -------
    Axes
        What was drawn on.
    """
    with drawing(ax, style) as axes:
        panels.draw_torques(axes, recording)
    return axes


def energy(recording: Recording, ax: Axes | None = None, *, style: str = "light") -> Axes:
    """Draw the kinetic energy and the work done since the start over time.

    Parameters
    ----------
    recording
        What is drawn.
    ax, style
        As for `scene`.

    Returns
    -------
    Axes
        What was drawn on.
    """
    with drawing(ax, style) as axes:
        panels.draw_energy(axes, recording)
    return axes


def events(recording: Recording, ax: Axes | None = None, *, style: str = "light") -> Axes:
    """Draw when events happened, a row for each kind.

    Parameters
    ----------
    recording
        What is drawn.
    ax, style
        As for `scene`.

    Returns
    -------
    Axes
        What was drawn on.
    """
    with drawing(ax, style) as axes:
        panels.draw_events(axes, recording)
    return axes


# --- by name ---


class Panel(NamedTuple):
    """A panel as `figure` knows it."""

    draw: Callable[..., Axes]  # of a recording, on axes
    shape: Callable[[Recording], float] | None = None  # height over width of panels to scale, which have a row each


def _shape_from_above(run: Recording) -> float:
    return boxes_of(run).top.shape if is_spatial(run) else view_box(run).shape


def _shape_from_side(run: Recording) -> float:
    return boxes_of(run).side.shape


def _coordinate(axis: str) -> Callable[..., Axes]:
    def draw(recording: Recording, ax: Axes, **options: object) -> Axes:
        return coordinate(recording, ax, axis=axis, **options)  # type: ignore[arg-type]  # style and published

    return draw


PANELS: Mapping[str, Panel] = {
    "scene": Panel(scene, _shape_from_above),
    "side": Panel(side, _shape_from_side),
    "path": Panel(path),
    "x": Panel(_coordinate("x")),
    "y": Panel(_coordinate("y")),
    "z": Panel(_coordinate("z")),
    "contact_forces": Panel(contact_forces),
    "ground_forces": Panel(ground_forces),
    "joint_angles": Panel(joint_angles),
    "joint_torques": Panel(joint_torques),
    "energy": Panel(energy),
    "events": Panel(events),
}


def default_panels(run: Recording) -> list[str]:
    """What a figure shows if nothing is chosen."""
    touched = bool(np.any(recorded(run, "contact_force")))
    if is_spatial(run):
        return ["scene", "side", "x", "y", "z", "ground_forces", *["contact_forces"] * touched, "energy"]
    return ["scene", "x", "y", "contact_forces" if touched else "joint_torques", "energy"]
