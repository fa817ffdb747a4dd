"""Public names have docstrings in NumPy's form, stand on one API page each, and their examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

import pushpoint as pp
from docs._fields import fields_of
from pushpoint import user_code
from pushpoint.analysis import measures

PAGES = Path(__file__).parents[2] / "docs" / "reference" / "api"
DIRECTIVE = re.compile(r"^\.\. (?:auto|py:)(class|data|exception|function|module):: (\S+)", re.MULTILINE)
ROOMS = ("analysis", "control", "plants", "robots", "scenarios", "sensors", "view", "worlds")


def public() -> Iterator[tuple[str, str, Any]]:
    """Module, name and object of all that can be reached from the package."""
    for name in pp.__all__:
        if name not in (*ROOMS, "__version__"):
            yield "pushpoint", name, getattr(pp, name)
    for room in ROOMS:
        module = importlib.import_module(f"pushpoint.{room}")
        yield from ((module.__name__, name, getattr(module, name)) for name in module.__all__ if name not in pp.__all__)
        registry = "controllers" if room == "control" else "measures" if room == "analysis" else room
        if room != "view":  # has none
            yield module.__name__, registry, getattr(module, registry)


def documented() -> Iterator[tuple[str, str, str]]:
    """Kind, module and name of what the pages show."""
    for page in sorted(PAGES.glob("*.md")):
        for kind, name in DIRECTIVE.findall(page.read_text(encoding="utf-8")):
            yield kind, *name.rpartition(".")[::2]


def shown() -> list[tuple[str, Any]]:
    return [
        (name, getattr(importlib.import_module(home), name)) for kind, home, name in documented() if kind != "module"
    ]


ROUTINES = (staticmethod, classmethod, property)


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties of a class, those that it defines itself."""
    for name, value in vars(kind).items():
        if name[0] != "_" and (inspect.isfunction(value) or isinstance(value, ROUTINES)):
            yield name, inspect.getattr_static(kind, name)


def callables() -> Iterator[tuple[str, Any, str]]:
    """Functions and methods by name, each with its docstring; classes that are made by an `__init__` of their own."""
    for name, item in shown():
        if inspect.isfunction(item):
            yield name, item, inspect.getdoc(item) or ""
        if not inspect.isclass(item):
            continue
        by_fields = (
            issubclass(item, BaseModel) or hasattr(item, "__dataclass_fields__") or getattr(item, "_is_protocol", False)
        )
        if "__init__" in vars(item) and not by_fields:
            yield name, item.__init__, inspect.getdoc(item) or ""
        for member, value in members(item):
            if not isinstance(value, property):
                function = value.__func__ if isinstance(value, staticmethod | classmethod) else value
                yield f"{name}.{member}", function, inspect.getdoc(getattr(item, member)) or ""


def arguments(function: Callable[..., Any]) -> list[str]:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    found = inspect.signature(function).parameters.values()
    return [stars.get(p.kind, "") + p.name for p in found if p.name not in ("self", "cls")]


def section(docstring: str, title: str) -> list[str]:
    """Names that a section lists."""
    lines = docstring.splitlines()
    begins = [k + 2 for k, line in enumerate(lines[:-1]) if line == title and lines[k + 1] == "-" * len(title)]
    names: list[str] = []
    for k in range(begins[0] if begins else len(lines), len(lines)):
        if k + 1 < len(lines) and set(lines[k + 1]) == {"-"}:
            break
        if lines[k] and not lines[k].startswith(" "):
            names += lines[k].partition(" : ")[0].split(", ")
    return names


def test_each_public_name_is_on_one_page() -> None:
    pages = [(name, id(item)) for name, item in shown()]
    assert [name for name, _ in pages if pages.count((name, id(getattr(pp, name, None)))) > 1] == []
    assert [f"{home}.{name}" for home, name, item in public() if pages.count((name, id(item))) != 1] == []


def test_sections_are_read() -> None:
    text = "One.\n\nParameters\n----------\na, b : int\n    First.\n**c\n    Second.\n\nReturns\n-------\nint\n"
    assert section(text, "Parameters") == ["a", "b", "**c"]
    assert section(text, "Raises") == []


@pytest.mark.parametrize(("name", "item"), shown(), ids=[name for name, _ in shown()])
def test_names_and_members_have_docstrings(name: str, item: Any) -> None:
    if not (inspect.isclass(item) or inspect.isfunction(item)):
        return  # registries and aliases of types, which the page describes
    assert item.__doc__
    if inspect.isclass(item):
        assert [member for member, _ in members(item) if not inspect.getdoc(getattr(item, member))] == []


@pytest.mark.parametrize(("name", "function", "text"), list(callables()), ids=[name for name, *_ in callables()])
def test_docstrings_list_all_parameters(name: str, function: Any, text: str) -> None:
    assert section(text, "Parameters") == arguments(function)


@pytest.mark.parametrize("kind", [item for _, item in shown() if inspect.isclass(item)])
def test_fields_have_a_meaning(kind: type) -> None:
    hints = {name: info.annotation for name, info in kind.model_fields.items()} if issubclass(kind, BaseModel) else {}
    fixed = {name for name, hint in hints.items() if len(get_args(hint)) == 1}  # `kind` of obstacles
    assert [field.name for field in fields_of(kind) if not field.meaning and field.name not in fixed] == []


@pytest.mark.parametrize("name", list(measures))
def test_measures_are_on_the_page_and_explain_their_options(name: str) -> None:
    function = inspect.unwrap(measures[name])
    assert ("module", *function.__module__.rpartition(".")[::2]) in documented()
    assert getattr(importlib.import_module(function.__module__), function.__name__) is function
    former = "" if name == function.__name__ else f"`{name}`"
    assert former in (PAGES / "measures.md").read_text(encoding="utf-8")
    shared = re.findall(r"^(\S.*)\n    ", inspect.getdoc(pp.analysis) or "", re.MULTILINE)
    common = {each for names in shared for each in names.split(", ")}
    own = inspect.getdoc(function) or ""
    assert [each for each in arguments(function) if each not in common and f"`{each}`" not in own] == []


def examples() -> Iterator[doctest.DocTest]:
    finder = doctest.DocTestFinder()
    for name, item in shown():
        if inspect.isclass(item) or inspect.isfunction(item):
            yield from (test for test in finder.find(item, name, module=False, globs={"pp": pp}) if test.examples)


@pytest.fixture
def registries() -> Iterator[None]:
    """What examples register is gone after them."""
    filled = (pp.robots.robots, pp.analysis.measures)
    before = [set(registry) for registry in filled]
    yield
    for registry, names in zip(filled, before, strict=True):
        for name in set(registry) - names:
            del registry._items[name]
    user_code._loaded.clear()


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("test", list(examples()), ids=lambda test: test.name)
def test_examples_run(test: doctest.DocTest) -> None:
    assert doctest.DocTestRunner().run(test).failed == 0
