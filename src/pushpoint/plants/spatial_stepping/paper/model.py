"""From Robot and World to the arrays of the printed scheme.

Velocities of a link are P5's: (velocity of its centre in world axes, angular velocity in its own axes), (5). Axes of a
link are 0: forward, 1: left, 2: up. P5 counts links from the head and its body axes point to the tail; nothing but
VII-C, which starts at P5's link 1, depends on that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pushpoint.plants.spatial_stepping.options import SpatialSteppingOptions
from pushpoint.robots import AXES, Link, Robot, Servo
from pushpoint.types import FloatArray, IntArray
from pushpoint.worlds import World

EARTH = 9.81  # [m/s2]
FINITE = 1e12  # [N m], for torque limits that are not, so that arithmetic with them stays finite
NORMAL, ALONG, ACROSS, ROLL_X, ROLL_Y = range(5)  # rows of a contact

# Entries of Printed.number.
(
    DT, TOLERANCE, MAX_ITERATIONS, WEIGHT, DOWN_X, DOWN_Y, DOWN_Z, MU_ALONG, MU_ACROSS, MU_ROLL, ACCEPT,
    R_N, R_T, R_V,  # [kg], of (87)-(89)
    PER_N, PER_T, PER_V,  # from changes of impulses in an iteration to residuals, see residual_scale
    ACTIVE,  # of the step: contacts that are closed
    WORST_LINK,
    NUMBERS,
) = range(20)  # fmt: skip
# Columns of Printed.link.
MASS, HALF, CORE, RADIUS = range(4)
# Columns of Printed.freedom.
JOINT, AXIS, SECOND, SERVO_P, SERVO_D, LIMIT, BAND, ACTUATED, SPRING, REST, DAMPER, TORQUE, PASSIVE = range(13)

# P5 VIII-A prints r_N = 0.1, r_T = 0.01 and r_V = 0.05 for Aiko. Times the mobility of one of Aiko's links (see
# `mobility`) they are pure numbers, which serve other robots as well.
PRINTED_LINK = Link(length=0.122, mass=7.5 / 11, inertia=9.63e-4, inertia_roll=2.35e-4, radius=0.0525, core=0.0393)
PRINTED_R = (0.1, 0.01, 0.05)  # [kg]


class Printed(NamedTuple):
    """What does not change in a run, and scratch of one step."""

    number: FloatArray
    link: FloatArray  # (n, 4): mass, half length from joint to joint, L_GS, L_SC
    mass: FloatArray  # (n, 6): the diagonal of M, (47)-(48)
    perpendicular: IntArray  # (n - 1, 2, 2): axes of tail side and head side that are at right angles; -1: none
    freedom: FloatArray  # (f, 13): see the names above
    old: FloatArray  # (n, 6): velocities u_A
    free: FloatArray  # (n, 6): u_A + M^-1 (h + tau_C) dt, what velocities would be without contacts and joints
    speed: FloatArray  # (n, 6): velocities u of the iteration
    rotation: FloatArray  # (n, 3, 3): in the middle of the step, columns are axes
    middle: FloatArray  # (n, 7): q_M, position and quaternion wxyz
    contact: FloatArray  # (2 n, 5, 6): W_N, W_T and W_V of the ends of links; tail end and head end in turn
    impulse: FloatArray  # (2 n, 5): P_N, P_T, P_V
    active: IntArray  # (2 n,): the contacts that are closed, first
    joint: FloatArray  # (n - 1, rows, 12): W_J, of the link on the tail's side and on the head's side
    reaction: FloatArray  # (n - 1, rows): P_J
    block: FloatArray  # (n - 1, 2, rows, rows): of the factors of W_J' M^-1 W_J, see joint_impulses
    torque: FloatArray  # (f, 12): directions of the torques of the joints, as W_J


def make_printed(robot: Robot, world: World, servo: Servo, options: SpatialSteppingOptions) -> Printed:
    n, f = len(robot.links), len(robot.freedoms)
    perpendicular = _perpendicular(robot)
    rows = 3 + int((perpendicular[:, :, 0] >= 0).sum(axis=1).max(initial=0))
    return Printed(
        number=_numbers(robot, world, options),
        link=np.array([(part.mass, part.length / 2, part.half_core, part.radius) for part in robot.links]),
        mass=np.array([(part.mass,) * 3 + (part.about_roll, part.about_pitch, part.inertia) for part in robot.links]),
        perpendicular=perpendicular,
        freedom=_freedoms(robot, servo),
        old=np.zeros((n, 6)),
        free=np.zeros((n, 6)),
        speed=np.zeros((n, 6)),
        rotation=np.zeros((n, 3, 3)),
        middle=np.zeros((n, 7)),
        contact=np.zeros((2 * n, 5, 6)),
        impulse=np.zeros((2 * n, 5)),
        active=np.zeros(2 * n, np.int64),
        joint=np.zeros((n - 1, rows, 12)),
        reaction=np.zeros((n - 1, rows)),
        block=np.zeros((n - 1, 2, rows, rows)),
        torque=np.zeros((f, 12)),
    )


def _perpendicular(robot: Robot) -> IntArray:
    """(13), and what a hinge has in its place: its axis, fixed to the head's side, is at right angles to two of the
    tail's side."""
    pairs = np.full((len(robot.links) - 1, 2, 2), -1, np.int64)
    for j in range(len(pairs)):
        index = [AXES[axis].column for axis in robot.joint(j).turns_about]
        if len(index) == 2:
            pairs[j, 0] = index
        else:
            others = [axis for axis in range(3) if axis != index[0]]
            pairs[j] = [(axis, index[0]) for axis in others]
    return pairs


def _freedoms(robot: Robot, servo: Servo) -> FloatArray:
    freedom = np.zeros((len(robot.freedoms), 13))
    for row, (j, axis), (_, place) in zip(freedom, robot.freedoms, robot.places, strict=True):
        part, (stiffness, damping) = robot.joint(j), servo.gains(axis)
        row[:TORQUE] = (
            j, AXES[axis].column, place,
            stiffness, damping, min(servo.torque_limit, FINITE), 0.5 * stiffness * servo.play, part.actuated,
            part.stiffness, part.angle, part.damping,
        )  # fmt: skip
    return freedom


def mobility(link: Link) -> tuple[float, float, float]:
    """How much [1/kg] a link alone yields at one of its ends: down, sideways, and when rolled; however it lies."""
    bent = link.half_core**2 / min(link.about_pitch, link.inertia)
    rolled = link.radius**2 / min(link.about_roll, link.about_pitch, link.inertia)
    return 1.0 / link.mass + bent, 1.0 / link.mass + bent + rolled, rolled


def step_sizes(robot: Robot, options: SpatialSteppingOptions) -> tuple[FloatArray, FloatArray]:
    """r_N, r_T and r_V [kg], and them times the mobility of the link that yields most."""
    most = np.max([mobility(link) for link in robot.links], axis=0)
    pure = np.array(PRINTED_R) * mobility(PRINTED_LINK)
    given = (options.r_N, options.r_T, options.r_V)
    sizes = [pure[k] / max(most[k], 1e-300) if r is None else r for k, r in enumerate(given)]
    return np.array(sizes), np.array(sizes) * most


def _numbers(robot: Robot, world: World, options: SpatialSteppingOptions) -> FloatArray:
    number, down = np.zeros(NUMBERS), np.array(world.down)
    number[DT], number[TOLERANCE] = options.dt, options.tolerance
    number[MAX_ITERATIONS] = options.max_iterations
    number[WEIGHT] = robot.mass * max(world.gravity, EARTH)  # a scale for residuals, also in space
    number[DOWN_X : DOWN_Z + 1] = world.gravity * down / np.linalg.norm(down)
    number[MU_ALONG], number[MU_ACROSS] = world.ground.along, world.ground.across
    number[MU_ROLL], number[ACCEPT] = world.ground.rolling, options.on_failure == "accept"
    number[R_N : R_V + 1], pure = step_sizes(robot, options)
    number[PER_N : PER_V + 1] = residual_scale(pure)
    return number


def residual_scale(pure: FloatArray) -> FloatArray:
    """(93) adds up changes of impulses, which are small where r is small. The change that the natural choice of r, one
    over the mobility, would make is at most so many times larger."""
    return np.asarray(1.0 / np.clip(pure, 1e-300, 1.0))


def longest_step(robot: Robot, servo: Servo) -> float:
    """The longest step [s] with which joint torques from the start of a step are stable, whatever the pose.

    Without the reactions of joints, which only slow things down, link i with the smallest moment of inertia I feels at
    most 2 (k angle^2 + d rate^2) from each of its two joints; the step is a leapfrog with lagging damping, which is
    stable for 4 (k dt^2 + 2 d dt) <= 4 I.
    """
    longest = math.inf
    for i, link in enumerate(robot.links):
        least = min(link.about_roll, link.about_pitch, link.inertia)
        near = [k for k, (j, _) in enumerate(robot.freedoms) if i - 1 <= j <= i]
        stiff = max((_total(robot, servo, k)[0] for k in near), default=0.0)
        damped = max((_total(robot, servo, k)[1] for k in near), default=0.0)
        if damped + stiff > 0.0:
            longest = min(longest, least / (damped + math.sqrt(damped**2 + stiff * least)))
    return longest


def _total(robot: Robot, servo: Servo, freedom: int) -> tuple[float, float]:
    """Stiffness and damping of servo, spring and damper."""
    j, axis = robot.freedoms[freedom]
    part, (stiffness, damping) = robot.joint(j), servo.gains(axis) if robot.joint(j).actuated else (0.0, 0.0)
    return stiffness + part.stiffness, damping + part.damping
