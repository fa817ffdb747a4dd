"""What recordings in space have besides those in the plane."""

from __future__ import annotations

import numpy as np
import xarray as xr

from pushpoint.geometry.rotation import headings, matrices
from pushpoint.recording._labels import BODY, JOINT, PLACE, Variables, labelled
from pushpoint.robots import Robot
from pushpoint.tape import SPACE
from pushpoint.types import FloatArray

PARTS = ("w", "x", "y", "z")  # of a quaternion


def coordinates(robot: Robot) -> dict[str, xr.Variable]:
    """Freedoms of joints, and parts of quaternions."""
    numbers = np.array([j for j, _ in robot.freedoms], dtype=np.int64)
    axes = np.array([axis for _, axis in robot.freedoms], dtype=str)
    return {
        "joint": labelled(JOINT[1:], np.arange(len(numbers)), "1", "freedom of the joints, counted from the tail"),
        "joint_number": labelled(JOINT[1:], numbers, "1", "the joint it belongs to, between links j and j + 1"),
        "joint_axis": xr.Variable(JOINT[1:], axes),
        "quaternion": xr.Variable("quaternion", np.array(PARTS)),
    }


def link_variables(link: FloatArray) -> Variables:
    """Orientation, heading and angular velocity of links."""
    orientation, rate = link[:, :, SPACE.columns("quaternion")], link[:, :, SPACE.columns("rate")]
    heading = np.unwrap(headings(matrices(orientation)), axis=0)
    turns = (*PLACE, "quaternion")
    return {
        "link_orientation": labelled(turns, orientation, "1", "orientation of links, quaternion wxyz"),
        "link_angle": labelled(PLACE, heading, "rad", "heading: angle of links to the x axis, seen from above"),
        "link_rate": labelled(BODY, rate, "rad/s", "angular velocity of links, world axes"),
    }


def joint_torque(robot: Robot, link: FloatArray) -> FloatArray:
    """Of each freedom [N m], (rows, f): kept with the link on the head's side of its joint."""
    first, columns = SPACE.columns("torque").start, robot.places
    return np.stack([link[:, j + 1, first + k] for j, k in columns], axis=1) if columns else np.zeros((len(link), 0))


def joint_motion(robot: Robot, link: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Angles [rad] and rates [rad/s] (rows, freedoms) of the joints from the links' orientations and rates.

    From the tail's side R = R_first(a) R_second(b). With yaw first, R = Rz(a) Ry(b) and with pitch first,
    R = Ry(a) Rz(b): both angles can be read off the matrix. Rates are the parts of the relative angular velocity along
    the axes, which are at right angles.
    """
    rotation = matrices(link[:, :, SPACE.columns("quaternion")])
    rates = link[:, :, SPACE.columns("rate")]
    relative = np.swapaxes(rotation[:, :-1], -1, -2) @ rotation[:, 1:]
    turning = rates[:, 1:] - rates[:, :-1]
    angle, rate = np.zeros((len(link), len(robot.freedoms))), np.zeros((len(link), len(robot.freedoms)))
    for k, ((j, axis), (_, second)) in enumerate(zip(robot.freedoms, robot.places, strict=True)):
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
