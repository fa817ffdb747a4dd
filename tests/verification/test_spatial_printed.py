"""P5's own scheme, `plant.scheme: paper`: closed forms, joints after VII-C, the default scheme, and what is refused.

Bounds are two to ten times what was measured when they were set, unless a law asks for a certain one.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numba
import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidInput, SolverFailure
from pushpoint.mechanics.spatial_pose import Attitude, lifted, moving_in_space, spatial_pose
from pushpoint.plants.spatial_stepping.options import SpatialSteppingOptions
from pushpoint.plants.spatial_stepping.paper.iteration import project_ellipse
from pushpoint.plants.spatial_stepping.paper.model import longest_step, mobility, step_sizes
from pushpoint.robots import Joint, Link, Robot, Servo, robots
from pushpoint.types import Command
from pushpoint.worlds import Disc, Ground, Profile, World
from tests.ticks import advance, observe
from tests.verification.spatial import AIKO, ONE, G, askew, build, held, idle, joint_gaps, momenta, roll, uneven, within
from tests.verification.test_spatial_laws import (
    BALL,
    ORTHOTROPIC,
    PLANE,
    SPACE,
    bend_of,
    leaning,
    lying,
    moving,
    tumbling,
)

ROUGH = ORTHOTROPIC.model_copy(update={"rolling": 1.0})  # a round link would roll down a slope
SIDEWINDING = "transeth2008b/sidewinding"
PRINTED = {"plant.scheme": "paper", "plant.dt": 2.5e-4}
# Wide as it is long: it neither tips over nor rolls while it slides.
SLED = Robot(name="sled", links=(Link(length=0.4, mass=1.0, inertia=0.02, inertia_roll=10.0, radius=0.05, core=0.2),))


def printed(robot: Robot, world: World, servo: Servo | None = None, **options: Any) -> Any:
    return build(robot, world, servo, **{"scheme": "paper", "dt": 1e-3, **options})


@pytest.mark.parametrize("links", [1, 5])
def test_falls_along_a_parabola(links: int) -> None:
    """The midpoint rule is exact for constant acceleration, and for momenta of a chain without spin."""
    robot, velocity = uneven(links), np.array([0.3, -0.2, 1.0])
    start = moving(robot, lying(robot), tuple(velocity))
    path = roll(printed(robot, World(name="w")), start, idle(20, len(robot.freedoms)), 5e-3)
    fallen = velocity * path.time[:, np.newaxis] - 0.5 * G * path.time[:, np.newaxis] ** 2 * np.array([0, 0, 1])
    expected = start.position + fallen[:, np.newaxis]
    within("parabola [m]", float(np.abs(path.position - expected).max()), 1e-12)


@pytest.mark.parametrize("first", range(4))
def test_joints_are_closed_and_square_after_the_projection(first: int) -> None:
    """VII-C, joints of all kinds in turn; a violent tumble, in which 0.5 ms drift apart by micrometres in each step."""
    robot = uneven(7, first)
    path = roll(printed(robot, SPACE, dt=5e-4), tumbling(robot), idle(20, len(robot.freedoms)), 5e-3)
    within("joints [m]", float(joint_gaps(robot, path).max()), 1e-14)
    within("right angles", float(np.abs(askew(robot, path)).max()), 1e-14)


def test_free_chain_nearly_keeps_its_momentum() -> None:
    """VII-C moves links without their velocities, and gyroscopic moments are explicit: errors of first order."""
    robot, worst = uneven(5), []
    for dt in (1e-3, 5e-4):
        path = roll(printed(robot, SPACE, dt=dt), tumbling(robot), idle(20, len(robot.freedoms)), 1e-2)
        found = momenta(robot, path)
        within("linear momentum [N s]", float(np.abs(found.linear - found.linear[0]).max()), 1e-12)
        worst.append(float(np.linalg.norm(found.angular - found.angular[0], axis=1).max()))
    within("spin, relative", worst[1] / float(np.linalg.norm(found.angular[0])), 0.02)
    assert worst[1] < 0.6 * worst[0]


@pytest.mark.parametrize("name", ["aiko-cardan", "aiko"])
def test_lies_on_the_ground_with_its_weight(name: str) -> None:
    robot = robots[name]()
    freedoms = len(robot.freedoms)
    servo = robot.servo if name == "aiko-cardan" else Servo(stiffness=20.0, damping=0.2)
    path = roll(printed(robot, PLANE, servo, dt=2.5e-4), lying(robot), held(20, np.zeros(freedoms)), 5e-3)
    weight = robot.mass * G
    within("weight, relative", float(np.abs(path.ground_force[5:, :, 2].sum(axis=1) / weight - 1).max()), 1e-3)
    within("rest: creep [m]", float(np.abs(path.position - path.position[0]).max()), 1e-6)
    assert (path.ground_force[5:, :, 2] >= 0).all()


@pytest.mark.parametrize(("heading", "mu"), [(0.0, 0.2), (math.pi / 2, 0.4), (2.5, None)])
def test_sled_sticks_below_the_angle_of_friction(heading: float, mu: float | None) -> None:
    if mu is None:
        mu = 1.0 / math.hypot(math.cos(heading) / 0.2, math.sin(heading) / 0.4)
    plant = printed(SLED, leaning(0.9 * math.atan(mu), heading, ROUGH), tolerance=1e-8)
    path = roll(plant, lying(SLED), idle(100, 0), 5e-3)
    # Nothing but the tolerance lets it creep: impulses of 1e-8 of the weight's.
    within("slope: creep in 0.5 s [m]", float(np.abs(path.position[5:] - path.position[5]).max()), 1e-9)


@pytest.mark.parametrize(("heading", "mu"), [(0.0, 0.2), (math.pi / 2, 0.4), (math.pi, 0.2)])
def test_sled_slides_above_the_angle_of_friction(heading: float, mu: float) -> None:
    angle = 1.3 * math.atan(mu)
    plant = printed(SLED, leaning(angle, heading, ORTHOTROPIC), tolerance=1e-8)
    path = roll(plant, lying(SLED), idle(50, 0), 1e-2)
    down = np.array([math.cos(heading), math.sin(heading), 0.0])
    expected = G * (math.sin(angle) - mu * math.cos(angle)) * path.time
    within("slope: speed [m/s]", float(np.abs(path.velocity[:, 0] @ down - expected).max()), 1e-5)


def test_friction_of_an_ellipse_points_off_the_slip() -> None:
    """Slip is normal to the ellipse at the friction force: F_x / F_y = (mu_x / mu_y)^2 v_x / v_y; |F / mu| = m g."""
    world = World(name="w", ground=ORTHOTROPIC)
    path = roll(printed(SLED, world, tolerance=1e-7), moving(SLED, lying(SLED), (1.0, 0.5, 0.0)), idle(20, 0), 1e-3)
    fx, fy, fz = path.ground_force[2:5, 0].T  # before it has turned
    vx, vy = path.velocity[2:5, 0, :2].T
    within("ellipse: ratio", float(np.abs(fx / fy / (0.25 * vx / vy) - 1).max()), 1e-3)
    within("ellipse: size", float(np.abs(np.hypot(fx / 0.2, fy / 0.4) / fz - 1).max()), 1e-5)


def test_ball_slides_until_it_rolls() -> None:
    """A ball that is thrown without spin: v_end = v / (1 + I / (m R^2))."""
    link = BALL.links[0]
    path = roll(printed(BALL, PLANE, tolerance=1e-8), moving(BALL, lying(BALL), (0.0, 0.5, 0.0)), idle(40, 0), 1e-2)
    rolling = 0.5 / (1.0 + link.about_roll / (link.mass * link.radius**2))
    within("ball: speed [m/s]", abs(float(path.velocity[-1, 0, 1]) - rolling), 1e-4)
    within("ball: rolls [m/s]", abs(float(path.rate[-1, 0, 0]) * link.radius + float(path.velocity[-1, 0, 1])), 1e-6)


def test_rolling_friction_slows_a_rolling_link() -> None:
    """P5 (59)-(60), about the contact line: (I + m R^2) rate' = -mu_V m g R; then it stops and stays."""
    speed, rolling = 0.2, 0.02
    world = World(name="w", ground=Ground(friction=0.5, rolling=rolling))
    start = moving(ONE, lying(ONE), (0.0, speed, 0.0), (-speed / AIKO.radius, 0.0, 0.0))
    path = roll(printed(ONE, world, tolerance=1e-6), start, idle(200, 0), 0.01)
    slowing = rolling * G * AIKO.mass / (AIKO.mass + AIKO.about_roll / AIKO.radius**2)
    expected = np.maximum(0.0, speed - slowing * path.time)
    within("rolling friction: speed [m/s]", float(np.abs(path.velocity[:, 0, 1] - expected).max()), slowing * 2e-3)


def test_drops_without_bouncing() -> None:
    """(55): impacts are inelastic; a landing is seen in the middle of a step, so that links sink in by v dt at most."""
    start = lifted(lying(ONE), 0.05)
    path = roll(printed(ONE, PLANE, tolerance=1e-7), start, idle(60, 0), 5e-3)
    deepest = 0.0525 - float(path.position[:, 0, 2].min())
    within("drop: depth [m]", deepest, math.sqrt(2 * G * 0.05) * 1e-3)
    within("drop: speed after [m/s]", float(np.abs(path.velocity[40:]).max()), 1e-6)


def test_saturated_servo_and_play() -> None:
    """A servo that is far from its reference gives its limit; within half of its play it gives nothing."""
    robot = Robot(name="two", links=(AIKO, AIKO), joints=(Joint(axes="yaw"),))
    for play, aim, torque in [(0.0, 1.0, 0.05), (0.2, 0.09, 0.0), (0.2, 0.11, 0.01 * 2.0)]:
        plant = printed(robot, SPACE, Servo(stiffness=2.0, torque_limit=0.05, play=play), dt=1e-4)
        state = plant.initial_state(lying(robot))
        assert advance(plant, state, Command(np.array([aim]), np.zeros(1), np.zeros(1)), 1) is None
        assert observe(plant, state, 1e-4).joint_torque[0] == pytest.approx(torque, abs=1e-12)


@pytest.mark.parametrize("axes", ["yaw", "pitch"])
def test_two_links_swing_on_their_spring(axes: Literal["yaw", "pitch"]) -> None:
    """Small angles: links turn by half the angle each and their centres stay: I/2 a = -k angle. The torque is that of
    the angle in the middle of the step: a leapfrog, which neither damps nor drives."""
    joint = Joint(axes=axes, actuated=False, stiffness=2.0)
    robot = Robot(name="pair", links=(AIKO,) * 2, joints=(joint,))
    pose = spatial_pose(robot, np.array([1e-3]), Attitude(), (0, 0, 5))
    path = roll(printed(robot, SPACE, dt=1e-4), pose, idle(200, 1), 1e-3)
    bend = np.array([bend_of(r, axes) for r in path.rotation])
    expected = 1e-3 * np.cos(math.sqrt(2.0 / (AIKO.inertia / 2)) * path.time)
    within("spring: swing, relative", float(np.abs(bend - expected).max()) / 1e-3, 2e-3)


# The common interface.


def test_goes_with_the_default_scheme_for_a_while() -> None:
    """Half a second of sidewinding: links move by 5 cm; 0.3 to 0.5 mm apart, which is where links landed."""
    ours = pp.simulate(SIDEWINDING, PRINTED, duration=0.5)
    other = pp.simulate(SIDEWINDING, {"plant.dt": 2.5e-4}, duration=0.5)
    apart = np.abs(ours.data["link_position"].values - other.data["link_position"].values).max()
    within("default scheme: positions [m]", float(apart), 2e-3)
    bent = np.abs(ours.data["joint_angle"].values - other.data["joint_angle"].values).max()
    within("default scheme: joint angles [rad]", float(bent), 5e-3)
    assert set(ours.data) == set(other.data)
    assert set(ours.metrics()) == set(other.metrics())
    assert ours.data["step_iterations"].values.mean() > 10


def test_a_run_goes_on_from_its_checkpoint_to_the_bit() -> None:
    whole = pp.simulate(SIDEWINDING, PRINTED, duration=0.2)
    rest = pp.resume(pp.simulate(SIDEWINDING, PRINTED, duration=0.1).checkpoint(), duration=0.2)
    for name in ("link_position", "joint_angle", "ground_force", "kinetic_energy"):
        assert (rest.data[name].values[-1] == whole.data[name].values[-1]).all()


def test_a_step_that_is_not_solved_is_reported() -> None:
    with pytest.raises(SolverFailure, match=r"NOT_CONVERGED at link .*plant\.r_N") as failed:
        pp.simulate(SIDEWINDING, {**PRINTED, "plant.max_iterations": 3}, duration=1.0)
    recording = failed.value.recording
    assert recording is not None
    assert recording.data["step_status"].values[-1] == 1
    assert recording.data["step_iterations"].values[-1] == 3


def test_a_run_may_go_on_with_what_is_nearly_solved() -> None:
    changes = {**PRINTED, "plant.tolerance": 1e-9, "plant.max_iterations": 3000, "plant.on_failure": "accept"}
    assert pp.simulate(SIDEWINDING, changes, duration=0.03).metrics()["accepted_steps"] > 0


def test_steps_of_the_iteration_are_those_printed_for_aiko() -> None:
    """VIII-A: r_N = 0.1, r_T = 0.01, r_V = 0.05; other robots: by their mobility."""
    sizes, pure = step_sizes(robots["aiko-cardan"](), SpatialSteppingOptions(scheme="paper"))
    assert sizes == pytest.approx([0.1, 0.01, 0.05], rel=1e-12)
    light = AIKO.model_copy(update={"mass": AIKO.mass / 50, "inertia": AIKO.inertia / 50, "inertia_roll": 2.35e-4 / 50})
    other, same = step_sizes(Robot(name="light", links=(light, AIKO)), SpatialSteppingOptions(scheme="paper", r_V=1e-3))
    assert other == pytest.approx([0.1 / 50, 0.01 / 50, 1e-3], rel=1e-12)
    assert same[:2] == pytest.approx(pure[:2], rel=1e-12)
    assert mobility(light)[0] == pytest.approx(50 * mobility(AIKO)[0])


def test_nearest_point_of_an_ellipse() -> None:
    """Against a fine search; half axes may vanish."""
    rng = np.random.default_rng(1)
    turn = np.linspace(0.0, 2 * math.pi, 200_001)
    for _ in range(20):
        x, y, a, b = rng.normal(size=2).tolist() + rng.uniform(0.1, 1.0, 2).tolist()
        near = np.array(project_ellipse_there(x, y, a, b))
        if (x / a) ** 2 + (y / b) ** 2 <= 1.0:
            assert near == pytest.approx([x, y])
            continue
        rim = np.stack([a * np.cos(turn), b * np.sin(turn)], axis=1)
        best = rim[np.argmin(((rim - [x, y]) ** 2).sum(axis=1))]
        assert near == pytest.approx(best, abs=1e-4)
    assert project_ellipse_there(1.0, -2.0, 0.0, 0.5) == (0.0, -0.5)
    assert project_ellipse_there(1.0, -2.0, 0.0, 0.0) == (0.0, 0.0)
    assert project_ellipse_there(0.0, -2.0, 0.5, 0.25) == pytest.approx((0.0, -0.25))


@numba.njit
def project_ellipse_there(x: float, y: float, a: float, b: float) -> tuple[float, float]:
    """The kernel, for Python."""
    return project_ellipse(x, y, a, b)  # type: ignore[no-any-return]


def test_servos_are_stable_up_to_the_longest_step() -> None:
    """Links bent at random, moved by nothing but their servos: at the longest step that is allowed the energy of a
    kick does not grow, but for the swing between joints."""
    robot, servo = uneven(6, 2), Servo(stiffness=20.0, damping=0.05, pitch_stiffness=5.0, pitch_damping=0.1)
    f, rng = len(robot.freedoms), np.random.default_rng(3)
    bend = rng.uniform(-1.0, 1.0, f)
    start = spatial_pose(robot, bend, Attitude(), (0.0, 0.0, 5.0))
    kicked = moving_in_space(robot, start, np.zeros(3), np.zeros(3), rng.uniform(-0.5, 0.5, f))
    dt = longest_step(robot, servo)
    plant = printed(robot, SPACE, servo, dt=dt)
    path = roll(plant, kicked, held(200, bend), 10 * dt)
    within("kick: energy, relative", float(path.energy[:, 0].max() / path.energy[0, 0]), 2.0)


AT_EASE: dict[str, Any] = {"robot": ONE, "world": PLANE, "servo": Servo()}
TWO = Robot(name="two", links=(AIKO, AIKO))


@pytest.mark.parametrize(
    ("changes", "options", "said"),
    [
        ({"world": World(name="w", obstacles=(Disc(x=2, y=0, radius=0.1),))}, {}, "supports no obstacles: world.obst"),
        ({"world": World(name="w", terrain=Profile(points=((0, 0), (1, 0.1))))}, {}, "world.terrain is a profile"),
        ({"robot": TWO.model_copy(update={"joints": (Joint(upper=0.5),)})}, {}, r"robot.joints.0.upper = 0.5 rad"),
        ({"robot": TWO.model_copy(update={"joints": (Joint(armature=0.1),)})}, {}, r"robot.joints.0.armature = 0.1"),
        ({"robot": Robot(name="s", links=(AIKO.model_copy(update={"shape": "square"}),))}, {}, "robot.links.0.shape"),
        ({}, {"self_contact": True}, r"plant.self_contact = true"),
        ({}, {"hardness": 300.0}, r"plant.hardness = 300"),
        ({"robot": TWO, "servo": Servo(stiffness=800.0)}, {}, r"plant.dt = 0.001 s: scheme 'paper' .* up to 0.000"),
        ({}, {"scheme": "conserving", "r_N": 0.1}, r"plant.r_N: it belongs to plant.scheme = 'paper'"),
    ],
)  # fmt: skip
def test_what_it_has_no_model_of_is_refused(changes: dict[str, Any], options: dict[str, Any], said: str) -> None:
    given = {**AT_EASE, **changes}
    with pytest.raises(InvalidInput, match=said) as refused:
        printed(given["robot"], given["world"], given["servo"], **options)
    assert "\n" not in str(refused.value)


@pytest.mark.slow
@pytest.mark.parametrize("dt", [2.5e-4, 1.25e-4])
def test_sidewinds_as_far_as_the_default_scheme(dt: float) -> None:
    """15 s of P5's sidewinding. Measured 1.3187 and 1.3187 m at P5's step, 1.3202 and 1.3192 m at half of it."""
    ends = []
    for scheme in ("paper", "conserving"):
        run = pp.simulate(SIDEWINDING, {"plant.scheme": scheme, "plant.dt": dt})
        path = run.data["link_position"].values[:, 5, 1]
        ends.append(float(path[-1] - path[0]))
    within("sidewinding: distance, relative", abs(ends[0] / ends[1] - 1), 0.02)
