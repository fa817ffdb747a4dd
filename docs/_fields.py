"""Fields of classes for the API pages: each is declared on one line of the source, with its meaning as a comment.

The pages show them as a table below the docstring of the class, with the type, the allowed values and the default.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from pushpoint.analysis import measures, unit_of
from pushpoint.declared import Field, fields_of

COLON = "\ue000"  # stands for a colon while napoleon reads a docstring


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
