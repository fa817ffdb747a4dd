"""A run in parts, each saved: whatever happens, what was recorded until the last checkpoint is on the disk."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from pushpoint.errors import Interrupted, InvalidInput, SolverFailure

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

Run = Callable[[float], "Recording"]  # from t = 0 until a time [s]
GoOn = Callable[["Recording", float], "Recording"]  # from the end of a recording until a time [s]


def in_parts(
    begun: Recording | None, run: Run, go_on: GoOn, ends: list[float], save: Callable[[Recording], object]
) -> Recording:
    """Run until each of the times `ends` [s] in turn; all parts together are equal to the bit to one run."""
    whole, total = begun, ends[-1]
    for end in ends:
        try:
            part = run(end) if whole is None else go_on(whole, end)
        except (Interrupted, SolverFailure) as stop:
            if stop.recording is not None:
                stop.recording = _appended(whole, stop.recording).until(total)
            raise
        whole = _appended(whole, part)
        if part.stopped:
            return whole.until(total) if end < total else whole
        if end < total:
            whole = whole.until(total)
            save(whole)
    assert whole is not None
    return whole


def _appended(whole: Recording | None, part: Recording) -> Recording:
    return part if whole is None else whole.followed_by(part)


def ends_of_parts(begin: float, total: float, every: float | None) -> list[float]:
    """Times [s] at which parts end: every so many seconds after t = 0, and at the end."""
    if every is None:
        return [total]
    if not 0.0 < every < math.inf:
        raise InvalidInput(f"--checkpoint-every {every:g}: should be a positive number of seconds")
    first, last = math.floor(begin / every * (1 + 1e-12)) + 1, math.ceil(total / every * (1 - 1e-12))
    if last - first > 100_000:
        raise InvalidInput(f"--checkpoint-every {every:g}: gives {last - first} checkpoints; should be 100000 at most")
    return [*(k * every for k in range(first, last)), total]
