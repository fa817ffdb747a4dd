"""When and how often do events happen, and how are jams resolved (P1 VII)?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measure
from pushpoint.analysis._series import ROUNDING, checked, recorded, times
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

RECENT = 0.02  # [s]: a link is in contact if it was during the last rows


@measure()
def event_count(run: Recording, *, name: str) -> float:
    """Events of this name, such as `resolution` or `impact`."""
    return float(np.sum(run.events["name"].values == name))


@measure("s")
def event_time(run: Recording, *, name: str, number: int = 0) -> float:
    """When [s] an event of this name happens, that of this `number`, counted from 0; infinite if it does not."""
    found = event_times(run, name)
    return float(found[number]) if number < len(found) else math.inf


@measure()
def resolutions_that_turn(run: Recording, *, clockwise: int, anticlockwise: int, duration: float) -> float:
    """How many jam resolutions begin with contacts on two links and turn link `clockwise` clockwise and link
    `anticlockwise` anticlockwise, from their start until `duration` [s] later."""
    angle, t = recorded(run, "link_angle"), times(run)
    for link in (clockwise, anticlockwise):
        checked("link", link, angle.shape[1])
    found = 0
    for start in event_times(run, "resolution"):
        if start + duration > t[-1] or not {clockwise, anticlockwise} <= _touched(run, start):
            continue
        first, last = (int(np.searchsorted(t, time - ROUNDING)) for time in (start, start + duration))
        turned = angle[last] - angle[first]
        found += bool(turned[clockwise] < 0.0 < turned[anticlockwise])
    return float(found)


def event_times(run: Recording, name: str) -> FloatArray:
    """Of events of a name [s], in order."""
    return np.sort(np.asarray(run.events["time"].values, dtype=float)[run.events["name"].values == name])


def _touched(run: Recording, time: float) -> set[int]:
    """Links in contact just before a time [s]."""
    when = np.asarray(run.contacts["time"].values, dtype=float)
    chosen = (when >= time - RECENT) & (when <= time + RECENT)
    return set(np.asarray(run.contacts["link"].values)[chosen].tolist())
