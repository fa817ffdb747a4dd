"""Numba's cache files: used if they are whole and the user's own.

Numba unpickles what it finds in its cache, so that whoever can write there can run code as the user (`_user_cache`).
Files have a checksum: damaged ones are compiled again.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

from pushpoint._user_cache import distrust_owner, is_alive, say

_DIGEST = hashlib.sha256().digest_size


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
        if pid.isdecimal() and not is_alive(int(pid)):
            path.unlink(missing_ok=True)


def _unusable(path: str, why: str) -> None:
    """Say so and remove it. That something is compiled again is said by whoever does."""
    say(f"kernel cache: {path!r} {why}; it is not used")
    with contextlib.suppress(OSError):
        os.unlink(path)


class KernelCache(FunctionCache):  # type: ignore[misc]  # Numba has no types
    """Numba's cache of one entry point, which compiles again rather than fail.

    What is in it counts as long as its stamp stays: by default time and size of the function's file.
    """

    def __init__(self, function: Callable[..., Any], missing: Callable[[], None], stamp: str | None = None) -> None:
        super().__init__(function)
        sealed = _SealedFiles.__new__(_SealedFiles)
        sealed.__dict__.update(self._cache_file.__dict__)
        if stamp is not None:
            sealed._source_stamp = stamp
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
