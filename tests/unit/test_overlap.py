"""Overlaps of capsules with discs, walls and polygons, against hand calculation and brute force."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pushpoint.mechanics.overlap import _near, link_pieces, obstacle_pieces, overlaps
from pushpoint.robots import Link, Robot
from pushpoint.types import FloatArray, Pose
from pushpoint.worlds import Disc, Obstacle, Polygon, Wall, World

RADIUS, HALF = 0.03, 0.07  # [m], of the link
SQUARE = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
SAMPLES = 400  # points per piece of the brute force
DIRECTIONS = np.linspace(0.0, math.tau, 2000, endpoint=False)


def capsule(core: float = HALF) -> Robot:
    return Robot(name="one", links=(Link(length=0.14, mass=1.0, inertia=1.0, radius=RADIUS, core=core),))


def at(x: float, y: float, angle: float = 0.0) -> Pose:
    return Pose(np.array([[x, y]]), np.array([angle]), np.zeros((1, 2)), np.zeros(1))


def depths(pose: Pose, *obstacles: Obstacle, core: float = HALF) -> dict[int, float]:
    found = overlaps(capsule(core), World(name="w", obstacles=obstacles), pose)
    assert [depth for *_, depth in found] == sorted((depth for *_, depth in found), reverse=True)
    return {obstacle: depth for _, obstacle, depth in found}


# --- by hand ---


def test_a_wall_is_near_parallel_to_a_link_and_at_its_end() -> None:
    wall = Wall(points=((-1, 0), (1, 0)))
    assert depths(at(0, 0.02), wall) == {0: pytest.approx(0.01)}
    assert depths(at(0, -0.02), wall) == {0: pytest.approx(0.01)}
    assert depths(at(1 + HALF + 0.02, 0), wall) == {0: pytest.approx(0.01)}
    assert depths(at(0, HALF + 0.02, math.pi / 2), wall) == {0: pytest.approx(0.01)}
    assert depths(at(0, RADIUS + 1e-9), wall) == {}


@pytest.mark.parametrize("angle", [0.3, math.pi / 2, -1.0])
def test_a_link_across_a_wall_is_as_deep_as_its_radius(angle: float) -> None:
    assert depths(at(0.2, 0, angle), Wall(points=((-1, 0), (1, 0)))) == {0: pytest.approx(RADIUS)}


def test_a_link_on_a_wall_that_it_does_not_cross_is_as_deep_as_its_radius() -> None:
    assert depths(at(0, 0), Wall(points=((-1, 0), (0.02, 0), (1, 0)))) == {0: pytest.approx(RADIUS)}


def test_a_polygon_pushes_from_outside_and_from_inside() -> None:
    square = Polygon(points=SQUARE)
    assert depths(at(0.51 + HALF, 0), square) == {0: pytest.approx(RADIUS - 0.01)}
    assert depths(at(0.49 + HALF, 0), square) == {0: pytest.approx(RADIUS + 0.01)}
    assert depths(at(0, 0), square) == {0: pytest.approx(RADIUS + 0.5)}  # out sideways
    assert depths(at(0.4, 0), square) == {0: pytest.approx(RADIUS + 0.1 + HALF)}  # out ahead, the whole axis
    assert depths(at(0.6 + HALF, 0), square) == {}


def test_a_thin_polygon_that_is_pierced_is_left_by_the_shortest_path() -> None:
    thin = Polygon(points=((-0.01, -0.5), (0.01, -0.5), (0.01, 0.5), (-0.01, 0.5)))
    assert depths(at(0.03, 0), thin) == {0: pytest.approx(RADIUS + HALF - 0.02)}
    small = Polygon(points=((-0.01, -0.01), (0.01, -0.01), (0.01, 0.01), (-0.01, 0.01)))
    assert depths(at(0.0, 0.002), small) == {0: pytest.approx(RADIUS + 0.008)}  # the axis sticks out on both sides


def test_a_link_without_a_straight_part_is_a_disc() -> None:
    square = Polygon(points=SQUARE)
    assert depths(at(0.48, 0.1, 1.0), square, core=0.0) == {0: pytest.approx(RADIUS + 0.02)}
    assert depths(at(0.52, 0.1, 1.0), square, core=0.0) == {0: pytest.approx(RADIUS - 0.02)}
    assert depths(at(0.0, 0.01), Disc(x=0, y=0, radius=0.1), core=0.0) == {0: pytest.approx(RADIUS + 0.09)}


def test_obstacles_are_numbered_as_in_the_world_each_once() -> None:
    far, wall = Wall(points=((5, 5), (6, 6))), Wall(points=((-1, 0.02), (0, 0.02), (1, 0.02)))
    disc = Disc(x=0, y=-0.1, radius=0.09)
    found = depths(at(0, 0), far, wall, Disc(x=9, y=9, radius=1), disc, Polygon(points=SQUARE))
    assert list(found) == [4, 3, 1]
    assert found[3] == pytest.approx(0.02)
    assert found[1] == pytest.approx(0.01)


def test_every_link_is_named() -> None:
    robot = Robot(name="two", links=capsule().links * 2)
    pose = Pose(np.array([[0, 0], [0.14, 0]]), np.zeros(2), np.zeros((2, 2)), np.zeros(2))
    wall = Wall(points=((0.15, -1), (0.15, 1)))
    assert [row[:2] for row in overlaps(robot, World(name="w", obstacles=(wall,)), pose)] == [(1, 0)]
    beside = Wall(points=((-1, 0.01), (1, 0.01)))
    assert {row[:2] for row in overlaps(robot, World(name="w", obstacles=(beside,)), pose)} == {(0, 0), (1, 0)}


def test_of_ten_thousand_obstacles_only_neighbours_are_checked_closely() -> None:
    """50 links among 40,000 edges: two million pairs, of which boxes leave a few per link."""
    places = [(0.1 * (k % 100), 0.1 * (k // 100)) for k in range(10_000)]
    squares = [Polygon(points=[(x + 0.02 * a, y + 0.02 * b) for a, b in SQUARE]) for x, y in places]
    world = World(name="w", obstacles=squares)
    robot = Robot(name="many", links=capsule().links * 50)
    line = np.stack([1 + 0.14 * np.arange(50), np.full(50, 5.05)], axis=1)
    pose = Pose(line, np.zeros(50), np.zeros((50, 2)), np.zeros(50))
    assert overlaps(robot, world, pose) == []
    close, _ = _near(link_pieces(robot, pose.position, pose.angle).box, obstacle_pieces(world.obstacles).box)
    assert len(close) <= 50 * 40  # at most ten squares of four edges for each link


# --- against brute force ---


def sampled(corners: Sequence[tuple[float, float]]) -> FloatArray:
    share = np.linspace(0, 1, SAMPLES)[:, np.newaxis]
    place = np.array(corners, dtype=float)
    return np.concatenate([(1 - share) * a + share * b for a, b in pairwise(place)])


def brute_depth(pose: Pose, core: float, obstacle: Wall | Polygon) -> float:
    """From sampled points; for a polygon that the axis is in, from the shapes' widths in sampled directions."""
    along = core * np.array([math.cos(pose.angle[0]), math.sin(pose.angle[0])])
    ends = (pose.position[0] - along, pose.position[0] + along)
    if isinstance(obstacle, Polygon):
        direction = np.stack([np.cos(DIRECTIONS), np.sin(DIRECTIONS)])
        out = (np.array(obstacle.points) @ direction).max(axis=0) - (np.array(ends) @ direction).min(axis=0)
        if out.min() > 0:
            return RADIUS + float(out.min())
    closed = [*obstacle.points, obstacle.points[0]] if isinstance(obstacle, Polygon) else obstacle.points
    outline, axis = sampled(closed), sampled([tuple(end) for end in ends])
    return RADIUS - float(np.linalg.norm(outline[:, np.newaxis] - axis, axis=2).min())


places = st.floats(-0.3, 0.3)
points = st.tuples(places, places)


@st.composite
def walls(draw: st.DrawFn) -> Wall:
    corners = draw(st.lists(points, min_size=2, max_size=4, unique=True))
    return Wall(points=tuple(corners))


@st.composite
def polygons(draw: st.DrawFn) -> Polygon:
    corners, x, y = draw(st.integers(3, 6)), draw(places), draw(places)
    radius, start = draw(st.floats(0.01, 0.3)), draw(st.floats(0, math.tau))
    turns = [start + math.tau * (k + draw(st.floats(-0.4, 0.4))) / corners for k in range(corners)]
    return Polygon(points=tuple((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns))


cores = st.just(0.0) | st.floats(1e-12, 0.2)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(obstacle=st.one_of(walls(), polygons()), x=places, y=places, angle=st.floats(-4, 4), core=cores)
def test_depths_are_those_of_brute_force(
    obstacle: Wall | Polygon, x: float, y: float, angle: float, core: float
) -> None:
    """Sampled points are at most half a spacing off: 0.85 m / 400 of an outline and 0.4 m / 400 of an axis."""
    pose = at(x, y, angle)
    found, brute = depths(pose, obstacle, core=core).get(0, 0.0), brute_depth(pose, core, obstacle)
    assert found == pytest.approx(max(brute, 0.0), abs=2e-3)
