"""`pushpoint reproduce`: published against measured, claim by claim."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import _scenario
from pushpoint.cli._console import complain, print_json, results, say
from pushpoint.cli._options import AsJson, Load, Style, claim_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from pushpoint.reproduction.report import Report, Verdict

NOT_CONFIRMED = 1


COLOURS = {"confirmed": "green", "holds": "green", "differs": "yellow"}  # all others are failures


def reproduce(
    key: Annotated[
        str, typer.Argument(help="A paper's key, a claim's id, or all.", autocompletion=claim_names)
    ] = "all",
    out: Annotated[Path | None, typer.Option(help="Folder; default results/reproduce-<key>.")] = None,
    processes: Annotated[
        int | None, typer.Option(help="Processes of ensembles; default: as many as processors.")
    ] = None,
    style: Style = "light",
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Judge the claims of KEY, run our own checks; write report.md, report.json and figures. Fails if one does."""
    from pushpoint.reproduction.report import reproduce as run_claims

    shown = _shown(key)
    report = run_claims(key, started=lambda name: say(f"running {name}"), processes=processes, also=shown)
    folder = out or Path("results") / f"reproduce-{_scenario.slug(key)}"
    data = save(report, folder, style)
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
    if not report.confirmed:
        raise typer.Exit(NOT_CONFIRMED)


def _shown(key: str) -> Sequence[str]:
    """Names of the scenarios that figures of the paper show; a claim alone needs none of them."""
    if "/" in key:
        return ()
    from pushpoint.view.papers import scenarios_of

    return scenarios_of(key)


def save(report: Report, folder: Path, style: str = "light") -> dict[str, Any]:
    """Report and figures in a style; returns what report.json holds."""
    from pushpoint.cli.plot import draw
    from pushpoint.files import made, write_json, write_text
    from pushpoint.view.claims import claims_figure
    from pushpoint.view.figures import save_figure
    from pushpoint.view.style import styled

    made(folder / "figures")
    figures = {"All claims": "figures/claims.png"}
    with styled(style):
        claims = claims_figure([verdict.as_dict() for verdict in report.verdicts])
    save_figure(claims, folder / figures["All claims"])
    figures |= _save_paper_figures(report, folder, style)
    for name, recording in report.recordings.items():
        figures[name] = f"figures/{_scenario.slug(name)}.png"
        draw(recording, folder / figures[name], style=style)
    data = report.as_dict() | {
        "files": {
            "report": str(folder / "report.md"),
            "figures": [str(folder / path) for path in figures.values()],
        }
    }
    write_json(folder / "report.json", data)
    write_text(folder / "report.md", report.as_markdown(figures))
    return data


def _save_paper_figures(report: Report, folder: Path, style: str) -> dict[str, str]:
    """Those whose runs are all there; returns their paths in `folder` by title."""
    from pushpoint.reproduction.published import tables_of
    from pushpoint.view.figures import save_figure
    from pushpoint.view.papers import paper_figures

    saved = {}
    for paper in sorted({name.split("/")[0] for name in report.recordings}):  # a figure shows scenarios of its paper
        for name in paper_figures.names_of(paper):
            figure = paper_figures[name].drawn(report.recordings, tables_of(paper), style)
            if figure is not None:
                path = f"figures/{_scenario.slug(name)}.png"
                save_figure(figure, folder / path)
                saved[f"{paper}, {paper_figures[name].title}"] = path
    return saved


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
