"""The planar hybrid plant against P1's matrices, finite differences and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control.jam_resolution import head_offset_weights
from pushpoint.mechanics.pose import moving, planar_pose
from pushpoint.numerics.lcp.basis import SOLVED
from pushpoint.numerics.lcp.friction import friction_bound
from pushpoint.plants.planar_hybrid.flow import PULL, RATE
from pushpoint.plants.planar_hybrid.model import SLOTS
from pushpoint.robots import Servo, robots
from pushpoint.types import FloatArray, Pose
from pushpoint.worlds import Disc
from tests.verification.chains import uneven
from tests.verification.dense_hybrid import DenseChain, DenseHybrid, Motion, Physics, select
from tests.verification.hybrid_cases import (
    ROWS,
    SIZES,
    equal_links,
    off,
    pose_of,
    random_alpha,
    random_motion,
    touching,
)
from tests.verification.hybrids import (
    CHAIN,
    GATHER,
    JUMP,
    SLOPES,
    go,
    model,
    robot_of,
    rod,
    world_of,
)


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("n", SIZES)
def test_accelerations_are_those_of_the_dense_matrices(n: int, printed: bool) -> None:
    """P1 (52) and (53) with up to five contacts; also servos, ground friction and what is integrated along."""
    random = np.random.default_rng(100 * n + printed)
    sign = "printed" if printed else "physical"
    for _ in range(15):
        has = Physics(*random.uniform((0.05, 0.5, 1e-3), (0.1, 1.5, 5e-3)), mu=0.3, mu_o=0.2, printed=printed)
        servo = Servo(stiffness=20.0, damping=5.0, torque_limit=random.choice([3.0, math.inf]))
        at, alpha = random_motion(n, random), random_alpha(n, 5, random)
        world = world_of(Disc(x=0.0, y=0.0, radius=0.1, friction=has.mu_o), friction=has.mu, torque=True)
        robot = equal_links(n, has)
        mod = model(robot, world, pose_of(robot, at), servo, obstacle_friction=sign)
        touching(mod, alpha)
        since, (reference, rate, feed) = 0.003, random.normal(size=(3, n - 1))
        for name, values in (("reference", reference), ("reference_rate", rate), ("feed", feed)):
            mod.problem.link[name][1:] = values
        wanted = 20.0 * (reference + rate * since - np.diff(at.theta)) + 5.0 * (rate - np.diff(at.dtheta)) + feed
        torque = np.clip(wanted, -servo.torque_limit, servo.torque_limit)
        dense = DenseHybrid(n, has)
        expected, force = dense.accelerations(at, torque, alpha)
        assert mod.call(SLOPES, since) == SOLVED
        found = mod.problem.slope[0]
        # Round-off of both, amplified by M: measured 8e-15 at most.
        assert off(found[n + 2 : 2 * n + 4], expected) <= 1e-10
        np.testing.assert_allclose(found[: n + 2], at.dq, atol=1e-13)
        sums, push = found[2 * n + 4 : 5 * n + 4].reshape(n, 3), found[5 * n + 4 : 7 * n + 4].reshape(n, 2)
        np.testing.assert_allclose(sums[1:, 2], torque, rtol=1e-12, atol=1e-12)
        v = dense.velocities(at)
        assert off(sums[:, :2], -0.3 * has.m * 9.81 * v / np.sqrt((v**2).sum(axis=1) + 1e-6)[:, np.newaxis]) <= 1e-12
        across = push[:, 1] * np.cos(at.theta) - push[:, 0] * np.sin(at.theta)
        held = np.flatnonzero(alpha)
        assert np.abs(across[held] * alpha[held] - force).max(initial=0.0) <= 1e-9 * max(1.0, force.max(initial=0.0))
        # The powers add up to what the kinetic energy gains, here by central differences over 2e-6 s.
        power, h = found[7 * n + 4 :].sum(), 1e-6
        later, before = (
            dense.kinetic_energy(
                Motion(at.theta + d * at.dtheta, at.p, at.dtheta + d * expected[:n], at.dp + d * expected[n:])
            )
            for d in (h, -h)
        )
        assert power == pytest.approx((later - before) / (2 * h), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("n", SIZES)
def test_constraint_rows_are_derivatives(n: int) -> None:
    """C of P1 (37) gives normal velocities, (39) is its derivative; the plant has the same speeds and biases."""
    random = np.random.default_rng(n)
    has = Physics(l=0.07, m=1.0, J=0.0016)
    dense = DenseHybrid(n, has)
    at, h = random_motion(n, random), 1e-5
    v, normal = dense.velocities(at), np.stack([-np.sin(at.theta), np.cos(at.theta)], axis=1)
    np.testing.assert_allclose(dense.constraints(at.theta) @ at.dq, (v * normal).sum(axis=1), atol=1e-13)
    moved = (dense.positions(at._replace(theta=at.theta + d * at.dtheta, p=at.p + d * at.dp)) for d in (h, -h))
    np.testing.assert_allclose(v, np.subtract(*moved) / (2 * h), atol=1e-8)  # h^2 of the differences
    later, before = (dense.constraints(at.theta + d * at.dtheta) for d in (h, -h))
    np.testing.assert_allclose(dense.constraints_rate(at), (later - before) / (2 * h), atol=1e-8)
    robot = equal_links(n, has)
    mod = model(robot, world_of(Disc(x=0.0, y=0.0, radius=0.1)), pose_of(robot, at))
    alpha = random.choice([-1, 1], n)
    touching(mod, alpha)
    mod.call(GATHER)
    rows = mod.contacts()
    np.testing.assert_allclose(rows["speed"], alpha * (dense.constraints(at.theta) @ at.dq), atol=1e-13)
    # The plant takes accelerations of links whole: what turning does to the centres is not in its bias.
    lever = DenseChain(np.full(n, has.l), np.full(n, has.m), np.full(n, has.J)).lever
    turning = -lever @ (np.stack([np.cos(at.theta), np.sin(at.theta)], axis=1) * (at.dtheta**2)[:, np.newaxis])
    bias = rows["bias"] + alpha * (turning * normal).sum(axis=1)
    np.testing.assert_allclose(bias, alpha * (dense.constraints_rate(at) @ at.dq), atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 60])
def test_joint_forces_of_unequal_links(n: int) -> None:
    """The O(n) solution against M = J' m J of links that all differ."""
    random = np.random.default_rng(n)
    links = [
        rod(
            *random.uniform((0.05, 0.0), (0.3, 0.04)), mass=random.uniform(0.1, 2.0), inertia=random.uniform(1e-4, 1e-2)
        )
        for _ in range(n)
    ]
    robot = robot_of(*links)
    half, mass, inertia = (np.array(x) for x in zip(*((a.length / 2, a.mass, a.inertia) for a in links), strict=True))
    chain = DenseChain(half, mass, inertia)
    for _ in range(10):
        at = random_motion(n, random)
        pose = pose_of(robot, at)
        np.testing.assert_allclose(pose.position, chain.centres(at.theta, at.p), atol=1e-13)
        mod = model(robot, world_of(), pose)
        mod.call(GATHER)  # places the links
        force, moment = random.normal(size=(n, 2)), random.normal(size=n)
        link = mod.problem.link
        link["fx"], link["fy"], link["moment"] = force[:, 0], force[:, 1], moment
        mod.call(CHAIN)
        expected = chain.accelerations(at.theta, at.dtheta, force, moment)
        assert off(link["aw"], expected[:n]) <= 1e-10  # measured 7e-14 with n = 60
        centre = chain.mass @ np.stack([link["ax"], link["ay"]], axis=1) / chain.mass.sum()
        np.testing.assert_allclose(centre, expected[n:], rtol=1e-9, atol=1e-12)


def test_head_offset() -> None:
    """P1 (71), also for links that differ."""
    random = np.random.default_rng(3)
    for n in range(2, 15):
        theta = random.uniform(-3, 3, n)
        y = DenseHybrid(n, Physics(0.07, 1.0, 0.0016)).positions(Motion(theta, np.zeros(2), theta, np.zeros(2)))[:, 1]
        weights = head_offset_weights(robots["ten-link"](links=n))
        printed = sum(0.07 / n * j * (math.sin(theta[j - 1]) + math.sin(theta[j])) for j in range(1, n))
        assert weights @ np.sin(theta) == pytest.approx(y[-1], abs=1e-12)
        assert printed == pytest.approx(y[-1], abs=1e-12)
        robot = uneven(n)
        pose = planar_pose(robot, np.diff(theta), float(theta.mean()), (0.0, 0.0))
        assert head_offset_weights(robot) @ np.sin(theta) == pytest.approx(pose.position[-1, 1], abs=1e-12)


# Differences of order six of the first and second derivative, seven points.
FIRST = np.array([-1 / 60, 3 / 20, -3 / 4, 0, 3 / 4, -3 / 20, 1 / 60])
SECOND = np.array([1 / 90, -3 / 20, 3 / 2, -49 / 18, 3 / 2, -3 / 20, 1 / 90])


def nearest_gap(centre: FloatArray, angle: float, half: float, disc: FloatArray, both_radii: float) -> float:
    axis = np.array([math.cos(angle), math.sin(angle)])
    place = float(np.clip((disc - centre) @ axis, -half, half))
    return float(np.linalg.norm(centre + place * axis - disc) - both_radii)


@pytest.mark.parametrize("radius", [0.0, 0.03])
@pytest.mark.parametrize("where", ["flank", "end"])
def test_rows_at_the_true_point_are_derivatives_of_the_gap(where: str, radius: float) -> None:
    """gap, d gap/dt = speed, d2 gap/dt2 = n . a + arm dw + bias, for any motion; `slide` is that of the surface."""
    random = np.random.default_rng(7)
    for _ in range(50):
        half, R, side = 0.08, random.uniform(0.03, 0.2), random.choice([-1, 1])
        x, angle = random.uniform(-1, 1, 2), random.uniform(-3, 3)
        v, w, a, aw = random.normal(size=2), random.normal(), random.normal(size=2), random.normal()
        e = np.array([math.cos(angle), math.sin(angle)])
        if where == "flank":
            place = random.uniform(-0.8, 0.8) * half
            direction = side * np.array([-e[1], e[0]])
        else:
            place = half * random.choice([-1, 1])
            turn = side * random.uniform(0.1, 1.3)  # from the end's own direction
            direction = np.sign(place) * np.array(
                [e[0] * math.cos(turn) - e[1] * math.sin(turn), e[1] * math.cos(turn) + e[0] * math.sin(turn)]
            )
        disc = x + place * e + (R + radius - 1e-5) * direction  # overlaps by 1e-5 m
        robot = robot_of(rod(0.2, radius, core=half))
        pose = Pose(x[np.newaxis], np.array([angle]), v[np.newaxis], np.array([w]))
        mod = model(robot, world_of(Disc(x=disc[0], y=disc[1], radius=R, friction=0.3)), pose, contact="point")
        touching(mod, np.array([1]))
        mod.call(GATHER)
        row = {name: float(values[0]) for name, values in mod.contacts().items()}
        normal, tangent = np.array([row["normal_x"], row["normal_y"]]), np.array([row["tangent_x"], row["tangent_y"]])
        h = 5e-4  # round-off of the second difference: 1e-16 / h^2 = 4e-10
        gaps = np.array(
            [
                nearest_gap(x + v * t + a * t * t / 2, angle + w * t + aw * t * t / 2, half, disc, R + radius)
                for t in h * np.arange(-3, 4)
            ]
        )
        assert row["gap"] == pytest.approx(gaps[3], abs=1e-14)
        assert row["speed"] == pytest.approx(FIRST @ gaps / h, rel=1e-6, abs=1e-7)
        found = normal @ a + row["arm"] * aw + row["bias"]
        assert found == pytest.approx(SECOND @ gaps / h**2, rel=1e-6, abs=1e-5 * max(1, (v @ v) / R))
        point = np.array([row["point_x"], row["point_y"]])
        np.testing.assert_allclose(point, x + place * e + radius * direction, atol=1e-12)
        surface = v + w * np.array([-(point - x)[1], (point - x)[0]])
        assert row["slide"] == pytest.approx(tangent @ surface, abs=1e-12)
        assert row["speed"] == pytest.approx(normal @ surface, abs=1e-12)
        # Its one complementarity condition: a + RATE v + PULL gap >= 0, and no more than that.
        mod.call(SLOPES)
        ddq = mod.problem.slope[0][3:6]
        level = normal @ ddq[1:] + row["arm"] * ddq[0] + row["bias"] + RATE * row["speed"] + PULL * row["gap"]
        force = mod.problem.force[0]
        assert level >= -1e-9 * max(1.0, RATE * abs(row["speed"]))
        assert force >= 0.0
        assert force == 0.0 or abs(level) <= 1e-9 * max(1.0, RATE * abs(row["speed"]))
        along, push = tangent @ ddq[1:], normal @ ddq[1:]  # mass 1, no ground friction
        share = -0.3 * row["slide"] / math.hypot(row["slide"], 1e-3)
        assert push == pytest.approx(force, abs=1e-9 * max(1.0, force))
        assert along == pytest.approx(share * force, abs=1e-9 * max(1.0, force))
        assert 0.01 * ddq[0] == pytest.approx(
            row["arm"] * force + row["arm_t"] * share * force, abs=1e-9 * max(1, force)
        )


@pytest.mark.parametrize("contact", ["centre", "point"])
def test_contacts_found_are_those_of_all_pairs(contact: str) -> None:
    """P1 (30)-(32) by looking at every link and every disc: who touches, which disc is nearest, on which side."""
    random = np.random.default_rng(5)
    seen = 0
    for _ in range(60):
        robot = robot_of(*[rod(random.uniform(0.05, 0.3), random.choice([0.0, 0.02])) for _ in range(8)])
        centre = random.uniform(-30, 30, 2)  # far from and near to the others
        discs = [
            Disc(x=float(x), y=float(y), radius=float(r))
            for x, y, r in zip(
                *random.normal(centre[:, np.newaxis], 0.5, (2, 40)), random.uniform(0.005, 0.1, 40), strict=True
            )
        ] + [Disc(x=0.0, y=0.0, radius=0.5)]
        pose = planar_pose(robot, random.uniform(-1, 1, 7), random.uniform(-3, 3), tuple(centre))
        mod = model(robot, world_of(*discs), pose, contact=contact)
        assert mod.call(JUMP) == 0
        for i, link in enumerate(robot.links):
            gaps = np.array(
                [
                    nearest_gap(
                        pose.position[i], pose.angle[i], link.length / 2, np.array([d.x, d.y]), d.radius + link.radius
                    )
                    for d in discs
                ]
            )
            if contact == "point":  # it touches all of them
                slots = slice(SLOTS * i, SLOTS * (i + 1))
                touched = mod.state.touch["obstacle"][slots][mod.state.alpha[slots] != 0]
                expected = np.flatnonzero(gaps <= 0)
                seen += len(expected)
                assert len(expected) <= SLOTS
                assert sorted(touched) == expected.tolist()
                continue
            assert (mod.state.alpha[i] != 0) == (gaps.min() <= 0), gaps.min()
            if gaps.min() <= 0:
                seen += 1
                k = int(np.argmin(gaps))
                assert mod.state.touch["obstacle"][i] == k
                to_disc = np.array([discs[k].x, discs[k].y]) - pose.position[i]
                left = math.cos(pose.angle[i]) * to_disc[1] - math.sin(pose.angle[i]) * to_disc[0]
                assert mod.state.alpha[i] == -np.sign(left)
    assert seen > 50


@pytest.mark.parametrize("sign", ["physical", "printed"])
def test_bound_of_friction_is_that_of_the_dense_matrices(sign: str) -> None:
    """Proposition 18 from the eigenvalues of all principal blocks of A^-1 B."""
    has = Physics(l=0.07, m=1.0, J=0.0016, printed=sign == "printed")
    dense, most = DenseHybrid(10, has), 0
    for duration in (1.5, 1.8, 2.0, 2.2):
        recording = pp.simulate(ROWS, {"plant.obstacle_friction": sign}, duration=duration)
        state = recording.checkpoint().plant
        vector, alpha = state["vector"], state["alpha"]
        at = Motion(vector[:10], vector[10:12], vector[12:22], vector[22:24])
        S_c = select(alpha)
        bar, M = S_c @ dense.constraints(at.theta), dense.mass_matrix(at.theta)
        A, B = bar @ np.linalg.solve(M, bar.T), bar @ np.linalg.solve(M, dense.sliding(at, S_c))
        most = max(most, len(S_c))
        assert recording.data["links_in_contact"].values[-1] == len(S_c)
        assert recording.data["friction_bound"].values[-1] == pytest.approx(friction_bound(A, B, 2.0), rel=1e-3)
    assert most >= 4


def test_sides_do_not_chatter() -> None:
    """A chain with width in pegs closer than a link is long: obstacles overlap a link from both sides.

    P1's Assumption 4 rules such worlds out, and the plant warns. Which one is nearest could alternate without end, were
    there no hysteresis.
    """
    random = np.random.default_rng(17)
    n = int(random.integers(2, 10))
    robot = robot_of(*[rod(0.14, float(random.choice([0.0, 0.01])), mass=1.0, inertia=0.0016)] * n)
    places = np.arange(-6, 7) * random.uniform(0.1, 0.25)
    pegs = [
        Disc(
            x=float(x + random.normal() * 0.02),
            y=float(y + random.normal() * 0.02),
            radius=float(random.uniform(0.01, 0.045)),
        )
        for x in places
        for y in places
    ]
    pose = planar_pose(robot, random.uniform(-1, 1, n - 1), random.uniform(-3, 3), tuple(random.uniform(-0.1, 0.1, 2)))
    pose = moving(robot, pose, tuple(random.normal(size=2)), random.normal(), random.normal(size=n - 1))
    run = go(robot, world_of(*pegs, friction=0.3, torque=True), pose, 0.2, servo=Servo(stiffness=20.0, damping=5.0))
    assert run.failure is None
    assert len(run.event) <= 200
