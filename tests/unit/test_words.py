"""Plain technical words: names, documents and messages use those of the field."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PHRASES = (
    "hangs on", "hang on", "foretells?", "foretold", "foreseen", "foresees?", "tells of", "in a hurry", "stubbornly",
    "stick is stick", "is_as_foreseen", "Plannable", "flatness", "refuse_unknown",
    "behind (the|one) (same|common)? ?door",
)  # fmt: skip
FOUND = re.compile(rf"\b({'|'.join(PHRASES)})\b", re.IGNORECASE)


def texts() -> list[Path]:
    folders = ("src", "tests", "docs", "examples", "benchmarks")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md")]
    return [path for path in (*found, *ROOT.glob("*.md")) if path != Path(__file__) and "_build" not in path.parts]


def test_words_of_the_field() -> None:
    assert len(texts()) > 300
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match.group(0)}"
        for path in texts()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for match in FOUND.finditer(line)
    ]
    assert not found
