"""The spatial plant against closed solutions and laws of mechanics that need no second model.

Bounds are two to ten times what was measured when they were set, unless a law asks for a certain one.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pytest

from pushpoint.geometry.rotation import about_axis, matrices, quaternions
from pushpoint.mechanics.put_down import put_down
from pushpoint.mechanics.spatial_pose import Attitude, moving_in_space, spatial_pose
from pushpoint.plants.spatial_stepping.model import State
from pushpoint.robots import Joint, Link, Robot, Servo, robots
from pushpoint.types import Command, CommandTable, FloatArray, SpatialPose
from pushpoint.worlds import Box, Cylinder, Disc, Ground, Heightfield, Polygon, Profile, Wall, World
from tests.ticks import advance, observe
from tests.verification.spatial import (
    AIKO,
    KINDS,
    NONE,
    ONE,
    G,
    Gauge,
    askew,
    build,
    idle,
    joint_gaps,
    momenta,
    potential,
    roll,
    uneven,
    within,
)

SPACE = World(name="nowhere", gravity=0.0)
PLANE = World(name="plane", ground=Ground(friction=0.2))
BALL = Robot(
    name="ball",
    links=(Link(length=0.1, mass=0.5, inertia=7e-4, inertia_pitch=4e-4, inertia_roll=6e-4, radius=0.05, core=0.0),),
)
BRICK = Robot(  # low and wide: it slides in all directions and does not tip over
    name="brick",
    links=(Link(length=0.4, mass=1.0, inertia=2e-2, inertia_roll=2e-3, radius=0.05, core=0.2, shape="square"),),
)


def moving(
    robot: Robot, pose: SpatialPose, velocity: tuple[float, ...] = (0.0, 0.0, 0.0), spin: tuple[float, ...] = (0, 0, 0)
) -> SpatialPose:
    return moving_in_space(robot, pose, np.array(velocity), np.array(spin, float), np.zeros(len(robot.freedoms)))


def lying(robot: Robot, world: World = PLANE, heading: float = 0.0) -> SpatialPose:
    """Straight, on the ground."""
    straight = spatial_pose(robot, np.zeros(len(robot.freedoms)), Attitude(heading=heading), (0, 0, 0))
    return put_down(robot, world, straight, 0.0)


def tumbling(robot: Robot) -> SpatialPose:
    """Bent and turned, with spin and joint rates, far from the ground."""
    rng = np.random.default_rng(4)
    f = len(robot.freedoms)
    pose = spatial_pose(robot, rng.uniform(-0.5, 0.5, f), Attitude(0.3, -0.2, 0.7), (0.1, 0.2, 0.3))
    return moving_in_space(
        robot, pose, np.array([0.3, -0.2, 0.5]), np.array([1.0, -2.0, 1.5]), rng.uniform(-2.0, 2.0, f)
    )


def height_field() -> Heightfield:
    heights = np.zeros((12, 14))
    heights[1:-1, 1:-1] = np.random.default_rng(2).uniform(0.0, 0.04, (10, 12))
    return Heightfield(x=-0.65, y=-0.55, spacing=0.1, heights=tuple(map(tuple, heights.tolist())))


STAIRS = Profile(points=((-0.4, 0.1), (0.0, 0.1), (0.0, 0.05), (0.3, 0.05), (0.3, 0.0), (0.6, 0.0)))


# Free flight.


@pytest.mark.parametrize("links", [1, 2, 3, 6, 11])
def test_falls_along_a_parabola(links: int) -> None:
    """All kinds of joints; at rest against each other they stay so: nothing acts in them."""
    robot = uneven(links)
    f = len(robot.freedoms)
    angle = np.random.default_rng(links).uniform(-1.0, 1.0, f)
    pose = moving(robot, spatial_pose(robot, angle, Attitude(0.3, -0.2, 0.7), (0, 0, 9)), (0.3, -0.2, 1.0))
    path = roll(build(robot, PLANE, dt=2e-3), pose, idle(100, f), 0.01)
    t = path.time[:, np.newaxis, np.newaxis]
    expected = pose.position + t * np.array([0.3, -0.2, 1.0]) - t**2 * np.array([0, 0, G / 2])
    within("fall: position [m]", float(np.abs(path.position - expected).max()), 1e-11)  # exact: round-off
    within("fall: orientation", float(np.abs(path.orientation - pose.orientation).max()), 1e-12)
    assert not path.ground_force.any()


def test_free_spin_of_one_link() -> None:
    """Asked for: 1e-6 in 10 s. The scheme is symmetric in time, so that the energy has no drift."""
    pose = replace(spatial_pose(ONE, NONE, Attitude(), (0, 0, 5)), rate=np.array([[1.0, 0.0, 5.0]]))
    path = roll(build(ONE, SPACE, dt=1 / 2000), pose, idle(1000, 0), 0.01)
    seen = momenta(ONE, path)
    within("spin: energy", float(np.abs(seen.kinetic / seen.kinetic[0] - 1).max()), 1e-6)
    size = float(np.linalg.norm(seen.angular[0]))
    within("spin: angular momentum", float(np.abs(seen.angular - seen.angular[0]).max()) / size, 1e-6)
    within("spin: centre [m]", float(np.abs(path.position - pose.position).max()), 0.0)
    # A free symmetric top (about z and y they are equal here): its axis precesses about the momentum with |L| / I.
    axis, along = path.rotation[:, 0, :, 0], seen.angular[0] / size
    phase = np.unwrap(np.arctan2(axis @ np.cross(along, axis[0]), axis @ axis[0] - (axis @ along) * (axis[0] @ along)))
    within("spin: precession [rad/s]", abs(phase[-1] / path.time[-1] - size / AIKO.inertia), 1e-5)


def carried(robot: Robot, state: State) -> tuple[FloatArray, FloatArray]:
    """Momentum [N s] that the plant hands from step to step, and its moment [N m s] about the world's origin."""
    body = state.body
    linear = np.array([body[name].sum() for name in ("p1", "p2", "p3")])
    root = len(robot.links) // 2
    at = np.array([body[name][root] for name in ("x", "y", "z")])
    return linear, np.array([body[name].sum() for name in ("l1", "l2", "l3")]) + np.cross(at, linear)


@pytest.mark.parametrize(("tolerance", "bound"), [(1e-6, 1e-5), (1e-12, 1e-11)])
@pytest.mark.parametrize("first", range(4))
def test_free_chain_keeps_its_momenta(first: int, tolerance: float, bound: float) -> None:
    """Round-off, if the solver goes so far. With its default tolerance less than that of the weight times 1 s."""
    robot = uneven(6, first)
    plant, f = build(robot, SPACE, dt=1e-3, tolerance=tolerance), len(robot.freedoms)
    state = plant.initial_state(tumbling(robot))
    linear, angular = carried(robot, state)
    for _ in range(100):
        assert advance(plant, state, Command(np.zeros(f), np.zeros(f), np.zeros(f)), 10) is None
    after, spun = carried(robot, state)
    assert np.linalg.norm(linear) > 1.0
    assert np.linalg.norm(angular) > 0.1
    # Measured 1e-6 of 1.6 N s and 3e-6 of 1 N m s; with the small tolerance 1e-12 and 2e-12.
    within(f"chain: momentum kept [N s], tolerance {tolerance}", float(np.abs(after - linear).max()), bound)
    within(f"chain: spin kept [N m s], tolerance {tolerance}", float(np.abs(spun - angular).max()), bound)


@pytest.mark.parametrize("links", [1, 2, 3, 6])
@pytest.mark.parametrize("first", range(4))
def test_joints_stay_closed_and_square(links: int, first: int) -> None:
    """Asked for: 1e-5 m. Coordinates are reduced: round-off."""
    robot = uneven(links, first)
    path = roll(build(robot, SPACE, dt=5e-3), tumbling(robot), idle(100, len(robot.freedoms)), 0.01)
    if links > 1:
        within("chain: joint gaps [m]", float(joint_gaps(robot, path).max()), 1e-14)  # measured 2e-15
        within("chain: right angles", float(np.abs(askew(robot, path)).max()), 1e-14)  # measured 2e-15
    within("chain: quaternions", float(np.abs(np.linalg.norm(path.orientation, axis=-1) - 1).max()), 1e-14)


def test_free_chain_is_of_second_order() -> None:
    """Energy and momenta of the recorded poses and velocities oscillate with dt**2; poses converge with dt**2."""
    robot = uneven(6)
    energy, momentum, ends = [], [], []
    for dt in (2e-3, 1e-3, 5e-4, 2.5e-4):
        plant = build(robot, SPACE, dt=dt, tolerance=1e-11)
        path = roll(plant, tumbling(robot), idle(50, len(robot.freedoms)), 0.02)
        seen = momenta(robot, path)
        energy.append(float(np.abs(seen.kinetic / seen.kinetic[0] - 1).max()))
        momentum.append(float(np.abs(seen.angular - seen.angular[0]).max()))
        ends.append(path.position[-1])
    moved = [float(np.abs(b - a).max()) for a, b in pairwise(ends)]
    within("chain: energy at 1 ms", energy[1], 1e-6)  # measured 3e-7
    for name, errors in (("energy", energy), ("momentum", momentum), ("poses", moved)):
        slopes = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
        print(f"measured: slopes of {name}: {slopes}")
        np.testing.assert_allclose(slopes, 2.0, atol=0.25)


def test_ledger_counts_the_motors_inertia_from_the_start() -> None:
    robot = Robot(name="pair", links=(AIKO,) * 2, joints=(Joint(axes="pitch", armature=1e-2),))
    pose = spatial_pose(robot, np.array([0.3]), Attitude(), (0, 0, 5))
    pose = moving_in_space(robot, pose, np.zeros(3), np.zeros(3), np.array([2.0]))
    path = roll(build(robot, SPACE), pose, idle(20, 1), 0.01)
    within("armature: numerical work [J]", float(np.abs(path.energy[:, 4]).max()), 1e-6)  # of 0.024 J


# A pendulum of joints: springs, dampers, motors, stops, servos.


@pytest.mark.parametrize("axes", ["yaw", "pitch"])
def test_two_links_swing_on_their_spring(axes: Literal["yaw", "pitch"]) -> None:
    """Small angles: links turn by half the angle each and their centres stay: J = I/2 + armature, J a = -k angle.

    The torque is that at the end of each step, which damps like a damper of k dt / 2 and no more.
    """
    joint = Joint(axes=axes, actuated=False, stiffness=2.0, armature=1e-3)
    robot = Robot(name="pair", links=(AIKO,) * 2, joints=(joint,))
    pose = spatial_pose(robot, np.array([1e-3]), Attitude(), (0, 0, 5))
    dt = 2.5e-4
    path = roll(build(robot, SPACE, dt=dt, tolerance=1e-12), pose, idle(200, 1), 1e-3)
    decay = 2.0 * dt / 2 / (2 * (AIKO.inertia / 2 + 1e-3))
    frequency = math.sqrt(2.0 / (AIKO.inertia / 2 + 1e-3) - decay**2)
    bend = np.array([bend_of(r, axes) for r in path.rotation])
    swing = np.cos(frequency * path.time) + decay / frequency * np.sin(frequency * path.time)
    expected = 1e-3 * np.exp(-decay * path.time) * swing
    within("spring: swing, relative", float(np.abs(bend - expected).max()) / 1e-3, 2e-4)


def bend_of(rotation: FloatArray, axes: str) -> float:
    relative = rotation[0].T @ rotation[1]
    return math.atan2(relative[1, 0], relative[0, 0]) if axes == "yaw" else math.atan2(relative[0, 2], relative[2, 2])


@pytest.mark.parametrize("axes", KINDS)
def test_stops_hold(axes: str) -> None:
    """Thrown against its stops a joint yields by next to nothing, stays, and loses energy."""
    joint = Joint.parse({"axes": axes, "lower": -0.2, "upper": 0.1})
    robot = Robot(name="pair", links=(AIKO,) * 2, joints=(joint,))
    f = len(robot.freedoms)
    pose = spatial_pose(robot, np.zeros(f), Attitude(), (0, 0, 5))
    pose = moving_in_space(robot, pose, np.zeros(3), np.zeros(3), np.full(f, 4.0))
    plant = build(robot, SPACE)
    state = plant.initial_state(pose)
    seen, energy = [], []
    for _ in range(300):
        assert advance(plant, state, Command(np.zeros(f), np.zeros(f), np.zeros(f)), 1) is None
        seen.append(state.angle[0].copy())
        energy.append(float(state.ledger[0]))
    within(f"stops of {axes}: beyond [rad]", float(np.max(seen)) - 0.1, 1e-6)  # measured 3e-8; a step is 4e-3
    within(f"stops of {axes}: energy gained", float(np.diff(energy).max()), 1e-9)


def test_saturated_servo_gives_its_limit() -> None:
    robot = Robot(name="pair", links=(AIKO,) * 2, joints=(Joint(axes="pitch-yaw"),))
    plant = build(robot, SPACE, Servo(stiffness=80.0, damping=0.5, torque_limit=0.05))
    state = plant.initial_state(spatial_pose(robot, np.zeros(2), Attitude(), (0, 0, 5)))
    assert advance(plant, state, Command(np.array([0.0, 1.0]), np.zeros(2), np.zeros(2)), 5) is None
    seen = observe(plant, state, 5 * plant.dt)
    assert seen.joint_torque == pytest.approx([0.0, 0.05], abs=1e-12)
    assert seen.joint_rate[1] == pytest.approx(2 * 0.05 / AIKO.inertia * 5 * plant.dt, rel=1e-3)


def test_torque_is_recorded_for_the_right_freedom() -> None:
    """Feed-forward torques, all different, on both sides of the root, in cardan joints of either order."""
    robot = uneven(7, 1)
    f = len(robot.freedoms)
    plant, torque = build(robot, SPACE), 1e-3 * np.arange(1.0, f + 1)
    state = plant.initial_state(spatial_pose(robot, np.zeros(f), Attitude(), (0, 0, 5)))
    assert advance(plant, state, Command(np.zeros(f), np.zeros(f), torque), 3) is None
    assert observe(plant, state, 3 * plant.dt).joint_torque == pytest.approx(torque, abs=1e-12)


# On the ground.


@pytest.mark.parametrize(
    ("direction", "axis", "inertia"),
    [(0, 1, BALL.links[0].about_pitch), (1, 0, BALL.links[0].about_roll)],
)
def test_ball_slides_until_it_rolls(direction: int, axis: int, inertia: float) -> None:
    """m v0 = (m + I / R^2) v; mu g t = v0 - v. About the long axis it turns if it goes sideways."""
    mu, speed, mass, radius = 0.2, 0.5, BALL.mass, BALL.links[0].radius
    velocity = [0.0, 0.0, 0.0]
    velocity[direction] = speed
    path = roll(build(BALL, PLANE), moving(BALL, lying(BALL), tuple(velocity)), idle(300, 0), 1e-3)
    rolling = speed * mass / (mass + inertia / radius**2)
    expected = np.maximum(rolling, speed - mu * G * path.time)
    # Measured 1e-6 m/s; one step more or less of sliding would be 2e-3 m/s.
    within("ball: speed while it slides", float(np.abs(path.velocity[:, 0, direction] - expected).max()), 1e-5)
    later = path.time > (speed - rolling) / (mu * G) + 3e-3
    within("ball: rolling speed", float(np.abs(path.velocity[later, 0, direction] / rolling - 1).max()), 1e-6)
    turning = path.rate[later, 0, axis] * radius * (1 if direction == 0 else -1)
    within("ball: slip [m/s]", float(np.abs(turning - path.velocity[later, 0, direction]).max()), 1e-6)


def leaning(angle: float, heading: float, ground: Ground) -> World:
    """A plane whose gravity leans by an angle towards a heading."""
    down = (math.sin(angle) * math.cos(heading), math.sin(angle) * math.sin(heading), -math.cos(angle))
    return World(name="slope", ground=ground, down=down)


ORTHOTROPIC = Ground(friction=0.2, friction_across=0.4)


@pytest.mark.parametrize(("heading", "mu"), [(0.0, 0.2), (math.pi / 2, 0.4), (math.pi, 0.2), (0.6, None)])
def test_brick_sticks_below_the_angle_of_friction(heading: float, mu: float | None) -> None:
    """Creep: asked for < 1e-9 m in 5 s; friction remembers its last impulse, so that it needs no slip to hold."""
    mu = mu or 1 / math.hypot(math.cos(heading) / 0.2, math.sin(heading) / 0.4)  # the ellipse in that direction
    world = leaning(0.9 * math.atan(mu), heading, ORTHOTROPIC)
    path = roll(build(BRICK, world), lying(BRICK), idle(510, 0), 0.01)
    moved = np.linalg.norm(path.position[:, 0] - path.position[10, 0], axis=1)
    within("slope: distance until it holds [m]", float(np.linalg.norm(path.position[10] - path.position[0])), 1e-6)
    within("slope: creep in 5 s [m]", float(moved[10:].max()), 1e-9)
    within("slope: speed [m/s]", float(np.abs(path.velocity[10:]).max()), 1e-9)


@pytest.mark.parametrize(("heading", "mu"), [(0.0, 0.2), (math.pi / 2, 0.4), (-math.pi / 2, 0.4), (math.pi, 0.2)])
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_brick_slides_above_the_angle_of_friction(heading: float, mu: float, dt: float) -> None:
    angle = 1.3 * math.atan(mu)
    world = leaning(angle, heading, ORTHOTROPIC)
    path = roll(build(BRICK, world, dt=dt, hardness=1e3), lying(BRICK), idle(100, 0), 0.01)
    down = np.array([math.cos(heading), math.sin(heading), 0.0])
    expected = G * (math.sin(angle) - mu * math.cos(angle))
    # The first step needs a little slip before friction is what it should be: g dt / hardness.
    error = np.abs(path.velocity[:, 0] @ down - expected * path.time).max()
    within("slope: speed [m/s]", float(error), 2e-3 * G * dt)  # measured 3e-4 g dt
    within("slope: acceleration, relative", float(error / (expected * path.time[-1])), 1e-5)  # measured 3e-6
    within("slope: sideways [m]", float(np.abs(path.position[:, 0] @ [-down[1], down[0], 0.0]).max()), 1e-9)


def test_friction_of_an_ellipse_points_off_the_slip() -> None:
    """Slip is normal to the ellipse at the friction force: F_x / F_y = (mu_x / mu_y)^2 v_x / v_y; |F / mu| = m g."""
    world = World(name="w", ground=ORTHOTROPIC)
    path = roll(build(BRICK, world), moving(BRICK, lying(BRICK), (1.0, 0.5, 0.0)), idle(20, 0), 5e-3)
    fx, fy, fz = path.ground_force[2:, 0].T
    vx, vy = 0.5 * (path.velocity[1:-1, 0, :2] + path.velocity[2:, 0, :2]).T
    within("ellipse: ratio", float(np.abs(fx / fy / (0.25 * vx / vy) - 1).max()), 0.02)  # dt-wise means
    within("ellipse: size", float(np.abs(np.hypot(fx / 0.2, fy / 0.4) / fz - 1).max()), 1e-4)
    within("ellipse: weight", float(np.abs(fz / (BRICK.mass * G) - 1).max()), 1e-4)
    assert (fx * vx < 0).all()
    assert (fy * vy < 0).all()


def test_rolling_friction_slows_a_rolling_link() -> None:
    """P5 (59)-(60), about the contact line: (I + m R^2) rate' = -mu_V m g R; then it stops and stays."""
    speed, rolling = 0.2, 0.02
    world = World(name="w", ground=Ground(friction=0.5, rolling=rolling))
    start = moving(ONE, lying(ONE), (0.0, speed, 0.0), (-speed / AIKO.radius, 0.0, 0.0))
    path = roll(build(ONE, world), start, idle(200, 0), 0.01)
    slowing = rolling * G * AIKO.mass / (AIKO.mass + AIKO.about_roll / AIKO.radius**2)
    expected = np.maximum(0.0, speed - slowing * path.time)
    within("rolling friction: speed [m/s]", float(np.abs(path.velocity[:, 0, 1] - expected).max()), slowing * 1e-3)
    distance = float(path.position[-1, 0, 1])
    within("rolling friction: distance, relative", abs(distance / (speed**2 / (2 * slowing)) - 1), 1e-3)
    within("rolling friction: speed at rest [m/s]", abs(float(path.velocity[-1, 0, 1])), 1e-9)


def test_sliding_link_stops_in_time() -> None:
    """v0 / (mu g) and v0^2 / (2 mu g), with an error of the order of dt or better."""
    mu, speed = 0.2, 0.3
    errors = []
    for dt in (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4):
        path = roll(build(ONE, PLANE, dt=dt), moving(ONE, lying(ONE), (speed, 0, 0)), idle(100, 0), 4e-3)
        expected = np.maximum(0.0, speed - mu * G * path.time)
        within(f"stop: speed at dt {dt}", float(np.abs(path.velocity[:, 0, 0] - expected).max()), 0.01 * mu * G * dt)
        errors.append(abs(float(path.position[-1, 0, 0]) - speed**2 / (2 * mu * G)))
        within(f"stop: creep [m/s] at dt {dt}", abs(float(path.velocity[-1, 0, 0])), 1e-8)
    print("measured: stopping distance", errors)
    # Of mu g dt^2 / 2 in the last step; measured 8e-8.
    within("stop: distance at dt 1 ms [m]", errors[2], mu * G * 1e-6 / 4)
    slope = np.polyfit(np.log([4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4]), np.log(errors), 1)[0]
    print(f"measured: order of the stopping distance {slope:.2f}")
    assert slope > 1.0


@pytest.mark.parametrize("robot", [ONE, BALL, BRICK, robots["aiko-cardan"](4)], ids=lambda r: str(r.name))
@pytest.mark.parametrize("tilt", [0.0, 0.3])
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_drops_without_bouncing(robot: Robot, tilt: float, dt: float) -> None:
    """Newton's law with restitution zero. The energy falls; it comes to rest where it should."""
    f = len(robot.freedoms)
    pose = put_down(robot, PLANE, spatial_pose(robot, np.zeros(f), Attitude(pitch=tilt), (0, 0, 0)), 0.02)
    path = roll(build(robot, PLANE, Servo(stiffness=20.0, damping=0.5), dt=dt, hardness=1e3), pose, idle(200, f), 0.01)
    lowest = np.array([Gauge(robot, PLANE)(path.pose(row)) for row in range(len(path.time))])
    within("drop: penetration [m]", -float(lowest.min()), 1e-5)
    energy = momenta(robot, path).kinetic + potential(robot, PLANE, path.position)
    at_once = float(np.diff(energy).max())
    within("drop: energy gained per row, of m g h", at_once / (robot.mass * G * 0.02), 1e-4)
    landed = path.time > math.sqrt(2 * 0.02 / G) + 2 * dt
    if tilt == 0.0:
        within("drop: height after landing [m]", float(np.abs(lowest[landed]).max()), 2e-5)
        within("drop: speed after landing [m/s]", float(np.abs(path.velocity[path.time > 0.1]).max()), 1e-3)
    total = float(path.ground_force[1:, :, 2].sum()) * 0.01
    change = float(momenta(robot, path).linear[-1, 2])
    within("drop: impulse of the ground", abs((total - change) / (robot.mass * G * 2.0) - 1), 1e-5)


ROD = Robot(name="rod", links=(Link(length=0.1, mass=0.5, inertia=1e-3, inertia_roll=4e-4, radius=0.03, core=0.05),))
AHEAD: dict[str, Any] = {  # all with their surface at x = 0.3 where the rod comes
    "wall": Wall(points=((0.3, -1.0), (0.3, 1.0))),
    "disc": Disc(x=0.4, y=0.0, radius=0.1),
    "peg": Disc(x=0.31, y=0.0, radius=0.01),
    "polygon": Polygon(points=((0.3, -0.1), (0.5, -0.1), (0.5, 0.1), (0.3, 0.1))),
    "box": Box(centre=(0.4, 0.0, 0.1), size=(0.2, 1.0, 0.4)),
    "board": Box(centre=(0.305, 0.0, 0.1), size=(0.01, 1.0, 0.4)),
    "cylinder": Cylinder(start=(0.4, -1.0, 0.03), end=(0.4, 1.0, 0.03), radius=0.1),
    "wire": Cylinder(start=(0.305, -1.0, 0.03), end=(0.305, 1.0, 0.03), radius=0.005),
}


@pytest.mark.parametrize("name", AHEAD)
@pytest.mark.parametrize(("dt", "speed"), [(1e-3, 1.0), (1e-3, 20.0), (5e-3, 3.0), (5e-3, 9.0), (1e-2, 4.5)])
def test_rod_hits_obstacles_head_first(name: str, dt: float, speed: float) -> None:
    """It stops at the surface, if it comes by less than 0.05 m in a step; all its momentum goes there."""
    world = World(name="w", ground=Ground(friction=0.0), obstacles=(AHEAD[name],))
    pose = moving(ROD, spatial_pose(ROD, NONE, Attitude(), (0, 0, 0.03)), (speed, 0.0, 0.0))
    path = roll(build(ROD, world, dt=dt), pose, idle(40, 0), 0.01)
    within(f"hit, {name}: deepest [m]", float(path.position[:, 0, 0].max()) - 0.22, 1e-4 * speed)  # measured 1e-5
    # What a contact yields in a hit it gives back, with 2e-4 of the speed.
    within(f"hit, {name}: speed after, of that before", float(np.abs(path.velocity[-1]).max()) / speed, 1e-3)
    within(f"hit, {name}: came back [m]", 0.22 - float(path.position[-1, 0, 0]), 1e-3 * speed * 0.4)
    impulse = -float(path.contact_force[1:, 0, 0].sum()) * 0.01
    within(f"hit, {name}: impulse", abs(impulse / (ROD.mass * speed) - 1), 1e-3)


# Symmetry.


def turned(pose: SpatialPose, angle: float) -> SpatialPose:
    """The same pose turned about the world's z axis."""
    R = about_axis(np.array([0.0, 0.0, 1.0]), angle)
    return replace(
        pose,
        position=pose.position @ R.T,
        orientation=quaternions(R @ matrices(pose.orientation)),
        velocity=pose.velocity @ R.T,
        rate=pose.rate @ R.T,
    )


def mirrored(robot: Robot, pose: SpatialPose) -> SpatialPose:
    """Seen in a mirror, y -> -y: yaw angles change sign, pitch angles do not."""
    flip, sign = np.array([1.0, -1.0, 1.0]), yaw_signs(robot)
    return replace(
        pose,
        position=pose.position * flip,
        orientation=pose.orientation * np.array([1.0, -1.0, 1.0, -1.0]),
        velocity=pose.velocity * flip,
        rate=pose.rate * -flip,
        joint_angle=pose.joint_angle * sign,
        joint_rate=pose.joint_rate * sign,
    )


def yaw_signs(robot: Robot) -> FloatArray:
    return np.array([-1.0 if axis == "yaw" else 1.0 for _, axis in robot.freedoms])


def backwards(robot: Robot, pose: SpatialPose) -> tuple[Robot, SpatialPose]:
    """The same robot with head and tail exchanged: axes of links are turned by half about z."""
    other = {"yaw-pitch": "pitch-yaw", "pitch-yaw": "yaw-pitch"}
    joints = tuple(
        joint.model_copy(update={"axes": other.get(joint.axes, joint.axes)}) for joint in reversed(robot.joints)
    )
    half = np.diag([-1.0, -1.0, 1.0])
    sign = yaw_signs(robot)
    return robot.model_copy(update={"links": robot.links[::-1], "joints": joints}), SpatialPose(
        pose.position[::-1].copy(),
        quaternions((matrices(pose.orientation) @ half)[::-1]),
        pose.velocity[::-1].copy(),
        pose.rate[::-1].copy(),
        (sign * pose.joint_angle)[::-1].copy(),
        (sign * pose.joint_rate)[::-1].copy(),
    )


def wriggle(robot: Robot, ticks: int) -> CommandTable:
    phase = 8.0 * 0.01 * np.arange(ticks)[:, np.newaxis] - 0.7 * np.arange(len(robot.freedoms))
    size = np.array([0.5 if axis == "yaw" else 0.15 for _, axis in robot.freedoms])
    return CommandTable(size * np.sin(phase), 8.0 * size * np.cos(phase), np.zeros_like(phase))


def start_of_wriggle(robot: Robot) -> SpatialPose:
    pose = spatial_pose(robot, wriggle(robot, 1).joint_angle[0], Attitude(), (0, 0, 0))
    return moving(robot, put_down(robot, PLANE, pose, 0.001), (0.2, 0.1, 0.0))


FIRM = Servo(stiffness=40.0, damping=0.3)
WRIGGLING = (uneven(5), uneven(6, 2), robots["aiko-cardan"](7))


@pytest.mark.parametrize("robot", WRIGGLING, ids=["five", "six", "aiko"])
def test_turned_run_is_the_run_turned(robot: Robot) -> None:
    """Newton stops at residuals of 1e-6, so that runs may differ by that; with 1e-10 round-off is left."""
    plant, table = build(robot, PLANE, FIRM, tolerance=1e-10), wriggle(robot, 30)
    start = start_of_wriggle(robot)
    one, two = roll(plant, start, table, 0.01), roll(plant, turned(start, 0.7), table, 0.01)
    R = about_axis(np.array([0.0, 0.0, 1.0]), 0.7)
    assert one.ground_force.any()
    within("turned: positions [m]", float(np.abs(one.position @ R.T - two.position).max()), 1e-9)
    within("turned: axes", float(np.abs(R @ one.rotation - two.rotation).max()), 1e-8)


@pytest.mark.parametrize("robot", WRIGGLING, ids=["five", "six", "aiko"])
def test_run_in_a_mirror_is_the_mirrored_run(robot: Robot) -> None:
    plant, table = build(robot, PLANE, FIRM, tolerance=1e-10), wriggle(robot, 30)
    start, sign = start_of_wriggle(robot), yaw_signs(robot)
    one = roll(plant, start, table, 0.01)
    two = roll(plant, mirrored(robot, start), CommandTable(*(sign * column for column in table)), 0.01)
    within("mirror: positions [m]", float(np.abs(one.position * [1, -1, 1] - two.position).max()), 1e-9)
    within("mirror: rates [rad/s]", float(np.abs(one.rate * [-1, 1, -1] - two.rate).max()), 1e-6)


@pytest.mark.parametrize("robot", WRIGGLING, ids=["five", "six", "aiko"])
def test_head_and_tail_are_but_names(robot: Robot) -> None:
    """The tree of links is another one, counted from the other end, and the root another link."""
    start, sign = start_of_wriggle(robot), yaw_signs(robot)
    other, its_start = backwards(robot, start)
    table = wriggle(robot, 30)
    swapped = CommandTable(*(np.ascontiguousarray((sign * column)[:, ::-1]) for column in table))
    one = roll(build(robot, PLANE, FIRM, tolerance=1e-10), start, table, 0.01)
    two = roll(build(other, PLANE, FIRM, tolerance=1e-10), its_start, swapped, 0.01)
    # The scheme moves all links on from the root. If that is another link, poses agree as they converge in dt:
    # measured 1.2e-4, 5e-5, 2.5e-5, 9e-6 m at 2, 1, 0.5, 0.25 ms.
    bound = 1e-9 if len(robot.links) % 2 else 2e-4
    within("backwards: positions [m]", float(np.abs(one.position - two.position[:, ::-1]).max()), bound)


# One link, everywhere.


OBSTACLES = (
    Disc(x=0.25, y=0.0, radius=0.1, friction=0.3),
    Wall(points=((-0.5, 0.2), (0.5, 0.25)), friction=0.2),
    Polygon(points=((0.2, -0.4), (0.4, -0.4), (0.3, -0.2)), height=0.1),
    Box(centre=(-0.3, 0.0, 0.05), size=(0.2, 0.2, 0.1), yaw=0.4, friction=0.5),
    Cylinder(start=(-0.1, -0.5, 0.02), end=(0.2, -0.3, 0.1), radius=0.03, friction=1.0),
)
WORLDS = (
    World(name="obstacles", ground=Ground(friction=0.3, rolling=0.01), obstacles=OBSTACLES),
    World(name="stairs", ground=Ground(friction=0.3), terrain=STAIRS),
    World(name="hills", ground=Ground(friction=0.3), terrain=height_field()),
    leaning(0.2, 1.0, Ground(friction=0.1)),
)


@pytest.mark.parametrize("world", WORLDS, ids=lambda w: str(w.name))
@pytest.mark.parametrize("shape", ["round", "square"])
def test_one_link_works_everywhere(world: World, shape: str) -> None:
    link = Link.parse({"length": 0.12, "mass": 0.4, "inertia": 6e-4, "radius": 0.03, "core": 0.03, "shape": shape})
    robot = Robot(name="one", links=(link,))
    pose = put_down(robot, world, spatial_pose(robot, NONE, Attitude(0.2, 0.3, 0.4), (0, 0, 0)), 0.03)
    path = roll(build(robot, world), moving(robot, pose, (0.5, 0.3, 0.0), (1.0, 2.0, -3.0)), idle(150, 0), 0.01)
    assert np.isfinite(path.position).all()
    within("one link: residual", float(path.residual.max()), 1e-6)
    within("one link: penetration [m]", -Gauge(robot, world).along(path), 1e-4)
    energy = momenta(robot, path).kinetic + potential(robot, world, path.position)
    # Where a link meets the edge of a hill it goes in by less than 0.1 mm and is lifted out again: measured 3e-5 J.
    within("one link: energy gained per row [J]", float(np.diff(energy).max()), 1e-4)


# Jamming.


def rod_on_its_tip(mu: float, pitch: float, speed: float) -> tuple[Robot, World, SpatialPose]:
    link = Link(length=1.0, mass=1.0, inertia=1 / 12, inertia_roll=1e-3, radius=0.01)
    robot, world = Robot(name="rod", links=(link,)), World(name="w", ground=Ground(friction=mu))
    pose = put_down(robot, world, spatial_pose(robot, NONE, Attitude(pitch=pitch), (0, 0, 0)), 0.0)
    return robot, world, moving(robot, pose, (speed, 0.0, 0.0))


def sticking(mu: float, pitch: float, speed: float, dt: float, hardness: float) -> FloatArray | None:
    """The impulse on the rod's tip if it sticks: one linear solve; None if that is outside of the cone of friction."""
    robot, _, pose = rod_on_its_tip(mu, pitch, speed)
    link, R = robot.links[0], matrices(pose.orientation[0])
    arm = -0.5 * math.copysign(1.0, R[2, 0]) * R[:, 0] - np.array([0.0, 0.0, link.radius])
    cross = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
    inertia = R @ np.diag([link.about_roll, link.about_pitch, link.inertia]) @ R.T
    gives = np.eye(3) / link.mass - cross @ np.linalg.solve(inertia, cross)
    before = np.array([speed, 0.0, -G * dt])
    impulse = np.linalg.solve(np.eye(3) / hardness + gives, -before)
    return impulse if math.hypot(*impulse[:2]) <= mu * impulse[2] else None


@pytest.mark.parametrize("mu", [0.5, 1.0])
def test_rod_on_its_tip_is_solved(mu: float) -> None:
    for pitch in np.radians(np.arange(5.0, 90.0, 5.0)):
        for speed in (-2.0, -0.5, -0.1, 0.1, 0.5, 2.0):
            robot, world, pose = rod_on_its_tip(mu, float(pitch), speed)
            path = roll(build(robot, world), pose, idle(20, 0), 1e-3)
            within("rod: residual", float(path.residual.max()), 1e-6)


@pytest.mark.parametrize(
    ("mu", "pitch", "speed"),
    [
        (1.5, 50, 2.0),
        (1.5, 55, 0.1),
        (1.5, 60, 0.5),
        (1.5, 65, 2.0),
        (2.0, 35, 0.1),
        (2.0, 45, 2.0),
        (2.0, 65, 0.1),
    ],
)
def test_rod_jams(mu: float, pitch: float, speed: float) -> None:
    """Painlevé: with mu > 4/3 some slopes forbid to slide. The law has a solution: the tip sticks at once."""
    robot, world, pose = rod_on_its_tip(mu, math.radians(pitch), speed)
    expected = sticking(mu, math.radians(pitch), speed, 1e-3, 1e3)
    assert expected is not None
    path = roll(build(robot, world), pose, idle(1, 0), 1e-3, may_fail=True)
    assert path.failure is None
    apart = np.abs(path.ground_force[-1, 0] * 1e-3 - expected).max()
    within("rod: impulse against that of sticking [N s]", float(apart), 0.02)  # of 1 N s, at a pose half a step on
