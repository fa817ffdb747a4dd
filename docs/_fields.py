"""Fields of classes for the API pages: each is declared on one line of the source, with its meaning as a comment.

The pages show them as a table below the docstring of the class, with the type, the allowed values and the default.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
import typing
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import annotated_types
import numpy as np
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pushpoint.analysis import measures, unit_of

LARGEST_SHOWN = 1e3  # bounds: larger ones are in docs/reference/limits.md
COLON = "\ue000"  # stands for a colon while napoleon reads a docstring
LONGEST_DEFAULT = 24  # characters; of longer values the source is shown
SIGNS = {annotated_types.Gt: ">", annotated_types.Ge: "≥", annotated_types.Lt: "<", annotated_types.Le: "≤"}


class Declared(NamedTuple):
    """What the source says of a field."""

    name: str
    annotation: str
    default: str  # empty: none
    meaning: str


class Field(NamedTuple):
    """A row of the table."""

    name: str
    type: str
    default: str
    meaning: str


def fields_of(kind: type) -> list[Field]:
    """Public fields of a class, then those of its bases in this package."""
    hints = _annotations(kind)
    declared: dict[str, Declared] = {}
    for base in kind.__mro__:
        for found in _declared(base) if base.__module__.startswith("pushpoint.") else ():
            declared.setdefault(found.name, found)
    return [
        Field(name, _type(hints[name]) if name in hints else found.annotation, _default(kind, found), found.meaning)
        for name, found in declared.items()
    ]


def _annotations(kind: type) -> dict[str, Any]:
    if issubclass(kind, BaseModel):
        fields = kind.model_fields.items()
        return {name: Annotated[(info.annotation, *info.metadata, None)] for name, info in fields}
    try:
        return typing.get_type_hints(kind, include_extras=True)
    except NameError:  # imported for type checkers only
        return {}


def _declared(kind: type) -> Iterator[Declared]:
    source = textwrap.dedent(inspect.getsource(kind))
    lines, (tree,) = source.splitlines(), ast.parse(source).body
    assert isinstance(tree, ast.ClassDef)
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id[0] != "_":
            assert node.end_lineno is not None
            rest = lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()
            default = "" if node.value is None else ast.unparse(node.value)
            annotation = ast.unparse(node.annotation)
            if annotation.startswith("ClassVar["):
                annotation = annotation[len("ClassVar[") : -1]
            yield Declared(node.target.id, annotation, default, rest.partition("#")[2].strip())


def _default(kind: type, declared: Declared) -> str:
    if issubclass(kind, BaseModel) and declared.name in kind.model_fields:
        info = kind.model_fields[declared.name]
        if info.is_required():
            return "required"
        value = repr(info.get_default(call_default_factory=True))
        return value if len(value) <= LONGEST_DEFAULT else declared.default
    return "" if declared.default.startswith("field(") else declared.default


def _type(hint: Any) -> str:
    """A type as people read it, with the values that are allowed."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _type(inner[0]) + _bounds(inner[1:])
    if origin is ClassVar:
        return _type(inner[0])
    if origin is Literal:
        return " or ".join(repr(value) for value in inner)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(_type(member) for member in inner)
    if origin is np.ndarray:
        return "array of int" if "int" in str(inner[-1]) else "array"
    if origin is not None and inner:
        return f"{origin.__name__}[{', '.join('...' if member is ... else _type(member) for member in inner)}]"
    return "None" if hint is type(None) else getattr(hint, "__name__", str(hint))


def _bounds(metadata: tuple[Any, ...]) -> str:
    items = [item for entry in metadata for item in (entry.metadata if isinstance(entry, FieldInfo) else [entry])]
    shown = []
    for item in items:
        for bound, sign in SIGNS.items():
            value = getattr(item, bound.__name__.lower(), None) if isinstance(item, bound) else None
            if value is not None and abs(value) < LARGEST_SHOWN:
                shown.append(f"{sign} {value:g}")
    return f" {', '.join(shown)}" if shown else ""


def table(fields: list[Field]) -> list[str]:
    """Lines of reStructuredText; without the column of defaults if there are none."""
    columns = [name for name in Field._fields if name != "default" or any(field.default for field in fields)]
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [{name: "field" if name == "name" else name for name in columns}, *map(_cells, fields)]:
        lines += [f"   {'* -' if k == 0 else '  -'} {row[name]}" for k, name in enumerate(columns)]
    return [*lines, ""]


def _cells(field: Field) -> dict[str, str]:
    texts = {name: text.replace("Frozen", "Options") for name, text in field._asdict().items()}  # its public name
    code = {name: f"``{text}``" if text and text != "required" else text for name, text in texts.items()}
    return code | {"meaning": _escaped(field.meaning)}


def _escaped(text: str) -> str:
    for mark in ("\\", "*", "|"):
        text = text.replace(mark, f"\\{mark}")
    return text


def hide_colons(_app: Any, what: str, _name: str, _item: Any, _options: Any, lines: list[str]) -> None:
    """Napoleon takes what stands before a colon in the docstring of a property for its type."""
    if what == "property":
        lines[:] = [line.replace(":", COLON) for line in lines]


def add_fields(_app: Any, what: str, name: str, item: Any, _options: Any, lines: list[str]) -> None:
    """Below the docstring of a class its fields, below that of a measure its unit."""
    lines[:] = [line.replace(COLON, ":") for line in lines]
    if what in ("class", "exception") and (fields := fields_of(item)):
        lines += ["", *table(fields)]
    if what == "function" and name.startswith("pushpoint.analysis.") and item.__name__ in measures:
        unit = unit_of(item.__name__)
        lines += ["", f"Unit: {unit}"] if unit else []


def skip_fields(_app: Any, _what: str, name: str, item: Any, *_: Any) -> bool | None:
    """Pydantic's settings, and fields that are in the table."""
    return True if name in ("model_config", "Options") or type(item).__name__ == "_tuplegetter" else None


def without_signature(_app: Any, what: str, _name: str, item: Any, *_: Any) -> tuple[str, None] | None:
    """Models take their fields as keywords, which the table lists."""
    hidden = what == "class" and (issubclass(item, BaseModel) or getattr(item, "_is_protocol", False))
    return ("", None) if hidden else None


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx; the table comes after napoleon has read the docstring."""
    app.connect("autodoc-process-docstring", hide_colons, priority=100)
    app.connect("autodoc-process-docstring", add_fields, priority=900)
    app.connect("autodoc-skip-member", skip_fields)
    app.connect("autodoc-process-signature", without_signature)
    return {"parallel_read_safe": True}
