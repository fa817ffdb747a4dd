"""The runner of the documentation: what it reads off a page, what it compares, and that pages fit it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import _equations, _running

PAGE = """# Page

Text.

```python
a = 2
print(f"a is {a / 3:.3f} m")
```

```text
a is 0.667 m
```

<!-- run: setup
b = a + 1
-->
<!-- run: check b == 3 -->

<!-- run: file data/values.yaml -->
```yaml
x: [1, 2]
```

<!-- run: varies \\d+ ms -->
```console
$ echo one; echo 'took 7 ms'   # a comment
one
took 12 ms
$ cd data
$ cat \\
    values.yaml
x: ...
$ pip install nothing
$ echo 'error: no' >&2; exit 3
error: no
```

```python
print(open("data/values.yaml").read()[:1], __name__)
```

```text
x page
```

<!-- run: no a sketch -->
```python
this is no Python
```
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_steps_of_a_page(tmp_path: Path) -> None:
    found = _running.steps(written(tmp_path, PAGE))
    kinds = ["python", "python", "check", "file", "varies", *["console"] * 5, "python"]
    assert [step.kind for step in found] == kinds
    assert found[0].line == 6
    assert found[0].expected == "a is 0.667 m\n"
    assert found[7].text == "cat values.yaml"
    assert [step.expected for step in found[5:10]] == ["one\ntook 12 ms\n", None, "x: ...\n", None, "error: no\n"]


def test_a_page_that_is_right(tmp_path: Path) -> None:
    assert _running.run_page(written(tmp_path, PAGE)) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("0.667 m\n", "0.669 m\n", 6, "0.669"),
        ("a = 2", "a = 1 / 0", 6, "ZeroDivisionError"),
        ("b == 3", "b == 4", 17, "does not hold"),
        ("exit 3", "exit 0", 34, "exit code 0"),
        ("x: ...", "y: ...", 30, "y: ..."),
        ("x page", "x page\nmore", 39, "(nothing)"),
    ],
)
def test_a_page_that_is_wrong(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    assert old in PAGE
    wrong = _running.run_page(written(tmp_path, PAGE.replace(old, new)))
    assert wrong, "nothing was found"
    assert f":{line}: " in wrong[0]
    assert message in "\n".join(wrong)


def test_comments_have_to_be_supported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"page\.md:1: unsupported comment 'run: never"):
        _running.steps(written(tmp_path, "<!-- run: never -->\n"))


def test_text_that_nothing_prints_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"page\.md:4: nothing prints this text"):
        _running.steps(written(tmp_path, "A line.\n\n```text\nprinted\n```\n"))


@pytest.mark.parametrize(
    ("shown", "found", "same"),
    [
        ("x = 2.1195 m", "x = 2.1196 m", True),
        ("x = 2.1195 m", "x = 2.1197 m", False),
        ("x = 2.1195 m", "x   = 2.1195 mm", False),
        ("1.0e-08", "9.9e-09", True),
        ("1.0e-08", "1.2e-08", False),
        ("3087 rows", "3088 rows", False),
        ("link 5 after ... m", "link 5 after 10 s: x = 2 m", True),
        ("[-0.01942, 3]", "[-0.01943, 3]", True),
        ("v1.0", "v1.1", False),
    ],
)
def test_lines_are_compared_to_their_last_digit(shown: str, found: str, same: bool) -> None:
    assert _running.same_line(shown, found) is same


def test_lines_that_may_be_any() -> None:
    found = "a\nb 1\nc\n"
    assert _running.differences("a\n...\nc", found) == []
    assert _running.differences("...\nb 1\n...", found) == []
    assert _running.differences("...\nd", found) != []
    assert _running.differences("a\nb 1", found) == ["shown:   (nothing)", "printed: c"]


@pytest.mark.parametrize("page", _running.pages(), ids=lambda path: path.stem)
def test_pages_can_be_read(page: Path) -> None:
    for block in _running.blocks(page.read_text(encoding="utf-8") if page.suffix == ".md" else ""):
        known = block.info in ("python", "console", "text", "yaml", "toml", "sh") or block.info.startswith("{")
        assert known, f"{page}:{block.line}: blocks of {block.info!r} are not run"
    _running.steps(page)


def test_compile_times_stand_in_one_place() -> None:
    """On the benchmark pages; others link to them."""
    time = re.compile(r"compil(?:es?|ing|ation)\b[^.:;|]*?\d[\d.]*( to \d+)? (CPU )?s(econds?)?\b", re.IGNORECASE)
    others = [*_running.ROOT.glob("*.md"), *(_running.ROOT / "src").rglob("README.md"), *_running.pages()]
    for path in others:
        if path.suffix == ".md" and not path.stem.startswith("benchmark"):
            found = time.search(" ".join(path.read_text(encoding="utf-8").split()))
            assert found is None, f"{path}: {found}"


def test_all_papers_are_cited() -> None:
    text = (_running.ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for paper, key in _equations.PAPERS.items():
        assert re.search(rf"^\| {paper} \| `{key}` \| .+\*.+\*, .+, 20\d\d \|$", text, re.MULTILINE), key
