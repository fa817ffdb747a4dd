"""Options and arguments that several commands share, and what shells offer for them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def load_all(context: typer.Context, paths: list[Path] | None) -> list[Path] | None:
    """Run the files of --load, in their order; not while a shell asks what may follow."""
    if paths and not context.resilient_parsing:
        from pushpoint.user_code import load_code

        for path in paths:
            load_code(path)
    return paths


def known_style(name: str) -> str:
    """The name of a style, if there is one; else an error before anything is run."""
    if name != "light":
        from pushpoint.view.style import palette_of

        palette_of(name)
    return name


def names(kind: str, begin: str) -> list[str]:
    """Registered names of a kind, for shells."""
    from pushpoint.cli.listing import registry_of

    return [name for name in registry_of(kind) if name.startswith(begin)]


def scenario_names(incomplete: str) -> list[str]:
    return names("scenarios", incomplete)


def study_names(incomplete: str) -> list[str]:
    return [*names("studies", incomplete), *names("scenarios", incomplete)]


def plant_names(incomplete: str) -> list[str]:
    return names("plants", incomplete)


def measure_names(incomplete: str) -> list[str]:
    return names("measures", incomplete)


def claim_names(incomplete: str) -> list[str]:
    found = names("claims", "")
    keys = sorted({name.partition("/")[0] for name in found})
    return [name for name in ("all", *keys, *found) if name.startswith(incomplete)]


Load = Annotated[
    list[Path] | None,
    typer.Option("--load", metavar="FILE.py", help="Run a Python file that registers names first.", callback=load_all),
]
ScenarioSource = Annotated[
    str, typer.Argument(help="Registered name, or path of a .yaml file.", autocompletion=scenario_names)
]
RecordingSource = Annotated[Path, typer.Argument(help="A recording.nc, or the folder that holds one.")]
Style = Annotated[str, typer.Option(help="light, dark, or print for journals.", callback=known_style)]
NoVerify = Annotated[bool, typer.Option("--no-verify", help="Take a recording that somebody changed, as it is.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
Force = Annotated[
    bool,
    typer.Option("--force", help="Replace a result in the folder of --out; resume: take files that have changed."),
]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder; default: results/<scenario>, or the next free number behind it."),
]
CheckpointEvery = Annotated[
    float | None,
    typer.Option(metavar="S", help="Save what is recorded every so many seconds of simulated time; see resume."),
]
