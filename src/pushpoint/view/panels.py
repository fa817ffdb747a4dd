"""Panels over time that figures of a run are put together from."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.analysis import Curve
from pushpoint.analysis.remarks import remarks
from pushpoint.view import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

HEADLINE = 92  # characters that fit into the width of a figure
CAPTION = 150  # the same for the smaller letters below it
INSTANTS = (0.0, 1 / 3, 2 / 3, 1.0)  # at which the robot is shown, as shares of the duration
STRENGTHS = (0.18, 0.32, 0.5, 1.0)  # of the robot's colours at these instants
TIME_BINS = 250  # of the force map
LEDGER = {
    "servo_work": ("servos", style.BLUE),
    "friction_work": ("ground friction", style.RED),
    "contact_work": ("contacts", style.PINK),
    "kinetic_energy": ("kinetic energy", style.GREEN),
    "numerical_work": ("numerical", style.QUIET),
    "gravity_work": ("gravity", style.ORANGE),  # of spatial plants
}


def headline(run: Recording) -> str:
    """Name and title of the scenario."""
    title = run.scenario.title
    return textwrap.fill(f"{run.scenario.name}: {title}" if title else run.scenario.name, HEADLINE)


def caption(run: Recording) -> str:
    """For below the panels: what people should know before they believe them. Empty if there is nothing."""
    return "\n".join(textwrap.fill(sentence, CAPTION) for sentence in remarks(run))


def draw_caption(figure: Figure, text: str, bottom: float | None = None) -> None:
    """At a share of the height, or where the layout of the figure makes room for it."""
    if text:
        place = {} if bottom is None else {"y": bottom}
        figure.supxlabel(text, x=0.01, ha="left", va="bottom", fontsize=8, color=style.QUIET, **place)


def middle(run: Recording) -> int:
    """Number of the middle link."""
    return int(run.data.sizes["link"]) // 2


def rows_shown(run: Recording) -> list[int]:
    """The rows at INSTANTS."""
    return [round(share * (run.data.sizes["time"] - 1)) for share in INSTANTS]


def times_shown(run: Recording) -> str:
    """For titles."""
    return f"t = {', '.join(f'{t:.1f}' for t in run.data['time'].values[rows_shown(run)])} s, light to dark"


def time_limits(run: Recording) -> tuple[float, float]:
    """Of the time axes [s]; a run that failed at once has a single row."""
    time = run.data["time"].values
    return float(time[0]), float(max(time[-1], time[0] + 1e-3))


def draw_coordinate(axes: Axes, run: Recording, axis: str, published: Mapping[str, Curve]) -> None:
    """One coordinate of the middle link over time; published curves have x and y."""
    time = run.data["time"].values
    path = run.data["link_position"].values[:, middle(run), "xyz".index(axis)]
    axes.plot(time, path, color=style.BLUE, label="this run", zorder=3)
    for number, (label, curve) in enumerate(published.items() if axis != "z" else ()):
        values = curve.x if axis == "x" else curve.y
        shown = curve.time <= time[-1] + 1e-9
        drawn_as: dict[str, Any] = {"linestyle": "--", "color": style.INK, "linewidth": 1.2}
        if number:
            drawn_as = {"linestyle": "none", "marker": "o", "markersize": 3.4, "color": style.ORANGE}
        axes.plot(curve.time[shown], values[shown], label=label, zorder=4 - number, **drawn_as)
    axes.set(xlabel="time [s]", ylabel=f"{axis} [m]", xlim=time_limits(run))
    axes.set_title(f"Middle link, {axis}")
    if published and axis == "x":
        axes.legend(loc="upper left")


def draw_loads(axes: Axes, run: Recording) -> None:
    """Over time: contact force on every link, or torque of every joint if nothing was touched."""
    if np.any(run.data["contact_force"].values):
        draw_forces(axes, run, "contact_force", "Contact force on each link")
        return
    torque = np.abs(np.asarray(run.data["joint_torque"].values, dtype=float))
    axes.set_title("Torque of each joint")
    _draw_map(axes, run, torque, "torque [N m]", "joint (0 = at the tail)")


def draw_forces(axes: Axes, run: Recording, variable: str, title: str) -> None:
    """Over time: the size of a force on every link."""
    force = np.linalg.norm(np.asarray(run.data[variable].values, dtype=float), axis=2)
    axes.set_title(title)
    _draw_map(axes, run, force, "force [N]", "link (0 = tail)")


def _draw_map(axes: Axes, run: Recording, values: FloatArray, quantity: str, across: str) -> None:
    """Values (rows, parts) as colours over time; nothing where they are zero."""
    load = _binned(values)
    if not load.size:
        axes.set(xticks=[], yticks=[], xlabel="one link, no joints")
        return
    some = load[load > 0]
    image = axes.imshow(
        np.ma.masked_equal(load.T, 0.0),
        origin="lower",
        aspect="auto",
        interpolation="nearest",
        cmap="viridis_r",
        vmin=0.0,
        vmax=float(np.percentile(some, 98)) if some.size else 1.0,  # impacts stand above the scale
        extent=(*time_limits(run), -0.5, load.shape[1] - 0.5),
    )
    axes.grid(False)
    bar = axes.figure.colorbar(image, ax=axes, extend="max", pad=0.02)
    bar.set_label(quantity)
    bar.outline.set_visible(False)
    axes.set(xlabel="time [s]", ylabel=across)


def _binned(force: FloatArray) -> FloatArray:
    """Means over groups of rows (rows hold means themselves), at most TIME_BINS of them."""
    size = -(-len(force) // TIME_BINS)
    starts = np.arange(0, len(force), size)
    counts = np.diff(np.append(starts, len(force)))
    return np.asarray(np.add.reduceat(force, starts, axis=0) / counts[:, np.newaxis])


def draw_energy(axes: Axes, run: Recording) -> None:
    """Kinetic energy, and what did work since the start."""
    time = run.data["time"].values
    for variable in [name for name in LEDGER if name in run.data]:
        values, (label, colour) = run.data[variable].values, LEDGER[variable]
        axes.plot(time, values, color=colour, label=f"{label} {_energy(float(values[-1]))}")
    axes.set(xlabel="time [s]", ylabel="energy [J]", xlim=time_limits(run))
    axes.set_title("Energy ledger, work since the start")
    axes.legend(loc="best", fontsize=7, labelspacing=0.3)


def _energy(joule: float) -> str:
    """A number for the legend: small ones in mJ or µJ."""
    for size, unit in ((1.0, "J"), (1e-3, "mJ")):
        if abs(joule) >= 0.5 * size:
            return f"{joule / size:.1f} {unit}".replace("-", "\N{MINUS SIGN}")
    return f"{joule / 1e-6:.1f} µJ".replace("-", "\N{MINUS SIGN}")


def show_at_least(axes: Axes, span: float) -> None:
    """What hardly changes shall seem so: the y axis has at least this span."""
    low, high = axes.get_ylim()
    if high - low < span:
        axes.set_ylim((low + high - span) / 2, (low + high + span) / 2)
