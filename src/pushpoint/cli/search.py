"""`pushpoint search`: which values of some fields do best, by Optuna."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import _scenario
from pushpoint.cli._commands import INTERRUPTED, Command, Group
from pushpoint.cli._console import messages, print_json, results, say
from pushpoint.cli._options import AsJson, Load, measure_names, scenario_names
from pushpoint.cli.study import labelled, parsed_seeds
from pushpoint.errors import InvalidInput

if TYPE_CHECKING:
    from pushpoint.search import Found, Search

NOTHING_FOUND = 3
SHOWN = 5  # failures, and trials of a front

app = typer.Typer(help="Values of some fields that do best.", no_args_is_help=True, cls=Group)

Storage = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Of Optuna, instead of a file in --out; several machines may share it."),
]


@app.command("run", cls=Command)
def run(
    scenario: Annotated[
        str,
        typer.Argument(
            help="Registered name, or path of the .yaml file of a scenario or search.", autocompletion=scenario_names
        ),
    ],
    vary: Annotated[
        list[str] | None,
        typer.Option("--vary", metavar="KEY=LOW:HIGH[:log]", help="A range of a field; KEY=A,B,C for choices."),
    ] = None,
    most: Annotated[
        list[str] | None,
        typer.Option(
            "--most", metavar="NAME[:KEY=VALUE,...]", help="A measure to make large.", autocompletion=measure_names
        ),
    ] = None,
    least: Annotated[
        list[str] | None,
        typer.Option(
            "--least", metavar="NAME[:KEY=VALUE,...]", help="A measure to make small.", autocompletion=measure_names
        ),
    ] = None,
    trials: Annotated[int | None, typer.Option(help="How many in all; default 100.")] = None,
    seeds: Annotated[
        str | None, typer.Option(metavar="SEEDS", help="20 (0 to 19), 0:100 or 3,5,8; default: 0.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change one value in all runs.")
    ] = None,
    sampler: Annotated[str | None, typer.Option(help="tpe, random, sobol, cma-es or nsga2.")] = None,
    prune: Annotated[bool, typer.Option("--prune", help="End trials early that do worse than others.")] = False,
    at_once: Annotated[
        int | None, typer.Option(min=1, help="Trials proposed together; default 4 per processor.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder; default results/search-<scenario>.")] = None,
    storage: Storage = None,
    force: Annotated[bool, typer.Option("--force", help="Go on with the store of another search.")] = False,
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Search, or go on with the search in the folder; write trials.csv, best.yaml and figure.png."""
    from pushpoint.search.engine import run_search

    fields: dict[str, Any] = {}
    if vary:
        fields["vary"] = dict(_range(text) for text in vary)
    aims = [{"want": "most", **_measure(text, "--most")} for text in most or []]
    aims += [{"want": "least", **_measure(text, "--least")} for text in least or []]
    if aims:
        fields["aims"] = aims
    if seeds is not None:
        fields["seeds"] = parsed_seeds(seeds)
    given = {"trials": trials, "sampler": sampler, "prune": prune or None}
    fields |= {name: value for name, value in given.items() if value is not None}
    changes = dict(_scenario.parsed(text) for text in settings or [])
    search = find_search(scenario, changes, fields)
    folder = out or Path("results") / f"search-{_scenario.slug(search.base_scenario.name)}"
    watch = _tell if messages().is_terminal else None
    _finish(run_search(search, folder, storage=storage, at_once=at_once, watch=watch, force=force), folder, as_json)


@app.command("show", cls=Command)
def show(
    folder: Annotated[Path | None, typer.Argument(help="What `search run` wrote.")] = None,
    storage: Storage = None,
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Print what a search has found until now."""
    from pushpoint.search._optuna import quiet
    from pushpoint.search.store import found_in, open_store, stored_search

    if folder is None and storage is None:
        raise InvalidInput("give the folder of a search, or its --storage")
    with quiet():
        study = open_store(None, folder, storage)
        found = found_in(study, stored_search(study))
    if as_json:
        print_json(_as_dict(found))
    else:
        _print(found)


def find_search(source: str, changes: dict[str, Any], fields: dict[str, Any]) -> Search:
    """The search of a file, or around a scenario, with other fields."""
    from pushpoint.plain_data import read_yaml
    from pushpoint.scenario import AS_WRITTEN
    from pushpoint.scenarios import find_scenario, is_file
    from pushpoint.search import Search

    data: dict[str, Any] = {"scenario": source}
    if is_file(source):
        read = read_yaml(Path(source), "scenario or search")
        data = read if isinstance(read, dict) and "scenario" in read else {"scenario": find_scenario(source)}
        inner = data["scenario"]
        if isinstance(inner, str) and is_file(inner):  # beside the file of the search
            data = data | {"scenario": find_scenario(Path(source).parent / inner)}
    data = data | fields
    data["overrides"] = {**(data.get("overrides") or {}), **changes}
    for name, option in (("vary", "--vary KEY=LOW:HIGH"), ("aims", "--most NAME or --least NAME")):
        if name not in data:
            raise InvalidInput(f"{source}: {name}: nothing is given; a file lists them, or {option}")
    return Search.parse(data, AS_WRITTEN)


def _range(text: str) -> tuple[str, Any]:
    """`key=0.1:0.5`, `key=0.1:10:log`, `key=1:5:whole` or `key=a,b,c`."""
    key, equals, values = text.partition("=")
    number = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
    if key and equals and (match := re.fullmatch(rf"({number}):({number})(?::(log|whole))?", values)):
        found: dict[str, Any] = {"low": float(match[1]), "high": float(match[2])}
        return key, found | ({match[3]: True} if match[3] else {})
    if key and "," in values:
        return key, {"choices": [_scenario.parsed(f"{key}={value}", "--vary")[1] for value in values.split(",")]}
    raise InvalidInput(f"--vary {text!r}: should look like key=0.1:0.5, key=0.1:10:log, key=1:5:whole or key=a,b,c")


def _measure(text: str, option: str) -> dict[str, Any]:
    name, options = labelled(text, option)
    beyond = options.pop("beyond", None)
    return {"measure": name, "options": options, "beyond": beyond}


def _tell(found: Found) -> None:
    best = ", ".join(_aims(found, found.best.aims)) if found.done else "none yet"
    say(f"{len(found.trials)} of {found.search.trials} trials; best: {best}")


def _finish(found: Found, folder: Path, as_json: bool) -> None:
    files = found.save(folder)
    if found.signal is None and found.done:
        from pushpoint.view.figures import save_figure
        from pushpoint.view.search import search_figure

        save_figure(search_figure(found), folder / "figure.png")
        files["figure"] = str(folder / "figure.png")
    if as_json:
        print_json(_as_dict(found) | {"files": files})
    else:
        _print(found)
    for path in files.values():
        say(f"wrote {path}")
    if found.signal is not None:
        say("interrupted; the same command goes on")
        raise typer.Exit(INTERRUPTED + found.signal)
    if not found.done:
        raise typer.Exit(NOTHING_FOUND)


def _as_dict(found: Found) -> dict[str, Any]:
    status = "interrupted" if found.signal is not None else "ok" if found.done else "failed"
    best = {"trial": found.best.number, "values": dict(found.best.values)} if found.done else None
    aims = dict(zip([aim.name for aim in found.search.aims], found.best.aims, strict=True)) if found.done else {}
    return {"status": status, "best": best and best | {"aims": aims}, "trials": found.table()}


def _aims(found: Found, values: tuple[float, ...]) -> list[str]:
    from pushpoint.analysis import unit_of

    words = []
    for aim, value in zip(found.search.aims, values, strict=True):
        unit = "" if aim.beyond is not None else unit_of(aim.measure)
        words.append(f"{aim.name} {value:.4g}{' ' + unit if unit else ''}")
    return words


def _print(found: Found) -> None:
    by_status = {status: [t for t in found.trials if t.status == status] for status in ("ok", "pruned", "failed")}
    counts = ", ".join(f"{len(trials)} {status}" for status, trials in by_status.items() if trials)
    results().print(f"{found.search.base_scenario.name}: {len(found.trials)} trials ({counts})", highlight=False)
    several = len(found.search.aims) > 1
    front = list({trial.aims: trial for trial in found.front}.values())
    if found.done and not several:
        front = [found.best]
    for trial in sorted(front, key=lambda trial: trial.aims)[:SHOWN]:
        values = ", ".join(f"{key} = {_number(value)}" for key, value in trial.values.items())
        results().print(f"  trial {trial.number}: {', '.join(_aims(found, trial.aims))} with {values}", highlight=False)
    if several and len(front) > SHOWN:
        results().print(f"  ... {len(front)} trials are not beaten in all aims", highlight=False)
    for trial in by_status["failed"][:SHOWN]:
        results().print(f"  trial {trial.number} failed: {trial.reason}", highlight=False)


def _number(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)
