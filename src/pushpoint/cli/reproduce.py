"""`pushpoint reproduce`: published against measured, claim by claim."""

from __future__ import annotations

import sys
import time
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import _scenario
from pushpoint.cli._console import complain, print_json, results, say
from pushpoint.cli._options import AsJson, Load, Style, claim_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from pushpoint.cli._pictures import Drawing, Drawn, Sheet
    from pushpoint.reproduction.page import About, Picture
    from pushpoint.reproduction.report import Report, Verdict
    from pushpoint.studies.result_cache import ResultCache

NOT_CONFIRMED = 1


COLOURS = {"confirmed": "green", "holds": "green", "differs": "yellow"}  # all others are failures


def reproduce(
    key: Annotated[
        str, typer.Argument(help="A paper's key, a claim's id, or all.", autocompletion=claim_names)
    ] = "all",
    out: Annotated[Path | None, typer.Option(help="Folder; default results/reproduce-<key>.")] = None,
    processes: Annotated[int | None, typer.Option(help="Default: as many as processors.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Compute everything, whatever the cache knows.")] = False,
    style: Style = "light",
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Judge the claims of KEY, run our own checks; write a page, a report and figures. Fails if one of them does."""
    from pushpoint.cli._pictures import Drawing
    from pushpoint.reproduction.report import reproduce as run_claims
    from pushpoint.studies.result_cache import ResultCache

    cache, shown = ResultCache.of_user(), _shown(key)
    watched = sys.stderr.isatty()
    report = run_claims(
        key,
        started=None if watched else lambda name: say(f"running {name}"),
        processes=processes,
        also=shown,
        cache=cache,
        anew=fresh,
        progress=watched,
    )
    folder = out or Path("results") / f"reproduce-{_scenario.slug(key)}"
    data = save(report, folder, Drawing(processes, fresh, watched, style), cache)
    cache.forget_oldest()
    if as_json:
        print_json(data)
    else:
        _print(report)
    for problem in dict.fromkeys(verdict.problem for verdict in report.verdicts if verdict.problem):
        complain(problem)
    for name in shown:
        if name not in report.recordings:
            complain(f"{name} failed: figures of the paper that show it are left out")
    say(f"wrote {folder / 'report.md'}")
    say(f"page: {folder / 'report.html'} ({(folder / 'report.html').resolve().as_uri()})")
    if not report.confirmed:
        raise typer.Exit(NOT_CONFIRMED)


def _shown(key: str) -> Sequence[str]:
    """Names of the scenarios that figures of the paper show; a claim alone needs none of them."""
    if "/" in key:
        return ()
    from pushpoint.view.papers import scenarios_of

    return scenarios_of(key)


def save(report: Report, folder: Path, how: Drawing | None = None, cache: ResultCache | None = None) -> dict[str, Any]:
    """Page, report and figures; returns what report.json holds."""
    from pushpoint.cli._pictures import Drawing, drawn, sheets
    from pushpoint.files import made, write_bytes, write_json, write_text
    from pushpoint.reproduction.page import page
    from pushpoint.studies.result_cache import ResultCache

    begin = time.perf_counter()
    made(folder / "figures")
    drawing = how or Drawing()
    wanted = sheets(report, drawing.style)
    pictures = drawn(wanted, cache or ResultCache.temporary(), drawing)
    figures = {}
    for sheet, picture in zip(wanted, pictures, strict=True):
        if picture.problem:
            complain(f"figure {sheet.name}: {picture.problem}")
        elif picture.image:
            figures[sheet.title] = sheet.file
            write_bytes(folder / sheet.file, picture.image)
    data = report.as_dict() | {
        "files": {
            "page": str(folder / "report.html"),
            "report": str(folder / "report.md"),
            "figures": [str(folder / path) for path in figures.values()],
        }
    }
    write_json(folder / "report.json", data)
    write_text(folder / "report.md", report.as_markdown(figures))
    about = _about(report, time.perf_counter() - begin)
    write_text(folder / "report.html", page(report, _of_papers(wanted, pictures), about))
    return data


def _of_papers(wanted: Sequence[Sheet], pictures: Sequence[Drawn]) -> list[Picture]:
    """What the page shows."""
    from pushpoint.reproduction.page import Picture
    from pushpoint.view.papers import paper_figures

    return [
        Picture(sheet.name, paper_figures[sheet.name].title, tuple(sheet.runs), picture.image, picture.problem)
        for sheet, picture in zip(wanted, pictures, strict=True)
        if sheet.kind == "paper" and (picture.image or picture.problem)
    ]


def _about(report: Report, drawing: float) -> About:
    """When, how long, by what and on what."""
    from datetime import datetime

    from pushpoint.reproduction.machine import machine, versions
    from pushpoint.reproduction.page import About
    from pushpoint.user_code import SHOWN_DIGITS, loaded_files

    times = {"date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}
    if report.effort is not None:
        effort = report.effort
        times["took"] = f"{effort.wall_time_s + drawing:.1f} s, of which {drawing:.1f} s for figures"
        times["from the cache"] = f"{effort.known} of {effort.known + effort.computed} runs and numbers"
        times["simulation"] = f"{effort.simulation_s:.1f} s for the runs whose recordings are kept, when they were made"
    return About(machine(), versions(), times, {file.name: file.sha256[:SHOWN_DIGITS] for file in loaded_files()})


def _print(report: Report) -> None:
    """Claims, checks of our own, and how many ended how."""
    from rich.text import Text

    for title, first, verdicts in (("claims", "published", report.claims), ("checks", "expected", report.checks)):
        if verdicts:
            results().print(_table(title, first, verdicts))
            results().print()
    if len(report.counts) > 1:
        for key, count in report.counts.items():
            results().print(Text(f"{key}: {count.sentence}"))
    results().print(Text(report.count.sentence, "bold red" if report.count.failed else "bold"))


def _table(title: str, published: str, verdicts: Sequence[Verdict]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1))
    for heading in (title, published, "measured", "accepted", "verdict"):
        table.add_column(heading, no_wrap=heading != published)
    for verdict in verdicts:
        claim = verdict.claim
        table.add_row(
            Text(claim.id),
            Text(claim.published.text),
            Text(verdict.described(claim.unit)),
            Text(f"{verdict.accepted.text} {claim.unit}"),
            Text(verdict.word.upper() if verdict.failed else verdict.word, COLOURS.get(verdict.word, "bold red")),
        )
    return table
