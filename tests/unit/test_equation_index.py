"""The index of equations: all of the papers, once each; functions that exist; and what comments of the code name."""

from __future__ import annotations

import importlib

import pytest

from docs import _equations

# As the papers count them. P4 numbers by chapter, and three equations of 3.2 have parts a and b.
PARTS = ("3.44", "3.45", "3.46")
PAPERS = {
    "P1": [str(k) for k in range(1, 100)],
    "P2": [str(k) for k in range(1, 73)],
    "P3": [str(k) for k in range(1, 21)],
    "P4": [
        *(f"2.{k}" for k in range(1, 25)),
        *(f"3.{k}" for k in range(1, 44)),
        *(number + part for number in PARTS for part in "ab"),
        *(f"3.{k}" for k in range(47, 52)),
        "5.1",
    ],
    "P5": [str(k) for k in range(1, 94)],
}


@pytest.mark.parametrize("paper", PAPERS)
def test_all_equations_once_and_in_order(paper: str) -> None:
    assert [row.number for row in _equations.rows(paper)] == PAPERS[paper]


@pytest.mark.parametrize("paper", PAPERS)
def test_equations_have_a_function_or_a_reason(paper: str) -> None:
    for row in _equations.rows(paper):
        assert 1 <= len(row.says.split()) <= 9, row
        assert row.where or row.note, row
        assert len(set(row.where)) == len(row.where), row


@pytest.mark.parametrize("paper", PAPERS)
def test_functions_exist(paper: str) -> None:
    for row in _equations.rows(paper):
        for name in row.where:
            module, _, path = name.partition(":")
            item = importlib.import_module(f"pushpoint.{module}")
            for part in path.split("."):
                assert hasattr(item, part), f"{paper} ({row.number}): {name}"
                item = getattr(item, part)


def test_numbers_in_comments_are_equations() -> None:
    for (paper, number), modules in _equations.mentions().items():
        assert number in PAPERS[paper] or number in PARTS, f"{paper} ({number}) in {sorted(modules)}"


def test_page_is_that_of_tables_and_comments() -> None:
    """Every module whose comments name an equation is in its row, as the page is made of both."""
    assert _equations.PAGE.read_text(encoding="utf-8") == _equations.page(), "run python docs/_equations.py"


@pytest.mark.parametrize(
    ("text", "owner", "expected"),
    [
        ("P1 (30)-(32), and more", "", [("P1", "30"), ("P1", "31"), ("P1", "32")]),
        ("P2 (50) and (52): discs (3)", "", [("P2", "50"), ("P2", "52")]),
        ("see (14), (16)", "P2", [("P2", "14"), ("P2", "16")]),
        ("counts from the head (1) to the tail (11); order 5(4)", "P2", []),
        ("(3.44)-(3.46), erratum P3-1, (3.50)", "P4", [("P4", f"3.{k}") for k in (44, 45, 46, 50)]),
        ("nothing of (7)", "", []),
    ],
)
def test_numbers_are_read(text: str, owner: str, expected: list[tuple[str, str]]) -> None:
    assert list(_equations.named_in(text, owner)) == expected
