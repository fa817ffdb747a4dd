"""Plain data from YAML and JSON text: mappings, lists, text, numbers, true and false, nothing.

Text may come from strangers: depth, size and number of values are limited, keys are given once. JSON has no aliases and
is read by Python's own reader, which is ten times as fast as that of YAML.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pushpoint import limits
from pushpoint.errors import InvalidInput, shown
from pushpoint.files import read_text

SMALL = 20_000  # values: fewer are written as YAML, which is easier to read than JSON
JSON_STARTS = ("{", "[")
TOO_DEEP = f"lists and mappings are more than {limits.DEPTH} deep"


def read_yaml(source: str | Path, what: str) -> Any:
    """Plain data from YAML (or JSON) text, or from the file at a Path; `what` it should hold is named in errors."""
    if isinstance(source, Path):
        return parsed(read_text(source, f"{what} file"), f"{what} file {str(source)!r}", source.suffix == ".json")
    if len(source) > limits.FILE_BYTES:
        raise InvalidInput(f"{what} text has {len(source)} characters; should be {limits.FILE_BYTES} at most")
    return parsed(source, f"{what} text")


def parsed(text: str, name: str, is_json: bool = False) -> Any:
    """Plain data of a text; errors begin with its `name`. What looks like JSON is tried as such first."""
    if is_json or text.lstrip()[:1] in JSON_STARTS:
        try:
            return _parsed_json(text, name)
        except json.JSONDecodeError as error:
            if is_json:
                place = f"line {error.lineno}, column {error.colno}"
                raise InvalidInput(f"{name}, {place}: not valid JSON: {error.msg}") from None
    from pushpoint._yaml_events import parsed_yaml  # here, as it takes a while

    return parsed_yaml(text, name)


def yaml_text(data: Any) -> str:
    """The text that `read_yaml` reads; much data are written in JSON, which is YAML too and is read faster."""
    import yaml

    if _count(data) > SMALL:
        return json.dumps(data, allow_nan=True) + "\n"
    return yaml.safe_dump(data, sort_keys=False)


def _count(data: Any) -> int:
    """Values in lists and mappings inside each other."""
    waiting, count = [data], 0
    while waiting:
        inner = waiting.pop()
        count += len(inner)
        waiting.extend(item for item in _items(inner) if isinstance(item, list | dict))
    return count


def _items(collection: Any) -> Iterable[Any]:
    return collection.values() if isinstance(collection, dict) else collection if isinstance(collection, list) else ()


# --- JSON ---


def _parsed_json(text: str, name: str) -> Any:
    left = limits.JSON_VALUES

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal left
        left -= 1 + len(pairs)
        if left < 0:
            raise InvalidInput(f"{name}: more than {limits.JSON_VALUES} values")
        found = dict(pairs)
        for key in found if len(found) < len(pairs) else ():
            if sum(other == key for other, _ in pairs) > 1:
                raise InvalidInput(f"{name}: key {shown(key)} is there twice")
        return found

    try:
        data = json.loads(text, object_pairs_hook=mapping)
    except RecursionError:
        raise InvalidInput(f"{name}: {TOO_DEEP}") from None
    except (json.JSONDecodeError, InvalidInput):
        raise
    except ValueError as error:  # a whole number of thousands of digits
        raise InvalidInput(f"{name}: {str(error).partition(';')[0]}") from None
    _check_json(data, name)
    return data


def _check_json(data: Any, name: str) -> None:
    """Depth, number of values, length of keys; level by level."""
    level, depth, count = [data], 0, 0
    while level := [item for item in level if isinstance(item, list | dict)]:
        depth, count = depth + 1, count + sum(map(len, level))
        if depth > limits.DEPTH:
            raise InvalidInput(f"{name}: {TOO_DEEP}")
        if count > limits.JSON_VALUES:
            raise InvalidInput(f"{name}: more than {limits.JSON_VALUES} values")
        for key in (key for item in level if isinstance(item, dict) for key in item):
            if len(key) > limits.KEY_LENGTH:
                raise InvalidInput(f"{name}: key {shown(key)} has more than {limits.KEY_LENGTH} characters")
        level = [inner for item in level for inner in _items(item)]
