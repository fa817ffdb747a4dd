"""A new kind of obstacle is one class that lists its parts: docs/howto/add-an-obstacle.md."""

from __future__ import annotations

import json
import math
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

import pushpoint as pp
from pushpoint.errors import InvalidInput
from pushpoint.geometry.parts import Part, Pillar, Prism
from pushpoint.mechanics.spatial_overlap import spatial_overlaps
from pushpoint.mechanics.spatial_pose import Attitude, spatial_pose
from pushpoint.quantities import Length
from pushpoint.scenario import Scenario
from pushpoint.sensors._footprints import footprints
from pushpoint.view.space_scene import boxes_of, draw_side, draw_top
from pushpoint.worlds import Box, Obstacle, World
from pushpoint.worlds._model import Point3

SLOPE = math.radians(15.0)
RADIUS = 0.04  # [m]


class Wedge(Obstacle):
    """A ramp that rises along x, with a peg on either side of its foot."""

    kind: Literal["wedge"] = "wedge"
    foot: Point3  # [m], the right end of its lower edge
    length: Length  # [m]
    rise: Length  # [m]
    width: Length  # [m]

    @property
    def parts(self) -> tuple[Part, ...]:
        x, y, z = self.foot
        section = ((x, y, z), (x + self.length, y, z), (x + self.length, y, z + self.rise))
        pegs = (Pillar(x, y + side, 0.02, height=0.1) for side in (-0.05, self.width + 0.05))
        return (Prism(section, (0.0, self.width, 0.0)), *pegs)


RAMP: dict[str, Any] = {
    "kind": "wedge",
    "foot": (0.0, -0.3, 0.0),
    "length": 1.0,
    "rise": math.tan(SLOPE),
    "width": 0.6,
    "friction": 0.8,
}
LINK = {"length": 0.2, "mass": 1.0, "inertia": 3.4e-3, "radius": RADIUS, "core": 0.06}


def world() -> World:
    return World.parse({"name": "ramp", "obstacles": [RAMP]})


def surface(place: np.ndarray) -> np.ndarray:
    """Heights above the ramp [m], at right angles to it."""
    return np.asarray(place[..., 2] * math.cos(SLOPE) - place[..., 0] * math.sin(SLOPE))


def lying(plant: str, duration: float = 0.5) -> pp.Recording:
    """A link that was laid on the ramp, along its slope."""
    up = 0.5 * math.tan(SLOPE) + RADIUS / math.cos(SLOPE)  # of its centre at x = 0.5 m
    lowest = RADIUS + 0.06 * math.sin(SLOPE)
    scenario = {
        "name": "lab/ramp",
        "robot": {"name": "link", "links": [LINK]},
        "world": {"name": "ramp", "obstacles": [RAMP]},
        "plant": plant,
        "controller": "hold",
        "start": {"position": (0.5, 0.0), "link": 0, "pitch": -SLOPE, "height": up - lowest + 1e-5},
        "duration": duration,
    }
    return pp.simulate(Scenario.parse(scenario))


MUJOCO = pytest.param("mujoco", marks=pytest.mark.skipif(find_spec("mujoco") is None, reason="an extra"))


@pytest.mark.parametrize("plant", ["spatial_stepping", MUJOCO])
def test_plants_in_space_simulate_it(plant: str) -> None:
    run = lying(plant)
    place = run.data["link_position"].values[:, 0]
    assert surface(place[-1]) == pytest.approx(RADIUS, abs=1e-4)  # measured 1e-5
    assert np.linalg.norm(place[-1] - place[0]) < 1e-3  # friction holds it
    force = run.contacts.isel(contact=run.contacts["time"].values == run.data["time"].values[-1])["force"].values
    assert force.sum(axis=0) == pytest.approx([0, 0, 9.81], abs=0.02)
    assert set(run.contacts["obstacle"].values) == {0}


def test_planar_plants_refuse_it_by_name() -> None:
    with pytest.raises(InvalidInput, match=r"is planar: world\.obstacles\.0 is a wedge; use plant 'spatial_stepping'"):
        lying("planar_stepping")


def test_overlaps_see_it() -> None:
    robot = pp.Robot.parse({"name": "link", "links": [LINK]})
    depth = 0.015
    height = 0.5 * math.tan(SLOPE) + (RADIUS - depth) / math.cos(SLOPE)
    pose = spatial_pose(robot, np.zeros(0), Attitude(pitch=-SLOPE), (0.5, 0.0, height))
    ((link, obstacle, found),) = spatial_overlaps(robot, world(), pose)
    assert (link, obstacle) == (0, 0)
    assert found == pytest.approx(depth, abs=1e-6)
    beside = spatial_pose(robot, np.zeros(0), Attitude(), (0.5, 0.5, 0.1))
    assert spatial_overlaps(robot, world(), beside) == []


def test_pictures_show_it() -> None:
    run = lying("spatial_stepping", 0.02)
    boxes = boxes_of(run)
    above, aside = Figure().subplots(2)
    draw_top(above, run, boxes.top)
    draw_side(aside, run, boxes)
    for axes, extent in ((above, [0, -0.3, 1, 0.3]), (aside, [0, 0, 1, math.tan(SLOPE)])):
        shapes = [
            path.vertices for each in axes.collections if isinstance(each, PolyCollection) for path in each.get_paths()
        ]
        assert any([*shape.min(axis=0), *shape.max(axis=0)] == pytest.approx(extent) for shape in shapes)


def test_sensors_see_it_from_above() -> None:
    seen = footprints(world())
    ramp = seen.edge[:4]
    assert [*ramp.reshape(-1, 2).min(axis=0), *ramp.reshape(-1, 2).max(axis=0)] == pytest.approx([0, -0.3, 1, 0.3])
    assert set(seen.edge_obstacle) == {0}
    assert len(seen.edge) > 4 + 2 * 12  # both pegs, as polygons


def test_files_hold_it() -> None:
    made = world()
    assert made.obstacles == (Wedge.parse(RAMP),)
    assert World.parse(json.loads(made.model_dump_json())) == made
    with pytest.raises(InvalidInput, match=r"World\.obstacles\.0\.rise = -1"):
        World.parse({"name": "ramp", "obstacles": [RAMP | {"rise": -1}]})


def test_kinds_are_not_taken_twice() -> None:
    with pytest.raises(InvalidInput, match="obstacle kind 'wedge' is registered twice"):

        class Other(Obstacle):
            kind: Literal["wedge"] = "wedge"

    class Steeper(Wedge):
        """Of the same kind."""

    assert Obstacle.kinds["wedge"] is Wedge


def test_parts_are_solid_each_by_itself() -> None:
    """An obstacle of two boxes is what two boxes are: a link in one of them is seen, wherever the other is."""
    robot = pp.Robot.parse({"name": "link", "links": [LINK]})
    step = {"centre": (0.0, 0.0, 0.05), "size": (0.6, 0.4, 0.1)}, {"centre": (0.2, 0.0, 0.15), "size": (0.2, 0.4, 0.1)}

    class Steps(Obstacle):
        kind: Literal["steps"] = "steps"

        @property
        def parts(self) -> tuple[Part, ...]:
            return tuple(part for each in step for part in Box.parse(each).parts)

    draw, seen = np.random.default_rng(4), 0
    one = World(name="w", obstacles=(Steps(),))
    two = World(name="w", obstacles=tuple(Box.parse(each) for each in step))
    for _ in range(60):
        attitude, place = Attitude(*draw.uniform(-1, 1, 3)), (*draw.uniform(-0.3, 0.3, 2), draw.uniform(0.1, 0.25))
        pose = spatial_pose(robot, np.zeros(0), attitude, place)
        apart = [row[2] for row in spatial_overlaps(robot, two, pose) if row[1] >= 0]
        whole = [row[2] for row in spatial_overlaps(robot, one, pose) if row[1] >= 0]
        assert whole == apart[:1]
        seen += len(apart)
    assert seen > 30


def test_a_prism_is_what_a_box_is() -> None:
    """The same solid by other parts: the same overlaps."""
    robot = pp.Robot.parse({"name": "link", "links": [LINK]})

    class Brick(Box):
        kind: Literal["brick"] = "brick"  # type: ignore[assignment]

        @property
        def parts(self) -> tuple[Part, ...]:
            (x, y, z), (a, b, c) = self.centre, (size / 2 for size in self.size)
            base = ((x - a, y - b, z - c), (x - a, y + b, z - c), (x + a, y + b, z - c), (x + a, y - b, z - c))
            return (Prism(base, (0.0, 0.0, 2 * c)),)

    draw = np.random.default_rng(3)
    for _ in range(20):
        attitude, place = Attitude(*draw.uniform(-1, 1, 3)), (*draw.uniform(-0.2, 0.2, 2), draw.uniform(0.2, 0.5))
        pose = spatial_pose(robot, np.zeros(0), attitude, place)
        found = [
            spatial_overlaps(robot, World(name="w", obstacles=(kind(centre=(0, 0, 0.35), size=(0.3, 0.2, 0.1)),)), pose)
            for kind in (Box, Brick)
        ]
        assert [row[:2] for row in found[0]] == [row[:2] for row in found[1]]
        assert [row[2] for row in found[0]] == pytest.approx([row[2] for row in found[1]], abs=1e-9)
