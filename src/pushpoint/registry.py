"""Named items, found by scanning a folder: a new robot, world, controller or scenario is one new file.

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
    """All items of one kind by name: ``registry["name"]``, ``"name" in registry``, ``list(registry)``.

    Modules of the folder are imported when an item is looked up, and only those in which it may be.

    Parameters
    ----------
    kind
        What the items are, such as "robot".
    package
        The folder of their modules, as a dotted name.
    """

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self._package = package
        self._items: dict[str, T] = {}
        self._scanned = False

    def register(self, name: str) -> Callable[[T], T]:
        """Decorator: ``@robots.register("aiko")``.

        Parameters
        ----------
        name
            Of the item.
        """

        def add(item: T) -> T:
            self.add(name, item)
            return item

        return add

    def add(self, name: str, item: T) -> None:
        """Make an item known.

        Parameters
        ----------
        name
            Of the item; has to be a new one.
        item
            What is looked up by that name.
        """
        if name in self._items:
            raise InvalidInput(f"{self.kind} {name!r} is registered twice")
        self._items[name] = item

    def __getitem__(self, name: str) -> T:
        if name not in self:
            raise UnknownName(self.kind, name, self._items)
        return self._items[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is such an item. Modules are imported until it is found, its namesakes first."""
        if name in self._items:
            return True
        for module in self._namesakes(name) if isinstance(name, str) else ():
            importlib.import_module(module)
            if name in self._items:
                return True
        self._scan()
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        self._scan()
        return iter(sorted(self._items))

    def names_of(self, key: str) -> list[str]:
        """Names that begin with `key/`, as those of a paper. Only its namesakes are imported, and plug-ins; all
        modules if these have none.

        Parameters
        ----------
        key
            What stands before the slash.
        """
        for module in self._namesakes(key):
            importlib.import_module(module)
        self._load_plug_ins()
        if not self._within(key):
            self._scan()
        return self._within(key)

    def _within(self, key: str) -> list[str]:
        return sorted(name for name in self._items if name.startswith(f"{key}/"))

    def _namesakes(self, name: str) -> list[str]:
        """Modules whose name is that of the item, or what stands before its slash, or begins with it and `_`: `lab`,
        then `lab_push`, for `lab/slope`. Most items are found there, without importing all the others."""
        stem = name.partition("/")[0].replace("-", "_")
        return [module for module in self._modules() if f"{module.rpartition('.')[2]}_".startswith(f"{stem}_")]

    def _modules(self) -> list[str]:
        """In alphabetical order, so that the shortest of some namesakes is the first."""
        package = importlib.import_module(self._package)
        found = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
        return [f"{self._package}.{name}" for name in found if not name.startswith("_")]

    def _scan(self) -> None:
        if self._scanned:
            return
        self._scanned = True
        for module in self._modules():
            importlib.import_module(module)
        self._load_plug_ins()

    def _load_plug_ins(self) -> None:
        for entry in plug_ins():
            if entry.group == f"pushpoint.{self.kind}s":
                entry.load()
