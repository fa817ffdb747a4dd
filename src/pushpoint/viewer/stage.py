"""What does not move: ground, terrain and obstacles, and the shapes of what does."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pushpoint.view import style
from pushpoint.view.space import is_spatial
from pushpoint.view.space_scene import boxes_of
from pushpoint.view.surroundings import Box, patch_colours, view_box
from pushpoint.viewer.meshes import (
    THIN,
    Mesh,
    cylinder,
    eyes_of,
    field_mesh,
    joined,
    link_mesh,
    part_meshes,
    profile_mesh,
    rectangle,
)
from pushpoint.worlds import Heightfield, Profile

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording
    from pushpoint.robots import Robot
    from pushpoint.types import FloatArray, IntArray
    from pushpoint.worlds import World

AROUND = 0.15  # [m], least ground beyond what is shown
LEAST_TALL = 0.03  # [m]: obstacles without a height are shown at least as high
TALL = 0.8  # diameters of the robot, of obstacles without a height: one sees what is behind
MOST_LINES = 60  # of the grid on the ground, in each direction
LIFT = 0.001  # [m], of lines and patches above the ground that they lie on
EARTH = "#e9e4d8"
LINE = "#c4bcab"


class Solid(NamedTuple):
    """Something that stays where it is."""

    name: str
    mesh: Mesh
    colour: str


class Lines(NamedTuple):
    """Straight pieces that stay where they are."""

    name: str
    pieces: FloatArray  # [m], (pieces, 2, 3)
    colour: str


class Body(NamedTuple):
    """Links of one shape."""

    mesh: Mesh  # about the centre of a link, x forward
    links: IntArray  # their numbers


class Stage(NamedTuple):
    """A world, and the shapes of a robot."""

    box: Box  # [m], how much of the ground is shown
    top: float  # [m], height up to which something is
    solids: tuple[Solid, ...]
    lines: tuple[Lines, ...]
    bodies: tuple[Body, ...]
    eyes: Mesh  # about the centre of the head link
    discs: tuple[Mesh, ...]  # that can be pushed about; z = 0 is the ground
    down: FloatArray  # (3,), unit vector of gravity

    @property
    def size(self) -> float:
        """The longer side of what is shown [m]."""
        return max(self.box.right - self.box.left, self.box.top - self.box.bottom)

    @property
    def middle(self) -> FloatArray:
        """Of what is shown [m], (3,)."""
        height = self.top / (2 if self.is_tall else 3)
        return np.array([(self.box.left + self.box.right) / 2, (self.box.bottom + self.box.top) / 2, height])

    @property
    def is_tall(self) -> bool:
        """Whether it is better seen from the side, such as stairs."""
        return self.top > 0.4 * self.size

    @property
    def sight(self) -> tuple[float, float]:
        """Azimuth and elevation [rad] of the eye at the start."""
        return (-math.pi / 2 + 0.45, 0.3) if self.is_tall else (-math.pi / 2, 0.85)

    def eye(self, half: float, ratio: float) -> FloatArray:
        """Where a camera sees all of it [m], (3,), with half an angle of view [rad] upwards, and width over height."""
        (azimuth, elevation), box = self.sight, self.box
        wide, deep = box.right - box.left, box.top - box.bottom
        high = deep * math.sin(elevation) + self.top * math.cos(elevation)
        far = 1.05 * max(wide / ratio, high) / (2 * math.tan(half)) + 0.4 * deep * math.cos(elevation)
        flat = math.cos(elevation)
        towards = np.array([flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(elevation)])
        return np.asarray(self.middle + far * towards)


def stage_of(run: Recording, room: float = AROUND) -> Stage:
    """The world and the robot of a recording; what is shown is where the robot was, what is near, and at least so much
    ground [m] around it."""
    robot, world = run.scenario.built_robot(), run.scenario.built_world()
    seen = boxes_of(run).top if is_spatial(run) else view_box(run)
    room = max(room, 0.15 * max(seen.right - seen.left, seen.top - seen.bottom))
    box = Box(seen.left - room, seen.right + room, seen.bottom - room, seen.top + room)
    top = _top(run, robot)
    down = np.array(world.down) / np.linalg.norm(world.down)
    discs = tuple(cylinder(disc.radius, min(disc.height or top, top)) for disc in world.movable_discs)
    solids = (*_ground(world, box), *_obstacles(world, top))
    return Stage(box, top, solids, tuple(_lines(world, box)), bodies_of(robot), eyes_of(robot.links[-1]), discs, down)


def bodies_of(robot: Robot) -> tuple[Body, ...]:
    """Links by their shape: most robots have one."""
    kinds: dict[tuple[object, ...], list[int]] = {}
    for k, link in enumerate(robot.links):
        kinds.setdefault((link.shape, link.half_core, link.radius, link.edge_radius), []).append(k)
    return tuple(Body(link_mesh(robot.links[links[0]]), np.array(links)) for links in kinds.values())


def _top(run: Recording, robot: Robot) -> float:
    """How high obstacles are shown that have no height [m]; in space a little above the robot."""
    thick = 2 * max(max(link.radius, THIN) for link in robot.links)
    if not is_spatial(run):
        return max(LEAST_TALL, TALL * thick)
    return max(LEAST_TALL, float(run.data["link_position"].values[..., 2].max()) + thick)


def _ground(world: World, box: Box) -> Iterator[Solid]:
    terrain = world.terrain
    if isinstance(terrain, Profile):
        x, z = _spanned(terrain, box)
        yield Solid("ground", profile_mesh(x, z, box.bottom, box.top), EARTH)
        return
    under = LIFT if isinstance(terrain, Heightfield) else 0.0
    yield Solid("ground", rectangle(*box, z=-under), EARTH)
    if isinstance(terrain, Heightfield):
        yield Solid("terrain", field_mesh(terrain).flat, EARTH)
    for k, (patch, colour) in enumerate(patch_colours(world)):
        mesh = rectangle(patch.x_min, patch.x_max, patch.y_min, patch.y_max, LIFT / 2 * (1 + k / 100))
        yield Solid(f"patch-{k}", mesh, colour)


def _spanned(profile: Profile, box: Box) -> tuple[FloatArray, FloatArray]:
    """x and z of a profile [m], flat beyond its ends, across the box."""
    x, z = np.array(profile.points).T
    left, right = min(box.left, float(x[0])), max(box.right, float(x[-1]))
    ends = [left] if left < x[0] else [], [right] if right > x[-1] else []
    return np.concatenate([ends[0], x, ends[1]]), np.concatenate([z[: len(ends[0])], z, z[len(z) - len(ends[1]) :]])


def _obstacles(world: World, top: float) -> Iterator[Solid]:
    """As one mesh: there may be thousands."""
    fixed = [part for obstacle in world.obstacles if not obstacle.is_movable for part in obstacle.parts]
    if fixed:
        yield Solid("obstacles", joined([mesh.flat for part in fixed for mesh in part_meshes(part, top)]), style.PEG)


def _lines(world: World, box: Box) -> Iterator[Lines]:
    """A grid with round distances on a plane; the bends of a profile."""
    terrain = world.terrain
    if isinstance(terrain, Heightfield):
        return
    if isinstance(terrain, Profile):
        x, z = _spanned(terrain, box)
        places = np.stack([x, z + LIFT], axis=1)[1:-1]
        bends = [[(px, y, pz) for y in (box.bottom, box.top)] for px, pz in places]
        yield Lines("bends", np.array(bends).reshape(-1, 2, 3), style.PEG_EDGE)
        return
    yield Lines("grid", grid(box, grid_step(box)), LINE)


def grid_step(box: Box) -> float:
    """1, 2 or 5 times a power of ten [m], so that there are few lines."""
    least = max(box.right - box.left, box.top - box.bottom, 1e-3) / MOST_LINES
    power = 10.0 ** math.floor(math.log10(least))
    return max(0.1, next(step * power for step in (1, 2, 5, 10) if step * power >= least))


def grid(box: Box, step: float) -> FloatArray:
    """Lines at whole multiples of a step [m], (lines, 2, 3)."""
    x, y = (
        step * np.arange(math.ceil(low / step), math.floor(high / step) + 1)
        for low, high in ((box.left, box.right), (box.bottom, box.top))
    )
    upright = [[(a, box.bottom, LIFT / 4), (a, box.top, LIFT / 4)] for a in x]
    level = [[(box.left, b, LIFT / 4), (box.right, b, LIFT / 4)] for b in y]
    return np.array([*upright, *level]).reshape(-1, 2, 3)
