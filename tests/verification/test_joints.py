"""Joints with springs, dampers, armature and stops: two links in space against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pushpoint.robots import Joint, Link, Robot, Servo
from pushpoint.types import CommandTable
from pushpoint.worlds import Ground
from tests.verification.extended import Run, chain_of, go, ledger_gap, thrown, world_of

MASS, LENGTH, INERTIA = 0.5, 0.12, 1.2e-3
# Two equal straight links turn with -q'/2 and q'/2 about their centres, which then stay where they are.
RELATIVE = INERTIA / 2  # of energy RELATIVE q'^2 / 2


def two(joint: Joint) -> Robot:
    return chain_of(2, joint)


def swing(joint: Joint, angle: float, rate: float, duration: float, dt: float = 1e-3, **more: object) -> Run:
    """Two links on ice, let go at a joint angle and rate. Small angles: straight links, no net motion of centres."""
    robot = two(joint)
    pose = thrown(robot, (0.0, 0.0), (0.0, 0.0), 0.0, 0.0, np.array([angle]), np.array([rate]))
    return go(robot, world_of(), pose, round(duration / dt), dt, **more)


def joint_angle(run: Run) -> np.ndarray:
    return np.asarray(run.link[:, 1, 2] - run.link[:, 0, 2])


def joint_rate(run: Run) -> np.ndarray:
    return np.asarray(run.link[:, 1, 5] - run.link[:, 0, 5])


def period(run: Run, dt: float) -> float:
    """From crossings of zero, interpolated [s]."""
    q = joint_angle(run)
    k = np.flatnonzero((q[:-1] > 0) & (q[1:] <= 0))
    cross = (k + q[k] / (q[k] - q[k + 1])) * dt
    return float((cross[-1] - cross[0]) / (len(cross) - 1))


@pytest.mark.parametrize("armature", [0.0, 3e-4, 5e-3])
@pytest.mark.parametrize("stiffness", [0.05, 0.4])
def test_a_spring_swings_at_its_frequency(stiffness: float, armature: float) -> None:
    """2 pi sqrt((I / 2 + armature) / k): the links' relative inertia, and the motor's on top."""
    exact = 2 * math.pi * math.sqrt((RELATIVE + armature) / stiffness)
    dt = exact / 2000
    run = swing(Joint(stiffness=stiffness, armature=armature), 0.02, 0.0, 3.3 * exact, dt)
    # The spring is taken at the end of a step: damping of order dt, frequency of order dt^2; angles of 0.02 rad are
    # small to 1e-4.
    assert period(run, dt) == pytest.approx(exact, rel=3e-4)
    amplitude = np.abs(joint_angle(run)[-round(exact / dt) :]).max()
    assert amplitude == pytest.approx(0.02, rel=0.05)


def test_the_numerical_damping_of_a_spring_is_first_order() -> None:
    """Amplitude after three periods: exp(-w^2 dt t / 4) of the implicit spring, so that halving dt halves the loss."""
    exact = 2 * math.pi * math.sqrt(RELATIVE / 0.4)
    losses = []
    for steps in (200, 400, 800):
        run = swing(Joint(stiffness=0.4), 0.02, 0.0, 3 * exact, exact / steps)
        energy = 0.5 * 0.4 * joint_angle(run)[-1] ** 2 + run.energy[-1, 1]
        losses.append(1 - math.sqrt(energy / (0.5 * 0.4 * 0.02**2)))
    assert losses[0] / losses[1] == pytest.approx(2.0, abs=0.3)
    assert losses[1] / losses[2] == pytest.approx(2.0, abs=0.3)


def test_a_spring_rests_at_its_angle() -> None:
    run = swing(Joint(stiffness=0.5, angle=0.4, damping=0.01), 0.0, 0.0, 3.0)
    assert joint_angle(run)[-1] == pytest.approx(0.4, abs=1e-6)


@pytest.mark.parametrize("armature", [0.0, 2e-3])
def test_a_damper_slows_down(armature: float) -> None:
    """Rate exp(-d t / (I / 2 + armature)), first order in dt."""
    errors, inertia, t = [], RELATIVE + armature, 0.1
    damping = 10 * inertia
    for dt in (2e-3, 1e-3, 5e-4):
        run = swing(Joint(damping=damping, armature=armature), 0.0, 0.05, t, dt)
        errors.append(abs(joint_rate(run)[-1] / 0.05 - math.exp(-damping * t / inertia)))
    assert errors[-1] <= 10 * 5e-4  # d / I * dt / 2 * (d / I t e^-1)
    assert math.log2(errors[0] / errors[1]) > 0.8
    assert math.log2(errors[1] / errors[2]) > 0.8


def test_springs_and_dampers_never_add_energy() -> None:
    """Kinetic energy, that of the springs, and that of the motors: never more, whatever the step."""
    for dt in (1e-3, 1e-2):
        joint = Joint(stiffness=3.0, angle=0.3, damping=0.002, armature=5e-4)
        robot = chain_of(5, joint)
        rng = np.random.default_rng(3)
        pose = thrown(robot, (0, 0), (0.3, 0), 0.2, 1.0, rng.uniform(-0.8, 0.8, 4), rng.uniform(-3, 3, 4))
        run = go(robot, world_of(ground=Ground(friction=0.1)), pose, round(1.0 / dt), dt)
        q, w = np.diff(run.link[:, :, 2], axis=1), np.diff(run.link[:, :, 5], axis=1)
        total = run.energy[:, 1] + 0.5 * 3.0 * ((q - 0.3) ** 2).sum(axis=1) + 0.5 * 5e-4 * (w**2).sum(axis=1)
        assert np.diff(total).max() <= 1e-9 * total[0]
        assert ledger_gap(run) <= 1e-9


@pytest.mark.parametrize("limits", [(-0.3, 0.2), (0.0, 0.2), (-0.05, 0.05)])
@pytest.mark.parametrize("rate", [3.0, -3.0])
def test_stops_hold(limits: tuple[float, float], rate: float) -> None:
    """Never past a stop, which only pushes back and takes all relative motion: inelastic."""
    lower, upper = limits
    start = (lower + upper) / 2
    run = swing(Joint(lower=lower, upper=upper), start, rate, 0.4, 1e-3)
    q = joint_angle(run)
    assert q.min() >= lower - 1e-9
    assert q.max() <= upper + 1e-9
    assert q[-1] == pytest.approx(upper if rate > 0 else lower, abs=1e-9)
    assert abs(joint_rate(run)[-1]) <= 1e-7
    torque = run.link[1:, 1, 10]
    assert (torque * rate).max() <= 1e-9  # against the motion, never with it
    np.testing.assert_allclose(run.link[-1, :, 3:5].mean(axis=0), 0.0, atol=1e-9)


@pytest.mark.parametrize("servo", [Servo(), Servo(stiffness=50.0, damping=0.5)])
def test_stops_hold_against_servos(servo: Servo) -> None:
    """References beyond the stops, in chains that lie on the ground."""
    joint = Joint(lower=-0.4, upper=0.25)
    robot = chain_of(5, joint)
    reference = np.tile([1.0, -1.0, 0.8, -0.1], (100, 1))
    feed = np.tile([0.3, -0.3, 0.0, 0.1], (100, 1))
    table = CommandTable(reference, np.zeros((100, 4)), feed)
    pose = thrown(robot, (0, 0), (0, 0))
    run = go(robot, world_of(ground=Ground(friction=0.2)), pose, 100, 5e-3, 2, servo, table)
    q = np.diff(run.link[:, :, 2], axis=1)
    assert q.min() >= -0.4 - 1e-9
    assert q.max() <= 0.25 + 1e-9
    assert q[-1, 0] == pytest.approx(0.25, abs=1e-6)
    assert q[-1, 1] == pytest.approx(-0.4, abs=1e-6)
    assert run.step[:, 0].max() <= 1e-8


@pytest.mark.parametrize("ground", [0.0, 0.2])
def test_a_locked_joint_makes_one_body_of_two(ground: float) -> None:
    """lower == upper: like a robot of one link with the mass and inertia of both. No ground: torque-free rotation."""
    joint = Joint(lower=0.0, upper=0.0)
    robot = chain_of(3, joint)
    pose = thrown(robot, (0, 0), (0.5, 0.2), 0.3, 2.0)
    run = go(robot, world_of(ground=Ground(friction=ground)), pose, 200, 5e-3)
    q = np.diff(run.link[:, :, 2], axis=1)
    assert np.abs(q).max() <= 1e-9
    if ground == 0.0:
        rate = run.link[:, :, 5]
        assert np.abs(rate - 2.0).max() <= 2.0 * (2.0 * 5e-3) ** 2 / 12  # chords of a step, of order (w dt)^2
        middle = run.link[:, 1]
        np.testing.assert_allclose(middle[-1, :2], (0.5, 0.2), atol=1e-6)
    assert run.step[:, 0].max() <= 1e-8


def test_a_locked_bent_joint_stays_bent() -> None:
    robot = chain_of(2, Joint(lower=0.5, upper=0.5))
    pose = thrown(robot, (0, 0), (0.5, 0.2), 0.3, 2.0, np.array([0.5]))
    run = go(robot, world_of(), pose, 300, 5e-3)
    assert np.abs(joint_angle(run) - 0.5).max() <= 1e-9
    # A rigid body's rate stays. The scheme's error in it is of order dt^2.
    assert np.abs(run.link[:, :, 5] - 2.0).max() <= 1e-3


def test_a_joint_that_is_not_actuated_takes_no_torque() -> None:
    """Neither servo nor feed-forward: as if they were not there. Its neighbour takes both."""
    links = (Link(length=LENGTH, mass=MASS, inertia=INERTIA, radius=0.03),) * 3
    robot = Robot(name="half", links=links, joints=(Joint(actuated=False), Joint()))
    servo = Servo(stiffness=5.0, damping=0.1)
    table = CommandTable(np.full((50, 2), 0.5), np.zeros((50, 2)), np.full((50, 2), 0.2))
    pose = thrown(robot, (0, 0), (0, 0))
    run = go(robot, world_of(), pose, 50, 5e-3, servo=servo, table=table)
    assert np.all(run.link[:, 1, 10] == 0.0)
    assert np.abs(run.link[1:, 2, 10]).max() > 0.1
    all_off = robot.model_copy(update={"joints": (Joint(actuated=False),) * 2})
    idle = go(all_off, world_of(), pose, 50, 5e-3, servo=servo, table=table)
    np.testing.assert_array_equal(idle.link[-1, :, :3], idle.link[0, :, :3])


def test_a_passive_joint_still_has_its_spring() -> None:
    """Not actuated, with a spring: the same motion as that of a servo with this stiffness and no damping."""
    spring = swing(Joint(actuated=False, stiffness=0.4, damping=1e-4), 0.3, 0.0, 0.3)
    servo = swing(Joint(lower=-3.0), 0.3, 0.0, 0.3, servo=Servo(stiffness=0.4, damping=1e-4))
    np.testing.assert_allclose(joint_angle(spring), joint_angle(servo), atol=1e-7)


def test_armature_changes_no_momentum() -> None:
    robot = chain_of(4, Joint(armature=0.01, stiffness=1.0))
    rng = np.random.default_rng(5)
    pose = thrown(robot, (0, 0), (0.3, 0.1), 0.2, 1.0, rng.uniform(-0.8, 0.8, 3), rng.uniform(-3, 3, 3))
    run = go(robot, world_of(), pose, 300, 5e-3)
    mass = np.full(4, MASS)
    linear = np.einsum("i,tik->tk", mass, run.link[:, :, 3:5])
    r, v = run.link[:, :, :2], run.link[:, :, 3:5]
    spin = (MASS * (r[..., 0] * v[..., 1] - r[..., 1] * v[..., 0]) + INERTIA * run.link[:, :, 5]).sum(axis=1)
    np.testing.assert_allclose(linear, np.tile(linear[0], (301, 1)), atol=1e-9)
    np.testing.assert_allclose(spin, spin[0], atol=1e-9)
