"""Extended ground laws against closed forms: sliding to rest, drag, friction torque, patches, easy directions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pushpoint.numerics import projections
from pushpoint.robots import Robot, Servo
from pushpoint.types import CommandTable
from pushpoint.worlds import Ground, Patch
from tests.verification.extended import GRAVITY, Run, body, chain_of, go, thrown, world_of

SKEWED = Ground(friction=0.1, friction_backward=0.4, friction_across=0.25)
DIRECTIONS = [(1.0, 0.0, 0.1), (-1.0, 0.0, 0.4), (0.0, 1.0, 0.25), (0.0, -1.0, 0.25)]
HALVINGS = (8e-3, 4e-3, 2e-3, 1e-3)


def slide(
    robot: Robot, ground: Ground, velocity: tuple[float, float], duration: float, dt: float, angle: float = 0.0
) -> Run:
    pose = thrown(robot, (0.0, 0.0), velocity, angle)
    return go(robot, world_of(ground=ground), pose, round(duration / dt), dt)


def slopes(errors: list[float]) -> list[float]:
    """Observed orders of convergence over halvings."""
    return [math.log2(a / b) for a, b in itertools.pairwise(errors)]


@pytest.mark.parametrize(("ux", "uy", "mu"), DIRECTIONS)
@pytest.mark.parametrize("angle", [0.0, 2.0])
def test_a_block_slides_to_rest(ux: float, uy: float, mu: float, angle: float) -> None:
    """Distance v^2 / (2 mu g), time v / (mu g), in the frame of the link."""
    speed, dt = 0.8, 1e-3
    c, s = math.cos(angle), math.sin(angle)
    velocity = (speed * (c * ux - s * uy), speed * (s * ux + c * uy))
    run = slide(body(), SKEWED, velocity, 1.2, dt, angle)
    distance = run.link[-1, 0, :2] @ np.array(velocity) / speed
    # Constant deceleration is integrated exactly; only the step in which it stops is not: v dt / 2 of a step that
    # starts at no more than mu g dt.
    assert distance == pytest.approx(speed**2 / (2 * mu * GRAVITY), abs=mu * GRAVITY * dt**2)
    stopped = run.energy[np.argmax(np.linalg.norm(run.link[:, 0, 3:5], axis=1) < 1e-9), 0]
    assert stopped == pytest.approx(speed / (mu * GRAVITY), abs=dt)
    assert run.step[:, 0].max() <= 1e-8
    # Nothing across the path: a force in a principal direction of the set does not turn.
    assert abs(run.link[-1, 0, :2] @ np.array([-velocity[1], velocity[0]])) <= 1e-12


def test_a_block_at_rest_stays() -> None:
    run = slide(body(), SKEWED, (0.0, 0.0), 0.2, 1e-2)
    assert np.all(run.link[:, 0, 3:6] == 0.0)


@pytest.mark.parametrize("forward", [0.1, 0.4])
def test_oblique_sliding_follows_the_half_ellipse(forward: float) -> None:
    """The force dissipates most of all in the set: (a^2 ux, b^2 uy) / |(a ux, b uy)| for semi-axes a, b."""
    ground, dt, v = Ground(friction=forward, friction_backward=0.4, friction_across=0.25), 1e-5, np.array([0.7, 0.5])
    run = slide(body(), ground, (float(v[0]), float(v[1])), 2 * dt, dt)
    a, b = forward, 0.25
    force = -np.array([a * a * v[0], b * b * v[1]]) / math.hypot(a * v[0], b * v[1]) * GRAVITY
    np.testing.assert_allclose(run.link[1, 0, 8:10], force, rtol=1e-3)  # direction changes by dt * mu g / v


def test_oblique_sliding_converges() -> None:
    """No closed form; the path against a fine one, first order or better."""
    fine = slide(body(), SKEWED, (0.7, 0.5), 0.16, 1.25e-4).link[-1, 0, :2]
    errors = [
        float(np.linalg.norm(slide(body(), SKEWED, (0.7, 0.5), 0.16, dt).link[-1, 0, :2] - fine)) for dt in HALVINGS
    ]
    assert min(slopes(errors)) > 0.8


@pytest.mark.parametrize(("velocity", "drag"), [((0.8, 0.0), 1.5), ((-0.8, 0.0), 1.5), ((0.0, 0.8), 4.0)])
def test_viscous_drag_decays_exponentially(velocity: tuple[float, float], drag: float) -> None:
    """v0 exp(-c t / m), first order."""
    ground, robot, t = Ground(friction=0.0, viscous=1.5, viscous_across=4.0), body(mass=2.0), 0.8
    errors = []
    for dt in HALVINGS:
        run = slide(robot, ground, velocity, t, dt)
        exact = 0.8 * math.exp(-drag * t / 2.0)
        errors.append(abs(float(np.linalg.norm(run.link[-1, 0, 3:5])) - exact))
    assert errors[-1] <= drag / 2.0 * t * 1e-3  # c t / m times dt c / m / 2 at most, of v0 < 1
    assert min(slopes(errors)) > 0.9


def test_viscous_and_dry() -> None:
    """m v' = -mu m g - c v: stops at (m / c) log(1 + c v0 / (mu m g))."""
    mass, drag, mu, speed = 2.0, 3.0, 0.1, 1.0
    ground, stop = Ground(friction=mu, viscous=drag), mass / drag * math.log(1 + drag * speed / (mu * mass * GRAVITY))
    distance = mass / drag * (speed - mu * GRAVITY * stop)
    errors = []
    for dt in HALVINGS:
        run = slide(body(mass=mass), ground, (speed, 0.0), 0.8, dt)
        errors.append(abs(run.link[-1, 0, 0] - distance))
        first = run.energy[np.argmax(run.link[:, 0, 3] < 1e-9), 0]
        assert first == pytest.approx(stop, abs=2 * dt)
    assert min(slopes(errors)) > 0.8
    assert errors[-1] <= 1e-3


@pytest.mark.parametrize("rate", [3.0, -3.0])
def test_friction_torque_stops_a_spinning_link(rate: float) -> None:
    """P1 (14): mu m g l / 2 with l half the length; the angle turned is w^2 I / (2 torque)."""
    mu, mass, length, inertia, dt = 0.3, 1.5, 0.4, 0.05, 1e-3
    robot = body(mass=mass, length=length, inertia=inertia)
    torque = mu * mass * GRAVITY * (length / 2) / 2
    pose = thrown(robot, (0.0, 0.0), (0.0, 0.0), rate=rate)
    run = go(robot, world_of(ground=Ground(friction=mu, torque=True)), pose, 600, dt)
    stopped = run.energy[np.argmax(np.abs(run.link[:, 0, 5]) < 1e-9), 0]
    assert stopped == pytest.approx(abs(rate) * inertia / torque, abs=dt)
    turned = math.copysign(rate**2 * inertia / (2 * torque), rate)
    assert run.link[-1, 0, 2] == pytest.approx(turned, abs=torque / inertia * dt**2)
    without = go(robot, world_of(ground=Ground(friction=mu)), pose, 100, dt)
    assert without.link[-1, 0, 5] == pytest.approx(rate, rel=1e-12)


def test_friction_torque_holds_against_less() -> None:
    """A link that is at rest stays at rest under a smaller torque: stick. Two links, feed-forward at their joint."""
    robot = chain_of(2)
    hold = 0.5 * 0.5 * GRAVITY * 0.06 / 2  # mu m g l / 2
    table = CommandTable(np.zeros((50, 1)), np.zeros((50, 1)), np.full((50, 1), 0.9 * hold))
    run = go(robot, world_of(ground=Ground(friction=0.5, torque=True)), thrown(robot, (0, 0), (0, 0)), 50, table=table)
    assert np.abs(run.link[:, :, 5]).max() <= 1e-9


def test_a_patch_of_higher_friction() -> None:
    """1/2 v^2 = mu g x: the distance into the patch from the energy that is left at its border. Centres decide."""
    speed, border, dt = 1.0, 0.3, 5e-4
    patch = Patch(x_min=border, x_max=9.0, y_min=-1.0, y_max=1.0, friction=0.5)
    ground = Ground(friction=0.1, patches=(patch,))
    run = slide(body(), ground, (speed, 0.0), 1.0, dt)
    inside = (speed**2 / 2 - 0.1 * GRAVITY * border) / (0.5 * GRAVITY)
    # The step across the border has one law or the other: (0.5 - 0.1) g dt of speed, times the time that is left.
    assert run.link[-1, 0, 0] == pytest.approx(border + inside, abs=0.4 * GRAVITY * dt * 0.25)


def test_of_patches_that_overlap_the_last_counts() -> None:
    whole = {"x_min": -1.0, "x_max": 1.0, "y_min": -1.0, "y_max": 1.0}
    ground = Ground(friction=0.1, patches=(Patch(friction=0.5, **whole), Patch(friction=0.2, **whole)))
    run = slide(body(), ground, (0.5, 0.0), 0.5, 1e-3)
    assert run.link[-1, 0, 0] == pytest.approx(0.25 / (2 * 0.2 * GRAVITY), abs=1e-5)


def test_a_patch_of_ice_lets_go_and_holds_again() -> None:
    """The law of a patch holds only in it: speed is constant on ice between two dry stretches."""
    ice = Patch(x_min=0.1, x_max=0.4, y_min=-1.0, y_max=1.0, friction=0.0)
    run = slide(body(), Ground(friction=0.2, patches=(ice,)), (1.0, 0.0), 1.0, 1e-3)
    x, v = run.link[:, 0, 0], run.link[:, 0, 3]
    on = (x > 0.101) & (x < 0.399)
    assert np.ptp(v[on]) <= 1e-12
    assert run.link[-1, 0, 0] == pytest.approx(0.3 + 1 / (2 * 0.2 * GRAVITY), abs=1e-3 * 0.2 * GRAVITY)


def inchworm(ground: Ground, seconds: float = 3.0) -> float:
    """How far three links that fold and stretch get, forward positive [m]."""
    robot, dt, tick = chain_of(3), 5e-3, 1e-2
    time = tick * np.arange(round(seconds / tick))[:, np.newaxis]
    fold = 0.8 * (1 - np.cos(2 * math.pi * time)) / 2
    rate = 0.8 * math.pi * np.sin(2 * math.pi * time)
    sign = np.array([[1.0, -1.0]])
    table = CommandTable(fold * sign, rate * sign, np.zeros((len(time), 2)))
    pose = thrown(robot, (0.0, 0.0), (0.0, 0.0))
    servo = Servo(stiffness=80.0, damping=1.0)
    run = go(robot, world_of(ground=ground), pose, len(time), dt, 2, servo, table)
    return float((run.link[-1, :, 0] - run.link[0, :, 0]).mean())


def test_a_gait_moves_to_the_easy_side() -> None:
    easy = inchworm(Ground(friction=0.1, friction_backward=0.5, friction_across=0.1))
    hard = inchworm(Ground(friction=0.5, friction_backward=0.1, friction_across=0.1))
    same = inchworm(Ground(friction=0.3, friction_across=0.1))
    assert easy > 0.01
    assert hard == pytest.approx(-easy, rel=1e-3)  # a mirror image
    # A fold that comes and goes along one path has no direction on an even ground, but for how it starts from rest.
    assert abs(same) <= 0.05 * easy


# The set of friction impulses.
nearest = projections.project_half_ellipses.py_func
SKEW = st.one_of(st.floats(0.01, 1.0), st.floats(-1.0, -0.01), st.just(0.0))
NUMBER = st.floats(-4.0, 4.0)


def border(radius: float, skew: float, points: int = 4000) -> np.ndarray:
    phi = np.linspace(-math.pi, math.pi, points)
    x, y = radius * np.cos(phi), radius * np.sin(phi)
    return np.stack([np.where(x * skew > 0, abs(skew) * x, x), y], axis=1)


def is_inside(x: float, y: float, radius: float, skew: float) -> bool:
    return (x / abs(skew) if x * skew > 0 else x) ** 2 + y * y <= radius * radius


@settings(max_examples=300, derandomize=True, deadline=None)
@given(NUMBER, NUMBER, st.floats(0.05, 3.0), SKEW)
def test_projection_is_the_nearest_point(x: float, y: float, radius: float, skew: float) -> None:
    px, py, tx, ty, share = nearest(x, y, radius, skew)
    if is_inside(x, y, radius, skew):
        assert (px, py) == (x, y)
        assert share > 1
        return
    best = np.min(np.linalg.norm(border(radius, skew) - (x, y), axis=1))
    mine = math.hypot(px - x, py - y)
    assert mine <= best + 1e-12
    assert mine >= best - 2e-3 * radius  # spacing of the samples
    assert projections.half_ellipse_share.py_func(px, py, radius, skew) == pytest.approx(1.0, abs=1e-9)
    assert math.hypot(tx, ty) == pytest.approx(1.0, abs=1e-12)
    # What was cut off is normal to the border.
    assert abs((x - px) * tx + (y - py) * ty) <= 1e-9 * (1 + mine)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(NUMBER, NUMBER, NUMBER, NUMBER, st.floats(0.05, 3.0), SKEW)
def test_projection_is_firmly_non_expansive(a: float, b: float, c: float, d: float, radius: float, skew: float) -> None:
    """|Px - Py|^2 <= (Px - Py) . (x - y), which every projection on a convex set satisfies."""
    p, q = np.array(nearest(a, b, radius, skew)[:2]), np.array(nearest(c, d, radius, skew)[:2])
    moved = p - q
    assert moved @ moved <= moved @ np.array([a - c, b - d]) + 1e-12


@settings(max_examples=300, derandomize=True, deadline=None)
@given(NUMBER, NUMBER, st.floats(0.05, 3.0), SKEW, st.floats(-math.pi, math.pi))
def test_derivative_of_the_projection(x: float, y: float, radius: float, skew: float, phi: float) -> None:
    """Outside: share t t'. Away from kinks: the border, and the line where the halves meet."""
    px, py, tx, ty, share = nearest(x, y, radius, skew)
    away = math.hypot(px - x, py - y)
    assume(share <= 1 and away > 1e-3 and abs(x) > 1e-3)
    h, ux, uy = 1e-6, math.cos(phi), math.sin(phi)
    ahead, behind = nearest(x + h * ux, y + h * uy, radius, skew), nearest(x - h * ux, y - h * uy, radius, skew)
    slope = np.array([ahead[0] - behind[0], ahead[1] - behind[1]]) / (2 * h)
    np.testing.assert_allclose(slope, share * (tx * ux + ty * uy) * np.array([tx, ty]), atol=1e-5)
