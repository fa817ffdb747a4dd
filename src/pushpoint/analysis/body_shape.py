"""What shape has the robot, and which shape was it given: angles of links and joints, shape curves (P3)?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measure
from pushpoint.analysis._series import between, checked, column, recorded, require, times
from pushpoint.errors import InvalidInput
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording
    from pushpoint.shapes import ShapeCurve

SAMPLES = 257  # of each piece of the curve
ROUND_OFF = 1e-12  # [m]

# --- angles ---


@measure("rad")
def link_angle(run: Recording, *, link: int, time: float, relative_to: int | None = None) -> float:
    """Angle [rad] of a link at a time [s], linear between rows."""
    require(run, time)
    return float(np.interp(time, times(run), link_angles(run, link, relative_to)))


@measure("rad")
def link_angle_peak(run: Recording, *, link: int, relative_to: int | None = None) -> float:
    """The largest angle [rad] of a link, with its sign."""
    angle = link_angles(run, link, relative_to)
    return float(angle[np.abs(angle).argmax()])


@measure("rad")
def link_angle_lowest(run: Recording, *, link: int, relative_to: int | None = None) -> float:
    """The smallest angle [rad] of a link."""
    return float(link_angles(run, link, relative_to).min())


@measure("rad")
def link_angle_mean(
    run: Recording, *, link: int, start: float, end: float | None = None, relative_to: int | None = None
) -> float:
    """Mean angle [rad] of a link between two times [s]."""
    return float(link_angles(run, link, relative_to)[between(run, start, end)].mean())


@measure("rad")
def link_angle_off(
    run: Recording, *, link: int, angle: float, start: float, end: float | None = None, relative_to: int | None = None
) -> float:
    """Largest distance [rad] of a link's angle from `angle` between two times [s]."""
    return float(np.abs(link_angles(run, link, relative_to)[between(run, start, end)] - angle).max())


def link_angles(run: Recording, link: int, relative_to: int | None = None) -> FloatArray:
    """Angle [rad] of a link, in the world or relative to another link, (rows,)."""
    angle = recorded(run, "link_angle")
    for name, number in (("link", link), ("relative_to", relative_to)):
        if number is not None and not 0 <= number < angle.shape[1]:
            raise InvalidInput(f"{name} = {number}: the recording has links 0 (tail) to {angle.shape[1] - 1}")
    return np.asarray(angle[:, link] if relative_to is None else angle[:, link] - angle[:, relative_to])


@measure()
def joint_over_others(run: Recording, *, joint: int, start: float = 0.0, end: float | None = None) -> float:
    """Mean size of a joint's angle over that of the most bent of the other joints."""
    angle = np.abs(recorded(run, "joint_angle")[between(run, start, end)]).mean(axis=0)
    if len(angle) < 2:
        raise InvalidInput("the recording has one joint: there are no others")
    checked("joint", joint, len(angle))
    return float(angle[joint] / np.delete(angle, joint).max())


@measure("rad")
def reference_difference(run: Recording, *, angles: Sequence[float], time: float = 0.0) -> float:
    """The largest difference [rad] between joint references at `time` [s] and `angles`, from the tail."""
    require(run, time)
    row = int(np.argmin(np.abs(times(run) - time)))
    reference = recorded(run, "joint_reference")[row]
    if len(angles) != len(reference):
        raise InvalidInput(f"angles: {len(angles)} values; the robot has {len(reference)} joint angles")
    return float(np.abs(reference - np.asarray(angles, dtype=float)).max())


# --- the curve that a shape follower was given ---


@measure("m")
def curve_coordinate(run: Recording, *, s: float, axis: str) -> float:
    """A coordinate [m] of the curve at parameter `s`."""
    return float(drawn_curve(run).at(s)[column(axis, "xyz")])


@measure("m")
def curve_length(run: Recording) -> float:
    """Length [m] of the curve."""
    return drawn_curve(run).length()


@measure("m")
def curve_overshoot(run: Recording) -> float:
    """By how much [m] a coordinate of the curve leaves the range between the two points next to it, at most."""
    curve = drawn_curve(run)
    worst = 0.0
    for k, (one, other) in enumerate(zip(curve.points, curve.points[1:], strict=False)):
        places = curve.at(np.linspace(k, k + 1.0, SAMPLES))
        low, high = np.minimum(one, other), np.maximum(one, other)
        worst = max(worst, float((places - high).max()), float((low - places).max()))
    return worst if worst > ROUND_OFF else 0.0


@measure()
def alignment_ratio(run: Recording, *, look_ahead: float, reference: float) -> float:
    """Largest distance of a joint from the curve with one `look_ahead` [m], as a multiple of that with another, the
    `reference` [m]."""
    from pushpoint.shapes.alignment import Aligner, deviation
    from pushpoint.shapes.virtual_snake import virtual_snake

    curve, snake = drawn_curve(run), virtual_snake(run.scenario.built_robot())
    one, other = (
        deviation(curve, Aligner(snake, distance).align(curve, curve.last)) for distance in (look_ahead, reference)
    )
    return one / other


@measure("rad")
def curve_turn(run: Recording, *, before: int, after: int, angle: float) -> float:
    """The angle [rad] between the first and the last cycle of the run's segment, if `before` cycles are added as they
    are and `after` in a shape frame turned by `angle` [rad], point by point as the controller does."""
    from pushpoint.shapes.gait_segment import GaitSegment, about_z, extended

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


def drawn_curve(run: Recording) -> ShapeCurve:
    """The curve through the points that a run's controller was given."""
    from pushpoint.shapes.shape_curve import ShapeCurve  # here, as few runs have one

    options = run.scenario.controller.options
    if options.get("points") is None:
        raise InvalidInput(f"{run.scenario.name}: its controller has no list of points")
    return ShapeCurve(options["points"], options.get("interpolation", "pchip"))
