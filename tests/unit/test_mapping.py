"""Pegs from touches and scans, contacts from wrenches, pose by odometry: closed forms and properties."""

from __future__ import annotations

from math import radians, tau

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pushpoint.mapping import PegMaking, fit_disc, no_pegs
from pushpoint.mapping.odometry import Odometry
from pushpoint.mapping.pegs import PegMap, clearances, moved_off, row_of_discs
from pushpoint.mapping.scan import Rays, corners, fit_circle, forget_seen_through, obstacles_seen, rays_of, scanned
from pushpoint.mapping.wrenches import GroundBelief, LinkMotion, PushEstimator, accelerations
from pushpoint.mechanics.pose import planar_pose
from pushpoint.robots import Robot, robots
from pushpoint.sensors._footprints import first_hits, footprints
from pushpoint.types import FloatArray, Pose, Touches
from pushpoint.worlds import Disc, Wall, World

EXACT = PegMaking(point_error=0.0)
ROUNDING = 1e-9  # [m], [N]: sums of some ten terms of size one
coordinate, radius = st.floats(-5.0, 5.0), st.floats(0.03, 0.15)
angles = st.lists(st.floats(0.0, tau), min_size=2, max_size=8)


def rim(x: float, y: float, r: float, angle: FloatArray) -> tuple[FloatArray, FloatArray]:
    normal = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.array([x, y]) + r * normal, normal


# --- pegs from points ---


@given(coordinate, coordinate, radius, angles)
def test_points_in_two_directions_say_where_and_how_large_a_peg_is(
    x: float, y: float, r: float, angle: list[float]
) -> None:
    point, normal = rim(x, y, r, np.array(angle))
    apart = float(np.ptp(normal, axis=0).max())
    found = fit_disc(point, normal, (0.07, 0.0))
    if apart > 0.1:
        assert found == pytest.approx([x, y, r], abs=1e-8 / apart)
    assert fit_disc(point[:1], normal[:1], (0.07, 1e-3)) == pytest.approx([*(point[0] - 0.07 * normal[0]), 0.07])


def test_touches_around_two_pegs_make_two() -> None:
    pegs, known = PegMap(EXACT), no_pegs()
    for k, angle in enumerate(np.linspace(0.0, 2.0, 9)):
        for x, r in ((0.0, 0.05), (0.3, 0.09)):
            known = pegs.met(known, *rim(x, 0.1, r, np.array([angle])), time=float(k))
    assert known.disc == pytest.approx(np.array([[0.0, 0.1, 0.05], [0.3, 0.1, 0.09]]), abs=ROUNDING)
    assert known.met.tolist() == [8.0, 8.0]


def test_the_last_touch_in_a_direction_counts() -> None:
    """A peg that was pushed on, or a pose that has drifted."""
    pegs, known = PegMap(EXACT), no_pegs()
    for x in (0.0, 0.02):
        known = pegs.met(known, *rim(x, 0.0, 0.07, np.array([0.1, 1.7, 3.5])), time=0.0)
    assert known.disc == pytest.approx(np.array([[0.02, 0.0, 0.07]]), abs=ROUNDING)


def test_a_peg_that_the_body_sweeps_through_shrinks_and_is_forgotten() -> None:
    pegs = PegMap(EXACT)
    known = pegs.met(no_pegs(), *rim(0.0, 0.0, 0.07, np.array([0.0])), time=0.0)
    start, end = np.array([[-0.10, -1.0]]), np.array([[-0.10, 1.0]])
    shift, far = np.array([0.05, 0.0]), np.array([0.16, 0.0])
    assert pegs.swept(known, start, end, np.array([0.02])) is known  # beside it
    grazed = pegs.swept(known, start + shift, end + shift, np.zeros(1))
    assert 0.055 < grazed.disc[0, 2] < 0.07
    assert grazed.disc[0, 0] + grazed.disc[0, 2] == pytest.approx(0.07)  # where it was felt, it stays
    for _ in range(12):
        grazed = pegs.swept(grazed, start + far, end + far, np.zeros(1))
    assert len(grazed.disc) == 0


@given(st.lists(st.tuples(st.floats(-0.5, 0.5), st.floats(-0.2, 0.2), radius), max_size=6), st.floats(0.0, 0.03))
def test_discs_are_moved_off_the_body(discs: list[tuple[float, float, float]], width: float) -> None:
    start, end = np.array([[-0.5, 0.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [0.4, 0.3]])
    radii = np.full(2, width)
    moved = moved_off(np.array(discs).reshape(-1, 3), start, end, radii, gap=1e-4)
    room = clearances(moved[:, :2], start, end, radii).min(axis=1, initial=np.inf) if len(moved) else np.zeros(0)
    assert (moved[:, 2] <= room + ROUNDING).all()


def test_discs_in_place_of_an_edge_leave_no_gap() -> None:
    row = row_of_discs(np.array([0.0, 0.0, 0.3, 0.4]), 0.01)
    assert np.hypot(*np.diff(row[:, :2], axis=0).T).max() <= 0.01 + ROUNDING
    assert row[-1] == pytest.approx([0.3, 0.4, 0.01])


# --- scans ---


def scan(world: World, reach: float = 0.5, rays: int = 91, opening: float = radians(270.0)) -> Rays:
    """Exact, from the origin along x."""
    angle = np.linspace(-0.5 * opening, 0.5 * opening, rays)
    return rays_of(first_hits((0.0, 0.0), angle, footprints(world)), np.zeros(2), 0.0, opening, reach)


@given(st.floats(0.16, 0.45), st.floats(-2.0, 2.0), st.floats(0.04, 0.10))
def test_an_exact_scan_gives_exact_discs(distance: float, angle: float, r: float) -> None:
    x, y = distance * np.cos(angle), distance * np.sin(angle)
    rays = scan(World(name="peg", obstacles=(Disc(x=x, y=y, radius=r),)))
    hit = np.isfinite(rays.distance)
    at = rays.distance[hit, np.newaxis] * rays.direction[hit]
    if hit.sum() >= 4:
        assert fit_circle(at, rays.direction[hit], EXACT) == pytest.approx([x, y, r], abs=1e-5)
        known, edge = scanned(PegMap(EXACT), no_pegs(), rays, 0.0)
        assert known.disc == pytest.approx(np.array([[x, y, r]]), abs=1e-5)
        assert len(edge) == 0


def test_noise_leaves_the_radius_near_the_assumed_one() -> None:
    draw, noisy = np.random.default_rng(0), PegMaking(point_error=0.005)
    rays = scan(World(name="peg", obstacles=(Disc(x=0.4, y=0.0, radius=0.05),)))
    hit = np.isfinite(rays.distance)
    found = []
    for _ in range(50):
        distance = rays.distance[hit] + draw.normal(0.0, 0.005, hit.sum())
        found.append(fit_circle(distance[:, np.newaxis] * rays.direction[hit], rays.direction[hit], noisy))
    error = np.array(found) - [0.4, 0.0, 0.05]
    assert np.hypot(error[:, 0], error[:, 1]).max() < 0.04
    assert np.abs(error[:, 2]).max() < 0.03


def test_walls_are_edges_from_corner_to_corner() -> None:
    wall = Wall(points=((0.3, -0.2), (0.4, 0.0), (0.3, 0.2)))
    seen = obstacles_seen(scan(World(name="wall", obstacles=(wall,))), EXACT)
    assert len(seen.edge) == 2
    assert seen.edge[0, 2:] == pytest.approx([0.4, 0.0], abs=0.02)
    assert len(corners(np.zeros((1, 2)))) == 0


@given(st.floats(0.03, 0.45), st.floats(-0.7, 0.7))
def test_a_long_wall_has_no_pegs_in_front_of_it(distance: float, angle: float) -> None:
    """Rays that graze it hit it far from each other. The wall ends within the view of 270 degrees: of rays at its ends
    one alone may hit, and nothing would say that it is no peg."""
    middle, along = distance * np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    wall = Wall(points=(tuple(middle - 5.0 * along), tuple(middle + 5.0 * along)))
    seen = obstacles_seen(scan(World(name="wall", obstacles=(wall,))), PegMaking())
    assert len(seen.point) == 0
    assert len(seen.edge) == 1


def test_pegs_of_a_few_points_of_a_wall_are_forgotten_when_it_is_seen() -> None:
    rays = scan(World(name="wall", obstacles=(Wall(points=((0.3, -0.2), (0.3, 0.2))),)))
    facing = np.array([[-1.0, 0.0]])
    on_wall = PegMap(EXACT).met(no_pegs(), np.array([[0.3, 0.1]]), facing, 0.0)
    both = PegMap(EXACT).met(on_wall, np.array([[0.2, -0.9]]), facing, 0.0)
    known, edge = scanned(PegMap(EXACT), both, rays, 0.1)
    assert len(edge) == 1
    assert known.point[~np.isnan(known.point)].tolist() == [0.2, -0.9]


@example(0.15, 0.15, 0.0814695566524276, 2)  # of a ray that grazes it, and its neighbour
@given(st.floats(0.15, 0.45), st.floats(-1.5, 1.5), st.floats(0.04, 0.1), st.integers(1, 2))
def test_one_or_two_points_are_of_a_disc(distance: float, angle: float, r: float, count: int) -> None:
    """Wherever on its rim: at the ends of a scan no more may be seen of a peg."""
    x, y = (distance + r) * np.cos(angle), (distance + r) * np.sin(angle)
    rays = scan(World(name="peg", obstacles=(Disc(x=x, y=y, radius=r),)))
    for end in (slice(0, count), slice(-count, None)):
        some = np.full(len(rays.distance), np.inf)
        hit = np.flatnonzero(np.isfinite(rays.distance))[end]
        some[hit] = rays.distance[hit]
        seen = obstacles_seen(rays._replace(distance=some), PegMaking())
        assert len(seen.edge) == 0
        assert len(seen.point) == len(hit)
        assert ((seen.point * seen.normal).sum(axis=1) <= 0.0).all()


def test_what_a_scan_sees_through_is_forgotten() -> None:
    there, gone = Disc(x=0.3, y=0.0, radius=0.05), (0.0, 0.35)
    rays, pegs = scan(World(name="peg", obstacles=(there,))), PegMap(EXACT)
    known = pegs.met(no_pegs(), *rim(0.3, 0.0, 0.05, np.array([3.0, 3.3])), time=0.0)
    known = pegs.met(known, *rim(*gone, 0.05, np.array([4.5, 4.8])), time=0.0)
    behind = pegs.met(known, *rim(0.45, 0.0, 0.05, np.array([3.0, 3.3])), time=0.0)  # hidden by the first
    assert len(behind.disc) == 3
    assert forget_seen_through(behind, rays).disc[:, 0] == pytest.approx([0.3, 0.45])
    beyond = pegs.met(known, *rim(0.0, -0.7, 0.05, np.array([1.5])), time=0.0)  # out of range
    assert len(forget_seen_through(beyond, rays).disc) == 2


# --- contacts without a skin ---

ROBOT: Robot = robots["ten-link"](links=4, radius=0.03)


def wrenches(motion: LinkMotion, force: FloatArray, moment: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Joint forces and torques of links that are pushed and move like this on smooth ground, link by link."""
    joint_force, joint_torque = np.zeros((3, 2)), np.zeros(3)
    behind, torque = np.zeros(2), 0.0
    for i, link in enumerate(ROBOT.links[:-1]):
        ahead = behind + force[i] - link.mass * motion.acceleration[i]
        along = np.array([np.cos(motion.angle[i]), np.sin(motion.angle[i])])
        both = behind + ahead
        lever = 0.5 * link.length * (along[0] * both[1] - along[1] * both[0])
        torque = torque + moment[i] - lever - link.inertia * motion.turning[i]
        joint_force[i], joint_torque[i], behind = ahead, torque, ahead
    return joint_force, joint_torque


@given(
    st.integers(0, 3), st.floats(-0.06, 0.06), st.sampled_from([-1.0, 1.0]), st.floats(5.0, 60.0), st.integers(0, 99)
)
def test_one_push_on_one_link_is_found(link: int, place: float, side: float, size: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    angle = draw.uniform(-2.0, 2.0, 4)
    across = np.array([-np.sin(angle[link]), np.cos(angle[link])])
    along = np.array([np.cos(angle[link]), np.sin(angle[link])])
    force, moment = np.zeros((4, 2)), np.zeros(4)
    force[link] = -side * size * (across + 0.2 * along)  # with some friction
    moment[link] = -side * size * place + 0.2 * side * size * side * 0.03
    # The last link moves so that its own balance holds; the others are given any motion.
    motion = LinkMotion(angle, np.zeros((4, 2)), np.zeros(4), draw.normal(size=(4, 2)), draw.normal(size=4))
    joint_force, joint_torque = wrenches(motion, force, moment)
    acceleration, turning = motion.acceleration.copy(), motion.turning.copy()
    last, head = ROBOT.links[-1], np.array([np.cos(angle[3]), np.sin(angle[3])])
    acceleration[3] = (joint_force[2] + force[3]) / last.mass
    lever = 0.5 * last.length * (head[0] * joint_force[2, 1] - head[1] * joint_force[2, 0])
    turning[3] = (joint_torque[2] - lever + moment[3]) / last.inertia
    motion = motion._replace(acceleration=acceleration, turning=turning)
    found = PushEstimator(ROBOT, GroundBelief(0.0), threshold=1.0).touches(joint_force, joint_torque, motion)
    assert found.link.tolist() == [link]
    assert found.side.tolist() == [side]
    assert found.place[0] == pytest.approx(place, abs=1e-8)
    assert found.force[0] == pytest.approx(-side * size * np.array([0.2, 1.0]), abs=1e-8)
    assert found.point[0] == pytest.approx([place, side * 0.03], abs=1e-8)


def test_friction_of_the_ground_is_no_push() -> None:
    """A straight robot that slides along x and slows down: friction explains all of it."""
    velocity = np.tile([0.5, 0.0], (4, 1))
    still = np.zeros(4)
    motion = LinkMotion(still, velocity, still, np.tile([-0.3 * 9.81, 0.0], (4, 1)), still)
    found = PushEstimator(ROBOT, GroundBelief(0.3), threshold=0.1).touches(np.zeros((3, 2)), np.zeros(3), motion)
    assert len(found.link) == 0


def test_accelerations_of_links_follow_from_that_of_the_head() -> None:
    angle, rate, turning = (
        np.array([0.3, -0.4, 0.9, 0.2]),
        np.array([1.0, -2.0, 0.5, 0.7]),
        np.array([3.0, 1.0, -2.0, 0.4]),
    )
    step = 1e-4

    def centres(t: float) -> FloatArray:
        now = angle + rate * t + 0.5 * turning * t * t
        pose = planar_pose(ROBOT, np.diff(now), float(now.mean()), (0.5 * t * t, -t * t), link=3)
        return pose.position

    second = (centres(step) - 2.0 * centres(0.0) + centres(-step)) / step**2
    assert accelerations(ROBOT, angle, rate, turning, np.array([1.0, -2.0])) == pytest.approx(second, abs=1e-5)


def test_no_disc_is_seen_from_inside() -> None:
    """Short walls and noisy rims: whatever is believed, every ray hits it from outside."""
    draw = np.random.default_rng(1)
    for k in range(60):
        angle, away, tilt = draw.uniform(-0.5, 0.5), draw.uniform(0.2, 0.5), draw.uniform(0.3, 2.8)
        middle = away * np.array([np.cos(angle), np.sin(angle)])
        along = 0.5 * draw.uniform(0.03, 0.2) * np.array([np.cos(tilt), np.sin(tilt)])
        wall = Wall(points=(tuple(middle - along), tuple(middle + along)))
        obstacle = wall if k % 2 else Disc(x=middle[0], y=middle[1], radius=0.05)
        around = footprints(World(name="one", obstacles=(obstacle,)))
        angles = np.linspace(-1.0, 1.0, 201)
        exact = first_hits((0.0, 0.0), angles, around)
        rays = Rays(np.zeros(2), angles, exact + 0.004 * draw.standard_normal(201), 1.0)
        known, _ = scanned(PegMap(PegMaking()), no_pegs(), rays, 0.0)
        assert not len(known.disc) or (np.hypot(known.disc[:, 0], known.disc[:, 1]) > known.disc[:, 2]).all()
        seen = obstacles_seen(rays, PegMaking())
        assert ((seen.point * seen.normal).sum(axis=1) <= 0.0).all()


# --- odometry ---

NOTHING = Touches(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64), *np.zeros((3, 0, 2)))


def straight(velocity: tuple[float, float], rate: float = 0.0) -> Pose:
    pose = planar_pose(ROBOT, np.zeros(3), 0.0, (0.0, 0.0))
    turned = rate * np.stack([-pose.position[:, 1], pose.position[:, 0]], axis=1)
    return Pose(pose.position, pose.angle, np.array(velocity) + turned, np.full(4, rate))


def moved(odometry: Odometry, pose: Pose, ticks: int, touches: Touches = NOTHING) -> Pose:
    for _ in range(ticks):
        pose = odometry.step(pose, np.zeros(3), np.zeros(3), touches)
    return pose


def test_a_robot_coasts_on_smooth_ground_and_stops_on_rough_ground() -> None:
    coasted = moved(Odometry(ROBOT, GroundBelief(0.0), 0.005), straight((0.3, 0.1)), 100)
    assert coasted.position.mean(axis=0) == pytest.approx([0.15, 0.05], abs=1e-9)
    braked = moved(Odometry(ROBOT, GroundBelief(0.3), 0.005), straight((0.3, 0.0)), 100)
    # v^2 / (2 mu g) = 15.3 mm; the scheme is implicit and of first order: half a tick of 0.3 m/s is 0.8 mm
    assert braked.position.mean(axis=0) == pytest.approx([0.3**2 / (2 * 0.3 * 9.81), 0.0], abs=1e-3)
    assert np.abs(braked.velocity).max() < 1e-3


def test_a_push_that_is_felt_accelerates_the_whole_robot() -> None:
    push = Touches(
        np.array([1]), np.array([0.0]), np.array([1]), np.zeros((1, 2)), np.array([[0.0, -1.0]]), np.array([[2.0, 0.0]])
    )
    pushed = moved(Odometry(ROBOT, GroundBelief(0.0), 0.005), straight((0.0, 0.0)), 100, push)
    assert pushed.velocity == pytest.approx(np.tile([2.0 / 4.0 * 0.5, 0.0], (4, 1)), abs=1e-9)


def test_a_shape_change_on_smooth_ground_keeps_the_centre_of_mass() -> None:
    odometry, pose = Odometry(ROBOT, GroundBelief(0.0), 0.001), straight((0.0, 0.0))
    before = pose.position.mean(axis=0)
    for k in range(500):
        angle = 0.8 * np.sin(0.006 * (k + 1)) * np.array([1.0, -0.5, 0.7])
        rate = 0.8 * 6.0 * np.cos(0.006 * (k + 1)) * np.array([1.0, -0.5, 0.7])
        pose = odometry.step(pose, angle, rate, NOTHING)
    assert pose.position.mean(axis=0) == pytest.approx(before, abs=2e-3)  # first order in the tick
