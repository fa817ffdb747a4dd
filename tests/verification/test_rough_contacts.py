"""Friction at walls, and edges and corners: cones, momentum, no catching at joints, no holes, no NaN."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from pushpoint.robots import Robot, Servo
from pushpoint.types import CommandTable
from pushpoint.worlds import Disc, Ground, Polygon, Wall
from tests.verification.extended import Run, attempt, body, chain_of, deepest, depth, go, thrown, world_of

FLOOR = ((-9.0, 0.0), (9.0, 0.0))


def impulses(run: Run, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Normal and tangential impulse per row, summed over contacts [N s]."""
    normal, tangential = np.zeros(len(run.link)), np.zeros(len(run.link))
    for row in run.contact:
        n, f = row[6:8], row[8:10] * dt
        normal[int(row[0])] += n @ f
        tangential[int(row[0])] += n[0] * f[1] - n[1] * f[0]
    return normal, tangential


@pytest.mark.parametrize("mu", [0.05, 0.3, 0.6])
@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_sliding_block_is_on_the_cone(mu: float, direction: float) -> None:
    """Landing with more speed along than the cone can take: mu times the normal impulse, against the slip."""
    robot, world, dt = body(inertia=10.0), world_of(Wall(points=FLOOR, friction=mu)), 5e-3
    run = go(robot, world, thrown(robot, (0.0, 0.1), (2.0 * direction, -0.5)), 40, dt)
    normal, tangential = impulses(run, dt)
    assert normal.sum() == pytest.approx(0.5, rel=1e-6)  # momentum across the wall
    # The limit of friction lags by less than the tolerance of a step.
    assert tangential.sum() == pytest.approx(direction * mu * 0.5, rel=1e-6)  # left of the normal (0, 1) is -x
    assert run.link[-1, 0, 3] == pytest.approx(direction * (2.0 - mu * 0.5), rel=1e-6)
    hit = run.contact[run.contact[:, 9] > 1e-6]
    assert np.all(hit[:, 10] == 1.0)  # slip
    assert run.step[:, 0].max() <= 1e-6


def test_a_rough_block_sticks_and_rolls() -> None:
    """A round body with a large mu leaves the impact rolling: v + w R = 0 at the point, m v R - I w conserved."""
    robot, world = body(inertia=0.01), world_of(Wall(points=FLOOR, friction=50.0))
    run = go(robot, world, thrown(robot, (0.0, 0.1), (0.5, -0.5)), 60, 5e-3)
    v, w = run.link[-1, 0, 3], run.link[-1, 0, 5]
    assert v + 0.05 * w == pytest.approx(0.0, abs=1e-6)
    # About the contact point the angular momentum is that before: m v0 R.
    assert 0.05 * v - 0.01 * w == pytest.approx(0.05 * 0.5, rel=1e-6)
    hit = run.contact[run.contact[:, 9] > 1e-6]
    normal, tangential = impulses(run, 5e-3)
    assert np.all(np.abs(tangential) <= 50.0 * normal + 1e-9)
    assert np.all(hit[1:, 10] == 0.0)  # from the second step on: stick


def test_a_block_in_a_corner_is_held_by_friction() -> None:
    """Pressed into a corner of two walls nothing moves on, with friction or without."""
    for mu in (0.0, 1.0):
        corner = Wall(points=((1.0, 0.0), (0.0, 0.0), (0.0, 1.0)), friction=mu)
        robot = body()
        run = go(robot, world_of(corner), thrown(robot, (0.2, 0.15), (-1.0, -0.8)), 100, 5e-3)
        assert deepest(robot, world_of(corner), run) <= 1e-9
        if mu == 0.0:
            np.testing.assert_allclose(run.link[-1, 0, :2], (0.05, 0.05), atol=1e-9)
            assert np.abs(run.link[-1, 0, 3:5]).max() <= 1e-9


@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_contact_table_agrees_with_momentum(mu: float) -> None:
    """m dv and I dw of a link are those of the forces at their points in the table."""
    robot, dt = body(core=0.1, inertia=0.02), 5e-3
    world = world_of(Wall(points=FLOOR, friction=mu), Disc(x=0.7, y=0.3, radius=0.1, friction=mu))
    run = go(robot, world, thrown(robot, (0.0, 0.15), (1.0, -0.3), 0.1), 120, dt)
    assert len(run.contact) > 3
    for row in range(1, len(run.link)):
        mine = run.contact[run.contact[:, 0] == row]
        change = run.link[row, 0, 3:5] - run.link[row - 1, 0, 3:5]
        np.testing.assert_allclose(mine[:, 8:10].sum(axis=0) * dt, change, atol=1e-7)
        middle = (run.link[row, 0, :2] + run.link[row - 1, 0, :2]) / 2
        # The point is given for the pose in the middle of the step; half a step of v - dv away from the mean pose.
        arm = mine[:, 4:6] - middle
        moment = (arm[:, 0] * mine[:, 9] - arm[:, 1] * mine[:, 8]).sum() * dt
        spin = 0.02 * (run.link[row, 0, 5] - run.link[row - 1, 0, 5])
        assert moment == pytest.approx(spin, abs=dt * np.abs(mine[:, 8:10] * dt).sum() + 1e-9)


def test_without_obstacle_friction_the_tolerance_holds() -> None:
    """Chains among smooth walls and polygons: 1e-8 in every step."""
    world = world_of(
        Wall(points=((-1.0, -0.3), (0.5, -0.3), (1.0, -0.2), (2.0, 0.3))),
        Polygon(points=((0.5, 0.2), (1.0, 0.3), (0.6, 0.6))),
        ground=Ground(friction=0.1),
    )
    robot = chain_of(5)
    table = CommandTable(np.tile([0.5, -0.5, 0.5, -0.5], (100, 1)), np.zeros((100, 4)), np.zeros((100, 4)))
    pose = thrown(robot, (0.0, 0.0), (1.5, -0.5))
    run = go(robot, world, pose, 100, 5e-3, servo=Servo(stiffness=20.0, damping=0.5), table=table)
    assert run.step[:, 0].max() <= 1e-8
    assert len(run.contact) > 10


def rod() -> Robot:
    return body(core=0.25, length=0.5, radius=0.01, inertia=0.25 / 12)


RODS = [
    (angle, velocity)
    for angle in np.linspace(0.1, math.pi - 0.1, 13)
    for velocity in ((1.0, -0.2), (3.0, -0.05), (0.3, -1.0), (-2.0, -0.5), (0.0, -1.0))
]


def drop_rods(mu: float) -> Counter[str]:
    """Rods slid onto a rough wall at many angles; how the runs end. The gap is more than the distance of a step."""
    ends: Counter[str] = Counter()
    robot, world = rod(), world_of(Wall(points=FLOOR, friction=mu))
    for angle, velocity in RODS:
        pose = thrown(robot, (0.0, 0.25 * math.sin(angle) + 0.0203), velocity, float(angle))
        run = attempt(robot, world, pose, 60, 5e-3)
        assert np.all(np.isfinite(run.link))
        assert np.all(np.isfinite(run.energy))
        assert np.diff(run.energy[:, 1]).max() <= 1e-12 * run.energy[0, 1]
        assert deepest(robot, world, run) <= 1e-6  # of v dt = 1e-2; the tolerance of a step is 1e-8 of the speed
        ends["ok" if run.failure is None else "failed"] += 1
        if run.failure is None:
            assert run.step[:, 0].max() <= 1e-6
    return ends


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.0, 3.0])
def test_slender_rods_on_a_rough_wall_never_break_the_run(mu: float) -> None:
    """Painleve's rods: solved, or reported as not solved; never NaN, never energy, never through the wall."""
    assert drop_rods(mu).total() == len(RODS)


@pytest.mark.parametrize("mu", [0.1, 0.5])
def test_rods_with_moderate_friction_are_solved(mu: float) -> None:
    """Far from Painleve's paradox (mu < 4/3 for rods) every step has a solution, and is solved."""
    assert drop_rods(mu)["failed"] == 0


def jam(mu: float, seed: int) -> Run | None:
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 8))
    robot, bend, half = chain_of(n), random.uniform(-0.9, 0.9, n - 1), random.uniform(0.15, 0.3)
    walls = [Wall(points=((-9.0, y), (9.0, y)), friction=mu) for y in (-half, half)]
    world = world_of(*walls, ground=Ground(friction=0.1))
    speed = (float(random.uniform(-2, 2)), float(random.uniform(-2, 2)))
    pose = thrown(robot, (0.0, 0.0), speed, 0.0, random.uniform(-3, 3), 0.3 * bend, random.uniform(-4, 4, n - 1))
    start = np.column_stack([pose.position, pose.angle])
    if depth(robot, world, start) > -0.02:
        return None
    table = CommandTable(np.tile(2 * bend, (50, 1)), np.zeros((50, n - 1)), np.zeros((50, n - 1)))
    run = attempt(robot, world, pose, 50, 5e-3, servo=Servo(stiffness=20.0 * (seed % 3), damping=1.0), table=table)
    assert np.all(np.isfinite(run.link))
    assert deepest(robot, world, run) <= 1e-3  # directions are those of the middle of a step: of order (w dt)^2 length
    return run


@pytest.mark.parametrize("mu", [0.1, 0.5, 2.0])
def test_chains_jammed_between_rough_walls_never_break_the_run(mu: float) -> None:
    runs = [run for run in (jam(mu, seed) for seed in range(15)) if run is not None]
    assert len(runs) > 8


def test_chains_between_slightly_rough_walls_are_solved() -> None:
    assert all(run is None or run.failure is None for run in (jam(0.1, seed) for seed in range(15)))


def along(points: tuple[tuple[float, float], ...], side: float, mu: float, core: float) -> np.ndarray:
    """Path of a body that lands on the left side (+1) or the right side (-1) of a wall along x and slides."""
    robot = body(core=core, inertia=0.02)
    pose = thrown(robot, (-0.5, side * 0.1), (1.5, -side * 0.3), 0.05 * side)
    return go(robot, world_of(Wall(points=points, friction=mu)), pose, 150, 5e-3).link[:, 0, :3]


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("mu", [0.0, 0.2])
@pytest.mark.parametrize("core", [0.0, 0.1])
def test_joints_of_collinear_segments_are_not_felt(side: float, mu: float, core: float) -> None:
    points = tuple((float(x), 0.0) for x in (-2.0, -0.45, -0.31, -0.1, 0.0, 0.013, 0.2, 0.21, 0.6, 3.0))
    whole = along((points[0], points[-1]), side, mu, core)
    np.testing.assert_allclose(along(points, side, mu, core), whole, atol=1e-9)


@pytest.mark.parametrize("turn", [0.0, 0.7, 1.9, -2.6])
def test_joints_of_slanted_collinear_segments_are_not_felt(turn: float) -> None:
    """The same in any direction, where round-off makes the segments not quite collinear."""
    c, s = math.cos(turn), math.sin(turn)

    def path(places: tuple[float, ...]) -> np.ndarray:
        robot = body(core=0.1, inertia=0.02)
        wall = Wall(points=tuple((c * x, s * x) for x in places))
        pose = thrown(
            robot, (-0.5 * c - 0.1 * s, -0.5 * s + 0.1 * c), (1.5 * c + 0.3 * s, 1.5 * s - 0.3 * c), turn + 0.05
        )
        return go(robot, world_of(wall), pose, 150, 5e-3).link[:, 0, :3]

    np.testing.assert_allclose(path((-2.0, -0.33, 0.0, 0.1, 0.11, 0.5, 3.0)), path((-2.0, 3.0)), atol=1e-9)


def arc(chords: int, radius: float = 3.0, to: float = 0.4) -> Wall:
    """From -to to `to` [rad] about the lowest point of a circle, which is the origin."""
    phi = np.linspace(-to, to, chords + 1)
    return Wall(points=tuple((radius * math.sin(p), radius * (1.0 - math.cos(p))) for p in phi))


@pytest.mark.parametrize("core", [0.0, 0.1])
def test_the_outside_of_a_curved_wall_does_not_catch(core: float) -> None:
    """A body that slides off a curve flies on as if there were nothing."""
    robot = body(core=core, inertia=0.02)
    run = go(robot, world_of(arc(40)), thrown(robot, (0.0, -0.0501), (1.0, 0.0)), 160, 5e-3)
    np.testing.assert_allclose(run.link[:, 0, 3:6], np.tile((1.0, 0.0, 0.0), (161, 1)), atol=1e-12)


@pytest.mark.parametrize(("chords", "dt"), [(40, 2e-4), *((40, dt) for dt in (1e-3, 5e-3))])
def test_the_inside_of_a_curved_wall_does_not_catch(chords: int, dt: float) -> None:
    """At a hollow joint of angle d an inelastic round body loses 1 - cos d of its speed and nothing else."""
    robot, world = body(), world_of(arc(chords))
    run = go(robot, world, thrown(robot, (0.0, 0.0506), (1.0, 0.0)), round(0.8 / dt), dt)
    speed, turn = np.linalg.norm(run.link[:, 0, 3:5], axis=1), 0.8 / chords
    joints = 0.27 / turn  # 0.8 m of 3 m
    assert speed[-1] == pytest.approx(math.cos(turn) ** joints, abs=2 * (1 - math.cos(turn)))
    assert run.link[-1, 0, 4] > 0.2  # it followed the curve
    # The direction of a contact is that of the middle of the step; what it is off by is of second order in dt.
    assert deepest(robot, world, run) <= 1e-5


def test_a_body_stays_in_a_round_pipe() -> None:
    robot, phi = body(), np.linspace(0.0, 2 * math.pi, 201)
    world = world_of(Wall(points=tuple((math.cos(p), math.sin(p)) for p in phi)))
    run = go(robot, world, thrown(robot, (0.0, -0.93), (1.0, 0.0)), 1000, 1e-2)
    assert np.linalg.norm(run.link[:, 0, :2], axis=1).max() <= 0.95 + 1e-5


# On the borders between edges and corners.
TURNS = [0.0, *np.random.default_rng(1).uniform(-3.0, 3.0, 60)]


def lands(shape: str, turn: float) -> float:
    """How deep a body falls that is thrown along the normal at a border of two features [m]."""
    u = np.array([math.cos(turn), math.sin(turn)])
    n = np.array([u[1], -u[0]])

    def points(*places: tuple[float, float]) -> tuple[tuple[float, float], ...]:
        return tuple((float(p[0]), float(p[1])) for p in (x * u + y * n for x, y in places))

    if shape == "joint":
        robot, obstacle = body(), Wall(points=points((-1, 0), (0, 0), (1.3, 0)))
    elif shape == "corner":
        robot, obstacle = body(), Polygon(points=points((0, 0), (1, 0), (1, -1), (0, -1)))  # type: ignore[assignment]
    else:
        robot = body(core=0.5)
        obstacle = Polygon(points=points((-0.1, 0), (0.1, 0), (0.1, -0.2), (-0.1, -0.2)))  # type: ignore[assignment]
    start, velocity = 0.1 * n, -n
    pose = thrown(robot, (float(start[0]), float(start[1])), (float(velocity[0]), float(velocity[1])), turn)
    run = go(robot, world_of(obstacle), pose, 40, 1e-2)
    if shape == "flat":
        assert np.abs(run.link[:, 0, 5]).max() <= 1e-9  # and does not turn
    return float(0.05 - (run.link[:, 0, :2] @ n).min())


@pytest.mark.parametrize("shape", ["joint", "corner", "flat"])
def test_there_are_no_holes_between_features(shape: str) -> None:
    """At a joint of collinear edges, at the end of an edge, flat across a block: the body stops at the surface."""
    assert max(lands(shape, float(turn)) for turn in TURNS) <= 1e-9


@pytest.mark.parametrize("mu", [0.0, 0.5])
@pytest.mark.parametrize("turn", [0.0, 0.4, 2.2])
def test_a_link_lands_flat_on_a_wall(mu: float, turn: float) -> None:
    """Both ends touch: neither penetration nor rotation."""
    c, s = math.cos(turn), math.sin(turn)
    robot, wall = body(core=0.1), Wall(points=((-3 * c, -3 * s), (3 * c, 3 * s)), friction=mu)
    run = go(robot, world_of(wall), thrown(robot, (-0.1 * s, 0.1 * c), (0.8 * s, -0.8 * c), turn), 60, 5e-3)
    assert deepest(robot, world_of(wall), run) <= 1e-9
    assert np.abs(run.link[:, 0, 2] - turn).max() <= 1e-9
    assert np.abs(run.link[-1, 0, 3:6]).max() <= 1e-9


@pytest.mark.parametrize("mu", [0.0, 0.5])
@pytest.mark.parametrize("offset", [-0.04, -0.01, 0.0, 0.02, 0.045])
def test_a_body_meets_the_end_of_a_wall(mu: float, offset: float) -> None:
    """The end is a point: the normal of a round body points from it to the centre. Impulse through the cone."""
    robot, wall = body(inertia=10.0), Wall(points=((0.0, 0.0), (-1.0, 0.0)), friction=mu)
    run = go(robot, world_of(wall), thrown(robot, (0.2, offset), (-1.0, 0.0)), 100, 2e-3)
    assert deepest(robot, world_of(wall), run) <= 1e-5  # the direction of the contact turns while it slides round
    first = run.contact[0]
    np.testing.assert_allclose(first[4:6], (0.0, 0.0), atol=2.1e-3)  # v dt
    assert math.atan2(first[7], first[6]) == pytest.approx(math.asin(offset / 0.05), abs=0.06)


@pytest.mark.parametrize("offset", [0.0, 0.03, -0.03])
def test_a_link_is_stopped_by_a_corner(offset: float) -> None:
    """The side of a link on the corner of a polygon: speed of the touching point zero, as a plastic impact has it."""
    robot = body(core=0.3, inertia=0.05)
    polygon = Polygon(points=((0.0, 0.0), (0.3, -0.5), (-0.3, -0.5)))
    run = go(robot, world_of(polygon), thrown(robot, (-offset, 0.1), (0.0, -1.0)), 60, 2e-3)
    place = offset
    # Impulse J: m (v' + 1) = J, I w' = place J, v' + place w' = 0.
    impulse = 1.0 / (1.0 + place**2 / 0.05)
    hit = int(run.contact[0, 0]) + 2
    assert run.link[hit, 0, 4] == pytest.approx(-1.0 + impulse, abs=1e-3)
    assert run.link[hit, 0, 5] == pytest.approx(place * impulse / 0.05, abs=1e-3)
    assert deepest(robot, world_of(polygon), run) <= 1e-5


def test_two_walls_end_to_end() -> None:
    """A limit of the model, kept in view: the end of the second wall is a corner of its own, which lifts what slides by
    about v^2 dt / (2 R). A wall through all points does not."""
    robot = body()
    two = world_of(Wall(points=((-5.0, 0.0), (0.0, 0.0))), Wall(points=((0.0, 0.0), (5.0, 0.0))))
    run = go(robot, two, thrown(robot, (-0.2003, 0.05), (1.0, 0.0)), 120, 5e-3)
    assert 0.0 <= run.link[-1, 0, 4] <= 1.0 * 5e-3 / 0.05
    assert deepest(robot, two, run) <= 1e-9
