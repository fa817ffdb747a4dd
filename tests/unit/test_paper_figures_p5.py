"""Figures like those of P5, on short runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

import pushpoint as pp
from pushpoint.recording import Recording
from pushpoint.reproduction.published import tables_of
from pushpoint.scenarios import scenarios
from pushpoint.view import style
from pushpoint.view.figures import save_figure
from pushpoint.view.papers import paper_figures, scenarios_of

P5 = "transeth2008b"
FIGURES = [name.split("/")[1] for name in paper_figures if name.startswith(P5)]


@pytest.fixture(scope="module")
def runs() -> Mapping[str, Recording]:
    return {name: pp.simulate(scenarios[name].with_overrides({"duration": 0.5})) for name in scenarios_of(P5)}


def drawn(runs: Mapping[str, Recording], slug: str) -> Figure:
    figure = paper_figures[f"{P5}/{slug}"].drawn(runs, tables_of(P5))
    assert figure is not None
    return figure


def points(axes: Axes, colour: str) -> np.ndarray:
    """Coordinates of all lines and marks of one colour, (points, 2)."""
    lines = [line.get_xydata() for line in axes.lines if to_rgb(line.get_color()) == to_rgb(colour)]
    return np.vstack(lines) if lines else np.empty((0, 2))


def link_5(run: Recording) -> np.ndarray:
    return np.asarray(run.data["link_position"].values)[:, 5]


def test_figs_6_to_11_are_there() -> None:
    assert set(FIGURES) == {f"fig{k}" for k in range(6, 12)}


@pytest.mark.parametrize("slug", FIGURES)
def test_figures_say_that_nothing_was_read_off(runs: Mapping[str, Recording], slug: str, tmp_path: Path) -> None:
    figure = drawn(runs, slug)
    assert not tables_of(P5)
    assert "not digitised" in figure.get_supxlabel()
    save_figure(figure, tmp_path / "a.png")
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.width > 1000


@pytest.mark.parametrize(("slug", "name"), [("fig6", "undulation-orthotropic"), ("fig7", "undulation-isotropic")])
def test_figs_6_and_7_show_link_6_over_time(runs: Mapping[str, Recording], slug: str, name: str) -> None:
    run = runs[f"{P5}/{name}"]
    for axes, values in zip(drawn(runs, slug).axes, link_5(run).T, strict=False):
        assert points(axes, style.BLUE)[:, 1].tolist() == values.tolist()
        assert axes.get_xlim() == (0, 15)
        assert not len(points(axes, style.ORANGE))


def test_figs_8_and_9_show_postures_to_scale(runs: Mapping[str, Recording]) -> None:
    start_up, later = drawn(runs, "fig8"), drawn(runs, "fig9")
    assert [axes.get_title("left") for axes in start_up.axes] == [
        "t = 0.00 s",
        "t = 0.45 s",
    ]  # of six: the run is short
    robots = [c for axes in (*start_up.axes, *later.axes) for c in axes.collections if isinstance(c, PolyCollection)]
    assert sum(len(robot.get_paths()) == 11 + 2 for robot in robots) == 3
    assert {axes.get_aspect() for axes in (*start_up.axes, *later.axes)} == {1.0}
    assert [text.get_text() for text in later.axes[0].texts] == ["t = 0 s"]


def test_figs_10_and_11_show_what_the_paper_says(runs: Mapping[str, Recording]) -> None:
    path = link_5(runs[f"{P5}/sidewinding"])
    (plane,) = drawn(runs, "fig10").axes
    assert set(points(plane, style.ORANGE)[:, 0]) == {-1.4}
    assert points(plane, style.BLUE)[: len(path)].tolist() == np.stack([-path[:, 1], path[:, 0]], axis=1).tolist()
    along, sideways = drawn(runs, "fig11").axes
    assert not len(points(along, style.ORANGE))
    assert points(sideways, style.ORANGE).tolist() == [[15, 1.4]]
