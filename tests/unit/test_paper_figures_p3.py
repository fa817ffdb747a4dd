"""Figures like those of P3, on short runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

import pushpoint as pp
from pushpoint.control.shape_rehearsal import rehearsed
from pushpoint.recording import Recording
from pushpoint.reproduction.published import tables_of
from pushpoint.scenarios import scenarios
from pushpoint.view import style
from pushpoint.view.figures import save_figure
from pushpoint.view.papers import paper_figures, scenarios_of

P3 = "liljeback2014"
FIGURES = [name.split("/")[1] for name in paper_figures if name.startswith(P3)]


@pytest.fixture(scope="module")
def runs() -> Mapping[str, Recording]:
    return {name: pp.simulate(scenarios[name].with_overrides({"duration": 0.3})) for name in scenarios_of(P3)}


def drawn(runs: Mapping[str, Recording], slug: str) -> Figure:
    figure = paper_figures[f"{P3}/{slug}"].drawn(runs, tables_of(P3))
    assert figure is not None
    return figure


def robots_in(figure: Figure, panel: int) -> list[PolyCollection]:
    """Those of a run: links and two eyes that can be seen or not."""
    found = [c for c in figure.axes[panel].collections if isinstance(c, PolyCollection)]
    return [c for c in found if len(c.get_paths()) >= 17]


def test_fig_4_and_figs_6_to_10_are_there() -> None:
    assert set(FIGURES) == {"fig4", *(f"fig{k}" for k in range(6, 11))}


@pytest.mark.parametrize("slug", FIGURES)
def test_figures_say_that_nothing_was_read_off(runs: Mapping[str, Recording], slug: str, tmp_path: Path) -> None:
    figure = drawn(runs, slug)
    assert not tables_of(P3)
    assert "not digitised" in figure.get_supxlabel()
    save_figure(figure, tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.width > 1000
    assert {axes.get_aspect() for axes in figure.axes} == {1.0}


def test_fig_4_turns_the_last_two_cycles(runs: Mapping[str, Recording]) -> None:
    curve, _, segment, turned = drawn(runs, "fig4").axes
    dots = [len(axes.lines[-1].get_xdata()) for axes in (curve, segment, turned)]
    assert dots == [4, 9, 4 * 8 + 1]
    assert [text.get_text() for text in curve.texts][-4:] == [f"$P_{{{k}}}$" for k in range(4)]


def test_fig_6_shows_three_virtual_robots_and_two_paths(runs: Mapping[str, Recording]) -> None:
    figure = drawn(runs, "fig6")
    assert len(robots_in(figure, 2)) == 3
    path = np.asarray(runs[f"{P3}/sidewinding"].data["link_position"].values)[:, 8, :2]
    steered = [line for line in figure.axes[3].lines if to_rgb(line.get_color()) == to_rgb(style.BLUE)]
    assert np.asarray(steered[0].get_xydata()) == pytest.approx(path)


@pytest.mark.parametrize(("slug", "panel", "count"), [("fig7", 0, 1), ("fig8", 2, 1), ("fig9", 1, 1), ("fig10", 2, 1)])
def test_postures_within_the_run_are_shown(runs: Mapping[str, Recording], slug: str, panel: int, count: int) -> None:
    assert len(robots_in(drawn(runs, slug), panel)) == count  # the runs are short: the first instant


def test_fig_10_shows_the_curve_of_seven_seconds(runs: Mapping[str, Recording]) -> None:
    segment, developed, _ = drawn(runs, "fig10").axes
    assert len(segment.lines[1].get_xdata()) == 5
    start = rehearsed(runs[f"{P3}/stairs"].scenario, duration=0.0).head[0]
    assert len(developed.lines[1].get_xdata()) == start + 15 + 1  # 7.5 s at 0.2 m/s are 1.5 m, 15 pieces of 0.1 m
