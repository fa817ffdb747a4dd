"""What can be said of a motion by a shape curve."""

from __future__ import annotations

import math
from math import radians
from typing import Annotated, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from pushpoint import limits
from pushpoint import quantities as q
from pushpoint.control._schedule import Scheduled
from pushpoint.fields import Frozen
from pushpoint.geometry.rotation import matrices
from pushpoint.shapes.alignments import AlignmentName
from pushpoint.shapes.gait_segment import GaitSegment, Point
from pushpoint.shapes.interpolations import InterpolationName
from pushpoint.shapes.shape_curve import shape_control_points
from pushpoint.types import FloatArray

Triple = tuple[q.Coordinate, q.Coordinate, q.Coordinate]
Entry = Annotated[float, Field(ge=-1.0 - 1e-6, le=1.0 + 1e-6, allow_inf_nan=False)]  # of a rotation
Quaternion = tuple[Entry, Entry, Entry, Entry]
Row = tuple[Entry, Entry, Entry]

FASTEST = 1e4  # [m/s]
ROTATION_ERROR = 1e-6  # of what is given as a rotation: digits of a file
Place = Annotated[float, Field(ge=0, le=limits.CURVE_POINTS, allow_inf_nan=False)]  # on a curve, in points


class PointMotion(Frozen):
    """The second motion of P3 III-E: point i is off its place by amplitude sin(frequency t + i shift + phase).

    `amplitude` [m] is one triple for all points, or one for each: n for n points, k - 1 for a segment of k points,
    whose last one is the first of the next cycle.
    """

    amplitude: Annotated[tuple[Triple, ...], Field(min_length=1, fail_fast=True, max_length=limits.POINTS)]
    frequency: q.Rate  # [rad/s]
    shift: q.Angle = 0.0  # [rad] from point to point
    phase: q.Angle = 0.0  # [rad]


class ShapeFrame(Frozen):
    """The shape frame, P3 (16), before `heading` turns it about the vertical: R_z(yaw) R_y(pitch) R_x(roll) rotation.

    Roll, pitch and yaw may change in time. `rotation` is a unit quaternion w, x, y, z or the three rows of a matrix.
    """

    roll: Scheduled = 0.0  # [rad], about x
    pitch: Scheduled = 0.0  # [rad], about y: positive heads down
    yaw: Scheduled = 0.0  # [rad], about z
    rotation: Quaternion | tuple[Row, Row, Row] | None = None

    @field_validator("rotation")
    @classmethod
    def _turns(cls, value: Quaternion | tuple[Row, Row, Row] | None) -> Quaternion | tuple[Row, Row, Row] | None:
        given = np.array(value if value is not None else (1.0, 0.0, 0.0, 0.0))
        if given.ndim == 1 and abs(float(np.linalg.norm(given)) - 1.0) > ROTATION_ERROR:
            raise ValueError(f"a quaternion w, x, y, z should be of length 1, not {np.linalg.norm(given):.6g}")
        if given.ndim == 2 and (
            float(np.abs(given @ given.T - np.eye(3)).max()) > ROTATION_ERROR or float(np.linalg.det(given)) < 0.0
        ):
            raise ValueError("the rows of a matrix should be a rotation: unit vectors, at right angles, right-handed")
        return value

    def fixed(self) -> FloatArray:
        """`rotation` as a matrix, exact to round-off where what was given is rounded."""
        if self.rotation is None:
            return np.eye(3)
        given = np.array(self.rotation)
        if given.ndim == 1:
            return matrices(given / np.linalg.norm(given))
        left, _, right = np.linalg.svd(given)
        return np.asarray(left @ right)


class HeadingLoop(Frozen):
    """Turns the shape frame until the robot heads where it should, at `gain` times the error.

    The heading is that of the mean forward axis of all links, counted from what it is at the start. It follows the
    shape frame late, since new points have to reach the tail, and swings in every cycle. So the error is that of the
    heading to come: the shape frame's, and by how much the robot is turned from the virtual one, now and by the time
    when new points are under its middle; the rate of that is smoothed over `smoothing`.
    """

    reference: Scheduled = 0.0  # [rad]
    gain: q.Gain = 4.0  # [1/s]
    smoothing: q.Period = 5.0  # [s]
    limit: q.PositiveAngle = radians(45.0)  # [rad/s], of the shape frame


class Compliance(Frozen):
    """Shape control points as masses on springs, pushed by the contact forces: P4 2.1.4.

    A force that pushes back, against the direction in which the robot heads, is obstructive and moves the points near
    it; of one that pushes on, `propulsive` does. Mass and damping matter for the time it takes, 0.1 s by default.
    """

    mass: q.Mass = 0.5  # [kg]
    damping: q.Gain = 25.0  # [N s/m]
    stiffness: q.PositiveGain = 300.0  # [N/m]
    propulsive: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.0
    limit: q.Length = 0.15  # [m], by which a point may be moved at most
    force_limit: q.PositiveForce = 20.0  # [N], of what is taken in from one contact: impacts are no news of a shape


class ShapeFollowerOptions(Frozen):
    """Either a `segment`, repeated for ever, or a finite list of `points` [m].

    `speed` is that of the head along the curve, `roll_rate` that about it; zero, they leave it in place. `heading` is
    that of the shape frame in open loop; `loop` closes it; `frame` rolls and pitches it. Default look-ahead: twice the
    longest link, as in P3.
    """

    segment: GaitSegment | None = None
    points: Annotated[tuple[Point, ...], Field(fail_fast=True, max_length=limits.POINTS)] | None = None
    interpolation: InterpolationName = "pchip"
    alignment: AlignmentName = "look-ahead"
    look_ahead: q.Length | None = None  # [m]
    speed: Scheduled = 0.0  # [m/s]
    head: Place | None = None  # s_h at the start; default: the robot lies on the curve as a whole
    roll: q.Angle = 0.0  # [rad]
    roll_rate: Scheduled = 0.0  # [rad/s]
    heading: Scheduled = 0.0  # [rad]
    frame: ShapeFrame | None = None
    loop: HeadingLoop | None = None
    motion: PointMotion | None = None
    compliance: Compliance | None = None
    rate_limit: q.RateLimit = math.inf  # [rad/s], of joint references
    rate_reference: bool = False  # give the servos the rates of references too; P3 holds them for a tick

    @field_validator("speed")
    @classmethod
    def _never_back(cls, value: Scheduled) -> Scheduled:
        speeds = [v for _, v in value] if isinstance(value, tuple) else [value]
        if min(speeds) < 0.0:
            raise ValueError("should not be negative: reverse the order of the points")
        if max(speeds) > FASTEST:
            raise ValueError(f"should be {FASTEST:g} m/s at most")
        return value

    @model_validator(mode="after")
    def _one_shape(self) -> Self:
        if (self.segment is None) == (self.points is None):
            raise ValueError("should have either a segment or points")
        if self.points is not None:
            shape_control_points(self.points)
            if self.loop is not None or self.heading != 0.0 or self.frame is not None:
                raise ValueError("a finite curve of points is not steered: heading, frame and loop need a segment")
        self._check_motion()
        return self

    def _check_motion(self) -> None:
        if self.motion is None:
            return
        points = len(self.points) if self.points is not None else len(self.segment.array()) - 1 if self.segment else 0
        given = len(self.motion.amplitude)
        if given not in (1, points):
            raise ValueError(f"motion.amplitude: {given} triples; should be 1 or {points}, one for each new point")
