"""The plot strip: joint angles, forces, energy, and events as marks, over the time of one recording or of two."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pushpoint.analysis._series import recorded
from pushpoint.view import style
from pushpoint.view.panels import LEDGER
from pushpoint.viewer.track import JAM, RESOLUTION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

WIDE, TALL, DPI = 9.0, 3.6, 100  # [inch], [inch], [1/inch]
LEFT, RIGHT = 0.085, 0.99  # shares of the width between which time runs
MOST_POINTS = 1500  # of a curve: more are not seen
QUIET_EVENTS = ("impact", "detachment")  # so many that they would cover the others
FORCES = {
    "contact_force": ("obstacles on the robot", style.FORCE),
    "ground_force": ("ground on the robot", style.QUIET),
}
EVENT_COLOURS = {"jam": JAM, "resolution": RESOLUTION, "hold": style.RED, "stop": style.RED, "stall": style.RED}


class Strip(NamedTuple):
    """A picture whose time runs from share `left` of its width to share `right`."""

    png: bytes
    begin: float  # [s]
    end: float  # [s]
    left: float = LEFT
    right: float = RIGHT
    aspect: float = TALL / WIDE

    def share(self, time: float) -> float:
        """Where a time [s] is, as a share of the width."""
        part = (time - self.begin) / (self.end - self.begin)
        return self.left + (self.right - self.left) * min(max(part, 0.0), 1.0)


def strip_of(runs: Sequence[Recording], until: float | None = None) -> Strip:
    """Of one recording, or of two, the second one dashed; the time goes on until `until` [s] at least."""
    begin = min(float(run.data["time"].values[0]) for run in runs)
    end = max([begin + 1e-3, until or 0.0, *(float(run.data["time"].values[-1]) for run in runs)])
    with style.styled():
        figure = style.sheet(WIDE, TALL, dpi=DPI)
        panels: Any = figure.subplots(3, 1, sharex=True)
        for run, line in zip(runs, ("-", "--"), strict=False):
            _draw(panels, run, line)
        for axes, title in zip(panels, ("joint angle [rad]", "force [N]", "energy [J]"), strict=True):
            axes.set_ylabel(title, fontsize=7)
            axes.tick_params(labelsize=7)
            axes.locator_params(axis="y", nbins=4)
        for axes in (axes for axes in panels[1:] if axes.get_legend_handles_labels()[1]):
            axes.legend(loc="upper left", ncols=6, fontsize=6, handlelength=1.2, borderaxespad=0.1)
        panels[-1].set(xlim=(begin, end))
        panels[-1].set_xlabel("time [s]", fontsize=7)
        figure.subplots_adjust(left=LEFT, right=RIGHT, top=0.97, bottom=0.12, hspace=0.12)
        image = io.BytesIO()
        figure.savefig(image, format="png", metadata={"Software": None})
    return Strip(image.getvalue(), begin, end)


def _draw(panels: Sequence[Axes], run: Recording, line: str) -> None:
    step = max(1, run.data.sizes["time"] // MOST_POINTS)
    time = recorded(run, "time")[::step]
    drawn_as: dict[str, Any] = {"linestyle": line, "linewidth": 0.9}
    angles = recorded(run, "joint_angle")[::step]
    for j, blue in enumerate(_shades(angles.shape[1])):
        panels[0].plot(time, angles[:, j], color=blue, **(drawn_as | {"linewidth": 0.7}))
    first = line == "-"
    for variable, name, colour in (
        ("contact_force", "obstacles on the robot", style.FORCE),
        ("ground_force", "ground on the robot", style.QUIET),
    ):
        size = np.linalg.norm(recorded(run, variable)[::step].sum(axis=1), axis=1)
        panels[1].plot(time, size, color=colour, label=name if first else None, **drawn_as)
    for variable, (name, ledger_line) in LEDGER.items():
        if variable in run.data and np.any(run.data[variable].values):
            panels[2].plot(
                time,
                recorded(run, variable)[::step],
                color=ledger_line["color"],
                label=name if first else None,
                **drawn_as,
            )
    _draw_events(panels, run)


def _shades(count: int) -> list[tuple[float, ...]]:
    """From the tail (pale) to the head."""
    share = np.linspace(0.25, 1.0, max(count, 1))[:count, np.newaxis]
    blue, paper = np.array([0.0, 0.447, 0.698]), np.ones(3)
    return [tuple(shade) for shade in share * blue + (1 - share) * paper]


def _draw_events(panels: Sequence[Axes], run: Recording) -> None:
    """Short marks at the upper edge; those of jams and stops reach the lower edge."""
    names, times = run.events["name"].values.astype(str), recorded_times(run)
    for name in sorted(set(names) - set(QUIET_EVENTS)):
        colour, at = EVENT_COLOURS.get(name, style.QUIET), times[names == name]
        for axes in panels:
            low = 0.0 if name in EVENT_COLOURS else 0.88
            axes.vlines(at, low, 1.0, colors=colour, linewidths=0.8, alpha=0.8, transform=axes.get_xaxis_transform())
        if name in EVENT_COLOURS:
            panels[0].plot([], [], color=colour, linewidth=0.8, label=name)
    if panels[0].get_legend_handles_labels()[1]:
        panels[0].legend(loc="upper left", ncols=6, fontsize=6, handlelength=1.2, borderaxespad=0.1)


def recorded_times(run: Recording) -> FloatArray:
    """Of events [s]."""
    return np.asarray(run.events["time"].values, dtype=float)
