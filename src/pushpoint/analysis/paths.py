"""How far is a robot from a path: one that was published, or a sine that its head should follow?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import Curve, measure
from pushpoint.analysis._series import ROUNDING, at, between, column, link_path, recorded, rms, times
from pushpoint.errors import InvalidInput
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

STEPS = 40  # of Newton's method at most
FINE = 1e-3  # [m], spacing of the integral of arc length: exact to 1e-7

# --- published paths in time ---


@measure("m")
def rms_to_curve(
    run: Recording, *, curve: Curve, link: int, start: float = 0.0, end: float | None = None, axis: str | None = None
) -> float:
    """Root mean square distance [m] between a link and the points of `curve` at the times of the curve, or its part
    along one axis."""
    off = _off_curve(run, curve, link, start, end)
    return rms(off if axis is None else off[:, [column(axis)]])


@measure("m")
def ahead_of_curve(
    run: Recording, *, curve: Curve, link: int, axis: str, start: float = 0.0, end: float | None = None
) -> float:
    """By how much [m] a link is ahead of the points of `curve` along an axis, in the mean over them."""
    return float(_off_curve(run, curve, link, start, end)[:, column(axis)].mean())


@measure("m")
def rms_to_curve_gain(
    run: Recording, reference: Recording, *, curve: Curve, link: int, start: float = 0.0, end: float | None = None
) -> float:
    """By how much [m] `run` is farther from the curve than `reference`; negative if it is nearer."""
    one, other = (_off_curve(each, curve, link, start, end) for each in (run, reference))
    return rms(one) - rms(other)


def _off_curve(run: Recording, curve: Curve, link: int, start: float, end: float | None) -> FloatArray:
    """From the points of the curve between two times [s] to the link at their times [m], (points, 2)."""
    chosen = curve.time >= start - ROUNDING
    if end is not None:
        chosen &= curve.time <= end + ROUNDING
    if not chosen.any():
        raise InvalidInput(f"the curve has no point between {start} and {end} s")
    path = at(run, link_path(run, link), curve.time[chosen])
    return np.asarray(path - np.stack([curve.x, curve.y], axis=1)[chosen])


# --- the head on a sine ---


@measure("m")
def head_off_sine(
    run: Recording, *, amplitude: float, wavelength: float, start: float = 0.0, end: float | None = None
) -> float:
    """Root mean square distance [m] of the head's front end from y = amplitude sin(2 pi x / wavelength)."""
    tip = head_tip(run)[between(run, start, end)]
    foot = nearest_on_sine(tip, amplitude, wavelength)
    return rms(tip - on_sine(foot, amplitude, wavelength))


@measure("m/s")
def speed_along_sine(
    run: Recording, *, amplitude: float, wavelength: float, start: float = 0.0, end: float | None = None
) -> float:
    """Mean speed [m/s] of the head's front end along y = amplitude sin(2 pi x / wavelength)."""
    rows = between(run, start, end)
    tip, time = head_tip(run)[rows], times(run)[rows]
    if len(time) < 2:
        raise InvalidInput(f"from {start} to {end} s there is one row: no speed")
    first, last = nearest_on_sine(tip[[0, -1]], amplitude, wavelength)
    return arc_length(float(first), float(last), amplitude, wavelength) / float(time[-1] - time[0])


def head_tip(run: Recording) -> FloatArray:
    """Front end of the head link [m], (rows, 2)."""
    links = run.scenario.built_robot().links
    angle = recorded(run, "link_angle")[:, -1]
    ahead = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.asarray(link_path(run, len(links) - 1) + links[-1].length / 2 * ahead)


def on_sine(x: FloatArray, amplitude: float, wavelength: float) -> FloatArray:
    """Points of the path [m], (k, 2)."""
    return np.stack([x, amplitude * np.sin(2 * np.pi * x / wavelength)], axis=1)


def nearest_on_sine(points: FloatArray, amplitude: float, wavelength: float) -> FloatArray:
    """x [m], (k,), of the point of the path nearest to each point near it."""
    number = 2 * np.pi / wavelength
    x = points[:, 0].copy()
    for _ in range(STEPS):
        y, slope = amplitude * np.sin(number * x), amplitude * number * np.cos(number * x)
        step = (points[:, 0] - x + (points[:, 1] - y) * slope) / (1.0 + slope**2)
        x += step
        if np.abs(step).max() < 1e-12:
            break
    return x


def arc_length(first: float, last: float, amplitude: float, wavelength: float) -> float:
    """Length of the path [m] between two x [m], by the trapezoidal rule."""
    x = np.linspace(first, last, 2 + int(abs(last - first) / FINE))
    number = 2 * np.pi / wavelength
    return float(np.trapezoid(np.sqrt(1.0 + (amplitude * number * np.cos(number * x)) ** 2), x))
