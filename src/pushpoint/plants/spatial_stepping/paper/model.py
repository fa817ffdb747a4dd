"""The arrays of P5's own scheme.

Velocities of a link are P5's: (velocity of its centre in world axes, angular velocity in its own axes), (5). Axes of a
link are 0: forward, 1: left, 2: up. P5 counts links from the head and its body axes point to the tail; nothing but
VII-C, which starts at P5's link 1, depends on that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pushpoint.numerics.records import Records, from_table
from pushpoint.plants.spatial_stepping.model import Problem
from pushpoint.plants.spatial_stepping.options import SpatialSteppingOptions
from pushpoint.robots import AXES, Link, Robot, Servo
from pushpoint.types import FloatArray, IntArray

NORMAL, ALONG, ACROSS, ROLL_X, ROLL_Y = range(5)  # rows of a contact

# Parameters r of (87)-(89) [kg], and from changes of impulses in an iteration to residuals, see residual_scale.
SIZE_FIELDS = ("r_N", "r_T", "r_V", "per_N", "per_T", "per_V")

# P5 VIII-A prints r_N = 0.1, r_T = 0.01 and r_V = 0.05 for Aiko. Times the mobility of one of Aiko's links (see
# `mobility`) they are pure numbers, which serve other robots as well.
PRINTED_LINK = Link(length=0.122, mass=7.5 / 11, inertia=9.63e-4, inertia_roll=2.35e-4, radius=0.0525, core=0.0393)
PRINTED_R = (0.1, 0.01, 0.05)  # [kg]


class PaperProblem(NamedTuple):
    """What does not change in a run, and scratch of one step. The first four are those of the default scheme."""

    number: Records  # (1,)
    link: Records  # (n,)
    capsule: Records  # (n,)
    freedom: Records  # (f,): Problem.joint
    size: Records  # (1,): SIZE_FIELDS
    mass: FloatArray  # (n, 6): the diagonal of M, (47)-(48)
    perpendicular: IntArray  # (n - 1, 2, 2): axes of tail side and head side that are at right angles; -1: none
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
    row: FloatArray  # (rows,): scratch of joint_impulses
    torque: FloatArray  # (f, 12): directions of the torques of the joints, as W_J


def make_paper_problem(robot: Robot, problem: Problem, options: SpatialSteppingOptions) -> PaperProblem:
    n, f = len(robot.links), len(robot.freedoms)
    perpendicular = _perpendicular(robot)
    rows = 3 + int((perpendicular[:, :, 0] >= 0).sum(axis=1).max(initial=0))
    sizes, pure = step_sizes(robot, options)
    return PaperProblem(
        number=problem.number,
        link=problem.link,
        capsule=problem.capsule,
        freedom=problem.joint,
        size=from_table([[*sizes, *residual_scale(pure)]], SIZE_FIELDS),
        mass=np.array([(part.mass,) * 3 + (part.about_roll, part.about_pitch, part.inertia) for part in robot.links]),
        perpendicular=perpendicular,
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
        row=np.zeros(rows),
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


def residual_scale(pure: FloatArray) -> FloatArray:
    """(93) adds up changes of impulses, which are small where r is small. The change that the natural choice of r, one
    over the mobility, would make is at most so many times larger."""
    return np.asarray(1.0 / np.clip(pure, 1e-300, 1.0))


def longest_step(robot: Robot, servo: Servo) -> float:
    """The longest step [s] with which joint torques from the start of a step are stable, whatever the pose.

    Without the reactions of joints, which only slow motions down, link i with the smallest moment of inertia I feels at
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
