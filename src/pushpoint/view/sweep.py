"""Figure of a sweep: curves over one field, heat maps over two, dots over more; and how the runs are distributed."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.analysis import unit_of
from pushpoint.studies import statistics
from pushpoint.studies.summary import Runs, gathered
from pushpoint.view import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.studies import Results, Study

PANEL_WIDTH, PANEL_HEIGHT = 4.4, 3.1  # [inch]
MOST_MEASURES = 8  # that are drawn
MOST_CELLS = 80  # of a heat map, with numbers in them
MOST_TICKS = 12
TITLE = 46  # characters of a title that fit above a panel
COLOURS = tuple(style.drawn_as(color=name) for name in ("blue", "orange", "green", "pink", "sky", "red"))

Draw = Callable[["Axes"], None]


def sweep_figure(results: Results, units: Mapping[str, str]) -> Figure:
    """One row per measure. `units` are those of the swept fields, by dotted key."""
    study, groups = results.study, gathered(results.study, results.rows)
    columns = study.columns[:MOST_MEASURES]
    rows = [_Row(study, groups, column, units).panels() for column in columns]
    across = max(len(row) for row in rows)
    with style.styled():
        figure = style.sheet(PANEL_WIDTH * across, 0.7 + PANEL_HEIGHT * len(rows), layout="constrained")
        for k, panels in enumerate(rows):
            for place, draw in enumerate(panels):
                draw(figure.add_subplot(len(rows), across, k * across + place + 1))
        percent = f"{100 * statistics.CONFIDENCE:g} %"
        more = (
            f"; the first {len(columns)} of {len(study.columns)} measures" if len(columns) < len(study.columns) else ""
        )
        title = f"{study.base_scenario.name}: {len(results.rows)} runs; medians with {percent} intervals{more}"
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        return figure


class _Row:
    """The panels of one measure."""

    def __init__(self, study: Study, groups: Mapping[str, Runs], column: str, units: Mapping[str, str]) -> None:
        self.study, self.groups, self.column, self.units = study, groups, column, units
        name = next(wanted.name for wanted in study.measurements if wanted.column == column)
        unit = unit_of(name)
        self.label = f"{column} [{unit}]" if unit else column

    def panels(self) -> list[Draw]:
        crossed, drawn = tuple(self.study.points.crossed), tuple(self.study.points.drawn)
        found: list[Draw]
        if len(crossed) == 1 and not drawn:
            found = [lambda axes: self._curve(axes, crossed[0])]
        elif len(crossed) == 2 and not drawn:
            found = [self._map_of(label) for label in self.groups]
        else:
            found = [self._dots_over(key) for key in (*crossed, *drawn)]
        return [*found, self._distribution]

    def _by_point(self, runs: Runs) -> np.ndarray[Any, np.dtype[np.float64]]:
        return runs.values[self.column].reshape(len(self.study.points), len(self.study.seeds))

    # --- one field ---

    def _curve(self, axes: Axes, key: str) -> None:
        values = self.study.points.crossed[key]
        places = _places(values)
        for k, (label, runs) in enumerate(self.groups.items()):
            numbers = self._by_point(runs)
            middle = np.array([_median(row) for row in numbers])
            ends = np.array([_interval(row) for row in numbers])
            colour = COLOURS[k % len(COLOURS)]
            axes.plot(places, middle, marker="o", markersize=4.0, linewidth=1.4, label=label, zorder=3, **colour)
            axes.fill_between(places, ends[:, 0], ends[:, 1], alpha=0.25, linewidth=0.0, zorder=2, **colour)
            across = np.repeat(places, numbers.shape[1])
            dots: dict[str, Any] = {"linestyle": "none", "marker": ".", "markersize": 3.0, "alpha": 0.4}
            axes.plot(across, numbers.ravel(), zorder=1, **dots, **colour)
        self._label(axes, key, values, places)
        axes.set_ylabel(self.label)
        if len(self.groups) > 1:
            axes.legend(frameon=False)

    # --- two fields ---

    def _map_of(self, label: str) -> Draw:
        return lambda axes: self._map(axes, label)

    def _map(self, axes: Axes, label: str) -> None:
        (down_key, down), (across_key, across) = self.study.points.crossed.items()
        numbers = self._by_point(self.groups[label])
        middle = np.array([_median(row) for row in numbers]).reshape(len(down), len(across))
        image = axes.imshow(middle, origin="lower", aspect="auto", cmap=style.COLOUR_MAP)
        failed = self.groups[label].failed.reshape(len(self.study.points), -1).sum(axis=1)
        if middle.size <= MOST_CELLS:
            self._write_cells(axes, numbers, middle, failed)
        axes.set_title(textwrap.fill(f"{self.column}, {label}", TITLE))
        axes.grid(visible=False)
        _ticks(axes.set_xticks, across)
        _ticks(axes.set_yticks, down)
        axes.set_xlabel(self._named(across_key))
        axes.set_ylabel(self._named(down_key))
        bar = axes.figure.colorbar(image, ax=axes)
        bar.set_label(self.label)

    def _write_cells(self, axes: Axes, numbers: Any, middle: Any, failed: Any) -> None:
        """The median; below it half of its interval, if there are runs enough, and how many failed."""
        finite = middle[np.isfinite(middle)]
        split = 0.5 * (finite.min() + finite.max()) if finite.size else 0.0
        dark_is_high = style.COLOUR_MAP.endswith("_r")
        for place in range(middle.size):
            row, column = divmod(place, middle.shape[1])
            low, high = _interval(numbers[place])
            lines = [f"{middle[row, column]:.3g}" if np.isfinite(middle[row, column]) else "none"]
            lines += [f"±{0.5 * (high - low):.2g}"] * bool(np.isfinite(low) and np.isfinite(high))
            lines += [f"{failed[place]} failed"] * bool(failed[place])
            light = (middle[row, column] > split) == dark_is_high
            colour = "white" if light else "black"
            axes.text(column, row, "\n".join(lines), ha="center", va="center", fontsize=7, color=colour)

    # --- more fields ---

    def _dots_over(self, key: str) -> Draw:
        return lambda axes: self._dots(axes, key)

    def _dots(self, axes: Axes, key: str) -> None:
        at = [point[key] for point in self.study.points]
        crossed = self.study.points.crossed.get(key)
        listed = crossed if crossed is not None else tuple(at)
        places = _places(listed)
        by_value = {_text(value): place for value, place in zip(listed, places, strict=True)}
        across = np.array([by_value[_text(value)] for value in at])
        for k, (label, runs) in enumerate(self.groups.items()):
            numbers = self._by_point(runs)
            dots: dict[str, Any] = {"linestyle": "none", "marker": ".", "markersize": 4.0, "alpha": 0.6}
            colour = COLOURS[k % len(COLOURS)]
            axes.plot(np.repeat(across, numbers.shape[1]), numbers.ravel(), label=label, **dots, **colour)
        self._label(axes, key, listed, places)
        axes.set_ylabel(self.label)

    # --- all of them ---

    def _distribution(self, axes: Axes) -> None:
        """Share of runs below a value. Where points are sampled, with a band that holds the true share everywhere
        (Dvoretzky, Kiefer, Wolfowitz; Massart's constant); crossed values are no sample of anything."""
        from matplotlib.ticker import MaxNLocator

        for k, (label, runs) in enumerate(self.groups.items()):
            values = np.sort(runs.numbers(self.column))
            values = values[np.isfinite(values)]
            if not values.size:
                continue
            share = np.arange(1, values.size + 1) / values.size
            half = math.sqrt(math.log(2.0 / (1.0 - statistics.CONFIDENCE)) / (2.0 * values.size))
            colour = COLOURS[k % len(COLOURS)]
            axes.step(values, share, where="post", linewidth=1.4, label=label, **colour)
            if self.study.points.drawn:
                low, high = np.clip(share - half, 0.0, 1.0), np.clip(share + half, 0.0, 1.0)
                axes.fill_between(values, low, high, step="post", alpha=0.2, linewidth=0.0, **colour)
        axes.set_ylim(0.0, 1.02)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.set_xlabel(self.label)
        axes.set_ylabel("share of runs below")
        if len(self.groups) > 1:
            axes.legend(frameon=False)

    def _label(self, axes: Axes, key: str, values: Sequence[Any], places: Any) -> None:
        axes.set_xlabel(self._named(key))
        if not _is_numeric(values):
            axes.set_xticks(places, [_text(value) for value in values])
        axis = self.study.sweep[key]
        if axis.values is None and axis.spacing == "log":
            axes.set_xscale("log")

    def _named(self, key: str) -> str:
        return f"{key} [{self.units[key]}]" if self.units.get(key) else key


def _is_numeric(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _places(values: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array(values, float) if _is_numeric(values) else np.arange(float(len(values)))


def _ticks(put: Callable[[Sequence[int], Sequence[str]], object], values: Sequence[Any]) -> None:
    every = -(-len(values) // MOST_TICKS)
    put(range(0, len(values), every), [_text(value) for value in values[::every]])


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _median(values: Any) -> float:
    found = values[~np.isnan(values)]
    return statistics.median(found.tolist()) if found.size else math.nan


def _interval(values: Any) -> tuple[float, float]:
    """Of the median; NaN where there are too few runs."""
    found = values[~np.isnan(values)]
    if not found.size:
        return math.nan, math.nan
    low, high = statistics.median_interval(found.tolist())
    return (low, high) if math.isfinite(low) and math.isfinite(high) else (math.nan, math.nan)
