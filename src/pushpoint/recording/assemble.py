"""From the raw trace of a plant to labelled arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from pushpoint.mechanics.pose import mass_mean
from pushpoint.recording._labels import BODY, JOINT, PLACE, Variables, labelled
from pushpoint.robots import Robot
from pushpoint.types import (
    CONTACT_COLUMNS,
    LEDGER,
    LINK_COLUMNS,
    SPATIAL_LINK_COLUMNS,
    STEP_COLUMNS,
    Event,
    ExtraColumn,
    FloatArray,
    IntArray,
    Repeated,
    Trace,
)

AXES = ("x", "y")


class RunClock(NamedTuple):
    """When the rows and steps of a trace were."""

    row_time: FloatArray  # [s]
    step_time: FloatArray  # [s], ends of the steps


def data_set(
    robot: Robot,
    trace: Trace,
    clock: RunClock,
    reference: FloatArray,
    movable: Sequence[int] = (),
    extra: Mapping[ExtraColumn, FloatArray] | None = None,
) -> xr.Dataset:
    """Everything that has a row per recorded instant or per step. `reference` (rows, joints) [rad]; `movable`: indices
    of the obstacles whose rows follow those of the links in the trace; `extra`: what only this plant knows."""
    rows, steps, links = len(clock.row_time), len(clock.step_time), len(robot.links)
    coordinates = {
        "time": labelled(("time",), clock.row_time, "s", "time"),
        "link": labelled(("link",), np.arange(links), "1", "link, counted from the tail"),
        "step_time": labelled(("step",), clock.step_time, "s", "time at the end of the step"),
    }
    link = trace.link[:rows, :links]
    if _is_spatial(trace):
        from pushpoint.recording import spatial

        coordinates |= spatial.joint_coordinates(robot)
        coordinates["axis"] = xr.Variable("axis", np.array(spatial.AXES))
        coordinates["quaternion"] = xr.Variable("quaternion", np.array(spatial.PARTS))
        moving = {**spatial.link_variables(robot, link), **spatial.joint_variables(robot, link, reference)}
    else:
        coordinates["joint"] = labelled(("joint",), np.arange(links - 1), "1", "joint between links j and j + 1")
        coordinates["axis"] = xr.Variable("axis", np.array(AXES))
        moving = {**_link_variables(robot, link), **_joint_variables(link, reference)}
    variables = {
        **moving,
        **_energy_variables(trace.energy[:rows]),
        **_step_variables(trace.step[:steps]),
    }
    for column, values in (extra or {}).items():
        variables[column.name] = labelled(("time",), values, column.units, column.meaning)
    if movable:
        coordinates["movable"] = labelled(("movable",), np.array(movable), "1", "index of the obstacle in the world")
        variables |= _obstacle_variables(trace.link[:rows, links:])
    return xr.Dataset(variables, coordinates)


def _is_spatial(trace: Trace) -> bool:
    return bool(trace.link.shape[2] == len(SPATIAL_LINK_COLUMNS))


def _obstacle_variables(body: FloatArray) -> Variables:
    dims = ("time", "movable", "axis")
    position, velocity = _columns(body, "x", "y"), _columns(body, "velocity_x", "velocity_y")
    ground_force = _columns(body, "ground_force_x", "ground_force_y")
    return {
        "obstacle_position": labelled(dims, position, "m", "position of movable obstacles"),
        "obstacle_velocity": labelled(dims, velocity, "m/s", "velocity of movable obstacles"),
        "obstacle_rate": labelled(dims[:2], _column(body, "rate"), "rad/s", "angular velocity of movable obstacles"),
        "obstacle_ground_force": labelled(dims, ground_force, "N", "mean friction of the ground on them"),
    }


def _link_variables(robot: Robot, link: FloatArray) -> Variables:
    position = _columns(link, "x", "y")
    by_link = np.moveaxis(position, 1, 0)  # mass_mean takes the mean over the first axis
    centre = mass_mean(robot, by_link.reshape(len(robot.links), -1)).reshape(len(link), 2)
    velocity = _columns(link, "velocity_x", "velocity_y")
    contact_force = _columns(link, "contact_force_x", "contact_force_y")
    ground_force = _columns(link, "ground_force_x", "ground_force_y")
    return {
        "link_position": labelled(BODY, position, "m", "position of link centres"),
        "link_angle": labelled(PLACE, _column(link, "angle"), "rad", "angle of links to the x axis"),
        "link_velocity": labelled(BODY, velocity, "m/s", "velocity of link centres"),
        "link_rate": labelled(PLACE, _column(link, "rate"), "rad/s", "angular velocity of links"),
        "contact_force": labelled(BODY, contact_force, "N", "mean force of obstacles on links"),
        "ground_force": labelled(BODY, ground_force, "N", "mean friction of the ground on links"),
        "centre_of_mass": labelled(("time", "axis"), centre, "m", "centre of mass of the robot"),
    }


def _joint_variables(link: FloatArray, reference: FloatArray) -> Variables:
    angle, rate = (np.diff(_column(link, name), axis=1) for name in ("angle", "rate"))
    torque = _column(link, "torque")[:, 1:]  # the tail link has no joint towards the tail
    return {
        "joint_angle": labelled(JOINT, angle, "rad", "joint angle, positive bends to the left"),
        "joint_rate": labelled(JOINT, rate, "rad/s", "joint rate"),
        "joint_torque": labelled(JOINT, torque, "N m", "mean joint torque since the last row"),
        "joint_reference": labelled(JOINT, reference, "rad", "joint angle reference in force"),
    }


def _energy_variables(energy: FloatArray) -> Variables:
    names = {name: name.replace("_", " ") + " since t = 0" for name in LEDGER}
    names["kinetic_energy"] = "kinetic energy"
    return {n: labelled(("time",), energy[:, 1 + k], "J", names[n]) for k, n in enumerate(LEDGER)}


def _step_variables(step: FloatArray) -> Variables:
    column = dict(zip(STEP_COLUMNS, step.T, strict=True))
    meanings = {
        "iterations": "iterations of the solver",
        "status": "status of the step, 0 is good",
        "parts": "parts that the step was made of; 1: it was not repeated",
        "reasons": "why the step was repeated, sum of " + ", ".join(f"{r.value}: {r.name}" for r in Repeated),
        "fallbacks": "how often a slower solver had to help",
    }
    counts = {name: column[name].astype(np.int64) for name in meanings}
    counts["parts"] = np.maximum(counts["parts"], 1)
    return {
        "step_residual": labelled(("step",), column["residual"], "1", "relative residual of the contact problem"),
        **{f"step_{name}": labelled(("step",), counts[name], "1", meaning) for name, meaning in meanings.items()},
        "step_guard_work": labelled(("step",), column["guard_work"], "J", "energy that the guard took"),
    }


def with_step_columns(data: xr.Dataset) -> xr.Dataset:
    """The same with the variables of steps that files of older versions do not have: no step was repeated there."""
    steps = np.zeros((data.sizes["step"], len(STEP_COLUMNS)))
    return data.assign({name: v for name, v in _step_variables(steps).items() if name not in data})


def contact_set(trace: Trace, row_time: FloatArray, links: int | None = None) -> xr.Dataset:
    """One line per point at which a link pushed against an obstacle since the last row; forces are means.

    With `links`, lines of movable obstacles that pushed against others are left out.
    """
    if _is_spatial(trace):
        from pushpoint.recording import spatial

        return spatial.contact_set(trace, row_time)
    table = trace.contact[: trace.cursor[1]]
    if links is not None:
        table = table[_contact(table, "link")[:, 0] < links]
    row, link, obstacle = (_contact(table, name)[:, 0].astype(np.int64) for name in ("row", "link", "obstacle"))
    place, point = _contact(table, "place")[:, 0], _contact(table, "point_x", "point_y")
    normal, force = _contact(table, "normal_x", "normal_y"), _contact(table, "force_x", "force_y")
    slip, impact = _contact(table, "slip")[:, 0].astype(np.int64), _contact(table, "impact")[:, 0]
    side = _side(trace.link[row, link, LINK_COLUMNS.index("angle")], normal)
    across = normal[:, 0] * force[:, 1] - normal[:, 1] * force[:, 0]
    one, two = ("contact",), ("contact", "axis")
    variables = {
        "time": labelled(one, row_time[row], "s", "time of the row"),
        "link": labelled(one, link, "1", "link, counted from the tail"),
        "obstacle": labelled(one, obstacle, "1", "index of the obstacle in the world"),
        "place": labelled(one, place, "m", "along the link from its centre, towards the head"),
        "side": labelled(one, side, "1", "+1: obstacle left of the link axis, -1: right of it"),
        "point": labelled(two, point, "m", "contact point"),
        "normal": labelled(two, normal, "1", "unit normal from the obstacle to the link"),
        "force": labelled(two, force, "N", "mean force on the link since the last row"),
        "normal_force": labelled(one, np.sum(normal * force, axis=1), "N", "the part of it along the normal"),
        "tangential_force": labelled(one, across, "N", "friction: the part of it to the left of the normal"),
        "slip": labelled(one, slip, "1", "1: slid in the last step of the row, 0: stuck, or smooth"),
        "impact": labelled(one, impact, "N s", "impulse along the normal of impacts since the last row"),
    }
    return xr.Dataset(variables, {"axis": ("axis", np.array(AXES))})


def _side(angle: FloatArray, normal: FloatArray) -> IntArray:
    """+1 for obstacles on the left: there the normal, from obstacle to link, points to the link's right."""
    to_the_left = -np.sin(angle) * normal[:, 0] + np.cos(angle) * normal[:, 1]
    return np.where(to_the_left < 0, 1, -1).astype(np.int64)


def event_set(events: Iterable[Event]) -> xr.Dataset:
    """What the controller reported."""
    listed = list(events)
    time = np.array([event[0] for event in listed], dtype=float)
    return xr.Dataset(
        {
            "time": labelled(("event",), time, "s", "time of the event"),
            "name": ("event", np.array([event[1] for event in listed], dtype=str)),
            "detail": ("event", np.array([event[2] for event in listed], dtype=str)),
        }
    )


def _columns(link: FloatArray, *names: str) -> FloatArray:
    """Neighbouring columns of the trace by name, (rows, n, names): a view, as traces are large."""
    first = LINK_COLUMNS.index(names[0])
    return link[:, :, first : first + len(names)]


def _column(link: FloatArray, name: str) -> FloatArray:
    """One column of the trace, (rows, n)."""
    return link[:, :, LINK_COLUMNS.index(name)]


def _contact(table: FloatArray, *names: str) -> FloatArray:
    """Columns of the contact table by name, (contacts, names)."""
    return table[:, [CONTACT_COLUMNS.index(name) for name in names]]
