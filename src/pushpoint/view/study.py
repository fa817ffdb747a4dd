"""Figure of a study: a dot per run, median and interval of every variant."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.analysis import unit_of
from pushpoint.view import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.studies import Results
    from pushpoint.studies.summary import Summary
    from pushpoint.types import FloatArray

WIDTH, HEIGHT = 10.0, 2.6  # [inch], of the figure and of a panel
PANELS = 3  # beside each other
ABREAST = 3  # labels of variants that fit beside each other
TITLE = 34  # characters of a title that fit above a panel
SPREAD = 0.22  # half width of the dots of a variant, whose neighbours are 1 apart
COLOURS = tuple(style.drawn_as(color=name) for name in ("blue", "orange", "green", "pink", "sky", "red"))


def study_figure(results: Results, units: Mapping[str, str] | None = None) -> Figure:
    """One panel per measure, with the runs of all variants beside each other. That of a sweep is another; `units` are
    those of the swept fields, by dotted key."""
    if results.study.sweep:
        from pushpoint.view.sweep import sweep_figure

        return sweep_figure(results, units or {})
    columns, summary = results.study.columns, results.summary()
    across = min(PANELS, len(columns))
    down = -(-len(columns) // across)
    with style.styled():
        figure = style.sheet(WIDTH, 0.7 + HEIGHT * down, layout="constrained")
        for k, column in enumerate(columns):
            _draw_column(figure.add_subplot(down, across, k + 1), results, summary, column)
        percent = f"{100 * summary.confidence:g} %"
        title = f"{summary.scenario}: {len(results.rows)} runs; lines are medians, boxes their {percent} intervals"
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        return figure


def _draw_column(axes: Axes, results: Results, summary: Summary, column: str) -> None:
    labels = []
    for place, (label, variant) in enumerate(summary.variants.items()):
        values = np.array([row.values.get(column, np.nan) for row in results.rows if row.variant == label])
        _draw_runs(axes, place, values)
        spread = variant.columns[column]
        _draw_median(axes, place, spread.median, spread.interval)
        absent = int(np.sum(~np.isfinite(values))) - variant.failed
        notes = [f"{variant.failed} failed"] * (variant.failed > 0) + [f"{absent} without a number"] * (absent > 0)
        labels.append("\n".join([label, *notes]))
    threshold = results.study.beyond.get(column)
    if threshold is not None:
        axes.axhline(threshold, color=style.QUIET, linewidth=1.0, linestyle="--", zorder=1)
    axes.set_xticks(range(len(labels)), labels, rotation=20 if len(labels) > ABREAST else 0)
    axes.set_xlim(-0.6, len(labels) - 0.4)
    axes.set_title(textwrap.fill(column, TITLE))
    axes.set_ylabel(_unit(results, column))
    axes.grid(axis="x", visible=False)


def _unit(results: Results, column: str) -> str:
    """For the axis: of what has none, what it is instead."""
    unit = next(unit_of(wanted.name) for wanted in results.study.measurements if wanted.column == column)
    return f"[{unit}]" if unit else "count or ratio"


def _draw_runs(axes: Axes, place: int, values: FloatArray) -> None:
    """In the order of the seeds from left to right, so that equal seeds stand at equal places."""
    across = place + np.linspace(-SPREAD, SPREAD, len(values)) if len(values) > 1 else np.full(len(values), place)
    shown = np.isfinite(values)
    drawn_as: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 4.0, "markeredgewidth": 0.0}
    axes.plot(across[shown], values[shown], alpha=0.75, zorder=3, **COLOURS[place % len(COLOURS)], **drawn_as)


def _draw_median(axes: Axes, place: int, median: float, interval: tuple[float, float]) -> None:
    sides = (place - 1.5 * SPREAD, place + 1.5 * SPREAD)
    if np.all(np.isfinite(interval)):
        axes.fill_between(sides, *interval, color=style.QUIET, alpha=0.25, linewidth=0.0, zorder=2)
    if np.isfinite(median):
        axes.plot(sides, (median, median), color=style.INK, linewidth=1.4, zorder=4)
