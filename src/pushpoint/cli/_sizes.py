"""Sizes on the command line: `1280x720`."""

from __future__ import annotations

import re

from pushpoint.errors import InvalidInput, shown

NUMBER = r"(\d{1,5}(?:\.\d{1,4})?)"


def parsed_size(text: str, unit: str, example: str) -> tuple[float, float]:
    """Width and height out of a text such as `12x6`."""
    found = re.fullmatch(rf"{NUMBER}\s*[x×]\s*{NUMBER}", text.strip(), re.ASCII | re.IGNORECASE)
    if found is None:
        raise InvalidInput(f"--size {shown(text)}: should be width and height in {unit}, such as {example}")
    return float(found[1]), float(found[2])


def pixels(text: str) -> tuple[int, int]:
    """Width and height in pixels."""
    width, height = parsed_size(text, "pixels", "1280x720")
    if width != int(width) or height != int(height):
        raise InvalidInput(f"--size {shown(text)}: pixels are whole numbers, such as 1280x720")
    return int(width), int(height)
