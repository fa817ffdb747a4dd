"""`pushpoint study`: one scenario with many seeds and in several variants, and what that shows."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint import limits
from pushpoint.cli import _scenario
from pushpoint.cli._commands import INTERRUPTED, Command, Group, held_back
from pushpoint.cli._console import complain, messages, print_json, results, say
from pushpoint.cli._options import AsJson, Load, measure_names, study_names
from pushpoint.errors import InvalidInput, shown

if TYPE_CHECKING:
    from pushpoint.studies import Results, Study
    from pushpoint.studies.summary import Spread, Summary, VariantSummary

ALL_FAILED = 3
SHOWN_FAILURES = 5

app = typer.Typer(help="Many runs of one scenario, and what they show together.", no_args_is_help=True, cls=Group)

Beyond = Annotated[
    list[str] | None,
    typer.Option("--beyond", metavar="NAME=VALUE", help="Report the share of runs with a measure above a value."),
]


@app.command("run", cls=Command)
def run(
    scenario: Annotated[
        str,
        typer.Argument(
            help="Name of a scenario or study, or path of the .yaml file of one.", autocompletion=study_names
        ),
    ],
    seeds: Annotated[
        str | None, typer.Option(metavar="SEEDS", help="20 (0 to 19), 0:100 (0 to 99) or 3,5,8. Default: 20.")
    ] = None,
    jitter: Annotated[float | None, typer.Option(help="Shift of the start by up to this much, in metres.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change one value in all runs.")
    ] = None,
    variants: Annotated[
        list[str] | None,
        typer.Option(
            "--variant", metavar="LABEL[:KEY=VALUE,...]", help="Runs with these changes; compared with the first."
        ),
    ] = None,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            metavar="NAME[:KEY=VALUE,...]",
            help="A metric or a measure. Default: all metrics.",
            autocompletion=measure_names,
        ),
    ] = None,
    beyond: Beyond = None,
    processes: Annotated[int | None, typer.Option(help="Processes; default: as many as processors.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder; default results/study-<scenario>.")] = None,
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Run SCENARIO with every seed in every variant; write runs.csv, summary.json and figure.png."""
    from pushpoint.api import find_study
    from pushpoint.studies import run as run_all

    fields: dict[str, Any] = {}
    if seeds is not None:
        fields["seeds"] = parsed_seeds(seeds)
    if variants:
        fields["variants"] = _once("--variant", [labelled(text, "--variant") for text in variants])
    if measures:
        wanted = [labelled(text, "--measure") for text in measures]
        fields["measures"] = [{"name": name, "options": options} for name, options in wanted]
    if beyond:
        fields["beyond"] = _once("--beyond", [_scenario.parsed(text, "--beyond") for text in beyond])
    changes = dict(_scenario.parsed(text) for text in settings or [])
    if jitter is not None:
        changes["start.jitter"] = jitter
    study = find_study(scenario, changes, **fields)
    named = scenario if "/" not in scenario and "." not in scenario else study.base_scenario.name
    folder = out or Path("results") / f"study-{_scenario.slug(named)}"
    _finish(run_all(study, processes, progress=messages().is_terminal), folder, as_json, code)


@app.command("resume", cls=Command)
def resume(
    folder: Annotated[Path, typer.Argument(help="What an interrupted `study run` wrote.")],
    processes: Annotated[int | None, typer.Option(help="Processes; default: as many as processors.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Go on with loaded files that have changed.")] = False,
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Make the runs that are missing in FOLDER; the rows are then those of a study that was not interrupted."""
    from pushpoint.studies import run as run_all
    from pushpoint.studies.results import code_of, load
    from pushpoint.user_code import refuse_changed

    found = load(folder)
    if not force:
        refuse_changed(code_of(folder), f"the study in {str(folder)!r}")
    _finish(
        run_all(found.study, processes, progress=messages().is_terminal, finished=found.rows), folder, as_json, code
    )


@app.command("show", cls=Command)
def show(
    folder: Annotated[Path, typer.Argument(help="What `study run` wrote.")],
    beyond: Beyond = None,
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Print the summary of a study again."""
    from pushpoint.studies.results import load

    found = load(folder)
    thresholds = dict(_scenario.parsed(text, "--beyond") for text in beyond) if beyond else None
    summary = found.summary(thresholds)
    if as_json:
        print_json(summary.as_dict() | {"status": status(found)})
    else:
        _print(summary, found)


def parsed_seeds(text: str) -> list[int]:
    """`20` stands for 0 to 19, `0:100` for 0 to 99, `3,5,8` for these."""
    if match := re.fullmatch(r"(?:(\d{1,19}):)?(\d{1,19})", text, re.ASCII):
        first, end = int(match[1] or 0), int(match[2])
        if not 0 < end - first <= limits.RUNS:
            raise InvalidInput(
                f"--seeds {text!r}: gives {max(0, end - first)} seeds, should be 1 to {limits.RUNS}; 2:5 are 2, 3 and 4"
            )
        return list(range(first, end))
    if re.fullmatch(r"\d{1,19}(,\d{1,19})*,?", text, re.ASCII):
        return [int(number) for number in text.split(",") if number]
    raise InvalidInput(f"--seeds {shown(text)}: should look like 20, 0:100 or 3,5,8")


def _once(option: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Options that may be given several times, but not twice by the same name."""
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"{option} {name!r} is given {names.count(name)} times; each needs a name of its own")
    return dict(pairs)


def labelled(text: str, option: str) -> tuple[str, dict[str, Any]]:
    """`label:key=value,key=value`; commas inside of values stay."""
    label, _, changes = text.partition(":")
    if not label or "=" in label:
        raise InvalidInput(f"{option} {text!r}: should look like label:key=value,key=value")
    parts = re.split(r",(?=\s*[A-Za-z_][\w.]*=)", changes) if changes.strip() else []
    return label.strip(), dict(_scenario.parsed(part, option) for part in parts)


def _finish(found: Results, folder: Path, as_json: bool, code: list[Path] | None = None) -> None:
    with held_back() if found.interrupted else nullcontext():
        _save_and_print(found, folder, as_json)
    if found.interrupted:
        say(" ".join(["go on with: pushpoint study resume", str(folder), *(f"--load {file}" for file in code or [])]))
        raise typer.Exit(INTERRUPTED + found.signal)
    if all(row.failed for row in found.rows):
        raise typer.Exit(ALL_FAILED)


def _save_and_print(found: Results, folder: Path, as_json: bool) -> None:
    files, summary = save(found, folder), found.summary()
    if as_json:
        print_json(summary.as_dict() | {"status": status(found), "runs": found.table(), "files": files})
    else:
        _print(summary, found)
    for path in files.values():
        say(f"wrote {path}")
    _remark(found)


def save(found: Results, folder: Path) -> dict[str, str]:
    """Rows, summary and figure; returns their paths. Whoever interrupts a study does not want to wait for pictures."""
    files = found.save(folder)
    if found.interrupted:
        return files
    from pushpoint.view.figures import save_figure
    from pushpoint.view.study import study_figure

    save_figure(study_figure(found), folder / "figure.png")
    return files | {"figure": str(folder / "figure.png")}


def status(found: Results) -> str:
    if found.interrupted:
        return "interrupted"
    return "failed" if all(row.failed for row in found.rows) else "ok"


def _remark(found: Results) -> None:
    """What people should know before they believe the numbers."""
    if found.interrupted:
        complain(f"interrupted after {len(found.rows)} of {len(found.study.variants) * len(found.study.seeds)} runs")
    failed = [row for row in found.rows if row.failed]
    if failed:
        first = failed[0]
        complain(
            f"{len(failed)} of {len(found.rows)} runs failed; {first.variant!r}, seed {first.seed}: {first.message}"
        )
    if found.seeds_do_nothing:
        say("runs with different seeds are equal: nothing here depends on the seed; --jitter 1e-4 shifts the start")


def _print(summary: Summary, found: Results) -> None:
    """Three tables: each variant by itself; each against the first; runs that failed."""
    percent = f"[{100 * summary.confidence:g} %]"
    first, *others = summary.variants
    columns = tuple(summary.variants[first].columns)
    rows: list[tuple[str, ...]] = [
        (_with_unit(found.study, column), label, _runs(variant), *_spread(variant.columns[column]))
        for column in columns
        for label, variant in summary.variants.items()
    ]
    _print_table(summary.scenario, ("measure", "variant", "runs", f"median {percent}", "quartiles", "share"), rows)
    if others:
        rows = [
            (_with_unit(found.study, column), label, *_comparison(summary, label, column))
            for column in columns
            for label in others
        ]
        headings = ("measure", "variant", "pairs", f"difference {percent}", "p", "share", "p")
        _print_table(f"against {first}, seed by seed", headings, rows)
    failed = [(row.variant, f"{row.seed}", row.message) for row in found.rows if row.failed]
    if failed:
        more = [("...", "", f"and {len(failed) - SHOWN_FAILURES} more, in runs.csv")] * (len(failed) > SHOWN_FAILURES)
        _print_table("failed runs", ("variant", "seed", "message"), [*failed[:SHOWN_FAILURES], *more])
    for line in _notes(summary):
        results().print(line, markup=False)


def _with_unit(study: Study, column: str) -> str:
    """A column with the unit of its measure, if that has one."""
    from pushpoint.analysis import unit_of

    unit = next(unit_of(wanted.name) for wanted in study.measurements if wanted.column == column)
    return f"{column} [{unit}]" if unit else column


def _print_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns that are empty in all rows are left out."""
    from rich.table import Table
    from rich.text import Text

    used = [k for k in range(len(headings)) if any(row[k] for row in rows)]
    table = Table(title=Text(title), title_justify="left", box=None, padding=(0, 1))
    for k in used:
        table.add_column(headings[k], overflow="fold", no_wrap=k > 1 and headings[k] != "message")
    for row in rows:
        table.add_row(*(Text(row[k]) for k in used))
    results().print(table)


def _runs(variant: VariantSummary) -> str:
    """`19 + 1 failed`: runs that ended, and others apart."""
    if not variant.failed:
        return f"{variant.runs}"
    return f"{variant.runs - variant.failed} + {variant.failed} failed"


def _notes(summary: Summary) -> Iterator[str]:
    """How failed runs count, and in which runs steps were accepted."""
    from pushpoint.studies.summary import FAILED_RUNS

    for label, variant in summary.variants.items():
        for column, spread in variant.columns.items():
            if spread.share is not None and variant.failed:
                share = spread.share
                yield (
                    f"{label}: {column} is above {share.beyond:g} in {share.count} of {share.total - share.failed} "
                    f"runs that ended; {_counted(share.failed, 'failed run')} as not above: "
                    f"{share.count} of {share.total}"
                )
        if variant.accepted:
            yield (
                f"{label}: {variant.accepted_steps} steps in {variant.accepted} of {variant.runs} runs were not solved "
                "to the tolerance, but accepted (plant.on_failure)"
            )
    if any(variant.failed for variant in summary.variants.values()):
        yield FAILED_RUNS


def _counted(count: int, what: str) -> str:
    return f"{count} {what} counts" if count == 1 else f"{count} {what}s count"


def _spread(spread: Spread) -> tuple[str, str, str]:
    """Median, quartiles, share."""
    share = spread.share
    shown = "" if share is None else f"{share.share:.2f} {_ends(share.interval)} > {share.beyond:g}"
    if not spread.count:
        return "not measured", "", shown
    low, high = spread.quartiles
    return f"{spread.median:.4g} {_ends(spread.interval)}", f"{low:.4g} … {high:.4g}", shown


def _comparison(summary: Summary, label: str, column: str) -> tuple[str, str, str, str, str]:
    """Pairs, difference, its p, difference of the shares, its p."""
    compared = (summary.variants[label].against_first or {})[column]
    share = compared.share
    shares = ("", "") if share is None else (f"{share.difference:+.2f} {_ends(share.interval)}", f"{share.p_value:.2g}")
    if not compared.pairs:
        return "0", "not measured", "", *shares
    difference = f"{compared.difference:+.4g} {_ends(compared.interval)}"
    return f"{compared.pairs}", difference, f"{compared.p_value:.2g}", *shares


def _ends(interval: tuple[float, float]) -> str:
    if interval == (-math.inf, math.inf):
        return "[too few runs]"
    return f"[{interval[0]:.4g}, {interval[1]:.4g}]"
