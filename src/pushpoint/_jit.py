"""The only file that talks to Numba's decorators and settings.

Numba's on-disk cache does not notice edits in *other* files of a package, so stale machine code can come back
silently. Here the cache folder is named after a hash of Numba's version and of all package sources that kernels can
depend on: an edit in any of these gives a new, empty folder.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from pushpoint._code_digest import code_digest
from pushpoint._inner_kernels import InnerCompiler, is_possible, one_version
from pushpoint._kernel_cache import KernelCache
from pushpoint._user_cache import say, trusted

try:
    import fcntl
except ImportError:  # Windows: processes that compile the same at once do so each for itself
    fcntl = None  # type: ignore[assignment]  # a module is no None

F = TypeVar("F", bound=Callable[..., Any])

COMPILE_ERRORS = (numba.core.errors.NumbaError, numba.core.errors.UnsupportedBytecodeError)
FLAT = numba.types.Array(numba.float64, 1, "C")
# Functions that are called by number where nothing is compiled, from 1 on.
INTERPRETED: list[Callable[..., None]] = []
_compiled: set[str] = set()  # in this process: spares looking at the disk in every call
_expected: list[str] = []  # kernels that are being called and should be in the cache
# Rooms and modules without kernels, that no kernel imports (a test follows the imports): editing them compiles nothing.
WITHOUT_KERNELS = frozenset({
    "__init__", "_many_calls", "_progress", "_yaml_events", "analysis", "api", "batch", "cli", "control", "declared",
    "files", "gym", "many", "path_plans", "plain_data", "planning", "recording", "registering", "reproduction",
    "scenarios", "scenario", "search", "sensors", "simulation", "studies", "view", "viewer",
})  # fmt: skip
_compiling = threading.RLock()  # settings of Numba change meanwhile, for all threads
_PATIENCE = 120.0  # [s], for other processes that compile the same
_FORGET_AFTER = 7 * 86400  # [s]: folders of sources that have been edited since are dead weight


@cache
def cache_folder() -> Path | None:
    """Where compiled kernels of these very sources live; override the root with PUSHPOINT_CACHE_DIR.

    None where nothing can be kept, not even for as long as this process lives.
    """
    found = trusted("kernels", _source_hash())
    if found is None:
        return None
    folder, lasts = found
    if lasts:
        with contextlib.suppress(OSError):
            _forget_old(folder)
    return folder


def _source_hash() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {sys.version} {numba.config.DISABLE_JIT}".encode())
    package = Path(__file__).parent
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package)
        if Path(inside.parts[0]).stem not in WITHOUT_KERNELS:
            digest.update(str(inside).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def _forget_old(current: Path) -> None:
    os.utime(current)
    for folder in current.parent.iterdir():
        with contextlib.suppress(OSError):  # another process may be forgetting it too
            if time.time() - folder.stat().st_mtime > _FORGET_AFTER:
                shutil.rmtree(folder, ignore_errors=True)


# No fastmath: results are the same on every run. Division by zero as in NumPy: statuses report it, nothing raises.
# `_nrt` off: kernels allocate nothing, and counting references of views made steps thirty times slower.
_SETTINGS = {"error_model": "numpy", "nogil": True, "_nrt": False, "no_cfunc_wrapper": True}
# What only kernels call needs no entry point from Python: a quarter less to compile.
_INNER = {"no_cpython_wrapper": True}
# Of fastmath `contract` alone, in these modules: a product and a sum become one instruction that rounds once, a tenth
# less time to step. Nothing is reordered, NaN and infinity stay; what is fused is the compiler's choice, the same one
# for the same settings.
_CONTRACTED = (
    "pushpoint.plants.planar_stepping.",
    "pushpoint.mechanics.planar_chain",
    "pushpoint.mechanics.uneven_chain",
    "pushpoint.geometry.capsule_disc",
)
_INNER_ALONE = not numba.config.DISABLE_JIT and is_possible()


def _compiled_with(function: F, **more: Any) -> F:
    contract = {"fastmath": {"contract"}} if f"{function.__module__}.".startswith(_CONTRACTED) else {}
    return cast(F, numba.njit(**_SETTINGS, **contract, **more)(function))


def _inner(function: F, **more: Any) -> F:
    """A compiled function that only kernels call."""
    if not _INNER_ALONE:
        return _compiled_with(function, **more, **_INNER)
    return cast(F, one_version(_compiled_with(function, pipeline_class=InnerCompiler, **more, **_INNER)))


def kernel(function: F) -> F:
    """A compiled function that other kernels call, never Python. It is part of its entry point's cache."""
    return _inner(function)


def fused(function: F) -> F:
    """A small kernel whose machine code always becomes a part of its callers', so that no call interrupts a loop."""
    return _inner(function, forceinline=True)


def inlined(function: F) -> F:
    """A kernel with one caller, compiled as a part of it: a tenth less to compile, and no arguments to pass on."""
    return _compiled_with(function, inline="always", **_INNER)


def entry_point(function: F) -> F:
    """A compiled function that Python calls: compiled once per machine, with all the kernels it uses."""
    compiled, folder = _compiled_with(function), cache_folder()
    if numba.config.DISABLE_JIT or folder is None:
        return compiled
    with _cache_in(folder):
        cast(Any, compiled)._cache = KernelCache(function, _note_missing)
    return compiled


def compiled_part(function: F) -> F:
    """Mark a function that the tick of a compiled controller calls; Python may call it, too.

    Parameters
    ----------
    function
        Of numbers and arrays.
    """
    return cast(F, numba.njit(error_model="numpy", nogil=True)(function))


class MachineCode:
    """A function of four flat float64 arrays that compiled plants call by its address: a controller's tick.

    It is compiled by itself, with Numba's settings but for division, and kept in the cache until it changes, or what it
    calls; the plants that call it stay as they are. No instructions are fused, so that Python gives the same bits.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function

    @cached_property
    def compiled(self) -> Any:
        """Made when it is needed: by then all that it calls is defined."""
        compiled: Any = numba.njit(error_model="numpy", nogil=True)(self.function)
        folder = cache_folder()
        if not numba.config.DISABLE_JIT and folder is not None:
            with contextlib.suppress(RuntimeError), _cache_in(folder):  # a notebook's cell has no file
                compiled._cache = KernelCache(self.function, _note_missing, code_digest(self.function))
        return compiled

    def __call__(self, *arrays: Any) -> None:
        with _fast_compile():
            self.compiled(*arrays)

    @cached_property
    def address(self) -> int:
        """Of the machine code; compiles it. Without a compiler, a number by which it is called."""
        if numba.config.DISABLE_JIT:
            INTERPRETED.append(self.function)
            return len(INTERPRETED)
        signature = (FLAT,) * 4
        with _fast_compile():
            self.compiled.compile(signature)
        version = self.compiled.overloads[signature]
        return int(version.library.get_pointer_to_function(version.fndesc.llvm_func_name))


@contextlib.contextmanager
def _cache_in(folder: Path) -> Iterator[None]:
    """Numba reads its setting when a cache is made; restored so that other packages keep theirs."""
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = previous


def _note_missing() -> None:
    """Kernels that ought to be in the cache are not: say why it takes so long."""
    if _expected:
        say(f"compiling {_expected.pop()} again, as the cache does not hold it (10 to 30 s) ...")


def for_types_of(function: F, *arguments: Any) -> F:
    """What an entry point, once compiled, does with arguments of the types of these. It spares 6 us of looking at the
    types in every call, so that they have to be the same."""
    if numba.config.DISABLE_JIT:
        return function
    signature = tuple(numba.typeof(argument) for argument in arguments)
    return cast(F, cast(Any, function).overloads[signature].entry_point)


@contextlib.contextmanager
def _fast_compile() -> Iterator[None]:
    """Without two steps that were a third of the time to compile: LLVM's attempts to vectorise loops (those over
    the records of a chain do not), and Python's search for garbage among the compiler's many small objects."""
    vectorise, collect = numba.config.LOOP_VECTORIZE, gc.isenabled()
    numba.config.LOOP_VECTORIZE = 0
    gc.disable()
    try:
        yield
    finally:
        numba.config.LOOP_VECTORIZE = vectorise
        if collect:
            gc.enable()


@contextlib.contextmanager
def compiling_once(what: str) -> Iterator[None]:
    """Say so while kernels are compiled for the first time on this machine; stay quiet ever after. One thread at a
    time."""
    with _compiling, _compiling_once(what):
        yield


@contextlib.contextmanager
def _compiling_once(what: str) -> Iterator[None]:
    if what in _compiled or numba.config.DISABLE_JIT:
        with _fast_compile():  # arguments of another kind compile anew, and must give the same results
            yield
        return
    folder = cache_folder()
    marker = None if folder is None else folder / f"{what}.compiled"
    if marker is not None and marker.exists():
        with _from_cache(what):
            yield
        return
    with _alone(marker), _from_cache(what) if marker is not None and marker.exists() else _compiled_now(what, marker):
        yield


@contextlib.contextmanager
def _from_cache(what: str) -> Iterator[None]:
    """Kernels that should be in the cache."""
    _expected.append(what)
    try:
        with _fast_compile():
            yield
    finally:
        _expected.clear()
    _compiled.add(what)


@contextlib.contextmanager
def _compiled_now(what: str, marker: Path | None) -> Iterator[None]:
    """Say so, and how long it took; the marker says to later processes that the cache has it."""
    say(f"compiling {what} once for this machine (10 to 30 s) ...")
    wall, cpu = time.perf_counter(), time.process_time()
    with _fast_compile():
        yield
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if marker is not None:
        with contextlib.suppress(OSError):  # a full disk: the next run compiles again
            marker.write_text(f"{cpu:.2f} CPU seconds\n")
    _compiled.add(what)
    say(f"compiled in {wall:.1f} s ({cpu:.1f} CPU seconds)")


@contextlib.contextmanager
def _alone(marker: Path | None) -> Iterator[None]:
    """Processes that are about to compile the same wait for the first one, and then find it in the cache."""
    handle = -1
    with contextlib.suppress(OSError):  # a full disk, or a file system without locks: each compiles for itself
        if fcntl is not None and marker is not None:
            handle = os.open(marker.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
            _lock(handle)
    try:
        yield
    finally:
        if handle >= 0:
            os.close(handle)


def _lock(handle: int) -> None:
    """No longer than it takes to compile: another process may wait for what this one has."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(0.1)
