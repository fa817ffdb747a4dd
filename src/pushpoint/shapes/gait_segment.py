"""One cycle of a motion as shape control points, and curves that grow by it, P3 III-E."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from pydantic import Discriminator, Field, Tag, model_validator

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.geometry.rotation import about_axis
from pushpoint.quantities import Angle
from pushpoint.quantities import Coordinate as Place
from pushpoint.shapes.interpolations import slopes_of
from pushpoint.shapes.shape_curve import shape_control_points
from pushpoint.types import FloatArray

SETTLED = 1e-7  # [m]: slopes that differ by less are the same
MOST = 64  # points: an interpolation that is felt farther away is refused


def _coordinates(value: Any) -> str | None:
    """Which kind of point is meant, by how many coordinates it has."""
    return {2: "x, y", 3: "x, y, z"}.get(len(value)) if isinstance(value, list | tuple) else None


Point = Annotated[
    Annotated[tuple[Place, Place], Tag("x, y")] | Annotated[tuple[Place, Place, Place], Tag("x, y, z")],
    Discriminator(_coordinates, custom_error_type="point", custom_error_message="should be x, y or x, y, z [m]"),
]


class Wave(Frozen):
    """amplitude sin(cycles beta + phase)."""

    amplitude: Place  # [m]
    cycles: Angle = 1.0  # in one segment
    phase: Angle = 0.0  # [rad]


class Coordinate(Frozen):
    """advance beta / 2 pi + the sum of the waves; beta goes from 0 to 2 pi along the segment."""

    advance: Place = 0.0  # [m] per segment
    waves: Annotated[tuple[Wave, ...], Field(fail_fast=True, max_length=1000)] = ()

    def at(self, beta: FloatArray) -> FloatArray:
        along = self.advance * beta / math.tau
        return np.asarray(along + sum(wave.amplitude * np.sin(wave.cycles * beta + wave.phase) for wave in self.waves))


class ParametricCurve(Frozen):
    """B(beta) of P3 (19), sampled at `points` shape control points, (20)."""

    x: Coordinate = Coordinate()
    y: Coordinate = Coordinate()
    z: Coordinate = Coordinate()
    points: Annotated[int, Field(ge=2, le=limits.POINTS)] = 9

    def sampled(self) -> FloatArray:
        """[m], (points, 3)."""
        beta = np.linspace(0.0, math.tau, self.points)
        return np.stack([axis.at(beta) for axis in (self.x, self.y, self.z)], axis=1)


class GaitSegment(Frozen):
    """P3 (17): the shape over one cycle, in the shape frame; either a list of points [m] or a parametric curve."""

    points: Annotated[tuple[Point, ...], Field(fail_fast=True, max_length=limits.POINTS)] | None = None
    curve: ParametricCurve | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.points is None) == (self.curve is None):
            raise ValueError("should have either points or a curve")
        self.array()
        return self

    @classmethod
    def of_function(cls, function: Callable[[float], tuple[float, ...]], points: int = 9) -> GaitSegment:
        """The segment of any function of beta, from 0 to 2 pi, that gives x, y or x, y, z [m]."""
        if points < 2:
            raise InvalidInput(f"points = {points}: a segment needs at least 2 shape control points")
        return cls.parse({"points": [function(math.tau * k / (points - 1)) for k in range(points)]})

    def array(self) -> FloatArray:
        """[m], (k, 3)."""
        if self.curve is not None:
            return shape_control_points(self.curve.sampled(), "segment.curve")
        return shape_control_points(self.points or (), "segment.points")

    def repeated(self, cycles: int, heading: float = 0.0, frame: FloatArray | None = None) -> FloatArray:
        """Points [m] of a curve of so many cycles from the first point of the segment on; the shape frame (3, 3) is
        turned by `heading` [rad] about the vertical."""
        points = self.array()
        start = points[:1]
        turn = about_z(heading) if frame is None else about_z(heading) @ frame
        steps = np.tile(np.diff(points, axis=0) @ turn.T, (cycles, 1))
        return np.concatenate([start, start + np.cumsum(steps, axis=0)])


def about_z(angle: float) -> FloatArray:
    """R_z: the shape frame that heads to `angle` [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rolled_pitched_turned(roll: float, pitch: float, yaw: float) -> FloatArray:
    """R_z(yaw) R_y(pitch) R_x(roll) of angles [rad]."""
    about_y, about_x = (about_axis(np.eye(3)[k], angle) for k, angle in ((1, pitch), (0, roll)))
    return np.asarray(about_z(yaw) @ about_y @ about_x)


def extended(points: FloatArray, steps: FloatArray, step: int, frame: FloatArray) -> FloatArray:
    """One more point, P3 (18): `steps` (k - 1, 3) lead from point to point of the segment (erratum P3-6)."""
    new = points[-1] + frame @ steps[step % len(steps)]
    return np.concatenate([points, new[np.newaxis]])


class Reach(NamedTuple):
    """How many points of a curve that grows and is forgotten to keep ahead of the head and behind the tail. Two ahead:
    erratum P3-5."""

    ahead: int = 2
    behind: int = 3


def changes_nothing_afar(interpolation: str, segment: GaitSegment) -> bool:
    """Whether a point more, or one less, changes nothing at all of the curve that is out of reach, not even a bit."""
    ahead, behind = reach_of(interpolation, segment)
    points = segment.repeated(max(2, math.ceil(3 * MOST / (len(segment.array()) - 1))))
    whole = slopes_of(interpolation, points)
    grown, cut = slopes_of(interpolation, points[:-1]), slopes_of(interpolation, points[1:])
    kept = len(grown) - ahead
    return bool((whole[:kept] == grown[:kept]).all() and (whole[1 + behind :] == cut[behind:]).all())


def reach_of(interpolation: str, segment: GaitSegment) -> Reach:
    """The reach of an interpolation on a repeated segment: one more point changes the curve only beyond `ahead`, one
    less only before `behind`."""
    steps = len(segment.array()) - 1
    points = segment.repeated(max(2, math.ceil(3 * MOST / steps)))
    whole = slopes_of(interpolation, points)
    grown = np.abs(whole[:-1] - slopes_of(interpolation, points[:-1])).max(axis=(1, 2)) > SETTLED
    cut = np.abs(whole[1:] - slopes_of(interpolation, points[1:])).max(axis=(1, 2)) > SETTLED
    ahead = len(grown) - int(np.argmax(grown)) if grown.any() else 0
    behind = len(cut) - int(np.argmax(cut[::-1])) if cut.any() else 0
    if max(ahead, behind) > MOST:
        raise InvalidInput(
            f"interpolation = {interpolation!r}: one more point changes the curve {max(ahead, behind)} points away; "
            f"should be {MOST} at most where a segment is repeated"
        )
    return Reach(max(Reach().ahead, ahead), max(Reach().behind, behind))
