"""`python -m benchmarks.scheduler [--runs N] [--workers W]`: what a study costs per run, message and byte, and how long
one takes on a cluster.

Costs are measured here: CPU time of runs, of the master and of Dask, bytes of messages and of the store, time of a
transaction on this disk. Then the master itself, with its store, is run against a cluster that is simulated: workers
take the recorded durations, messages take time, and the clock is moved by hand. The master's own CPU time, and its
transactions, move the clock too, so that it can be what everybody waits for.
"""

from __future__ import annotations

import argparse
import heapq
import json
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pushpoint as pp
from pushpoint._interrupts import Stop
from pushpoint.studies import Study
from pushpoint.studies.cluster import AHEAD
from pushpoint.studies.conductor import Conductor
from pushpoint.studies.keys import RunKeys, base_key
from pushpoint.studies.store import FILE, Store
from pushpoint.studies.workers import Answer

SCENARIO, CHANGES = "transeth2008a/flat", {"duration": 10.0, "plant.dt": 1e-3, "start.jitter": 1e-4}
MEASURES = ("distance", "contacts", "path_length")
RECORDED = 200  # runs whose durations are taken
TASKS = 400  # of Dask, whose cost is measured
COMMITS = 40
LATENCY = 1e-3  # [s], of a message in a local network
BANDWIDTH = 1e8  # [byte/s], 1 Gbit/s


def study_of(runs: int) -> Study:
    return Study.parse({"scenario": SCENARIO, "overrides": CHANGES, "seeds": runs, "measures": MEASURES})


# --- costs ---


@dataclass(frozen=True)
class Costs:
    """What was measured on this machine."""

    durations: tuple[float, ...]  # [s], CPU time of runs with their measures
    task: float  # [s], CPU time of Dask, client and scheduler together, per batch
    commit: float  # [s], of a transaction

    def as_dict(self) -> dict[str, float]:
        return {"run_s": statistics.mean(self.durations), "task_s": self.task, "commit_s": self.commit}


def measured() -> Costs:
    return Costs(_durations(), _dask_task(), _commit())


def _durations() -> tuple[float, ...]:
    found = []
    for seed in range(RECORDED + 3):
        began = time.process_time()
        run = pp.simulate(SCENARIO, CHANGES, seed=seed)
        for name in MEASURES:
            pp.analysis.measures[name](run)
        found.append(time.process_time() - began)
    return tuple(found[3:])  # the first ones load and compile


def _dask_task() -> float:
    """CPU time of this process per task, in which client and scheduler are; tasks are as long as batches."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        return 0.0
    text, reply = "x" * 14_000, "y" * 11_000
    with LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:  # noqa: SIM117  # the second needs the first
        with Client(cluster, set_as_default=False) as client:
            client.gather(client.map(_echo, [text] * 20, [reply] * 20, pure=False))
            began = time.process_time()
            futures = [client.submit(_echo, text, reply, pure=False) for _ in range(TASKS)]
            client.gather(futures)
            return (time.process_time() - began) / TASKS


def _echo(_text: str, reply: str) -> str:
    return reply


def _commit() -> float:
    """Median time of a transaction that writes a row."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder), create=True)
        times = []
        for k in range(COMMITS):
            began = time.perf_counter()
            store.claim([f"{k:064x}"])
            times.append(time.perf_counter() - began)
        store.close()
        return statistics.median(times)


# --- a cluster that is simulated ---


class CountingStore(Store):
    """Counts its transactions."""

    transactions = 0

    def transaction(self) -> Any:
        self.transactions += 1
        return super().transaction()


@dataclass
class SimulatedEngine:
    """Workers that take recorded durations, on a clock that is moved by hand."""

    workers: int
    costs: Costs
    transactions: Callable[[], int]
    sends = True
    status = ""
    now: float = 0.0  # [s], of the simulated clock
    sent: int = 0  # bytes to workers
    received: int = 0  # bytes from workers
    messages: int = 0
    busy: float = 0.0  # [s], of all workers together
    master: float = 0.0  # [s], that the master was at work
    _queues: list[deque[tuple[int, list[Any], float]]] = field(default_factory=list)
    _loads: list[tuple[int, int]] = field(default_factory=list)
    _running: list[tuple[float, int, int, list[Any]]] = field(default_factory=list)
    _out: int = 0
    _cpu: float = 0.0
    _committed: int = 0
    _drawn: int = 0

    def __post_init__(self) -> None:
        self._queues = [deque() for _ in range(self.workers)]
        self._free = [0.0] * self.workers
        self._count = [0] * self.workers
        self._cpu = time.process_time()

    @property
    def room(self) -> int:
        return AHEAD * self.workers - self._out

    def submit(self, ticket: int, text: str, where: str = "") -> None:
        self._charge()
        self.sent, self.messages, self._out = self.sent + len(text), self.messages + 1, self._out + 1
        self.now += self.costs.task  # the scheduler is one process, like the master
        worker = min(range(self.workers), key=self._count.__getitem__)
        self._count[worker] += 1
        runs = json.loads(text)["runs"]
        arrives = self.now + LATENCY + len(text) / BANDWIDTH
        begins = max(arrives, self._free[worker])
        takes = sum(self._next_duration() for _ in runs)
        self._free[worker] = begins + takes
        self.busy += takes
        back = begins + takes + LATENCY + 220 * len(runs) / BANDWIDTH
        heapq.heappush(self._running, (back, ticket, worker, [(run[0], takes / len(runs)) for run in runs]))
        self._cpu = time.process_time()  # what is above is the simulation's own

    def _next_duration(self) -> float:
        self._drawn += 1
        return self.costs.durations[self._drawn % len(self.costs.durations)]

    def _charge(self) -> None:
        """Let the clock go on by what the master has done since."""
        spent = time.process_time() - self._cpu
        commits = self.transactions() - self._committed
        self._committed += commits
        self.now += spent + commits * self.costs.commit
        self.master += spent + commits * self.costs.commit
        self._cpu = time.process_time()

    def answers(self, patience: float) -> list[Answer]:
        self._charge()
        if self._running and self._running[0][0] > self.now:
            self.now = min(self._running[0][0], self.now + patience)
        found = []
        while self._running and self._running[0][0] <= self.now:
            _, ticket, worker, runs = heapq.heappop(self._running)
            self._count[worker] -= 1
            self._out -= 1
            found.append(Answer(ticket, self._reply(runs)))
        self._cpu = time.process_time()
        return found

    def _reply(self, runs: Sequence[tuple[int, float]]) -> dict[str, Any]:
        rows = [
            {"number": number, "status": "ok", "message": "", "wall_time_s": each, "accepted": 0, "recording": "",
             "values": dict.fromkeys(MEASURES, 0.1234567890123456 + number), "events": {}}
            for number, each in runs
        ]  # fmt: skip
        reply = {"seconds": sum(each for _, each in runs), "rows": rows}
        self.received += len(json.dumps(reply))
        return reply

    def close(self) -> None:
        pass


class Silent:
    """Shows nothing."""

    def update(self, done: int, failed: int, made: int = 0) -> None:
        pass

    def show(self, status: str) -> None:
        pass


def simulated(runs: int, workers: int, costs: Costs, folder: Path) -> dict[str, Any]:
    """A study on a simulated cluster, by the master itself."""
    study = study_of(runs)
    store = CountingStore(folder, create=True)
    entry = store.enter(study.to_yaml(), base_key(study))
    engine = SimulatedEngine(workers, costs, lambda: store.transactions)
    Conductor(study, RunKeys(study, entry.key), store, entry, engine, Silent(), Stop()).run()
    store.close()
    return {
        "runs": runs,
        "workers": workers,
        "takes_s": engine.now,
        "workers_busy": engine.busy / (workers * engine.now),
        "master_busy": engine.master / engine.now,
        "master_us_per_run": 1e6 * engine.master / runs,
        "runs_per_message": runs / engine.messages,
        "transactions": store.transactions,
        "sent_bytes_per_run": engine.sent / runs,
        "received_bytes_per_run": engine.received / runs,
        "store_bytes_per_run": (folder / FILE).stat().st_size / runs,
        "ideal_s": runs * statistics.mean(costs.durations) / workers,
    }


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scheduler", description=__doc__)
    parser.add_argument("--runs", type=int, nargs="+", default=[20_000])
    parser.add_argument("--workers", type=int, nargs="+", default=[10, 100])
    asked = parser.parse_args(words)
    costs = measured()
    found: list[dict[str, Any]] = [costs.as_dict()]
    for runs in asked.runs:
        for workers in asked.workers:
            with tempfile.TemporaryDirectory() as folder:
                found.append(simulated(runs, workers, costs, Path(folder)))
    sys.stdout.write("\n".join(json.dumps(each) for each in found) + "\n")


if __name__ == "__main__":
    main()
