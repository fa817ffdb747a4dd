"""From Robot and World to the arrays of the kernels.

Symbols of P2: n links, mass m_i, inertia Theta_i, half width L_SC, half axis L_GS, obstacle radius L_H.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.geometry.grid import Grid, build_grid
from pushpoint.mechanics.planar_chain import CHAIN_COLUMNS, HALF, INERTIA, MASS
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.robots import Robot, Servo
from pushpoint.types import FloatArray, IntArray, Pose
from pushpoint.worlds import World

SKIN_FRACTION = 0.5  # neighbour lists reach at least this part of the largest half width beyond touching
SPARE_PAIRS = 16  # per link, on top of four of the fullest cells of the grid

# Columns of Problem.link after those of mechanics.planar_chain.
OLD_VX, OLD_VY, OLD_W = CHAIN_COLUMNS, CHAIN_COLUMNS + 1, CHAIN_COLUMNS + 2  # velocity at the start of the step
TRIAL_VX, TRIAL_VY, TRIAL_W = CHAIN_COLUMNS + 3, CHAIN_COLUMNS + 4, CHAIN_COLUMNS + 5  # before the line search
AXIS, RADIUS = CHAIN_COLUMNS + 6, CHAIN_COLUMNS + 7  # [m], of the capsule
DISC, ALONG, ACROSS = CHAIN_COLUMNS + 8, CHAIN_COLUMNS + 9, CHAIN_COLUMNS + 10  # friction: radius [N s] and scales
GROUND_X, GROUND_Y = CHAIN_COLUMNS + 11, CHAIN_COLUMNS + 12  # [N s], friction impulse in scaled link axes
GROUND_GUESS_X, GROUND_GUESS_Y = CHAIN_COLUMNS + 13, CHAIN_COLUMNS + 14  # [N s], its multiplier
APPLIED_X, APPLIED_Y, APPLIED_W = CHAIN_COLUMNS + 15, CHAIN_COLUMNS + 16, CHAIN_COLUMNS + 17  # ground and contacts
SERVO_P, SERVO_D, BAND, LIMIT = CHAIN_COLUMNS + 18, CHAIN_COLUMNS + 19, CHAIN_COLUMNS + 20, CHAIN_COLUMNS + 21
DRIVE, FEED = CHAIN_COLUMNS + 22, CHAIN_COLUMNS + 23  # [N m s], servo impulse at rate zero; feed-forward
LINK_WIDTH = CHAIN_COLUMNS + 24

# Columns of Problem.contact.
NORMAL_X, NORMAL_Y, ARM, APPROACH, GUESS, IMPULSE, PAIR = 0, 1, 2, 3, 4, 5, 6  # arm [m]; allowed approach [m/s]
CONTACT_WIDTH = 7

# Entries of Problem.number.
DT, CONSERVING, TOLERANCE, MAX_ITERATIONS, GRAVITY, WEIGHT, PASSIVE, SKIN, HELD, PENALTY, WORST_LINK = range(11)

# Columns of State.link and State.pair.
S_X, S_Y, S_ANGLE, S_VX, S_VY, S_W, S_GROUND_X, S_GROUND_Y, S_LAST_VX, S_LAST_VY, S_LAST_W = range(11)
P_IMPULSE, P_PLACE, P_NORMAL_X, P_NORMAL_Y, P_TICK_X, P_TICK_Y, P_RECORD_X, P_RECORD_Y = range(8)
PAIR_WIDTH = 8

# Entries of State.ledger after those of types.LEDGER: how far any point of the robot has moved since the neighbour lists
# were made, and how far they reach beyond touching [m].
TRAVELLED, LISTED = 5, 6


class Problem(NamedTuple):
    """The contact problem of one step: what does not change in a run, and scratch."""

    number: FloatArray  # (11,): dt [s], flags and tolerances; see the names above
    link: FloatArray  # (n, LINK_WIDTH)
    contact: FloatArray  # (pairs, CONTACT_WIDTH)
    first: IntArray  # (n + 1,): contacts of link i are first[i] .. first[i + 1]


class Surroundings(NamedTuple):
    """The obstacles, and room for new neighbour lists (see State)."""

    disc: FloatArray  # [m], (m, 3): x, y, radius
    grid: Grid
    pair_start: IntArray
    pair_disc: IntArray
    pair: FloatArray


class State(NamedTuple):
    """All that a step depends on: a run from a copy is equal to the bit."""

    clock: IntArray  # (2,): steps done; whether free_flight.start_motion was
    link: FloatArray  # (n, 11): pose, velocity, last friction impulse, velocity one step earlier
    pair_start: IntArray  # (n + 1,): neighbour pairs of link i are pair_start[i] .. pair_start[i + 1]
    pair_disc: IntArray  # (pairs,)
    pair: FloatArray  # (pairs, PAIR_WIDTH): last impulse [N s], place, normal, impulses of the tick and of the record
    sums: FloatArray  # (n, 10): impulses of the tick (contact x, y, ground x, y, joint), the same since the last row
    ledger: FloatArray  # (7,): energy and works [J] as types.LEDGER; TRAVELLED, LISTED


def make_problem(robot: Robot, world: World, servo: Servo, options: PlanarSteppingOptions, pairs: int) -> Problem:
    links = robot.links
    n, dt = len(links), options.dt
    along, across = world.ground.along, world.ground.across
    largest = max(along, across)
    link = np.zeros((n, LINK_WIDTH))
    link[:, HALF] = [part.length / 2 for part in links]
    link[:, MASS] = [part.mass for part in links]
    link[:, INERTIA] = [part.inertia for part in links]
    link[:, AXIS] = [part.half_core for part in links]
    link[:, RADIUS] = [part.radius for part in links]
    link[:, DISC] = largest * link[:, MASS] * world.gravity * dt
    if largest > 0:
        link[:, ALONG], link[:, ACROSS] = along / largest, across / largest
    # Everything as impulses of one step; the limit is finite, so that arithmetic with it stays finite.
    link[1:, SERVO_P], link[1:, SERVO_D] = dt * servo.stiffness, dt * servo.damping
    link[1:, BAND] = dt * 0.5 * servo.stiffness * servo.play
    link[1:, LIMIT] = dt * min(servo.torque_limit, 1e12)
    number = np.zeros(11)
    number[DT] = dt
    number[CONSERVING] = options.scheme == "conserving"
    number[TOLERANCE] = options.tolerance
    number[MAX_ITERATIONS] = options.max_iterations or (200 if options.solver == "newton" else 200_000)
    number[GRAVITY] = world.gravity
    number[WEIGHT] = link[:, MASS].sum() * max(world.gravity, 1e-3)  # a scale for residuals, also without gravity
    number[PASSIVE] = largest * world.gravity > 0 or len(world.obstacles) > 0
    number[SKIN] = SKIN_FRACTION * link[:, RADIUS].max()
    return Problem(number, link, np.zeros((pairs, CONTACT_WIDTH)), np.zeros(n + 1, np.int64))


def make_surroundings(robot: Robot, world: World) -> Surroundings:
    disc = np.array([[d.x, d.y, d.radius] for d in world.obstacles]).reshape(-1, 3)
    boxes = np.column_stack([disc[:, :2] - disc[:, 2:], disc[:, :2] + disc[:, 2:]])
    grid = build_grid(boxes, reach=2 * max(link.half_core + link.radius for link in robot.links))
    # Room for the link-obstacle pairs that the densest spot of the world allows.
    per_link = min(len(disc), SPARE_PAIRS + 4 * int(np.diff(grid.start).max(initial=0)))
    n, pairs = len(robot.links), max(1, len(robot.links) * per_link)
    start, discs = np.zeros(n + 1, np.int64), np.zeros(pairs, np.int64)
    return Surroundings(disc, grid, start, discs, np.zeros((pairs, PAIR_WIDTH)))


def make_state(problem: Problem, pose: Pose) -> State:
    n, pairs = len(problem.link), len(problem.contact)
    link = np.zeros((n, 11))
    link[:, :6] = np.column_stack([pose.position, pose.angle, pose.velocity, pose.rate])
    link[:, S_LAST_VX:] = link[:, S_VX : S_W + 1]
    ledger = np.zeros(7)
    mass, inertia = problem.link[:, MASS], problem.link[:, INERTIA]
    ledger[0] = 0.5 * np.sum(mass * np.sum(pose.velocity**2, axis=1)) + 0.5 * np.sum(inertia * pose.rate**2)
    ledger[LISTED] = -1.0  # nothing listed yet
    return State(
        clock=np.zeros(2, np.int64),
        link=link,
        pair_start=np.zeros(n + 1, np.int64),
        pair_disc=np.zeros(pairs, np.int64),
        pair=np.zeros((pairs, PAIR_WIDTH)),
        sums=np.zeros((n, 10)),
        ledger=ledger,
    )
