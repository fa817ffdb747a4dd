"""The cache of compiled kernels: used if it is whole and the user's own, else compiled again, and said."""

from __future__ import annotations

import importlib
import os
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import pytest

from pushpoint import _jit, _user_cache
from pushpoint._jit import cache_folder, compiling_once, entry_point

pytestmark = [
    pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled"),
    pytest.mark.skipif(os.name != "posix", reason="owners and permissions of POSIX"),
]


def one_more(x: float) -> float:
    return x + 1.0


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of its own, empty."""
    monkeypatch.setenv(_user_cache.ROOT, str(tmp_path / "cache"))
    cache_folder.cache_clear()
    yield tmp_path / "cache"
    monkeypatch.undo()
    cache_folder.cache_clear()


def attempt(capsys: pytest.CaptureFixture[str]) -> str:
    """What is said when a process wants the kernel."""
    _jit._compiled.discard("one more")
    cache_folder.cache_clear()
    kernel: Callable[[float], float] = entry_point(one_more)
    with compiling_once("one more"):
        assert kernel(1.0) == 2.0
    return capsys.readouterr().err


def kept(root: Path, ending: str) -> Path:
    (found,) = root.rglob(f"*one_more*.{ending}")
    return found


def test_kernels_are_compiled_once(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "compiling one more once for this machine" in attempt(capsys)
    assert attempt(capsys) == ""
    assert {oct(folder.stat().st_mode & 0o777) for folder in (root, root / "kernels")} == {"0o700"}


def test_kernels_outside_the_package_notice_edits_of_their_file(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is named after the package's sources alone; benchmarks have a kernel beside it."""
    source = tmp_path / "outside.py"
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    for number in (1, 22):  # sizes differ, whatever the clock of the file system
        code = f"@entry_point\ndef f(x: float) -> float:\n    return x + {number}\n"
        source.write_text(f"from pushpoint._jit import entry_point\n{code}")
        monkeypatch.delitem(sys.modules, "outside", raising=False)
        importlib.invalidate_caches()
        assert importlib.import_module("outside").f(1.0) == 1.0 + number
        assert list(root.rglob("*outside*.nbc"))


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", ["cut off", "flipped", "empty", "foreign"])
def test_damaged_files_are_compiled_again(
    root: Path, ending: str, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    attempt(capsys)
    path = kept(root, ending)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(
        {"cut off": data[:100], "flipped": data, "empty": b"", "foreign": b"cos\nsystem\n(S'x'\ntR."}[damage]
    )
    said = attempt(capsys)
    assert f"{path.name}' is damaged; it is not used" in said
    assert "compiling one more again" in said
    assert attempt(capsys) == ""


def test_files_that_are_gone_are_compiled_again(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    attempt(capsys)
    kept(root, "nbi").unlink()
    assert "compiling one more again" in attempt(capsys)


def test_pickles_are_not_opened_before_they_are_checked(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    attempt(capsys)
    trap = root / "sprung"
    kept(root, "nbi").write_bytes(f"cos\nsystem\n(S'touch {trap}'\ntR.".encode())
    attempt(capsys)
    assert not trap.exists()


@pytest.mark.parametrize("place", ["", "kernels"])
@pytest.mark.parametrize("mode", [0o775, 0o757, 0o777])
def test_a_folder_that_others_can_write_is_not_used(
    root: Path, place: str, mode: int, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "kernels").mkdir(parents=True, mode=0o700)
    (root / place).chmod(mode)
    said = attempt(capsys)
    assert f"cache folder {str(root / place)!r} can be written by others" in said
    assert "for this process alone" in said
    assert list(root.rglob("*.nbi")) == []
    private = cache_folder()
    assert private is not None
    assert private.stat().st_mode & 0o077 == 0
    assert os.environ[_user_cache.ROOT] == str(private)  # processes that this one starts share it
    _user_cache._remove_own(private, os.getpid() + 1)  # in a process forked from this one
    assert private.exists()
    _user_cache._remove_own(private, os.getpid())
    assert not private.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_what_belongs_to_somebody_else_is_not_used(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    attempt(capsys)
    os.chown(kept(root, "nbc"), 12345, 12345)
    assert "nbc' belongs to somebody else; it is not used" in attempt(capsys)
    os.chown(root, 12345, 12345)
    assert f"cache folder {str(root)!r} belongs to somebody else" in attempt(capsys)


def test_a_full_disk_is_said_and_does_no_harm(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        said = attempt(capsys)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "cannot be kept" in said
    assert [path for path in root.rglob("*one_more*") if path.suffix in (".tmp", ".nbc")] == []
    assert "compiling one more" in attempt(capsys)


def test_unfinished_files_of_dead_processes_are_removed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    attempt(capsys)
    path = kept(root, "nbc")
    dead, alive = (path.with_name(f"{path.name}.{pid}.tmp") for pid in (2**22 + 1, os.getppid()))
    for left in (dead, alive):
        left.write_bytes(b"x")
    path.write_bytes(b"")
    attempt(capsys)
    assert not dead.exists()
    assert alive.exists()


def test_private_folders_of_dead_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv(_user_cache.ROOT, str(tmp_path))
    folders = {f"pushpoint-kernels-{2**22 + 1}-abc": False, f"pushpoint-kernels-{os.getppid()}-abc": True, "mine": True}
    for name in folders:
        (tmp_path / name).mkdir(mode=0o700)
    found: Any = _user_cache._private("is not good enough")
    assert found is not None
    assert {name: (tmp_path / name).exists() for name in folders} == folders
    _user_cache._remove_own(found[0], os.getpid())
