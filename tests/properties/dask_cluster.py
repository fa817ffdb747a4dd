"""A Dask cluster on this machine, of processes that are started one by one."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 60.0  # [s]


class LocalCluster:
    """A scheduler without a dashboard and workers with one thread each; all are ended at the end of the block."""

    def __init__(self, folder: Path, workers: int, *options: str) -> None:
        self._file, self._options, self._folder = folder / "scheduler.json", options, folder
        own = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(self._file), "--no-dashboard", "--no-show")
        self.scheduler = self._started("scheduler", *own)
        self._wait_for_file()
        self.workers = [self.worker() for _ in range(workers)]

    def worker(self) -> subprocess.Popen[bytes]:
        """One more."""
        own = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        return self._started("worker", "--scheduler-file", str(self._file), *own)

    def _started(self, what: str, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *words, *self._options]
        with open(self._folder / f"{what}.log", "ab") as log:
            return subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log)

    def _wait_for_file(self) -> None:
        end = time.monotonic() + PATIENCE
        while not self._file.is_file() or not self._file.read_text():
            assert time.monotonic() < end, (self._folder / "scheduler.log").read_text()
            time.sleep(0.1)

    @property
    def address(self) -> str:
        return str(json.loads(self._file.read_text())["address"])

    def __enter__(self) -> LocalCluster:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()
