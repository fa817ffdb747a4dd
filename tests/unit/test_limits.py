"""The page of limits says what the program does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, get_origin

from pushpoint import fields, limits, quantities

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "limits.md"


def test_every_limit_is_on_its_page_with_its_value() -> None:
    rows = re.findall(r"^\| .+? \| ([\d ]+) \| `(\w+)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    documented = {name: int(value.replace(" ", "")) for value, name in rows}
    assert documented == {name: value for name, value in vars(limits).items() if name.isupper()}


def test_every_range_is_on_its_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    counts = {"Links", "Obstacles", "SomeObstacles", "Pieces", "Darts", "Iterations", "Index", "Seed"}  # see the limits
    lists = {"PegMap", "PlanePoints"}
    for name, kind in vars(quantities).items():
        if get_origin(kind) is Annotated and name not in counts | lists:
            assert f"`{name}`" in text or name == "Instant", name
    assert {"Number", "Positive", "NonNegative"} <= vars(fields).keys()
