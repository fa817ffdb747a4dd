"""The MuJoCo plant in space against closed forms and the kinematics of the package.

Every tolerance names the margin that was measured when it was set.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from pushpoint.errors import InvalidInput
from pushpoint.geometry.rotation import about_axis, matrices
from pushpoint.mechanics.put_down import put_down
from pushpoint.mechanics.spatial_pose import Attitude, bent, lifted, moving_in_space, spatial_pose
from pushpoint.plants import plants
from pushpoint.recording import Recording
from pushpoint.recording.assemble import RunClock, contact_set, data_set
from pushpoint.robots import Joint, Link, Robot, Servo, robots
from pushpoint.scenario import Scenario
from pushpoint.simulation import simulate
from pushpoint.tape import Tape, new_tape
from pushpoint.types import Command, CommandTable, FloatArray, SpatialPose, Status
from pushpoint.worlds import Box, Cylinder, Disc, Ground, Heightfield, Polygon, Profile, Wall, World
from tests.ticks import advance, observe

pytest.importorskip("mujoco", reason="the plant's engine is an extra: pip install 'pushpoint[mujoco]'")

from pushpoint.plants.mujoco.fast import fast_rollout  # not without MuJoCo

G = 9.81
TICK = 0.01  # [s]
KINEMATICS = 1e-9  # [m], [m/s] and of unit quaternions; measured 1e-15
SUNK = 1e-5  # [m], how far soft contacts yield under the weight; measured below 4e-6
CREPT = 1e-4  # [m], how far soft friction yields in 0.5 s; measured below 4e-5
RADIUS = 0.05  # [m]
ROD = Link(length=0.1, mass=0.5, inertia=1e-3, inertia_roll=4e-4, radius=RADIUS, core=0.06)
BLOCK = Robot(name="block", links=(ROD,))
PLANE = World(name="plane", ground=Ground(friction=0.2))


def build(robot: Robot, world: World, servo: Servo | None = None, **options: object) -> Any:
    model = plants["mujoco"]
    return model.build(robot, world, servo or robot.servo, model.Options(**{"dimensions": 3, **options}))


def run(plant: Any, state: Any, table: CommandTable, ticks_per_row: int = 1) -> Tape:
    ticks, substeps = len(table.joint_angle), round(TICK / plant.dt)
    tape = new_tape(len(state.link), ticks + 1, ticks * substeps, ticks_per_row, dimensions=3)
    tape = tape._replace(extra=np.zeros((ticks + 1, 1)))
    plant.record_start(state, tape)
    tape, failure = plant.rollout(state, table, substeps, tape)
    assert failure is None
    return tape


def idle(ticks: int, freedoms: int) -> CommandTable:
    return CommandTable(*(np.zeros((ticks, freedoms)) for _ in CommandTable._fields))


def lying(position: tuple[float, float, float], attitude: Attitude | None = None) -> SpatialPose:
    return spatial_pose(BLOCK, np.zeros(0), attitude or Attitude(), position)


def snake() -> Robot:
    """The robot of P5, with cardan joints."""
    link = Link(length=0.122, mass=7.5 / 11, inertia=9.63e-4, inertia_roll=2.35e-4, radius=0.0525, core=0.0393)
    servo = Servo(stiffness=40, damping=0.2, pitch_stiffness=800, pitch_damping=0.2)
    return Robot(name="cardan", links=(link,) * 11, joints=(Joint(axes="pitch-yaw"),) * 10, servo=servo)


def sidewinding(ticks: int) -> CommandTable:
    """P5's gait, counted from the tail: each axis starts when its reference first is within 3 degrees of zero."""
    yaw, pitch, frequency, offset, lead = np.radians([30.0, 10.0, 80.0, -50.0, 90.0])
    phase = frequency * TICK * np.arange(ticks)[:, np.newaxis] + (9 - np.arange(10)) * offset
    angle, rate = np.empty((ticks, 20)), np.empty((ticks, 20))
    angle[:, 0::2], rate[:, 0::2] = pitch * np.sin(phase + lead), pitch * frequency * np.cos(phase + lead)
    angle[:, 1::2], rate[:, 1::2] = -yaw * np.sin(phase), -yaw * frequency * np.cos(phase)
    begun = np.logical_or.accumulate(np.abs(angle) <= math.radians(3.0), axis=0)
    return CommandTable(angle * begun, rate * begun, np.zeros_like(angle))


def on_the_ground(robot: Robot, world: World = PLANE) -> SpatialPose:
    return put_down(robot, world, spatial_pose(robot, np.zeros(len(robot.freedoms)), Attitude(), (0, 0, 0), 5), 0.0)


LENGTHS = (0.1, 0.2, 0.15, 0.12, 0.3, 0.1)  # [m]
MIXED = Robot(
    name="mixed",
    links=tuple(
        Link(length=length, mass=1.0, inertia=1e-3, radius=0.04) for length in (0.1, 0.2, 0.15, 0.12, 0.3, 0.1)
    ),
    joints=tuple(Joint(axes=axes) for axes in ("yaw", "pitch", "yaw-pitch", "pitch-yaw", "yaw-pitch")),
)


@pytest.mark.parametrize("links", [1, 2, 3, 6])
def test_kinematics_are_those_of_the_package(links: int) -> None:
    """Positions, orientations and velocities of robots with all kinds of joints."""
    robot = MIXED.model_copy(update={"links": MIXED.links[:links], "joints": MIXED.joints[: links - 1]})
    rng = np.random.default_rng(links)
    angle, rate = rng.uniform(-1, 1, (2, len(robot.freedoms)))
    pose = spatial_pose(robot, angle, Attitude(0.3, -0.4, 1.2), (0.5, -0.2, 2.0))
    pose = moving_in_space(robot, pose, rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3), rate)
    plant = build(robot, PLANE)
    state = plant.initial_state(pose)
    chain, turned = bent(robot, angle), matrices(pose.orientation[0])
    assert state.link[:, :3] == pytest.approx(pose.position[0] + chain.centre @ turned.T, abs=KINEMATICS)
    assert matrices(state.link[:, 3:7]) == pytest.approx(turned @ chain.rotation, abs=KINEMATICS)
    assert state.link[:, 7:10] == pytest.approx(pose.velocity, abs=KINEMATICS)
    assert state.link[:, 10:13] == pytest.approx(pose.rate, abs=KINEMATICS)
    seen = observe(plant, state, TICK)
    assert seen.joint_angle == pytest.approx(angle, abs=KINEMATICS)
    assert seen.joint_rate == pytest.approx(rate, abs=KINEMATICS)


def test_free_fall() -> None:
    """v = g t; the ledger books what gravity does, and nothing is left over."""
    pose = spatial_pose(MIXED, np.full(len(MIXED.freedoms), 0.3), Attitude(), (0, 0, 100))
    leaning = World(name="slope", down=(1, 0, -2))
    plant = build(MIXED, leaning)
    tape = run(plant, plant.initial_state(pose), idle(20, len(MIXED.freedoms)))
    speed = G * 0.2 * np.array([1, 0, -2]) / math.sqrt(5)
    assert tape.link[-1, :, 7:10] == pytest.approx(np.tile(speed, (6, 1)), abs=1e-9)  # measured 1e-13
    energy = 0.5 * MIXED.mass * (G * 0.2) ** 2
    assert tape.energy[-1, 1] == pytest.approx(energy, rel=1e-9)
    assert tape.extra[-1, 0] == pytest.approx(energy, rel=1e-9)
    assert abs(tape.energy[-1, 5]) < 1e-9 * energy


def test_spinning_chain_keeps_its_momenta() -> None:
    world = World(name="nowhere", gravity=0.0)
    momenta = []
    for dt in (1e-3, 5e-4):
        angle, rate = np.random.default_rng(5).uniform(-0.5, 0.5, (2, len(MIXED.freedoms)))
        pose = spatial_pose(MIXED, angle, Attitude(), (0, 0, 10))
        pose = moving_in_space(MIXED, pose, np.array([0.1, 0.2, 0.3]), np.array([0.5, 1.0, -0.7]), rate)
        plant = build(MIXED, world, Servo(stiffness=10.0, damping=0.1), dt=dt)
        tape = run(plant, plant.initial_state(pose), idle(50, len(angle)))
        momenta.append([spin_of(MIXED, link) for link in tape.link[[0, -1]]])
    drift = [np.linalg.norm(after - before) for before, after in momenta]
    assert drift[1] < 0.01 * np.linalg.norm(momenta[1][0])
    assert drift[1] < 0.7 * drift[0]  # half the step, half the drift


def spin_of(robot: Robot, link: FloatArray) -> FloatArray:
    """Angular momentum [kg m2/s] about the centre of mass."""
    mass = np.array([part.mass for part in robot.links])
    moments = np.array([[part.about_roll, part.about_pitch, part.inertia] for part in robot.links])
    rotation = matrices(link[:, 3:7])
    own = np.einsum("iab,ib->ia", rotation, moments * np.einsum("iba,ib->ia", rotation, link[:, 10:13]))
    arm = link[:, :3] - mass @ link[:, :3] / mass.sum()
    return np.asarray(own.sum(axis=0) + mass @ np.cross(arm, link[:, 7:10]))


STAIRS = Profile(points=((0, 0), (1, 0), (1, 0.2), (2, 0.2), (2, 0.4), (3, 0.4)))
HILL = Heightfield(x=-1, y=-1, spacing=0.5, heights=((0,) * 5, *((0, 0.2, 0.2, 0.2, 0),) * 3, (0,) * 5))
SQUARE = ((-1, -1), (1, -1), (1, 1), (-1, 1))
PLACES = {
    "plane": (World(name="w"), (0.0, 0.0, RADIUS)),
    "box": (World(name="w", obstacles=(Box(centre=(0, 0, 0.1), size=(1, 1, 0.2), friction=0.5),)), (0.1, 0.1, 0.25)),
    "polygon": (World(name="w", obstacles=(Polygon(points=SQUARE, height=0.2, friction=0.5),)), (0.1, 0.1, 0.25)),
    "disc": (World(name="w", obstacles=(Disc(x=0, y=0, radius=0.5, height=0.2, friction=0.5),)), (0.1, 0.1, 0.25)),
    "tread": (World(name="w", terrain=STAIRS), (1.5, 0.0, 0.25)),
    "landing": (World(name="w", terrain=STAIRS), (7.0, 2.0, 0.45)),
    "hill": (World(name="w", terrain=HILL), (0.05, 0.1, 0.25)),
    "before the hill": (World(name="w", terrain=HILL), (-3.0, 0.0, RADIUS)),
}


@pytest.mark.parametrize("name", PLACES)
def test_rod_rests_on_what_is_level(name: str) -> None:
    """For half a second, carried with its weight."""
    world, place = PLACES[name]
    plant = build(BLOCK, world)
    tape = run(plant, plant.initial_state(lying(place, Attitude(heading=0.4))), idle(50, 0))
    assert tape.link[-1, 0, 2] == pytest.approx(place[2], abs=SUNK)
    assert tape.link[-1, 0, :2] == pytest.approx(place[:2], abs=CREPT)
    assert np.abs(tape.link[-1, 0, 7:13]).max() < 1e-4  # [m/s], [rad/s]
    obstacle, ground = tape.link[-1, 0, 13:16], tape.link[-1, 0, 16:19]
    assert obstacle + ground == pytest.approx([0, 0, BLOCK.mass * G], abs=1e-3 * BLOCK.mass * G)
    assert np.any(obstacle) == bool(world.obstacles)
    rows = tape.contact[: tape.cursor[0].contact]
    assert (len(rows) > 0) == (bool(world.obstacles) or name in ("tread", "landing", "hill"))
    assert np.all(rows[:, 2] == (0 if world.obstacles else -1))
    assert rows[:, 7:10] == pytest.approx(np.tile([0.0, 0.0, 1.0], (len(rows), 1)), abs=1e-3)
    assert rows[:, 10:13].sum(axis=0) == pytest.approx(
        tape.link[1:, 0, 13:19].reshape(-1, 2, 3).sum(axis=(0, 1)) if len(rows) else np.zeros(3), abs=1e-9
    )


SLOPE = math.radians(8.0)  # below the friction angle of 11.3 degrees
RAMP = Profile(points=((0, 0), (2, 2 * math.tan(SLOPE)), (3, 0)))
ACROSS = math.pi / 2


@pytest.mark.parametrize("kind", ["down", "ramp", "box"])
def test_rod_sticks_to_a_slope_below_the_friction_angle(kind: str) -> None:
    """Pointing uphill; across it would roll."""
    up = np.array([math.cos(SLOPE), 0.0, math.sin(SLOPE)])
    if kind == "down":
        world = World(name="w", down=(-math.sin(SLOPE), 0, -math.cos(SLOPE)))
        pose = lying((0, 0, RADIUS))
        up = np.array([1.0, 0.0, 0.0])
    elif kind == "ramp":
        world = World(name="w", terrain=RAMP)
        off = RADIUS * np.array([-math.sin(SLOPE), 0, math.cos(SLOPE)])
        pose = lying(tuple(np.array([1, 0, math.tan(SLOPE)]) + off), Attitude(pitch=-SLOPE))
    else:
        turned = about_axis(np.array([0.0, 1.0, 0.0]), -SLOPE)
        top = Box(centre=(0, 0, 1), size=(1, 1, 0.2), pitch=-SLOPE, friction=0.2)
        world = World(name="w", obstacles=(top,))
        pose = lying(tuple(np.array([0, 0, 1]) + turned @ [0, 0, 0.1 + RADIUS]), Attitude(pitch=-SLOPE))
    plant = build(BLOCK, world)
    tape = run(plant, plant.initial_state(pose), idle(50, 0))
    moved = tape.link[-1, 0, :3] - pose.position[0]
    assert abs(moved @ up) < CREPT
    assert np.linalg.norm(moved - (moved @ up) * up) < SUNK
    weight = tape.link[-1, 0, 13:16] + tape.link[-1, 0, 16:19]
    assert weight == pytest.approx(-BLOCK.mass * G * np.array(world.down) / np.linalg.norm(world.down), abs=1e-2)


@pytest.mark.parametrize(("heading", "friction"), [(0.0, 0.2), (0.7, 0.2), (ACROSS, 0.5), (0.7 + ACROSS, 0.5)])
def test_friction_along_and_across_is_that_of_the_link(heading: float, friction: float) -> None:
    """It slides with 1 m/s along a line: v**2 / (2 mu g). A rod across is square, lest it roll."""
    link = ROD.model_copy(update={"shape": "square"})
    robot = Robot(name="block", links=(link,))
    plant = build(robot, World(name="w", ground=Ground(friction=0.2, friction_across=0.5)), dt=5e-4)
    line = np.array([math.cos(0.7), math.sin(0.7), 0.0]) if heading not in (0.0, ACROSS) else np.array([1.0, 0, 0])
    pose = spatial_pose(robot, np.zeros(0), Attitude(heading=heading), (0, 0, RADIUS))
    pose = moving_in_space(robot, pose, line, np.zeros(3), np.zeros(0))
    tape = run(plant, plant.initial_state(pose), idle(80, 0))
    assert tape.link[-1, 0, :3] @ line == pytest.approx(1.0 / (2 * friction * G), rel=0.01)
    assert np.linalg.norm(np.cross([*tape.link[-1, 0, :2], 0.0], line)) < 1e-3
    assert tape.energy[-1, 3] == pytest.approx(-0.5 * robot.mass, rel=0.01)


def test_rolling_friction_stops_a_rolling_rod() -> None:
    """Rolling at 0.5 m/s, a moment of rolling * radius * m g slows it; it stops after v**2 (m + I/r**2) / (2 rho m g).
    Below the sliding limit friction keeps it rolling."""
    rolling = 0.05
    plant = build(BLOCK, World(name="w", ground=Ground(friction=0.5, rolling=rolling)), dt=5e-4)
    assert plant.dimensions == 3
    pose = moving_in_space(
        BLOCK, lying((0, 0, RADIUS)), np.array([0, 0.5, 0]), np.array([-0.5 / RADIUS, 0, 0]), np.zeros(0)
    )
    tape = run(plant, plant.initial_state(pose), idle(150, 0))
    inert = BLOCK.mass + ROD.about_roll / RADIUS**2
    assert tape.link[-1, 0, 1] == pytest.approx(0.25 * inert / (2 * rolling * BLOCK.mass * G), rel=0.02)
    assert abs(tape.link[-1, 0, 8]) < 1e-4


@pytest.mark.parametrize(
    "obstacle",
    [
        Disc(x=0.3, y=0, radius=0.1),
        Disc(x=0.3, y=0, radius=0.1, height=0.5),
        Wall(points=((0.2, -1), (0.2, 1))),
        Polygon(points=((0.2, -1), (0.5, -1), (0.5, 1), (0.2, 1))),
        Cylinder(start=(0.3, -1, RADIUS), end=(0.3, 1, RADIUS), radius=0.1),
        Box(centre=(0.7, 0, 0), size=(1, 1, 1)),
    ],
    ids=lambda obstacle: f"{obstacle.kind} {getattr(obstacle, 'height', None)}",
)
def test_push_of_an_obstacle_is_mass_times_acceleration(obstacle: Any) -> None:
    """A rod slides head first against something at x = 0.2 and stops there."""
    plant = build(BLOCK, World(name="w", ground=Ground(friction=0.0), obstacles=(obstacle,)))
    pose = moving_in_space(BLOCK, lying((0, 0, RADIUS)), np.array([1.0, 0, 0]), np.zeros(3), np.zeros(0))
    tape = run(plant, plant.initial_state(pose), idle(30, 0))
    assert tape.link[-1, 0, 0] == pytest.approx(0.2 - RADIUS - 0.06, abs=0.01)  # thrown back with up to 4 %
    change = BLOCK.mass * np.diff(tape.link[:, 0, 7], axis=0)
    assert change.min() < -0.4  # [N s], it did hit
    assert tape.link[1:, 0, 13] * TICK == pytest.approx(change, abs=1e-6)
    rows = tape.contact[: tape.cursor[0].contact]
    assert rows[:, 10].sum() == pytest.approx(tape.link[1:, 0, 13].sum())
    assert rows[:, 7] == pytest.approx(-1.0, abs=1e-3)  # normals point from the obstacle to the rod
    assert rows[:, 3] == pytest.approx(0.06)
    assert rows[0, 4] == pytest.approx(0.2, abs=2e-3)


def test_height_field_is_not_mirrored() -> None:
    """One high point off the middle: a ball above it rests higher than elsewhere."""
    heights = np.zeros((6, 5))
    heights[1:3, 3] = 0.3
    field = Heightfield(x=0, y=0, spacing=0.2, heights=tuple(map(tuple, heights.tolist())))
    ball = Robot(name="ball", links=(Link(length=0.01, mass=0.5, inertia=1e-3, radius=0.05, core=0.0),))
    plant = build(ball, World(name="w", terrain=field))
    touching = {}
    for x, y in ((0.6, 0.3), (0.3, 0.6), (0.2, 0.7)):
        pose = lifted(spatial_pose(ball, np.zeros(0), Attitude(), (x, y, 0)), 0.3499)
        state = plant.initial_state(pose)
        run(plant, state, idle(1, 0))
        touching[x, y] = bool(state.pairs)
    assert touching == {(0.6, 0.3): True, (0.3, 0.6): False, (0.2, 0.7): False}


def test_joint_with_spring_damper_motor_and_stops() -> None:
    """Two equal links in free space: (I / 2 + armature) a = -k (phi - 0.1) - d rate, until the stop."""
    joint = Joint(axes="pitch", actuated=False, stiffness=2.0, angle=0.1, damping=0.005, armature=1e-3, lower=-0.15)
    robot = Robot(name="pair", links=(ROD,) * 2, joints=(joint,), servo=Servo(stiffness=100.0, damping=1.0))
    plant = build(robot, World(name="nowhere", gravity=0.0), dt=2e-4)
    state = plant.initial_state(spatial_pose(robot, np.array([0.5]), Attitude(), (0, 0, 5)))
    tape = run(plant, state, idle(40, 1))
    angle = np.array([bend_of(link) for link in tape.link])
    assert angle.min() == pytest.approx(-0.15, abs=5e-3)  # of the rows, every 10 ms; measured 3e-3
    # Bent links also draw their centres together, which adds to the inertia: little, at these angles.
    inertia, half = ROD.about_pitch / 2 + 1e-3, 0.005 / 2
    decay, frequency = half / inertia, math.sqrt(2.0 / inertia - (half / inertia) ** 2)
    t = TICK * np.arange(6)
    swing = 0.4 * np.exp(-decay * t) * (np.cos(frequency * t) + decay / frequency * np.sin(frequency * t))
    assert angle[:6] == pytest.approx(0.1 + swing, abs=0.02)
    # All that turns the link goes through its joint: torque, and the force in it times its small arm.
    spun = ROD.about_pitch * np.diff(tape.link[:, 1, 11])
    assert tape.link[1:, 1, 19] * TICK == pytest.approx(spun, abs=0.05 * np.abs(spun).max())


def bend_of(link: FloatArray) -> float:
    """The angle of a pitch joint between two links [rad]."""
    tail, head = matrices(link[:, 3:7])
    relative = tail.T @ head
    return math.atan2(relative[0, 2], relative[2, 2])


def test_saturated_servo_gives_its_limit() -> None:
    robot = Robot(name="pair", links=(ROD,) * 2, joints=(Joint(axes="yaw-pitch"),))
    plant = build(robot, World(name="nowhere", gravity=0.0), Servo(stiffness=80.0, damping=0.5, torque_limit=0.5))
    state = plant.initial_state(spatial_pose(robot, np.zeros(2), Attitude(), (0, 0, 5)))
    assert advance(plant, state, Command(np.array([0.0, 1.0]), np.zeros(2), np.zeros(2)), 5) is None
    seen = observe(plant, state, 5 * plant.dt)
    assert seen.joint_torque == pytest.approx([0.0, 0.5], abs=1e-9)
    assert seen.joint_rate == pytest.approx([0.0, 2 * 0.5 / ROD.about_pitch * 5 * plant.dt], rel=1e-2)


def test_links_meet_each_other_only_if_asked() -> None:
    """A chain bent into a ring: with self-contact its ends push each other apart."""
    robot = Robot(name="ring", links=(ROD,) * 7, servo=Servo(stiffness=5.0, damping=0.1))
    world = World(name="nowhere", gravity=0.0)
    gap = []
    for meets in (False, True):
        plant = build(robot, world, self_contact=meets)
        angle = np.full(6, math.radians(50))
        state = plant.initial_state(spatial_pose(robot, angle, Attitude(), (0, 0, 5)))
        bend = CommandTable(np.full((30, 6), math.radians(60)), np.zeros((30, 6)), np.zeros((30, 6)))
        link = run(plant, state, bend).link
        assert np.abs(link[1:, :, 13:16].sum(axis=1)).max() < 1e-9  # internal
        gap.append(np.linalg.norm(link[-1, 0, :3] - link[-1, -1, :3]))
    assert gap[1] > gap[0] + 0.01


def test_sidewinding_goes_sideways() -> None:
    """P5: 1.316 m sideways and 0.04 m along in 15 s (a model with hard contacts, converged)."""
    robot, table = snake(), sidewinding(1500)
    plant = build(robot, PLANE, dt=2e-3)
    path = fast_rollout(plant, plant.initial_state(on_the_ground(robot)), table, 5)
    assert path.shape == (1500, 11, 3)
    assert abs(path[-1, 5, 1]) == pytest.approx(1.32, abs=0.03)  # measured 1.330
    assert path[-1, 5, 0] == pytest.approx(0.04, abs=0.03)  # measured 0.026


def test_fast_rollout_is_the_recorded_run_and_the_ledger_closes() -> None:
    robot, table = snake(), sidewinding(100)
    plant = build(robot, PLANE)
    state = plant.initial_state(on_the_ground(robot))
    path = fast_rollout(plant, state, table, 10)
    tape = run(plant, state, table)
    assert np.array_equal(path, tape.link[1:, :, :3])
    energy = tape.energy
    balance = energy[:, 1] - energy[0, 1] - energy[:, 2:].sum(axis=1) - tape.extra[:, 0]
    assert np.abs(balance).max() < 1e-9
    assert abs(energy[-1, 5]) < 0.05 * energy[-1, 2]


@pytest.mark.parametrize("ticks_per_row", [1, 7])
def test_restored_run_is_equal_to_the_bit(ticks_per_row: int) -> None:
    robot, table, first = snake(), sidewinding(40), 17
    world = World(name="w", terrain=STAIRS, obstacles=(Disc(x=0.75, y=0, radius=0.05, friction=0.3),))
    pose = on_the_ground(robot, world)
    plant, other = build(robot, world), build(robot, world)
    whole = run(plant, plant.initial_state(pose), table, ticks_per_row)
    state, parts = plant.initial_state(pose), new_tape(11, 41, 400, ticks_per_row, dimensions=3)
    parts = parts._replace(extra=np.zeros((41, 1)))
    plant.record_start(state, parts)
    parts, _ = plant.rollout(state, CommandTable(*(a[:first] for a in table)), 10, parts)
    run_on = other.restore({name: array.copy() for name, array in plant.dump(state).items()})
    parts, _ = other.rollout(run_on, CommandTable(*(a[first:] for a in table)), 10, parts)
    assert whole.cursor[0].contact > 0
    for one, two in zip(whole, parts, strict=True):
        size = min(len(one), len(two))
        assert np.array_equal(one[:size], two[:size])


def test_recording_has_all_that_the_trace_has() -> None:
    robot, table = snake(), sidewinding(30)
    world = World(name="w", obstacles=(Disc(x=0.75, y=0, radius=0.04, friction=0.3),))
    plant = build(robot, world)
    tape = run(plant, plant.initial_state(on_the_ground(robot, world)), table)
    clock = RunClock(TICK * np.arange(31), plant.dt * np.arange(1, 301))
    extra = dict(zip(plant.extra_columns, tape.extra.T, strict=True))
    data = data_set(robot, tape, clock, np.zeros((31, 20)), (), extra)
    assert data.sizes["joint"] == 20
    assert "gravity_work" in data
    assert data.joint_angle.values[-1] == pytest.approx(table.joint_angle[-1], abs=0.05)
    contacts = contact_set(tape, clock.row_time)
    assert set(contacts.obstacle.values) <= {0}
    assert not list(plant.events(tape))


def test_scenario_runs_in_space() -> None:
    scenario = Scenario.parse(
        {
            "name": "flat in space",
            "robot": {"name": "aiko"},
            "world": {"name": "plane"},
            "plant": {"name": "mujoco", "options": {"dimensions": 3}},
            "controller": {"name": "hold", "options": {"joint_angle": 0.2}},
            "duration": 0.1,
        }
    )
    recording = simulate(scenario)
    assert isinstance(recording, Recording)
    assert recording.data.link_position.shape[-1] == 3
    assert recording.data.ground_force.values[-1, :, 2].sum() == pytest.approx(robots["aiko"]().mass * G, rel=1e-2)


def test_snake_falls_on_hills_and_stays_above_them() -> None:
    heights = np.zeros((31, 31))
    heights[1:-1, 1:-1] = np.random.default_rng(1).uniform(0.03, 0.06, (29, 29))
    hills = Heightfield(x=-1.5, y=-1.5, spacing=0.1, heights=tuple(map(tuple, heights.tolist())))
    robot, world = snake(), World(name="w", ground=Ground(friction=0.4), terrain=hills)
    plant = build(robot, world)
    state = plant.initial_state(lifted(on_the_ground(robot, world), 0.1))
    path = fast_rollout(plant, state, sidewinding(100), 10)
    assert path[:, :, 2].min() > 0.0525 + 0.03 - 1e-3  # the lowest of the hills; impacts go in by v dt
    assert path[-1, :, 2].max() < 0.2


def test_state_that_is_not_finite_is_a_failure() -> None:
    robot = snake()
    plant = build(robot, PLANE)
    state = plant.initial_state(on_the_ground(robot))
    torque = np.zeros(20)
    torque[3] = 1e200
    failure = advance(plant, state, Command(np.zeros(20), np.zeros(20), torque), 10)
    assert failure is not None
    assert failure.status == Status.NOT_FINITE
    assert "plant.dt" in failure.advice


def test_dimensions_follow_from_robot_and_world() -> None:
    def dimensions(robot: Robot, world: World) -> int:
        return int(build(robot, world, dimensions=None).dimensions)

    square = Robot(name="square", links=(ROD.model_copy(update={"shape": "square"}),))
    assert dimensions(BLOCK, PLANE) == 2
    assert dimensions(square, PLANE) == 3
    assert dimensions(MIXED, PLANE) == 3
    assert dimensions(BLOCK, World(name="w", terrain=STAIRS)) == 3
    assert dimensions(BLOCK, World(name="w", ground=Ground(rolling=0.1))) == 3
    with pytest.raises(InvalidInput, match=r"is planar: robot\.joints\.1\.axes = 'pitch'"):
        build(MIXED, PLANE, dimensions=2)
    with pytest.raises(InvalidInput, match=r"self_contact = true; use plant\.dimensions = 3"):
        build(BLOCK, PLANE, dimensions=2, self_contact=True)


PEG = Disc(x=5, y=5, radius=0.1)
FAR_PATCH = {"x_min": 0, "x_max": 1, "y_min": 0, "y_max": 1}


@pytest.mark.parametrize(
    ("world", "words"),
    [
        ({"obstacles": [PEG, PEG.model_copy(update={"mass": 0.5})]}, "world.obstacles.1.mass = 0.5 kg"),
        ({"obstacles": [PEG.model_copy(update={"restitution": 0.4})]}, "world.obstacles.0.restitution = 0.4"),
        ({"ground": {"friction_backward": 0.5}}, "world.ground.friction_backward = 0.5"),
        ({"ground": {"viscous": 2.0}}, "world.ground.viscous = 2.0 N s/m"),
        ({"ground": {"viscous_across": 2.0}}, "world.ground.viscous_across = 2.0 N s/m"),
        ({"ground": {"torque": True}}, "world.ground.torque = True"),
        ({"ground": {"patches": [FAR_PATCH]}}, "world.ground.patches.0 is a patch"),
        ({"ground": {"friction_across": 0.5}, "terrain": STAIRS}, "world.ground.friction_across = 0.5 on terrain"),
    ],
)
def test_worlds_that_mujoco_cannot_represent_are_refused_by_name(world: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(words)):
        build(BLOCK, World.parse({"name": "w", **world}))


@pytest.mark.parametrize(
    ("link", "joint", "servo", "words"),
    [
        ({"radius": 0.0}, {}, {}, "robot.links.0.radius = 0.0 m"),
        ({"inertia_roll": 3e-3}, {}, {}, "robot.links.0.inertia_roll = 0.003 kg m2"),
        ({}, {"lower": 0.1, "upper": 0.1}, {}, "robot.joints.0.upper = 0.1 rad"),
        ({}, {}, {"play": 0.01}, "servo.play = 0.01 rad"),
    ],
)
def test_robots_that_mujoco_cannot_represent_are_refused_by_name(
    link: dict[str, Any], joint: dict[str, Any], servo: dict[str, Any], words: str
) -> None:
    parts = (ROD.model_copy(update=link),) * 2
    robot = Robot(name="pair", links=parts, joints=(Joint.parse({"axes": "pitch", **joint}),), servo=Servo(**servo))
    with pytest.raises(InvalidInput, match=re.escape(words)):
        build(robot, PLANE)
