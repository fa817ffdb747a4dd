"""Worlds from a CSV file with the columns x_m, y_m, radius_m, and more if there are any."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pushpoint import limits
from pushpoint.errors import InvalidInput, shown
from pushpoint.files import read_text
from pushpoint.quantities import FrictionCoefficient
from pushpoint.worlds import Disc, Ground, World, worlds

COLUMNS = {"x_m": "x", "y_m": "y", "radius_m": "radius"}  # by column: the field of Disc
OPTIONAL = {
    "mass_kg": "mass",
    "friction": "friction",
    "restitution": "restitution",
    "ground_friction": "ground_friction",
}
WITHOUT_UNIT = {"mass": "mass_kg"}  # would be left out silently, as other columns are
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}  # that other programs put in the place of commas
DECIMAL_COMMAS = "were decimal commas meant? numbers have a point"


@worlds.register("csv")
def from_csv(path: Path, friction: FrictionCoefficient = 0.2) -> World:
    """One disc per row of the file at `path`; `friction` is the ground's."""
    text = read_text(path, "world file")
    if not text.strip():
        raise InvalidInput(f"world file {str(path)!r} is empty; needed: a line {','.join(COLUMNS)} and a line per disc")
    try:
        discs = _discs(path, csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise InvalidInput(f"world file {str(path)!r} cannot be read: {error}") from None
    return World(name="csv", ground=Ground(friction=friction), obstacles=discs, source=Path(path).name)


def _discs(path: Path, lines: Any) -> tuple[Disc, ...]:
    """Of all rows; `lines` is what csv.reader gives, whose type has no public name."""
    names = [name.strip() for name in next(lines)]
    _check_columns(path, names)
    discs: list[Disc] = []
    for cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        if len(discs) == limits.OBSTACLES:
            raise InvalidInput(f"{path}, line {lines.line_num}: there should be {limits.OBSTACLES} discs at most")
        if len(cells) > len(names):
            raise InvalidInput(
                f"{path}, line {lines.line_num}: {len(cells)} cells for {len(names)} columns; {DECIMAL_COMMAS}"
            )
        discs.append(_disc(path, lines.line_num, dict(zip(names, cells, strict=False))))
    if not discs:
        raise InvalidInput(f"{path}: there are no rows below the columns; a world without obstacles is called 'plane'")
    return tuple(discs)


def _check_columns(path: Path, found: Sequence[str]) -> None:
    missing = [column for column in COLUMNS if column not in found]
    if missing:
        raise InvalidInput(
            f"{path}: column {missing[0]!r} is missing; needed: {', '.join(COLUMNS)}{_likely_cause(found)}"
        )
    for column, meant in WITHOUT_UNIT.items():
        if column in found:
            raise InvalidInput(f"{path}: column {column!r} should be {meant!r}; known: {', '.join(COLUMNS | OPTIONAL)}")
    for column in COLUMNS | OPTIONAL:
        if found.count(column) > 1:
            raise InvalidInput(f"{path}: column {column!r} is there twice")


def _likely_cause(found: Sequence[str]) -> str:
    """Why none of the columns may have been recognised."""
    for separator, name in SEPARATORS.items():
        if any(separator in cell for cell in found):
            return f"; the first line has {name}, columns should be separated by commas"
    if found and all(_is_number(cell) for cell in found):
        return "; the first line has numbers, it should name the columns"
    return f"; found: {shown(', '.join(found))}"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _disc(path: Path, line: int, row: dict[str, str]) -> Disc:
    """Empty cells of optional columns leave the default; without a mass a disc is fixed."""
    given = {column: field for column, field in OPTIONAL.items() if row.get(column, "").strip()}
    try:
        return Disc.parse({field: _number(row, column) for column, field in (COLUMNS | given).items()})
    except InvalidInput as error:
        raise InvalidInput(f"{path}, line {line}: {error}") from None


def _number(row: dict[str, str], column: str) -> float:
    cell = row.get(column)
    try:
        if cell is None or "_" in cell:  # Python's own notation of thousands
            raise ValueError
        return float(cell)
    except ValueError:
        hint = f"; {DECIMAL_COMMAS}" if cell is not None and "," in cell and _is_number(cell.replace(",", ".")) else ""
        raise InvalidInput(f"{column} = {shown(cell)} is no number{hint}") from None
