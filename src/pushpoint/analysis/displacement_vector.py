"""How far, where to and how fast does a robot go as a whole?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._headings import mean_heading
from pushpoint.analysis._series import at, mass_path, require, times
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


def displacement(run: Recording, start: float, end: float) -> FloatArray:
    """Of the centre of mass from `start` to `end` [s], in the horizontal plane [m], (2,)."""
    first, last = at(run, mass_path(run), np.array([start, end]))
    return np.asarray(last - first)


@measures.register("ground_speed")
def ground_speed(run: Recording, *, start: float, end: float) -> float:
    """Distance of the centre of mass between two times over the time between them [m/s], in the horizontal plane."""
    return float(np.linalg.norm(displacement(run, start, end))) / (end - start)


@measures.register("distance_ratio")
def distance_ratio(run: Recording, reference: Recording, *, start: float, end: float) -> float:
    """How far the centre of mass comes, over how far that of the reference comes."""
    one, other = displacement(run, start, end), displacement(reference, start, end)
    return float(np.linalg.norm(one) / np.linalg.norm(other))


@measures.register("direction_difference")
def direction_difference(run: Recording, reference: Recording, *, start: float, end: float) -> float:
    """The angle [rad] from where the reference goes to where the run goes, positive to the left."""
    one, other = displacement(run, start, end), displacement(reference, start, end)
    return math.remainder(math.atan2(one[1], one[0]) - math.atan2(other[1], other[0]), math.tau)


@measures.register("across_over_along")
def across_over_along(run: Recording, *, start: float, end: float) -> float:
    """How far the centre of mass comes across the direction of the body at the start, over how far along it."""
    forward = mean_heading(run)[0]
    x, y = displacement(run, start, end)
    along, across = x * math.cos(forward) + y * math.sin(forward), y * math.cos(forward) - x * math.sin(forward)
    return abs(across / along) if along else math.inf


@measures.register("drop")
def drop(run: Recording, *, start: float, end: float) -> float:
    """By how much [m] the centre of mass sinks from `start` to `end` [s]."""
    require(run, start)
    require(run, end)
    height = np.asarray(run.data["centre_of_mass"].values, dtype=float)[:, 2]
    first, last = np.interp([start, end], times(run), height)
    return float(first - last)
