"""Figures like those of the papers, from recordings of their scenarios; one file per paper."""

from collections.abc import Callable

from pushpoint.registry import Registry
from pushpoint.view.papers._figure import Drawing, PaperFigure, Published, Runs, Table

paper_figures: Registry[PaperFigure] = Registry("figure", __name__)


ALL = "all"


def figures_of(key: str) -> Callable[..., Callable[[Drawing], Drawing]]:
    """Decorator with slug, title and scenarios: registers the function that draws one figure of a paper."""

    def figure(slug: str, title: str, *scenarios: str) -> Callable[[Drawing], Drawing]:
        def add(draw: Drawing) -> Drawing:
            paper_figures.add(f"{key}/{slug}", PaperFigure(title, scenarios, draw))
            return draw

        return add

    return figure


def scenarios_of(key: str) -> tuple[str, ...]:
    """Names of the scenarios that the figures of a paper, or of all papers, show, each once; none for other keys."""
    names = list(paper_figures) if key == ALL else paper_figures.names_of(key)
    return tuple(dict.fromkeys(scenario for name in names for scenario in paper_figures[name].scenarios))


__all__ = ["Drawing", "PaperFigure", "Published", "Runs", "Table", "figures_of", "paper_figures", "scenarios_of"]
