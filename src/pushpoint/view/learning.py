"""Learning curves: what episodes are worth while a policy learns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from pushpoint.files import made
from pushpoint.view import style
from pushpoint.view.figures import save_figure

SIZE = (6.4, 3.6)  # [inch]
DPI = 120
COLOURS = (style.BLUE, style.RED, style.GREEN, style.ORANGE)

Curve = Sequence[tuple[float, float]]  # steps of single robots, mean return of episodes


def learning_curves(path: Path, runs: Mapping[str, Sequence[Curve]], reference: float, name: str) -> None:
    """Write a picture with one line per seed.

    Parameters
    ----------
    path
        Of the picture.
    runs
        By what learned: a curve for each of its seeds.
    reference
        A return to reach, drawn across.
    name
        Of that.
    """
    with style.styled():
        figure = Figure(figsize=SIZE, dpi=DPI, layout="constrained")
        axes = figure.add_subplot()
        axes.axhline(reference, color=style.INK, linestyle=style.DOTS, label=name)
        axes.axhline(0.8 * reference, color=style.QUIET, linestyle=style.DOTS, label="80 % of it")
        for (what, curves), colour in zip(runs.items(), COLOURS, strict=False):
            for k, curve in enumerate(curves):
                steps, gained = np.array(curve).T
                axes.plot(steps / 1e3, gained, color=colour, linewidth=1.2, label=None if k else what)
        axes.set(xlabel="steps of single robots [thousands]", ylabel="mean return of an episode", xlim=(0, None))
        axes.legend(loc="lower right")
    made(path.parent)
    save_figure(figure, path)
