"""A Dask cluster that makes the runs of a study. Tasks are batches as text; workers need pushpoint, and no files."""

from __future__ import annotations

import logging
import queue
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pushpoint.errors import InvalidInput, MissingExtra, shown
from pushpoint.studies.batches import do_text
from pushpoint.studies.workers import Answer

CONNECTS_WITHIN = 15.0  # [s]
WORKERS_WITHIN = 60.0  # [s], for a cluster without any worker to get one
AHEAD = 2  # batches per worker: one that is done, one that waits
COUNTED_EVERY = 2.0  # [s]: workers come and go
RECIPES = ("slurm", "kubernetes", "ssh")  # clusters that people start themselves


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where a Dask scheduler listens, and the files of its TLS; without, those of Dask's own configuration."""

    address: str  # tcp://host:8786 or tls://host:8786
    tls_ca: Path | None = None  # certificate of whoever signed the others
    tls_cert: Path | None = None  # own certificate
    tls_key: Path | None = None  # its key

    def __post_init__(self) -> None:
        if self.address in RECIPES:
            raise InvalidInput(
                f"cluster = {self.address!r}: start a scheduler and workers there, and give the scheduler's address; "
                "docs/howto/run-on-a-cluster.md has the recipe"
            )
        if "://" not in self.address:
            raise InvalidInput(f"cluster = {shown(self.address)}: should look like tcp://host:8786 or tls://host:8786")
        for file in (self.tls_ca, self.tls_cert, self.tls_key):
            if file is not None and not file.is_file():
                raise InvalidInput(f"TLS file {str(file)!r} is not there")


class DaskEngine:
    """Sends batches to the workers of a cluster. One that dies is no loss: Dask does its tasks elsewhere, and a batch
    that takes several workers along is done run by run."""

    sends = True

    def __init__(self, cluster: Cluster) -> None:
        self._distributed = _distributed()
        self._client = self._connected(cluster)
        self._address = cluster.address
        self._futures: dict[int, Any] = {}
        self._done: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._counted, self._workers, self._alone_since = 0.0, 0, time.monotonic()
        self._count()

    def _connected(self, cluster: Cluster) -> Any:
        security = None
        try:
            if cluster.tls_ca or cluster.tls_cert or cluster.tls_key:
                files = {
                    "tls_ca_file": cluster.tls_ca,
                    "tls_client_cert": cluster.tls_cert,
                    "tls_client_key": cluster.tls_key,
                }
                given = {name: str(file) for name, file in files.items() if file is not None}
                security = self._distributed.Security(require_encryption=True, **given)
            return self._distributed.Client(
                cluster.address, security=security, timeout=CONNECTS_WITHIN, set_as_default=False, name="pushpoint"
            )
        except Exception as error:  # of sockets, of TLS, of versions that do not fit: each has its own kind
            text = " ".join(str(error).split()) or type(error).__name__
            raise InvalidInput(f"cluster {cluster.address!r} cannot be reached: {text}") from None

    def _count(self) -> None:
        now = time.monotonic()
        if now - self._counted < COUNTED_EVERY:
            return
        self._counted = now
        try:
            self._workers = len(self._client.scheduler_info(n_workers=-1)["workers"])
        except TypeError:  # older versions of Dask know no such argument
            self._workers = len(self._client.scheduler_info()["workers"])
        if self._workers:
            self._alone_since = now
        elif now - self._alone_since > WORKERS_WITHIN:
            raise InvalidInput(f"cluster {self._address!r} has had no workers for {WORKERS_WITHIN:g} s")

    @property
    def room(self) -> int:
        self._count()
        return AHEAD * self._workers - len(self._futures)

    @property
    def status(self) -> str:
        return "" if self._workers else "waiting for workers of the cluster"

    def submit(self, ticket: int, text: str, where: str = "") -> None:
        chosen: dict[str, Any] = {"workers": [where], "allow_other_workers": True} if where else {}
        key = f"pushpoint-{id(self):x}-{ticket}"
        future = self._client.submit(do_batch, text, key=key, pure=False, **chosen)
        self._futures[ticket] = future
        future.add_done_callback(lambda _: self._done.put(ticket))

    def answers(self, patience: float) -> list[Answer]:
        found: list[Answer] = []
        with suppress(queue.Empty):
            found.append(self._answer(self._done.get(timeout=patience)))
            while True:
                found.append(self._answer(self._done.get_nowait()))
        self._count()
        return found

    def _answer(self, ticket: int) -> Answer:
        future = self._futures.pop(ticket)
        if future.status == "finished":
            reply, files = future.result()
            future.release()
            return Answer(ticket, reply, files)
        if future.status in ("cancelled", "lost"):
            raise InvalidInput(
                f"cluster {self._address!r} is gone, or has cancelled runs; `pushpoint study resume` goes on"
            )
        error = future.exception()
        future.release()
        if isinstance(error, self._distributed.KilledWorker):
            return Answer(ticket, None, why="workers of the cluster that ran it died; was there enough memory?")
        raise InvalidInput(f"cluster {self._address!r}: {type(error).__name__}: {' '.join(str(error).split())}")

    def close(self) -> None:
        with suppress(Exception):  # a cluster that is gone needs no farewell
            self._client.cancel(list(self._futures.values()), force=True)
        with suppress(Exception):
            self._client.close(timeout=5.0)


def do_batch(text: str) -> tuple[dict[str, Any], list[bytes]]:
    """On a worker: do a batch, and say who did it."""
    import json

    from distributed import get_worker

    reply, files = do_text(text)
    return {**json.loads(reply), "worker": get_worker().address}, files


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingExtra("a cluster", "cluster") from None
    for name in ("distributed.client", "distributed.core", "distributed.comm", "distributed.scheduler"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is said in one line
    return distributed
