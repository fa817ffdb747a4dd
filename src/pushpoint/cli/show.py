"""`pushpoint show`: what one registered item is, and its options with default, unit and meaning."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli._console import print_json, results
from pushpoint.cli._options import AsJson, Load
from pushpoint.cli.listing import registry_of
from pushpoint.errors import InvalidInput, UnknownName

if TYPE_CHECKING:
    from pushpoint.declared import Field

SHOWN_KINDS = ("controllers", "robots", "worlds", "plants", "sensors", "measures", "scenarios")


def _kinds_or_names(incomplete: str) -> list[str]:
    from pushpoint.cli._options import names

    found = [*SHOWN_KINDS, *(name for kind in SHOWN_KINDS for name in names(kind, incomplete))]
    return [word for word in found if word.startswith(incomplete)]


def show(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[KIND] NAME",
            help=f"A registered name; KIND is one of {', '.join(SHOWN_KINDS)}.",
            autocompletion=_kinds_or_names,
        ),
    ],
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Show what NAME is, and its options: default, unit, meaning."""
    kind, name = found(words)
    about = description(kind, name)
    if as_json:
        print_json(about)
    elif kind == "scenarios":
        results().print(about["text"], markup=False, end="")
    else:
        _print(about)


def found(words: list[str]) -> tuple[str, str]:
    """Kind and name; a name alone is looked up in all kinds."""
    if len(words) > 2:
        raise InvalidInput(f"show takes a name, or a kind and a name; not {len(words)} words")
    name = words[-1]
    if len(words) == 2:
        kind = _kind(words[0])
        _ = registry_of(kind)[name]  # says what there is
        return kind, name
    kinds = [kind for kind in SHOWN_KINDS if name in registry_of(kind)]
    if not kinds:
        raise UnknownName("name", name, [each for kind in SHOWN_KINDS for each in registry_of(kind)])
    if len(kinds) > 1:
        choices = " or ".join(f"pushpoint show {kind} {name}" for kind in kinds)
        raise InvalidInput(f"{name!r} is in several kinds: {choices}")
    return kinds[0], name


def _kind(word: str) -> str:
    plural = {kind.removesuffix("s"): kind for kind in SHOWN_KINDS}.get(word, word)
    if plural not in SHOWN_KINDS:
        raise UnknownName("kind", word, SHOWN_KINDS)
    return plural


def description(kind: str, name: str) -> dict[str, Any]:
    """What --json prints."""
    registry = registry_of(kind)
    item = registry[name]
    origin = registry.place_of(name).removesuffix(": ")
    about: dict[str, Any] = {"kind": kind.removesuffix("s"), "name": name}
    if kind == "scenarios":
        return about | {"text": item.to_yaml()}
    about["text"] = inspect.cleandoc(inspect.getdoc(item) or "")
    if origin:
        about["from"] = origin
    if kind == "measures":
        from pushpoint.analysis import unit_of

        about |= {"unit": unit_of(name), "takes": _recordings(item)}
    elif kind == "sensors":
        about["gives"] = list(item.gives)
    elif kind == "controllers":
        about["uses"] = sorted(item.uses)
    rows = options(kind, item)
    keys = ("name", "type", "default", "unit", "meaning")
    about["options"] = [dict(zip(keys, (r.name, r.type, r.default, r.unit, r.text), strict=True)) for r in rows]
    return about


def options(kind: str, item: Any) -> list[Field]:
    """The options of an item of a kind."""
    from pushpoint.declared import fields_of, parameters_of

    if kind in ("controllers", "plants", "sensors"):
        return fields_of(item.Options, own=False)
    return parameters_of(item, _shared() if kind == "measures" else {})


def _recordings(measure: Any) -> list[str]:
    """Names of the recordings that a measure takes."""
    parameters = inspect.signature(measure).parameters.values()
    return [each.name for each in parameters if each.kind is not each.KEYWORD_ONLY]


def _shared() -> Mapping[str, str]:
    """What the parameters are that many measures share, as the docstring of their package says."""
    from pushpoint import analysis

    found: dict[str, str] = {}
    names: list[str] = []
    for line in (analysis.__doc__ or "").partition("share:")[2].splitlines():
        if line.startswith("    "):
            found |= {name: " ".join([found.get(name, ""), line.strip()]).strip() for name in names}
        elif line.strip():
            names = [name.strip() for name in line.split(",")]
    return found


def _print(about: Mapping[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    console = results()
    console.print(Text(f"{about['kind']} {about['name']}", style="bold"))
    if about["text"]:
        console.print(Text(about["text"]))
    for key in ("from", "unit", "takes", "uses", "gives"):
        if about.get(key):
            value = about[key]
            console.print(Text(f"{key}: {value if isinstance(value, str) else ', '.join(value)}"))
    if not about["options"]:
        console.print(Text("It has no options."))
        return
    table = Table(box=None, padding=(0, 1))
    for heading in ("option", "default", "unit", "meaning", "type"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("option", "unit"))
    for row in about["options"]:
        table.add_row(*(Text(row[key]) for key in ("name", "default", "unit", "meaning", "type")))
    console.print(table)
