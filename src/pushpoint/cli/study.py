"""`pushpoint study`: one scenario with many seeds and in several variants, and what that shows."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint import limits
from pushpoint.cli import _scenario
from pushpoint.cli._commands import INTERRUPTED, Command, Group, held_back
from pushpoint.cli._console import complain, print_json, say
from pushpoint.cli._options import AsJson, Load, measure_names, study_names
from pushpoint.errors import InvalidInput, shown

if TYPE_CHECKING:
    from pushpoint.studies import Results
    from pushpoint.studies.cluster import Cluster

ALL_FAILED = 3

app = typer.Typer(help="Many runs of one scenario, and what they show together.", no_args_is_help=True, cls=Group)

Beyond = Annotated[
    list[str] | None,
    typer.Option("--beyond", metavar="NAME=VALUE", help="Report the share of runs with a measure above a value."),
]


Processes = Annotated[int | None, typer.Option(help="Processes; default: as many as processors.")]
ClusterAddress = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Use a Dask cluster instead, such as tcp://host:8786."),
]
TlsFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="For a cluster with TLS; default: Dask's own settings.")
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
        str | None,
        typer.Option(metavar="SEEDS", help="20 (0 to 19), 0:100 (0 to 99) or 3,5,8. Default: 20, with --sweep 1."),
    ] = None,
    repeats: Annotated[int | None, typer.Option(help="Another word for --seeds: so many runs of each kind.")] = None,
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
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep", metavar="KEY=VALUES", help="0.1:0.5:9 (9 values, ends included), a,b,c, or 0.1..0.5 to sample."
        ),
    ] = None,
    samples: Annotated[int | None, typer.Option(help="Points to sample where --sweep has bounds.")] = None,
    sampling: Annotated[str | None, typer.Option(metavar="METHOD", help="sobol or random. Default: sobol.")] = None,
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
    recordings: Annotated[bool, typer.Option("--recordings", help="Keep the recordings of all runs.")] = False,
    processes: Processes = None,
    cluster: ClusterAddress = None,
    tls_ca: TlsFile = None,
    tls_cert: TlsFile = None,
    tls_key: TlsFile = None,
    out: Annotated[Path | None, typer.Option(help="Folder; default results/study-<scenario>.")] = None,
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Run SCENARIO with every seed, variant and point of a sweep; what is finished is in the folder at once."""
    from pushpoint.api import find_study
    from pushpoint.studies import run as run_all

    fields: dict[str, Any] = {}
    if seeds is not None:
        fields["seeds"] = parsed_seeds(seeds)
    if repeats is not None:
        fields["repeats"] = repeats
    if variants:
        fields["variants"] = _once("--variant", [labelled(text, "--variant") for text in variants])
    if measures:
        wanted = [labelled(text, "--measure") for text in measures]
        fields["measures"] = [{"name": name, "options": options} for name, options in wanted]
    if beyond:
        fields["beyond"] = _once("--beyond", [_scenario.parsed(text, "--beyond") for text in beyond])
    fields |= _sweep_fields(sweep, samples, sampling)
    if recordings:
        fields["recordings"] = "keep"
    changes = dict(_scenario.parsed(text) for text in settings or [])
    if jitter is not None:
        changes["start.jitter"] = jitter
    study = find_study(scenario, changes, **fields)
    named = scenario if "/" not in scenario and "." not in scenario else study.base_scenario.name
    folder = out or Path("results") / f"study-{_scenario.slug(named)}"
    where = _cluster(cluster, tls_ca, tls_cert, tls_key)
    _finish(run_all(study, processes, progress=True, folder=folder, cluster=where), folder, as_json, code)


@app.command("resume", cls=Command)
def resume(
    folder: Annotated[Path, typer.Argument(help="What an interrupted `study run` wrote.")],
    processes: Processes = None,
    cluster: ClusterAddress = None,
    tls_ca: TlsFile = None,
    tls_cert: TlsFile = None,
    tls_key: TlsFile = None,
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
    _say_what_is_made_again(found)
    where = _cluster(cluster, tls_ca, tls_cert, tls_key)
    finished = found.rows if isinstance(found.rows, tuple) else ()  # those in a store are found by their keys
    again = run_all(found.study, processes, progress=True, finished=finished, folder=folder, cluster=where)
    _finish(again, folder, as_json, code)


def _say_what_is_made_again(found: Results) -> None:
    """Runs of other versions have other keys."""
    from pushpoint.studies.keys import base_key
    from pushpoint.studies.results import StoredRows

    if isinstance(found.rows, StoredRows) and len(found.rows) and found.rows.key != base_key(found.study):
        say(
            f"{len(found.rows)} runs were made by other versions, or with other files: all runs are made again; those "
            "stay in the store"
        )


@app.command("show", cls=Command)
def show(
    folder: Annotated[Path, typer.Argument(help="What `study run` wrote, or is writing.")],
    beyond: Beyond = None,
    figure: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the figure of the study again.")] = None,
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Print the summary of a study, finished or not."""
    from pushpoint.cli._study_tables import print_summary
    from pushpoint.studies.results import load

    found = load(folder)
    thresholds = dict(_scenario.parsed(text, "--beyond") for text in beyond) if beyond else None
    summary = found.summary(thresholds)
    if as_json:
        print_json(summary.as_dict() | {"status": status(found)})
    else:
        print_summary(summary, found)
    if found.missing:
        say(f"{found.missing} of {found.study.runs} runs are missing")
    if figure is not None:
        _draw(found, figure)
        say(f"wrote {figure}")


@app.command("export", cls=Command)
def export(
    folder: Annotated[Path, typer.Argument(help="What `study run` wrote, or is writing.")],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="csv, parquet or netcdf.")],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Default: runs.<format> in the folder.")] = None,
    code: Load = None,
) -> None:
    """Write the runs of a study as a table (CSV, Parquet), or as arrays over its sweep (NetCDF, for xarray)."""
    from pushpoint.studies.export import exported
    from pushpoint.studies.results import load

    say(f"wrote {exported(load(folder), to, out, folder)}")


def _sweep_fields(sweep: list[str] | None, samples: int | None, sampling: str | None) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if sweep:
        from pushpoint.cli._sweep import parsed_sweep

        fields["sweep"] = _once("--sweep", [parsed_sweep(text) for text in sweep])
    if samples is not None:
        fields["samples"] = {"count": samples} | ({"method": sampling} if sampling is not None else {})
    elif sampling is not None:
        raise InvalidInput(f"--sampling {shown(sampling)}: --samples should say how many points there are")
    return fields


def _cluster(address: str | None, ca: Path | None, cert: Path | None, key: Path | None) -> Cluster | None:
    """Where runs are made, if not here; says that whoever runs the cluster reads what is sent there."""
    if address is None:
        if ca or cert or key:
            raise InvalidInput("--tls-ca, --tls-cert and --tls-key are for --cluster")
        return None
    from pushpoint.studies.cluster import Cluster
    from pushpoint.user_code import loaded_files

    cluster = Cluster(address, ca, cert, key)
    names = ", ".join(file.name for file in loaded_files())
    what = f"the scenario and the files {names}, which it runs and can read" if names else "the scenario"
    say(f"cluster {address} gets {what}; it makes all runs")
    return cluster


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
        from pushpoint.cli._study_tables import print_summary

        print_summary(summary, found)
    for path in files.values():
        say(f"wrote {path}")
    _remark(found)


def save(found: Results, folder: Path) -> dict[str, str]:
    """Rows, summary and figure; returns their paths. Whoever interrupts a study does not want to wait for pictures."""
    files = found.save(folder)
    if found.interrupted:
        return files
    _draw(found, folder / "figure.png")
    return files | {"figure": str(folder / "figure.png")}


def _draw(found: Results, path: Path) -> None:
    from pushpoint.view.figures import save_figure
    from pushpoint.view.study import study_figure

    units: dict[str, str] = {}
    if found.study.sweep:
        from pushpoint.cli._swept_units import swept_units

        units = swept_units(found.study)
    save_figure(study_figure(found, units), path)


def status(found: Results) -> str:
    if found.interrupted:
        return "interrupted"
    return "failed" if all(row.failed for row in found.rows) else "ok"


def _remark(found: Results) -> None:
    """What people should know before they believe the numbers."""
    if found.interrupted:
        complain(f"interrupted after {len(found.rows)} of {found.study.runs} runs")
    failed = sum(row.failed for row in found.rows)
    if failed:
        first = next(row for row in found.rows if row.failed)
        complain(f"{failed} of {len(found.rows)} runs failed; {first.variant!r}, seed {first.seed}: {first.message}")
    effects = found.effects()
    if effects.seeds:
        say("runs with different seeds are equal: nothing here depends on the seed; --jitter 1e-4 shifts the start")
    for labels in effects.variants:
        say(f"variants {' and '.join(map(repr, labels))} are equal in all runs: what they change has no effect here")
    for key in effects.fields:
        say(f"no run depends on {key}: all its values give equal numbers")
