"""From Robot and World to the arrays of the kernels.

Symbols of P2: n links, mass m_i, inertia Theta_i, half width L_SC, half axis L_GS, obstacle radius L_H.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.geometry.grid import Grid, build_grid
from pushpoint.mechanics.features import boxes
from pushpoint.mechanics.planar_chain import CHAIN_FIELDS
from pushpoint.numerics.records import Records, as_records, record_array
from pushpoint.plants.planar_stepping.extended import Contacts
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.robots import Robot, Servo
from pushpoint.types import FloatArray, IntArray, Pose
from pushpoint.worlds import Disc, World

EARTH = 9.81  # [m/s2]
SKIN_FRACTION = 0.5  # neighbour lists reach at least this part of the largest half width beyond touching
# Of links in obstacles: 1 mm up to a dt of 1 ms, rising to 5 mm at 10 ms; a part of it, as the depth in the middle of a
# step is looked at, and links that are deep may creep on.
MOST_DEPTH = 0.7e-3  # [m]
THIN = 0.1  # of half the length: links that are thinner count as if they were that wide
SPARE_PAIRS = 16  # per link, on top of four of the fullest cells of the grid
SELF_PAIRS = 24  # of a link with ends of others, at most

LINK_FIELDS = (
    *CHAIN_FIELDS,
    "old_vx", "old_vy", "old_w",  # velocity at the start of the step
    "predicted_vx", "predicted_vy", "predicted_w",  # velocity at its end, as it was when contacts were detected
    "axis", "radius",  # [m], of the capsule: half its axis, half its width
    "disc", "along", "across",  # friction: radius of its disc [N s], scales along and across the link
    "ground_x", "ground_y", "ground_guess_x", "ground_guess_y",  # [N s], see ground: impulse, multiplier
    "applied_x", "applied_y", "applied_w",  # [N s], [N m s], from ground and contacts
    "servo_p", "servo_d", "band", "limit",  # of the joint, as impulses of one step
    "drive", "feed",  # [N m s], of the joint: servo impulse at rate zero; feed-forward
)  # fmt: skip
# `approach`: speed [m/s] at which the gap may close; `guess`: multiplier; `pair`: row in State.pair; `passing`: see
# detection.pass_on.
CONTACT_FIELDS = (
    "normal_x", "normal_y", "arm", "approach", "guess", "impulse", "pair", "passing",
    # Of extended contacts: link; movable obstacle or other link as a row of Problem.link, or -1, and the arm of the
    # normal about it; friction: coefficient, largest impulse, arms about both partners, impulse, multiplier; tangents.
    "owner", "other", "arm_other", "mu", "limit", "arm_t", "lever", "impulse_t", "guess_t", "stiff", "stiff_t",
    "slip",  # mu with the sign of friction where that slides and follows the normal impulse, else 0
    "first_guess", "first_guess_t",  # multipliers before the first sweep, see first_guess
    "last_limit", "last_change",  # of the iteration before: the largest impulse of friction, or -1, and how it changed
)  # fmt: skip
BODY_FIELDS = (
    "x", "y", "angle", "vx", "vy", "w",
    "ground_x", "ground_y",  # [N s], last friction impulse
    "last_vx", "last_vy", "last_w",  # velocity one step earlier
    "cos", "sin",  # of the angle; of links from the first step on
    "spin", "stop",  # [N m s], last friction torque, last impulse of a stop
)  # fmt: skip
PAIR_FIELDS = (
    "impulse", "tangential",  # [N s], of the last step: along the normal, and to the left of it
    "place", "normal_x", "normal_y", "point_x", "point_y",  # [m] along the link, normal, contact point [m]
    "tick_x", "tick_y", "record_x", "record_y",  # [N s], impulses on the link in the tick and since the last row
    "slip", "landing", "impact",  # whether it slid, or landed, in the last step; impacts since the last row [N s]
)  # fmt: skip

NUMBER_FIELDS = (
    "dt", "conserving", "tolerance", "max_iterations", "gravity", "weight", "passive", "skin",  # of the run
    "held", "penalty", "worst_link", "speed", "centre_x", "centre_y", "accepted",  # of the step
    "room",  # how much farther than predicted the robot may move before contacts have to be detected again [m]
    "stretch", "step_error",  # length of the step over that of the last; error that adaptive steps may make [m]
    "nominal", "thickness", "depth",  # dt of the run [s]; see `sanity`: of links and obstacles [m], of penetration [m]
    "accept", "limits_fixed",  # flags: on_failure is "accept"; limits of friction are not renewed, see friction_limits
    "lag",  # of the solve: largest error of the limits of friction, as a residual
    "laid",  # [s], the dt that the extended ground was laid for; 0: for none
    "follows", "uneven",  # flags: limits of friction follow the normal impulses; some contact slides with such a limit
    "reach", "guard", "reasons",  # of the step: farthest that a point moves [m], work of the guard [J], types.Repeated
    "sunk",  # flag: a link is too deep in an obstacle in the middle of the step
    "safe_turn", "safe_bend", "spread",  # see mechanics.self_contact [rad]; speed of any point over `speed`, doubled
    "self_contact",  # flag: links may touch each other in this step
    "finest", "pushing",  # how often a step may be halved; flag: links are pushed out of obstacles
)  # fmt: skip
BEGINS, LEAVES = 1.0, -1.0  # values of `passing`
END_AXIS, END_TAIL, END_HEAD = 0, 1, 2  # what of a link touches: anything, or the round end at its tail or head
OBSTACLE, BODY = 9, 10  # columns of a feature: index in World.obstacles, number of the movable obstacle
# Entries of State.ledger after those of types.LEDGER: how far any point of the robot has moved since the neighbour
# lists were made, how far they reach beyond touching, and how far links may move before they could touch others [m].
TRAVELLED, LISTED, CLEARANCE = 5, 6, 7


class Problem(NamedTuple):
    """The contact problem of one step: what does not change in a run, and scratch."""

    number: Records  # (1,): NUMBER_FIELDS
    link: Records  # (rows,): LINK_FIELDS; first the n links, then the movable obstacles
    chain: Records  # (n,): the links among them, in the same memory
    contact: Records  # (pairs,): CONTACT_FIELDS
    first: IntArray  # (rows + 1,): contacts of row i are first[i] .. first[i + 1]


class Surroundings(NamedTuple):
    """The obstacles, and room for new neighbour lists (see State)."""

    disc: FloatArray  # [m], (m, 3): x, y, radius; where contacts are basic
    grid: Grid  # of the discs; else of all fixed features
    pair_start: IntArray
    pair_code: IntArray
    pair: Records


class State(NamedTuple):
    """All that a step depends on: a run from a copy is equal to the bit."""

    # (4,): steps done; whether free_flight.start_motion was; level of the last part, see parts; whether links may touch
    # each other now, see plant
    clock: IntArray
    link: Records  # (rows,): BODY_FIELDS
    pair_start: IntArray  # (rows + 1,): neighbour pairs of link i are pair_start[i] .. pair_start[i + 1]
    pair_code: IntArray  # (pairs,): the disc; or 3 * feature + END_...
    pair: Records  # (pairs,): PAIR_FIELDS
    sums: FloatArray  # (rows, 10): impulses of the last tick (contact x, y, ground x, y, joint), and since the last
    # recorded row; where no row was due, the tick's are among these
    through: IntArray  # (n, n): 1 for pairs of links that overlapped from the start and pass through, see touching
    ledger: FloatArray  # (8,): energy and works [J] as types.LEDGER; TRAVELLED, LISTED, CLEARANCE


def make_problem(robot: Robot, world: World, servo: Servo, options: PlanarSteppingOptions, pairs: int) -> Problem:
    n, dt, gravity = len(robot.links), options.dt, world.gravity
    movable = world.movable_discs
    link = record_array(n + len(movable), LINK_FIELDS)
    for row, part in zip(link, robot.links, strict=False):
        row.half, row.per_length, row.mass, row.inertia = part.length / 2, 1 / part.length, part.mass, part.inertia
        row.axis, row.radius = part.half_core, part.radius
    for row, disc in zip(link[n:], movable, strict=True):
        mass = disc.mass or 0.0  # it has one, or it would not be movable
        row.half = row.radius = disc.radius
        row.mass, row.inertia = mass, 0.5 * mass * disc.radius**2
        row.disc, row.along, row.across = disc.ground_friction * mass * gravity * dt, 1.0, 1.0
    chain = link[:n]
    set_ground(chain, world, dt)
    set_servos(chain, robot, servo, dt)
    numbers = record_array(1, NUMBER_FIELDS)
    number = numbers[0]
    number.dt = number.nominal = dt
    number.thickness, number.depth = thickness(robot, world), MOST_DEPTH * (1.0 + 4.0 * max(0.0, dt - 1e-3) / 9e-3)
    number.pushing = 1.0
    number.finest = options.max_parts.bit_length() - 1
    number.accept = options.on_failure == "accept"
    number.conserving = options.scheme == "conserving"
    number.tolerance = number.accepted = options.tolerance
    number.max_iterations = options.max_iterations or (200 if options.solver == "newton" else 200_000)
    number.gravity = gravity
    number.weight = chain["mass"].sum() * max(gravity, EARTH)  # a scale for residuals, also in space
    number.passive = bool(link["disc"].any() or len(world.obstacles) > 0 or not world.is_basic)
    number.stretch, number.step_error = 1.0, options.step_error or 0.0
    number.safe_turn = number.safe_bend = np.inf
    number.spread = 2.0 * (1.0 + float(((chain["axis"] + chain["radius"]) / chain["half"]).max()))
    number.skin = SKIN_FRACTION * max(chain["radius"].max(), THIN * chain["half"].max())
    return Problem(numbers, link, chain, record_array(pairs, CONTACT_FIELDS), np.zeros(len(link) + 1, np.int64))


def thickness(robot: Robot, world: World) -> float:
    """How far a link may move before it could come out on the other side of an obstacle [m]."""
    link = min(part.radius for part in robot.links)
    walls = any(not isinstance(obstacle, Disc) for obstacle in world.obstacles)
    return link if walls else link + min((disc.radius for disc in world.discs), default=1.0)


def set_ground(chain: Records, world: World, dt: float) -> None:
    """P2's friction; extended ground is laid anew in every step."""
    along, across = world.ground.along, world.ground.across
    largest = max(along, across)
    chain["disc"] = largest * chain["mass"] * world.gravity * dt
    if largest > 0:
        chain["along"], chain["across"] = along / largest, across / largest


def set_servos(chain: Records, robot: Robot, servo: Servo, dt: float) -> None:
    chain["servo_p"], chain["servo_d"] = dt * servo.stiffness, dt * servo.damping
    chain["band"] = dt * 0.5 * servo.stiffness * servo.play
    chain["limit"] = dt * min(servo.torque_limit, 1e12)  # finite, so that arithmetic with it stays finite
    for row, joint in zip(chain[1:], robot.joints, strict=False):
        if not joint.actuated:
            row.limit = 0.0


def make_surroundings(robot: Robot, world: World, contacts: Contacts | None) -> Surroundings:
    disc = np.zeros((0, 3))
    if contacts is None:
        disc = np.array([[d.x, d.y, d.radius] for d in world.discs]).reshape(-1, 3)
        box, pairs_each = np.column_stack([disc[:, :2] - disc[:, 2:], disc[:, :2] + disc[:, 2:]]), 1
    else:
        box, pairs_each = boxes(contacts.feature), 2
    fixed = np.arange(len(box)) if contacts is None else np.flatnonzero(contacts.feature[:, BODY] < 0)
    grid = build_grid(box[fixed], reach=2 * max(link.half_core + link.radius for link in robot.links))
    grid = grid._replace(item=fixed[grid.item])
    # Room for the link-obstacle pairs that the densest spot of the world allows.
    per_row = min(len(fixed), SPARE_PAIRS + 4 * int(np.diff(grid.start).max(initial=0))) * pairs_each
    rows = len(robot.links) + len(world.movable)
    own = min(SELF_PAIRS, 2 * len(robot.links)) if contacts is not None else 0
    pairs = max(1, rows * (per_row + own + len(world.movable)))
    _refuse_crowds(rows, pairs)
    start, codes = np.zeros(rows + 1, np.int64), np.zeros(pairs, np.int64)
    return Surroundings(disc, grid, start, codes, record_array(pairs, PAIR_FIELDS))


def _refuse_crowds(rows: int, pairs: int) -> None:
    """More pairs of links and obstacles than fit into memory, before any of it is asked for."""
    needed = 8 * pairs * (1 + 2 * len(PAIR_FIELDS) + len(CONTACT_FIELDS))
    if needed > limits.PAIR_BYTES:
        raise InvalidInput(
            f"world.obstacles: at the densest spot {pairs // rows} may be near each of {rows} links and movable "
            f"obstacles, {needed / 1e9:.3g} GB of pairs; should be {limits.PAIR_BYTES / 1e9:.3g} GB at most"
        )


def moves(pose: Pose) -> bool:
    """Whether any velocity is not zero. Short runs start often: NumPy's own tests take longer than the rest."""
    return bool((pose.velocity.tobytes() + pose.rate.tobytes()).strip(b"\0"))


def make_state(problem: Problem, pose: Pose, movable: Sequence[Disc], pairs: int, self_contact: bool) -> State:
    n, rows = len(problem.chain), len(problem.link)
    start, ledger = np.zeros((rows, len(BODY_FIELDS))), np.zeros(8)
    link = as_records(start, BODY_FIELDS)
    start[:n, 0:2], start[:n, 2] = pose.position, pose.angle
    if movable:
        for row, disc in zip(link[n:], movable, strict=True):
            row.x, row.y, row.cos = disc.x, disc.y, 1.0
    if moves(pose):
        start[:n, 3:5], start[:n, 5] = pose.velocity, pose.rate
        start[:n, 8:11] = start[:n, 3:6]  # as if the step before had changed nothing
        mass, inertia = problem.chain["mass"], problem.chain["inertia"]
        ledger[0] = 0.5 * ((mass @ pose.velocity**2).sum() + inertia @ pose.rate**2)
    ledger[LISTED] = -1.0  # nothing listed yet
    return State(
        clock=np.zeros(4, np.int64),
        link=link,
        pair_start=np.zeros(rows + 1, np.int64),
        pair_code=np.zeros(pairs, np.int64),
        pair=record_array(pairs, PAIR_FIELDS),
        sums=np.zeros((rows, 10)),
        through=np.zeros((n, n) if self_contact else (0, 0), np.int64),
        ledger=ledger,
    )
