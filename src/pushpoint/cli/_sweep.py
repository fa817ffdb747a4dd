"""From the words of a command line to the fields of a sweep."""

from __future__ import annotations

import re
from typing import Any

from pushpoint.cli import _scenario
from pushpoint.errors import InvalidInput, shown

FORMS = "key=start:end:count (ends included), key=a,b,c, or key=low..high with --samples"
_LOG = re.compile(r"(.+):(log|linear)$")


def parsed_sweep(text: str) -> tuple[str, Any]:
    """`key=0.1:0.5:9`, `key=a,b,c` or `key=0.1..0.5`; ranges and bounds may end in `:log`."""
    key, equals, words = text.partition("=")
    if not equals or not key.strip() or not words.strip():
        raise InvalidInput(f"--sweep {shown(text)}: should look like {FORMS}")
    spaced = _LOG.fullmatch(words.strip())
    ends, spacing = (spaced[1], {"spacing": spaced[2]}) if spaced else (words.strip(), {})
    if ".." in ends:
        low, high = _numbers(text, ends.split(".."), 2)
        return key.strip(), {"low": low, "high": high, **spacing}
    if ":" in ends and not ends.startswith(("[", "{")):
        start, end, count = _numbers(text, ends.split(":"), 3)
        return key.strip(), {"start": start, "end": end, "count": count, **spacing}
    if spacing:
        raise InvalidInput(f"--sweep {shown(text)}: a list has no spacing; should look like {FORMS}")
    return key.strip(), _scenario.parsed(f"{key}=[{words}]", "--sweep")[1]


def _numbers(text: str, words: list[str], count: int) -> list[Any]:
    values = [_scenario.parsed(f"value={word}", "--sweep")[1] if word.strip() else None for word in words]
    if len(values) != count or not all(isinstance(value, int | float) for value in values):
        raise InvalidInput(f"--sweep {shown(text)}: should look like {FORMS}")
    return values
