"""From the raw tape of a plant to labelled arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from pushpoint.mechanics.pose import mass_mean
from pushpoint.recording._labels import BODY, JOINT, PLACE, Variables, labelled
from pushpoint.robots import Robot
from pushpoint.tape import LEDGER, PLANE, SPACE, STEP_COLUMNS, ExtraColumn, Layout, Tape
from pushpoint.types import Event, FloatArray, IntArray, Map, Repeated


class RunClock(NamedTuple):
    """When the rows and steps of a tape were."""

    row_time: FloatArray  # [s]
    step_time: FloatArray  # [s], ends of the steps


def data_set(
    robot: Robot,
    tape: Tape,
    clock: RunClock,
    reference: FloatArray,
    movable: Sequence[int] = (),
    extra: Mapping[ExtraColumn, FloatArray] | None = None,
) -> xr.Dataset:
    """Everything that has a row per recorded instant or per step. `reference` (rows, joints) [rad]; `movable`: indices
    of the obstacles whose rows follow those of the links in the tape; `extra`: what only this plant knows."""
    rows, steps, links = len(clock.row_time), len(clock.step_time), len(robot.links)
    coordinates = {
        "time": labelled(("time",), clock.row_time, "s", "time"),
        "link": labelled(("link",), np.arange(links), "1", "link, counted from the tail"),
        "step_time": labelled(("step",), clock.step_time, "s", "time at the end of the step"),
    }
    link, in_space = tape.link[:rows, :links], tape.layout is SPACE
    coordinates["axis"] = xr.Variable("axis", np.array(tape.layout.axes))
    moving = _link_variables(robot, link, tape.layout)
    if in_space:
        from pushpoint.recording import spatial

        coordinates |= spatial.coordinates(robot)
        moving |= spatial.link_variables(link)
        angle, rate = spatial.joint_motion(robot, link)
        torque = spatial.joint_torque(robot, link)
    else:
        coordinates["joint"] = labelled(("joint",), np.arange(links - 1), "1", "joint between links j and j + 1")
        turned, turning = (link[:, :, PLANE.columns(name).start] for name in ("angle", "rate"))
        moving["link_angle"] = labelled(PLACE, turned, "rad", "angle of links to the x axis")
        moving["link_rate"] = labelled(PLACE, turning, "rad/s", "angular velocity of links")
        angle, rate = np.diff(turned, axis=1), np.diff(turning, axis=1)
        torque = link[:, 1:, PLANE.columns("torque").start]  # the tail link has no joint towards the tail
    moving |= _joint_variables(angle, rate, torque, reference, in_space)
    variables = {**moving, **_energy_variables(tape.energy[:rows]), **_step_variables(tape.step[:steps])}
    for column, values in (extra or {}).items():
        variables[column.name] = labelled(("time",), values, column.units, column.meaning)
    if movable:
        coordinates["movable"] = labelled(("movable",), np.array(movable), "1", "index of the obstacle in the world")
        variables |= _obstacle_variables(tape.link[:rows, links:])
    return xr.Dataset(variables, coordinates)


def _obstacle_variables(body: FloatArray) -> Variables:
    """Of movable obstacles, in the plane."""
    dims = ("time", "movable", "axis")
    position, velocity, force = (body[:, :, PLANE.columns(name)] for name in ("position", "velocity", "ground_force"))
    rate = body[:, :, PLANE.columns("rate").start]
    return {
        "obstacle_position": labelled(dims, position, "m", "position of movable obstacles"),
        "obstacle_velocity": labelled(dims, velocity, "m/s", "velocity of movable obstacles"),
        "obstacle_rate": labelled(dims[:2], rate, "rad/s", "angular velocity of movable obstacles"),
        "obstacle_ground_force": labelled(dims, force, "N", "mean friction of the ground on them"),
    }


def _link_variables(robot: Robot, link: FloatArray, layout: Layout) -> Variables:
    """What the plane and space have in common."""
    position, velocity = link[:, :, layout.columns("position")], link[:, :, layout.columns("velocity")]
    by_link = np.moveaxis(position, 1, 0)  # mass_mean takes the mean over the first axis
    centre = mass_mean(robot, by_link.reshape(len(robot.links), -1)).reshape(len(link), -1)
    pushed, carried = link[:, :, layout.columns("contact_force")], link[:, :, layout.columns("ground_force")]
    of_the_ground = "mean friction of the ground on links" if layout is PLANE else "mean force of the ground on links"
    return {
        "link_position": labelled(BODY, position, "m", "position of link centres"),
        "link_velocity": labelled(BODY, velocity, "m/s", "velocity of link centres"),
        "contact_force": labelled(BODY, pushed, "N", "mean force of obstacles on links"),
        "ground_force": labelled(BODY, carried, "N", of_the_ground),
        "centre_of_mass": labelled(("time", "axis"), centre, "m", "centre of mass of the robot"),
    }


def _joint_variables(
    angle: FloatArray, rate: FloatArray, torque: FloatArray, reference: FloatArray, in_space: bool
) -> Variables:
    sense = "positive bends to the left (yaw) or down (pitch)" if in_space else "positive bends to the left"
    return {
        "joint_angle": labelled(JOINT, angle, "rad", f"joint angle, {sense}"),
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


def contact_set(tape: Tape, row_time: FloatArray, links: int | None = None) -> xr.Dataset:
    """One line per point at which a link pushed against an obstacle since the last row; forces are means.

    With `links`, lines of movable obstacles that pushed against others are left out.
    """
    layout, in_space = tape.layout, tape.layout is SPACE
    table = tape.contact[: tape.cursor[0].contact]
    if links is not None:
        table = table[table[:, layout.contact_columns("link").start] < links]
    row, link, obstacle, slip = (
        table[:, layout.contact_columns(name).start].astype(np.int64) for name in ("row", "link", "obstacle", "slip")
    )
    point, normal, force = (table[:, layout.contact_columns(name)] for name in ("point", "normal", "force"))
    place, impact = (table[:, layout.contact_columns(name).start] for name in ("place", "impact"))
    pressing = np.sum(normal * force, axis=1)
    if in_space:
        across = np.linalg.norm(force - pressing[:, np.newaxis] * normal, axis=1)
    else:
        across = normal[:, 0] * force[:, 1] - normal[:, 1] * force[:, 0]
    part = "size of the part of it across the normal" if in_space else "the part of it to the left of the normal"
    one, vector = ("contact",), ("contact", "axis")
    variables = {
        "time": labelled(one, row_time[row], "s", "time of the row"),
        "link": labelled(one, link, "1", "link, counted from the tail"),
        "obstacle": labelled(one, obstacle, "1", "index of the obstacle; -1: ground or terrain; -2 - k: link k"),
        "place": labelled(one, place, "m", "along the link from its centre, towards the head"),
        "side": labelled(one, _side(tape, row, link, normal), "1", "+1: obstacle left of the link axis, -1: right"),
        "point": labelled(vector, point, "m", "contact point"),
        "normal": labelled(vector, normal, "1", "unit normal from the obstacle to the link"),
        "force": labelled(vector, force, "N", "mean force on the link since the last row"),
        "normal_force": labelled(one, pressing, "N", "the part of it along the normal"),
        "tangential_force": labelled(one, across, "N", f"friction: {part}"),
        "slip": labelled(one, slip, "1", "1: slid in the last step of the row, 0: stuck, or smooth"),
        "impact": labelled(one, impact, "N s", "impulse along the normal of impacts since the last row"),
    }
    return xr.Dataset(variables, {"axis": ("axis", np.array(layout.axes))})


def _side(tape: Tape, row: IntArray, link: IntArray, normal: FloatArray) -> IntArray:
    """+1 for obstacles on the left: there the normal, from obstacle to link, points to the link's right."""
    if tape.layout is SPACE:
        from pushpoint.geometry.rotation import matrices

        left = matrices(tape.link[row, link, SPACE.columns("quaternion")])[:, :, 1]
    else:
        angle = tape.link[row, link, PLANE.columns("angle").start]
        left = np.stack([-np.sin(angle), np.cos(angle)], axis=1)
    return np.where(np.sum(left * normal, axis=1) < 0, 1, -1).astype(np.int64)


def known_set(known: Iterable[tuple[float, Map]] = ()) -> xr.Dataset:
    """What a controller knew of obstacles: times [s], and a line for each disc and edge that it believed in then."""
    listed = list(known)
    time = np.concatenate([np.zeros(0), *(np.full(len(seen.disc) + len(seen.edge), at) for at, seen in listed)])
    x, y, end_x, end_y, radius = np.concatenate([np.zeros((0, 5)), *(_lines(seen) for _, seen in listed)]).T
    found = xr.Dataset(
        {
            "time": labelled(("known",), time, "s", "when it was known"),
            "x": labelled(("known",), x, "m", "centre of a disc, or an end of an edge"),
            "y": labelled(("known",), y, "m", "centre of a disc, or an end of an edge"),
            "radius": labelled(("known",), radius, "m", "radius of a disc; zero of an edge"),
        }
    )
    return _with_ends(found, end_x, end_y)


def _lines(seen: Map) -> FloatArray:
    """Discs and edges (k, 5) [m]: both ends, which are equal for discs, and the radius."""
    discs = seen.disc[:, [0, 1, 0, 1, 2]]
    return np.concatenate([discs, np.column_stack([seen.edge, np.zeros(len(seen.edge))])])


def with_known_ends(known: xr.Dataset) -> xr.Dataset:
    """The same with the ends that files of older versions do not have: these have discs alone."""
    return known if "end_x" in known else _with_ends(known, known["x"].values, known["y"].values)


def _with_ends(known: xr.Dataset, x: FloatArray, y: FloatArray) -> xr.Dataset:
    meaning = "other end of an edge; the centre again for discs"
    ends = {"end_x": labelled(("known",), x, "m", meaning), "end_y": labelled(("known",), y, "m", meaning)}
    return known.assign(ends)


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
