"""How a study of many short runs does: `python study_scale.py study N FOLDER`, `plain N` or `spin SECONDS`.

Prints one JSON object: CPU seconds, peak memory of the master, and when runs landed in the store.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import pushpoint as pp
from pushpoint.studies import progress, runner, workers

SCENARIO = "transeth2008a/flat"
CHANGES = {"duration": 10.0, "plant.dt": 1e-3, "start.jitter": 1e-4}
MEASURES = ["distance", "mean_speed:axis=x,start=1,end=10", "contacts"]
WARM = 3


def plain(runs: int) -> dict[str, Any]:
    """Runs one after the other in this process, and their measures."""

    def one(seed: int) -> None:
        run = pp.simulate(SCENARIO, CHANGES, seed=seed)
        pp.analysis.measures["distance"](run)
        pp.analysis.measures["mean_speed"](run, axis="x", start=1.0, end=10.0)
        pp.analysis.measures["contacts"](run)

    for seed in range(WARM):
        one(seed)
    began = time.process_time()
    for seed in range(runs):
        one(seed)
    return {"runs": runs, "cpu": time.process_time() - began}


class Landed(progress.Shown):
    """Notes when runs land."""

    times: list[tuple[float, int]] = []  # noqa: RUF012  # one study per process

    def update(self, done: int, failed: int, made: int = 0) -> None:
        super().update(done, failed, made)
        self.times.append((time.monotonic(), made))


def study(runs: int, folder: str, processes: int) -> dict[str, Any]:
    """The study by its command, with its tables, files and figure."""
    progress.Shown = Landed  # type: ignore[misc]  # in this process alone
    before = runner.at_most
    runner.at_most = lambda *_: before(processes, runs)  # also one process of its own
    if processes == 1:
        runner._engine = _one_process  # type: ignore[assignment]  # in this process alone
    words = ["study", "run", SCENARIO, "--seeds", str(runs), "--out", folder]
    words += [word for key, value in CHANGES.items() for word in ("--set", f"{key}={value}")]
    words += [word for measure in MEASURES for word in ("--measure", measure)]
    sys.argv = ["pushpoint", *words]
    from pushpoint.cli.main import application

    code = application(sys.argv[1:])(standalone_mode=False)
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "code": code,
        "runs": runs,
        "master_cpu": own.ru_utime + own.ru_stime,
        "workers_cpu": others.ru_utime + others.ru_stime,
        "master_peak_mb": own.ru_maxrss / 1024,
        "workers_peak_mb": others.ru_maxrss / 1024,
        "store_bytes": (Path(folder) / "study.sqlite").stat().st_size,
        "rate": _rate(Landed.times),
    }


def _one_process(*_: object) -> Any:
    from contextlib import closing

    return closing(workers.LocalEngine(1))


def _rate(times: list[tuple[float, int]]) -> float:
    """Runs per second between the first and the last fifth."""
    made, total = 0, sum(count for _, count in times)
    inside = []
    for at, count in times:
        made += count
        if 0.2 * total <= made <= 0.95 * total and count:
            inside.append((at, made))
    if len(inside) < 2:
        return 0.0
    (first, before), (last, after) = inside[0], inside[-1]
    return (after - before) / (last - first)


def spin(seconds: float) -> dict[str, Any]:
    """Turns of a loop in so many seconds of wall time."""
    end, turns = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for _ in range(1000):
            turns += 1
    return {"turns": turns}


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "plain":
        found = plain(int(rest[0]))
    elif what == "spin":
        found = spin(float(rest[0]))
    else:
        found = study(int(rest[0]), rest[1], int(rest[2]))
    sys.stderr.write(json.dumps(found) + "\n")
