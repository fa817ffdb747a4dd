"""Figures like those of P2, on short runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.quiver import Quiver

import pushpoint as pp
from pushpoint.recording import Recording
from pushpoint.reproduction.published import tables_of
from pushpoint.scenarios import scenarios
from pushpoint.view import style
from pushpoint.view.papers import paper_figures, scenarios_of

P2 = "transeth2008a"
FIGURES = [f"fig{number}" for number in range(9, 16)]


@pytest.fixture(scope="module")
def runs() -> Mapping[str, Recording]:
    """Short, but long enough for Fig. 10 and Fig. 11."""
    duration = {f"{P2}/track-small-pegs": 5.6}
    return {name: pp.simulate(scenarios[name], duration=duration.get(name, 1.0)) for name in scenarios_of(P2)}


def drawn(runs: Mapping[str, Recording], slug: str) -> Figure:
    figure = paper_figures[f"{P2}/{slug}"].drawn(runs, tables_of(P2))
    assert figure is not None
    return figure


def points(axes: Axes, colour: str) -> np.ndarray:
    """Coordinates of all lines and marks of one colour, (points, 2)."""
    lines = [line.get_xydata() for line in axes.lines if to_rgb(line.get_color()) == to_rgb(colour)]
    return np.vstack(lines) if lines else np.empty((0, 2))


def below(sheet: Figure) -> str:
    return sheet.get_supxlabel()


def test_every_figure_with_results_is_there() -> None:
    assert sorted(name for name in paper_figures if name.startswith(P2)) == sorted(f"{P2}/{slug}" for slug in FIGURES)


@pytest.mark.parametrize("slug", FIGURES)
def test_figures_say_where_no_curve_of_the_paper_is_available(runs: Mapping[str, Recording], slug: str) -> None:
    assert ("not available" in below(drawn(runs, slug))) == (slug != "fig14")


def test_fig14_has_both_published_curves_as_far_as_the_run_goes(runs: Mapping[str, Recording]) -> None:
    read_off = tables_of(P2)["fig14"]
    for axes, name in zip(drawn(runs, "fig14").axes, "xy", strict=True):
        for colour, source in ((style.ORANGE, "simulated"), (style.GREEN, "measured")):
            assert points(axes, colour)[:, 1].tolist() == read_off[f"{name}6_{source}_m"][:3].tolist()  # 0, 0.5, 1 s
        assert len(points(axes, style.BLUE)) == runs[f"{P2}/track"].data.sizes["time"]


def test_fig10_shows_the_forces_and_their_sum(runs: Mapping[str, Recording]) -> None:
    (axes,) = drawn(runs, "fig10").axes
    (arrows,) = [item for item in axes.collections if isinstance(item, Quiver)]
    arrow = np.stack([arrows.U, arrows.V], axis=1)
    assert len(arrow) >= 3  # two contacts at least, and the sum
    assert arrow[-1, 0] > 0  # P2: the sum points to the right
    assert arrow[:-1].sum(axis=0) == pytest.approx(arrow[-1], abs=1e-9)
    assert any(text.get_text().startswith("link 7") for text in axes.texts)


def test_fig11_shows_three_links_over_the_second_of_the_paper(runs: Mapping[str, Recording]) -> None:
    panels = drawn(runs, "fig11").axes
    assert [panel.get_title("left").split(":")[0] for panel in panels] == ["(a) link 2", "(b) link 7", "(c) link 10"]
    assert {panel.get_xlim() for panel in panels} == {(4.5, 5.5)}


def test_fig13_has_the_speed_of_the_text(runs: Mapping[str, Recording]) -> None:
    forward, _ = drawn(runs, "fig13").axes
    assert points(forward, style.ORANGE).tolist() == [[0, 0], [1, -0.01]]
    assert points(forward, style.BLUE)[0].tolist() == [0, 0]


def test_runs_that_end_too_early_have_no_forces_to_show(runs: Mapping[str, Recording]) -> None:
    short = dict(runs) | {f"{P2}/track-small-pegs": pp.simulate(f"{P2}/track-small-pegs", duration=0.1)}
    for slug in ("fig10", "fig11"):
        assert paper_figures[f"{P2}/{slug}"].drawn(short, tables_of(P2)) is None
