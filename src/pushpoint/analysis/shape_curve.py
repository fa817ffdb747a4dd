"""What curve does a run draw, and which joint angles does it ask for?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import require, times
from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.shapes import GaitSegment, ShapeCurve
from pushpoint.shapes.gait_segment import about_z, extended

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


def drawn_curve(run: Recording) -> ShapeCurve:
    """The curve through the points that a run's controller was given."""
    options = run.scenario.controller.options
    if options.get("points") is None:
        raise InvalidInput(f"{run.scenario.name}: its controller has no list of points")
    return ShapeCurve(options["points"], options.get("interpolation", "pchip"))


@measures.register("curve_coordinate")
def curve_coordinate(run: Recording, *, s: float, axis: str) -> float:
    """A coordinate [m] of the curve at parameter `s`."""
    if axis not in ("x", "y", "z"):
        raise UnknownName("axis", axis, ("x", "y", "z"))
    return float(drawn_curve(run).at(s)["xyz".index(axis)])


@measures.register("curve_length")
def curve_length(run: Recording) -> float:
    """Length [m] of the curve."""
    return drawn_curve(run).length()


@measures.register("reference_difference")
def reference_difference(run: Recording, *, angles: Sequence[float], time: float = 0.0) -> float:
    """The largest difference [rad] between joint references at `time` [s] and `angles`, from the tail."""
    require(run, time)
    row = int(np.argmin(np.abs(times(run) - time)))
    reference = np.asarray(run.data["joint_reference"].values, dtype=float)[row]
    if len(angles) != len(reference):
        raise InvalidInput(f"angles: {len(angles)} values; the robot has {len(reference)} joint angles")
    return float(np.abs(reference - np.asarray(angles, dtype=float)).max())


@measures.register("curve_turn")
def curve_turn(run: Recording, *, before: int, after: int, angle: float) -> float:
    """The angle [rad] between the first and the last cycle of the run's segment, if `after` of `before + after`
    cycles are added in a shape frame turned by `angle` [rad], point by point as the controller does."""
    options = run.scenario.controller.options
    if options.get("segment") is None:
        raise InvalidInput(f"{run.scenario.name}: its controller has no gait segment")
    segment = GaitSegment.parse(options["segment"]).array()
    steps, points = np.diff(segment, axis=0), segment[:1]
    for cycle in range(before + after):
        frame = about_z(0.0 if cycle < before else angle)
        for step in range(len(steps)):
            points = extended(points, steps, step, frame)
    k = len(steps)
    first, last = points[k] - points[0], points[-1] - points[-1 - k]
    return math.remainder(math.atan2(last[1], last[0]) - math.atan2(first[1], first[0]), math.tau)
