"""Who makes which runs when: runs that are missing in a store go out in batches, and what comes back goes there."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from pushpoint._interrupts import Stop
from pushpoint.errors import InvalidInput
from pushpoint.files import made, write_bytes
from pushpoint.studies.batches import SENT, Wanted, batch_text, plan_text
from pushpoint.studies.keys import RunKeys
from pushpoint.studies.store import RECORDINGS, Store, StoredRun, StoredStudy
from pushpoint.studies.study import Study
from pushpoint.studies.workers import Answer, Engine

AIM = 0.5  # [s], of a batch
ENDS = 1.0  # [s], after which a batch begins no further runs: what is lost with a process, or waits for the disk
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


@dataclass(eq=False)
class _Batch:
    runs: list[int]
    sent_code: bool = False


@dataclass(eq=False)
class Conductor:
    """Makes all runs of a study that are not in its store."""

    study: Study
    keys: RunKeys
    store: Store
    entry: StoredStudy
    engine: Engine
    progress: Progress
    stop: Stop
    _under_way: dict[int, _Batch] = field(default_factory=dict)
    _again: deque[int] = field(default_factory=deque)  # runs to be made alone: their process died
    _left: deque[int] = field(default_factory=deque)  # runs that a batch had no time for
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
            if not (self._under_way or self._again or self._left):
                if not self._elsewhere:
                    return
                ahead = self._claimed_again()
            for answer in self.engine.answers(CHECKED_EVERY):
                self._take(answer)
            self.store.renew()
            self.progress.show(self.engine.status or ("waiting for another master" if self._is_waiting else ""))
            self.stop.raise_if_asked()

    @property
    def _is_waiting(self) -> bool:
        return bool(self._elsewhere) and not self._under_way

    def _recordings(self) -> str:
        if self.study.recordings == "drop":
            return "drop"
        if self.engine.sends or self.store.folder is None:
            return SENT
        return str(made(self.store.folder / RECORDINGS).absolute())

    # --- what goes out ---

    def _claimed(self) -> Iterator[int]:
        """Numbers of runs that are to be made here, in the order of the study."""
        for numbers, keys in self.keys.chunks(LOOKED_UP):
            there = self.store.present(keys, self._recorded)
            self.progress.update(sum(key in there for key in keys), 0)
            missing = [(number, key) for number, key in zip(numbers, keys, strict=True) if key not in there]
            while missing:
                some = max(LEAST_CLAIMED, 2 * self._size)
                yield from self._claim(missing[:some])
                missing = missing[some:]

    def _claim(self, wanted: Sequence[tuple[int, str]]) -> Iterator[int]:
        found = self.store.claim([key for _, key in wanted], self._recorded)
        mine = set(found.mine)
        for number, key in wanted:
            if key in mine:
                mine.remove(key)  # variants or points may be equal: then one run serves all
                yield number
            elif key in found.others:
                self._elsewhere[number] = None
            else:
                self.progress.update(1, 0)

    @property
    def _recorded(self) -> bool:
        return self.study.recordings == "keep"

    def _claimed_again(self) -> Iterator[int]:
        """Runs that another master had claimed: made meanwhile, or given up."""
        now = time.monotonic()
        if now - self._asked < ASKED_EVERY:
            return iter(())
        self._asked = now
        numbers = list(self._elsewhere)
        self._elsewhere.clear()
        return self._claim([(number, self.keys[number]) for number in numbers])

    def _send(self, ahead: Iterator[int]) -> None:
        while self.engine.room > 0:
            batch = _Batch([self._again.popleft()] if self._again else self._next(ahead))
            if not batch.runs:
                return
            self._submit(batch)

    def _next(self, ahead: Iterator[int]) -> list[int]:
        most = MOST if self.study.recordings == "drop" else MOST_RECORDED
        size = 1 if self._per_run is None else max(1, min(most, 2 * self._size, int(AIM / self._per_run)))
        found = [self._left.popleft() for _ in range(min(size, len(self._left)))]
        return found + list(islice(ahead, size - len(found)))

    def _submit(self, batch: _Batch, where: str = "") -> None:
        self._tickets += 1
        self._under_way[self._tickets] = batch
        wanted: list[Wanted] = [
            (number, self.keys[number], self.study.changes_of(self.study.place_of(number))) for number in batch.runs
        ]
        self.engine.submit(self._tickets, batch_text(self._plan, wanted, batch.sent_code), where)

    # --- what comes back ---

    def _take(self, answer: Answer) -> None:
        batch, reply = self._under_way.pop(answer.ticket), answer.reply
        if reply is None:
            self._lost(batch, answer.why)
        elif "missing" in reply:
            if batch.sent_code:
                raise InvalidInput(f"a worker cannot load {', '.join(reply['missing'])}")
            batch.sent_code = True
            self._submit(batch, reply.get("worker", ""))
        elif "refused" in reply:
            who = reply.get("worker", "a process")
            raise InvalidInput(f"{who} cannot make runs of this study: {reply['refused']}")
        else:
            self._land(batch, answer)
            if "full" in reply:
                raise InvalidInput(
                    f"{reply['full']}; all runs until now are kept, and `pushpoint study resume` goes on"
                )

    def _land(self, batch: _Batch, answer: Answer) -> None:
        reply = answer.reply or {}
        files = iter(answer.files)
        rows = [self._stored(row, files) for row in reply["rows"]]
        self.store.land(self.entry.id, rows)
        self.progress.update(len(rows), sum(row.status != "ok" for row in rows), made=len(rows))
        there = {row["number"] for row in reply["rows"]}
        self._left.extend(number for number in batch.runs if number not in there)
        if rows and reply.get("seconds"):
            each = reply["seconds"] / len(rows)
            self._per_run = each if self._per_run is None else 0.5 * (self._per_run + each)
            self._size = len(batch.runs)

    def _stored(self, row: dict[str, Any], files: Iterator[bytes]) -> StoredRun:
        """A row as the store has it; a recording that was sent is written first."""
        place, key, recording = self.study.place_of(row["number"]), self.keys[row["number"]], row["recording"]
        if recording == SENT:
            recording, image = f"{key}.nc", next(files)
            if self.store.folder is not None:
                write_bytes(self.store.folder / RECORDINGS / recording, image)
        return StoredRun(
            key,
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

    def _lost(self, batch: _Batch, why: str) -> None:
        """Whose fault it was shows when runs are made alone."""
        if len(batch.runs) > 1:
            self._again.extend(batch.runs)
            return
        number = batch.runs[0]
        self._tries[number] = self._tries.get(number, 0) + 1
        if self._tries[number] < TRIES:
            self._again.append(number)
            return
        place = self.study.place_of(number)
        row = StoredRun(self.keys[number], *place, self.study.points[place.point], "failed", why, 0.0, 0, {}, {}, None)
        self.store.land(self.entry.id, [row])
        self.progress.update(1, 1)
