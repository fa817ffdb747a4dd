"""Files: text of bounded size, and files that are complete or absent, as they are written beside their place."""

from __future__ import annotations

import codecs
import errno
import json
import math
import os
import re
import stat
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, TextIO

from pushpoint import limits
from pushpoint._user_cache import is_alive
from pushpoint.errors import InvalidInput

Bytes = bytes | bytearray | memoryview
SHOWN_PATH = 300  # characters of a path in messages
FORGOTTEN_AFTER = 7 * 86400  # [s]: temporary files of other machines, whose processes nobody can ask here
_TEMPORARY = re.compile(r"\.pushpoint-(?P<host>[0-9a-f]{8})-(?P<pid>\d+)-(?P<process>[0-9a-f]{8})-\d+\.tmp")
_PROCESS = os.urandom(4).hex()  # distinguishes this process from one that had the same number before
_number = count()


def write_bytes(path: Path, *parts: Bytes) -> None:
    """Write a whole file, and its folder if need be. All writers of the product end here."""
    made(path.parent)
    replace_file(path, *parts)


def replace_file(path: Path, *parts: Bytes) -> None:
    """Write beside `path` and move: whatever happens, there is the complete new file or what was there before.

    The folder has to exist. Temporary files that killed processes left in it are removed.
    """
    with replacing(path) as temporary, _complaining(path):
        _write_new(temporary, parts)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name beside `path` for a file that the block writes; moved to `path` if the block ends well, else removed."""
    temporary = path.with_name(f".pushpoint-{this_host()}-{os.getpid()}-{_PROCESS}-{next(_number)}.tmp")
    try:
        with _complaining(path):
            _refuse_special(path)
            remove_leftovers(path.parent)
        yield temporary
        with _complaining(path):
            os.replace(temporary, path)
    finally:
        with suppress(OSError, ValueError):
            temporary.unlink(missing_ok=True)


@contextmanager
def writing_text(path: Path) -> Iterator[TextIO]:
    """A file of text that is at `path` if the block ends well, for what is too long to be made as a whole."""
    with replacing(path) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
        yield file


@contextmanager
def _complaining(path: Path) -> Iterator[None]:
    """Errors of the system as one that names the file."""
    try:
        yield
    except OSError as error:
        what = error.strerror or str(error)
        raise InvalidInput(f"file {str(path)!r} cannot be written: {what}; what was there before is kept") from None
    except ValueError as error:  # a NUL in the name
        raise InvalidInput(f"file {str(path)!r} cannot be written: {error}") from None


def _refuse_special(path: Path) -> None:
    """Moving a file onto a device would replace the device."""
    with suppress(FileNotFoundError):
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "there is a device or pipe of that name")


def _write_new(path: Path, parts: tuple[Bytes, ...]) -> None:
    """Write to the disk, not only to its cache: only then may the file take the place of another."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        for part in parts:
            left = memoryview(part).cast("B")
            while left:
                left = left[os.write(handle, left) :]
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # file systems without it
                raise
    finally:
        os.close(handle)


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files of ours whose processes are dead, and none of one that may be alive."""
    with os.scandir(folder) as entries:
        found = [entry.path for entry in entries if entry.name.startswith(".pushpoint-")]
    for path in found:
        with suppress(OSError):  # another process may be removing it too
            if _is_left_over(path):
                os.unlink(path)


def _is_left_over(path: str) -> bool:
    name = _TEMPORARY.fullmatch(os.path.basename(path))
    if name is None:
        return False
    if name["host"] != this_host() or os.name == "nt":
        return time.time() - os.stat(path).st_mtime > FORGOTTEN_AFTER
    pid = int(name["pid"])
    if pid == os.getpid():
        return name["process"] != _PROCESS
    return not is_alive(pid)


@cache
def this_host() -> str:
    """Stands for the machine, and for the container on it: numbers of processes mean something only there."""
    import hashlib
    import platform

    place = platform.node()
    with suppress(OSError):
        place += os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(place.encode(errors="replace")).hexdigest()[:8]


def write_text(path: Path, text: str) -> None:
    """Write a whole text file; lines end as they do in `text`."""
    write_bytes(path, text.encode("utf-8", errors="backslashreplace"))


def made(folder: Path) -> Path:
    """The folder, created if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"folder {str(folder)!r} cannot be made: {error.strerror}") from None
    except ValueError as error:  # a NUL in the name
        raise InvalidInput(f"folder {str(folder)!r} cannot be made: {error}") from None
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
    text = repr(str(path))  # a long path is cut at its beginning: people know their files by their last names
    name = f"{what} {text if len(text) <= SHOWN_PATH else '...' + text[-SHOWN_PATH:]}"
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
