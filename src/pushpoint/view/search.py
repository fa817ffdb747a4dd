"""Figure of a search: aims over the trials, over each field that varies and, with several aims, over each other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import LogLocator

from pushpoint.analysis import unit_of
from pushpoint.view import style

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pushpoint.search import Aim, Found, Trial

WIDTH, HEIGHT = 10.0, 2.6  # [inch], of the figure and of a panel
PANELS = 3  # beside each other
DOT: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 3.5, "markeredgewidth": 0.0}
TRIED = style.drawn_as(color="blue")
BEST = style.drawn_as(color="red")


def search_figure(found: Found) -> Figure:
    """Dots are trials; the best, or those that no other one beats, are red."""
    aims, fields = found.search.aims, list(found.search.vary)
    panels: list[Callable[[Axes, Found], None]] = [partial(_draw_history, k=k, aim=aim) for k, aim in enumerate(aims)]
    panels += [_draw_front] * (len(aims) > 1)
    panels += [partial(_draw_field, key=key) for key in fields]
    across = min(PANELS, len(panels))
    down = -(-len(panels) // across)
    with style.styled():
        figure = style.sheet(WIDTH, 0.7 + HEIGHT * down, layout="constrained")
        for k, draw in enumerate(panels):
            draw(figure.add_subplot(down, across, k + 1), found)
        failed = sum(trial.status == "failed" for trial in found.trials)
        ended = sum(trial.status == "pruned" for trial in found.trials)
        counts = [
            f"{len(found.trials)} trials",
            *([f"{failed} failed"] * (failed > 0)),
            *([f"{ended} ended early"] * (ended > 0)),
        ]
        title = f"{found.search.base_scenario.name}: {', '.join(counts)}"
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        return figure


def label_of(aim: Aim) -> str:
    """The aim with its unit."""
    if aim.beyond is not None:
        return f"share of runs with {aim.measure} > {aim.beyond:g}"
    unit = unit_of(aim.measure)
    return f"{aim.name} [{unit}]" if unit else aim.name


def _values(trials: tuple[Trial, ...], aim: int) -> np.ndarray:
    return np.array([trial.aims[aim] for trial in trials])


def _draw_history(axes: Axes, found: Found, k: int, aim: Aim) -> None:
    """Every trial, and the best until then."""
    values, numbers = _values(found.done, k), [trial.number for trial in found.done]
    axes.plot(numbers, values, alpha=0.6, **DOT, **TRIED)
    best = np.maximum.accumulate(values) if aim.want == "most" else np.minimum.accumulate(values)
    axes.plot(numbers, best, linewidth=1.4, drawstyle="steps-post", **BEST)
    axes.set_xlabel("trial")
    axes.set_ylabel(label_of(aim))
    axes.set_title("trials, and the best until then" if k == 0 else "")
    _leave_out_far(axes, values, aim)


def _draw_field(axes: Axes, found: Found, key: str) -> None:
    """The first aim over one field."""
    aim, front = found.search.aims[0], {trial.number for trial in found.front}
    for trials, drawn_as in (
        (tuple(trial for trial in found.done if trial.number not in front), TRIED),
        (tuple(trial for trial in found.done if trial.number in front), BEST),
    ):
        shown = [trial.values[key] for trial in trials]
        axes.plot([str(v) if isinstance(v, str | bool) else v for v in shown], _values(trials, 0), **DOT, **drawn_as)
    if found.search.vary[key].log:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
    axes.set_xlabel(key)
    axes.set_ylabel(label_of(aim))
    _leave_out_far(axes, _values(found.done, 0), aim)


def _draw_front(axes: Axes, found: Found) -> None:
    """The first two aims over each other."""
    first, second = found.search.aims[:2]
    axes.plot(_values(found.done, 0), _values(found.done, 1), alpha=0.6, **DOT, **TRIED)
    front = tuple(sorted(found.front, key=lambda trial: trial.aims[0]))
    axes.plot(_values(front, 0), _values(front, 1), linewidth=1.0, marker="o", markersize=4.0, **BEST)
    axes.set_xlabel(label_of(first))
    axes.set_ylabel(label_of(second))
    axes.set_title("not beaten in all aims: red")
    near = np.isfinite(_values(found.done, 1))
    _leave_out_far(axes, _values(found.done, 1)[near], second)


def _leave_out_far(axes: Axes, values: np.ndarray, aim: Aim) -> None:
    """A few trials that are hopeless should not flatten all others."""
    finite = values[np.isfinite(values)]
    if len(finite) < 2:
        return
    far = np.quantile(finite, 0.1 if aim.want == "most" else 0.9)
    best = finite.max() if aim.want == "most" else finite.min()
    margin = 0.1 * abs(best - far)
    if margin > 0.0:
        axes.set_ylim(*sorted((far - np.sign(best - far) * margin, best + np.sign(best - far) * margin)))
