"""Plane curves by arc length, smooth to the second derivative, straight beyond their ends; and how sharply they may
bend for the links of a robot, P4 (3.51)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.planning._solvers import scipy_part
from pushpoint.types import FloatArray

SAMPLES_PER_WAVE = 800  # of a sine: cubic splines between are off by less than 1e-9 of a wave
UNIT_SPEED = 1e-5  # |dp/ds| is one within this
HALVINGS = 12  # at most, of the stretches between the points given, to get there
SPACING = 2e-3  # [m], of the places at which bends are looked for
ROUNDING = 1e-3  # of the bound of bends: splines through points of a circle are no better


class Path:
    """A curve through points, by arc length s from the first of them."""

    def __init__(self, points: FloatArray) -> None:
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        if len(points) < 2 or not (steps > 0.0).all():
            raise InvalidInput("a path needs at least two points, neighbours apart from each other")
        chord = np.concatenate([[0.0], np.cumsum(steps)])
        if not chord[-1] <= limits.PATH_LENGTH:
            raise InvalidInput(f"a path of {chord[-1]:.4g} m: should be {limits.PATH_LENGTH:g} m long at most")
        self._curve: Any = _by_arc_length(chord, points)
        self.length = float(self._curve.x[-1])  # [m]

    def __call__(self, s: FloatArray) -> FloatArray:
        """Points (.., 2) [m] at arc lengths `s` [m]."""
        inside = np.clip(s, 0.0, self.length)
        beyond = (np.asarray(s) - inside)[..., np.newaxis]
        return np.asarray(self._curve(inside) + beyond * self.tangent(inside))

    def tangent(self, s: FloatArray) -> FloatArray:
        """Unit tangents (.., 2)."""
        slope = self._curve(np.clip(s, 0.0, self.length), 1)
        return np.asarray(slope / np.linalg.norm(slope, axis=-1, keepdims=True))

    def nearest(self, point: FloatArray, guess: float | None = None) -> float:
        """Arc length [m] of the point of the curve that is nearest, or of a near one by the guess."""
        if guess is None:
            grid = np.linspace(0.0, self.length, 2 + int(self.length / 0.01))
            guess = float(grid[np.argmin(np.linalg.norm(self(grid) - point, axis=1))])
        s = guess
        for _ in range(20):
            at = np.array([s])
            step = float((point - self(at)[0]) @ self.tangent(at)[0])
            s += step
            if abs(step) < 1e-10:
                break
        return s


def _by_arc_length(chord: FloatArray, points: FloatArray) -> Any:
    """The cubic spline over the chord length as one over its arc length, through as many of its points as that takes:
    the points given are few where they are far apart, and a spline through them alone is of uneven speed between."""
    spline = scipy_part("interpolate").CubicSpline
    by_chord = spline(chord, points)
    for _ in range(HALVINGS + 1):
        half = (chord[1:] + chord[:-1]) / 2
        # Arc length at the samples: Simpson's rule on |dp/dchord|, per stretch.
        speed, middle = (np.linalg.norm(by_chord(at, 1), axis=1) for at in (chord, half))
        arc = np.concatenate([[0.0], np.cumsum(np.diff(chord) * (speed[:-1] + 4.0 * middle + speed[1:]) / 6.0)])
        curve = spline(arc, by_chord(chord))
        off = np.abs(np.linalg.norm(curve(_quarters(arc), 1), axis=1) - 1.0)
        if off.max() < UNIT_SPEED:
            return curve
        if len(chord) > limits.PATH_SAMPLES:
            break
        chord = np.sort(np.concatenate([chord, half]))
    x, y = curve(_quarters(arc)[np.argmax(off)])
    raise InvalidInput(f"a path should not turn back on the spot, as this one does near ({x:.3g}, {y:.3g}) m")


def _quarters(knots: FloatArray) -> FloatArray:
    """Places between knots at which to look: the middle of a stretch alone may be right by symmetry."""
    return np.concatenate([knots[:-1] + part * np.diff(knots) for part in (0.0, 0.25, 0.5, 0.75)])


def sine_path(amplitude: float, wavelength: float, begin: float, end: float) -> Path:
    """y = amplitude sin(2 pi x / wavelength) from x = begin to x = end [m]."""
    if end <= begin:
        raise InvalidInput(f"end = {end} m: a path should end beyond its begin of {begin} m")
    count = max(16, math.ceil(SAMPLES_PER_WAVE * (end - begin) / wavelength))
    if count > limits.PATH_SAMPLES:
        raise InvalidInput(
            f"wavelength = {wavelength} m: from {begin} to {end} m a path would need {count} samples; should be "
            f"{limits.PATH_SAMPLES} at most"
        )
    x = np.linspace(begin, end, count)
    return Path(np.stack([x, amplitude * np.sin(2 * np.pi * x / wavelength)], axis=1))


def largest_curvature(path: Path, begin: float, end: float) -> tuple[float, float]:
    """The largest curvature [1/m] between two arc lengths [m], and where it is [m]."""
    s = np.linspace(begin, end, max(3, 1 + math.ceil((end - begin) / SPACING)))
    angle = np.unwrap(np.arctan2(*path.tangent(s).T[::-1]))
    bend = np.abs(np.diff(angle) / np.diff(s))
    k = int(np.argmax(bend))
    return float(bend[k]), float(s[k] + s[k + 1]) / 2


def refuse_sharp_bends(path: Path, head: float, length: FloatArray, limit: float) -> None:
    """Refuse a path that bends more than `limit` over the longest of links (n,) [m], from the robot with its head's end
    at `head` [m] on. The limit of P4 (3.51) is 1: no radius below the length of a link."""
    longest = float(np.max(length))
    behind = float(np.sum(length)) * arc_over_chord(limit)
    bend, place = largest_curvature(path, max(0.0, head - behind), path.length)
    if bend * longest > limit * (1.0 + ROUNDING):
        raise InvalidInput(
            f"the path bends with a radius of {1.0 / bend:.3g} m at {place:.3g} m of its length; with links of "
            f"{longest:g} m should be {longest / limit:.3g} m at least"
        )


def arc_over_chord(limit: float) -> float:
    """Length of path per length of link where it bends at the limit: pi / 3 for a radius of one link."""
    half = min(1.0, limit / 2.0)
    return math.asin(half) / half
