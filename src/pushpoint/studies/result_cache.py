"""Results that were computed before: recordings of runs, numbers measured of them, pictures. One folder, one key.

The key of a result is the SHA-256 of all that it depends on: what was asked, the sources of this package that can
change the answer, Python files of users, versions, the kind of processor. Whatever changes gives another key, and what
has the old one is removed when the folder is full. Entries are JSON, PNG and our own NetCDF, each with a checksum, so
that nothing in here can run code; damaged ones are computed again. Failures are not kept: they are tried again.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sys
import tempfile
import time
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import Enum
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pushpoint import limits
from pushpoint._user_cache import distrust_owner, trusted
from pushpoint._version import __version__
from pushpoint.errors import InvalidInput
from pushpoint.files import write_bytes
from pushpoint.registry import NOTEBOOK, foreign, plug_ins
from pushpoint.user_code import loaded_files, sources

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording
    from pushpoint.scenario import Scenario

FORMAT = 1  # raised with every change of what entries hold
PACKAGE = Path(__file__).parent.parent
# Rooms and modules of the package that cannot change a run (a test follows the imports). Scenarios are in the key as
# they were built; measures and figures are read from recordings.
WITHOUT_RUNS = frozenset({
    "__init__", "__main__", "_progress", "analysis", "api", "batch", "cli", "declared", "gym", "many", "path_plans",
    "registering", "reproduction", "scenarios", "search", "studies", "view", "viewer",
})  # fmt: skip
FURTHER = {  # by kind of result: what of these it depends on besides
    "run": (),
    "answer": ("analysis",),
    "note": ("analysis",),
    "picture": ("analysis", "view"),
}
LIBRARIES = ("numpy", "numba", "llvmlite", "scipy", "mujoco", "daqp")
DRAWN_BY = ("matplotlib", "pillow")
SETTINGS = ("NUMBA_DISABLE_JIT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT")  # of the environment
DIGEST = hashlib.sha256().digest_size
TOUCHED_AFTER = 3600.0  # [s]: that an entry was used is noted this often at most
_NOTEBOOK_SALT = os.urandom(16).hex()  # code typed into a notebook is in no file that could be compared

# --- the key ---


def key_of(kind: str, asked: Any) -> str | None:
    """The key of a result of a kind in FURTHER; None if something in `asked` has no exact text: then nothing is kept.

    `asked` are plain data: what belongs to this result alone.
    """
    try:
        text = canonical([FORMAT, kind, asked, source_hash(*FURTHER[kind]), user_sources(), environment(kind)])
    except (TypeError, ValueError):
        return None
    return hashlib.sha256(text.encode()).hexdigest()


def run_key(scenario: Scenario) -> str | None:
    """The key of a run: its scenario, with robot and world as they are built."""
    robot, world = scenario.built_robot(), scenario.built_world()
    return key_of("run", [scenario.model_dump(), robot.model_dump(), world.model_dump()])


def canonical(data: Any) -> str:
    """The one JSON text of some data; numbers are written such that they are read back to the bit."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    """What JSON has no word for. Other objects are refused: their text may hide what they hold."""
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return value.tolist()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    raise TypeError(type(value).__name__)


@cache
def source_hash(*further: str) -> str:
    """Of all sources of the package that can change a run, and of those in `further`."""
    digest, left_out = hashlib.sha256(), WITHOUT_RUNS - set(further)
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE)
        if Path(inside.parts[0]).stem not in left_out:
            _add(digest, inside.as_posix(), path.read_bytes())
    return digest.hexdigest()


def _add(digest: Any, name: str, data: bytes) -> None:
    digest.update(f"{len(name)} {name} {len(data)} ".encode(errors="surrogatepass"))
    digest.update(data)


def user_sources() -> list[Any]:
    """Code that is not this package's own: files that were loaded, modules that these imported from their folders,
    packages that register by entry points, scripts and notebooks that register names. Data files that such code reads
    are not seen."""
    packages = _plug_in_hashes()
    found: list[Any] = [asdict(file) for file in loaded_files()] + [list(pair) for pair in packages]
    known = {source.path for source in sources()}
    folders = {os.path.dirname(path) for path in known}
    for file, names in sorted(foreign().items()):
        if file == NOTEBOOK:
            found.append([_NOTEBOOK_SALT, names])
        elif file not in known and not any(file.startswith(place) for place, _ in packages):
            found.append([os.path.basename(file), _file_hash(file)])
            folders.add(os.path.dirname(file))
    return found + [[os.path.basename(file), _file_hash(file)] for file in sorted(_imported_from(folders) - known)]


def _imported_from(folders: set[str]) -> set[str]:
    """Files of the modules that were imported from these folders."""
    if not folders:
        return set()
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return {file for file in files if isinstance(file, str) and os.path.dirname(file) in folders}


def _file_hash(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return _NOTEBOOK_SALT  # it is gone


@cache
def _plug_in_hashes() -> tuple[tuple[str, str], ...]:
    """Folder (or file) and hash of every package with an entry point of ours, imported or not."""
    found = {}
    for name in sorted({entry.module.partition(".")[0] for entry in plug_ins()}):
        with suppress(ImportError, ValueError):
            spec = find_spec(name)
            places = [] if spec is None else list(spec.submodule_search_locations or [spec.origin or ""])
            for place in places:
                digest = hashlib.sha256()
                files = [Path(place)] if place.endswith(".py") else sorted(Path(place).rglob("*.py"))
                for file in files:
                    _add(digest, file.name, file.read_bytes())
                found[place] = digest.hexdigest()
    return tuple(found.items())


@cache
def environment(kind: str) -> dict[str, Any]:
    """What else numbers, or pictures, may depend on."""
    from llvmlite.binding import get_host_cpu_name

    libraries = LIBRARIES + (DRAWN_BY if kind == "picture" else ())
    return {
        "pushpoint": __version__,
        "python": platform.python_version(),
        "system": [platform.system(), platform.machine(), get_host_cpu_name()],
        "libraries": {name: version_of(name) for name in libraries},
        "settings": {name: os.environ.get(name, "") for name in SETTINGS},
    }


def result_versions(kind: str) -> dict[str, Any]:
    """Sources, versions and settings that results of a kind depend on, as plain data."""
    return {"sources": source_hash(*FURTHER[kind]), **environment(kind)}


def version_of(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "absent"


# --- the folder ---


def user_folder() -> Path | None:
    """Where results of this user are kept: beside the kernels; None if there is no room for any."""
    found = trusted("results", f"v{FORMAT}")
    return None if found is None else found[0]


@dataclass(frozen=True)
class ResultCache:
    """Results by key. Several processes may use one folder: entries are complete or absent, and equal if equal keys."""

    folder: Path

    @classmethod
    def of_user(cls) -> ResultCache:
        """The one that lasts."""
        folder = user_folder()
        return cls.temporary() if folder is None else cls(folder)

    @classmethod
    def temporary(cls) -> ResultCache:
        """One that is removed when nobody needs it any more."""
        made = cls(Path(tempfile.mkdtemp(prefix="pushpoint-results-")))
        weakref.finalize(made, shutil.rmtree, made.folder, ignore_errors=True)  # copies in other processes remove none
        return made

    def data(self, key: str | None) -> Any:
        """Plain data, or None."""
        text = self._sealed(key, ".json")
        return None if text is None else json.loads(text)

    def keep_data(self, key: str | None, data: Any) -> None:
        self._keep(key, ".json", json.dumps(data).encode())

    def picture(self, key: str | None) -> bytes | None:
        """A PNG; empty if there is nothing to show."""
        return self._sealed(key, ".png")

    def keep_picture(self, key: str | None, image: bytes) -> None:
        self._keep(key, ".png", image)

    def recording(self, key: str | None) -> Recording | None:
        from pushpoint.recording.recording import load

        path = self._path(key, ".nc")
        if path is None or not path.is_file():
            return None
        try:
            _refuse_foreign(path)
            recording = load(path)
        except (InvalidInput, OSError) as error:
            _drop(path, error)
            return None
        _note_use(path)
        return recording

    def keep_recording(self, key: str | None, recording: Recording) -> None:
        path = self._path(key, ".nc")
        if path is not None:
            try:
                path.parent.mkdir(mode=0o700, exist_ok=True)
                recording.save(path)
            except (InvalidInput, OSError) as error:
                _say_not_kept(error)

    def forget_oldest(self, most: int = limits.CACHE_BYTES) -> int:
        """Remove the entries that were not used for longest until the others have `most` bytes; returns how many."""
        entries = sorted(_entries(self.folder))
        size, removed = sum(entry[1] for entry in entries), 0
        for _, bytes_, path in entries:
            if size <= most:
                break
            with suppress(OSError):  # another process may be removing it too
                os.unlink(path)
                removed += 1
            size -= bytes_
        return removed

    def _path(self, key: str | None, ending: str) -> Path | None:
        return None if key is None else self.folder / key[:2] / f"{key}{ending}"

    def _sealed(self, key: str | None, ending: str) -> bytes | None:
        path = self._path(key, ending)
        if path is None:
            return None
        try:
            data = path.read_bytes()
            _refuse_foreign(path)
        except FileNotFoundError:
            return None
        except (InvalidInput, OSError) as error:
            _drop(path, error)
            return None
        if hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
            _drop(path, "is damaged")
            return None
        _note_use(path)
        return data[:-DIGEST]

    def _keep(self, key: str | None, ending: str, data: bytes) -> None:
        path = self._path(key, ending)
        if path is not None:
            try:
                path.parent.mkdir(mode=0o700, exist_ok=True)
                write_bytes(path, data, hashlib.sha256(data).digest())
            except (InvalidInput, OSError) as error:
                _say_not_kept(error)


def _refuse_foreign(path: Path) -> None:
    if why := distrust_owner(path):
        raise InvalidInput(why)


def _drop(path: Path, why: object) -> None:
    warnings.warn(f"cache of results: {path.name} is not used ({why}); it is computed again", stacklevel=4)
    with suppress(OSError):
        path.unlink()


def _say_not_kept(why: object) -> None:
    warnings.warn(f"a result cannot be kept for later ({why})", stacklevel=4)


def _note_use(path: Path) -> None:
    with suppress(OSError):  # it may be gone
        if time.time() - path.stat().st_mtime > TOUCHED_AFTER:
            os.utime(path)


def _entries(folder: Path) -> Iterator[tuple[float, int, str]]:
    """When each was last used, its size, and its path."""
    with suppress(OSError):
        for room in folder.iterdir():
            with suppress(OSError), os.scandir(room) as entries:
                for entry in entries:
                    with suppress(OSError):
                        state = entry.stat(follow_symlinks=False)
                        yield state.st_mtime, state.st_size, entry.path


# --- runs ---


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run whose recording should be in a cache."""

    scenario: Scenario
    key: str | None

    def recording(self, cache: ResultCache) -> Recording:
        """As it was kept; made again if it is gone."""
        found = cache.recording(self.key)
        if found is not None:
            return found
        from pushpoint.simulation import simulate

        made = simulate(self.scenario)
        cache.keep_recording(self.key, made)
        return made


class KeptRuns(Mapping[str, "Recording"]):
    """Recordings by name, each read from the disk when it is asked for."""

    def __init__(self, cache: ResultCache, runs: Mapping[str, KeptRun]) -> None:
        self.cache, self.runs = cache, dict(runs)

    def __getitem__(self, name: str) -> Recording:
        return self.runs[name].recording(self.cache)

    def __contains__(self, name: object) -> bool:
        return name in self.runs  # and nothing is read

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)
