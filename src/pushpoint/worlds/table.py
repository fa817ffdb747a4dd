"""Worlds from a CSV file with the columns x_m, y_m, radius_m."""

from __future__ import annotations

import csv
from pathlib import Path

from pushpoint.errors import InvalidInput
from pushpoint.fields import NonNegative
from pushpoint.worlds import Disc, Ground, World, worlds

COLUMNS = ("x_m", "y_m", "radius_m")


@worlds.register("csv")
def from_csv(path: Path, friction: NonNegative = 0.2) -> World:
    """One disc per row of the file at `path`."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            missing = [c for c in COLUMNS if c not in (reader.fieldnames or ())]
            if missing:
                raise InvalidInput(f"{path}: column {missing[0]!r} is missing; needed: {', '.join(COLUMNS)}")
            discs = tuple(_disc(path, reader.line_num, row) for row in reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"world file {str(path)!r} cannot be read: {error}") from None
    return World(name="csv", ground=Ground(friction=friction), obstacles=discs, source=Path(path).name)


def _disc(path: Path, line: int, row: dict[str, str]) -> Disc:
    try:
        x, y, radius = (float(row[column]) for column in COLUMNS)
        return Disc(x=x, y=y, radius=radius)
    except (TypeError, ValueError) as error:  # InvalidInput is a ValueError too
        raise InvalidInput(f"{path}, line {line}: {error}") from None
