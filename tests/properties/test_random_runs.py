"""Random robots, worlds, gaits and step sizes: finite, laws met, no energy created. The same 300 every time."""

from __future__ import annotations

import numpy as np
import pytest

from pushpoint.mechanics.overlap import overlaps
from pushpoint.mechanics.pose import planar_pose
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.plants.planar_stepping.plant import PlanarStepping
from pushpoint.robots import Link, Robot, Servo
from pushpoint.tape import Tape, new_tape
from pushpoint.types import CommandTable, Pose
from pushpoint.worlds import Disc, Ground, World
from tests.properties.draws import Draw

PERIOD = 0.02  # [s], one control tick; a multiple of every step size below
TICKS = 20


def links(draw: Draw) -> Link:
    length = draw.uniform(0.05, 0.4)
    mass = draw.uniform(0.05, 5.0)
    radius = draw.uniform(0.01, 0.08)
    slender = mass * (length**2 / 12 + radius**2 / 4)
    return Link(length=length, mass=mass, inertia=slender * draw.uniform(0.5, 3.0), radius=radius)


def cases(draw: Draw) -> tuple[Robot, World, Servo, PlanarSteppingOptions, dict[str, float]]:
    robot = Robot(name="random", links=tuple(links(draw) for _ in range(draw.integer(1, 14))))
    discs = tuple(
        Disc(x=draw.uniform(-1.5, 1.5), y=draw.uniform(-1, 1), radius=draw.uniform(0.005, 0.3))
        for _ in range(draw.integer(0, 12))
    )
    ground = Ground(
        friction=draw.one_of([0.0, 0.05, 0.2, 1.0]),
        friction_across=draw.one_of([None, 0.0, 0.5]),
    )
    world = World(name="random", ground=ground, obstacles=discs)
    servo = Servo(
        stiffness=draw.one_of([0.0, 5.0, 100.0, 800.0]),
        damping=draw.one_of([0.0, 0.1, 2.0]),
        torque_limit=draw.one_of([0.5, 5.0, np.inf]),
        play=draw.one_of([0.0, 0.05]),
    )
    options = PlanarSteppingOptions(
        dt=draw.one_of([5e-4, 1e-3, 2e-3, 5e-3, 1e-2]),
        scheme=draw.one_of(["conserving", "conserving", "paper"]),
    )
    gait = {
        "amplitude": draw.uniform(0.0, 0.9),
        "frequency": draw.uniform(0.2, 5.0),
        "shift": draw.uniform(-1.5, 1.5),
        "angle": draw.uniform(-3.0, 3.0),
    }
    return robot, world, servo, options, gait


def commands(joints: int, gait: dict[str, float]) -> CommandTable:
    time = PERIOD * np.arange(TICKS)[:, np.newaxis]
    phase = gait["frequency"] * time + gait["shift"] * np.arange(joints)
    angle = gait["amplitude"] * np.sin(phase)
    rate = gait["amplitude"] * gait["frequency"] * np.cos(phase)
    return CommandTable(angle, rate, np.zeros_like(angle))


def without_overlaps(robot: Robot, world: World, angle: float, table: CommandTable) -> tuple[Pose, World]:
    """The start pose, and the world without the discs that it would overlap."""
    pose = planar_pose(robot, table.joint_angle[0], angle, (0.0, 0.0))
    hit = {obstacle for _, obstacle, _ in overlaps(robot, world, pose)}
    kept = tuple(disc for k, disc in enumerate(world.obstacles) if k not in hit)
    return pose, world.model_copy(update={"obstacles": kept})


def run(plant: PlanarStepping, pose: Pose, table: CommandTable) -> Tape:
    substeps = round(PERIOD / plant.dt)
    tape = new_tape(len(pose.angle), TICKS + 1, TICKS * substeps, 1)
    state = plant.initial_state(pose)
    plant.record_start(state, tape)
    tape, failure = plant.rollout(state, table, substeps, tape)
    assert failure is None, failure
    return tape


@pytest.mark.parametrize("seed", range(300))
def test_random_runs(seed: int) -> None:
    robot, world, law, options, gait = cases(Draw(seed))
    table = commands(len(robot.links) - 1, gait)
    pose, world = without_overlaps(robot, world, gait["angle"], table)
    tape = run(PlanarStepping.build(robot, world, law, options), pose, table)
    assert np.all(np.isfinite(tape.link))
    assert tape.step[:, 0].max() <= 1e-8
    kinetic, servo, friction, contact, numerical = tape.energy[:, 1:].T
    scale = kinetic.max() + np.abs(tape.energy[-1, 2:]).sum() + 1e-12
    assert np.abs(kinetic - kinetic[0] - servo - friction - contact - numerical).max() <= 1e-9 * scale
    acted_on = world.obstacles or max(world.ground.along, world.ground.across) > 0
    if options.scheme == "conserving" and acted_on:
        # What ground, obstacles and the scheme do to the energy never adds to it, but for round-off of the sums and
        # for what the tolerance of the laws leaves to a robot at rest: impulses of weight * dt at 1e-8 of g * dt.
        at_rest = PERIOD / options.dt * 1e-8 * robot.mass * world.gravity**2 * options.dt**2
        assert np.diff(friction + contact + numerical).max() <= 1e-12 * scale + at_rest
    elif options.scheme == "conserving":
        assert np.abs(numerical).max() <= 1e-2 * scale  # free flight: a bounded error of order dt**2
    elif law.stiffness == law.damping == 0:
        assert np.diff(kinetic).max() <= 1e-12 * scale  # P2's scheme projects: without a servo it only loses
