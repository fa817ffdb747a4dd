"""Named things, found by scanning a folder: a new robot, world, controller or scenario is one new file.

Packages of other people register theirs by an entry point in the group ``pushpoint.<kind>s`` that names a
module; importing the module runs its decorators.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import EntryPoint, distributions
from typing import Generic, TypeVar

from pushpoint.errors import InvalidInput, UnknownName

T = TypeVar("T")


@cache
def plug_ins() -> tuple[EntryPoint, ...]:
    """Entry points of installed packages for any of our groups: looking for them takes milliseconds, so once."""
    found = (entry for package in distributions() for entry in package.entry_points)
    return tuple(entry for entry in found if entry.group.startswith("pushpoint."))


class Registry(Generic[T]):
    """All things of one kind by name. The folder is imported at the first look-up, not before."""

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self._package = package
        self._items: dict[str, T] = {}
        self._scanned = False

    def register(self, name: str) -> Callable[[T], T]:
        """Decorator: ``@robots.register("aiko")``."""

        def add(item: T) -> T:
            self.add(name, item)
            return item

        return add

    def add(self, name: str, item: T) -> None:
        if name in self._items:
            raise InvalidInput(f"{self.kind} {name!r} is registered twice")
        self._items[name] = item

    def __getitem__(self, name: str) -> T:
        if name not in self._items:
            self._import_namesake(name)
        if name not in self._items:
            self._scan()
        if name not in self._items:
            raise UnknownName(self.kind, name, self._items)
        return self._items[name]

    def __contains__(self, name: object) -> bool:
        self._scan()
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        self._scan()
        return iter(sorted(self._items))

    def _import_namesake(self, name: str) -> None:
        """The module called like the thing, or like what stands before its slash, if there is one: most things have
        one, and importing all the others takes a tenth of a second."""
        stem = name.partition("/")[0].replace("-", "_")
        package = importlib.import_module(self._package)
        if not stem.startswith("_") and any(module.name == stem for module in pkgutil.iter_modules(package.__path__)):
            importlib.import_module(f"{self._package}.{stem}")

    def _scan(self) -> None:
        if self._scanned:
            return
        self._scanned = True
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            if not module.name.startswith("_"):
                importlib.import_module(f"{self._package}.{module.name}")
        for entry in plug_ins():
            if entry.group == f"pushpoint.{self.kind}s":
                entry.load()
