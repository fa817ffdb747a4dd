"""Faults of files, disks and processes: what is on the disk is whole, or it is refused by name in one line."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import resource
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import pushpoint as pp
from pushpoint.cli.run import save as save_run
from pushpoint.errors import InvalidInput, PushpointError
from pushpoint.files import _PROCESS, this_host, write_json
from pushpoint.recording import Recording
from pushpoint.studies import Results, Study
from pushpoint.view.figures import save_figure
from tests.properties import hostile
from tests.properties.old_files import write_version_1

HERE = Path(__file__).parent
FLIPS = 300
CPU_SECONDS, MEGABYTES = 2.0, 500.0  # that a hostile file may take, at most
posix = pytest.mark.skipif(os.name != "posix", reason="signals, limits and pipes of POSIX")
compiles = pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="too slow without compiled kernels")


def child(script: str, *words: str, seconds: int = 120) -> subprocess.CompletedProcess[str]:
    """A script beside this file in a process of its own, with a limit to its CPU time."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    command = [sys.executable, str(HERE / script), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)


@pytest.fixture(scope="module")
def run() -> Recording:
    return pp.simulate("transeth2008a/track", duration=0.2)


@pytest.fixture(scope="module")
def image(run: Recording, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return run.save(tmp_path_factory.mktemp("image") / "run.nc").read_bytes()


# --- flipped bytes ---


def altered(image: bytes, draw: random.Random) -> bytes:
    """One to eight flipped bits anywhere, at the beginning or in the checksum; or cut off, or lengthened."""
    data = bytearray(image)
    kind = draw.random()
    if kind < 0.1:
        return bytes(data[: draw.randrange(len(data))])
    if kind < 0.2:
        return bytes(data) + draw.randbytes(draw.randrange(1, 4000))
    first, last = {0: (0, 4096), 1: (len(data) - 130, len(data))}.get(draw.randrange(4), (0, len(data)))
    places = draw.sample(range(8 * first, 8 * last), draw.choice([1, 1, 1, 2, 8]))
    for place in places:
        data[place // 8] ^= 1 << (place % 8)
    return bytes(data)


def test_altered_files_are_refused_by_name(image: bytes, tmp_path: Path) -> None:
    draw, path = random.Random(15), tmp_path / "altered.nc"
    for _ in range(FLIPS):
        path.write_bytes(altered(image, draw))
        with pytest.raises(InvalidInput, match=r"altered\.nc") as refused:
            pp.load(path)
        assert "\n" not in str(refused.value)
        with pytest.raises(InvalidInput, match=r"altered\.nc"):
            pp.Checkpoint.load(path)


def test_altered_files_reach_hdf5_only_on_demand(image: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(*_: object) -> None:
        raise AssertionError("HDF5 has seen it")

    monkeypatch.setattr("pushpoint.recording._netcdf._read_groups", opened)
    draw, path = random.Random(16), tmp_path / "altered.nc"
    for _ in range(100):
        path.write_bytes(altered(image, draw))
        with pytest.raises(InvalidInput):
            pp.load(path)


@pytest.mark.parametrize("count", [8, pytest.param(FLIPS, marks=pytest.mark.slow)])
def test_files_taken_as_they_are_raise_nothing_foreign(
    count: int, image: bytes, run: Recording, tmp_path: Path
) -> None:
    """Also those of version 1, which have no checksum. Numbers may be others: nobody can see that."""
    draw, path = random.Random(17), tmp_path / "altered.nc"
    old = write_version_1(run, tmp_path / "old.nc").read_bytes()
    for source, verify in ((image, False), (old, True)):
        for _ in range(count):
            path.write_bytes(altered(source, draw))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with contextlib.suppress(InvalidInput):
                    assert pp.load(path, verify=verify).metrics()


# --- hostile files ---


@posix
def test_hostile_files_cost_little_and_say_one_line(run: Recording, tmp_path: Path) -> None:
    hostile.write_all(tmp_path, write_version_1(run, tmp_path / "good").read_bytes())
    done = child("hostile.py", str(tmp_path))
    assert done.returncode == 0, done.stderr
    ends = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(ends) == len(hostile.SPOILT) + len(hostile.ORDINARY) + 2
    for name, code, said, seconds, megabytes in ends:
        assert code == 2, (name, code, said)
        assert said.startswith("error: "), (name, said)
        assert said.count("\n") == 1, (name, said)
        assert name in said, (name, said)
        assert seconds < CPU_SECONDS, name
        assert megabytes < MEGABYTES, name


# --- checkpoints ---


@compiles
@posix
def test_spoilt_checkpoints_are_refused_before_kernels_see_them() -> None:
    spoil("planar_stepping,spatial_stepping", seed=3, count=150)


@compiles
@posix
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "plant",
    ["planar_stepping", "extended", "adaptive", "planar_hybrid", "spatial_stepping", "mujoco", "mujoco in space",
     "controller"],
)  # fmt: skip
def test_a_thousand_spoilt_checkpoints(plant: str, seed: int) -> None:
    spoil(plant, seed, count=1000)


def spoil(plants: str, seed: int, count: int) -> None:
    done = child("spoilt_checkpoints.py", plants, str(seed), str(count))
    assert done.returncode == 0, done.stderr  # negative: killed by a signal
    for line in done.stdout.splitlines():
        ends = json.loads(line)
        assert ends["refused"] > count / 2
        assert set(ends) <= {"refused", "ran", "stopped"}, ends


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"plant": "planar_hybrid"}, "another plant"),
        ({"plant": "mujoco"}, "another plant"),
        ({"robot": {"name": "uniform", "options": {"links": 5}}}, "another robot"),
        ({"world": {"name": "plane"}}, "another world"),
    ],
)
def test_checkpoints_of_other_runs_are_refused(run: Recording, changes: dict[str, Any], named: str) -> None:
    checkpoint = run.checkpoint()
    other = checkpoint.scenario.with_overrides(changes)
    with pytest.raises(InvalidInput, match=named):
        pp.resume(replace(checkpoint, scenario=other), duration=0.3)
    with pytest.raises(InvalidInput):  # as a file of version 1 it does not say what it was made for
        pp.resume(replace(checkpoint, scenario=other, made_for={}), duration=0.3)


def test_another_step_is_noticed(run: Recording) -> None:
    checkpoint = run.checkpoint()
    other = checkpoint.scenario.with_overrides({"plant.dt": 5e-4})
    with pytest.raises(InvalidInput, match=r"at 0\.2 s; the state of its plant is at 0\.1 s"):
        pp.resume(replace(checkpoint, scenario=other), duration=0.3)


def test_a_state_that_is_laid_out_otherwise_is_refused(run: Recording) -> None:
    checkpoint = run.checkpoint()
    arrays = checkpoint.plant | {"layout": np.array("clock link:y,x")}
    with pytest.raises(InvalidInput, match="another layout of the state"):
        pp.resume(replace(checkpoint, plant=arrays), duration=0.3)


# --- kills ---


@compiles
@posix
def test_kills_leave_whole_files_and_nothing_else(tmp_path: Path) -> None:
    done = child("killed_saves.py", str(tmp_path), "15", "20")
    assert done.returncode == 0, done.stderr
    *kills, last = done.stdout.splitlines()
    assert len(kills) == 20
    # At most two: that of the last kill, and none of the kills before, which the next save removes.
    assert all(line in ("absent 0", "absent 1", "whole 0", "whole 1", "whole 2", "absent 2") for line in kills), kills
    assert last == "at last 3"  # run.nc and the two images


@posix
def test_only_temporary_files_of_dead_processes_are_removed(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    names = {
        f".pushpoint-{this_host()}-{dead.pid}-{'0' * 8}-0.tmp": False,  # of a process that is no more
        f".pushpoint-{this_host()}-{os.getpid()}-{'0' * 8}-0.tmp": False,  # of one that had our number
        f".pushpoint-{this_host()}-{os.getpid()}-{_PROCESS}-99.tmp": True,  # of another thread of this one
        f".pushpoint-{this_host()}-{os.getppid()}-{'0' * 8}-0.tmp": True,  # of one that lives
        f".pushpoint-{'0' * 8}-{dead.pid}-{'0' * 8}-0.tmp": True,  # of another machine, lately
        f".pushpoint-{'1' * 8}-{dead.pid}-{'0' * 8}-0.tmp": False,  # of another machine, long ago
        ".pushpoint-notes.tmp": True,  # not ours
        "run.tmp": True,
    }
    for name in names:
        (tmp_path / name).write_bytes(b"x")
    os.utime(tmp_path / f".pushpoint-{'1' * 8}-{dead.pid}-{'0' * 8}-0.tmp", (0, 0))
    write_json(tmp_path / "a.json", {})
    assert {name: (tmp_path / name).exists() for name in names} == names


# --- full disks ---


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """A disk that has room for so many bytes more."""
    write = os.write

    def fill(room: int) -> None:
        left = [room]

        def limited(handle: int, data: Any) -> int:
            if left[0] <= 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            done = write(handle, memoryview(data)[: left[0]])
            left[0] -= done
            return done

        monkeypatch.setattr(os, "write", limited)

    yield fill
    monkeypatch.setattr(os, "write", write)


def test_a_full_disk_keeps_the_old_files(run: Recording, tmp_path: Path, full: Callable[[int], None]) -> None:
    """Room for nothing, for a part of the first file, and for most of them."""
    picture = Figure(figsize=(1.0, 1.0))
    results = Results(Study.parse({"scenario": "transeth2008a/track", "seeds": [0]}), ())
    writers: tuple[Callable[[], Any], ...] = (
        lambda: run.save(tmp_path / "run.nc"),
        lambda: run.checkpoint().save(tmp_path / "state.nc"),
        lambda: save_figure(picture, tmp_path / "figure.png"),
        lambda: results.save(tmp_path),
    )
    for write in writers:
        write()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for room, least in ((0, 4), (400, 3), (60_000, 1)):
        refusals = []
        for write in writers:
            full(room)
            try:
                write()
            except InvalidInput as refused:
                refusals.append(str(refused))
        assert len(refusals) >= least
        assert all("No space left on device; what was there before is kept" in text for text in refusals)
        after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        assert set(after) == set(before)  # no temporary files either
        assert all(len(after[name]) > 0.9 * len(before[name]) for name in before)
        assert room > 0 or after == before
        pp.load(tmp_path / "run.nc")
        pp.Checkpoint.load(tmp_path / "state.nc")


@compiles
@posix
def test_the_command_line_survives_files_that_cannot_grow(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    done = child("full_disk.py", str(folder), "100000000", "0", "5000", "100000")
    assert done.returncode == 0, done.stderr
    (first, _), *others = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("[")]
    assert first == 0
    for code, said in others:
        assert code == 2, said
        assert said.startswith("error: "), said
        assert "cannot be written" in said
        assert said.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == ["figure.png", "recording.nc"]
    pp.load(folder / "recording.nc")


@compiles
@pytest.mark.skipif(sys.platform != "linux", reason="needs mount namespaces")
@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", [8, 64])
def test_the_command_line_survives_a_full_file_system(kilobytes: int, tmp_path: Path) -> None:
    """A file system in memory that only this process sees, where that is allowed."""
    mount = f"mount -t tmpfs -o size={kilobytes}k small {tmp_path}"
    if subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed")
    command = f"{sys.executable} -m pushpoint run transeth2008a/track --duration 0.2 --out {tmp_path}/out"
    listing = f"ls -A {tmp_path}/out"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", f"{mount}; {command}; echo ended $?; {listing}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ended 2" in done.stdout, done.stdout + done.stderr
    assert "No space left on device" in done.stderr
    assert ".tmp" not in done.stdout


def test_a_folder_that_cannot_be_written_is_named(
    run: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = run.save(tmp_path / "run.nc")
    before = path.read_bytes()

    def locked(*_: object, **__: object) -> int:  # whoever runs this may be allowed to write everywhere
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", locked)
    with pytest.raises(
        InvalidInput, match=r"run\.nc' cannot be written: Permission denied; what was there before is kept"
    ):
        run.save(path)
    monkeypatch.setattr(Path, "mkdir", locked)
    with pytest.raises(InvalidInput, match=r"out' cannot be made: Permission denied"):
        save_run(run, tmp_path / "out")
    assert path.read_bytes() == before


def test_what_is_no_file_is_not_replaced(run: Recording, tmp_path: Path) -> None:
    (tmp_path / "folder.nc").mkdir()
    with pytest.raises(InvalidInput, match="Is a directory"):
        run.save(tmp_path / "folder.nc")
    for name in ("a\0b.nc", "x" * 300 + ".nc"):
        with pytest.raises(PushpointError, match="cannot be written"):
            run.save(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.nc"]
