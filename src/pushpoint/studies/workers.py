"""Local processes that do batches. Each has a pipe of its own: one that dies takes its batches along, and no others.

A process ends with its master, whatever happens to that one: a thread reads the pipe, and its end is the process's end.
"""

from __future__ import annotations

import ctypes
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Protocol

from pushpoint._interrupts import blocked
from pushpoint.errors import InvalidInput
from pushpoint.user_code import Source, sources, take_over

READY = b"ready"
AHEAD = 2  # batches per process: one that is done, one that waits
PATIENCE = 5.0  # [s], for processes to end
IN_VAIN = 3  # processes that may die in succession before they have begun
PR_SET_PDEATHSIG = 1  # of Linux
DIED = "the process that ran it died; was there enough memory?"
DIED_AT_START = (
    "processes of the study die when they start; was there enough memory? "
    'In scripts studies have to start below `if __name__ == "__main__":`'
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back of a batch; None: the process that had it is gone."""

    ticket: int
    reply: dict[str, Any] | None
    files: Sequence[bytes] = ()
    why: str = DIED  # it is gone


class Engine(Protocol):
    """Whatever does batches."""

    sends: bool  # whether recordings have to come back as bytes

    @property
    def room(self) -> int:
        """How many batches it would take now."""

    @property
    def status(self) -> str:
        """What it is busy with besides runs, for the bar of progress."""

    def submit(self, ticket: int, text: str, where: str = "") -> None:
        """Take a batch; `where` names who should do it, if there is a choice."""

    def answers(self, patience: float) -> list[Answer]:
        """What has come back, after so many seconds at most."""

    def close(self) -> None:
        """End everything, at once."""


@dataclass(eq=False, slots=True)
class _Worker:
    process: SpawnProcess
    pipe: Connection
    tickets: list[int] = field(default_factory=list)
    ready: bool = False


class LocalEngine:
    """So many processes on this machine."""

    sends = False

    def __init__(self, processes: int) -> None:
        self._processes, self._in_vain = processes, 0
        self._workers: list[_Worker] = []

    @property
    def room(self) -> int:
        if not self._workers:
            return AHEAD * self._processes
        return sum(AHEAD - len(worker.tickets) for worker in self._workers)

    @property
    def status(self) -> str:
        starting = sum(not worker.ready for worker in self._workers)
        return f"starting {starting} process{'es' * (starting > 1)}" if starting else ""

    def submit(self, ticket: int, text: str, where: str = "") -> None:
        while len(self._workers) < self._processes:  # when there is something to do
            self._workers.append(_started())
        worker = min(self._workers, key=lambda each: len(each.tickets))
        worker.tickets.append(ticket)
        with suppress(OSError):  # it is dead, as `answers` will find
            worker.pipe.send_bytes(text.encode())

    def answers(self, patience: float) -> list[Answer]:
        found: list[Answer] = []
        pipes = {worker.pipe: worker for worker in self._workers}
        for pipe in wait(list(pipes), patience):
            worker = pipes[pipe]  # type: ignore[index]  # `wait` may return other objects, too
            try:
                found += self._read(worker, worker.pipe.recv_bytes())
            except (EOFError, OSError):
                found += self._replaced(worker)
        return found

    def _read(self, worker: _Worker, message: bytes) -> list[Answer]:
        if message == READY:
            worker.ready, self._in_vain = True, 0
            return []
        return [Answer(worker.tickets.pop(0), json.loads(message))]

    def _replaced(self, worker: _Worker) -> list[Answer]:
        """What a process that died had begun, or was to begin; another one takes its place."""
        _end([worker])
        self._workers.remove(worker)
        if not worker.ready:
            self._in_vain += 1
            if self._in_vain >= IN_VAIN:
                raise InvalidInput(DIED_AT_START)
        self._workers.append(_started())
        return [Answer(ticket, None) for ticket in worker.tickets]

    def close(self) -> None:
        _end(self._workers)
        self._workers = []


def _started() -> _Worker:
    """A process that starts empty: a copy of this one would share locks of its threads."""
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there, os.getpid(), sources()), name="pushpoint study", daemon=True)
    with blocked():
        process.start()
    there.close()
    return _Worker(process, here)


def _end(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        worker.pipe.close()  # which ends a process that is well
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join(PATIENCE)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


def serve(pipe: Connection, master: int, loaded: Sequence[Source]) -> None:
    """What a process does from beginning to end. Ctrl-C reaches all processes of a terminal; the master decides what
    becomes of the others. Files that it loaded are loaded here; whoever misses one of their names says so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with(master)
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(pipe, waiting), daemon=True).start()
    for source in loaded:
        with suppress(InvalidInput):
            take_over([source])
    from pushpoint.studies.batches import do_text

    with suppress(OSError):  # the master is gone, and the thread has noticed or will
        pipe.send_bytes(READY)
        while True:
            reply, _ = do_text(waiting.get())
            pipe.send_bytes(reply.encode())


def _read(pipe: Connection, waiting: queue.SimpleQueue[str]) -> None:
    try:
        while True:
            waiting.put(pipe.recv_bytes().decode())
    except (EOFError, OSError):
        os._exit(0)  # the master has closed the pipe, or is dead: nobody wants the rest


def end_with_master(master: int) -> None:
    """For processes whose pipes are not read by a thread of ours: one that waits for the end of the master."""
    die_with(master)
    threading.Thread(target=_wait_for_master, daemon=True).start()


def _wait_for_master() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(0)


def die_with(master: int) -> None:
    """Let the system end this process with its master, where it can: code of users may keep all threads waiting."""
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != master:  # it died before
        os._exit(0)


class InlineEngine:
    """This process itself, one batch after the other. What is finished before an interrupt is given out first."""

    sends, status = False, ""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, str]] = []
        self._stop: BaseException | None = None

    @property
    def room(self) -> int:
        return 1 - len(self._waiting)

    def submit(self, ticket: int, text: str, where: str = "") -> None:
        self._waiting.append((ticket, text))

    def answers(self, patience: float) -> list[Answer]:
        from pushpoint.studies.batches import do

        if self._stop is not None:
            raise self._stop
        if not self._waiting:
            return []
        (ticket, text), rows = self._waiting.pop(0), list[dict[str, Any]]()
        try:
            reply = do(text, rows.append, lambda _: None)
        except KeyboardInterrupt as stop:
            self._stop, reply = stop, {"seconds": 0.0}
        return [Answer(ticket, {**reply, "rows": rows})]

    def close(self) -> None:
        self._waiting.clear()
