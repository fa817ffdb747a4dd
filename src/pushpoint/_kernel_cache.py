"""Where compiled kernels, and results, are kept, and whether what lies there may be used.

Numba unpickles what it finds in its cache, so that whoever can write there can run code as the user. A folder that is
not the user's own, or that others can write, is not used. Files have a checksum: damaged ones are compiled again.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import io
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

ROOT = "PUSHPOINT_CACHE_DIR"
_DIGEST = hashlib.sha256().digest_size
_PRIVATE = re.compile(r"pushpoint-kernels-(\d+)-\w+")  # the number of the process it belongs to


def say(text: str) -> None:
    print(f"pushpoint: {text}", file=sys.stderr, flush=True)


def trusted(room: str, name: str) -> tuple[Path, bool] | None:
    """The folder `name` of a room (kernels, results) in the user's cache, and whether it lasts; a private one for as
    long as this process lives where that may not be used, and None where there is no room for that either."""
    root = os.environ.get(ROOT)
    if root is None:
        root = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "pushpoint")
    try:
        Path(root).parent.mkdir(parents=True, exist_ok=True)
        folder = Path(root) / room / name
        for place in (folder.parent.parent, folder.parent, folder):
            place.mkdir(mode=0o700, exist_ok=True)
            why = _distrust(place)
            if why:
                return _private(f"{str(place)!r} {why}")
        return folder, True
    except OSError as error:
        return _private(f"{root!r} cannot be used ({error.strerror})")
    except ValueError as error:  # a NUL in the name
        return _private(f"{root!r} cannot be used ({error})")


def _distrust(place: Path) -> str:
    """What is wrong with a folder, or nothing."""
    if not hasattr(os, "geteuid"):  # Windows: folders of users are theirs
        return ""
    if os.stat(place).st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "can be written by others (chmod go-w makes it yours alone)"
    return distrust_owner(place)


def distrust_owner(place: Path) -> str:
    """The same of a file in a folder that can be trusted."""
    own = not hasattr(os, "geteuid") or {os.stat(place).st_uid, os.lstat(place).st_uid} == {os.geteuid()}
    return "" if own else "belongs to somebody else"


def _private(why: str) -> tuple[Path, bool] | None:
    """A folder for this process and those that it starts, removed at the end."""
    say(f"cache folder {why}; what is made is kept for this process alone. {ROOT} names another.")
    _remove_dead()
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"pushpoint-kernels-{os.getpid()}-"))
    except OSError:
        return None
    os.environ[ROOT] = str(folder)
    atexit.register(_remove_own, folder, os.getpid())
    return folder, False


def _remove_own(folder: Path, pid: int) -> None:
    if os.getpid() == pid:  # not in processes forked from this one
        shutil.rmtree(folder, ignore_errors=True)


def _remove_dead() -> None:
    """Private folders of processes that were killed."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            name = _PRIVATE.fullmatch(entry.name)
            if name and not _distrust(Path(entry.path)) and not _is_alive(int(name[1])):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)  # sends nothing
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # somebody else's
        return True
    return True


class _SealedFiles(IndexDataCacheFile):  # type: ignore[misc]  # Numba has no types
    """Numba's files with the SHA-256 of their bytes behind them, which unpickling ignores."""

    def _load_index(self) -> Any:
        return self._checked(self._index_path, super()._load_index) or {}

    def _load_data(self, name: str) -> Any:
        return self._checked(self._data_path(name), partial(super()._load_data, name))

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        data, temporary = io.BytesIO(), Path(f"{filepath}.{os.getpid()}.tmp")
        yield data
        _remove_unfinished(temporary.parent)
        try:
            temporary.write_bytes(data.getvalue() + hashlib.sha256(data.getvalue()).digest())
            os.replace(temporary, filepath)
        finally:
            temporary.unlink(missing_ok=True)

    def _checked(self, path: str, read: Callable[[], Any]) -> Any:
        """What is in a file; None if it is absent, somebody else's or damaged, and then it is removed."""
        try:
            data = Path(path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            _unusable(path, f"cannot be read ({error.strerror})")
            return None
        why = distrust_owner(Path(path))
        if why or hashlib.sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
            _unusable(path, why or "is damaged")
            return None
        try:
            return read()
        except Exception as error:  # pickles of another version, say
            _unusable(path, f"is foreign ({type(error).__name__})")
            return None


def _remove_unfinished(folder: Path) -> None:
    """Files that killed processes were writing."""
    for path in folder.glob("*.tmp"):
        pid = path.suffixes[-2][1:] if len(path.suffixes) > 1 else ""
        if pid.isdecimal() and not _is_alive(int(pid)):
            path.unlink(missing_ok=True)


def _unusable(path: str, why: str) -> None:
    """Say so and remove it. That something is compiled again is said by whoever does."""
    say(f"kernel cache: {path!r} {why}; it is not used")
    with contextlib.suppress(OSError):
        os.unlink(path)


class KernelCache(FunctionCache):  # type: ignore[misc]  # Numba has no types
    """Numba's cache of one entry point, which compiles again rather than fail."""

    def __init__(self, function: Callable[..., Any], missing: Callable[[], None]) -> None:
        super().__init__(function)
        sealed = _SealedFiles.__new__(_SealedFiles)
        sealed.__dict__.update(self._cache_file.__dict__)
        self._cache_file: _SealedFiles = sealed
        self._missing = missing  # called when something has to be compiled

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = None
        try:
            found = super().load_overload(sig, target_context)
        except Exception as error:  # machine code of another kind of processor, say
            _unusable(self._cache_file._index_path, f"is foreign ({type(error).__name__})")
        if found is None:
            self._missing()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            say(f"kernels cannot be kept in {self.cache_path!r} ({error.strerror}): the next run compiles again")
