"""A robot's chain with the method by which it is laid along shape curves, and how far it then is from them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.shapes.alignments import Laid, Memory, Settings, alignments, new_laid, new_memory
from pushpoint.shapes.shape_curve import ShapeCurve
from pushpoint.shapes.virtual_snake import VirtualSnake
from pushpoint.types import FloatArray

CHORDS_PER_PIECE = 64  # in place of the curve, to measure distances from it


@dataclass(frozen=True)
class Aligner:
    """A robot's chain with a look-ahead distance [m]; checked once, used often."""

    snake: VirtualSnake
    look_ahead: float
    alignment: str = "look-ahead"  # a registered name

    def __post_init__(self) -> None:
        longest = float(self.snake.length.max())
        if not (math.isfinite(self.look_ahead) and self.look_ahead >= longest * (1 - 1e-12)):
            raise InvalidInput(
                f"look_ahead = {self.look_ahead:g} m: should be at least the longest link, {longest:g} m, or links "
                f"overshoot the curve; up to {2 * longest:g} m works well"
            )

    def align(
        self,
        curve: ShapeCurve,
        head: float,
        roll: float = 0.0,
        memory: Memory | None = None,
        most_turn: float = math.inf,
    ) -> Laid:
        """Lay the robot along `curve`, its head's tip at parameter `head`, turned by `roll` [rad] about the curve.

        `memory` is read and changed; without it nothing is known of the past, and joints may turn as they need to.
        """
        if not (math.isfinite(head) and math.isfinite(roll)):
            raise InvalidInput(f"head = {head}, roll = {roll} rad: should be finite")
        if memory is None:
            memory, most_turn = new_memory(self.snake.joints), math.inf
        laid = new_laid(self.snake.joints)
        settings = Settings(float(head), float(roll), self.look_ahead, float(most_turn))
        alignments[self.alignment](curve.curve, self.snake, settings, memory, laid)
        return laid


def deviation(curve: ShapeCurve, laid: Laid) -> float:
    """The largest distance [m] of a joint or the tail's tip from the curve near it, to chords of 1/64 of a piece."""
    low, high, first = float(laid.aim.min()), float(curve.nearest(laid.frame[:1, :, 3])[0]), curve.first
    pieces = max(1, math.ceil(min(high, curve.last) - max(low, first)))
    inside = np.linspace(max(low, first), max(high, low, first), pieces * CHORDS_PER_PIECE + 1)
    places = curve.at(np.unique(np.concatenate([[min(low, first)], inside])))
    return float(_away_from(laid.frame[1:, :, 3], places).max())


def _away_from(origins: FloatArray, places: FloatArray) -> FloatArray:
    """Distances [m] (k,) of points (k, 3) from the line through `places` (m, 3)."""
    begin, step = places[:-1], np.diff(places, axis=0)
    square = np.maximum((step * step).sum(axis=1), 1e-30)
    off = origins[:, np.newaxis] - begin
    part = np.clip((off * step).sum(axis=2) / square, 0.0, 1.0)
    return np.asarray(np.linalg.norm(off - part[..., np.newaxis] * step, axis=2).min(axis=1))
