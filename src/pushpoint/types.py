"""What passes between plants, controllers and recordings. SI units, radians, world frame unless stated.

Links are numbered from the tail (link 0) to the head; joint j joins links j and j + 1; a positive joint angle
bends the head side to the left (yaw) or down (pitch). `d` below is 2 for planar plants and 3 for spatial ones;
`f` counts the freedoms of the joints from the tail: one for a hinge, two for a cardan joint (Robot.freedoms).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class Status(IntEnum):
    """How a step (or a run of steps) of a plant ended."""

    OK = 0
    NOT_CONVERGED = 1  # the contact solver used up its iterations above the tolerance
    NOT_FINITE = 2  # a velocity became infinite or NaN
    TOO_MANY_CONTACTS = 3  # the table of link-obstacle pairs is full
    TOO_MANY_EVENTS = 4  # jumps accumulate: more of them in a tick than time can pass
    ACCEPTED = 5  # not solved to the tolerance, but the run went on: plant.on_failure = "accept"


class Repeated(IntFlag):
    """Why a step was repeated in parts; a step may have several reasons."""

    NOT_SOLVED = 1  # the contact problem of the whole step was not solved to the tolerance
    ENERGY = 2  # the scheme itself made or lost too much energy
    PENETRATION = 4  # a link lay too deep in an obstacle or the ground, or passed through it
    ROTATION = 8  # a link turned too far
    LOOSE = 16  # in the end it was taken with a residual above the tolerance: rough contacts, at most 1e-6


@dataclass(frozen=True, slots=True)
class Pose:
    """A planar configuration with its velocities, joints closed."""

    position: FloatArray  # [m], (n, 2): link centres
    angle: FloatArray  # [rad], (n,)
    velocity: FloatArray  # [m/s], (n, 2)
    rate: FloatArray  # [rad/s], (n,)


@dataclass(frozen=True, slots=True)
class SpatialPose:
    """A configuration in space with its velocities, joints closed."""

    position: FloatArray  # [m], (n, 3): link centres
    orientation: FloatArray  # (n, 4): quaternions wxyz, from the link's axes (forward, left, up) to the world's
    velocity: FloatArray  # [m/s], (n, 3)
    rate: FloatArray  # [rad/s], (n, 3): in world axes
    joint_angle: FloatArray  # [rad], (freedoms,)
    joint_rate: FloatArray  # [rad/s], (freedoms,)


@dataclass(frozen=True, slots=True)
class Touches:
    """What skin feels: where and how hard links were pushed during the last tick, not by what."""

    link: IntArray  # (k,)
    place: FloatArray  # [m], (k,)
    side: IntArray  # (k,)
    point: FloatArray  # [m], (k, d): in the link's axes, from its centre
    normal: FloatArray  # (k, d): in the link's axes, into the link
    force: FloatArray  # [N], (k, d): in the link's axes


@dataclass(frozen=True, slots=True)
class Map:
    """Obstacles as seen from above, in the world."""

    disc: FloatArray  # [m], (k, 3): x, y, radius
    edge: FloatArray  # [m], (m, 4): x, y of both ends; of walls and polygons


@dataclass(frozen=True, slots=True)
class Pairs:
    """Links and what pushed at them during the last control tick, one row each."""

    link: IntArray  # (k,)
    obstacle: IntArray  # (k,): index into World.obstacles; -1: the ground or its terrain; -2 - j: link j
    place: FloatArray  # [m], (k,): along the link axis from its centre, positive towards the head
    point: FloatArray  # [m], (k, d): contact point
    normal: FloatArray  # (k, d): from the obstacle to the link
    impulse: FloatArray  # [N s], (k, d): on the link


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a plant reports about itself at the end of a control tick. Impulses are those of the tick."""

    time: float  # [s]
    joint_angle: FloatArray  # [rad], (f,)
    joint_rate: FloatArray  # [rad/s], (f,)
    joint_impulse: FloatArray  # [N m s], (f,): of the motors
    position: FloatArray  # [m], (n, d): link centres
    attitude: FloatArray  # in the plane [rad], (n,): angles to the x axis; in space (n, 4): quaternions wxyz
    velocity: FloatArray  # [m/s], (n, d)
    rate: FloatArray  # [rad/s], in the plane (n,), in space (n, 3) in world axes
    contact_impulse: FloatArray  # [N s], (n, d): of obstacles and other links on each link
    ground_impulse: FloatArray  # [N s], (n, d)
    pairs: Pairs
    obstacle_position: FloatArray  # [m], (movable, d): of obstacles that can be pushed about


@dataclass(frozen=True, slots=True)
class Contacts:
    """Contacts of the last control tick, one row each."""

    link: IntArray  # (k,)
    obstacle: IntArray  # (k,): index into World.obstacles; -1: the ground or its terrain; -2 - j: link j
    place: FloatArray  # [m], (k,): along the link axis from its centre, positive towards the head
    side: IntArray  # (k,): +1 left, -1 right of the link axis
    point: FloatArray  # [m], (k, d): contact point
    normal: FloatArray  # (k, d): from the obstacle to the link
    force: FloatArray  # [N], (k, d): on the link, impulse of the tick divided by the tick


class Observation:
    """What a controller gets at a control tick: the time, and what the sensors that it uses read.

    Reading anything else raises an error that says which sensor has it.
    """

    time: float  # [s]
    joint_angle: FloatArray  # [rad], (f,)
    joint_rate: FloatArray  # [rad/s], (f,)
    joint_torque: FloatArray  # [N m], (f,): mean over the last tick, as all forces
    joint_force: FloatArray  # [N], (n - 1, d): through the joints, on the head's side of them
    link_position: FloatArray  # [m], (n, d)
    link_yaw: FloatArray  # [rad], (n,)
    link_orientation: FloatArray  # (n, 4): quaternions wxyz
    link_velocity: FloatArray  # [m/s], (n, d)
    head_position: FloatArray  # [m], (d,)
    head_yaw: float  # [rad]
    head_orientation: FloatArray  # (4,): quaternion wxyz
    head_rate: FloatArray  # [rad/s], (1,) or (3,), in the head link's axes
    head_acceleration: FloatArray  # [m/s2], (d,): without gravity, in the head link's axes
    contacts: Contacts
    contact_force: FloatArray  # [N], (n, d): of obstacles on each link
    touches: Touches
    range_scan: FloatArray  # [m], (rays,): infinite where nothing is within range
    map: Map

    def __init__(self, time: float, **readings: Any) -> None:
        self.time = time
        self.__dict__.update(readings)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the observation has no {name!r}: no sensor that the controller uses gives it")


@dataclass(frozen=True, slots=True)
class Command:
    """Joint references and feed-forward torque, held for one control tick.

    Inside the tick the plant extrapolates the angle reference with the rate reference.
    """

    joint_angle: FloatArray  # [rad], (f,)
    joint_rate: FloatArray  # [rad/s], (f,)
    torque: FloatArray  # [N m], (f,)


class CommandTable(NamedTuple):
    """The commands of many ticks at once, C-contiguous."""

    joint_angle: FloatArray  # [rad], (ticks, f)
    joint_rate: FloatArray  # [rad/s], (ticks, f)
    torque: FloatArray  # [N m], (ticks, f)


@dataclass(frozen=True, slots=True)
class Failure:
    """Where and why a plant stopped."""

    status: Status
    time: float  # [s]
    link: int  # with the largest residual
    residual: float
    advice: str


class Event(NamedTuple):
    """Something that a plant or a controller decided or went through, for the recording."""

    time: float  # [s]
    name: str
    detail: str = ""


class Trace(NamedTuple):
    """Room for the output of a run; a plant fills it from the cursor on.

    Few arrays, because each costs compile time. Forces and torques are means since the previous row.
    """

    cursor: IntArray  # (6,): next row, next contact, next step, ticks since the last row, ticks per row, next event
    link: FloatArray  # (rows, bodies, 11): the columns LINK_COLUMNS, of n links and then of movable obstacles;
    # of spatial plants (rows, n, 21): SPATIAL_LINK_COLUMNS
    energy: FloatArray  # (rows, 6): time [s] and the columns LEDGER [J]
    contact: FloatArray  # (contacts, 12): the columns CONTACT_COLUMNS; of spatial plants SPATIAL_CONTACT_COLUMNS
    step: FloatArray  # (steps, 7): the columns STEP_COLUMNS; plants write those that are not zero
    extra: FloatArray  # (rows, columns): what only this plant knows, see plants.Eventful
    event: FloatArray  # (events, 6): the columns EVENT_COLUMNS, of plants that track events


STEP_COLUMNS = (
    "residual", "iterations", "status",
    "parts", "reasons",  # parts that a repeated step was made of, 0 for a whole one; reasons as Repeated
    "fallbacks",  # how often a slower solver had to help
    "guard_work",  # [J], energy that the guard against numerical gain took
)  # fmt: skip
LINK_COLUMNS = (
    "x", "y", "angle", "velocity_x", "velocity_y", "rate",
    "contact_force_x", "contact_force_y", "ground_force_x", "ground_force_y",
    "torque",  # of the joint towards the tail; zero for the tail link
)  # fmt: skip
CONTACT_COLUMNS = (
    "row", "link", "obstacle", "place", "point_x", "point_y", "normal_x", "normal_y", "force_x", "force_y",
    "slip", "impact",  # whether it slid at the end of the row; impulse of impacts since the last row [N s]
)  # fmt: skip
SPATIAL_LINK_COLUMNS = (
    "x", "y", "z", "quaternion_w", "quaternion_x", "quaternion_y", "quaternion_z",
    "velocity_x", "velocity_y", "velocity_z", "rate_x", "rate_y", "rate_z",
    "contact_force_x", "contact_force_y", "contact_force_z", "ground_force_x", "ground_force_y", "ground_force_z",
    "torque_first", "torque_second",  # of the freedoms of the joint towards the tail; zero where there is none
)  # fmt: skip
SPATIAL_CONTACT_COLUMNS = (
    "row", "link", "obstacle", "place", "point_x", "point_y", "point_z", "normal_x", "normal_y", "normal_z",
    "force_x", "force_y", "force_z", "slip", "impact",
)  # fmt: skip
EVENT_COLUMNS = ("time", "kind", "link", "obstacle", "impulse", "bound")
SPATIAL_TRACE = (SPATIAL_LINK_COLUMNS, SPATIAL_CONTACT_COLUMNS)
LEDGER = ("kinetic_energy", "servo_work", "friction_work", "contact_work", "numerical_work")


class ExtraColumn(NamedTuple):
    """A number per row that only one plant knows."""

    name: str
    units: str
    meaning: str


def trace_bytes(bodies: int, rows: int, steps: int, dimensions: int) -> int:
    """Memory that `new_trace` asks for, but for the tables that grow."""
    link = LINK_COLUMNS if dimensions == 2 else SPATIAL_LINK_COLUMNS
    return 8 * (rows * (bodies * len(link) + 1 + len(LEDGER)) + len(STEP_COLUMNS) * steps)


def new_trace(
    bodies: int, rows: int, steps: int, ticks_per_row: int, contacts: int = 1024, dimensions: int = 2
) -> Trace:
    """An empty trace of `bodies` links and movable obstacles; `contacts`: room of the contact table, see `grown`."""
    link, contact = (LINK_COLUMNS, CONTACT_COLUMNS) if dimensions == 2 else SPATIAL_TRACE
    cursor = np.zeros(6, np.int64)
    cursor[4] = ticks_per_row
    return Trace(
        cursor=cursor,
        link=np.zeros((rows, bodies, len(link))),
        energy=np.zeros((rows, 1 + len(LEDGER))),
        contact=np.zeros((contacts, len(contact))),
        step=np.zeros((steps, len(STEP_COLUMNS))),
        extra=np.zeros((rows, 0)),
        event=np.zeros((0, len(EVENT_COLUMNS))),
    )


def grown(trace: Trace, contacts: int = 0, events: int = 0) -> Trace:
    """The same trace with room for more contacts and events."""
    return trace._replace(
        contact=np.concatenate([trace.contact, np.zeros((contacts, trace.contact.shape[1]))]),
        event=np.concatenate([trace.event, np.zeros((events, len(EVENT_COLUMNS)))]),
    )
