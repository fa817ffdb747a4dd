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
    place: FloatArray  # [m], (k,): along the link axis from its centre
    side: IntArray  # (k,): +1 left, -1 right of the link axis
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
    pairs: Pairs  # what pushed at which link
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

    Parameters
    ----------
    time
        [s].
    **readings
        What sensors read, by the names below.
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
    link_rate: FloatArray  # [rad/s], in the plane (n,), in space (n, 3) in world axes
    head_position: FloatArray  # [m], (d,)
    head_yaw: float  # [rad]
    head_orientation: FloatArray  # (4,): quaternion wxyz
    head_rate: FloatArray  # [rad/s], (1,) or (3,), in the head link's axes
    head_acceleration: FloatArray  # [m/s2], (d,): without gravity, in the head link's axes
    contacts: Contacts  # of the last tick
    contact_force: FloatArray  # [N], (n, d): of obstacles on each link
    touches: Touches  # what skin feels
    range_scan: FloatArray  # [m], (rays,): infinite where nothing is within range
    map: Map  # obstacles, from above

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
    name: str  # such as "resolution" or "impact"
    detail: str = ""  # for people
