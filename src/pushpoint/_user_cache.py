"""Where kernels and results are kept for later, and whether what lies there may be used: a folder that is not the
user's own, or that others can write, is not."""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import shutil
import stat
import sys
import tempfile
from pathlib import Path

ROOT = "PUSHPOINT_CACHE_DIR"
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
            if name and not _distrust(Path(entry.path)) and not is_alive(int(name[1])):
                shutil.rmtree(entry.path, ignore_errors=True)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)  # sends nothing
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # somebody else's
        return True
    return True
