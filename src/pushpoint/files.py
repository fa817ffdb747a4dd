"""Files: text of bounded size, and files that are complete or absent, as they are written beside their place."""

from __future__ import annotations

import codecs
import json
import math
import os
import stat
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pushpoint import limits
from pushpoint.errors import InvalidInput, shown


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


def read_text(path: Path, what: str, most: int = limits.FILE_BYTES) -> str:
    """The text of a regular file of at most so many bytes; `what` it is begins the errors.

    Other files (pipes, devices) may never end; what is not UTF-8 is named for what it probably is.
    """
    name = f"{what} {shown(str(path))}"
    if "\0" in str(path):
        raise InvalidInput(f"{name} cannot be read: no file can have this name")
    try:
        state = os.stat(path)
        if not stat.S_ISREG(state.st_mode):
            raise InvalidInput(f"{name} cannot be read: it is no regular file")
        if state.st_size > most:
            raise InvalidInput(f"{name} has {state.st_size} bytes; should be {most} at most")
        with open(path, "rb") as file:
            data = file.read(most)
    except OSError as error:
        raise InvalidInput(f"{name} cannot be read: {error.strerror}") from None
    if data.startswith(codecs.BOM_UTF8):
        warnings.warn(f"{name} begins with a byte order mark, as some editors write; it is skipped", stacklevel=2)
    return _decoded(data.removeprefix(codecs.BOM_UTF8), name)


def _decoded(data: bytes, name: str) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InvalidInput(f"{name} cannot be read: it is encoded as UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(
            f"{name} cannot be read: byte 0x{data[error.start]:02x} in line {line} is not UTF-8; is it a text file?"
        ) from None
