"""The fast planar plant against a dense, independent second implementation of the same equations."""

from __future__ import annotations

import math
from typing import NamedTuple, get_args

import numpy as np
import pytest

from pushpoint.mechanics.pose import moving, planar_pose
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.plants.planar_stepping.plant import PlanarStepping
from pushpoint.robots import Link, Robot, Servo, robots
from pushpoint.tape import new_tape
from pushpoint.types import CommandTable, FloatArray, Pose
from pushpoint.worlds import Disc, Ground, World, worlds
from tests.verification.dense_planar import (
    ContactProblem,
    DensePlanar,
    Scheme,
    ServoLaw,
    State,
    direction,
    state_of,
)

DT = 1e-3  # [s]
SUBSTEPS = 10  # commands at 100 Hz
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

# Both models solve the same equations; what may differ is what their solvers' tolerances add up to.
# "conserving" forgets errors on the track (1e-6 m at the start is 2e-11 m after 2 s). "paper" does not:
# contacts switch on where a gap changes sign, and a shift of 1e-11 m can end as 4e-5 m. So the plant runs
# with a tight tolerance on the track: with its default of 1e-8, weak servos differ by 1.1e-5 m rms over
# 10 s, with this one by 7e-12 m. Light links that spin fast cannot reach it; round-off is larger there.
TIGHT, DEFAULT = 1e-10, 1e-8
SAME = 1e-5  # [m], rms
SHARE = 1e-9  # of the largest ground force: as a speed lost in one step, 2e-12 m/s


class Case(NamedTuple):
    """One run for both models."""

    robot: Robot
    world: World
    servo: Servo
    start: Pose
    commands: CommandTable
    link: int  # whose path is compared
    tolerance: float  # of the plant


def undulation(ticks: int, joints: int = 10) -> CommandTable:
    """The gait of P2 VIII-D2, with the sign and numbering of joints counted from the tail."""
    amplitude, frequency, phase = np.radians([40.0, 80.0, -50.0])
    time = 0.01 * np.arange(ticks)[:, np.newaxis]
    angle = frequency * time + (joints - 1 - np.arange(joints)) * phase
    return CommandTable(
        joint_angle=-amplitude * np.sin(angle),
        joint_rate=-amplitude * frequency * np.cos(angle),
        torque=np.zeros((ticks, joints)),
    )


def on_track(variant: str, ticks: int) -> Case:
    """Aiko on its track: as published, with weak and loose servos, or on ground that is rougher across."""
    robot, world, commands = robots["aiko"](), worlds["track"](), undulation(ticks)
    servo = robot.servo
    if variant == "weak servos with play":
        servo = servo.model_copy(update={"torque_limit": 3.0, "play": math.radians(2.5)})
    if variant == "orthotropic ground":
        world = world.model_copy(update={"ground": Ground(friction=0.1, friction_across=0.5)})
    start = planar_pose(robot, commands.joint_angle[0], math.radians(8.0), (0.520, 0.160), 5)
    return Case(robot, world, servo, start, commands, link=5, tolerance=TIGHT)


GROUNDS = {
    "rough": Ground(friction=0.3, friction_across=0.1),
    "smooth along": Ground(friction=0.0, friction_across=0.1),  # the ellipse of ground forces is a line
    "frictionless": Ground(friction=0.0),  # nothing but impacts takes energy: the energy guard has to act
}


def thrown(variant: str) -> Case:
    """Unequal links, driven by torques, fly against pegs: a mix-up of neighbours or signs would show."""
    links = tuple(
        Link(length=0.08 + 0.02 * k, mass=0.3 + 0.1 * (k % 3), inertia=4e-4 * (1 + k), radius=0.02 + 0.003 * k)
        for k in range(5)
    )
    servo = Servo(stiffness=20.0, damping=0.05, torque_limit=0.8, play=0.02)
    robot = Robot(name="unequal", links=links, servo=servo)
    pegs = tuple(Disc(x=0.15 * k, y=0.12 * (-1) ** k, radius=0.02 + 0.005 * k) for k in range(-3, 4) if k)
    world = World(name="pegs", ground=GROUNDS[variant], obstacles=pegs)
    bend = np.array([0.3, -0.2, 0.1, 0.4])
    pose = planar_pose(robot, bend, angle=0.2, position=(0.0, 0.0))
    pose = moving(robot, pose, (1.0, 0.4), rate=3.0, joint_rate=np.array([2.0, -4.0, 5.0, -3.0]))
    ticks = 30
    time = 0.01 * np.arange(ticks)[:, np.newaxis]
    torque = 0.3 * np.sin(20 * time + np.arange(4))
    commands = CommandTable(bend + np.sin(5 * time) * bend, 5 * np.cos(5 * time) * bend, torque)
    return Case(robot, world, servo, pose, commands, link=2, tolerance=DEFAULT)


def fast_path(case: Case, scheme: Scheme) -> FloatArray:
    """Centre of the link after each tick, (ticks + 1, 2), from the plant."""
    options = PlanarSteppingOptions(dt=DT, scheme=scheme, tolerance=case.tolerance, max_parts=1)  # as the dense model
    plant = PlanarStepping.build(case.robot, case.world, case.servo, options)
    ticks = len(case.commands.torque)
    tape = new_tape(len(case.robot.links), ticks + 1, ticks * SUBSTEPS, 1, contacts=64)
    state = plant.initial_state(case.start)
    plant.record_start(state, tape)
    tape, failure = plant.rollout(state, case.commands, SUBSTEPS, tape)
    assert failure is None
    return tape.link[:, case.link, :2]


def dense_path(case: Case, scheme: Scheme) -> FloatArray:
    model = DensePlanar(case.robot, case.world, case.servo, DT, scheme)
    states = model.run(case.commands, len(case.commands.torque), SUBSTEPS, state_of(case.start))
    return np.array([state.position[case.link] for state in states])


def rms_difference(case: Case, scheme: Scheme) -> float:
    apart = fast_path(case, scheme) - dense_path(case, scheme)
    return float(np.sqrt((apart**2).sum(axis=1).mean()))


VARIANTS = ("as published", "weak servos with play", "orthotropic ground")


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_plant_agrees_with_dense_model_on_the_track(variant: str, scheme: Scheme) -> None:
    assert rms_difference(on_track(variant, ticks=100), scheme) < SAME


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_plant_agrees_with_dense_model_over_the_whole_track(variant: str, scheme: Scheme) -> None:
    assert rms_difference(on_track(variant, ticks=1000), scheme) < SAME


@pytest.mark.parametrize("variant", GROUNDS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_plant_agrees_with_dense_model_on_unequal_links(variant: str, scheme: Scheme) -> None:
    assert rms_difference(thrown(variant), scheme) < SAME


# What the reference itself has to satisfy.


def chain_in_free_flight() -> Case:
    """Torques act between the links only; neither ground nor obstacles."""
    case = thrown("frictionless")
    return case._replace(world=World(name="space", ground=Ground(friction=0.0)))


def test_dense_model_conserves_both_momenta_in_free_flight() -> None:
    case = chain_in_free_flight()
    model = DensePlanar(case.robot, case.world, case.servo, DT, "conserving")
    state, linear, angular = state_of(case.start), [], []
    for tick in range(len(case.commands.torque)):
        angle, rate, torque = (column[tick] for column in case.commands)
        for k in range(SUBSTEPS):
            before = state
            state = model.step(state, angle + rate * (k + 1) * DT, rate, torque)
            middle = model.last.middle  # the impulses act here: the angular momentum of this pose is the constant
            angular += [model.angular_momentum(middle), model.angular_momentum(at(middle, state))]
            linear += [model.mass @ before.velocity, model.mass @ state.velocity]
    round_off = 1e-12  # 300 steps; measured 1e-15 and 5e-15
    assert np.ptp(linear, axis=0).max() < round_off * np.abs(linear).max()
    assert np.ptp(angular) < round_off * np.abs(angular).max()


def at(pose: State, motion: State) -> State:
    return pose._replace(velocity=motion.velocity, rate=motion.rate)


@pytest.mark.parametrize("case", [on_track("weak servos with play", 15), thrown("rough")], ids=["track", "thrown"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_dense_steps_satisfy_every_law(case: Case, scheme: Scheme) -> None:
    model = DensePlanar(case.robot, case.world, case.servo, DT, scheme)
    state = state_of(case.start)
    for tick in range(15):
        angle, rate, torque = (column[tick] for column in case.commands)
        for k in range(SUBSTEPS):
            ref = angle + rate * (k + 1) * DT
            state = model.step(state, ref, rate, torque)
            end = model.solved
            assert impulse_balance_error(model, end) < 1e-13  # [N s]
            assert joint_error(model, end) < 1e-12  # [m/s]
            assert ground_error(model, end) < SHARE * 2.0  # [m/s], for links of at most 2 m/s
            assert model.last.obstacle.min(initial=0.0) > -1e-14  # [N s]
            assert model.last.clearance_rate.min(initial=0.0) > -1e-12  # [m/s]
            assert np.abs(model.last.obstacle * model.last.clearance_rate).max(initial=0.0) < 1e-13  # [J]
            np.testing.assert_allclose(
                model.last.servo, DT * servo_torque(model, end, ref, rate, torque), rtol=0, atol=1e-14
            )


def impulse_balance_error(model: DensePlanar, e: State) -> float:
    """M (u_E - u_A) against the sum of all impulses, P2 (55) and (56)."""
    acted = model.last
    gained = np.column_stack([e.velocity - acted.middle.velocity, e.rate - acted.middle.rate]).ravel()
    given = (
        model.joint_directions(acted.middle.angle) @ acted.joint.ravel()
        + model.ground_directions(acted.middle.angle) @ acted.ground.ravel()
        + model.obstacle_directions(acted.middle)[1] @ acted.obstacle
        + model.servo_directions() @ acted.servo
    )
    return float(np.abs(model.M @ gained - given).max())


def joint_error(model: DensePlanar, e: State) -> float:
    """Speed at which joints open: at M ("paper"), or between q_M and q_M + dt u_E."""
    middle = model.last.middle
    if model.scheme == "paper":
        u = np.column_stack([e.velocity, e.rate]).ravel()
        return float(np.abs(model.joint_directions(middle.angle).T @ u).max())
    centre = middle.position + DT * e.velocity
    arm = model.half[:, np.newaxis] * direction(middle.angle + DT * e.rate)
    return float(np.abs(centre[:-1] + arm[:-1] - centre[1:] + arm[1:]).max() / DT)


def ground_error(model: DensePlanar, e: State) -> float:
    """Inside the ellipse a centre rests; on its edge it slides along the inward normal, P2 (58)."""
    u = np.column_stack([e.velocity, e.rate]).ravel()
    sliding = (model.ground_directions(model.last.middle.angle).T @ u).reshape(-1, 2) * model.grip
    share = model.last.ground / model.grip
    assert np.linalg.norm(share, axis=1).max() <= 1 + SHARE
    power = np.linalg.norm(sliding, axis=1)  # the most that can be lost; what is lost has to be equal
    return float(np.abs(power + (sliding * share).sum(axis=1)).max() / model.grip.min())


def servo_torque(model: DensePlanar, e: State, ref: FloatArray, rate_ref: FloatArray, feed: FloatArray) -> FloatArray:
    """Servo at the end of the step, with play and limit, from its description."""
    servo, rate = model.servo, np.diff(e.rate)
    angle = np.diff(model.last.middle.angle) + DT / 2 * rate
    pull = servo.stiffness * (ref - angle) + servo.damping * (rate_ref - rate)
    play = servo.stiffness * servo.play / 2
    passed = np.sign(pull) * np.maximum(np.abs(pull) - play, 0.0)
    return np.asarray(np.clip(passed + feed, -servo.torque_limit, servo.torque_limit))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_dense_single_link_slides_to_rest(scheme: Scheme) -> None:
    """Speed falls by mu g dt in each step; the distance is that of the trapezium rule: v^2 / (2 mu g)."""
    robot = Robot(name="brick", links=(Link(length=0.1, mass=2.0, inertia=1e-3, radius=0.02),))
    model = DensePlanar(robot, worlds["plane"](friction=0.2), robot.servo, DT, scheme)
    speed = 100 * 0.2 * 9.81 * DT  # rests after 100 steps
    state = State(np.zeros((1, 2)), np.zeros(1), np.array([[0.6, 0.8]]) * speed, np.zeros(1))
    none = np.zeros(0)
    for _ in range(120):
        state = model.step(state, none, none, none)
    np.testing.assert_allclose(state.velocity, 0.0, atol=1e-13)
    np.testing.assert_allclose(np.hypot(*state.position[0]), speed**2 / (2 * 0.2 * 9.81), rtol=1e-11)


def test_dense_newton_and_gauss_seidel_agree() -> None:
    """Two methods, one answer: the fallback is as exact as what it replaces."""
    random = np.random.default_rng(3)
    for _ in range(5):
        discs, obstacles, joints = 3, 2, 2
        rows = 2 * discs + obstacles + joints
        half = random.normal(size=(rows, rows))
        law = ServoLaw(random.normal(size=joints), 0.5, 0.3, 0.2 * random.normal(size=joints), 0.8)
        problem = ContactProblem(
            half @ half.T + 0.1 * np.eye(rows),
            3 * random.normal(size=rows),
            discs,
            obstacles,
            law,
            np.ones(rows),
        )
        swept = np.zeros(rows)
        for _ in range(500):
            swept = problem._sweep(swept)
        np.testing.assert_allclose(problem.solve(np.zeros(rows)), swept, atol=1e-9)
