"""`pushpoint list`: what can be named in scenarios, runs and reproductions."""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli._console import print_json, results, say
from pushpoint.cli._options import AsJson, Load
from pushpoint.errors import UnknownName

if TYPE_CHECKING:
    from pushpoint.registry import Registry


KINDS = {  # module that has a registry of this name
    "robots": "robots",
    "worlds": "worlds",
    "plants": "plants",
    "controllers": "control",
    "sensors": "sensors",
    "measures": "analysis",
    "interpolations": "shapes",
    "alignments": "shapes",
    "scenarios": "scenarios",
    "studies": "studies.named",
    "claims": "reproduction",
}
MOST_NAMES = 40  # of a kind, in the list of all kinds
DESCRIBED_BY = {"scenarios": "title", "studies": "title", "claims": "statement"}  # attributes; others have docstrings


def _kinds(incomplete: str) -> list[str]:
    return [kind for kind in KINDS if kind.startswith(incomplete)]


def list_names(
    kind: Annotated[
        str | None, typer.Argument(help=f"One of: {', '.join(KINDS)}. Default: all.", autocompletion=_kinds)
    ] = None,
    long: Annotated[bool, typer.Option("--long", help="A line about each name, of all kinds.")] = False,
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """List what can be named: all names, or those of one KIND with a line about each."""
    if kind is not None and kind not in KINDS:
        raise UnknownName("kind", kind, KINDS)
    chosen = KINDS if kind is None else (kind,)
    if as_json or long or kind is not None:
        found = {name: descriptions(name) for name in chosen}
        if as_json:
            print_json(found)
        else:
            _print(found)
    else:
        _print_names({name: list(registry_of(name)) for name in chosen})


def registry_of(kind: str) -> Registry[Any]:
    """The registry of one of KINDS."""
    registry: Registry[Any] = getattr(importlib.import_module(f"pushpoint.{KINDS[kind]}"), kind)
    return registry


def descriptions(kind: str) -> dict[str, str]:
    """Every registered name of a kind with one line about it."""
    registry = registry_of(kind)
    if kind in DESCRIBED_BY:
        return {name: getattr(registry[name], DESCRIBED_BY[kind]) for name in registry}
    return {name: (inspect.getdoc(registry[name]) or "").split("\n\n")[0].replace("\n", " ") for name in registry}


def _print_names(found: dict[str, list[str]]) -> None:
    """All names of a kind side by side, unless they are many."""
    from rich.columns import Columns
    from rich.padding import Padding
    from rich.text import Text

    console = results()
    for kind, names in found.items():
        console.print(Text(kind, style="bold"))
        shown = _by_key(names)
        if len(shown) > MOST_NAMES:
            shown = [f"{len(names)} names: pushpoint list {kind}"]
        texts = [Text(name, style="cyan") for name in shown]
        console.print(Padding(Columns(texts, padding=(0, 2)), (0, 0, 0, 2)))
    say("pushpoint list KIND has a line about each, pushpoint show NAME its options")


def _by_key(names: list[str]) -> list[str]:
    """Names with a slash, of which there are many: how many begin alike."""
    counts: dict[str, int] = {}
    for name in names:
        key, slash, _ = name.partition("/")
        counts[f"{key}/..." if slash else name] = counts.get(f"{key}/..." if slash else name, 0) + 1
    return [f"{name} ({count})" if name.endswith("/...") else name for name, count in counts.items()]


def _print(found: dict[str, dict[str, str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    console = results()
    widest = max((len(name) for names in found.values() for name in names), default=0)
    for kind, names in found.items():
        console.print(Text(kind, style="bold"))
        table = Table.grid(padding=(0, 2))
        table.add_column(min_width=widest + 2, no_wrap=True, style="cyan")
        table.add_column(overflow="fold")
        for name, line in names.items():
            table.add_row(Text(f"  {name}"), Text(line))
        console.print(table)
