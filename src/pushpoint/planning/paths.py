"""Plane curves by arc length, smooth to the second derivative, straight beyond their ends."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.planning._scipy import scipy_part
from pushpoint.types import FloatArray

SAMPLES_PER_WAVE = 800  # of a sine: cubic splines between are off by less than 1e-9 of a wave


class Path:
    """A curve through points, by arc length s from the first of them."""

    def __init__(self, points: FloatArray) -> None:
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        if len(points) < 2 or not (steps > 0.0).all():
            raise InvalidInput("a path needs at least two points, neighbours apart from each other")
        spline = scipy_part("interpolate").CubicSpline
        chord = np.concatenate([[0.0], np.cumsum(steps)])
        by_chord = spline(chord, points)
        # Arc length at the points: Simpson's rule on |dp/dchord|, per stretch.
        speed = np.linalg.norm(by_chord(chord, 1), axis=1)
        middle = np.linalg.norm(by_chord((chord[1:] + chord[:-1]) / 2, 1), axis=1)
        arc = np.concatenate([[0.0], np.cumsum(steps * (speed[:-1] + 4.0 * middle + speed[1:]) / 6.0)])
        self._curve: Any = spline(arc, points)
        self.length = float(arc[-1])  # [m]

    def __call__(self, s: FloatArray) -> FloatArray:
        """Points (.., 2) [m] at arc lengths `s` [m]."""
        inside = np.clip(s, 0.0, self.length)
        beyond = (np.asarray(s) - inside)[..., np.newaxis]
        return np.asarray(self._curve(inside) + beyond * self._curve(inside, 1))

    def tangent(self, s: FloatArray) -> FloatArray:
        """Unit tangents (.., 2)."""
        slope = self._curve(np.clip(s, 0.0, self.length), 1)
        return np.asarray(slope / np.linalg.norm(slope, axis=-1, keepdims=True))

    def nearest(self, point: FloatArray, guess: float | None = None) -> float:
        """Arc length [m] of the point of the curve that is nearest, or of a near one by the guess."""
        s = self._coarse(point) if guess is None else guess
        for _ in range(20):
            at = np.array([s])
            step = float((point - self(at)[0]) @ self.tangent(at)[0])
            s += step
            if abs(step) < 1e-10:
                break
        return s

    def _coarse(self, point: FloatArray) -> float:
        grid = np.linspace(0.0, self.length, 2 + int(self.length / 0.01))
        return float(grid[np.argmin(np.linalg.norm(self(grid) - point, axis=1))])


def sine_path(amplitude: float, wavelength: float, begin: float, end: float) -> Path:
    """y = amplitude sin(2 pi x / wavelength) from x = begin to x = end [m]."""
    if end <= begin:
        raise InvalidInput(f"end = {end} m: a path should end beyond its begin of {begin} m")
    count = max(16, math.ceil(SAMPLES_PER_WAVE * (end - begin) / wavelength))
    x = np.linspace(begin, end, count)
    return Path(np.stack([x, amplitude * np.sin(2 * np.pi * x / wavelength)], axis=1))
