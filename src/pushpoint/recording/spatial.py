"""What recordings in space have besides those in the plane."""

from __future__ import annotations

import numpy as np
import xarray as xr

from pushpoint.geometry.rotation import headings, matrices
from pushpoint.recording._labels import BODY, JOINT, PLACE, Variables, labelled
from pushpoint.robots import AXES, Robot
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

    From the tail's side R = R_first(a) R_second(b). The column of R of the second axis is that axis turned by a, the
    row of the first is that axis turned back by b: both angles can be read off. Of a joint with one axis any column but
    its own will do. Rates are the parts of the relative angular velocity along the axes, which are at right angles.
    """
    rotation = matrices(link[:, :, SPACE.columns("quaternion")])
    rates = link[:, :, SPACE.columns("rate")]
    relative = np.swapaxes(rotation[:, :-1], -1, -2) @ rotation[:, 1:]
    turning = rates[:, 1:] - rates[:, :-1]
    angle, rate = np.zeros((len(link), len(robot.freedoms))), np.zeros((len(link), len(robot.freedoms)))
    for k, ((j, axis), (_, second)) in enumerate(zip(robot.freedoms, robot.places, strict=True)):
        own, others = AXES[axis].column, [AXES[name].column for name in robot.joint(j).turns_about if name != axis]
        other = others[0] if others else 2 if own == 1 else 1
        third = 3 - own - other
        sense = 1.0 if (own + 1) % 3 == other else -1.0  # of the third axis in own x other
        r = relative[:, j]
        sine = sense * r[:, third, other] if second == 0 else -sense * r[:, other, third]
        angle[:, k] = np.arctan2(sine, r[:, other, other])
        owner = rotation[:, j + second]  # the first axis is fixed to the tail's side, the second to the head's
        rate[:, k] = np.sum(turning[:, j] * owner[..., own], axis=-1)
    return angle, rate
