"""The index of equations of the five papers, made of the tables in `equations/` by `python docs/_equations.py`.

A table has one row per numbered equation of a paper: what it says, the functions that implement it as
`module:name` (none: it is not implemented, and the note says why), and a note. Modules whose comments name an equation
as well are found in the sources.
"""

from __future__ import annotations

import ast
import csv
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).resolve().parent
SOURCES = DOCS.parent / "src" / "pushpoint"
PAGE = DOCS / "reference" / "equations.md"
PAPERS = {
    "P1": "liljeback2010",
    "P2": "transeth2008a",
    "P3": "liljeback2014",
    "P4": "koushan2020",
    "P5": "transeth2008b",
}
# Where a number without a paper is that of one paper; elsewhere a number counts if it directly follows a paper, or one
# that does.
OWNERS = {
    "plants/planar_hybrid/": "P1",
    "control/jam_resolution": "P1",
    "mechanics/joint_forces": "P1",
    "plants/planar_stepping/": "P2",
    "geometry/capsule_disc": "P2",
    "plants/spatial_stepping/": "P5",
    "shapes/": "P3",
    "scenarios/liljeback2014": "P3",
    "control/hybrid_position_force/": "P4",
    "mechanics/tail_chain": "P4",
}
NUMBER = r"\d\.\d+[ab]?|\d{1,2}"
MENTION = re.compile(rf"\b(P[1-5])\b(?!-\d)|\(({NUMBER})\)(?:\s*(?:-|to)\s*\(({NUMBER})\))?")
COUNTED = re.compile(r"(\b(tail|head|joint|link)\s*|\w)\Z")  # "the head (1)", "order 5(4)" are no equations
FOLLOWS = re.compile(r"('s)?[\s,;]*(and|-|to)?\s*")
INTRO = """# Equations

Every numbered equation of the five papers, and the function that implements it. Papers are cited in full on the
[start page](../index.md#papers). A function may have an equation in an equivalent form, such as sums along the chain in
place of matrices. Where it differs from what is printed the note says so; why is in the departures from
[P1](../theory/departures-p1.md), [P2](../theory/departures.md), [P3](../theory/departures-p3.md),
[P4](../theory/departures-p4.md) and [P5](../theory/departures-p5.md). 'Also in' names modules whose comments refer to
the equation.

This page is made of the tables in `docs/equations/` by `python docs/_equations.py`.
"""


class Row(NamedTuple):
    """One equation."""

    number: str
    says: str
    where: tuple[str, ...]  # module:name, below pushpoint
    note: str


def rows(paper: str) -> list[Row]:
    """The table of a paper, in order."""
    with (DOCS / "equations" / f"{paper}.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file, delimiter="|"))
    return [Row(row["number"], row["says"], tuple(row["where"].split()), row["note"]) for row in table]


def remarks(source: str) -> Iterator[str]:
    """Docstrings, and comments, of which neighbouring lines are one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
            yield text
    block, last = "", -1
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            block = f"{block}\n{token.string}" if token.start[0] == last + 1 else token.string
            yield block
            last = token.start[0]


def numbers(first: str, last: str) -> Iterator[str]:
    """All numbers of a range such as (84)-(93) or (3.44)-(3.48); parts a and b of an equation count as one."""
    if not last:
        yield first
        return
    chapter, dot, begin = first.rpartition(".")
    for k in range(int(re.sub("[ab]", "", begin)), int(re.sub("[ab]", "", last.rpartition(".")[2])) + 1):
        yield f"{chapter}{dot}{k}"


def named_in(text: str, owner: str) -> Iterator[tuple[str, str]]:
    """Papers and numbers of the equations that a comment names; `owner`: the paper of numbers without one, or empty."""
    paper, end = owner, 0
    for found in MENTION.finditer(text):
        if found.group(1):
            paper, end = found.group(1), found.end()
            continue
        joined = bool(owner) or FOLLOWS.fullmatch(text, end, found.start()) is not None
        if paper and joined and not COUNTED.search(text[: found.start()]) and _is_of(paper, found.group(2)):
            yield from ((paper, number) for number in numbers(found.group(2), found.group(3) or ""))
            end = found.end()


def _is_of(paper: str, number: str) -> bool:
    return ("." in number) == (paper == "P4")


@cache
def mentions() -> dict[tuple[str, str], frozenset[str]]:
    """Modules whose comments name an equation, by paper and number."""
    found: dict[tuple[str, str], set[str]] = {}
    for path in sorted(SOURCES.rglob("*.py")):
        place = path.relative_to(SOURCES).as_posix()
        owner = next((paper for start, paper in OWNERS.items() if place.startswith(start)), "")
        module = place.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for text in remarks(path.read_text(encoding="utf-8")):
            for key in named_in(text, owner):
                found.setdefault(key, set()).add(module)
    return {key: frozenset(modules) for key, modules in found.items()}


def file_of(module: str) -> Path:
    """The source file of a module below pushpoint."""
    path = SOURCES / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _link(module: str, text: str) -> str:
    target = file_of(module).relative_to(DOCS.parent).as_posix()
    return f"[`{text}`](../../{target})"


def _cells(paper: str, row: Row) -> list[str]:
    homes = [name.split(":") for name in row.where]
    where = ", ".join(_link(module, f"{module.split('.')[-1]}.{name}") for module, name in homes)
    plain = re.sub("[ab]$", "", row.number)
    named = mentions().get((paper, row.number), frozenset()) | mentions().get((paper, plain), frozenset())
    also = sorted(named - {module for module, _ in homes})
    text = row.note if where else f"not implemented: {row.note}"
    return [f"({row.number})", row.says, where, text, ", ".join(_link(module, module) for module in also)]


def _line(cells: list[str]) -> str:
    return f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in cells)}|"


def page() -> str:
    """The whole page."""
    parts = [INTRO]
    for paper, key in PAPERS.items():
        table = rows(paper)
        done = sum(bool(row.where) for row in table)
        parts.append(f"## {paper}, `{key}`\n\n{done} of {len(table)} equations are implemented.\n")
        head = ["number", "says", "function", "note", "also in"]
        lines = [head, ["---"] * len(head), *(_cells(paper, row) for row in table)]
        parts.append(
            "\n".join(f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in cells)}|" for cells in lines) + "\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
