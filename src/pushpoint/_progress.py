"""Progress bars on standard error: simulated time of a run, finished runs of a study, frames of a video."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

SHOWN_EVERY = 0.1  # [s]: an update takes longer than a tick


class SimulationBar:
    """Shows the ticks of a run as seconds of simulated time."""

    def __init__(self, name: str, ticks: int, period: float) -> None:
        self._period = period  # [s]
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.1f}/{task.total:.1f} s, {task.fields[factor]:.1f}x real time"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(name, total=ticks * period, factor=0.0)
        self._started = time.perf_counter()
        self._first_tick: int | None = None
        self._shown = 0.0

    def __enter__(self) -> SimulationBar:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def update(self, ticks: int) -> None:
        """`ticks` are done since t = 0; the speed is measured from the first call on, as that compiles."""
        now = time.perf_counter()
        if self._first_tick is None:
            self._first_tick, self._started = ticks, now
        if now - self._shown < SHOWN_EVERY:
            return
        self._shown = now
        factor = (ticks - self._first_tick) * self._period / max(now - self._started, 1e-9)
        self._progress.update(self._task, completed=ticks * self._period, factor=factor)


class FramesBar:
    """Shows how many frames of a video are drawn."""

    def __init__(self, name: str, frames: int) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f} frames"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(name, total=frames)

    def __enter__(self) -> FramesBar:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def update(self, frames: int) -> None:
        """So many frames are drawn."""
        self._progress.update(self._task, completed=frames)


class RunsBar:
    """Shows how many runs (or what else there is) are finished, and how many of them failed."""

    def __init__(self, name: str, runs: int, what: str = "runs") -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn(f"{{task.completed:.0f}}/{{task.total:.0f}} {what}, {{task.fields[failed]}} failed"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._failed = 0
        self._task = self._progress.add_task(name, total=runs, failed=0)

    def __enter__(self) -> RunsBar:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def update(self, failed: bool) -> None:
        """One more run is finished."""
        self._failed += failed
        self._progress.update(self._task, advance=1, failed=self._failed)


class StudyBar:
    """Shows how many runs of a study are there, with a line of text: rate, time that remains, what is going on."""

    def __init__(self, name: str, runs: int) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[line]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(name, total=runs, line="")

    def __enter__(self) -> StudyBar:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def show(self, done: int, line: str) -> None:
        """So many runs are there."""
        self._progress.update(self._task, completed=done, line=line)
