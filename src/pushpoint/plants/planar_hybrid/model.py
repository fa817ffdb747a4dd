"""From Robot and World to the arrays of the kernels.

Symbols of P1: n links of length 2 l, mass m, inertia J; theta, p and their rates; alpha_i = +1 where a contact force
points to the left of link i, -1 where to its right, 0 without contact. P1 counts links from 1 and joint angles as
theta_i - theta_{i+1}; here links count from 0 and joint angles have the other sign.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.geometry.grid import Grid, build_grid
from pushpoint.mechanics.joint_forces import JOINT_FORCE_FIELDS, prepare_chain
from pushpoint.numerics.lcp.basis import workspace
from pushpoint.numerics.lcp.p_matrix import p_workspace
from pushpoint.numerics.records import Records, record_array, single_record
from pushpoint.plants.planar_hybrid.options import PlanarHybridOptions
from pushpoint.robots import Robot, Servo
from pushpoint.types import FloatArray, IntArray, Pose
from pushpoint.worlds import World

SUMS = 3  # integrals of each link: ground force x, y, torque of the joint towards the tail
PUSH = 2  # integrals of each contact: force x, y
WORKS = 3  # integrals of the robot: power of the servos, of ground friction, of contacts
STAGES = 7  # of a step: the slopes of Dormand and Prince
MOST_JUMPS = 1000  # in a step of dt: more are taken for events that accumulate
SLOTS = 6  # obstacles that a link can touch at once where they touch; at the centre, as in P1, it is one
GRAZED = 2.5e-4  # [m], how deep a link may pass through the edge of an obstacle between two checks
SPARE = 64  # contacts that there is room for, besides one per link

LINK_FIELDS = (
    *JOINT_FORCE_FIELDS,
    "axis", "radius",  # [m], of the capsule: half its axis, half its width
    "grip", "twist",  # largest friction force [N] and torque [N m] of the ground
    "x", "y", "vx", "vy",  # [m], [m/s]
    "free_fx", "free_fy", "free_moment",  # forces without those of obstacles [N], [N m]
    "reference", "reference_rate", "feed", "torque",  # of the joint towards the tail: [rad], [rad/s], [N m], [N m]
)  # fmt: skip
# What holds in the row of a contact, P1 (38): the normal (from obstacle to link) and tangent with their arms about the
# centre, the speeds along them, and how fast the first changes without accelerations, P1 (39).
CONTACT_FIELDS = (
    "link", "slot", "leaving", "obstacle", "gap", "place", "point_x", "point_y",
    "normal_x", "normal_y", "arm", "tangent_x", "tangent_y", "arm_t",
    "speed", "slide", "bias", "friction", "force", "push_x", "push_y",
)  # fmt: skip
# Of each slot of a link: the contact it has or had last.
TOUCH_FIELDS = ("obstacle", "place", "normal_x", "normal_y", "point_x", "point_y", "slip", "impact")
RECORDS = {"touch": TOUCH_FIELDS}

# Of Problem.number.
FLOATS = (
    "dt", "tolerance", "friction_speed", "friction_rate",  # options
    "stiffness", "damping", "limit", "mass", "weight",  # servo; robot
    "stride",  # [m], how far a link may move before it is checked again
    "residual",  # of the step: the worst
)  # fmt: skip
COUNTS = (
    "slots",  # of a link
    "touching",  # contacts in Problem.contact
    "suspect", "worst_link",  # links of the last residual, and of the worst of the step
    "evaluations", "parts", "fallbacks", "accepted",  # of the step: slopes; steps of the pair; how often
    "unsure",  # how often friction was beyond mu_o*
    "stopped",  # how often a link that left has stopped
)  # fmt: skip
FLAGS = (
    "centre", "printed_sign", "accept",  # options
    "has_friction",  # whether any obstacle has
    "shortened", "lenient",  # of the step: whether some were shortened to be solved; whether only accepting helps
)  # fmt: skip
# Entries of State.ledger after those of types.LEDGER.
NEXT_STEP, START_ENERGY, TRIED_STEP = 5, 6, 7


class Problem(NamedTuple):
    """What does not change in a run, and scratch."""

    number: Records  # (1,): FLOATS, COUNTS, FLAGS
    link: Records  # (n,): LINK_FIELDS
    contact: Records  # (room + 1,): CONTACT_FIELDS, the first `touching` of them; the last is scratch
    disc: FloatArray  # (m, 4): x, y, radius [m], friction
    grid: Grid
    slope: FloatArray  # (STAGES, size of the vector): what the stages of a step found
    vector: FloatArray  # (3, size of the vector): of a stage, of the end of a step, of an instant in between
    matrix: FloatArray  # (room, room): of the complementarity problem
    friction_part: FloatArray  # (room, room): what friction takes from it, per coefficient of friction
    free: FloatArray  # (room,): its vector
    force: FloatArray  # (room,): its solution
    basic: IntArray  # (room,): where that is positive
    pivoting: FloatArray  # scratch of the solver
    testing: FloatArray  # scratch of the test for P-matrices


class State(NamedTuple):
    """All that a run depends on, P1 (60): a run from a copy is equal to the bit."""

    clock: IntArray  # (1,): steps of dt done
    vector: FloatArray  # theta (n,), p (2,), their rates; integrals since the step began: n SUMS, slots PUSH, WORKS
    alpha: IntArray  # (slots,): P1 has one per link; slot s is one of link s // Problem.number[0].slots
    pushing: IntArray  # (slots,): whether each contact pushed last, where the solver starts
    leaving: IntArray  # (slots,): whether the contact is there, but the link moves away from it
    touch: Records  # (slots,): TOUCH_FIELDS
    sums: FloatArray  # (n, 6): SUMS of the tick [N s, N m s], the same since the last row
    pushed: FloatArray  # (slots, 4): PUSH of the tick [N s], the same since the last row
    ledger: FloatArray  # (8,): energy and works [J] as types.LEDGER; NEXT_STEP [s], START_ENERGY [J], TRIED_STEP [s]


def make_problem(robot: Robot, world: World, servo: Servo, options: PlanarHybridOptions) -> Problem:
    n, g = len(robot.links), world.gravity
    link = record_array(n, LINK_FIELDS)
    for row, part in zip(link, robot.links, strict=True):
        row.half, row.mass, row.inertia = part.length / 2, part.mass, part.inertia
        row.axis, row.radius = part.half_core, part.radius
        row.grip = world.ground.friction * part.mass * g
        row.twist = 0.5 * row.grip * row.half if world.ground.torque else 0.0  # P1 (14)
    prepare_chain(link)
    disc = np.array([[d.x, d.y, d.radius, d.friction] for d in world.discs]).reshape(-1, 4)
    boxes = np.column_stack([disc[:, :2] - disc[:, 2:3], disc[:, :2] + disc[:, 2:3]])
    numbers = single_record(FLOATS, COUNTS, FLAGS)
    number = numbers[0]
    number.centre, number.printed_sign = options.contact == "centre", options.obstacle_friction == "printed"
    number.dt, number.tolerance = options.dt, options.tolerance
    number.friction_speed, number.friction_rate = options.friction_speed, options.friction_rate
    number.stiffness, number.damping = servo.stiffness, servo.damping
    number.limit = min(servo.torque_limit, 1e12)  # finite, so that arithmetic with it stays finite
    number.mass, number.weight = robot.mass, robot.mass * max(g, 9.81)  # a scale for residuals, also in space
    number.has_friction, number.accept = bool(disc[:, 3].any()), options.on_failure == "accept"
    number.stride = _stride(robot, disc)
    number.slots = 1 if options.contact == "centre" else SLOTS
    slots = n * number.slots
    room = min(slots, n + SPARE)
    size = 2 * (n + 2) + SUMS * n + PUSH * slots + WORKS
    return Problem(
        number=numbers,
        link=link,
        contact=record_array(room + 1, CONTACT_FIELDS),
        disc=disc,
        grid=build_grid(boxes, reach=2 * max(part.half_core + part.radius for part in robot.links)),
        slope=np.zeros((STAGES, size)),
        vector=np.zeros((3, size)),
        matrix=np.zeros((room, room)),
        friction_part=np.zeros((room, room)),
        free=np.zeros(room),
        force=np.zeros(room),
        basic=np.zeros(room, np.int64),
        pivoting=workspace(room),
        testing=p_workspace(min(room, 12)),
    )


def _stride(robot: Robot, disc: FloatArray) -> float:
    """How far links may move unseen [m]: on a chord of the smallest disc, widened by a link, that is GRAZED deep."""
    radius = float(disc[:, 2].min(initial=np.inf)) + min(part.radius for part in robot.links)
    return min(radius, float(np.sqrt(8.0 * radius * GRAZED)))


def make_state(problem: Problem, pose: Pose) -> State:
    n = len(problem.link)
    slots = n * problem.number[0].slots
    mass = problem.link["mass"]
    vector = np.zeros(problem.slope.shape[1])
    vector[:n], vector[n : n + 2] = pose.angle, mass @ pose.position / mass.sum()
    vector[n + 2 : 2 * n + 2], vector[2 * n + 2 : 2 * n + 4] = pose.rate, mass @ pose.velocity / mass.sum()
    ledger = np.zeros(8)
    ledger[0] = 0.5 * ((mass @ pose.velocity**2).sum() + problem.link["inertia"] @ pose.rate**2)
    ledger[NEXT_STEP], ledger[START_ENERGY] = problem.number[0].dt, ledger[0]
    return State(
        clock=np.zeros(1, np.int64),
        vector=vector,
        alpha=np.zeros(slots, np.int64),
        pushing=np.zeros(slots, np.int64),
        leaving=np.zeros(slots, np.int64),
        touch=record_array(slots, TOUCH_FIELDS),
        sums=np.zeros((n, 2 * SUMS)),
        pushed=np.zeros((slots, 2 * PUSH)),
        ledger=ledger,
    )
