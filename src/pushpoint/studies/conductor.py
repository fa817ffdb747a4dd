"""Who makes which runs when: runs that are missing in a store go out in batches, and what comes back goes there."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, Protocol

from pushpoint._interrupts import Stop
from pushpoint.errors import InvalidInput
from pushpoint.files import made, write_bytes
from pushpoint.studies.batches import SENT, batch_text, plan_text
from pushpoint.studies.keys import RunKeys
from pushpoint.studies.store import RECORDINGS, Store, StoredRun, StoredStudy
from pushpoint.studies.study import Study
from pushpoint.studies.workers import Answer, Engine

AIM = 0.8  # [s], of a batch
ENDS = 1.5  # [s], after which a batch begins no further runs: what is lost with a process, or waits for the disk
MOST = 256  # runs in a batch
MOST_RECORDED = 16  # of these, if recordings are kept
TRIES = 2  # of a run that takes its process along, alone
CHECKED_EVERY = 0.25  # [s], for interrupts
ASKED_EVERY = 1.0  # [s], whether other masters have made the runs that they claim
LOOKED_UP = 500  # keys at a time, if their runs are there
LEAST_CLAIMED = 8  # runs at a time: the rest is for other masters


class Progress(Protocol):
    """Who shows how far a study is."""

    def update(self, done: int, failed: int, made: int = 0) -> None: ...

    def show(self, status: str) -> None: ...


class Wanted(NamedTuple):
    """A run that is to be made."""

    number: int  # in the study
    key: str
    changes: dict[str, Any]  # by dotted key


@dataclass(eq=False)
class _Batch:
    runs: list[Wanted]
    sent_code: bool = False


@dataclass(eq=False)
class Conductor:
    """Makes all runs of a study that are not in its store.

    What has come back by a time goes to the store in one transaction, whoever made it: a disk takes tens of these per
    second, and a cluster may answer a thousand times.
    """

    study: Study
    keys: RunKeys
    store: Store
    entry: StoredStudy
    engine: Engine
    progress: Progress
    stop: Stop
    _sent: dict[int, _Batch] = field(default_factory=dict)
    _again: deque[Wanted] = field(default_factory=deque)  # runs to be made alone: their process died
    _left: deque[Wanted] = field(default_factory=deque)  # runs that a batch had no time for
    _tries: dict[int, int] = field(default_factory=dict)
    _elsewhere: dict[int, None] = field(default_factory=dict)  # claimed by other masters
    _tickets: int = 0
    _per_run: float | None = None  # [s], on average
    _size: int = 1  # of the last batch: they grow
    _asked: float = 0.0

    def run(self) -> None:
        """Until all runs are there. Interrupts are raised between two answers."""
        self._plan = plan_text(self.study, self._recordings(), ENDS)
        ahead = self._claimed()
        while True:
            self._send(ahead)
            if not (self._sent or self._again or self._left):
                if not self._elsewhere:
                    return
                ahead = self._claimed_again()
            self._take(self.engine.answers(CHECKED_EVERY))
            self.store.renew()
            waiting = "waiting for another master" if self._elsewhere and not self._sent else ""
            self.progress.show(self.engine.status or waiting)
            self.stop.raise_if_asked()

    def _recordings(self) -> str:
        if self.study.recordings == "drop":
            return "drop"
        if self.engine.sends or self.store.folder is None:
            return SENT
        return str(made(self.store.folder / RECORDINGS).absolute())

    # --- what goes out ---

    def _claimed(self) -> Iterator[Wanted]:
        """Runs that are to be made here, in the order of the study."""
        for first in range(0, len(self.keys), LOOKED_UP):
            wanted = self._wanted(range(first, min(first + LOOKED_UP, len(self.keys))))
            there = self.store.present([run.key for run in wanted], self._recorded)
            missing = [run for run in wanted if run.key not in there]
            self.progress.update(len(wanted) - len(missing), 0)
            while missing:
                some = max(LEAST_CLAIMED, self._size * max(2, self.engine.room))
                yield from self._claim(missing[:some])
                missing = missing[some:]

    def _wanted(self, numbers: Iterable[int]) -> list[Wanted]:
        return [Wanted(number, *self.keys.with_changes(number)) for number in numbers]

    def _claim(self, wanted: Sequence[Wanted]) -> Iterator[Wanted]:
        found = self.store.claim([run.key for run in wanted], self._recorded)
        mine = set(found.mine)
        for run in wanted:
            if run.key in mine:
                mine.remove(run.key)  # variants or points may be equal: then one run serves all
                yield run
            elif run.key in found.others:
                self._elsewhere[run.number] = None
            else:
                self.progress.update(1, 0)

    @property
    def _recorded(self) -> bool:
        return self.study.recordings == "keep"

    def _claimed_again(self) -> Iterator[Wanted]:
        """Runs that another master had claimed: made meanwhile, or given up."""
        now = time.monotonic()
        if now - self._asked < ASKED_EVERY:
            return iter(())
        self._asked = now
        numbers = list(self._elsewhere)
        self._elsewhere.clear()
        return self._claim(self._wanted(numbers))

    def _send(self, ahead: Iterator[Wanted]) -> None:
        while self.engine.room > 0:
            batch = _Batch([self._again.popleft()] if self._again else self._next(ahead))
            if not batch.runs:
                return
            self._submit(batch)

    def _next(self, ahead: Iterator[Wanted]) -> list[Wanted]:
        most = MOST_RECORDED if self._recorded else MOST
        size = 1 if self._per_run is None else max(1, min(most, 2 * self._size, int(AIM / self._per_run)))
        found = [self._left.popleft() for _ in range(min(size, len(self._left)))]
        return found + list(islice(ahead, size - len(found)))

    def _submit(self, batch: _Batch, where: str = "") -> None:
        self._tickets += 1
        self._sent[self._tickets] = batch
        self.engine.submit(self._tickets, batch_text(self._plan, batch.runs, batch.sent_code), where)

    # --- what comes back ---

    def _take(self, answers: Sequence[Answer]) -> None:
        rows: list[StoredRun] = []
        refusals: list[str] = []
        for answer in answers:
            batch = self._sent.pop(answer.ticket)
            if answer.reply is None:
                rows += self._lost(batch, answer.why)
            elif "missing" in answer.reply:
                self._send_code(batch, answer.reply)
            else:
                rows += self._made(batch, answer.reply, iter(answer.files))
                refusals += _refusals(answer.reply)
        if rows:
            self.store.land(self.entry.id, rows)
            self.progress.update(len(rows), sum(row.status != "ok" for row in rows), made=len(rows))
        if refusals:
            raise InvalidInput(refusals[0])

    def _send_code(self, batch: _Batch, reply: dict[str, Any]) -> None:
        """Whoever has not got the loaded files gets them with the same batch."""
        if batch.sent_code:
            raise InvalidInput(f"{reply.get('worker', 'a process')} cannot load {', '.join(reply['missing'])}")
        batch.sent_code = True
        self._submit(batch, reply.get("worker", ""))

    def _made(self, batch: _Batch, reply: dict[str, Any], files: Iterator[bytes]) -> list[StoredRun]:
        by_number = {run.number: run for run in batch.runs}
        rows = [self._stored(by_number.pop(row["number"]), row, files) for row in reply.get("rows", ())]
        self._left.extend(by_number.values())
        if rows and reply.get("seconds"):
            each = reply["seconds"] / len(rows)
            self._per_run = each if self._per_run is None else 0.5 * (self._per_run + each)
            self._size = len(batch.runs)
        return rows

    def _stored(self, run: Wanted, row: dict[str, Any], files: Iterator[bytes]) -> StoredRun:
        """A row as the store has it; a recording that was sent is written first."""
        place, recording = self.study.place_of(run.number), row["recording"]
        if recording == SENT:
            recording, image = f"{run.key}.nc", next(files)
            if self.store.folder is not None:
                write_bytes(self.store.folder / RECORDINGS / recording, image)
        return StoredRun(
            run.key,
            *place,
            settings=self.study.points[place.point],
            status=row["status"],
            message=row["message"],
            wall_time_s=row["wall_time_s"],
            accepted=row["accepted"],
            values={name: float(value) for name, value in row["values"].items()},
            events=row["events"],
            recording=recording or None,
        )

    def _lost(self, batch: _Batch, why: str) -> list[StoredRun]:
        """Whose fault it was shows when runs are made alone."""
        if len(batch.runs) > 1:
            self._again.extend(batch.runs)
            return []
        run = batch.runs[0]
        self._tries[run.number] = self._tries.get(run.number, 0) + 1
        if self._tries[run.number] < TRIES:
            self._again.append(run)
            return []
        place = self.study.place_of(run.number)
        settings = self.study.points[place.point]
        return [StoredRun(run.key, *place, settings, "failed", why, 0.0, 0, {}, {}, None)]


def _refusals(reply: dict[str, Any]) -> list[str]:
    """Why the study cannot go on, if so."""
    if "refused" in reply:
        return [f"{reply.get('worker', 'a process')} cannot make runs of this study: {reply['refused']}"]
    if "full" in reply:
        return [f"{reply['full']}; all runs until now are kept, and `pushpoint study resume` goes on"]
    return []
