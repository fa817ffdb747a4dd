"""How deep links lie inside obstacles: vectorised over rows, and what runs say of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.analysis import measures
from pushpoint.analysis.quality import deepest
from pushpoint.analysis.remarks import on_penetration, remarks
from pushpoint.mechanics.overlap import overlaps
from pushpoint.mechanics.penetration import ROWS, deepest_overlap
from pushpoint.mechanics.pose import planar_pose
from pushpoint.robots import Link, Robot
from pushpoint.types import Pose
from pushpoint.worlds import Disc, Ground, Obstacle, Polygon, Wall, World
from tests.unit.conftest import Shell

ROD = Link(length=0.2, mass=1.0, inertia=0.01, radius=0.02)


def scattered(random: np.random.Generator, count: int) -> list[Obstacle]:
    """Discs, walls, polygons and discs that can be pushed about."""
    found: list[Obstacle] = []
    for _ in range(count):
        x, y = random.uniform(-1, 1, 2)
        size, turn = random.uniform(0.03, 0.2), random.uniform(0, 6)
        corners = [(x + size * np.cos(turn + p), y + size * np.sin(turn + p)) for p in (0.0, 2.0, 4.0)]
        found.append(
            [
                Disc(x=x, y=y, radius=size),
                Disc(x=x, y=y, radius=size, mass=1.0),
                Wall(points=tuple(corners[:2])),
                Polygon(points=tuple(corners)),
            ][random.integers(4)]
        )
    return found


def test_the_deepest_of_all_rows_is_the_deepest_of_single_poses() -> None:
    random = np.random.default_rng(3)
    for case in range(20):
        robot = Robot(name="chain", links=(ROD,) * int(random.integers(1, 8)))
        world = World(name="all", ground=Ground(friction=0.0), obstacles=tuple(scattered(random, 12)))
        rows = int(random.choice([1, 7, ROWS + 3]))
        poses = [
            planar_pose(robot, random.uniform(-1, 1, len(robot.links) - 1), random.uniform(-3, 3), (x, y))
            for x, y in random.uniform(-1, 1, (rows, 2))
        ]
        moved = random.uniform(-1, 1, (rows, len(world.movable), 2))
        expected = [overlaps(robot, at(world, places), pose) for places, pose in zip(moved, poses, strict=True)]
        depth = max((found[0][2] for found in expected if found), default=0.0)
        position, angle = np.array([pose.position for pose in poses]), np.array([pose.angle for pose in poses])
        found = deepest_overlap(robot, world, position, angle, moved)
        assert found.depth == pytest.approx(depth, abs=1e-12), case
        if depth > 0:
            assert (found.link, found.obstacle) == expected[found.row][0][:2]


def at(world: World, places: np.ndarray) -> World:
    """The world with its movable discs somewhere else."""
    obstacles = list(world.obstacles)
    for k, (x, y) in zip(world.movable, places, strict=True):
        obstacles[k] = obstacles[k].model_copy(update={"x": float(x), "y": float(y)})
    return world.model_copy(update={"obstacles": tuple(obstacles)})


def test_nothing_overlaps() -> None:
    robot = Robot(name="rod", links=(ROD,))
    world = World(name="one", ground=Ground(friction=0.0), obstacles=(Disc(x=1.0, y=0.0, radius=0.1),))
    still = Pose(np.zeros((1, 2)), np.zeros(1), np.zeros((1, 2)), np.zeros(1))
    assert deepest_overlap(robot, world, still.position[np.newaxis], still.angle[np.newaxis]).depth == 0.0
    empty = world.model_copy(update={"obstacles": ()})
    assert deepest_overlap(robot, empty, still.position[np.newaxis], still.angle[np.newaxis]).depth == 0.0


@pytest.fixture(scope="module")
def rows_run() -> pp.Recording:
    return pp.simulate("liljeback2010/rows", duration=3.0)


def test_contacts_at_the_centre_let_links_turn_into_obstacles(rows_run: pp.Recording) -> None:
    found = deepest(rows_run)
    assert measures["penetration"](rows_run) == found.depth > 0.005  # of a peg of 50 mm
    row = int(np.flatnonzero(rows_run.data["time"].values == found.time)[0])
    disc = rows_run.scenario.built_world().obstacles[found.obstacle]
    centre, angle = (rows_run.data[name].values[row, found.link] for name in ("link_position", "link_angle"))
    half = rows_run.scenario.built_robot().links[found.link].half_core
    along = np.linspace(-half, half, 100_001)[:, np.newaxis] * [np.cos(angle), np.sin(angle)]
    distance = np.linalg.norm(centre + along - [disc.x, disc.y], axis=1).min()
    assert found.depth == pytest.approx(disc.radius - distance, abs=1e-9)
    assert "mm inside obstacle" in on_penetration(rows_run)
    assert "plant.contact=centre" in on_penetration(rows_run)


def test_contacts_at_the_point_do_not() -> None:
    run = pp.simulate("liljeback2010/rows", {"plant.contact": "point"}, duration=2.0)
    assert deepest(run).depth <= 1e-4  # measured 5e-6 m
    assert remarks(run) == []


def test_run_report_and_figure_say_it(rows_run: pp.Recording, shell: Shell, tmp_path: Path) -> None:
    from pushpoint.reproduction.report import Report
    from pushpoint.view.figures import run_figure

    caption = run_figure(rows_run)._supxlabel  # type: ignore[attr-defined]  # Matplotlib has no public name for it
    assert "mm inside obstacle" in caption.get_text()
    report = Report((), {"liljeback2010/rows": rows_run})
    assert "- `liljeback2010/rows`: link" in report.as_markdown({})
    assert report.as_dict()["scenarios"]["liljeback2010/rows"]["advice"]["remarks"]
    words = ("run", "liljeback2010/rows", "--duration", "1.5", "--out", str(tmp_path))
    code, out, _ = shell(*words)
    assert code == 0
    assert "mm inside obstacle" in out
    code, out, _ = shell(*words, "--force", "--json")
    data = json.loads(out)
    assert code == 0
    assert data["penetration"]["depth"] > 0.0
    assert data["advice"]["time_step"] is None


def test_in_space() -> None:
    """A robot that is put half its radius into the ground, and one beside it."""
    run = pp.simulate("lab/pegs-3d", duration=0.05)
    assert deepest(run).depth <= 1e-4
    sunk = run.data.copy(deep=True)
    sunk["link_position"][3, 4, 2] -= 0.01
    found = deepest(pp.Recording(sunk, run.contacts, run.events, run.scenario))
    assert (found.link, found.obstacle) == (4, -1)
    assert found.time == pytest.approx(float(run.data["time"][3]))
    assert found.depth == pytest.approx(0.01, abs=2e-4)
