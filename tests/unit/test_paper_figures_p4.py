"""Figures like those of P4, on short runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from PIL import Image

import pushpoint as pp
from pushpoint.recording import Recording
from pushpoint.reproduction.published import tables_of
from pushpoint.scenarios import scenarios
from pushpoint.view.figures import save_figure
from pushpoint.view.papers import paper_figures, scenarios_of

P4 = "koushan2020"
FIGURES = [name.split("/")[1] for name in paper_figures if name.startswith(P4)]


@pytest.fixture(scope="module")
def runs() -> Mapping[str, Recording]:
    return {name: pp.simulate(scenarios[name].with_overrides({"duration": 0.2})) for name in scenarios_of(P4)}


def test_there_is_one_for_every_result_of_chapter_5() -> None:
    assert set(FIGURES) == {f"fig5.{k}" for k in (3, 6, 7, 8, 11, 12, 14, 15, 17)}


@pytest.mark.parametrize("slug", FIGURES)
def test_figures_say_what_was_not_read_off_and_how_joints_are_damped(
    runs: Mapping[str, Recording], slug: str, tmp_path: Path
) -> None:
    figure = paper_figures[f"{P4}/{slug}"].drawn(runs, tables_of(P4))
    assert figure is not None
    assert "not digitised" in figure.get_supxlabel()
    assert "0.5 N m s/rad" in figure.get_supxlabel()
    save_figure(figure, tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.width > 1000
