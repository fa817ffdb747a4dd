"""One style for all pictures: quiet axes, colours that colour-blind people can tell apart (Okabe and Ito)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#22313f"  # text
QUIET = "#8a96a3"  # axes, remarks
PAPER = "#ffffff"
GROUND = "#f6f4ef"
PEG = "#cfc8bb"
PEG_EDGE = "#a39a8a"
MOVABLE = "#fbf6ea"  # of discs that can be pushed about
ROUGH = "#ebe5d9"  # of patches of the ground
SMOOTH = "#e6eff4"
EARTH = "#ddd6c8"  # the ground cut open, seen from the side
VALLEY = "#cfc4b0"  # the lowest of uneven ground, seen from above
BODY = "#0072b2"
BODY_DOWN = "#003f6b"  # of links that press on the ground, in space
HEAD_DOWN = "#963c00"
BODY_EDGE = "#ffffff"
HEAD = "#d55e00"
FORCE = "#c8107a"
PATH = "#22313f"
DOTS: Any = (0, (1, 1.5))  # line style of paths
TRAIL: dict[str, Any] = {"color": PATH, "linewidth": 1.2, "linestyle": DOTS, "zorder": 4}
ARROW: dict[str, Any] = {"color": FORCE, "marker": r"$\rightarrow$", "markersize": 12, "linestyle": "none"}

BLUE, ORANGE, GREEN, SKY, RED, PINK = "#0072b2", "#e69f00", "#009e73", "#56b4e9", "#d55e00", "#cc79a7"

SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.7,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e7ea",
    "grid.linewidth": 0.6,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
}


@contextmanager
def styled() -> Iterator[None]:
    """Use this style inside the block, whatever the user's own settings are, and restore them."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        for name, value in SETTINGS.items():
            matplotlib.rcParams[name] = value
        yield


def sheet(width: float, height: float, **options: Any) -> Figure:
    """An empty figure [inch] that can be drawn without a screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), **options)
    FigureCanvasAgg(figure)
    return figure
