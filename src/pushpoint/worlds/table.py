"""Worlds from a CSV file with the columns x_m, y_m, radius_m, and more if there are any."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from pushpoint.errors import InvalidInput
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


@worlds.register("csv")
def from_csv(path: Path, friction: FrictionCoefficient = 0.2) -> World:
    """One disc per row of the file at `path`; `friction` is the ground's."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            _check_columns(path, reader.fieldnames or ())
            discs = tuple(_disc(path, reader.line_num, row) for row in reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"world file {str(path)!r} cannot be read: {error}") from None
    return World(name="csv", ground=Ground(friction=friction), obstacles=discs, source=Path(path).name)


def _check_columns(path: Path, found: Sequence[str]) -> None:
    missing = [column for column in COLUMNS if column not in found]
    if missing:
        raise InvalidInput(f"{path}: column {missing[0]!r} is missing; needed: {', '.join(COLUMNS)}")
    for column, meant in WITHOUT_UNIT.items():
        if column in found:
            raise InvalidInput(f"{path}: column {column!r} should be {meant!r}; known: {', '.join(COLUMNS | OPTIONAL)}")


def _disc(path: Path, line: int, row: dict[str, str | None]) -> Disc:
    """Empty cells of optional columns leave the default; without a mass a disc is fixed."""
    given = {column: field for column, field in OPTIONAL.items() if (row.get(column) or "").strip()}
    try:
        return Disc.parse({field: _number(row, column) for column, field in (COLUMNS | given).items()})
    except InvalidInput as error:
        raise InvalidInput(f"{path}, line {line}: {error}") from None


def _number(row: dict[str, str | None], column: str) -> float:
    cell = row[column]
    try:
        return float(cell or "")
    except ValueError:
        raise InvalidInput(f"{column} = {cell!r} is no number") from None
