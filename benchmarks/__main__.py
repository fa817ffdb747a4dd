"""`python -m benchmarks`: measure, write, and say whether it is good enough; or the tables of an earlier run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.tables import as_page, write_page
from pushpoint.errors import PushpointError
from pushpoint.files import write_json, write_text

FOLDER, PAGE = Path("results/bench"), Path("docs/reference/benchmark-tables.md")
MISSED, FAILED = 1, 2  # exit codes


def main(words: Sequence[str] | None = None) -> None:
    """Leaves with exit code 1 if a requirement is missed, and 2 if nothing could be measured."""
    asked = parser().parse_args(words)
    try:
        if asked.command == "tables":
            write_page(asked.result, asked.page)
        else:
            run(asked.part)
    except PushpointError as error:
        say(f"error: {error}")
        sys.exit(FAILED)


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m benchmarks", description="Time the plants on this machine.")
    found.add_argument("--part", choices=("all", "planar", "spatial"), default="all", help="only these plants")
    commands = found.add_subparsers(dest="command", metavar="[tables]")
    tables = commands.add_parser("tables", help="write the tables of an earlier run, without running anything")
    tables.add_argument("result", type=Path, help="its JSON file")
    tables.add_argument("page", type=Path, nargs="?", default=PAGE, help=f"Markdown file, {PAGE} by default")
    return found


def run(part: str) -> None:
    """Tables on standard output, progress on standard error; the numbers are kept in results/bench/bench.json, those of
    one part in bench-planar.json or bench-spatial.json."""
    from benchmarks.contest import has_peer
    from benchmarks.measure import measure
    from benchmarks.result import as_data, load

    if not has_peer():
        say("MuJoCo is not installed, so it is left out: pip install 'pushpoint[mujoco]'")
    before = load()
    benchmark = measure(part, say)
    data = as_data(benchmark, (before, load()))
    name = "bench" if part == "all" else f"bench-{part}"
    files, page = [FOLDER / f"{name}.{ending}" for ending in ("json", "md")], as_page(data)
    write_json(files[0], data)
    write_text(files[1], page)
    print(page)
    say(f"written: {files[0]}, {files[1]}")
    if benchmark.missed:
        sys.exit(MISSED)


def say(text: str) -> None:
    print(f"benchmarks: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
