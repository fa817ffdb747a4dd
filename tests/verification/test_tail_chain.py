"""Tail coordinates (P4 chapter 2) against MuJoCo, finite differences and conservation of energy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pushpoint.errors import InvalidInput
from pushpoint.mechanics.peg_contacts import PegContacts, peg_contacts
from pushpoint.mechanics.pose import planar_pose
from pushpoint.mechanics.tail_chain import TailChain, TailState
from pushpoint.robots import Joint, Link, Robot, robots
from pushpoint.types import FloatArray
from tests.verification.chains import flung

SIZES = [3, 4, 6, 14, 25, 40]
H = 5e-5  # [s], step of differences: the head of 40 links at 20 m/s passes a peg of 0.1 m
EXACT = 1e-8  # relative; measured 8e-11 at most (differences at 40 links), 1e-14 against MuJoCo


def uneven(links: int, armature: float = 0.0) -> Robot:
    random = np.random.default_rng(links)
    parts = tuple(
        Link(
            length=random.uniform(0.1, 0.4),
            mass=random.uniform(0.3, 2.0),
            inertia=random.uniform(1e-3, 1e-2),
            radius=random.uniform(0.02, 0.05),
        )
        for _ in range(links)
    )
    return Robot(name="uneven", links=parts, joints=(Joint(armature=armature),) * (links - 1))


def moving_chain(links: int, seed: int = 3, armature: float = 0.0) -> TailState:
    chain, random = TailChain.of(uneven(links, armature)), np.random.default_rng(seed)
    return chain.at(random.uniform(-0.8, 0.8, links + 2), random.uniform(-1.0, 1.0, links + 2))


def off(a: FloatArray, b: FloatArray) -> float:
    """Largest difference over the largest entry."""
    return float(np.abs(a - b).max() / max(1e-12, np.abs(b).max()))


def along_motion(state: TailState, acceleration: FloatArray, dt: float) -> TailState:
    """dt later on a motion with that acceleration."""
    q = state.q + dt * state.rate + 0.5 * dt**2 * acceleration
    return state.chain.at(q, state.rate + dt * acceleration)


def differentiated(of: Callable[[float], FloatArray], h: float) -> FloatArray:
    """Derivative at zero of a function of time, of sixth order."""
    terms = ((1, 45.0), (2, -9.0), (3, 1.0))
    return np.asarray(sum(c * (of(k * h) - of(-k * h)) for k, c in terms) / (60.0 * h))


@pytest.mark.parametrize("links", SIZES)
@pytest.mark.parametrize("armature", [0.0, 0.02])
def test_mass_matrix_and_coriolis_force_are_those_of_mujoco(links: int, armature: float) -> None:
    mujoco = pytest.importorskip("mujoco")
    state = moving_chain(links, armature=armature)
    model = mujoco.MjModel.from_xml_string(mjcf(uneven(links, armature)))
    data = mujoco.MjData(model)
    order = [links, links + 1, *range(links)]  # MuJoCo's: x, y, then the angles
    data.qpos[:], data.qvel[:] = state.q[order], state.rate[order]
    mujoco.mj_forward(model, data)
    M = np.zeros((links + 2, links + 2))
    for row, unit in zip(M, np.eye(links + 2), strict=True):
        mujoco.mj_mulM(model, data, row, unit)
    assert off(state.mass_matrix[np.ix_(order, order)], M) < EXACT
    assert off(state.coriolis_force[order], data.qfrc_bias) < EXACT


def mjcf(robot: Robot) -> str:
    """The chain on two slides and hinges; no gravity, no contacts."""
    body, end = "", ""
    for i, link in enumerate(robot.links):
        at = 0.0 if i == 0 else robot.links[i - 1].length
        slides = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>' if i == 0 else ""
        armature = robot.joint(i - 1).armature if i else 0.0
        body += (
            f'<body pos="{at!r} 0 0">{slides}<joint type="hinge" axis="0 0 1" armature="{armature!r}"/>'
            f'<inertial pos="{link.length / 2!r} 0 0" mass="{link.mass!r}" diaginertia="{link.inertia!r} '
            f'{link.inertia!r} {link.inertia!r}"/>'
        )
        end += "</body>"
    return f'<mujoco><option gravity="0 0 0"/><worldbody>{body}{end}</worldbody></mujoco>'


@pytest.mark.parametrize("links", SIZES)
def test_rate_of_mass_matrix_less_twice_coriolis_matrix_is_skew(links: int) -> None:
    state = moving_chain(links)
    still = np.zeros(links + 2)
    rate = differentiated(lambda t: along_motion(state, still, t).mass_matrix, H)
    skew = rate - 2.0 * state.coriolis_matrix
    assert off(skew + skew.T + rate, rate) < EXACT
    assert off(state.coriolis_matrix @ state.rate, state.coriolis_force) < 1e-12


@pytest.mark.parametrize("links", SIZES)
def test_kinetic_energy_is_half_rate_m_rate(links: int) -> None:
    state = moving_chain(links, armature=0.01)
    assert state.energy == pytest.approx(state.rate @ state.mass_matrix @ state.rate / 2, rel=1e-12)


def test_coasting_chain_keeps_energy_and_linear_momentum() -> None:
    """Runge-Kutta of fourth order on M q'' + C q' = 0; measured 2e-10 of the energy after 1 s."""
    chain, n = TailChain.of(uneven(8)), 8
    state = moving_chain(n)
    y, h = np.concatenate([state.q, state.rate]), 1e-3

    def slope(y: FloatArray) -> FloatArray:
        at = chain.at(y[: n + 2], y[n + 2 :])
        return np.concatenate([at.rate, np.linalg.solve(at.mass_matrix, -at.coriolis_force)])

    for _ in range(1000):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + h * k3))
    end = chain.at(y[: n + 2], y[n + 2 :])
    assert end.energy == pytest.approx(state.energy, rel=1e-8)
    assert off((chain.mass @ end.velocities), chain.mass @ state.velocities) < 1e-8


@pytest.mark.parametrize("links", SIZES)
def test_points_move_as_their_jacobians_say(links: int) -> None:
    state, random = moving_chain(links), np.random.default_rng(5)
    link = np.array([0, links // 2, links - 1])
    along, left, acceleration = random.uniform(0, 0.3, 3), random.uniform(-0.1, 0.1, 3), random.normal(size=links + 2)

    def later(t: float) -> TailState:
        return along_motion(state, acceleration, t)

    points = state.points(link, along, left)
    velocity = differentiated(lambda t: later(t).points(link, along, left).position, H)
    change = differentiated(lambda t: later(t).points(link, along, left).velocity, H)
    assert off(points.velocity, velocity) < EXACT
    assert off(points.jacobian @ state.rate, points.velocity) < 1e-12
    assert off(points.jacobian @ acceleration + points.bias, change) < EXACT


def cases(state: TailState) -> tuple[np.ndarray, FloatArray, FloatArray]:
    """Pegs beside the middle of a link on both sides, at both ends of one, and straight ahead of the head."""
    n = state.chain.links
    link = np.array([0, n // 2, n // 2, 1, n - 1, n - 1])
    place = np.array([0.5, 0.3, 0.7, -0.2, 1.2, 1.4]) * state.chain.length[link]
    aside = np.array([0.15, -0.14, 0.2, 0.16, -0.1, 0.01])
    centre = state.joints[link] + place[:, None] * state.forward[link] + aside[:, None] * state.left[link]
    return link, centre, np.full(len(link), 0.07)


@pytest.mark.parametrize("links", SIZES)
def test_gaps_have_exact_first_and_second_derivatives(links: int) -> None:
    state = moving_chain(links)
    acceleration = np.random.default_rng(7).normal(size=links + 2)
    pairs = cases(state)

    def later(t: float) -> PegContacts:
        return peg_contacts(along_motion(state, acceleration, t), *pairs)

    now = peg_contacts(state, *pairs)
    assert {-1, 0, 1} == set(now.at_end.tolist())
    assert off(now.gap_rate, differentiated(lambda t: later(t).gap, H)) < EXACT
    assert off(now.normal_jacobian @ state.rate, now.gap_rate) < 1e-12
    second = differentiated(lambda t: later(t).gap_rate, H)
    assert off(now.normal_jacobian @ acceleration + now.bias, second) < EXACT


def test_gap_normal_and_point_are_geometric() -> None:
    state = moving_chain(6)
    link, centre, radius = cases(state)
    now = peg_contacts(state, link, centre, radius)
    reach = centre + (now.gap + radius)[:, None] * now.normal  # from the centre over peg and gap to the link's surface
    assert np.abs(reach - now.point).max() < 1e-12
    assert np.abs((now.normal * now.tangent).sum(axis=1)).max() < 1e-12
    assert ((now.tangent * state.forward[link]).sum(axis=1) > 0.0)[:3].all()
    surface = state.points(link, now.along, np.zeros(6))
    offset = now.point - surface.position
    turning = state.turning[link, None] * np.stack([-offset[:, 1], offset[:, 0]], axis=1)
    slide = ((surface.velocity + turning) * now.tangent).sum(axis=1)
    assert np.abs(now.tangent_jacobian @ state.rate - slide).max() < 1e-12


def test_poses_go_there_and_back() -> None:
    robot = uneven(9)
    pose = flung(robot)
    chain, left = TailChain.of(robot), np.array([-np.sin(pose.angle[0]), np.cos(pose.angle[0])])
    tail = pose.velocity[0] - pose.rate[0] * chain.length[0] / 2 * left  # velocity of the tail's end
    rate = np.concatenate([pose.rate[:1], np.diff(pose.rate), tail])
    back = chain.at(chain.q_of(pose.angle, 0, pose.position[0]), rate).pose()
    for there, again in zip((pose.position, pose.angle, pose.velocity, pose.rate), vars_of(back), strict=True):
        assert np.abs(there - again).max() < 1e-12


def vars_of(pose: object) -> tuple[FloatArray, ...]:
    return pose.position, pose.angle, pose.velocity, pose.rate  # type: ignore[attr-defined]


def test_phi_are_the_joint_angles() -> None:
    """phi_i of P4 is the angle of joint i - 1 here."""
    joint_angle = np.array([0.1, -0.2, 0.3])
    pose = planar_pose(uneven(4), joint_angle, 0.5, (1.0, 2.0))
    q = TailChain.of(uneven(4)).q_of(pose.angle, 0, pose.position[0])
    assert q[1:4] == pytest.approx(joint_angle)
    assert q[0] == pytest.approx(pose.angle[0])


def test_torque_acts_on_both_sides_of_a_joint() -> None:
    """The power of a torque is that times the joint rate."""
    state = moving_chain(5)
    torque = np.array([1.0, -2.0, 3.0, 0.5])
    power = torque @ np.diff(state.turning)
    assert (state.chain.actuation @ torque) @ state.rate == pytest.approx(power)


def test_robots_that_leave_the_plane_are_refused() -> None:
    with pytest.raises(InvalidInput, match="yaw axes only"):
        TailChain.of(robots["aiko-cardan"]())
