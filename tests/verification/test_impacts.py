"""Newton's law of restitution, and no energy from impacts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pushpoint.robots import Joint, Robot
from pushpoint.types import Pose
from pushpoint.worlds import Disc, Obstacle, Polygon, Wall, World
from tests.verification.extended import attempt, body, chain_of, depth, go, ledger_gap, thrown, world_of

SHAPES: dict[str, dict[str, object]] = {
    "wall": {"points": ((-3.0, 0.0), (3.0, 0.0))},
    "polygon": {"points": ((-3.0, -1.0), (3.0, -1.0), (3.0, 0.0), (-3.0, 0.0))},
    "disc": {"x": 0.0, "y": -0.5, "radius": 0.5},
}
KINDS = {"wall": Wall, "polygon": Polygon, "disc": Disc}


@pytest.mark.parametrize("e", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("shape", ["wall", "polygon", "disc"])
def test_a_block_bounces(shape: str, e: float) -> None:
    """Head-on onto a surface at y = 0: -e v across, nothing along."""
    obstacle = KINDS[shape](restitution=e, **SHAPES[shape])  # type: ignore[arg-type]  # fields by keyword
    robot, along = body(), 0.0 if shape == "disc" else 0.4
    run = go(robot, world_of(obstacle), thrown(robot, (0.0, 0.2), (along, -0.7)), 80, 5e-3)
    # The laws of a step hold to 1e-8 of its speed.
    np.testing.assert_allclose(run.link[-1, 0, 3:6], (along, 0.7 * e, 0.0), atol=1e-7)
    assert run.link[:, 0, 1].min() >= 0.05 - 1e-9
    assert run.step[:, 0].max() <= 1e-8


def test_two_walls_with_their_own_restitution() -> None:
    walls = [Wall(points=((x, -1.0), (x, 1.0)), restitution=e) for x, e in ((0.0, 0.5), (1.0, 0.9))]
    robot = body()
    run = go(robot, world_of(*walls), thrown(robot, (0.5, 0.0), (2.0, 0.0)), 400, 5e-3)
    speeds = run.link[:, 0, 3]
    seen = [2.0]
    for v in speeds:
        if abs(v - seen[-1]) > 1e-5:
            seen.append(float(v))
    expected = [2.0]
    for k in range(len(seen) - 1):
        expected.append(-expected[-1] * (0.9, 0.5)[k % 2])
    assert len(seen) >= 4
    np.testing.assert_allclose(seen, expected, rtol=1e-6)


def test_an_off_centre_impact() -> None:
    """The round end of a link: the normal speed of the touching point turns to -e of itself."""
    robot, e, dt = body(core=0.2, inertia=0.02), 0.6, 1e-3
    world = world_of(Wall(points=((-3.0, 0.0), (3.0, 0.0)), restitution=e))
    run = go(robot, world, thrown(robot, (0.0, 0.25), (0.0, -1.0), 0.5), 300, dt)
    place = -0.2 * np.cos(0.5)
    impulse = (1 + e) / (1.0 + place**2 / 0.02)
    hit = int(run.contact[0, 0])
    assert run.link[hit, 0, 4] == pytest.approx(-1.0 + impulse, rel=1e-6)
    assert run.link[hit, 0, 5] == pytest.approx(place * impulse / 0.02, rel=1e-6)


def test_an_elastic_block_keeps_its_energy() -> None:
    """Twenty bounces between two walls with e = 1: what is lost is the tolerance of the steps."""
    walls = [Wall(points=((x, -1.0), (x, 1.0)), restitution=1.0) for x in (0.0, 0.5)]
    robot = body()
    run = go(robot, world_of(*walls), thrown(robot, (0.25, 0.0), (1.0, 0.1)), 1700, 5e-3)
    bounces = np.count_nonzero(np.diff(np.sign(run.link[:, 0, 3])))
    assert bounces >= 20
    assert run.energy[-1, 1] == pytest.approx(run.energy[0, 1], rel=1e-6)
    assert np.diff(run.energy[:, 1]).max() <= 1e-12


def test_a_spring_between_bounces_is_not_touched() -> None:
    """A chain pressed to an elastic wall comes to rest, as there are fewer and fewer bounces of less and less."""
    robot = chain_of(3, Joint(stiffness=2.0, damping=0.05))
    world = world_of(Wall(points=((-3.0, 0.0), (3.0, 0.0)), restitution=0.5))
    run = attempt(robot, world, thrown(robot, (0.0, 0.3), (0.2, -1.0), 0.4), 300, 5e-3)
    assert run.failure is None
    assert ledger_gap(run) <= 1e-9


@st.composite
def cages(draw: st.DrawFn) -> tuple[Robot, World, Pose]:
    e = draw(st.sampled_from([0.0, 0.0, 0.5, 1.0]))
    size = draw(st.floats(0.5, 0.8))
    cage = Wall(points=((-size, -size), (size, -size), (size, size), (-size, size), (-size, -size)), restitution=e)
    obstacles: list[Obstacle] = [cage]
    for _ in range(draw(st.integers(0, 4))):
        x, y = draw(st.floats(-0.7, 0.7)), draw(st.floats(-0.7, 0.7))
        if draw(st.booleans()):
            obstacles.append(Disc(x=x, y=y, radius=draw(st.floats(0.02, 0.15)), restitution=e))
        else:
            phi = draw(st.floats(0.0, 6.0)) + np.arange(draw(st.integers(3, 6))) * 2 * np.pi / 6
            points = tuple((x + 0.12 * float(np.cos(p)), y + 0.12 * float(np.sin(p))) for p in phi)
            obstacles.append(Polygon(points=points, restitution=e))
    robot = chain_of(draw(st.integers(1, 4)))
    joints = len(robot.links) - 1
    numbers = st.floats(-1.0, 1.0)
    bend = np.array([draw(numbers) for _ in range(joints)])
    spin = 5.0 * np.array([draw(numbers) for _ in range(joints)])
    pose = thrown(
        robot, (0.0, 0.0), (2 * draw(numbers), 2 * draw(numbers)), 3 * draw(numbers), 4 * draw(numbers), bend, spin
    )
    start = np.column_stack([pose.position, pose.angle])
    kept = [each for each in obstacles if depth(robot, world_of(each), start) < -0.03]
    return robot, world_of(*kept), pose


@settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(cages())
def test_energy_never_grows_in_a_cage(case: tuple[Robot, World, Pose]) -> None:
    """One coefficient for all, no friction: every impact and every step loses energy or keeps it."""
    robot, world, pose = case
    run = go(robot, world, pose, 200, 5e-3)
    kinetic = run.energy[:, 1]
    assert np.all(np.isfinite(run.link))
    assert np.diff(kinetic).max() <= 1e-12 * kinetic[0]
    assert run.step[:, 0].max() <= 1e-8
    assert ledger_gap(run) <= 1e-9
    # Directions are those of the middle of a step, in which links turn by w dt: of order (w dt)^2 times their length.
    turn = np.abs(run.link[:, :, 5]).max() * 5e-3
    distance = np.linalg.norm(run.link[:, :, 3:5], axis=2).max() * 5e-3
    worst = max(depth(robot, world, row) for row in run.link[::5]) if world.obstacles else -1.0
    assert worst <= 1e-6 + turn**2 * 0.1 + distance**2 / 0.03
