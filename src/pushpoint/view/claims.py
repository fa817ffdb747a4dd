"""Figure of a whole reproduction: every claim on one line, published against measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pushpoint.view import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, LINE, ABOVE = 12.0, 0.36, 1.1  # [inch]: of the sheet, high: a claim, what is above all of them
LEFT, RIGHT = 0.25, 0.75  # where the ends of the accepted range are on a line from 0 to 1
OUTER = 0.20  # room on either side of it: all misses lie there, the farther the nearer to its end
PUBLISHED, MEASURED, END = 1.04, 1.38, 1.62  # columns of text, and where they end
LONGEST = 34  # characters of a published statement that are shown

Verdict = Mapping[str, Any]


def claims_figure(verdicts: Sequence[Verdict]) -> Figure:
    """Every claim on one line: the accepted range as a bar, the published value as a diamond, the measured as a dot.

    `verdicts` hold id, accepted (low, high), measured, unit, confirmed, published (text, low, high) and, of ensembles,
    interval, which is drawn as a line. Each line has its own scale: the ends of the accepted range are at a quarter
    and three quarters; an open end fades out. What is outside is drawn at a compressed scale, so that a wide miss
    is farther out than a near one, with an arrow for a mark.
    """
    with style.styled():
        figure = style.sheet(WIDTH, ABOVE + LINE * len(verdicts), layout="constrained")
        axes = figure.add_subplot()
        for line, verdict in enumerate(verdicts):
            _draw_verdict(axes, -line, verdict)
        axes.set_yticks([-k for k in range(len(verdicts))], [str(v["id"]) for v in verdicts])
        axes.set(xlim=(0.0, END), ylim=(0.6 - len(verdicts), 1.4), xticks=[])
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.tick_params(left=False)
        axes.grid(False)
        for place, text in ((PUBLISHED, "published"), (MEASURED, "measured")):
            axes.text(place, 1.0, text, va="center", fontsize=8, color=style.NOTE)
        axes.set_title("Published and measured, each line on its own scale; outside of the bar it is compressed")
        _draw_legend(figure)
        return figure


def _draw_legend(figure: Figure) -> None:
    dot: dict[str, Any] = {"linestyle": "none", "markersize": 6}
    marks = [
        Patch(facecolor=style.ACCEPTED, label="accepted range; fading: open"),
        Line2D([], [], marker="D", color=style.ORANGE, markeredgecolor=style.INK, label="published", **dot),
        Line2D([], [], marker="o", color=style.GREEN, label="measured, confirmed", **dot),
        Line2D([], [], marker=">", color=style.RED, label="measured, outside of the range", **dot),
        Line2D([], [], color=style.GREEN, linewidth=2.0, alpha=0.6, label="95 % interval of an ensemble's median"),
    ]
    figure.legend(handles=marks, ncols=len(marks), loc="outside lower left")


def _draw_verdict(axes: Axes, height: float, verdict: Verdict) -> None:
    low, high = verdict["accepted"]
    measured = float(verdict["measured"])
    _draw_range(axes, height, low, high)
    _draw_published(axes, height, verdict)
    colour = style.GREEN if verdict["confirmed"] else style.RED
    interval = verdict.get("interval")
    if interval is not None and np.all(np.isfinite(interval)):
        ends = [placed(float(end), low, high) for end in interval]
        axes.plot(ends, [height, height], color=colour, linewidth=2.0, alpha=0.6, zorder=2)
    if np.isfinite(measured):
        marker = "<" if low is not None and measured < low else ">" if high is not None and measured > high else "o"
        place = placed(measured, low, high)
        axes.plot([place], [height], marker=marker, color=colour, markersize=5.5, linestyle="none", zorder=4)
    text = f"{measured:.5g} {verdict['unit']}" if np.isfinite(measured) else "not measured"
    axes.text(MEASURED, height, text, va="center", color=colour, fontsize=9, fontweight="bold")


def _draw_range(axes: Axes, height: float, low: float | None, high: float | None) -> None:
    left, right = (0.0 if low is None else LEFT), (1.0 if high is None else RIGHT)
    fade = LinearSegmentedColormap.from_list("fade", [style.PAPER, style.ACCEPTED])
    shades = np.array([[low is not None, True, True, high is not None]], dtype=float)
    extent = (left, right, height - 0.28, height + 0.28)
    axes.imshow(shades, extent=extent, aspect="auto", zorder=1, cmap=fade, vmin=0.0, vmax=1.0, interpolation="bilinear")
    drawn_as: dict[str, Any] = {"va": "bottom", "color": style.NOTE, "fontsize": 6}
    if low is not None:
        axes.text(left + 0.004, height - 0.27, f"{low:.4g}", ha="left", **drawn_as)
    if high is not None and high != low:
        axes.text(right - 0.004, height - 0.27, f"{high:.4g}", ha="right", **drawn_as)


def _draw_published(axes: Axes, height: float, verdict: Verdict) -> None:
    """The value as a diamond; of a range both ends, with a line between them; of a bound its end."""
    published, (low, high) = verdict.get("published") or {}, verdict["accepted"]
    ends = [float(end) for end in (published.get("low"), published.get("high")) if end is not None]
    places = [placed(end, low, high) for end in dict.fromkeys(ends)]
    drawn_as: dict[str, Any] = {"color": style.ORANGE, "markeredgecolor": style.INK, "markeredgewidth": 0.6}
    axes.plot(places, [height] * len(places), marker="D", markersize=9, linewidth=1.2, zorder=3, **drawn_as)
    text = str(published.get("text", ""))
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    axes.text(PUBLISHED, height, text, va="center", fontsize=8, color=style.INK)


def placed(value: float, low: float | None, high: float | None) -> float:
    """Where on a line from 0 to 1 a value goes if `low` is at LEFT and `high` at RIGHT.

    Inside it is linear. Outside it tends to an end of the line, as 1 - 1 / (1 + excess), with the excess in widths of
    the range: no two values have the same place.
    """
    if not np.isfinite(value):
        return RIGHT + OUTER
    width = _width(low, high)
    if low is not None and value < low:
        return LEFT - OUTER * _compressed((low - value) / width)
    if high is not None and value > high:
        return RIGHT + OUTER * _compressed((value - high) / width)
    if low is not None and high is not None:
        return LEFT + (RIGHT - LEFT) * (value - low) / max(high - low, 1e-300) if high > low else 0.5
    if low is not None:
        return LEFT + 0.7 * _compressed((value - low) / width)
    if high is not None:
        return RIGHT - 0.7 * _compressed((high - value) / width)
    return 0.5


def _width(low: float | None, high: float | None) -> float:
    """By which misses are measured: that of the range, or the size of its ends where it has none."""
    if low is not None and high is not None and high > low:
        return high - low
    return max(abs(low or 0.0), abs(high or 0.0), 1e-12) if (low or high) else 1.0


def _compressed(excess: float) -> float:
    """From 0 to 1."""
    return 1.0 - 1.0 / (1.0 + excess)
