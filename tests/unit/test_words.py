"""Plain technical words: names, documents and messages use those of the field. Prose keeps to 120 characters."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
WIDTH = 120
PHRASES = (
    "hangs on", "hang on", "foretells?", "foretold", "foreseen", "foresees?", "tells of", "in a hurry", "stubbornly",
    "stick is stick", "is_as_foreseen", "Plannable", "flatness", "refuse_unknown",
    "behind (the|one) (same|common)? ?door",
)  # fmt: skip
WORDS = (
    "things?", "told", "ways?", "doors?", "surprises?", "meetings?", "hurry", "hangs?", "stubborn", "patient",
    "patiently", "quickly", "afresh", "beyond P2",
)  # fmt: skip
NAMES = {
    "afresh", "door", "exactly", "extras", "hurry", "look", "looks", "meetings", "patiently", "quickly", "stubbornly",
    "surprise", "thing", "things", "told", "way", "ways",
}  # fmt: skip
PENDING: tuple[Path, ...] = ()
FORMER = re.compile(r"renamed\(|\bformer")  # lines about names that still work, with a warning
TERMS = re.compile(r"look_?ahead|look_at|include_extras", re.IGNORECASE)  # P3's distance; names of viser and of Python


def texts(*suffixes: str) -> list[Path]:
    folders = ("src", "tests", "docs", "examples", "benchmarks")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]
    top = [path for path in ROOT.glob("*.md") if path.suffix in suffixes]
    own = ("test_words.py", "test_deprecation.py")
    return [path for path in (*found, *top) if path.name not in own and "_build" not in path.parts]


def is_pending(path: Path) -> bool:
    return any(path.is_relative_to(place) for place in PENDING)


def places(phrases: tuple[str, ...], paths: list[Path]) -> list[str]:
    """Where phrases occur; words in names count, quoted code in documents does not."""
    wanted = re.compile(rf"(?<![A-Za-z])({'|'.join(phrases)})(?![A-Za-z])", re.IGNORECASE)
    found = []
    for path in paths:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            prose = re.sub(r"`[^`]+`", "", line) if path.suffix == ".md" else line
            if not FORMER.search(line):
                found += [f"{path.relative_to(ROOT)}:{number}: {match.group(0)}" for match in wanted.finditer(prose)]
    return found


def parts(name: str) -> set[str]:
    """Words of a name: `GivingWay` and `giving_way` have the same."""
    return set(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", TERMS.sub("", name)).lower().split("_"))


def names(path: Path) -> Iterator[tuple[int, str]]:
    with tokenize.open(path) as file:
        lines = tokenize.generate_tokens(file.readline)
        yield from ((token.start[0], token.string) for token in lines if token.type == tokenize.NAME)


def long_prose(path: Path) -> Iterator[int]:
    """Numbers of lines that are too long, outside of tables, code, mathematics, headings and definitions of links."""
    fence, mathematics = "", False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        mark = re.match(r"\s*(`{3,}|~{3,}|:{3,})", line)
        if mark and (not fence or line.strip() == fence):
            fence = "" if fence else mark.group(1)
        elif not fence and (mathematics or line.lstrip().startswith("$$")):
            mathematics ^= line.count("$$") % 2 == 1
        elif not fence and len(line) > WIDTH and not re.match(r"\s*(\||#|\[[^]]+\]: )", line):
            yield number


def test_words_of_the_field() -> None:
    assert len(texts(".py", ".md")) > 300
    assert not places(PHRASES, texts(".py", ".md"))
    assert not places(WORDS, [path for path in texts(".py", ".md") if not is_pending(path)])


def test_names_of_the_field() -> None:
    assert parts("GivingWay") == parts("giving_way") == {"giving", "way"}
    assert not parts("LOOK_AHEAD") & NAMES
    assert not [
        f"{path.relative_to(ROOT)}:{number}: {name}"
        for path in texts(".py")
        if not is_pending(path)
        for number, name in names(path)
        if parts(name) & NAMES and not FORMER.search(path.read_text().splitlines()[number - 1])
    ]


def test_prose_is_wrapped() -> None:
    found = [f"{path.relative_to(ROOT)}:{number}" for path in texts(".md") for number in long_prose(path)]
    assert not found
