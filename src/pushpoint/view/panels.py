"""Panels over time that figures of a run are put together from."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.ticker import MaxNLocator

from pushpoint.analysis import Curve
from pushpoint.analysis._series import recorded, times
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
MOST_LINES = 24  # joints that are drawn as a line each
LEDGER = {  # wide lines below, narrow dashes above: where curves lie on each other, all of them are seen
    "servo_work": ("servos", style.drawn_as(color="blue", linewidth=2.2)),
    "friction_work": ("ground friction", style.drawn_as(color="red", linewidth=2.2)),
    "contact_work": ("contacts", style.drawn_as(color="pink", linewidth=2.2)),
    "gravity_work": ("gravity", style.drawn_as(color="orange", linewidth=2.2)),  # of spatial plants
    "kinetic_energy": ("kinetic energy", style.drawn_as(color="green", linewidth=1.4, linestyle=(0, (4, 2)))),
    "numerical_work": ("numerical", style.drawn_as(color="ink", linewidth=1.2, linestyle=(2, (1, 3)))),
}


def headline(run: Recording, share: float = 1.0) -> str:
    """Name and title of the scenario, for figures of a `share` of the usual width."""
    title = run.scenario.title
    return textwrap.fill(
        f"{run.scenario.name}: {title}" if title else run.scenario.name, max(20, int(HEADLINE * share))
    )


def caption(run: Recording, share: float = 1.0) -> str:
    """For below the panels: what people should know before they believe them. Empty if there is nothing."""
    return "\n".join(textwrap.fill(sentence, max(30, int(CAPTION * share))) for sentence in remarks(run))


def draw_caption(figure: Figure, text: str, bottom: float | None = None) -> None:
    """At a share of the height, or where the layout of the figure makes room for it."""
    if text:
        place = {} if bottom is None else {"y": bottom}
        figure.supxlabel(text, x=0.01, ha="left", va="bottom", fontsize=8, color=style.NOTE, **place)


def middle(run: Recording) -> int:
    """Number of the middle link."""
    return int(run.data.sizes["link"]) // 2


def rows_shown(run: Recording) -> list[int]:
    """The rows at INSTANTS."""
    return [round(share * (run.data.sizes["time"] - 1)) for share in INSTANTS]


def times_shown(run: Recording, rows: Sequence[int] | None = None) -> str:
    """For titles; by default the rows at INSTANTS."""
    instants = run.data["time"].values[list(rows_shown(run) if rows is None else rows)]
    said = f"t = {', '.join(f'{t:.1f}' for t in instants)} s"
    return said if len(instants) == 1 else f"{said}, light to dark"


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
    else:
        draw_torques(axes, run)


def draw_torques(axes: Axes, run: Recording) -> None:
    """Over time: the size of the torque of every joint."""
    axes.set_title("Torque of each joint")
    _draw_map(axes, run, np.abs(recorded(run, "joint_torque")), ("torque", "N m"), "joint (0 = at the tail)")


def draw_forces(axes: Axes, run: Recording, variable: str, title: str) -> None:
    """Over time: the size of a force on every link."""
    axes.set_title(title)
    _draw_map(axes, run, np.linalg.norm(recorded(run, variable), axis=2), ("force", "N"), "link (0 = tail)")


def _draw_map(axes: Axes, run: Recording, values: FloatArray, quantity: tuple[str, str], across: str) -> None:
    """Values (rows, parts) as colours over time; nothing where they are zero. `quantity` has a name and a unit.

    Impacts would leave no colours to the rest: they stand above the scale, which then says how high they are.
    """
    load, (name, unit) = _binned(values), quantity
    if not load.size:
        axes.set(xticks=[], yticks=[], xlabel="one link, no joints")
        return
    some = load[load > 0]
    highest = float(np.percentile(some, 98)) if some.size else 1.0
    image = axes.imshow(
        np.ma.masked_equal(load.T, 0.0),
        origin="lower",
        aspect="auto",
        interpolation="nearest",
        cmap=style.COLOUR_MAP,
        vmin=0.0,
        vmax=highest,
        extent=(*time_limits(run), -0.5, load.shape[1] - 0.5),
    )
    axes.grid(False)
    largest = float(values.max(initial=0.0))
    is_cut = largest > 1.005 * highest
    bar = axes.figure.colorbar(image, ax=axes, extend="max" if is_cut else "neither", pad=0.02)
    bar.set_label(f"{name} [{unit}]" + (f", up to {largest:.3g} {unit}" if is_cut else ""))
    bar.outline.set_visible(False)
    axes.set(xlabel="time [s]", ylabel=across)
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))


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
        values, (label, drawn_as) = run.data[variable].values, LEDGER[variable]
        axes.plot(time, values, label=f"{label} {_energy(float(values[-1]))}", **drawn_as)
    axes.set(xlabel="time [s]", ylabel="energy [J]", xlim=time_limits(run))
    axes.set_title("Energy ledger, work since the start")
    box: dict[str, Any] = {"frameon": True, "facecolor": style.PAPER, "edgecolor": "none", "framealpha": 0.8}
    axes.legend(loc="best", fontsize=7, labelspacing=0.3, **box)


def draw_angles(axes: Axes, run: Recording) -> None:
    """Over time: joint angles, a line each from the tail to the head; of very long robots some of them."""
    angle = np.degrees(recorded(run, "joint_angle")).reshape(run.data.sizes["time"], -1)
    axes.set_title("Joint angles")
    count = angle.shape[1]
    if not count:
        axes.set(xticks=[], yticks=[], xlabel="one link, no joints")
        return
    colours, norm = style.from_tail(), Normalize(0, max(1, count - 1))
    chosen = np.unique(np.linspace(0, count - 1, min(count, MOST_LINES)).round().astype(int))
    for joint in chosen:
        axes.plot(times(run), angle[:, joint], color=colours(norm(joint)), linewidth=1.1, zorder=3)
    bar = axes.figure.colorbar(ScalarMappable(norm, colours), ax=axes, pad=0.02)
    some = "" if len(chosen) == count else f", {len(chosen)} of {count} shown"
    bar.set_label(f"joint (0 = at the tail){some}")
    bar.locator = MaxNLocator(6, integer=True)
    bar.outline.set_visible(False)
    axes.set(xlabel="time [s]", ylabel="joint angle [deg]", xlim=time_limits(run))


def draw_events(axes: Axes, run: Recording) -> None:
    """Over time: a row for each kind of event, with a mark whenever it happened."""
    axes.set_title("Events")
    axes.set(xlabel="time [s]", xlim=time_limits(run))
    name, time = np.asarray(run.events["name"].values, dtype=str), np.asarray(run.events["time"].values, dtype=float)
    kinds = list(dict.fromkeys(name.tolist()))
    if not kinds:
        axes.set(yticks=[])
        axes.text(0.5, 0.5, "no events", transform=axes.transAxes, ha="center", va="center", color=style.NOTE)
        return
    for height, kind in enumerate(kinds):
        at = time[name == kind]
        axes.plot(at, np.full(len(at), height), marker="|", markersize=11, linestyle="none", color=style.BLUE, zorder=3)
    axes.set_yticks(range(len(kinds)), [f"{kind} ({int(np.sum(name == kind))})" for kind in kinds])
    axes.set_ylim(len(kinds) - 0.4, -0.6)
    axes.tick_params(axis="y", labelsize=float(np.clip(54 / len(kinds), 4.5, 8)))


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
