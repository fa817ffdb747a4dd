"""How far, where to and how fast does a robot move, alone or compared with another run?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measure
from pushpoint.analysis._series import (
    ROUNDING,
    at,
    between,
    column,
    displaced,
    link_path,
    mass_path,
    mean_heading,
    recorded,
    rms,
    times,
)
from pushpoint.errors import InvalidInput
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

# --- one link ---


@measure("m")
def link_coordinate(run: Recording, *, link: int, axis: str, time: float) -> float:
    """Coordinate [m] of the centre of a link at `time` [s]."""
    return float(at(run, link_path(run, link), np.array([time]))[0, column(axis)])


@measure("m")
def lowest(
    run: Recording, *, link: int, axis: str, start: float = 0.0, end: float | None = None, every: float | None = None
) -> float:
    """Smallest coordinate [m] of a link from `start` to `end` [s]; at every row, or `every` so many seconds."""
    return float(_seen(run, link, start, end, every)[:, column(axis)].min())


@measure("m")
def highest(
    run: Recording, *, link: int, axis: str, start: float = 0.0, end: float | None = None, every: float | None = None
) -> float:
    """Largest coordinate [m] of a link from `start` to `end` [s]; at every row, or `every` so many seconds."""
    return float(_seen(run, link, start, end, every)[:, column(axis)].max())


def _seen(run: Recording, link: int, start: float, end: float | None, every: float | None) -> FloatArray:
    path, rows = link_path(run, link), between(run, start, end)
    if every is None:
        return path[rows]
    if every <= 0.0:
        raise InvalidInput(f"every = {every} s: must be positive")
    last = times(run)[rows][-1]
    return at(run, path, np.arange(start, last + ROUNDING, every))


@measure("s")
def first_passage(run: Recording, *, link: int, axis: str, value: float) -> float:
    """First time [s] at which a coordinate of a link is at least `value` [m]; infinite if it never is."""
    t, path = times(run), link_path(run, link)[:, column(axis)]
    reached = np.flatnonzero(path >= value)
    if not len(reached):
        return math.inf
    k = int(reached[0])
    if k == 0:
        return float(t[0])
    share = (value - path[k - 1]) / (path[k] - path[k - 1])
    return float(t[k - 1] + share * (t[k] - t[k - 1]))


@measure("m")
def rms_between(run: Recording, reference: Recording, *, link: int) -> float:
    """Root mean square distance [m] of a link between two runs, at equal times, while both last."""
    t = times(run)
    shared = t <= times(reference)[-1]
    return rms(link_path(run, link)[shared] - at(reference, link_path(reference, link), t[shared]))


# --- the centre of mass along an axis ---


@measure("m", former="way")
def displacement(run: Recording, *, axis: str, end: float) -> float:
    """Displacement [m] of the centre of mass along an axis from t = 0 to `end` [s], or to where the stop condition of
    its scenario ended the run."""
    if run.stopped and run.failure is None:
        end = min(end, float(times(run)[-1]))
    return float(displaced(run, 0.0, end)[column(axis)])


@measure()
def progress_ratio(run: Recording, reference: Recording, *, axis: str, end: float) -> float:
    """Displacement of the centre of mass along `axis` until `end` [s], as a share of the reference's."""
    covered = displacement(reference, axis=axis, end=end)
    if covered == 0.0:
        raise InvalidInput(f"the reference does not move along {axis} until {end} s: no ratio")
    return displacement(run, axis=axis, end=end) / covered


@measure()
def sensitivity_ratio(
    run: Recording, other: Recording, reference: Recording, other_reference: Recording, *, axis: str, end: float
) -> float:
    """How much the displacement changes from `run` to the `other`, over how much it does from `reference` to
    `other_reference`.

    Both changes are relative to the mean of the two displacements.
    """
    changed = _relative_change(reference, other_reference, axis, end)
    if changed == 0.0:
        raise InvalidInput(f"the references get equally far along {axis} until {end} s: no ratio")
    return _relative_change(run, other, axis, end) / changed


def _relative_change(one: Recording, other: Recording, axis: str, end: float) -> float:
    first, second = (displacement(run, axis=axis, end=end) for run in (one, other))
    if first + second == 0.0:
        raise InvalidInput(f"two runs that do not move along {axis} until {end} s: no relative change")
    return abs(2.0 * (second - first) / (second + first))


@measure("m/s")
def mean_speed(run: Recording, *, axis: str, start: float, end: float) -> float:
    """Mean velocity [m/s] of the centre of mass from `start` to `end` [s]."""
    if end <= start:
        raise InvalidInput(f"end = {end} s: must be later than start = {start} s")
    return float(displaced(run, start, end)[column(axis)] / (end - start))


@measure()
def speed_ratio(run: Recording, reference: Recording, *, axis: str, start: float, end: float) -> float:
    """Mean velocity of the centre of mass over the reference's; negative if they go in opposite directions."""
    other = mean_speed(reference, axis=axis, start=start, end=end)
    if other == 0.0:
        raise InvalidInput(f"the reference does not move along {axis} from {start} to {end} s: no ratio")
    return mean_speed(run, axis=axis, start=start, end=end) / other


@measure("m")
def mass_offset(run: Recording, reference: Recording, *, axis: str, time: float) -> float:
    """Centre of mass of `run` minus that of `reference` [m] at a time [s]."""
    moment = np.array([time])
    return float((at(run, mass_path(run), moment) - at(reference, mass_path(reference), moment))[0, column(axis)])


@measure("m")
def mass_offset_at_end(run: Recording, reference: Recording, *, axis: str) -> float:
    """Centre of mass of `run` minus that of `reference` [m], at the last time both have."""
    last = min(float(times(run)[-1]), float(times(reference)[-1]))
    return mass_offset(run, reference, axis=axis, time=last)


# --- the centre of mass in any direction ---


@measure("m/s")
def ground_speed(run: Recording, *, start: float, end: float) -> float:
    """Distance of the centre of mass between two times over the time between them [m/s], in the horizontal plane."""
    return float(np.linalg.norm(displaced(run, start, end))) / (end - start)


@measure()
def distance_ratio(run: Recording, reference: Recording, *, start: float, end: float) -> float:
    """How far the centre of mass comes, over how far that of the reference comes."""
    one, other = displaced(run, start, end), displaced(reference, start, end)
    return float(np.linalg.norm(one) / np.linalg.norm(other))


@measure("rad")
def direction_difference(run: Recording, reference: Recording, *, start: float, end: float) -> float:
    """The angle [rad] from where the reference goes to where the run goes, positive to the left."""
    one, other = displaced(run, start, end), displaced(reference, start, end)
    return math.remainder(math.atan2(one[1], one[0]) - math.atan2(other[1], other[0]), math.tau)


@measure()
def across_over_along(run: Recording, *, start: float, end: float) -> float:
    """How far the centre of mass comes across the direction of the body at the start, over how far along it."""
    forward = mean_heading(run)[0]
    x, y = displaced(run, start, end)
    along, across = x * math.cos(forward) + y * math.sin(forward), y * math.cos(forward) - x * math.sin(forward)
    return abs(across / along) if along else math.inf


@measure("m")
def drop(run: Recording, *, start: float, end: float) -> float:
    """By how much [m] the centre of mass sinks from `start` to `end` [s]."""
    first, last = at(run, recorded(run, "centre_of_mass")[:, 1:], np.array([start, end]))
    return float(first[1] - last[1])


# --- the direction of the whole robot ---


@measure("rad")
def heading(run: Recording, *, start: float, end: float) -> float:
    """Direction [rad] of the mean forward axis of all links, averaged from `start` to `end` [s]."""
    return float(mean_heading(run)[between(run, start, end)].mean())


@measure("rad")
def heading_difference(run: Recording, reference: Recording, *, start: float, end: float) -> float:
    """By how much more [rad] a run has turned to the left than the reference, averaged from `start` to `end` [s]."""
    return heading(run, start=start, end=end) - heading(reference, start=start, end=end)
