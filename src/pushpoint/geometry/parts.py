"""The shapes that obstacles are made of. All are convex but for sheets, whose straight pieces are.

Plants have a model of each of these; an obstacle of a new kind lists the parts that it consists of and needs no other.

| part | what |
|---|---|
| Pillar | an upright cylinder that goes on below the ground |
| Column | an upright convex prism that goes on below the ground |
| Sheet | thin upright faces through points, touched from both sides |
| Rod | a cylinder with two flat ends, in any direction |
| Block | a box in any direction |
| Prism | a convex prism with two flat ends, in any direction |
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pushpoint.types import FloatArray

HIGH = 1000.0  # [m], of what has no height
AROUND = 24  # corners of the polygon that stands for a circle
SIGNS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])

Point = tuple[float, float]  # [m]
Point3 = tuple[float, float, float]  # [m]


class Part(ABC):
    """One of the shapes."""

    @abstractmethod
    def hulls(self) -> list[FloatArray]:
        """Corners [m], (points, 3), of each convex part."""

    @property
    def depth(self) -> float:
        """How far behind its faces the inside may be [m]; what is round or thin has none."""
        return 0.0


@dataclass(frozen=True)
class Pillar(Part):
    x: float  # [m]
    y: float  # [m]
    radius: float  # [m]
    height: float | None = None  # [m], from the ground z = 0; None: higher than any robot reaches

    def hulls(self) -> list[FloatArray]:
        return [_standing(np.array([self.x, self.y]) + _circle(self.radius), self.height)]


@dataclass(frozen=True)
class Column(Part):
    points: tuple[Point, ...]  # [m], counter-clockwise
    height: float | None = None  # [m]

    def hulls(self) -> list[FloatArray]:
        return [_standing(np.array(self.points), self.height)]

    @property
    def depth(self) -> float:
        return float(np.ptp(np.array(self.points), axis=0).max())


@dataclass(frozen=True)
class Sheet(Part):
    points: tuple[Point, ...]  # [m]
    height: float | None = None  # [m]

    def hulls(self) -> list[FloatArray]:
        return [_standing(np.array(piece), self.height) for piece in pairwise(self.points)]


@dataclass(frozen=True)
class Rod(Part):
    start: Point3  # [m], the centre of a flat end
    end: Point3  # [m]
    radius: float  # [m]

    def hulls(self) -> list[FloatArray]:
        start, end = np.array(self.start), np.array(self.end)
        axis = (end - start) / np.linalg.norm(end - start)
        first = np.cross(axis, [0.0, 0.0, 1.0] if abs(axis[2]) < 0.9 else [1.0, 0.0, 0.0])
        first /= np.linalg.norm(first)
        rim = _circle(self.radius) @ np.stack([first, np.cross(axis, first)])
        return [np.concatenate([start + rim, end + rim])]


@dataclass(frozen=True)
class Block(Part):
    centre: Point3  # [m]
    size: Point3  # [m], along its own axes
    axes: FloatArray  # (3, 3): its own axes as columns

    def hulls(self) -> list[FloatArray]:
        return [self.centre + SIGNS * self.size @ self.axes.T]

    @property
    def depth(self) -> float:
        return max(self.size) / 2


@dataclass(frozen=True)
class Prism(Part):
    base: tuple[Point3, ...]  # [m], corners of a flat convex polygon in order, in either sense
    up: Point3  # [m], from the base to the other end

    def hulls(self) -> list[FloatArray]:
        return [np.concatenate([np.array(self.base), np.array(self.base) + self.up])]

    @property
    def depth(self) -> float:
        return float(np.ptp(self.hulls()[0], axis=0).max())


def _circle(radius: float) -> FloatArray:
    angle = np.linspace(0, 2 * np.pi, AROUND, endpoint=False)
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _standing(outline: FloatArray, height: float | None) -> FloatArray:
    """On the ground z = 0."""
    return np.concatenate([np.insert(outline, 2, z, axis=1) for z in (0.0, HIGH if height is None else height)])
