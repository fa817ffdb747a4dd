"""Figures like those of the papers, from recordings of their scenarios; one file per paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from pushpoint.registry import Registry
from pushpoint.view import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording

ALL = "all"

Runs = Mapping[str, "Recording"]  # by the name of the scenario
Table = Mapping[str, NDArray[Any]]  # columns by name
Published = Mapping[str, Table]  # what was read off the paper, by figure
Drawing = Callable[..., "Figure | None"]  # of what was published, and of the runs in their order


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """One figure. `draw` returns None if the runs hold nothing to show."""

    title: str  # "Fig. 13: ..."
    scenarios: tuple[str, ...]
    draw: Drawing

    def drawn(self, runs: Runs, published: Published, style_name: str = "light") -> Figure | None:
        """The figure in a style; None if a run that it needs is not there, or holds nothing to show."""
        if not all(name in runs for name in self.scenarios):
            return None
        with style.styled(style_name):
            figure = self.draw(published, *(runs[name] for name in self.scenarios))
            return figure if figure is None else _with_faults_said(figure)


def _with_faults_said(figure: Figure) -> Figure:
    """With a remark on links that are outlined, if there are some."""
    from pushpoint.view.faults import MARK, SAID
    from pushpoint.view.papers._parts import noted

    if not figure.findobj(lambda artist: artist.get_gid() == MARK):
        return figure
    before = figure.get_supxlabel()
    said = f"{SAID[0].upper()}{SAID[1:]}."
    return noted(figure, f"{before}\n{said}" if before else said)


paper_figures: Registry[PaperFigure] = Registry("figure", __name__)


def figures_of(key: str) -> Callable[..., Callable[[Drawing], Drawing]]:
    """Decorator with slug, title and slugs of scenarios: registers the function that draws one figure of a paper.

    A function may draw several figures that differ in their scenarios.
    """

    def figure(slug: str, title: str, *scenarios: str) -> Callable[[Drawing], Drawing]:
        def add(draw: Drawing) -> Drawing:
            names = tuple(f"{key}/{name}" for name in scenarios)
            paper_figures.add(f"{key}/{slug}", PaperFigure(title, names, draw))
            return draw

        return add

    return figure


def scenarios_of(key: str) -> tuple[str, ...]:
    """Names of the scenarios that the figures of a paper, or of all papers, show, each once; none for other keys."""
    names = list(paper_figures) if key == ALL else paper_figures.names_of(key)
    return tuple(dict.fromkeys(scenario for name in names for scenario in paper_figures[name].scenarios))


__all__ = ["Drawing", "PaperFigure", "Published", "Runs", "Table", "figures_of", "paper_figures", "scenarios_of"]
