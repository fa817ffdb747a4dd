"""How far a study is, for people: a bar where somebody can see it, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pushpoint.studies.study import Study

if TYPE_CHECKING:
    from pushpoint._progress import StudyBar

SAID_EVERY = 60.0  # [s], where nobody sees a bar
RATE_OVER = 30.0  # [s], about, over which the rate is averaged


class Pace:
    """Counts runs, and how many there are per second."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.failed, self.status = total, 0, 0, ""
        self.rate = 0.0  # [1/s], of the last half minute
        self._made, self._since = 0, -1.0  # since when they count; -1: not yet

    def update(self, done: int, failed: int) -> None:
        """So many more runs are there; those that were there before anything was made count, but not for the rate."""
        self.done, self.failed = self.done + done, self.failed + failed

    def made(self, runs: int) -> None:
        """So many runs were made just now. Those that come first do not count: processes had to start."""
        now = time.monotonic()
        if self._since < 0.0:
            self._since = now
            return
        self._made += runs
        elapsed = now - self._since
        if elapsed > 0.0:
            self.rate = self._made / elapsed
        if elapsed > RATE_OVER:  # forget half of it
            self._made, self._since = self._made // 2, now - elapsed / 2

    @property
    def left(self) -> str:
        """Time that remains, as `3 min`."""
        if not self.rate:
            return ""
        seconds = (self.total - self.done) / self.rate
        for size, unit in ((3600.0, "h"), (60.0, "min")):
            if seconds >= size:
                return f"{seconds / size:.1f} {unit} left"
        return f"{seconds:.0f} s left"

    @property
    def line(self) -> str:
        parts = [f"{self.done}/{self.total} runs", f"{self.failed} failed"]
        parts += [f"{self.rate:.3g} runs/s", self.left] if self.rate else []
        return ", ".join([*parts, self.status] if self.status else parts)


class Shown:
    """Keeps the pace, and shows it."""

    def __init__(self, study: Study, bar: StudyBar | None, wanted: bool) -> None:
        self.pace, self._bar, self._wanted = Pace(study.runs), bar, wanted
        self._said = time.monotonic()

    def update(self, done: int, failed: int, made: int = 0) -> None:
        """So many more runs are there, of which so many were made just now."""
        self.pace.update(done, failed)
        if made:
            self.pace.made(made)
        self._show()

    def show(self, status: str) -> None:
        """What else is going on."""
        self.pace.status = status
        self._show()

    def _show(self) -> None:
        if self._bar is not None:
            self._bar.show(self.pace.done, self.pace.line)
        elif self._wanted and time.monotonic() - self._said > SAID_EVERY:
            self._said = time.monotonic()
            print(self.pace.line, file=sys.stderr, flush=True)


@contextmanager
def shown_progress(study: Study, wanted: bool) -> Iterator[Shown]:
    """Progress on standard error, if wanted."""
    if not (wanted and sys.stderr.isatty()):
        yield Shown(study, None, wanted)
        return
    from pushpoint._progress import StudyBar

    with StudyBar(study.base_scenario.name, study.runs) as bar:
        yield Shown(study, bar, wanted)
