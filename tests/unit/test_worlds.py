"""The families of worlds: what they place where, and what they refuse."""

from __future__ import annotations

import math
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pushpoint.errors import InvalidInput
from pushpoint.mechanics.overlap import overlaps
from pushpoint.mechanics.pose import planar_pose
from pushpoint.robots import robots
from pushpoint.scenario import Choice, build
from pushpoint.types import FloatArray
from pushpoint.worlds import Disc, Polygon, Wall, World, worlds


def world(name: str, seed: int = 0, **options: Any) -> World:
    found = build(worlds, Choice(name=name, options=options), seed)
    assert isinstance(found, World)
    return found


def wall_points(found: World) -> list[FloatArray]:
    return [np.array(wall.points) for wall in found.obstacles if isinstance(wall, Wall)]


def test_what_is_drawn_at_random_stays_the_same() -> None:
    """Runs on seeded fields are compared over years."""
    first = world("random-field", seed=3).obstacles[0]
    assert isinstance(first, Disc)
    assert (first.x, first.y, first.radius) == (1.074077334859598, -0.31582739208468036, 0.08807646791238383)


# --- corridor ---


def test_a_straight_corridor_is_two_parallel_walls() -> None:
    left, right = wall_points(world("corridor", width=0.4, length=3.0, segments=3, x=-0.5, y=0.1))
    assert left == pytest.approx(np.stack([np.linspace(-0.5, 2.5, 7), np.full(7, 0.3)], axis=1))
    assert right == pytest.approx(left - (0, 0.4))


@pytest.mark.parametrize("bend", [0.5, -1.2, math.pi / 2])
def test_a_bend_keeps_the_width_and_turns_in_the_middle(bend: float) -> None:
    left, right = wall_points(world("corridor", width=0.4, length=3.0, segments=2, bend=bend, x=0.0))
    ahead = np.array([math.cos(bend), math.sin(bend)])
    to_the_left = np.array([-ahead[1], ahead[0]])
    for points, side in ((left, 0.2), (right, -0.2)):
        assert points[:3, 1] == pytest.approx(side)
        assert (points[2:] - (1.5, 0)) @ to_the_left == pytest.approx(side)
        assert points[-1] == pytest.approx(np.array([1.5, 0]) + 1.5 * ahead + side * to_the_left)
        assert np.all(np.diff(points[:3, 0]) > 0)
        assert np.all(np.diff(points[2:] @ ahead) > 0)


def test_walls_of_a_corridor_are_as_rough_and_elastic_as_asked() -> None:
    found = world("corridor", friction=0.3, obstacle_friction=0.4, restitution=0.5)
    assert found.ground.friction == 0.3
    assert {(wall.friction, wall.restitution) for wall in found.obstacles} == {(0.4, 0.5)}


@pytest.mark.parametrize("bend", [1.7, -3.0])
def test_a_bend_that_leaves_nothing_of_the_inner_wall_is_refused(bend: float) -> None:
    with pytest.raises(InvalidInput, match=rf"corridor: bend = {bend} rad.*within 1\.571 rad for width = 1\.0 m"):
        world("corridor", width=1.0, length=1.0, bend=bend)


# --- polygons ---


def outline(polygon: Polygon) -> FloatArray:
    """Points along the edges."""
    corners = np.array(polygon.points)
    share = np.linspace(0, 1, 50)[:, np.newaxis]
    ends = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    return np.concatenate([a + share * (b - a) for a, b in ends])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_polygons_keep_their_distance_and_their_limits(seed: int) -> None:
    found = [obstacle for obstacle in world("polygon-field", seed).obstacles if isinstance(obstacle, Polygon)]
    assert len(found) == 25
    assert {len(polygon.points) for polygon in found} == {3, 4, 5, 6}
    lines = [outline(polygon) for polygon in found]
    for a, b in combinations(lines, 2):
        assert np.linalg.norm(a[:, np.newaxis] - b, axis=2).min() > 0.14
    corners = np.concatenate([polygon.points for polygon in found])
    assert corners.min(axis=0) == pytest.approx((0.8, -0.6), abs=0.12)
    assert np.all(corners > (0.68, -0.72))
    assert np.all(corners < (4.12, 0.72))


def test_polygon_fields_follow_their_seed_and_their_options() -> None:
    assert world("polygon-field", seed=1) == world("polygon-field", seed=1)
    assert world("polygon-field", seed=1) != world("polygon-field", seed=2)
    found = world("polygon-field", polygons=4, corners_min=5, corners_max=5, obstacle_friction=0.2, restitution=0.1)
    assert [len(obstacle.points) for obstacle in found.obstacles if isinstance(obstacle, Polygon)] == [5] * 4
    assert {(obstacle.friction, obstacle.restitution) for obstacle in found.obstacles} == {(0.2, 0.1)}
    assert world("polygon-field", polygons=0).obstacles == ()


@pytest.mark.parametrize("what", ["corners", "x", "y", "size"])
def test_reversed_ranges_are_refused(what: str) -> None:
    with pytest.raises(InvalidInput, match=rf"polygon-field: {what}_min = 9.* exceeds {what}_max = 4"):
        world("polygon-field", **{f"{what}_min": 9, f"{what}_max": 4})


@pytest.mark.parametrize("what", ["x", "y", "radius"])
def test_reversed_ranges_of_pegs_are_refused(what: str) -> None:
    with pytest.raises(InvalidInput, match=rf"random-field: {what}_min = 9\.0 exceeds {what}_max = 4\.0"):
        world("random-field", **{f"{what}_min": 9, f"{what}_max": 4})


@pytest.mark.parametrize("name", ["corridor", "polygon-field"])
def test_there_is_room_to_start(name: str) -> None:
    robot = robots["aiko"]()
    pose = planar_pose(robot, np.zeros(len(robot.links) - 1), 0.0, (0.0, 0.0))
    assert overlaps(robot, world(name), pose) == []


# --- rows ---


def test_movable_rows_are_rows_with_masses() -> None:
    options = {"rows": 2, "columns": 3, "spacing": 0.3, "stagger": 0.25}
    fixed = world("rows", **options)
    found = world("movable-rows", **options, mass=0.7, ground_friction=0.6, obstacle_friction=0.1, restitution=0.4)
    assert found.movable == tuple(range(6))
    assert [(d.x, d.y, d.radius) for d in found.discs] == [(d.x, d.y, d.radius) for d in fixed.discs]
    assert {(d.mass, d.ground_friction, d.friction, d.restitution) for d in found.discs} == {(0.7, 0.6, 0.1, 0.4)}


# --- tables ---


def from_text(folder: Path, text: str) -> World:
    table = folder / "pegs.csv"
    table.write_text(text)
    return world("csv", path=str(table))


def test_a_table_needs_three_columns(tmp_path: Path) -> None:
    found = from_text(tmp_path, "name,x_m,y_m,radius_m\nfirst,1.5,0.4,0.05\n")
    assert found.obstacles == (Disc(x=1.5, y=0.4, radius=0.05),)
    with pytest.raises(InvalidInput, match=r"column 'y_m' is missing; needed: x_m, y_m, radius_m"):
        from_text(tmp_path, "x_m,radius_m\n1,2\n")


def test_a_table_may_have_masses_and_laws_of_contact(tmp_path: Path) -> None:
    head = "x_m,y_m,radius_m,mass_kg,friction,restitution,ground_friction\n"
    found = from_text(tmp_path, head + "1,2,0.1,0.5,0.3,0.2,0.6\n1,3,0.1,,,,\n1,4,0.1, ,0.3\n")
    assert found.obstacles == (
        Disc(x=1, y=2, radius=0.1, mass=0.5, friction=0.3, restitution=0.2, ground_friction=0.6),
        Disc(x=1, y=3, radius=0.1),
        Disc(x=1, y=4, radius=0.1, friction=0.3),
    )
    assert found.movable == (0,)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("1,2,,0.5,1", "radius_m = '' is no number"),
        ("1,2", "radius_m = None is no number"),
        ("1,2,0.1,heavy,1", "mass_kg = 'heavy' is no number"),
        ("1,2,0.1,-1,1", r"Disc\.mass = -1\.0"),
        ("1,2,0.1,1,2", r"Disc\.restitution = 2\.0"),
        ("1,2,0.1,nan,1", r"Disc\.mass = nan"),
    ],
)
def test_a_bad_cell_is_named_with_its_line(tmp_path: Path, row: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=rf"pegs\.csv, line 3: {words}"):
        from_text(tmp_path, f"x_m,y_m,radius_m,mass_kg,restitution\n0,0,1\n{row}\n")


def test_a_mass_without_its_unit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"column 'mass' should be 'mass_kg'; known: x_m, "):
        from_text(tmp_path, "x_m,y_m,radius_m,mass\n0,0,1,1\n")


@pytest.mark.parametrize("seed", range(5))
def test_random_pegs_keep_clear_of_a_line(seed: int) -> None:
    line = ((-0.3, 0.1), (0.2, -0.1), (0.2, 0.3))
    options = {"pegs": 1000, "x_min": -1.0, "x_max": 1.0, "keep_clear": line, "clearance": 0.02}
    discs = build(worlds, Choice(name="random-field", options=options), seed).discs
    assert len(discs) > 5
    for disc in discs:
        for a, b in pairwise(np.array(line)):
            along = np.linspace(a, b, 500)
            assert np.linalg.norm(along - (disc.x, disc.y), axis=1).min() >= disc.radius + 0.02 - 1e-6
    apart = [
        math.hypot(a.x - b.x, a.y - b.y) - a.radius - b.radius for k, a in enumerate(discs) for b in discs[k + 1 :]
    ]
    assert min(apart) >= 0.14


def test_worlds_of_the_jam_controller_are_as_rough_as_asked() -> None:
    for name in ("rows", "clutter", "random-field"):
        options = {"friction": 0.3, "obstacle_friction": 0.2, "ground_torque": True}
        world = build(worlds, Choice(name=name, options=options), 0)
        assert world.ground.torque
        assert world.ground.friction == 0.3
        assert {obstacle.friction for obstacle in world.obstacles} == {0.2}


# --- thinned fields ---


def places(found: World) -> list[str]:
    return [obstacle.model_dump_json() for obstacle in found.obstacles]


@pytest.mark.parametrize("name", ["random-field", "polygon-field", "wall-field"])
def test_a_field_that_keeps_everything_is_the_same_to_the_bit(name: str) -> None:
    for seed in range(5):
        assert world(name, seed, keep=1.0) == world(name, seed)
    assert world(name, keep=0.0).obstacles == ()
    with pytest.raises(InvalidInput, match=r"world\.keep = 1\.1"):
        world(name, keep=1.1)


@pytest.mark.parametrize("name", ["random-field", "polygon-field", "wall-field"])
def test_a_thinner_field_is_a_part_of_a_denser_one(name: str) -> None:
    for seed in range(5):
        full, most, half = (places(world(name, seed, keep=keep)) for keep in (1.0, 0.7, 0.5))
        assert set(half) < set(most) < set(full)
        assert most == [place for place in full if place in most]  # in the same order


def test_what_is_kept_follows_from_the_seed_alone() -> None:
    options = {"pegs": 1000, "darts": 2000}
    full = places(world("random-field", 7, **options))
    kept = np.random.default_rng([7, 0xC1077E5]).random(len(full)) < 0.6
    assert places(world("random-field", 7, keep=0.6, **options)) == [p for p, k in zip(full, kept, strict=True) if k]


def test_the_share_that_is_kept_is_the_one_asked_for() -> None:
    """Of about 3500 pegs; the standard error of the share is 0.008."""
    options = {"pegs": 1000, "darts": 1000, "x_min": -5.0, "x_max": 5.0, "y_min": -2.0, "y_max": 2.0}
    counts = [
        [len(world("random-field", seed, keep=keep, **options).obstacles) for seed in range(12)] for keep in (1.0, 0.7)
    ]
    full, kept = np.sum(counts, axis=1)
    assert full > 1500
    assert kept / full == pytest.approx(0.7, abs=4 * math.sqrt(0.21 / full))


def test_pegs_may_be_loose_and_between_walls() -> None:
    found = world("random-field", mass=3.0, friction=0.4, walls=0.2, y_min=-0.3, y_max=0.3)
    discs = [obstacle for obstacle in found.obstacles if isinstance(obstacle, Disc)]
    assert {(disc.mass, disc.ground_friction) for disc in discs} == {(3.0, 0.4)}
    assert [wall[:, 1].tolist() for wall in wall_points(found)] == [[-0.5, -0.5], [0.5, 0.5]]


def test_short_walls_keep_their_distance_and_clear_of_a_line() -> None:
    line = ((-0.3, 0.1), (0.2, -0.1))
    found = wall_points(world("wall-field", 2, walls=1000, x_min=-1.0, x_max=1.0, keep_clear=line))
    lengths = [float(np.linalg.norm(b - a)) for a, b in found]
    assert len(found) > 8
    assert 0.1 <= min(lengths) <= max(lengths) <= 0.24
    for one, other in combinations([a + np.linspace(0, 1, 40)[:, np.newaxis] * (b - a) for a, b in found], 2):
        assert np.linalg.norm(one[:, np.newaxis] - other, axis=2).min() > 0.14
    with pytest.raises(InvalidInput, match="wall-field: length_min"):
        world("wall-field", length_min=0.5)
