"""From Robot and World to the arrays of the kernels.

Symbols of P2: n links, mass m_i, inertia Theta_i, half width L_SC, half axis L_GS, obstacle radius L_H.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.geometry.grid import Grid, build_grid
from pushpoint.mechanics.planar_chain import CHAIN_FIELDS
from pushpoint.numerics.records import Records, as_columns, record_array
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.robots import Robot, Servo
from pushpoint.types import FloatArray, IntArray, Pose
from pushpoint.worlds import World

EARTH = 9.81  # [m/s2]
SKIN_FRACTION = 0.5  # neighbour lists reach at least this part of the largest half width beyond touching
SPARE_PAIRS = 16  # per link, on top of four of the fullest cells of the grid

LINK_FIELDS = (
    *CHAIN_FIELDS,
    "old_vx", "old_vy", "old_w",  # velocity at the start of the step
    "axis", "radius",  # [m], of the capsule: half its axis, half its width
    "disc", "along", "across",  # friction: radius of its disc [N s], scales along and across the link
    "ground_x", "ground_y", "ground_guess_x", "ground_guess_y",  # [N s], in scaled link axes: impulse, multiplier
    "applied_x", "applied_y", "applied_w",  # [N s], [N m s], from ground and contacts
    "servo_p", "servo_d", "band", "limit",  # of the joint, as impulses of one step
    "drive", "feed",  # [N m s], of the joint: servo impulse at rate zero; feed-forward
)  # fmt: skip
# `approach`: speed [m/s] at which the gap may close; `guess`: multiplier; `pair`: row in State.pair.
CONTACT_FIELDS = ("normal_x", "normal_y", "arm", "approach", "guess", "impulse", "pair")
BODY_FIELDS = (
    "x", "y", "angle", "vx", "vy", "w",
    "ground_x", "ground_y",  # [N s], last friction impulse
    "last_vx", "last_vy", "last_w",  # velocity one step earlier
    "cos", "sin",  # of the angle
)  # fmt: skip
PAIR_FIELDS = ("impulse", "place", "normal_x", "normal_y", "tick_x", "tick_y", "record_x", "record_y")

# Entries of Problem.number.
(
    DT, CONSERVING, TOLERANCE, MAX_ITERATIONS, GRAVITY, WEIGHT, PASSIVE, SKIN,  # of the run
    HELD, PENALTY, WORST_LINK, SPEED, REACHED, CENTRE_X, CENTRE_Y,  # of the step
) = range(15)  # fmt: skip
# Entries of State.ledger after those of types.LEDGER: how far any point of the robot has moved since the neighbour
# lists were made, and how far they reach beyond touching [m].
TRAVELLED, LISTED = 5, 6


class Problem(NamedTuple):
    """The contact problem of one step: what does not change in a run, and scratch."""

    number: FloatArray  # (15,): dt [s], flags and tolerances; see the names above
    link: Records  # (n,): LINK_FIELDS
    contact: Records  # (pairs,): CONTACT_FIELDS
    first: IntArray  # (n + 1,): contacts of link i are first[i] .. first[i + 1]


class Surroundings(NamedTuple):
    """The obstacles, and room for new neighbour lists (see State)."""

    disc: FloatArray  # [m], (m, 3): x, y, radius
    grid: Grid
    pair_start: IntArray
    pair_disc: IntArray
    pair: Records


class State(NamedTuple):
    """All that a step depends on: a run from a copy is equal to the bit."""

    clock: IntArray  # (2,): steps done; whether free_flight.start_motion was
    link: Records  # (n,): BODY_FIELDS
    pair_start: IntArray  # (n + 1,): neighbour pairs of link i are pair_start[i] .. pair_start[i + 1]
    pair_disc: IntArray  # (pairs,)
    pair: Records  # (pairs,): PAIR_FIELDS: last impulse [N s], place, normal, impulses of the tick and of the record
    sums: FloatArray  # (n, 10): impulses of the tick (contact x, y, ground x, y, joint), the same since the last row
    ledger: FloatArray  # (7,): energy and works [J] as types.LEDGER; TRAVELLED, LISTED


def make_problem(robot: Robot, world: World, servo: Servo, options: PlanarSteppingOptions, pairs: int) -> Problem:
    links = robot.links
    n, dt = len(links), options.dt
    along, across = world.ground.along, world.ground.across
    largest = max(along, across)
    link = record_array(n, LINK_FIELDS)
    link["half"] = [part.length / 2 for part in links]
    link["mass"] = [part.mass for part in links]
    link["inertia"] = [part.inertia for part in links]
    link["axis"] = [part.half_core for part in links]
    link["radius"] = [part.radius for part in links]
    link["disc"] = largest * link["mass"] * world.gravity * dt
    if largest > 0:
        link["along"], link["across"] = along / largest, across / largest
    link["servo_p"], link["servo_d"] = dt * servo.stiffness, dt * servo.damping
    link["band"] = dt * 0.5 * servo.stiffness * servo.play
    link["limit"] = dt * min(servo.torque_limit, 1e12)  # finite, so that arithmetic with it stays finite
    number = np.zeros(15)
    number[DT] = dt
    number[CONSERVING] = options.scheme == "conserving"
    number[TOLERANCE] = options.tolerance
    number[MAX_ITERATIONS] = options.max_iterations or (200 if options.solver == "newton" else 200_000)
    number[GRAVITY] = world.gravity
    number[WEIGHT] = link["mass"].sum() * max(world.gravity, EARTH)  # a scale for residuals, also in space
    number[PASSIVE] = largest * world.gravity > 0 or len(world.obstacles) > 0
    number[SKIN] = SKIN_FRACTION * link["radius"].max()
    return Problem(number, link, record_array(pairs, CONTACT_FIELDS), np.zeros(n + 1, np.int64))


def make_surroundings(robot: Robot, world: World) -> Surroundings:
    disc = np.array([[d.x, d.y, d.radius] for d in world.discs]).reshape(-1, 3)
    boxes = np.column_stack([disc[:, :2] - disc[:, 2:], disc[:, :2] + disc[:, 2:]])
    grid = build_grid(boxes, reach=2 * max(link.half_core + link.radius for link in robot.links))
    # Room for the link-obstacle pairs that the densest spot of the world allows.
    per_link = min(len(disc), SPARE_PAIRS + 4 * int(np.diff(grid.start).max(initial=0)))
    n, pairs = len(robot.links), max(1, len(robot.links) * per_link)
    start, discs = np.zeros(n + 1, np.int64), np.zeros(pairs, np.int64)
    return Surroundings(disc, grid, start, discs, record_array(pairs, PAIR_FIELDS))


def make_state(problem: Problem, pose: Pose) -> State:
    n, pairs = len(problem.link), len(problem.contact)
    link, ledger = record_array(n, BODY_FIELDS), np.zeros(7)
    start = as_columns(link)
    start[:, 0:2], start[:, 2], start[:, 3:5], start[:, 5] = pose.position, pose.angle, pose.velocity, pose.rate
    start[:, 8:11] = start[:, 3:6]  # as if the step before had changed nothing
    start[:, 11], start[:, 12] = np.cos(pose.angle), np.sin(pose.angle)
    if pose.velocity.any() or pose.rate.any():
        mass, inertia = problem.link["mass"], problem.link["inertia"]
        ledger[0] = 0.5 * ((mass @ pose.velocity**2).sum() + inertia @ pose.rate**2)
    ledger[LISTED] = -1.0  # nothing listed yet
    return State(
        clock=np.zeros(2, np.int64),
        link=link,
        pair_start=np.zeros(n + 1, np.int64),
        pair_disc=np.zeros(pairs, np.int64),
        pair=record_array(pairs, PAIR_FIELDS),
        sums=np.zeros((n, 10)),
        ledger=ledger,
    )
