"""`pushpoint list`: what can be named in scenarios, runs and reproductions."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli._console import print_json, results
from pushpoint.errors import UnknownName

if TYPE_CHECKING:
    from pushpoint.registry import Registry


def _first_sentence(item: Any) -> str:
    return (inspect.getdoc(item) or "").strip().split("\n\n")[0].replace("\n", " ")


def _title(item: Any) -> str:
    return str(item.title)


def _statement(item: Any) -> str:
    return str(item.statement)


# kind: module, name of the registry in it, what describes an item in one line
KINDS: dict[str, tuple[str, str, Callable[[Any], str]]] = {
    "robots": ("pushpoint.robots", "robots", _first_sentence),
    "worlds": ("pushpoint.worlds", "worlds", _first_sentence),
    "plants": ("pushpoint.plants", "plants", _first_sentence),
    "controllers": ("pushpoint.control", "controllers", _first_sentence),
    "sensors": ("pushpoint.sensors", "sensors", _first_sentence),
    "measures": ("pushpoint.analysis", "measures", _first_sentence),
    "interpolations": ("pushpoint.shapes", "interpolations", _first_sentence),
    "alignments": ("pushpoint.shapes", "alignments", _first_sentence),
    "scenarios": ("pushpoint.scenarios", "scenarios", _title),
    "claims": ("pushpoint.reproduction", "claims", _statement),
}


def list_names(
    kind: Annotated[str | None, typer.Argument(help=f"One of: {', '.join(KINDS)}. Default: all.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """List robots, worlds, plants, controllers, sensors, measures, shape curves' parts, scenarios and claims."""
    if kind is not None and kind not in KINDS:
        raise UnknownName("kind", kind, KINDS)
    chosen = KINDS if kind is None else (kind,)
    found = {name: descriptions(name) for name in chosen}
    if as_json:
        print_json(found)
    else:
        _print(found)


def descriptions(kind: str) -> dict[str, str]:
    """Every registered name of a kind with one line about it."""
    module, attribute, describe = KINDS[kind]
    registry: Registry[Any] = getattr(importlib.import_module(module), attribute)
    return {name: describe(registry[name]) for name in registry}


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
