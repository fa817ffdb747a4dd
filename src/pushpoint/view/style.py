"""Styles of all pictures: quiet axes, colours that colour-blind people can tell apart (after Okabe and Ito).

`style.INK` and its like are colours of the style in use: inside of `styled("dark")` those of "dark", else of "light".
Modules that describe how they draw keep the names of colours, in `drawn_as(color="ink")`, not the colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from pushpoint.errors import UnknownName

if TYPE_CHECKING:
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a style."""

    ink: str = "#22313f"  # text
    quiet: str = "#8a96a3"  # axes
    note: str = "#5a6671"  # remarks in small letters
    grid: str = "#e4e7ea"
    paper: str = "#ffffff"
    ground: str = "#f6f4ef"
    peg: str = "#cfc8bb"
    peg_edge: str = "#a39a8a"
    movable: str = "#fbf6ea"  # of discs that can be pushed about
    rough: str = "#ebe5d9"  # of patches of the ground
    smooth: str = "#e6eff4"
    earth: str = "#ddd6c8"  # the ground cut open, seen from the side
    valley: str = "#cfc4b0"  # the lowest of uneven ground, seen from above
    accepted: str = "#d6e0e8"  # ranges of claims
    body: str = "#0072b2"
    body_down: str = "#003f6b"  # of links that press on the ground, in space
    head: str = "#d55e00"
    head_down: str = "#963c00"
    body_edge: str = "#ffffff"
    force: str = "#c8107a"
    fault: str = "#e3001b"  # around links that lie inside obstacles or cross each other
    path: str = "#22313f"
    blue: str = "#0072b2"
    orange: str = "#e69f00"
    green: str = "#009e73"
    sky: str = "#56b4e9"
    red: str = "#d55e00"
    pink: str = "#cc79a7"
    colour_map: str = "viridis_r"  # of maps over time: none is like the paper


LIGHT = Palette()
DARK = Palette(
    ink="#e6ebf0", quiet="#7f8b98", note="#a9b4bf", grid="#2b333c", paper="#12171c", ground="#1b222a",
    peg="#4d5660", peg_edge="#8b96a1", movable="#6a624e", rough="#28251f", smooth="#1a2b35", earth="#3a3a36",
    valley="#2a2f31", accepted="#33485a", body="#3d9fe0", body_down="#1f6ea8", head="#ff8a3d", head_down="#c75a14",
    body_edge="#12171c", force="#ff5fb8", fault="#ff3b4e", path="#e6ebf0", blue="#4fb0f0", orange="#f0b429",
    green="#2cc798", sky="#9bd4f5", red="#ff8a3d", pink="#e79bc6", colour_map="viridis",
)  # fmt: skip
PRINT = replace(
    LIGHT, ink="#000000", quiet="#000000", note="#000000", grid="#d0d0d0", ground="#ffffff", peg="#d9d9d9",
    peg_edge="#000000", movable="#ffffff", rough="#ececec", smooth="#f6f6f6", earth="#c8c8c8", valley="#d0d0d0",
    accepted="#d9d9d9", path="#000000", force="#a3005c", body="#005b96", blue="#005b96", body_down="#00284a",
    orange="#c77700", pink="#b0478a", fault="#d00018",
)  # fmt: skip
STYLES: Mapping[str, Palette] = {"light": LIGHT, "dark": DARK, "print": PRINT}
COLOURS = frozenset(field.name for field in fields(Palette))

_current: ContextVar[Palette] = ContextVar("palette", default=LIGHT)

WIDTH = 10.0  # [inch], of sheets
SCENE_WIDTH = 9.2  # [inch], what the axes of a panel to scale leave of it
DOTS: Any = (0, (1, 1.5))  # line style of paths


def __getattr__(name: str) -> str:
    """A colour of the style in use, by its name in capital letters."""
    if name.isupper() and name.lower() in COLOURS:
        return str(getattr(_current.get(), name.lower()))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class DrawnAs(Mapping[str, Any]):
    """Keyword arguments of Matplotlib's functions. Where they name a colour, it is that of the style in use."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options

    def __getitem__(self, key: str) -> Any:
        value = self._options[key]
        is_named = "color" in key and isinstance(value, str) and value in COLOURS
        return getattr(_current.get(), value) if is_named else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)

    def __or__(self, other: Mapping[str, Any]) -> DrawnAs:
        further = other._options if isinstance(other, DrawnAs) else other
        return DrawnAs({**self._options, **further})


def paled(colour: str, strength: float) -> tuple[float, ...]:
    """A colour mixed with that of the ground. Opaque, so that overlapping links do not show through."""
    from matplotlib.colors import to_rgb

    ground = to_rgb(_current.get().ground)
    return tuple(strength * a + (1 - strength) * b for a, b in zip(to_rgb(colour), ground, strict=True))


def drawn_as(**options: Any) -> DrawnAs:
    """How something is drawn, with colours by their names: `drawn_as(color="ink", zorder=3)`."""
    return DrawnAs(options)


TRAIL = drawn_as(color="path", linewidth=1.2, linestyle=DOTS, zorder=4)
KNOWN = drawn_as(color="green", linewidth=1.2, linestyle="--", zorder=4)  # obstacles that a controller believes in
ARROW = drawn_as(color="force", marker=r"$\rightarrow$", markersize=12, linestyle="none")
FAULT_MARK = drawn_as(
    color="paper", markeredgecolor="fault", marker="o", markersize=7, markeredgewidth=2, linestyle="none"
)


def _settings(palette: Palette) -> dict[Any, Any]:
    return {
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 9,
        "text.color": palette.ink,
        "axes.labelcolor": palette.ink,
        "axes.facecolor": palette.paper,
        "axes.edgecolor": palette.quiet,
        "axes.linewidth": 0.7,
        "axes.titlesize": 10,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.titlecolor": palette.ink,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": palette.grid,
        "grid.linewidth": 0.6,
        "xtick.color": palette.quiet,
        "ytick.color": palette.quiet,
        "xtick.labelcolor": palette.ink,
        "ytick.labelcolor": palette.ink,
        "legend.frameon": False,
        "legend.fontsize": 8,
        "lines.linewidth": 1.6,
        "lines.solid_capstyle": "round",
        "figure.facecolor": palette.paper,
        "savefig.facecolor": "auto",  # that of the figure, whatever the style is when it is saved
        "pdf.fonttype": 42,  # letters stay letters
        "ps.fonttype": 42,
        "svg.fonttype": "none",
    }


def palette_of(style: str) -> Palette:
    """The colours of a style by its name."""
    if style not in STYLES:
        raise UnknownName("style", style, STYLES)
    return STYLES[style]


@contextmanager
def styled(style: str | None = None) -> Iterator[None]:
    """Use a style inside of the block, whatever the user's own settings are, and restore them.

    None is the style that is in use already: that of an outer block, or "light".
    """
    import matplotlib

    palette = _current.get() if style is None else palette_of(style)
    before = _current.set(palette)
    try:
        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            for name, value in _settings(palette).items():
                matplotlib.rcParams[name] = value
            yield
    finally:
        _current.reset(before)


@contextmanager
def coloured(style: str) -> Iterator[None]:
    """Only the colours of a style: for axes that somebody else has made."""
    before = _current.set(palette_of(style))
    try:
        yield
    finally:
        _current.reset(before)


def sheet(width: float, height: float, **options: Any) -> Figure:
    """An empty figure [inch] that can be drawn without a screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), **options)
    FigureCanvasAgg(figure)
    return figure


def from_tail() -> LinearSegmentedColormap:
    """Colours of joints, from the tail (0) to the head (1)."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("joints", [__getattr__(name) for name in ("GREEN", "SKY", "BODY_DOWN")])
