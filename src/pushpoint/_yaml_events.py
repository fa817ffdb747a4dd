"""Plain data from the events of a YAML parser, one after the other, without recursion.

Every value is counted as often as it would stand there if all aliases were written out: what multiplies, nests too deep
or contains itself is refused where that begins, before it takes time or memory. So are tags, which would make objects,
keys that are there twice, and a second document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple, NoReturn

import yaml
from yaml.constructor import SafeConstructor
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)
from yaml.nodes import ScalarNode
from yaml.reader import Reader
from yaml.resolver import Resolver

from pushpoint import limits
from pushpoint.errors import InvalidInput, shown

CORE = "tag:yaml.org,2002:"
SCALARS = frozenset(f"{CORE}{kind}" for kind in ("str", "int", "float", "bool", "null"))
NUMBERS = frozenset(("int", "float", "bool", "null"))  # kinds of scalars that are not text
COLLECTIONS = (None, "!", f"{CORE}seq", f"{CORE}map")
TEXT_UNIT = 100  # [characters] of text that count as one more value
MERGE = object()  # the key `<<`
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # only the parser of it; the first is ten times faster


def parsed_yaml(text: str, name: str) -> Any:
    """Plain data of a text; errors begin with its `name`, line and column."""
    _refuse_characters(text, name)
    try:
        return _Builder(name).built(yaml.parse(text, Loader=LOADER))
    except yaml.MarkedYAMLError as error:
        raise InvalidInput(f"{name}, {_marked(error)}{_hint(error, text)}") from None
    except yaml.YAMLError as error:
        raise InvalidInput(f"{name}: not valid YAML: {' '.join(str(error).split())}") from None


def _refuse_characters(text: str, name: str) -> None:
    """Those that YAML does not allow, and tag directives: the parser compares each with all others."""
    found = Reader.NON_PRINTABLE.search(text) or re.search(r"^%TAG", text, re.MULTILINE)
    if found is None:
        return
    before = text[: found.start()].split("\n")
    place = _place(len(before), len(before[-1]) + 1)
    wrong = f"character #x{ord(found[0]):04x}" if len(found[0]) == 1 else found[0]
    raise InvalidInput(f"{name}, {place}: not valid YAML: {wrong} is not allowed")


class _Built(NamedTuple):
    """A value, and how many there are in it once its aliases are written out."""

    value: Any
    weight: int


class _Open:
    """A list or a mapping that is not complete yet."""

    __slots__ = ("anchor", "key", "mark", "merged", "value", "wants_value", "weight")

    def __init__(self, event: CollectionStartEvent) -> None:
        self.value: Any = [] if isinstance(event, SequenceStartEvent) else {}
        self.mark, self.anchor = event.start_mark, event.anchor
        self.weight = 1
        self.key: Any = None
        self.wants_value = False  # a mapping whose key is known
        self.merged: list[dict[Any, Any]] = []  # what stands behind `<<`

    @property
    def wants_key(self) -> bool:
        return isinstance(self.value, dict) and not self.wants_value


class _Builder:
    """What is complete, what is open, and what anchors stand for."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._resolver: Any = Resolver()  # Any: not typed
        self._scalars = SafeConstructor()
        self._open: list[_Open] = []
        self._anchors: dict[str, _Built | None] = {}  # None: not complete yet
        self._result: Any = None
        self._weight, self._documents = 0, 0

    def built(self, events: Iterable[Event]) -> Any:
        for event in events:
            if isinstance(event, ScalarEvent):
                self._add_scalar(event)
            elif isinstance(event, CollectionStartEvent):
                self._begin(event)
            elif isinstance(event, CollectionEndEvent):
                self._end()
            elif isinstance(event, AliasEvent):
                built = self._stands_for(event)
                self._put(built, event.start_mark, built.weight)
            elif isinstance(event, DocumentStartEvent):
                self._documents += 1
                if self._documents > 1:
                    self._refuse(event.start_mark, "a second document begins; should be one")
        return self._result

    def _refuse(self, mark: Any, reason: str) -> NoReturn:
        raise InvalidInput(f"{self._name}, {_place(mark.line + 1, mark.column + 1)}: {reason}")

    def _add_scalar(self, event: ScalarEvent) -> None:
        built = _Built(self._scalar(event), 1 + len(event.value) // TEXT_UNIT)
        if event.anchor is not None:
            self._anchors[event.anchor] = built
        self._put(built, event.start_mark, built.weight)

    def _scalar(self, event: ScalarEvent) -> Any:
        tag = event.tag
        if tag is None or tag == "!":
            tag = str(self._resolver.resolve(ScalarNode, event.value, event.implicit))
        elif tag not in SCALARS:
            self._refuse(event.start_mark, f"tag {shown(tag)} is not allowed; plain data need none")
        kind = tag.removeprefix(CORE)
        if kind in NUMBERS:
            try:
                return self._number(kind, ScalarNode(tag, event.value))
            except (ValueError, KeyError, IndexError, OverflowError):  # such as `!!int x`
                self._refuse(event.start_mark, f"{shown(event.value)} cannot be read as {kind}")
        is_merge = kind == "merge" and bool(self._open) and self._open[-1].wants_key
        return MERGE if is_merge else event.value  # dates and the like stay text

    def _number(self, kind: str, node: ScalarNode) -> Any:
        if kind == "int" and len(node.value) > limits.DIGITS:
            raise OverflowError
        return getattr(self._scalars, f"construct_yaml_{kind}")(node)

    def _begin(self, event: CollectionStartEvent) -> None:
        if event.tag not in COLLECTIONS:
            self._refuse(event.start_mark, f"tag {shown(event.tag)} is not allowed; plain data need none")
        if self._open and self._open[-1].wants_key:
            self._refuse(event.start_mark, "a key should be text, not a list or a mapping")
        if len(self._open) >= limits.DEPTH:
            self._refuse(event.start_mark, f"lists and mappings are more than {limits.DEPTH} deep")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(_Open(event))

    def _end(self) -> None:
        done = self._open.pop()
        for merged in done.merged:
            done.value = {**merged, **done.value}
        built = _Built(done.value, done.weight)
        if done.anchor is not None:
            self._anchors[done.anchor] = built
        self._put(built, done.mark, 1)  # what is in it was counted when it was read

    def _stands_for(self, event: NodeEvent) -> _Built:
        name = str(event.anchor)
        if name not in self._anchors:
            self._refuse(event.start_mark, f"alias {shown(name)} stands for nothing that came before")
        built = self._anchors[name]
        if built is None:
            self._refuse(event.start_mark, f"alias {shown(name)} stands inside of what it stands for")
        return built

    def _put(self, built: _Built, mark: Any, new: int) -> None:
        """Put a value into the innermost open collection, as a key or as a value; `new` of it was not counted yet."""
        self._weight += new
        if self._weight > limits.YAML_VALUES:
            self._refuse(mark, f"more than {limits.YAML_VALUES} values, with aliases written out")
        if not self._open:
            self._result = built.value
            return
        outer = self._open[-1]
        outer.weight += built.weight
        if outer.wants_key:
            outer.key, outer.wants_value = self._key(built.value, outer, mark), True
        elif not outer.wants_value:
            outer.value.append(built.value)
        else:
            outer.wants_value = False
            if outer.key is MERGE:
                outer.merged.extend(self._mappings(built.value, mark))
            else:
                outer.value[outer.key] = built.value

    def _key(self, key: Any, outer: _Open, mark: Any) -> Any:
        if isinstance(key, list | dict):
            self._refuse(mark, "a key should be text, not a list or a mapping")
        if isinstance(key, str) and len(key) > limits.KEY_LENGTH:
            self._refuse(mark, f"key {shown(key)} has more than {limits.KEY_LENGTH} characters")
        if key in outer.value or (key is MERGE and outer.merged):
            self._refuse(mark, f"key {shown('<<' if key is MERGE else key)} is there twice")
        return key

    def _mappings(self, value: Any, mark: Any) -> list[dict[Any, Any]]:
        """What `<<` takes: a mapping, or a list of them, of which the first wins."""
        found = value if isinstance(value, list) else [value]
        if not all(isinstance(item, dict) for item in found):
            self._refuse(mark, "<< takes a mapping, or a list of mappings")
        return found


def _marked(error: yaml.MarkedYAMLError) -> str:
    """Line and column, what is wrong there, and where that began if it is elsewhere."""
    here, began = (
        None if mark is None else _place(mark.line + 1, mark.column + 1)
        for mark in (error.problem_mark or error.context_mark, error.context_mark)
    )
    what = f"{here}: not valid YAML: {error.problem or error.context}"
    return what if began in (None, here) or not error.context else f"{what}, {error.context} that begins at {began}"


def _hint(error: yaml.MarkedYAMLError, text: str) -> str:
    """The most frequent mistake of all, which the parser does not name."""
    mark = error.problem_mark
    line = "" if mark is None else next(islice(text.splitlines(), mark.line, None), "")
    return "; indent by spaces, not by tabs" if line[: len(line) - len(line.lstrip())].count("\t") else ""


def _place(line: int, column: int) -> str:
    return f"line {line}, column {column}"
