"""Masters of studies in processes of their own: started, watched through their store, and killed."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

PATIENCE = 900.0  # [s]: whoever waits longer waits for ever
ENDS_WITHIN = 10.0  # [s]: for processes to notice that their master is gone
RUNS = 400
WORDS = (
    "study", "run", "transeth2008a/flat", "--jitter", "1e-4", "--set", "duration=5", "--seeds", str(RUNS),
    "--measure", "distance", "--measure", "contacts", "--processes", "2", "--out", "study",
)  # fmt: skip


class Master:
    """A command that runs a study; it and its processes are ended at the end of the block."""

    def __init__(self, folder: Path, words: Sequence[str] = WORDS) -> None:
        self.folder, self._said = folder, open(folder / f"said-{time.monotonic_ns()}", "w+", encoding="utf-8")  # noqa: SIM115  # closed with the block
        command = [sys.executable, "-m", "pushpoint", *words]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=self._said)
        self.workers: set[int] = set()

    def __enter__(self) -> Master:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self._said.close()

    @property
    def said(self) -> str:
        """On standard error."""
        self._said.seek(0)
        return self._said.read()

    def until(self, rows: int) -> None:
        """Wait until so many rows are in the store; 0: until processes have started."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            self.workers |= children(self.process.pid)
            if (rows == 0 and self.workers) or (rows and rows_in(self.folder / "study") >= rows):
                return
            time.sleep(0.02)
        raise AssertionError(f"no {rows} rows: {self.said}")

    def kill(self, number: int) -> int:
        """Send a signal, wait for the end and for that of all processes; returns the exit code."""
        self.workers |= children(self.process.pid)
        os.kill(self.process.pid, number)
        code = self.process.wait(PATIENCE)
        assert_dead(self.workers)
        return code

    def end(self) -> int:
        """Wait for the end; returns the exit code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            self.workers |= children(self.process.pid)
            assert time.monotonic() < end, self.said
            time.sleep(0.05)
        assert_dead(self.workers)
        return int(self.process.returncode)


def children(pid: int) -> set[int]:
    try:
        return {int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
    except OSError:
        return set()


def assert_dead(pids: set[int]) -> None:
    """None of these is left behind."""
    end = time.monotonic() + ENDS_WITHIN
    while left := {pid for pid in pids if _is_running(pid)}:
        assert time.monotonic() < end, left
        time.sleep(0.05)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def rows_in(folder: Path) -> int:
    """How many rows a store has; 0 if there is none."""
    if not (folder / "study.sqlite").is_file():
        return 0
    database = sqlite3.connect(f"{(folder / 'study.sqlite').absolute().as_uri()}?mode=ro", uri=True, timeout=10.0)
    try:
        return int(database.execute("SELECT count(*) FROM runs").fetchone()[0])
    except sqlite3.Error:  # it is being made, or its journal is hot
        return 0
    finally:
        database.close()


def checked(folder: Path, claims: bool = False) -> None:
    """The store is whole, and nobody claims anything, unless that is expected."""
    database = sqlite3.connect(folder / "study.sqlite")
    try:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert claims or database.execute("SELECT count(*) FROM claims").fetchone() == (0,)
    finally:
        database.close()


def resumed(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Go on with a study."""
    command = [sys.executable, "-m", "pushpoint", "study", "resume", "study", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE)


KILLS = tuple((number, rows) for number in (signal.SIGKILL, signal.SIGTERM) for rows in (0, RUNS // 10, 3 * RUNS // 4))
