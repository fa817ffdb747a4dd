"""What a figure of a paper is: the runs that it shows, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from pushpoint.view import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording

Runs = Mapping[str, "Recording"]  # by the name of the scenario
Table = Mapping[str, NDArray[Any]]  # columns by name
Published = Mapping[str, Table]  # what was read off the paper, by figure
Drawing = Callable[[Runs, Published], "Figure | None"]


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """One figure. `draw` returns None if the runs hold nothing to show."""

    title: str  # "Fig. 13: ..."
    scenarios: tuple[str, ...]
    draw: Drawing

    def drawn(self, runs: Runs, published: Published) -> Figure | None:
        """The figure; None if a run that it needs is not there, or holds nothing to show."""
        if not all(name in runs for name in self.scenarios):
            return None
        with style.styled():
            return self.draw(runs, published)
