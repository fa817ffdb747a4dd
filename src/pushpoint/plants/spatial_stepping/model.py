"""From Robot and World to the arrays of the kernels."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pushpoint.geometry.capsule_solids import CONTACT_COLUMNS
from pushpoint.geometry.capsules import outline
from pushpoint.geometry.rotation import matrices
from pushpoint.geometry.solids import Solids
from pushpoint.mechanics.solids import has_plane, make_solids
from pushpoint.mechanics.spatial_chain import CHAIN_FIELDS, FREEDOM_FIELDS, make_tree
from pushpoint.numerics.records import Records, from_table, record_array, single_record
from pushpoint.plants.spatial_stepping.options import SpatialSteppingOptions
from pushpoint.robots import AXES, Link, Robot, Servo
from pushpoint.types import FloatArray, IntArray, SpatialPose
from pushpoint.worlds import World

EARTH = 9.81  # [m/s2]
STOP_HARDNESS = 1e4  # a stop yields by impulse / (this times the inertia of a link about its end) in a step
FINITE = 1e12  # [N m], for torque limits that are not, so that arithmetic with them stays finite

LINK_FIELDS = (
    *CHAIN_FIELDS,
    "old1", "old2", "old3", "old4", "old5", "old6",  # momentum about O at the start of the step, gravity included
    "start1", "start2", "start3",  # [m/s], velocity of its centre at the start of the step
    "size", "thick", "reach",  # [m]: from the centre to the farthest point; radius; how far solids are searched for
    "partner",  # the first link towards the head that it may touch, see first_partners
)  # fmt: skip
JOINT_FIELDS = (
    *FREEDOM_FIELDS,
    "joint", "place",  # counted from the tail: its joint, and which axis of that it is
    "start",  # [rad/s], at the start of the step
    "servo_p", "servo_d", "limit", "band", "actuated",  # of the servo: gains, limit [N m] and dead band [N m]
    "drive", "feed",  # [N m s], servo impulse at rate zero; feed-forward
    "spring", "rest", "damper", "armature",
    "lower", "upper", "stop_hard", "stop",  # [rad], [kg m2], [N m s]
    "torque",  # [N m s], impulse of the servo
)  # fmt: skip
CONTACT_FIELDS = (
    "link", "other", "r1", "r2", "r3",  # the link, the other link or -1; point from O [m]
    "n1", "n2", "n3", "t1", "t2", "t3", "s1", "s2", "s3",  # normal, tangents along and across the link
    "gap", "approach", "push", "hard",  # [m]; speeds [m/s] at which it may close, and is pushed out; [kg], see laws
    "mu_t", "mu_s", "soft", "roll", "roll_soft",  # friction, see laws
    "gn", "gt", "gs", "gr", "gq",  # [m/s], speeds along the normal and the tangents, and of rolling
    "dn", "dt", "ds", "dr", "dq",  # their steps
    "start_n", "start_t", "start_s", "start_r", "start_q",  # at the start of the step
    "disc", "last_change", "last_full", "closed",  # [N s], radius of the disc of friction; 1 where it presses
    "lt", "ls", "lr", "lq",  # multipliers
    "pn", "pt", "ps", "pr", "pq",  # [N s], impulses
    "slips", "rolls",  # 1 where it slides, and where it rolls
    "q1", "q2",  # radius over size, and direction, of the sliding friction that the tangents know
    "code", "sphere", "obstacle", "place", "which",  # what touches: see contacts
    "overlap",  # [m], of two links from the start on, which is left as it is
)  # fmt: skip
CAPSULE_FIELDS = ("link", "left", "up", "half", "radius")  # axis from the link's centre, half its length [m]
# What is remembered of a contact from step to step.
MEMORY_FIELDS = (
    "code", "sphere", "n1", "n2", "n3",  # see contacts.recall
    "pn", "lt", "ls", "lr", "lq", "closed", "slips", "rolls", "overlap",
)  # fmt: skip
BODY_FIELDS = (
    "x", "y", "z", "qw", "qx", "qy", "qz",  # pose; that of the root is the state, the others follow
    "vx", "vy", "vz", "wx", "wy", "wz",
    "l1", "l2", "l3", "p1", "p2", "p3",  # momentum about the root's centre
)  # fmt: skip
PAIR_FIELDS = (
    "link",
    "obstacle",
    "which",  # who touches what, and where on the link: tail end, head end, in between
    "tick_x",
    "tick_y",
    "tick_z",
    "record_x",
    "record_y",
    "record_z",  # [N s], in the tick and since the last row
    "place",
    "point_x",
    "point_y",
    "point_z",
    "normal_x",
    "normal_y",
    "normal_z",
    "slip",
    "impact",
)  # fmt: skip
RECORDS = {"body": BODY_FIELDS, "memory": MEMORY_FIELDS, "pair": PAIR_FIELDS}

# Of Problem.number.
FLOATS = (
    "dt", "tolerance", "weight", "down_x", "down_y", "down_z", "mu_t", "mu_s", "roll",  # of the run
    "stribeck", "stribeck_speed",  # see contacts.stribeck_factor
    "nominal", "hardness", "longest", "biggest", "thinnest", "deepest",  # nominal: dt of a whole step
    "push_work", "push_speed", "firm",  # of the step
    "energy", "servo", "friction", "normal", "numerical", "gravity",  # [J]: kinetic energy at its end, and works
    "pushed", "excess",  # [J] of push-out, and numerical beyond what a step may always make
    "fastest", "turning",  # squares of the fastest velocity and rate
    "was_deep",  # [m], how deep any contact was at the start
)  # fmt: skip
COUNTS = (
    "max_iterations", "contacts", "self_contacts", "worst_link",
    "low", "high",  # of the iteration: links whose contacts changed
)  # fmt: skip
FLAGS = ("has_plane", "self_contact", "accept", "sinks")  # sinks: whether a contact ends too deep
PAIRS_PER_LINK = 12
CONTACTS_PER_CAPSULE = 32
MIDDLE, END = 0, 1  # rows of Problem.root
LEAST_ROWS, MOST_ROWS = 32, 500  # contacts of links with each other
LEAST_PUSH = 5e-5  # [m/s]: at the least, links are pushed out of what they sank into as the weight at this speed
SAVED = 3e-3  # of all work so far that goes into the purse, also for pushing links out of what they sank into
SHALLOW = 1e-4  # [m]: links may go in by half their radius at most, or it is no longer clear on which side to go out
SAFETY = 0.9  # of the depth that is allowed: how deep a link is at the end of a step is known to second order
MARGIN = 0.05  # [m]: contacts are searched for at most this far from a link


class Problem(NamedTuple):
    """The contact problem of one step: what does not change in a run, and scratch."""

    number: Records  # (1,): FLOATS, COUNTS, FLAGS
    tree: IntArray  # (n, 4): see mechanics.spatial_chain
    root: Records  # (2,): BODY_FIELDS of the root in the middle and at the end of the step
    link: Records  # (n,): LINK_FIELDS
    joint: Records  # (freedoms,): JOINT_FIELDS
    capsule: Records  # CAPSULE_FIELDS
    contact: Records  # CONTACT_FIELDS
    found: FloatArray  # (rows, 8): contacts of one capsule with solids, geometry.capsule_solids.CONTACT_COLUMNS
    scratch: FloatArray  # (6, 7)


class Rows(NamedTuple):
    """Room for tangents beside the chain's, see coupling."""

    row: IntArray  # (rows,): contacts
    solution: FloatArray  # (rows + 1, n and more, 6): steps of links and, behind them, of freedoms
    matrix: FloatArray  # (rows, rows + 1)
    motion: FloatArray  # (3, 6 + freedoms): of the root, and rates; see iteration.STEP


class State(NamedTuple):
    """All that a step depends on: a run from a copy is equal to the bit."""

    clock: IntArray  # (3,): steps done; contacts remembered; pairs in use
    body: Records  # (n,): BODY_FIELDS
    angle: FloatArray  # (2, freedoms): [rad], [rad/s]
    memory: Records  # MEMORY_FIELDS
    pair: Records  # PAIR_FIELDS
    sums: FloatArray  # (n, 16): impulses of the tick: contact xyz, ground xyz, two of the joint; since the last row
    ledger: FloatArray  # (7,): energy and works [J] as types.LEDGER; gravity; the purse, see sanity


def make_problem(robot: Robot, world: World, servo: Servo, options: SpatialSteppingOptions) -> Problem:
    link = record_array(len(robot.links), LINK_FIELDS)
    for row, part in zip(link, robot.links, strict=True):
        row.mass, row.half = part.mass, part.length / 2
        row.roll, row.pitch, row.yaw = part.about_roll, part.about_pitch, part.inertia
        wide = 1.0 if part.shape == "round" else math.sqrt(2.0)
        row.size, row.thick = part.half_core + wide * part.radius, _thickness(part)
    link["partner"], link["reach"] = first_partners(robot), math.inf
    capsules = [
        (i, *capsule)
        for i, part in enumerate(robot.links)
        for capsule in outline(part.shape, part.half_core, part.radius, part.rounding)
    ]
    number = _numbers(robot, world, options)
    number["biggest"], number["thinnest"] = link["size"].max(), link["thick"].min()
    joints: list[list[int]] = [[] for _ in robot.links[1:]]
    for k, (j, _) in enumerate(robot.freedoms):
        joints[j].append(k)
    return Problem(
        number=number,
        tree=make_tree(len(robot.links), joints),
        root=record_array(2, BODY_FIELDS),
        link=link,
        joint=_joints(robot, servo),
        capsule=from_table(capsules, CAPSULE_FIELDS),
        contact=record_array(len(capsules) * CONTACTS_PER_CAPSULE, CONTACT_FIELDS),
        found=np.zeros((CONTACTS_PER_CAPSULE, len(CONTACT_COLUMNS))),
        scratch=np.zeros((6, 7)),
    )


def _thickness(link: Link) -> float:
    """Radius [m] of its capsules."""
    return link.radius if link.shape == "round" else link.rounding


def first_partners(robot: Robot) -> FloatArray:
    """Of each link, the first one towards the head from which on links may touch it: not its neighbour, and none that
    would overlap it even if the chain were straight, as short and thick links do with those next but one."""
    n, first = len(robot.links), np.zeros(len(robot.links))
    lead = [link.length / 2 - link.half_core for link in robot.links]
    thick = [_thickness(link) for link in robot.links]
    thickest, shortest = max(thick), min(lead)
    for i in range(n):
        first[i], between = i + 2, lead[i] - thick[i] + (robot.joint(i).axes_apart if i + 1 < n else 0.0)
        for j in range(i + 2, n):
            between += robot.links[j - 1].length + robot.joint(j - 1).axes_apart
            if between + lead[j] - thick[j] <= 0.0:
                first[i] = j + 1
            if between + shortest - thickest > 0.0:
                break
    return first


def make_rows(problem: Problem) -> Rows:
    places = len(problem.link) + (len(problem.joint) + 5) // 6
    rows = min(LEAST_ROWS + 2 * len(problem.capsule), MOST_ROWS) if problem.number[0].self_contact else 0
    return Rows(
        row=np.zeros(rows, np.int64),
        solution=np.zeros((rows + 1, places, 6)),
        matrix=np.zeros((rows, rows + 1)),
        motion=np.zeros((3, 6 + len(problem.joint))),
    )


def solids_of(robot: Robot, world: World) -> Solids | None:
    """What a robot may touch besides the plane; None if there is nothing."""
    if world.terrain is None and not world.obstacles:
        return None
    # Capsules of square links lie off the links' axes, but are shorter than the rest allows for.
    return make_solids(world, max(link.half_core + link.radius for link in robot.links) + MARGIN)


def _numbers(robot: Robot, world: World, options: SpatialSteppingOptions) -> Records:
    numbers = single_record(FLOATS, COUNTS, FLAGS)
    number = numbers[0]
    number.dt = number.nominal = options.dt
    thinnest = min(_thickness(link) for link in robot.links)
    number.deepest = SAFETY * min(deepest_allowed(options.dt), max(0.5 * thinnest, SHALLOW))
    number.accept = options.on_failure == "accept"
    number.tolerance, number.max_iterations = options.tolerance, options.max_iterations
    number.weight = robot.mass * max(world.gravity, EARTH)  # a scale for residuals, also in space
    down = np.array(world.down)
    number.down_x, number.down_y, number.down_z = world.gravity * down / np.linalg.norm(down)
    number.mu_t, number.mu_s, number.roll = world.ground.along, world.ground.across, world.ground.rolling
    number.stribeck, number.stribeck_speed = world.ground.stribeck, world.ground.stribeck_speed
    number.has_plane = has_plane(world)
    number.hardness, number.self_contact = options.hardness, bool(options.self_contact)
    number.longest = max(link.length for link in robot.links) + max((j.axes_apart for j in robot.joints), default=0.0)
    return numbers


def deepest_allowed(dt: float) -> float:
    """How deep [m] a step may leave a link inside of a solid: 1 mm up to steps of 1 ms, 5 mm at 10 ms."""
    return max(1e-3, 1e-3 + (dt - 1e-3) * 4.0 / 9.0)


def _joints(robot: Robot, servo: Servo) -> Records:
    joint, root = record_array(len(robot.freedoms), JOINT_FIELDS), len(robot.links) // 2
    for row, (j, axis), (_, place) in zip(joint, robot.freedoms, robot.places, strict=True):
        part = robot.joint(j)
        row.joint, row.place = j, place
        row.axis, row.sign = float(AXES[axis].column), 1.0 if j >= root else -1.0
        row.servo_p, row.servo_d = servo.gains(axis)
        row.limit, row.actuated = min(servo.torque_limit, FINITE), float(part.actuated)
        row.band, row.apart = 0.5 * row.servo_p * servo.play, part.axes_apart
        row.spring, row.rest, row.damper, row.armature = part.stiffness, part.angle, part.damping, part.armature
        row.lower, row.upper = max(part.lower, -FINITE), min(part.upper, FINITE)
        own = robot.links[j + 1]
        row.stop_hard = STOP_HARDNESS * (own.inertia + own.mass * own.length**2 / 4)
    return joint


def make_state(problem: Problem, pose: SpatialPose) -> State:
    n, root = len(problem.link), int(problem.tree[0, 0])
    body, ledger = record_array(n, BODY_FIELDS), np.zeros(7)
    rotation = matrices(pose.orientation)
    inertia = np.stack([problem.link[name] for name in ("roll", "pitch", "yaw")], axis=1)
    spin = np.einsum("nij,nj,nkj,nk->ni", rotation, inertia, rotation, pose.rate)
    push = problem.link["mass"][:, np.newaxis] * pose.velocity
    about_root = spin + np.cross(pose.position - pose.position[root], push)
    columns = np.hstack([pose.position, pose.orientation, pose.velocity, pose.rate, about_root, push])
    for name, column in zip(BODY_FIELDS, columns.T, strict=True):
        body[name] = column
    ledger[0] = 0.5 * float((push * pose.velocity).sum() + (spin * pose.rate).sum())
    ledger[0] += 0.5 * float(problem.joint["armature"] @ pose.joint_rate**2)
    ledger[6] = SAVED * ledger[0]
    return State(
        clock=np.zeros(3, np.int64),
        body=body,
        angle=np.stack([pose.joint_angle, pose.joint_rate]),
        memory=record_array(len(problem.contact), MEMORY_FIELDS),
        pair=record_array(n * PAIRS_PER_LINK, PAIR_FIELDS),
        sums=np.zeros((n, 16)),
        ledger=ledger,
    )
