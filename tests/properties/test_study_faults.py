"""Faults of studies: every run that was asked for is in the store exactly once at the end, and no process is left."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pushpoint.studies import Row
from pushpoint.studies.results import load
from tests.properties.masters import KILLS, RUNS, WORDS, Master, checked, children, resumed, rows_in

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and /proc of Linux"),
]
Table = list[tuple[str, int, str, dict[str, float]]]


def table(rows: Any) -> Table:
    """Without what differs from run to run."""
    return [(row.variant, row.seed, row.status, row.values) for row in rows]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """The study without any fault."""
    folder = tmp_path_factory.mktemp("whole")
    with Master(folder) as master:
        assert master.end() == 0, master.said
    checked(folder / "study")
    found: list[Row] = list(load(folder / "study").rows)
    assert [row.seed for row in found] == list(range(RUNS))
    return table(found)


def assert_whole(folder: Path, whole: Table) -> None:
    checked(folder / "study")
    assert rows_in(folder / "study") == RUNS
    assert table(load(folder / "study").rows) == whole


@pytest.mark.parametrize(("number", "rows"), KILLS)
def test_a_master_that_is_killed_at_any_instant(number: int, rows: int, tmp_path: Path, whole: Table) -> None:
    with Master(tmp_path) as master:
        master.until(rows)
        code = master.kill(number)
        said = master.said
    assert code == (-number if number == signal.SIGKILL else 128 + number)
    kept = rows_in(tmp_path / "study")
    assert rows <= kept < RUNS
    if number == signal.SIGTERM:
        assert "go on with: pushpoint study resume study" in said
    done = resumed(tmp_path)
    assert done.returncode == 0, done.stderr
    assert_whole(tmp_path, whole)


def test_a_worker_that_is_killed_costs_nothing(tmp_path: Path, whole: Table) -> None:
    with Master(tmp_path) as master:
        for rows in (RUNS // 10, RUNS // 2):
            master.until(rows)
            worker = max(children(master.process.pid))
            os.kill(worker, signal.SIGKILL)
        assert master.end() == 0, master.said
    assert_whole(tmp_path, whole)


def test_two_masters_share_one_store(tmp_path: Path, whole: Table) -> None:
    with Master(tmp_path) as one, Master(tmp_path) as other:
        assert (one.end(), other.end()) == (0, 0), one.said + other.said
    assert_whole(tmp_path, whole)


def test_one_of_two_masters_is_killed(tmp_path: Path, whole: Table) -> None:
    with Master(tmp_path) as one, Master(tmp_path) as other:
        one.until(RUNS // 10)
        one.kill(signal.SIGKILL)
        assert other.end() == 0, other.said
    assert_whole(tmp_path, whole)


def test_a_run_that_diverges_is_a_row_with_its_reason(tmp_path: Path) -> None:
    odd = ("--variant", "base", "--variant", "odd:plant.max_iterations=1,plant.max_parts=1", "--seeds", "8")
    with Master(tmp_path, (*WORDS, *odd)) as master:
        assert master.end() == 0, master.said
        assert "8 of 16 runs failed" in master.said
    rows = load(tmp_path / "study").rows
    assert [row.status for row in rows] == ["ok"] * 8 + ["failed"] * 8
    assert all("NOT_CONVERGED" in row.message and not row.values for row in rows[8:])


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[bool]:
    """A file system in memory, where that is allowed."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_is_one_line_and_the_study_goes_on_elsewhere(tmp_path: Path, whole: Table) -> None:
    with small_disk(tmp_path / "small", "100k") as mounted:
        if not mounted:
            pytest.skip("mounting is not allowed here; see the test with a limit of the size of files")
        with Master(tmp_path / "small") as master:
            assert master.end() == 2
            said = master.said
        assert said.count("error: ") == 1
        assert "cannot be written" in said
        assert "Traceback" not in said
        kept = rows_in(tmp_path / "small" / "study")
        checked(tmp_path / "small" / "study", claims=True)  # on a full disk nothing can be given back
        subprocess.run(["cp", "-r", str(tmp_path / "small" / "study"), str(tmp_path)], check=True)
    assert 0 < kept < RUNS
    assert resumed(tmp_path).returncode == 0
    assert_whole(tmp_path, whole)


@pytest.mark.parametrize(("runs", "recordings"), [(RUNS, ()), (20, ("--recordings",))])
def test_files_that_may_not_grow_are_one_line(
    runs: int, recordings: tuple[str, ...], tmp_path: Path, whole: Table
) -> None:
    """The limit of the size of files is met in the middle of the study, or by the first recording."""
    limit = 60_000

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", "pushpoint", *WORDS, "--seeds", str(runs), *recordings]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=limited)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("error: ") == 1
    assert "Traceback" not in done.stderr
    assert rows_in(tmp_path / "study") < runs
    again = resumed(tmp_path)
    assert again.returncode == 0, again.stderr
    checked(tmp_path / "study")
    assert table(load(tmp_path / "study").rows) == whole[:runs]
    assert len(list((tmp_path / "study").glob("recordings/*.nc"))) == (runs if recordings else 0)
