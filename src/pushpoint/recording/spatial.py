"""From the raw trace of a spatial plant to labelled arrays."""

from __future__ import annotations

import numpy as np
import xarray as xr

from pushpoint.mechanics.pose import mass_mean
from pushpoint.mechanics.rotation import headings, matrices
from pushpoint.recording._labels import BODY, JOINT, PLACE, Variables, labelled
from pushpoint.robots import Robot
from pushpoint.types import SPATIAL_CONTACT_COLUMNS, SPATIAL_LINK_COLUMNS, FloatArray, Trace

AXES = ("x", "y", "z")
PARTS = ("w", "x", "y", "z")  # of a quaternion


def link_variables(robot: Robot, link: FloatArray) -> Variables:
    """All that has a row per instant and link."""
    position, orientation = _triple(link, "x"), _columns(link, "quaternion_w", 4)
    by_link = np.moveaxis(position, 1, 0)  # mass_mean takes the mean over the first axis
    centre = mass_mean(robot, by_link.reshape(len(robot.links), -1)).reshape(len(link), 3)
    heading = np.unwrap(headings(matrices(orientation)), axis=0)
    contact_force, ground_force = _triple(link, "contact_force_x"), _triple(link, "ground_force_x")
    turns = (*PLACE, "quaternion")
    return {
        "link_position": labelled(BODY, position, "m", "position of link centres"),
        "link_orientation": labelled(turns, orientation, "1", "orientation of links, quaternion wxyz"),
        "link_angle": labelled(PLACE, heading, "rad", "heading: angle of links to the x axis, seen from above"),
        "link_velocity": labelled(BODY, _triple(link, "velocity_x"), "m/s", "velocity of link centres"),
        "link_rate": labelled(BODY, _triple(link, "rate_x"), "rad/s", "angular velocity of links, world axes"),
        "contact_force": labelled(BODY, contact_force, "N", "mean force of obstacles on links"),
        "ground_force": labelled(BODY, ground_force, "N", "mean force of the ground on links"),
        "centre_of_mass": labelled(("time", "axis"), centre, "m", "centre of mass of the robot"),
    }


def joint_variables(robot: Robot, link: FloatArray, reference: FloatArray) -> Variables:
    """All that has a row per instant and freedom of a joint."""
    angle, rate = joint_motion(robot, link)
    torque = np.zeros((len(link), len(robot.freedoms)))
    for column, (j, k) in enumerate(_torque_columns(robot)):
        torque[:, column] = link[:, j + 1, _at("torque_first") + k]
    return {
        "joint_angle": labelled(JOINT, angle, "rad", "joint angle, positive bends to the left (yaw) or down (pitch)"),
        "joint_rate": labelled(JOINT, rate, "rad/s", "joint rate"),
        "joint_torque": labelled(JOINT, torque, "N m", "mean joint torque since the last row"),
        "joint_reference": labelled(JOINT, reference, "rad", "joint angle reference in force"),
    }


def joint_coordinates(robot: Robot) -> dict[str, xr.Variable]:
    numbers = np.array([j for j, _ in robot.freedoms], dtype=np.int64)
    axes = np.array([axis for _, axis in robot.freedoms], dtype=str)
    return {
        "joint": labelled(JOINT[1:], np.arange(len(numbers)), "1", "freedom of the joints, counted from the tail"),
        "joint_number": labelled(JOINT[1:], numbers, "1", "the joint it belongs to, between links j and j + 1"),
        "joint_axis": xr.Variable(JOINT[1:], axes),
    }


def _torque_columns(robot: Robot) -> list[tuple[int, int]]:
    """Of each freedom the joint, and whether it is its first or second."""
    numbers = [j for j, _ in robot.freedoms]
    return [(j, int(k > 0 and numbers[k - 1] == j)) for k, j in enumerate(numbers)]


def joint_motion(robot: Robot, link: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Angles [rad] and rates [rad/s] (rows, freedoms) of the joints from the links' orientations and rates.

    From the tail's side R = R_first(a) R_second(b). With yaw first, R = Rz(a) Ry(b) and with pitch first,
    R = Ry(a) Rz(b): both angles can be read off the matrix. Rates are the parts of the relative angular velocity along
    the axes, which are at right angles.
    """
    rotation = matrices(_columns(link, "quaternion_w", 4))
    rates = _triple(link, "rate_x")
    relative = np.swapaxes(rotation[:, :-1], -1, -2) @ rotation[:, 1:]
    turning = rates[:, 1:] - rates[:, :-1]
    angle, rate = np.zeros((len(link), len(robot.freedoms))), np.zeros((len(link), len(robot.freedoms)))
    for k, ((j, axis), (_, second)) in enumerate(zip(robot.freedoms, _torque_columns(robot), strict=True)):
        r, one_of_two = relative[:, j], len(robot.joint(j).axes.split("-")) == 2
        owner = rotation[:, j + second]  # the first axis is fixed to the tail's side, the second to the head's
        if axis == "yaw":
            pitch_first = one_of_two and second == 1
            angle[:, k] = np.arctan2(-r[:, 0, 1], r[:, 1, 1]) if not pitch_first else np.arctan2(r[:, 1, 0], r[:, 1, 1])
            rate[:, k] = np.sum(turning[:, j] * owner[..., 2], axis=-1)
        else:
            yaw_first = one_of_two and second == 1
            angle[:, k] = np.arctan2(r[:, 0, 2], r[:, 2, 2]) if not yaw_first else np.arctan2(-r[:, 2, 0], r[:, 2, 2])
            rate[:, k] = np.sum(turning[:, j] * owner[..., 1], axis=-1)
    return angle, rate


def contact_set(trace: Trace, row_time: FloatArray) -> xr.Dataset:
    """One line per point at which a link pushed since the last row; forces are means. Obstacle -1 is the ground, -2 - k
    link k."""
    table = trace.contact[: trace.cursor[1]]
    row, link, obstacle = (_contact(table, name).astype(np.int64) for name in ("row", "link", "obstacle"))
    normal, force = _contact(table, "normal_x", 3), _contact(table, "force_x", 3)
    pressing = np.sum(normal * force, axis=1)
    left = matrices(trace.link[row, link, 3:7])[:, :, 1] if len(table) else np.zeros((0, 3))
    side = np.where(np.sum(left * normal, axis=1) < 0, 1, -1).astype(np.int64)
    one, three = ("contact",), ("contact", "axis")
    across = np.linalg.norm(force - pressing[:, np.newaxis] * normal, axis=1)
    variables = {
        "time": labelled(one, row_time[row], "s", "time of the row"),
        "link": labelled(one, link, "1", "link, counted from the tail"),
        "obstacle": labelled(one, obstacle, "1", "index of the obstacle; -1: ground or terrain; -2 - k: link k"),
        "place": labelled(one, _contact(table, "place"), "m", "along the link from its centre, towards the head"),
        "side": labelled(one, side, "1", "+1: obstacle left of the link axis, -1: right of it"),
        "point": labelled(three, _contact(table, "point_x", 3), "m", "contact point"),
        "normal": labelled(three, normal, "1", "unit normal from the obstacle to the link"),
        "force": labelled(three, force, "N", "mean force on the link since the last row"),
        "normal_force": labelled(one, pressing, "N", "the part of it along the normal"),
        "tangential_force": labelled(one, across, "N", "friction: size of the part of it across the normal"),
        "slip": labelled(
            one, _contact(table, "slip").astype(np.int64), "1", "1: slid in the last step of the row, 0: stuck"
        ),
        "impact": labelled(
            one, _contact(table, "impact"), "N s", "impulse along the normal of impacts since the last row"
        ),
    }
    return xr.Dataset(variables, {"axis": ("axis", np.array(AXES))})


def _at(name: str) -> int:
    return SPATIAL_LINK_COLUMNS.index(name)


def _columns(link: FloatArray, first: str, count: int) -> FloatArray:
    return link[:, :, _at(first) : _at(first) + count]


def _triple(link: FloatArray, first: str) -> FloatArray:
    return _columns(link, first, 3)


def _contact(table: FloatArray, name: str, count: int = 1) -> FloatArray:
    first = SPATIAL_CONTACT_COLUMNS.index(name)
    return table[:, first] if count == 1 else table[:, first : first + count]
