"""Run what the documentation shows, and compare what it prints: `python docs/_running.py docs/tutorial.md ...`.

A page is run from top to bottom in a folder of its own, which has a copy of `examples`:

- `python` blocks share one namespace; one that asks for `__main__` is a script of its own;
- `console` blocks are a terminal: each line after `$ ` is run, and lines up to the next are what it prints. A session
  that shows `error:` has to fail, all others have to succeed. Installing and `make` are left out;
- a `literalinclude` of an example in Python is run as a script;
- a `text` block directly behind one of these is what it prints; others are refused;
- `yaml` blocks have to be YAML;
- of notebooks the cells of code are run, and their text is compared.

Printed text is compared word by word. Numbers with a decimal point or an exponent may differ by one in their last
printed digit, others not at all. `...` stands for any text, and in a line of its own for any lines.

Comments in the page, which readers do not see, say what else is needed:

| comment | means |
|---|---|
| `<!-- run: no REASON -->` | the next block is not run |
| `<!-- run: file NAME -->` | the next block becomes a file |
| `<!-- run: output -->` | the next block is printed by what was run last, though text stands between them |
| `<!-- run: needs MODULE -->` | the page is left out where the module is not installed |
| `<!-- run: varies REGEX -->` | what fits may differ, on the whole page: times, hashes, folders |
| `<!-- run: setup CODE -->`, `<!-- run: shell COMMAND -->` | done here, not shown |
| `<!-- run: check EXPRESSION -->` | has to be true here: a number in the prose |
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^(`{3,})(.*)$")
ORDER = re.compile(r"<!-- run: (\w+)\s*(.*?)\s*-->", re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?(?![\w]|\.\d)")
INSTALLING = re.compile(r"^(pip |make |python -m venv|\. )")
PROGRESS = re.compile(
    r"^pushpoint: (compiling|compiled)\b.*\n?", re.MULTILINE
)  # on standard error, where nothing is in the cache
ANY_LINES = "..."
TIME_LIMIT = 3600.0  # [s], of one command


class Step(NamedTuple):
    """One part of a page: `kind` is python, script, console, shell, check, yaml, file, needs or varies."""

    kind: str
    text: str
    line: int
    expected: str | None = None
    name: str = ""  # of a file


class Order(NamedTuple):
    """A comment that says what else is needed."""

    name: str
    value: str
    line: int


class Block(NamedTuple):
    """A fenced block, with the comments since the last one."""

    info: str
    text: str
    line: int
    orders: tuple[Order, ...]
    close: bool  # nothing but empty lines between it and the block before


def pages() -> list[Path]:
    """All pages of the documentation, the start page of the repository first."""
    found = sorted([*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs" / "notebooks").glob("*.ipynb")])
    made = {path.with_suffix(".md") for path in found if path.suffix == ".ipynb"}  # notebooks stand for their pages
    return [ROOT / "README.md", *(path for path in found if "_build" not in path.parts and path not in made)]


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page."""
    lines, k, between, begin = text.splitlines(), 0, "", 1
    while k < len(lines):
        fence = FENCE.match(lines[k])
        if fence is None:
            between += lines[k] + "\n"
            k += 1
            continue
        end = next(j for j in range(k + 1, len(lines)) if lines[j].startswith(fence.group(1)))
        orders = _orders(between, begin)
        inside = "\n".join(lines[k + 1 : end]) + "\n"
        yield Block(fence.group(2).strip(), inside, k + 2, orders, not between.strip())
        k, between, begin = end + 1, "", end + 2
    if orders := _orders(between, begin):
        yield Block("{end}", "", begin, orders, False)


def _orders(text: str, line: int) -> tuple[Order, ...]:
    """Comments in a text that begins at a line."""
    found = ORDER.finditer(text)
    return tuple(Order(each[1], each[2], line + text[: each.start()].count("\n")) for each in found)


def steps(page: Path) -> list[Step]:
    """What is to be done on a page, or in a notebook, in order."""
    if page.suffix == ".ipynb":
        return list(_cells(json.loads(page.read_text(encoding="utf-8"))["cells"]))
    out: list[Step] = []
    for block in blocks(page.read_text(encoding="utf-8")):
        orders = {order.name: order.value for order in block.orders}
        for name, value, line in block.orders:
            if name in ("setup", "shell", "check", "needs", "varies"):
                out.append(Step("python" if name == "setup" else name, value, line))
            elif name not in ("no", "file", "output") or (name != "output" and not value):
                raise ValueError(f"{page}:{line}: unsupported comment 'run: {name} {value}'")
        if "no" in orders:
            continue
        if "file" in orders:
            out.append(Step("file", block.text, block.line, name=orders["file"]))
        elif block.info == "text":
            last = out[-1] if out and (block.close or "output" in orders) else None
            if last is None or last.kind not in ("python", "script", "console") or last.expected is not None:
                raise ValueError(f"{page}:{block.line}: nothing prints this text; see comments run: no, output")
            out[-1] = last._replace(expected=block.text)
        else:
            out.extend(_steps_of(page, block))
    return out


def _cells(cells: list[dict[str, Any]]) -> Iterator[Step]:
    """The cells of code of a notebook; `line` is their number."""
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] == "code":
            texts = ["".join(each["text"]) for each in cell["outputs"] if each["output_type"] == "stream"]
            yield Step("python", "".join(cell["source"]), number, "".join(texts) or None)


def _steps_of(page: Path, block: Block) -> Iterator[Step]:
    if block.info == "python":
        kind = "script" if "__main__" in block.text else "python"
        yield Step(kind, block.text, block.line)
    elif block.info == "yaml":
        yield Step("yaml", block.text, block.line)
    elif block.info == "console":
        yield from _session(block)
    elif block.info.startswith("{literalinclude}") and ":language: python" in block.text:
        path = (page.parent / block.info.split()[1]).resolve()
        if "__main__" in (text := path.read_text(encoding="utf-8")):
            yield Step("script", text, block.line)


def _session(block: Block) -> Iterator[Step]:
    """Commands with what they print; a line that ends with a backslash goes on."""
    command, line, printed = "", block.line, ""
    goes_on = False
    for number, text in enumerate(block.text.splitlines(), block.line):
        if text.startswith("$ ") or goes_on:
            if not goes_on:
                if command:
                    yield _command(command, line, printed)
                command, line, printed = "", number, ""
            command += text.removeprefix("$ ").removesuffix("\\").strip() + " "
            goes_on = text.endswith("\\")
        else:
            printed += text + "\n"
    if command:
        yield _command(command, line, printed)


def _command(command: str, line: int, printed: str) -> Step:
    return Step("console", command.strip(), line, printed if printed.strip() else None)


def same_number(shown: str, found: str) -> bool:
    """Whether two printed numbers are equal, to one in the last digit of the first unless it is an integer."""
    if shown == found:
        return True
    mantissa, _, exponent = shown.lower().partition("e")
    if "." not in mantissa and not exponent:
        return False
    digits = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(exponent or 0) - digits)
    return abs(float(shown) - float(found)) <= 1.001 * unit


def same_line(shown: str, found: str) -> bool:
    """Whether a line that is shown fits one that was printed."""
    shown, found = " ".join(shown.split()), " ".join(found.split())
    if ANY_LINES in shown:
        return re.fullmatch(".*".join(map(re.escape, shown.split(ANY_LINES))), found) is not None
    if NUMBER.sub("0", shown) != NUMBER.sub("0", found):
        return False
    return all(map(same_number, NUMBER.findall(shown), NUMBER.findall(found)))


def differences(shown: str, found: str) -> list[str]:
    """Lines of what is shown that do not fit what was printed; empty if all is well."""
    want = [line for line in shown.splitlines() if line.strip()]
    have = [line for line in found.splitlines() if line.strip()]
    k = 0
    for number, line in enumerate(want):
        if line.strip() == ANY_LINES:
            ahead = next((text for text in want[number + 1 :] if text.strip() != ANY_LINES), None)
            if ahead is None:
                return []
            k = next((j for j in range(k, len(have)) if same_line(ahead, have[j])), len(have))
            continue
        if k >= len(have) or not same_line(line, have[k]):
            return [f"shown:   {line}", f"printed: {have[k] if k < len(have) else '(nothing)'}"]
        k += 1
    return [] if k == len(have) else ["shown:   (nothing)", f"printed: {have[k]}"]


@dataclass
class Page:
    """A page while it runs."""

    path: Path
    folder: Path
    verbose: bool = False
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    varying: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        shutil.copytree(ROOT / "examples", self.folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
        self.terminal = self.folder  # where `cd` has led

    def run(self) -> list[str]:
        """Do all steps; returns what is wrong, with lines. A step that fails ends the page."""
        todo = steps(self.path)
        missing = [step.text for step in todo if step.kind == "needs" and importlib.util.find_spec(step.text) is None]
        if missing:
            print(f"{self.path.name}: left out, needs {', '.join(missing)}")
            return []
        with contextlib.chdir(self.folder):
            for step in todo:
                begun = time.perf_counter()
                if not self._done(step):
                    break
                if self.verbose:
                    print(f"{self.path.name}:{step.line}: {step.kind}, {time.perf_counter() - begun:.1f} s", flush=True)
        return self.wrong

    def _done(self, step: Step) -> bool:
        printed, error = getattr(self, f"_{step.kind}")(step)
        if self.verbose and step.expected is None and step.kind in ("python", "script"):
            print(printed, end="")
        if error:
            self._note(step, error)
        elif step.expected is not None:
            for line in differences(self._same(step.expected), self._same(PROGRESS.sub("", printed))):
                self._note(step, line)
        return not error

    def _note(self, step: Step, text: str) -> None:
        where = self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path.name
        self.wrong.append(f"{where}:{step.line}: {text}")

    def _same(self, text: str) -> str:
        for pattern in self.varying:
            text = re.sub(pattern, "*", text)
        return text

    def _python(self, step: Step) -> tuple[str, str]:
        printed = io.StringIO()
        code = "\n" * (step.line - 1) + step.text  # so that tracebacks have the lines of the page
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(code, str(self.path), "exec", dont_inherit=True), self.names)
        except Exception:
            return printed.getvalue(), traceback.format_exc(limit=-3)
        return printed.getvalue(), ""

    def _script(self, step: Step) -> tuple[str, str]:
        script = self.folder / f"line_{step.line}.py"
        script.write_text(step.text, encoding="utf-8")
        code, printed = self._shelled(f'"{sys.executable}" {script.name}', self.folder)
        return printed, f"exit code {code}: {printed[-2000:]}" if code else ""

    def _console(self, step: Step) -> tuple[str, str]:
        if INSTALLING.match(step.text):
            return step.expected or "", ""
        if step.text.startswith("cd "):
            self.terminal = (self.terminal / step.text[3:].strip()).resolve()
            return "", ""
        code, printed = self._shelled(step.text, self.terminal)
        fails = re.search(r"^error:", step.expected or "", re.MULTILINE) is not None
        return printed, "" if (code != 0) == fails else f"exit code {code}: {printed[-2000:]}"

    def _shell(self, step: Step) -> tuple[str, str]:
        code, printed = self._shelled(step.text, self.terminal)
        return printed, f"exit code {code}: {printed[-2000:]}" if code else ""

    def _shelled(self, command: str, folder: Path) -> tuple[int, str]:
        """Exit code of a command, and what a terminal would show."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        own = {"PATH": path, "COLUMNS": "200", "NO_COLOR": "1", "MPLBACKEND": "agg", "PYTHONUNBUFFERED": "1"}
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env=os.environ | own,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIME_LIMIT,
            check=False,
        )
        return done.returncode, done.stdout

    def _check(self, step: Step) -> tuple[str, str]:
        try:
            holds = eval(step.text, self.names)
        except Exception:
            return "", traceback.format_exc(limit=-2)
        return "", "" if holds else f"does not hold: {step.text}"

    def _yaml(self, step: Step) -> tuple[str, str]:
        try:
            yaml.safe_load(textwrap.dedent(step.text))
        except yaml.YAMLError as error:
            return "", str(error)
        return "", ""

    def _file(self, step: Step) -> tuple[str, str]:
        path = self.terminal / step.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(step.text, encoding="utf-8")
        return "", ""

    def _needs(self, _step: Step) -> tuple[str, str]:
        return "", ""

    def _varies(self, step: Step) -> tuple[str, str]:
        self.varying.append(step.text)
        return "", ""


def run_page(path: Path, verbose: bool = False) -> list[str]:
    """What is wrong on a page, line by line."""
    os.environ.setdefault("MPLBACKEND", "agg")
    with tempfile.TemporaryDirectory(prefix="docs-") as folder:
        return Page(path.resolve(), Path(folder), verbose).run()


def main() -> int:
    """Run the pages that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", type=Path, help="default: all")
    parser.add_argument("-v", "--verbose", action="store_true", help="how long steps take, and what is not compared")
    given = parser.parse_args()
    chosen = given.pages or [page for page in pages() if steps(page)]
    if len(chosen) > 1:  # pages register names: each has a process of its own
        verbose = ["-v"] * given.verbose
        return max(subprocess.call([sys.executable, __file__, *verbose, str(page)]) for page in chosen)
    wrong = run_page(chosen[0], given.verbose)
    print("\n".join(wrong), end="\n" * bool(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
