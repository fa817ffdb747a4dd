"""Start poses: where a scenario puts the robot, in the shape that it or the controller asks for."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from pushpoint.control import Controller, Drawing, Drawn, Laid
from pushpoint.errors import InvalidInput, StartOverlap
from pushpoint.geometry.rotation import headings
from pushpoint.mechanics.overlap import overlaps
from pushpoint.mechanics.pose import moving, planar_pose
from pushpoint.mechanics.spatial_pose import Attitude, moving_in_space, pose_of_tail, spatial_pose, turned_by
from pushpoint.quantities import MOST_BEND
from pushpoint.robots import Robot
from pushpoint.scenario import Scenario, Start
from pushpoint.types import FloatArray, Pose, SpatialPose
from pushpoint.worlds import World

TOUCHING = 2e-9  # [m], overlaps of a start pose below this are round-off
AT_STOP = 1e-6  # [rad], by which a joint may be beyond its stop: round-off
JITTER_STREAM = 0x57A27  # keeps the draw of the start apart from those of worlds with the same seed


def start_pose(
    scenario: Scenario, robot: Robot, world: World, controller: Controller, dimensions: int
) -> Pose | SpatialPose:
    """Where the scenario puts the robot, in the plane or in space."""
    where = planar_start_pose if dimensions == 2 else spatial_start_pose
    pose = where(scenario, robot, world, controller)
    for field in fields(pose):
        if not np.isfinite(getattr(pose, field.name)).all():
            raise InvalidInput(f"start: the {field.name} of a link is not finite; are sizes or speeds too large?")
    return pose


def planar_start_pose(scenario: Scenario, robot: Robot, world: World, controller: Controller) -> Pose:
    """Where the scenario puts the robot, in the shape that the scenario or the controller asks for."""
    start = scenario.start
    _refuse_spatial_start(start)
    angles, rates = _shape(scenario, robot, controller)
    drawing = _drawing(start, controller)
    if drawing is None:
        pose = planar_pose(robot, angles, start.angle, _start_position(scenario), start.link)
    else:
        pose = _drawn_in_plane(scenario, robot, angles, drawing)
    if start.overlap == "refuse":
        _refuse(overlaps(robot, world, pose))
    velocity_x, velocity_y, *_ = start.velocity
    return moving(robot, pose, (velocity_x, velocity_y), start.rate, rates)


def _refuse_spatial_start(start: Start) -> None:
    for name in ("height", "pitch", "roll", "spin"):
        value = getattr(start, name)
        if value:
            raise InvalidInput(f"start.{name} = {value}: only spatial plants leave the plane")
    if len(start.velocity) == 3:
        raise InvalidInput(f"start.velocity = {start.velocity}: planar plants take two values, x and y")


def spatial_start_pose(scenario: Scenario, robot: Robot, world: World, controller: Controller) -> SpatialPose:
    """Where the scenario puts the robot in space: on the ground, in the shape asked for."""
    from pushpoint.mechanics.put_down import put_down  # here, as planar runs need no solids
    from pushpoint.mechanics.spatial_overlap import spatial_overlaps

    start = scenario.start
    angles, rates = _shape(scenario, robot, controller)
    attitude, place = Attitude(start.roll, start.pitch, start.angle), (*_start_position(scenario), 0.0)
    drawing = _drawing(start, controller)
    if drawing is None:
        pose = spatial_pose(robot, angles, attitude, place, start.link)
    else:
        pose = _drawn_in_space(robot, angles, turned_by(attitude), place, start.link, drawing)
    pose = put_down(robot, world, pose, start.height)
    if start.overlap == "refuse":
        _refuse(spatial_overlaps(robot, world, pose))
    velocity = np.array([*start.velocity, 0.0][:3])
    spin = np.array([0.0, 0.0, start.rate] if start.spin is None else start.spin)
    return moving_in_space(robot, pose, velocity, spin, rates)


def _drawing(start: Start, controller: Controller) -> Drawing | None:
    """How the controller wants the robot to lie, unless the scenario gives another shape, or says where."""
    if start.joint_angle is not None:
        return None
    if isinstance(controller, Laid):
        says_where = start.link is not None or start.angle != 0.0 or start.position != (0.0, 0.0)
        return None if says_where else controller.initial_place()
    return controller.initial_drawing() if isinstance(controller, Drawn) else None


def _drawn_in_plane(scenario: Scenario, robot: Robot, angles: FloatArray, drawing: Drawing) -> Pose:
    """The drawing turned by the start's angle about its origin, and moved to the start's position."""
    start, (x, y) = scenario.start, _start_position(scenario)
    tail = float(headings(drawing.rotation)) + start.angle
    mean = tail + float(np.concatenate([[0.0], np.cumsum(angles)]).mean())
    if start.link is not None:
        return planar_pose(robot, angles, mean, (x, y), start.link)
    centre = turned_by(Attitude(heading=start.angle)) @ drawing.centre
    return planar_pose(robot, angles, mean, (x + float(centre[0]), y + float(centre[1])), 0)


def _drawn_in_space(
    robot: Robot,
    angles: FloatArray,
    turn: FloatArray,
    place: tuple[float, float, float],
    link: int | None,
    drawing: Drawing,
) -> SpatialPose:
    """The same in space."""
    tail = turn @ drawing.rotation
    if link is not None:
        return pose_of_tail(robot, angles, tail, place, link)
    x, y, z = np.asarray(place) + turn @ drawing.centre
    return pose_of_tail(robot, angles, tail, (float(x), float(y), float(z)), 0)


def _shape(scenario: Scenario, robot: Robot, controller: Controller) -> tuple[FloatArray, FloatArray]:
    """Joint angles and rates at the start."""
    start, joints = scenario.start, len(robot.freedoms)
    shape = start.joint_angle if start.joint_angle is not None else controller.initial_shape()
    last = len(robot.links) - 1
    if start.link is not None and start.link > last:
        raise InvalidInput(f"start.link = {start.link}: robot {robot.name!r} has links 0 to {last}")
    angles = _per_joint("start.joint_angle", shape, joints)
    if start.joint_angle is None:
        _refuse_bends(scenario.controller.name, angles)
    if start.overlap == "refuse":
        _refuse_beyond_stops(robot, angles)
    return angles, _per_joint("start.joint_rate", start.joint_rate, joints)


def _refuse_beyond_stops(robot: Robot, angles: FloatArray) -> None:
    """A joint beyond a stop is pushed back as by an obstacle that it overlaps."""
    for k, ((j, _), angle) in enumerate(zip(robot.freedoms, angles.tolist(), strict=True)):
        joint = robot.joint(j)
        if not joint.lower - AT_STOP <= angle <= joint.upper + AT_STOP:
            raise StartOverlap(
                f"the start pose has joint angle {k} at {angle:.4g} rad; robot.joints.{j} has stops at "
                f"{joint.lower:.4g} and {joint.upper:.4g} rad; change the shape, or set start.overlap = 'allow' to "
                "start all the same"
            )


def _refuse_bends(controller: str, angles: FloatArray) -> None:
    """Joints that a controller wants to start beyond half a turn."""
    wide = np.flatnonzero(~(np.abs(angles) <= MOST_BEND))  # so written, NaN is wide too
    if len(wide):
        raise InvalidInput(
            f"controller {controller!r} starts with joint {wide[0]} at {angles[wide[0]]:.4g} rad; should be from -pi "
            "to pi rad; was an angle meant in degrees?"
        )


def _start_position(scenario: Scenario) -> tuple[float, float]:
    """That of the scenario [m], shifted by its jitter: the same seed gives the same shift."""
    (x, y), jitter = scenario.start.position, scenario.start.jitter
    if jitter == 0.0:
        return x, y
    shift = np.random.default_rng([scenario.seed, JITTER_STREAM]).uniform(-jitter, jitter, 2)
    return x + float(shift[0]), y + float(shift[1])


def _per_joint(name: str, values: Any, joints: int) -> FloatArray:
    array = np.zeros(joints) if values is None else np.array(values, dtype=float)
    if array.shape != (joints,):
        raise InvalidInput(f"{name} has {array.size} values; the robot has {joints} joints")
    return array


def _refuse(overlapping: list[tuple[int, int, float]]) -> None:
    deep = [row for row in overlapping if row[2] > TOUCHING]
    if deep:
        link, obstacle, depth = deep[0]
        what = f"obstacle {obstacle}" if obstacle >= 0 else "the ground"
        more = f" (and {len(deep) - 1} more)" if len(deep) > 1 else ""
        raise StartOverlap(
            f"the start pose overlaps: link {link} is {1e3 * depth:.3g} mm inside {what}{more}; "
            "move the start, or set start.overlap = 'allow' to start all the same"
        )
