"""Files: YAML with clear errors, and files that are complete or absent, as they are written beside their place."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pushpoint.errors import InvalidInput

if TYPE_CHECKING:
    from yaml import MarkedYAMLError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path with the same ending; what is written there takes the place of `path` at the end."""
    made(path.parent)
    try:
        handle, name = tempfile.mkstemp(prefix=".", suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise InvalidInput(f"file {str(path)!r} cannot be written: {error.strerror}") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)  # mkstemp keeps files private
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a whole text file."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def made(folder: Path) -> Path:
    """The folder, created if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"folder {str(folder)!r} cannot be made: {error.strerror}") from None
    return folder


def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write one JSON object; values that JSON has no word for become null."""
    write_text(path, json.dumps(finite(data), indent=2, allow_nan=False) + "\n")


def finite(value: Any) -> Any:
    """The same data with infinities and NaN replaced by None."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def read_yaml(source: str | Path, what: str) -> Any:
    """Plain data from YAML (or JSON) text, or from the file at a Path; `what` it should hold is named in errors."""
    import yaml

    text, name = str(source), f"{what} text"
    if isinstance(source, Path):
        name = f"{what} file {str(source)!r}"
        try:
            text = source.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"{name} cannot be read: {error}") from None
    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        raise InvalidInput(f"{name}, {_marked(error)}") from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position].split("\n")
        place = _place(len(before), len(before[-1]) + 1)
        wrong = f"character #x{error.character:04x} is not allowed"
        raise InvalidInput(f"{name}, {place}: not valid YAML: {wrong}") from None


def _marked(error: MarkedYAMLError) -> str:
    """Line and column, what is wrong there, and where that began if it is elsewhere."""
    here, began = (
        None if mark is None else _place(mark.line + 1, mark.column + 1)
        for mark in (error.problem_mark or error.context_mark, error.context_mark)
    )
    told = f"{here}: not valid YAML: {error.problem or error.context}"
    return told if began in (None, here) or not error.context else f"{told}, {error.context} that begins at {began}"


def _place(line: int, column: int) -> str:
    return f"line {line}, column {column}"
