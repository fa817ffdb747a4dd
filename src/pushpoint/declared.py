"""Options as their source declares them: a line each, with the meaning as a comment that begins with the unit.

`pushpoint show` prints them, and the API pages show them as tables.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import annotated_types
import numpy as np
from pydantic import BaseModel
from pydantic.fields import FieldInfo

LARGEST_SHOWN = 1e3  # bounds: larger ones are in docs/reference/limits.md
LONGEST_DEFAULT = 24  # characters; of longer values the source is shown
SIGNS = {annotated_types.Gt: ">", annotated_types.Ge: "≥", annotated_types.Lt: "<", annotated_types.Le: "≤"}
UNIT = re.compile(r"\[([^\]]+)\](?:[,;:]\s*|\s+|$)")
REQUIRED = "required"
COMMON = {  # parameters that many robots and worlds have, by name
    "friction": "coefficient of friction of the ground",
    "obstacle_friction": "coefficient of friction of obstacles and links",
    "ground_torque": "whether the ground resists turning links",
    "links": "how many there are",
    "seed": "of random numbers; default: the scenario's",
    "angle": "direction",
}


class Declared(NamedTuple):
    """What the source says of a field."""

    name: str
    annotation: str
    default: str  # empty: none
    meaning: str


class Field(NamedTuple):
    """A row of a table."""

    name: str
    type: str
    default: str
    meaning: str

    @property
    def unit(self) -> str:
        match = UNIT.match(self.meaning)
        return match[1] if match else ""

    @property
    def text(self) -> str:
        """The meaning without the unit."""
        return UNIT.sub("", self.meaning, count=1) if self.unit else self.meaning


# --- classes ---


def fields_of(kind: type, own: bool = True) -> list[Field]:
    """Public fields of a class, then those of its bases; with `own` only of classes of this package."""
    hints = _annotations(kind)
    declared: dict[str, Declared] = {}
    for base in kind.__mro__:
        ours = base.__module__.startswith("pushpoint.")
        for found in _declared(base) if ours or not (own or _is_foreign(base)) else ():
            declared.setdefault(found.name, found)
    return [
        Field(name, type_text(hints[name]) if name in hints else found.annotation, _default(kind, found), found.meaning)
        for name, found in declared.items()
    ]


def _is_foreign(kind: type) -> bool:
    """Whether a class has nothing to do with options: Python's and pydantic's own."""
    return kind.__module__.partition(".")[0] in ("builtins", "pydantic", "typing", "abc")


def _annotations(kind: type) -> dict[str, Any]:
    if issubclass(kind, BaseModel):
        fields = kind.model_fields.items()
        return {name: Annotated[(info.annotation, *info.metadata, None)] for name, info in fields}
    try:
        return typing.get_type_hints(kind, include_extras=True)
    except NameError:  # imported for type checkers only
        return {}


def _declared(kind: type) -> Iterator[Declared]:
    """Of one class. The comment is behind the field or, where it is long, above it."""
    try:
        source = textwrap.dedent(inspect.getsource(kind))
    except (OSError, TypeError):  # made in a session: there is no source
        return
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
            meaning = rest.partition("#")[2].strip() or _comment_above(lines, node.lineno - 1)
            yield Declared(node.target.id, annotation, default, meaning)


def _comment_above(lines: list[str], line: int) -> str:
    found: list[str] = []
    while line > 0 and lines[line - 1].strip().startswith("#"):
        line -= 1
        found.insert(0, lines[line].strip().lstrip("#").strip())
    return " ".join(found)


def _default(kind: type, declared: Declared) -> str:
    if issubclass(kind, BaseModel) and declared.name in kind.model_fields:
        info = kind.model_fields[declared.name]
        if info.is_required():
            return REQUIRED
        return _value(info.get_default(call_default_factory=True), declared.default)
    return "" if declared.default.startswith("field(") else declared.default


def _value(value: Any, source: str) -> str:
    shown = repr(value)
    return shown if len(shown) <= LONGEST_DEFAULT else source


# --- functions ---


def parameters_of(function: Callable[..., Any], shared: Mapping[str, str] = types.MappingProxyType({})) -> list[Field]:
    """Options of a robot, a world or a measure: the parameters of its function, but for recordings. What they mean is
    said by a comment, by its docstring, or by `shared` for all functions of a kind."""
    function = inspect.unwrap(function)
    hints, sources = _hints(function), _parameter_sources(function)
    text = inspect.getdoc(function) or ""
    found = []
    for name, parameter in inspect.signature(function).parameters.items():
        if "Recording" in str(parameter.annotation) or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        source = sources.get(name, Declared(name, "", "", ""))
        default = REQUIRED if parameter.default is parameter.empty else _value(parameter.default, source.default)
        hint = hints.get(name, parameter.annotation)
        kind = "" if hint is parameter.empty else type_text(hint) if not isinstance(hint, str) else hint
        meaning = source.meaning or _from_docstring(name, text) or shared.get(name, "") or COMMON.get(name, "")
        unit = _unit_in(name, text) or units().get(source.annotation.partition(" |")[0], "")
        if unit and not UNIT.match(meaning):
            meaning = f"[{unit}], {meaning}" if meaning else f"[{unit}]"
        found.append(Field(name, kind, default, meaning))
    return found


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, localns={"Recording": Any}, include_extras=True)
    except (NameError, TypeError):
        return {}


def _parameter_sources(function: Callable[..., Any]) -> dict[str, Declared]:
    try:
        source = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError):  # made in a session, or not by `def`
        return {}
    if not isinstance(tree, ast.FunctionDef):
        return {}
    lines, known = source.splitlines(), tree.args
    both = [*known.posonlyargs, *known.args]
    defaults = dict(zip([a.arg for a in both][len(both) - len(known.defaults) :], known.defaults, strict=True))
    defaults |= {a.arg: d for a, d in zip(known.kwonlyargs, known.kw_defaults, strict=True) if d is not None}
    found = {}
    for arg in (*both, *known.kwonlyargs):
        default = defaults.get(arg.arg)
        end = (default or arg).end_lineno
        assert end is not None
        comment = lines[end - 1].partition("#")[2].strip() if end > tree.lineno else ""
        annotation = ast.unparse(arg.annotation) if arg.annotation else ""
        found[arg.arg] = Declared(arg.arg, annotation, ast.unparse(default) if default else "", comment)
    return found


def _from_docstring(name: str, text: str) -> str:
    """The entry of a list of parameters, or the sentence that names the parameter."""
    entry = re.search(rf"^{re.escape(name)}( *:.*)?\n((?: +.*\n?)+)", text, re.MULTILINE)
    if entry:
        return " ".join(entry[2].split())
    sentences = re.split(r"(?<=[.;])\s+", " ".join(text.split()))
    return next((sentence.rstrip(".;") for sentence in sentences if f"`{name}`" in sentence), "")


def _unit_in(name: str, text: str) -> str:
    match = re.search(rf"`{re.escape(name)}` \[([^\]]+)\]", text)
    return match[1] if match else ""


@cache
def units() -> dict[str, str]:
    """Units of the types in `quantities`, by name."""
    from pushpoint import quantities

    return dict(re.findall(r"^(\w+) = Annotated.*# \[([^\]]+)\]", inspect.getsource(quantities), re.MULTILINE))


# --- types ---


def type_text(hint: Any) -> str:
    """A type as people read it, with the values that are allowed."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return type_text(inner[0]) + _bounds(inner[1:])
    if origin is ClassVar:
        return type_text(inner[0])
    if origin is Literal:
        return " or ".join(repr(value) for value in inner)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(type_text(member) for member in inner)
    if origin is np.ndarray:
        return "array of int" if "int" in str(inner[-1]) else "array"
    if origin is not None and inner:
        return f"{origin.__name__}[{', '.join('...' if member is ... else type_text(member) for member in inner)}]"
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
