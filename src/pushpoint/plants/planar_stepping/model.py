"""From Robot and World to the arrays of the kernels: Params (read only), State (complete), Scratch.

Symbols of P2: n links, mass m_i, inertia Theta_i, half width L_SC, half axis L_GS, obstacle radius L_H.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.geometry.grid import Grid, build_grid
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.robots import Robot, Servo
from pushpoint.types import FloatArray, IntArray, Pose
from pushpoint.worlds import World

SKIN_FRACTION = 0.5  # neighbour lists reach this part of the largest half width beyond touching
SPARE_PAIRS = 16  # per link, before the bound by the world's own density


class Params(NamedTuple):
    """What does not change during a run."""

    dt: float  # [s]
    conserving: bool  # SHAKE-type joint update; else that of P2 (54)-(63), VI-C
    by_projection: bool  # P2's iteration instead of Newton's
    tolerance: float
    max_iterations: int
    gravity: float  # [m/s2]
    weight: float  # [N], of the whole robot
    passive: bool  # ground friction or obstacles are there: energy must not grow
    skin: float  # [m], reach of the neighbour lists beyond touching
    half_length: FloatArray  # [m], (n,)
    mass: FloatArray  # [kg], (n,)
    inertia: FloatArray  # [kg m2], (n,)
    capsule: FloatArray  # [m], (n, 2): half axis, radius
    friction: FloatArray  # (n, 3): disc radius of the friction impulse in one step [N s], scale along, scale across
    servo: FloatArray  # (n - 1, 4): a step's stiffness, damping, half dead band and torque limit, see `joint_impulse`
    disc: FloatArray  # [m], (m, 3): x, y, radius
    grid: Grid


class State(NamedTuple):
    """All that a step depends on: a run from a copy is equal to the bit."""

    clock: IntArray  # (3,): steps done, pairs in the neighbour list, steps since the start of this tick
    travel: FloatArray  # (1,) [m]: bound of any point's motion since the neighbour lists were built
    link: FloatArray  # (n, 6): x, y, angle, v_x, v_y, rate
    friction: FloatArray  # [N s], (n, 2): last friction impulses in scaled link axes (warm start)
    pair_start: IntArray  # (n + 1,): pairs of link i are pair_start[i] .. pair_start[i + 1]
    pair_disc: IntArray  # (pairs,)
    pair: FloatArray  # (pairs, 8): last impulse [N s], place, normal x, y, tick impulse x, y, record impulse x, y
    tick: FloatArray  # (n, 5): impulses of this tick: contact x, y, ground x, y, joint
    record: FloatArray  # (n, 5): the same since the last recorded row
    ledger: FloatArray  # [J], (5,): kinetic energy, and since t = 0 work of servo, friction, contacts, numerics


class Scratch(NamedTuple):
    """Room for one step."""

    pose: FloatArray  # (n, 4): x, y, cos, sin at the middle of the step
    chord: FloatArray  # [m/s], (n, 2): see mechanics.planar_chain.chord_velocity
    new_chord: FloatArray  # [m/s], (n, 2)
    velocity: FloatArray  # (n, 3): at the end of the step
    rate: FloatArray  # [rad/s], (n,)
    ground: FloatArray  # [N s], (n, 4): friction impulse scaled x, y, and multiplier x, y
    block: FloatArray  # (n, 9): see mechanics.planar_chain.sweep
    force: FloatArray  # (n, 3)
    applied: FloatArray  # (n, 3): impulses from ground and contacts on each link
    joint: FloatArray  # (n - 1, 2): stiffness, torque impulse
    torque: FloatArray  # (n - 1,): torque impulse
    drive: FloatArray  # (n - 1, 2): servo impulse at rate zero, feed-forward impulse
    factor: FloatArray  # (n, 4)
    step: FloatArray  # (n, 3): Newton step
    trial: FloatArray  # (n, 3): velocity before the line search
    contact: FloatArray  # (pairs, 6): normal x, y, moment arm, allowed approach speed, multiplier, impulse
    contact_pair: IntArray  # (pairs,): row in State.pair
    contact_start: IntArray  # (n + 1,): contacts of link i
    old_pair: FloatArray  # (pairs, 8)
    old_disc: IntArray  # (pairs,)
    old_start: IntArray  # (n + 1,)
    capsule: FloatArray  # (6,)
    gap: FloatArray  # (4,)
    number: FloatArray  # (4,): results of small kernels
    previous: FloatArray  # (n, 3): velocity at the start of the step
    work: FloatArray  # [J], (5,): energy and work of the step


def make_params(robot: Robot, world: World, servo: Servo, options: PlanarSteppingOptions) -> Params:
    links = robot.links
    n, dt = len(links), options.dt
    mass = np.array([link.mass for link in links])
    half_length = np.array([link.length / 2 for link in links])
    capsule = np.array([[link.half_core, link.radius] for link in links])
    disc = np.array([[d.x, d.y, d.radius] for d in world.obstacles]).reshape(-1, 3)
    along, across = world.ground.along, world.ground.across
    largest = max(along, across)
    scales = (along / largest, across / largest) if largest > 0 else (0.0, 0.0)
    friction = np.column_stack([largest * mass * world.gravity * dt, np.full(n, scales[0]), np.full(n, scales[1])])
    boxes = np.column_stack([disc[:, :2] - disc[:, 2:], disc[:, :2] + disc[:, 2:]])
    default_limit = 200 if options.solver == "newton" else 200_000
    return Params(
        dt=float(dt),
        conserving=options.scheme == "conserving",
        by_projection=options.solver == "projection",
        tolerance=float(options.tolerance),
        max_iterations=int(options.max_iterations or default_limit),
        gravity=float(world.gravity),
        weight=float(mass.sum() * max(world.gravity, 1e-3)),  # a scale for residuals, also without gravity
        passive=bool(largest * world.gravity > 0 or len(disc) > 0),
        skin=float(SKIN_FRACTION * capsule[:, 1].max()),
        half_length=half_length,
        mass=mass,
        inertia=np.array([link.inertia for link in links]),
        capsule=capsule,
        friction=friction,
        servo=np.tile(_servo_row(servo, dt), (n - 1, 1)).reshape(n - 1, 4),
        disc=disc,
        grid=build_grid(boxes, reach=2 * float(capsule.sum(axis=1).max())),
    )


def _servo_row(servo: Servo, dt: float) -> FloatArray:
    """Everything as impulses of one step: stiffness dt, damping dt, half dead band, limit."""
    limit = min(servo.torque_limit, 1e12)  # finite, so that arithmetic with it stays finite
    return np.array([servo.stiffness, servo.damping, 0.5 * servo.stiffness * servo.play, limit]) * dt


def pair_capacity(params: Params) -> int:
    """Room for all link-obstacle pairs that the densest spot of the world allows."""
    per_link = min(len(params.disc), SPARE_PAIRS + int(np.diff(params.grid.start).max(initial=0)) * 4)
    return max(1, len(params.mass) * per_link)


def make_state(params: Params, pose: Pose) -> State:
    n, pairs = len(params.mass), pair_capacity(params)
    link = np.column_stack([pose.position, pose.angle, pose.velocity, pose.rate])
    state = State(
        clock=np.zeros(3, np.int64),
        travel=np.array([np.inf]),  # forces the neighbour lists to be built
        link=np.ascontiguousarray(link, dtype=np.float64),
        friction=np.zeros((n, 2)),
        pair_start=np.zeros(n + 1, np.int64),
        pair_disc=np.zeros(pairs, np.int64),
        pair=np.zeros((pairs, 8)),
        tick=np.zeros((n, 5)),
        record=np.zeros((n, 5)),
        ledger=np.zeros(5),
    )
    state.ledger[0] = kinetic_energy(params, pose)
    return state


def kinetic_energy(params: Params, pose: Pose) -> float:
    return float(
        0.5 * np.sum(params.mass * np.sum(pose.velocity**2, axis=1)) + 0.5 * np.sum(params.inertia * pose.rate**2)
    )


def make_scratch(params: Params) -> Scratch:
    n, pairs = len(params.mass), pair_capacity(params)
    joints = max(n - 1, 0)
    return Scratch(
        pose=np.zeros((n, 4)),
        chord=np.zeros((n, 2)),
        new_chord=np.zeros((n, 2)),
        velocity=np.zeros((n, 3)),
        rate=np.zeros(n),
        ground=np.zeros((n, 4)),
        block=np.zeros((n, 9)),
        force=np.zeros((n, 3)),
        applied=np.zeros((n, 3)),
        joint=np.zeros((joints, 2)),
        torque=np.zeros(joints),
        drive=np.zeros((joints, 2)),
        factor=np.zeros((n, 4)),
        step=np.zeros((n, 3)),
        trial=np.zeros((n, 3)),
        contact=np.zeros((pairs, 6)),
        contact_pair=np.zeros(pairs, np.int64),
        contact_start=np.zeros(n + 1, np.int64),
        old_pair=np.zeros((pairs, 8)),
        old_disc=np.zeros(pairs, np.int64),
        old_start=np.zeros(n + 1, np.int64),
        capsule=np.zeros(6),
        gap=np.zeros(4),
        number=np.zeros(4),
        previous=np.zeros((n, 3)),
        work=np.zeros(5),
    )
