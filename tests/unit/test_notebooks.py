"""Notebooks are those of their pages; pictures of the documentation are small, and every example is in the gallery."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docs import _notebooks, _running

PAGES = sorted(_notebooks.PAGES.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_notebooks_are_made_of_their_pages(page: Path) -> None:
    found = page.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert found == _notebooks.notebook(page), "run python docs/_notebooks.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_notebooks_have_what_readers_need(page: Path) -> None:
    whole = json.loads(_notebooks.notebook(page))
    assert whole["nbformat"] == 4
    code = [cell for cell in whole["cells"] if cell["cell_type"] == "code"]
    assert len(code) >= 3
    assert any(part["output_type"] == "display_data" for cell in code for part in cell["outputs"])
    assert len({cell["id"] for cell in whole["cells"]}) == len(whole["cells"])
    text = "".join(line for cell in whole["cells"] for line in cell["source"])
    for left_out in ("<!--", ".md)", "{download}"):
        assert left_out not in text


def test_a_notebook_has_the_steps_of_its_page() -> None:
    for page in PAGES:
        of_page, of_notebook = _running.steps(page), _running.steps(page.with_suffix(".ipynb"))
        assert [step.text.strip() for step in of_page] == [step.text.strip() for step in of_notebook]
        assert [step.expected for step in of_page] == [step.expected for step in of_notebook]


def test_notebooks_are_run_in_place_of_their_pages() -> None:
    pages = _running.pages()
    assert all(page.with_suffix(".ipynb") in pages and page not in pages for page in PAGES)


def test_pictures_are_small() -> None:
    for folder in ("gallery", "notebooks", "tutorials"):
        for picture in (_notebooks.DOCS / "images" / folder).glob("*"):
            assert picture.stat().st_size <= _notebooks.MOST, picture


def test_every_example_is_in_the_gallery() -> None:
    text = (_notebooks.DOCS / "gallery.md").read_text(encoding="utf-8")
    for example in (_notebooks.DOCS.parent / "examples").glob("*.py"):
        assert f"$ python examples/{example.name}" in text
        assert (_notebooks.GALLERY / f"{example.stem}.png").is_file()
