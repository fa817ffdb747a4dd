"""How far does a robot turn as a whole?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.analysis import measures
from pushpoint.analysis._headings import mean_heading
from pushpoint.analysis._series import between

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("heading")
def heading(run: Recording, *, start: float, end: float) -> float:
    """Direction [rad] of the mean forward axis of all links, averaged from `start` to `end` [s]."""
    return float(mean_heading(run)[between(run, start, end)].mean())


@measures.register("heading_difference")
def heading_difference(run: Recording, reference: Recording, *, start: float, end: float) -> float:
    """By how much more [rad] a run has turned to the left than the reference, averaged from `start` to `end` [s]."""
    return heading(run, start=start, end=end) - heading(reference, start=start, end=end)
