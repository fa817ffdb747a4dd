"""Tables of results for pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pushpoint.errors import InvalidInput
from pushpoint.studies.results import Results


def markdown(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [headings, *rows]
    cells = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([cells[0], f"|{'|'.join(['---'] * len(headings))}|", *cells[1:]])


def need_columns(results: Results, names: Iterable[str]) -> None:
    """Refuse results in which columns of a table are missing."""
    missing = [name for name in names if name not in results.study.columns]
    if missing:
        raise InvalidInput(
            f"measures of the study: {', '.join(map(repr, missing))} missing, which the table shows; there are "
            f"{', '.join(results.study.columns)}"
        )
