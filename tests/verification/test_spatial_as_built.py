"""What real robots have and models leave out, in space: play, axes that do not meet, the Stribeck effect; P5 VIII-F.

Bounds are two to ten times what was measured when they were set, unless a law asks for a certain one.
"""

from __future__ import annotations

import math
from math import radians
from typing import Any, Literal

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control import controllers
from pushpoint.errors import InvalidInput
from pushpoint.geometry.rotation import about_axis, matrices
from pushpoint.mechanics.spatial_pose import AXIS, Attitude, moving_in_space, spatial_pose
from pushpoint.plants import plants
from pushpoint.robots import Joint, Robot, Servo, robots
from pushpoint.shapes.virtual_snake import virtual_snake
from pushpoint.types import Command, CommandTable, FloatArray
from pushpoint.worlds import Ground, World
from tests.ticks import advance, observe
from tests.verification.spatial import AIKO, G, build, held, idle, momenta, roll, uneven, within
from tests.verification.test_spatial_laws import BRICK, SPACE, leaning, lying, moving

SIDEWINDING, UNDULATION = "transeth2008b/sidewinding", "transeth2008b/undulation-isotropic"
APART = 0.022  # [m], P5 VIII-F 4


def apart(links: int, first: int = 0) -> Robot:
    """An uneven chain whose cardan joints have axes of different distances."""
    robot = uneven(links, first)
    joints = [
        joint.model_copy(update={"axes_apart": 0.01 * (1 + j % 3)}) if len(joint.axes) > 5 else joint
        for j, joint in enumerate(robot.joints)
    ]
    return robot.model_copy(update={"joints": tuple(joints)})


# Play.


@pytest.mark.parametrize("scheme", ["conserving", "paper"])
@pytest.mark.parametrize(("aim", "torque"), [(0.09, 0.0), (0.11, 0.02), (-0.12, -0.04), (0.5, 0.05)])
def test_servo_gives_nothing_within_its_play(scheme: str, aim: float, torque: float) -> None:
    """2 N m/rad, 0.2 rad of play and a limit of 0.05 N m: 2 (|aim| - 0.1), cut off. Feed-forward torque has no play."""
    robot = Robot(name="two", links=(AIKO, AIKO), joints=(Joint(axes="pitch"),))
    servo, dt = Servo(stiffness=2.0, torque_limit=0.05, play=0.2), 1e-5
    plant = build(robot, SPACE, servo, dt=dt, scheme=scheme)
    for feed in (0.0, 0.01):
        state = plant.initial_state(lying(robot))
        assert advance(plant, state, Command(np.array([aim]), np.zeros(1), np.array([feed])), 1) is None
        found = float(observe(plant, state, dt).joint_torque[0])
        assert found == pytest.approx(max(-0.05, min(0.05, torque + feed)), abs=1e-6)


def test_play_lets_a_joint_swing_freely() -> None:
    """Within its play a joint keeps its rate; beyond half of it the servo is a spring that starts there."""
    robot = Robot(name="two", links=(AIKO, AIKO), joints=(Joint(axes="yaw"),))
    start = spatial_pose(robot, np.zeros(1), Attitude(), (0, 0, 5))
    start = moving_in_space(robot, start, np.zeros(3), np.array([0.0, 0.0, -0.05]), np.array([0.1]))
    stiffness, play, dt = 5.0, 0.02, 2.5e-4
    plant = build(robot, SPACE, Servo(stiffness=stiffness, play=play), dt=dt, tolerance=1e-12)
    path = roll(plant, start, held(150, np.zeros(1)), 2e-3)
    relative = np.swapaxes(path.rotation[:, 0], -1, -2) @ path.rotation[:, 1]
    angle = np.arctan2(relative[:, 1, 0], relative[:, 0, 0])
    free = path.time < 0.09  # at 0.1 rad/s it takes 0.1 s to half of the play
    within("play: free swing [rad]", float(np.abs(angle - 0.1 * path.time)[free].max()), 1e-6)
    # Then J a = -k (angle - play / 2), J = I / 2: it comes back after half a swing.
    deepest = play / 2 + 0.1 / math.sqrt(stiffness / (AIKO.inertia / 2))
    within("play: farthest, relative", abs(float(angle.max()) / deepest - 1), 0.01)


# Axes that do not meet.


@pytest.mark.parametrize("axes", ["pitch-yaw", "yaw-pitch"])
def test_second_axis_lies_ahead_of_the_first(axes: Literal["pitch-yaw", "yaw-pitch"]) -> None:
    robot = Robot(name="two", links=(AIKO, AIKO), joints=(Joint(axes=axes, axes_apart=APART),))
    pose = spatial_pose(robot, np.array([0.4, -0.7]), Attitude(), (0.0, 0.0, 0.0), link=0)
    tail = matrices(pose.orientation[0])
    first, second = (AXIS[name] for name in axes.split("-"))
    between = tail @ about_axis(first, 0.4)
    head = between @ about_axis(second, -0.7)
    centre = tail[:, 0] * AIKO.length / 2 + between[:, 0] * APART + head[:, 0] * AIKO.length / 2
    assert pose.position[1] == pytest.approx(centre, abs=1e-15)
    assert matrices(pose.orientation[1]) == pytest.approx(head, abs=1e-15)
    assert virtual_snake(robot).length == pytest.approx([AIKO.length, APART, AIKO.length])


@pytest.mark.parametrize("first", [0, 2])
def test_free_chain_with_axes_apart_keeps_its_momenta(first: int) -> None:
    robot = apart(7, first)
    f, rng = len(robot.freedoms), np.random.default_rng(4)
    pose = spatial_pose(robot, rng.uniform(-0.5, 0.5, f), Attitude(0.3, -0.2, 0.7), (0.1, 0.2, 0.3))
    pose = moving_in_space(robot, pose, np.array([0.3, -0.2, 0.5]), np.array([1.0, -2.0, 1.5]), rng.uniform(-2, 2, f))
    changes = []
    for dt in (2e-3, 1e-3):
        path = roll(build(robot, SPACE, dt=dt, tolerance=1e-12), pose, idle(50, f), 1e-2)
        found = momenta(robot, path)
        pushed = float(np.abs(found.linear - found.linear[0]).max())
        spin = np.linalg.norm(found.angular - found.angular[0], axis=1).max() / np.linalg.norm(found.angular[0])
        changes.append((pushed, float(spin), float(np.abs(found.kinetic / found.kinetic[0] - 1).max())))
    print("measured: momentum, spin and energy by dt", changes)
    for coarse, fine in zip(*changes, strict=True):  # what is computed from velocities is of second order
        assert fine < 0.4 * coarse
    ends = path.position + path.rotation[..., 0] * np.array([[link.length / 2] for link in robot.links])
    starts = path.position - path.rotation[..., 0] * np.array([[link.length / 2] for link in robot.links])
    gap = np.linalg.norm(starts[:, 1:] - ends[:, :-1], axis=-1)
    distances = [joint.axes_apart for joint in robot.joints]
    within("distance between axes [m]", float(np.abs(gap - distances).max()), 1e-14)


def test_mujoco_moves_a_chain_with_axes_apart_alike() -> None:
    pytest.importorskip("mujoco", reason="the extra `mujoco` is optional")
    ideal = robots["aiko-cardan"]()
    wide = ideal.model_copy(update={"joints": (Joint(axes="pitch-yaw", axes_apart=0.1),) * 10})
    changes: dict[str, Any] = {"plant.dt": 2.5e-4, "world.gravity": 0.0, "start.height": 1.0}
    peer = {**changes, "plant": {"name": "mujoco", "options": {"dimensions": 3}}}
    runs = [
        pp.simulate(SIDEWINDING, {**settings, "robot": robot}, duration=0.5)
        for settings, robot in ((changes, wide), (peer, wide), (changes, ideal), (peer, ideal))
    ]
    bend = [np.asarray(run.data["link_angle"].values) for run in runs]
    apart_by = float(np.abs(bend[0] - bend[1]).max())
    usual, matters = float(np.abs(bend[2] - bend[3]).max()), float(np.abs(bend[0] - bend[2]).max())
    print("measured: mujoco, in flight [rad]", apart_by, usual, matters)
    assert apart_by < 1.5 * usual  # servos of the two plants differ in first order of the step
    assert apart_by < 0.3 * matters


# The Stribeck effect.


@pytest.mark.parametrize("heading", [0.0, math.pi / 2])
def test_what_rests_holds_where_what_slides_goes_on(heading: float) -> None:
    """A slope between the angles of sliding friction, 0.2, and of friction at rest, 0.26."""
    world = leaning(math.atan(0.23), heading, Ground(friction=0.2, stribeck=0.3))
    rests = roll(build(BRICK, world), lying(BRICK), idle(100, 0), 1e-2)
    within("stribeck: creep [m]", float(np.abs(rests.position[10:] - rests.position[10]).max()), 1e-9)
    down = np.array([math.cos(heading), math.sin(heading), 0.0])
    slides = roll(build(BRICK, world), moving(BRICK, lying(BRICK), tuple(0.2 * down)), idle(100, 0), 1e-2)
    gained = float(slides.velocity[-1, 0] @ down) - 0.2
    expected = G * (math.sin(math.atan(0.23)) - 0.2 * math.cos(math.atan(0.23))) * float(slides.time[-1])
    within("stribeck: speed gained, relative", abs(gained / expected - 1), 1e-3)


def test_sliding_brick_slows_as_the_curve_says() -> None:
    """v' = -mu g (1 + s exp(-(v / v_s)^2)): the time from one speed to the next is an integral."""
    ground = Ground(friction=0.1, stribeck=0.5, stribeck_speed=0.1)
    start = moving(BRICK, lying(BRICK), (0.3, 0.0, 0.0))
    path = roll(build(BRICK, World(name="w", ground=ground), dt=2.5e-4), start, idle(100, 0), 2e-3)
    speed = np.linspace(0.3, 0.01, 20001)
    slowing = 0.1 * G * (1.0 + 0.5 * np.exp(-((speed / 0.1) ** 2)))
    time = np.concatenate([[0.0], np.cumsum(np.diff(-speed) / (0.5 * (slowing[1:] + slowing[:-1])))])
    seen = np.interp(path.time, time, speed)
    moves = path.time < time[-1]
    within("stribeck: speed [m/s]", float(np.abs(path.velocity[moves, 0, 0] - seen[moves]).max()), 5e-4)


@pytest.mark.parametrize("name", ["planar_stepping", "planar_hybrid", "mujoco"])
def test_other_plants_refuse_it(name: str) -> None:
    if name == "mujoco":
        pytest.importorskip("mujoco", reason="the extra `mujoco` is optional")
    world = World(name="w", ground=Ground(stribeck=0.2))
    with pytest.raises(InvalidInput, match=r"world\.ground\.stribeck = 0\.2; use plant 'spatial_stepping'"):
        plants[name].build(robots["aiko"](), world, Servo(), plants[name].Options())


@pytest.mark.parametrize(
    ("robot", "world", "said"),
    [
        (apart(4, 2), SPACE, r"springs and dampers only: robot\.joints\.0\.axes_apart = 0\.01 m"),
        (apart(1), World(name="w", ground=Ground(stribeck=0.2)), r"world\.ground\.stribeck = 0\.2"),
    ],
)
def test_the_paper_scheme_refuses_it(robot: Robot, world: World, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        build(robot, world, scheme="paper")


def test_only_cardan_joints_have_axes_apart() -> None:
    with pytest.raises(InvalidInput, match="only cardan joints"):
        Joint.parse({"axes": "pitch", "axes_apart": 0.02})


def test_gait_waits_and_holds() -> None:
    robot, times = robots["aiko-cardan"](), np.arange(0.0, 4.0, 0.01)
    options = {"preset": "sidewinding", "yaw_offset": 0.1}

    def table(**more: float) -> CommandTable:
        gait = controllers["gait"]
        found: CommandTable = gait.build(gait.Options.parse({**options, **more}), robot, 0.01).table(times)
        return found

    usual, late, held_ones = table(), table(start_delay=0.5), table(hold_period=0.1)
    assert late.joint_angle[50:] == pytest.approx(usual.joint_angle[:-50], abs=1e-12)
    assert late.joint_rate[50:] == pytest.approx(usual.joint_rate[:-50], abs=1e-12)
    assert (late.joint_angle[:50] == usual.joint_angle[0]).all()
    assert not late.joint_rate[:50].any()
    assert held_ones.joint_angle == pytest.approx(np.repeat(usual.joint_angle[::10], 10, axis=0), abs=1e-12)
    assert not held_ones.joint_rate.any()


# P5 VIII-D to VIII-F.


def run_of(name: str, rng: np.random.Generator | None) -> tuple[FloatArray, float]:
    """Where the middle link went [m], and by how much the robot turned [rad]: of the robot as built, with what VIII-F
    gives as a range drawn from it; where it gives nothing, over a wide range."""
    changes: dict[str, Any] = {}
    if rng is not None:
        changes = {
            "servo.play": radians(rng.uniform(2.0, 3.0)),
            "controller.start_delay": round(rng.uniform(0.05, 0.15), 2),
            "world.stribeck": rng.uniform(0.0, 0.4),
            "servo.torque_limit": rng.uniform(4.0, 8.0),
        }
        name += "-as-built"
    run = pp.simulate(name, changes)
    time, start = run.data["time"].values, changes.get("controller.start_delay", 0.0)
    first, last = (int(np.argmin(np.abs(time - instant - start))) for instant in (4.5, 13.5))  # two whole periods
    path, heading = run.data["link_position"].values[:, 5], run.data["link_angle"].values.mean(axis=1)
    return np.asarray(path[last] - path[first]), float(heading[last] - heading[first])


@pytest.mark.slow
def test_robot_as_built_sidewinds_less_far_and_turns_right() -> None:
    """VIII-E: 'the model covers a greater distance', and 'almost follows' its direction while Aiko 'steadily turns
    somewhat to the right'. Measured in two periods: 0.90 to 0.92 m and 12 to 15 deg, against 0.94 m and 3 deg."""
    ideal, turn = run_of(SIDEWINDING, None)
    rng = np.random.default_rng(5)
    built = [run_of(SIDEWINDING, rng) for _ in range(10)]
    print("measured:", ideal, turn, built)
    assert all(place[1] < ideal[1] for place, _ in built)
    assert all(angle < turn < 0.0 for _, angle in built)


@pytest.mark.slow
def test_robot_as_built_undulates_less_far() -> None:
    """VIII-D: 'the distance travelled is greater in the simulation'. Measured in two periods: 98 to 104 mm, against
    106 mm."""
    ideal, _ = run_of(UNDULATION, None)
    rng = np.random.default_rng(5)
    built = [run_of(UNDULATION, rng)[0][0] for _ in range(10)]
    print("measured:", ideal, built)
    assert all(ideal[0] < place < 0.0 for place in built)
