"""Named items, found by scanning a folder: a new robot, world, controller or scenario is one new file.

Packages of other people register theirs by an entry point in the group ``pushpoint.<kind>s`` that names a
module; importing the module runs its decorators. Files and notebook cells register theirs by running; run again, they
replace their own names, and nobody else's.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from pushpoint.errors import InvalidInput, UnknownName, shown

T = TypeVar("T")

NOTEBOOK = "<notebook>"  # stands for a notebook or the interpreter's prompt: their cells have no file
PACKAGE = str(Path(__file__).parent)
FUNCTIONS = {"robot": "a Robot", "world": "a World", "measure": "a number"}  # by kind: what its functions return
CLASSES = {  # by kind: what its classes have
    "controller": ("Options", "uses", "build", "initial_shape", "start", "step"),
    "sensor": ("Options", "gives", "read", "remember", "errors", "limited"),
    "plant": ("Options", "supports", "build", "initial_state", "snapshot", "rollout", "dump", "restore"),
}
BASES = {"controller": "pushpoint.BaseController", "sensor": "pushpoint.Sensor", "plant": "pushpoint.plants.Uneventful"}


class Origin(NamedTuple):
    """Where an item was registered."""

    file: str  # absolute path, or NOTEBOOK
    line: int

    @property
    def is_ours(self) -> bool:
        return self.file.startswith(PACKAGE)

    @property
    def place(self) -> str:
        """For messages."""
        return "this notebook" if self.file == NOTEBOOK else f"{shown_path(self.file)}, line {self.line}"


def shown_path(file: str) -> str:
    """A file as people would write it: below the folder they are in, its path from there."""
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except (ValueError, OSError):
        return file


def _origin() -> Origin:
    """The code that registers: a module of ours, or the nearest caller that is not ours."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        code = frame.f_code
        if code.co_filename.startswith(PACKAGE):
            if code.co_name == "<module>":
                break
        else:
            file = frame.f_globals.get("__file__")
            return Origin(str(Path(file).resolve()) if isinstance(file, str) else NOTEBOOK, frame.f_lineno)
        frame = frame.f_back
    return Origin(frame.f_code.co_filename, frame.f_lineno)


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

    _all: ClassVar[list[Registry[Any]]] = []

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self._package = package
        self._items: dict[str, T] = {}
        self._origins: dict[str, Origin] = {}
        self._editions: dict[str, int] = {}
        self._scanned = False
        Registry._all.append(self)

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
            Of the item; a new one, or one that the same file or notebook registered before, which is replaced.
        item
            What is looked up by that name.
        """
        origin = _origin()
        if origin.is_ours:
            if name in self._items:
                raise InvalidInput(f"{self.kind} {name!r} is registered twice")
        else:
            self._refuse_name(name, origin)
            refuse_item(self.kind, name, item)
        self._items[name], self._origins[name] = item, origin
        self._editions[name] = self._editions.get(name, 0) + 1

    def _refuse_name(self, name: str, origin: Origin) -> None:
        """A name of ours, or of another file."""
        if not isinstance(name, str) or not name:
            raise InvalidInput(f"{self.kind} {shown(name)}: its name should be a text")
        if name not in self:
            return
        owner = self._origins.get(name)
        if owner is None or owner.is_ours:
            raise InvalidInput(f"{self.kind} {name!r} is one of pushpoint's own; choose another name")
        if owner.file != origin.file:
            raise InvalidInput(f"{self.kind} {name!r} is registered already, in {owner.place}; choose another name")

    def edition(self, name: str) -> int:
        """How often a name was registered: what was made of another edition is out of date.

        Parameters
        ----------
        name
            Of the item.
        """
        return self._editions.get(name, 0)

    def place_of(self, name: str) -> str:
        """Where a name that is not pushpoint's own was registered, as a beginning of messages: ``"my.py, line 3: "``;
        empty for names of ours.

        Parameters
        ----------
        name
            Of the item.
        """
        owner = self._origins.get(name)
        return "" if owner is None or owner.is_ours else f"{owner.place}: "

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
            if entry.group == f"pushpoint.{plural(self.kind)}":
                entry.load()


def plural(kind: str) -> str:
    """As groups of entry points are called."""
    return f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"


def refuse_item(kind: str, name: str, item: Any) -> None:
    """Raise InvalidInput if an item cannot be one of its kind, as far as that is seen before it is used."""
    if kind in FUNCTIONS and not callable(item):
        raise InvalidInput(f"{kind} {name!r} is {shown(item)}; it should be a function that returns {FUNCTIONS[kind]}")
    if kind not in CLASSES:
        return
    if not isinstance(item, type):
        raise InvalidInput(f"{kind} {name!r} is {shown(item)}; it should be a class")
    missing = [member for member in CLASSES[kind] if not _has(item, member)]
    if missing:
        raise InvalidInput(
            f"{kind} {name!r}: class {item.__name__} has no {', '.join(repr(member) for member in missing)}; "
            f"derive it from {BASES[kind]}, which has all that can have a default"
        )


def _has(kind: type, member: str) -> bool:
    """Whether a class has a member of its own or a default; what a base leaves to it does not count."""
    found = getattr(kind, member, None)
    return found is not None and not getattr(found, "__isabstractmethod__", False) and not is_left_out(found)


def is_left_out(method: Any) -> bool:
    """Whether a method only says that it is missing: `BaseController.step`."""
    return getattr(method, "__qualname__", "") == "BaseController.step"


Registered = dict[int, dict[str, tuple[Any, Origin]]]  # by place of the registry among all, and by name


def names_from(file: str) -> Mapping[str, list[str]]:
    """What a file registered, by kind."""
    found = {registry.kind: _names(registry, file) for registry in Registry._all}
    return {kind: names for kind, names in found.items() if names}


def foreign() -> Mapping[str, list[str]]:
    """What was registered by code that is not pushpoint's own, by file (or NOTEBOOK): kind, name and edition."""
    found: dict[str, list[str]] = {}
    for registry in Registry._all:
        for name, origin in registry._origins.items():
            if not origin.is_ours and name in registry._items:
                found.setdefault(origin.file, []).append(f"{registry.kind} {name} {registry.edition(name)}")
    return {file: sorted(names) for file, names in found.items()}


def forget(file: str) -> Registered:
    """Take out all that a file registered, so that it can run again; returns what `remember` puts back."""
    taken: Registered = {}
    for k, registry in enumerate(Registry._all):
        taken[k] = {name: (registry._items.pop(name), registry._origins.pop(name)) for name in _names(registry, file)}
    return taken


def remember(taken: Registered) -> None:
    """Put back what `forget` took out."""
    for k, items in taken.items():
        for name, (item, origin) in items.items():
            Registry._all[k]._items[name], Registry._all[k]._origins[name] = item, origin


def _names(registry: Registry[Any], file: str) -> list[str]:
    return [name for name, origin in registry._origins.items() if origin.file == file and name in registry._items]
