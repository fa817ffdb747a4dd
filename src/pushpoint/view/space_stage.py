"""A run in three dimensions, seen aslant from far away, so that lengths keep their scale: polygons sorted by depth.

Runs in the plane stand on the ground as high as the robot is thick; obstacles without a height are cut off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import LightSource, to_rgb
from matplotlib.ticker import MaxNLocator

from pushpoint.analysis._series import recorded
from pushpoint.geometry.rotation import matrices
from pushpoint.view import style
from pushpoint.view.bodies import arrows, full_force, pushes_at, quiver
from pushpoint.view.faults import FaultFinder
from pushpoint.view.panels import middle
from pushpoint.view.shapes import Aslant
from pushpoint.view.space import GROUND, TOP, Pose, eyes, hull, is_spatial, link_outline, pressing
from pushpoint.view.space_scene import boxes_of, shades
from pushpoint.view.stage import (
    HEAD,
    Camera,
    Shown,
    Stage,
    draw_key,
    empty,
    fixed_camera,
    following_camera,
    period_of,
    shape_of,
)
from pushpoint.view.surroundings import FAR, Box, Movable, movable, patch_colours, view_box
from pushpoint.worlds import Heightfield, Profile

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from pushpoint.recording.recording import Recording
    from pushpoint.robots import Robot
    from pushpoint.types import FloatArray

    Colour = tuple[float, ...]

EYE = Aslant(azimuth=-78.0, elevation=40.0)
THINNEST = 0.012  # [m], radius with which links are drawn at least
LOW = 1.1  # height of obstacles without a height, over the thickness of the robot: it is not to be hidden
LINES = 12  # of the grid on the ground, about so many across the picture
LARGE = 1e3  # [m]: patches without an end
MOST_CELLS = 70  # of a heightfield, in either direction
SHADOW, SHINE = 0.16, 0.30  # shares: of ink in shadows, of white in what is lit
NARROW, WIDE = 0.6, 2.0  # [points]: edges, and those of links inside of obstacles
LIT = 0.5  # width of the lit stripe of a link over that of the link


class Solid(NamedTuple):
    """An obstacle as it is drawn: its outline and its upper face, in the picture."""

    outline: FloatArray  # [m], (points, 2)
    top: FloatArray  # [m], (points, 2); empty if it has none that is level
    low: FloatArray  # [m], (2,): of the box around its ground plan
    high: FloatArray


def mixed(colour: str, other: str, share: float) -> Colour:
    """A colour with a share of another one."""
    return tuple((1 - share) * a + share * b for a, b in zip(to_rgb(colour), to_rgb(other), strict=True))


def poses(run: Recording) -> tuple[FloatArray, FloatArray]:
    """Link centres [m], (rows, links, 3), and rotations (rows, links, 3, 3); runs in the plane lie on the ground."""
    if is_spatial(run):
        turn = recorded(run, "link_orientation")
        return recorded(run, "link_position"), matrices(turn.reshape(-1, 4)).reshape(*turn.shape[:2], 3, 3)
    flat, angle = recorded(run, "link_position"), recorded(run, "link_angle")
    height = np.array([radius for _, radius in _sizes(run.scenario.built_robot())])
    place = np.concatenate([flat[..., :2], np.broadcast_to(height, angle.shape)[..., np.newaxis]], axis=2)
    turn = np.zeros((*angle.shape, 3, 3))
    turn[..., 0, 0], turn[..., 1, 1], turn[..., 2, 2] = np.cos(angle), np.cos(angle), 1.0
    turn[..., 1, 0], turn[..., 0, 1] = np.sin(angle), -np.sin(angle)
    return place, turn


def _sizes(robot: Robot) -> list[tuple[float, float]]:
    """Half length of the core and radius of links as they are drawn [m]."""
    return [(link.half_core, max(link.radius, THINNEST)) for link in robot.links]


class Aslant3D:
    """A run in three dimensions."""

    def __init__(self, shown: Shown, shape: float) -> None:
        run = self._run = shown.run
        robot, self._world = run.scenario.built_robot(), run.scenario.built_world()
        self._links = [link.model_copy(update={"radius": max(link.radius, THINNEST)}) for link in robot.links]
        self._spatial = is_spatial(run)
        self._centre, self._turn = poses(run)
        self._thick = max(link.radius for link in self._links)
        self._discs, self._full = movable(run), full_force(run)
        self._plan, self._ceiling = self._extent()
        self.camera = self._made_camera(shape, shown.follow)
        self._solids = [self._solid(part) for o in self._world.obstacles if not o.is_movable for part in o.hulls()]
        self._faults = None if self._spatial else FaultFinder(run)
        self._path = EYE.flat(
            self._centre[:, middle(run)] * (1, 1, 0) if self._is_flat else self._centre[:, middle(run)]
        )
        self.grid = float(np.diff(MaxNLocator(LINES, steps=[1, 2, 5, 10]).tick_values(*self.camera.box[:2]))[0])

    @property
    def _is_flat(self) -> bool:
        return self._world.terrain is None

    def _extent(self) -> tuple[Box, float]:
        """What is shown from above, and the greatest height [m]."""
        if self._spatial:
            boxes = boxes_of(self._run)
            return boxes.top, max(boxes.side.top, 2 * self._thick)
        return view_box(self._run), LOW * 2 * self._thick

    def _made_camera(self, shape: float, follow: bool) -> Camera:
        if follow:
            reach = max(link.half_core + link.radius for link in self._links)
            return following_camera(EYE.flat(self._centre), period_of(self._run), reach, shape)
        plan, top = self._plan, float(self._centre[..., 2].max()) + self._thick
        corners = [(x, y, z) for x in plan[:2] for y in plan[2:] for z in (0.0, top)]
        flat = EYE.flat(np.array(corners))
        (left, low), (right, high) = flat.min(axis=0), flat.max(axis=0)
        box = Box(float(left), float(right), float(low), float(high))
        return fixed_camera(box, shape, len(self._centre))

    def _solid(self, corners: FloatArray) -> Solid:
        """Cut off where the picture ends: what has no height goes on upwards for ever."""
        cut = np.column_stack([corners[:, :2], np.minimum(corners[:, 2], self._ceiling)])
        level = cut[cut[:, 2] > cut[:, 2].max() - 1e-9]
        top = hull(EYE.flat(level)) if len(level) > 2 else np.empty((0, 2))
        return Solid(hull(EYE.flat(cut)), top if len(top) > 2 else np.empty((0, 2)), *_limits(cut[:, :2]))

    # --- what does not move ---

    def draw_still(self, axes: Axes) -> None:
        axes.set_axis_off()
        axes.set_facecolor(style.GROUND)
        axes.figure.set_facecolor(style.GROUND)
        terrain = self._world.terrain
        if isinstance(terrain, Heightfield):
            draw_hills(axes, terrain)
        elif isinstance(terrain, Profile):
            draw_profile(axes, terrain, self._plan)
        else:
            self._draw_ground(axes)

    def _draw_ground(self, axes: Axes) -> None:
        """Patches, and a grid to see the motion by."""
        for patch, colour in patch_colours(self._world):
            left, right, low, high = np.clip((patch.x_min, patch.x_max, patch.y_min, patch.y_max), -LARGE, LARGE)
            corners = np.array([(left, low, 0.0), (right, low, 0.0), (right, high, 0.0), (left, high, 0.0)])
            axes.add_collection(PolyCollection([EYE.flat(corners)], facecolors=colour, zorder=0.3))
        reach = 3 * max(self._plan.right - self._plan.left, self._plan.top - self._plan.bottom) + FAR
        x, y = (
            np.arange(np.floor((low - reach) / self.grid), np.ceil((high + reach) / self.grid) + 1) * self.grid
            for low, high in (self._plan[:2], self._plan[2:])
        )
        lines = [((at, y[0], 0.0), (at, y[-1], 0.0)) for at in x] + [((x[0], at, 0.0), (x[-1], at, 0.0)) for at in y]
        drawn_as: dict[str, Any] = {"colors": [mixed(style.GROUND, style.QUIET, 0.35)], "linewidths": 0.7}
        axes.add_collection(LineCollection(list(EYE.flat(np.array(lines))), zorder=0.5, **drawn_as))

    # --- what does ---

    def draw_moving(self, axes: Axes, row: int) -> list[Artist]:
        at = Pose(self._centre[row], self._turn[row])
        drawn: list[Artist] = []
        if self._is_flat:
            shadows = [self._shadow(k, at) for k in range(len(self._links))]
            colour = mixed(style.GROUND, "#000000", SHADOW)
            drawn.append(PolyCollection(shadows, facecolors=[colour], edgecolors="none", zorder=0.8))
        drawn.append(self._bodies(at, row))
        for collection in drawn:
            axes.add_collection(collection, autolim=False)  # type: ignore[arg-type]  # both are collections
        drawn += axes.plot(*self._path[: row + 1].T, **style.TRAIL | {"zorder": 0.9})
        return [*drawn, *self._forces(axes, row)]

    def _shadow(self, k: int, at: Pose) -> FloatArray:
        below = link_outline(self._links[k], at.centre[k], at.turn[k], TOP)
        return EYE.flat(np.column_stack([below, np.zeros(len(below))]))

    def _bodies(self, at: Pose, row: int) -> PolyCollection:
        """Links and obstacles, what is nearer above what is behind."""
        groups = [*self._drawn_links(at, row), *self._drawn_solids(at, row)]
        groups.sort(key=lambda group: group[0])
        shapes = [shape for _, group in groups for shape, *_ in group]
        fill = [colour for _, group in groups for _, colour, _ in group]
        edges = [edge for _, group in groups for *_, edge in group]
        wide = [WIDE if edge == to_rgb(style.FAULT) else NARROW for edge in edges]
        return PolyCollection(shapes, facecolors=fill, edgecolors=edges, linewidths=wide, zorder=2)

    def _drawn_links(self, at: Pose, row: int) -> list[tuple[float, list[tuple[FloatArray, Any, Any]]]]:
        down = pressing(self._run, row) if self._spatial else np.zeros(len(self._links), dtype=bool)
        marked = set() if self._faults is None else set(self._faults.links(row).tolist())
        found = []
        for k, (link, centre, turn) in enumerate(zip(self._links, at.centre, at.turn, strict=True)):
            colour = style.BODY_DOWN if down[k] else style.BODY
            if k == len(self._links) - 1:
                colour = style.HEAD_DOWN if down[k] else style.HEAD
            slim = link.model_copy(update={"radius": LIT * link.radius})
            lit = link_outline(slim, centre + np.array([0.0, 0.0, 0.45 * link.radius]), turn, EYE)
            edge = to_rgb(style.FAULT) if k in marked else mixed(colour, "#000000", 0.35)
            parts: list[tuple[FloatArray, Any, Any]] = [
                (link_outline(link, centre, turn, EYE), to_rgb(colour), edge),
                (lit, mixed(colour, "#ffffff", SHINE), mixed(colour, "#ffffff", SHINE)),
            ]
            if k == len(self._links) - 1:
                parts += [(eye, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)) for eye in eyes(link, centre, turn, EYE)]
            found.append((float(EYE.nearness(centre)), parts))
        return found

    def _drawn_solids(self, at: Pose, row: int) -> list[tuple[float, list[tuple[FloatArray, Any, Any]]]]:
        solids = [(solid, style.PEG) for solid in self._solids]
        solids += [(self._solid(disc), style.MOVABLE) for disc in _moved(self._discs, row, self._ceiling)]
        if not solids:
            return []
        depth = _depths([solid for solid, _ in solids], at.centre, self._thick)
        edge, found = to_rgb(style.PEG_EDGE), []
        for (solid, colour), near in zip(solids, depth, strict=True):
            parts: list[tuple[FloatArray, Any, Any]] = [(solid.outline, mixed(colour, style.PEG_EDGE, 0.45), edge)]
            if len(solid.top):
                parts.append((solid.top, to_rgb(colour), edge))
            found.append((float(near), parts))
        return found

    def _forces(self, axes: Axes, row: int) -> list[Artist]:
        if not self._world.obstacles:
            return []
        pushes = pushes_at(self._run, row, 3 if self._spatial else 2)
        chosen = pushes.obstacle != GROUND if self._spatial else np.ones(len(pushes.link), dtype=bool)
        drawn = draw_key(axes, self._full)
        if not chosen.any():
            return drawn
        point, arrow = pushes.point[chosen], arrows(pushes.force[chosen], self._full)
        if not self._spatial:
            point = np.column_stack([point, np.full(len(point), self._thick)])
            arrow = np.column_stack([arrow, np.zeros(len(arrow))])
        return [*drawn, quiver(axes, EYE.flat(point), EYE.flat(arrow))]


def _limits(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    return points.min(axis=0), points.max(axis=0)


def _moved(discs: Movable, row: int, height: float) -> list[FloatArray]:
    """Corners of the movable discs at a row [m]."""
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    rings = [radius * ring + place for radius, place in zip(discs.radius, discs.place[row], strict=True)]
    return [np.vstack([np.column_stack([r, np.full(len(r), z)]) for z in (0.0, height)]) for r in rings]


def _depths(solids: list[Solid], centre: FloatArray, height: float) -> FloatArray:
    """Nearness of obstacles to the eye, to sort them among links: at the place of each that is next to the robot.

    Long obstacles have no one depth; what counts is whether they are before or behind the links beside them.
    """
    low, high = np.array([solid.low for solid in solids]), np.array([solid.high for solid in solids])
    place = np.clip(centre[np.newaxis, :, :2], low[:, np.newaxis], high[:, np.newaxis])
    nearest = np.linalg.norm(place - centre[np.newaxis, :, :2], axis=2).argmin(axis=1)
    chosen = place[np.arange(len(solids)), nearest]
    return EYE.nearness(np.column_stack([chosen, np.full(len(chosen), height)]))


# --- uneven ground ---


def draw_hills(axes: Axes, field: Heightfield) -> None:
    """A heightfield as lit cells, the nearer above the farther; fine ones are drawn coarser."""
    heights = np.array(field.heights)
    step = max(1, -(-max(heights.shape) // MOST_CELLS))
    heights, spacing = heights[::step, ::step], step * field.spacing
    light = LightSource(azdeg=135, altdeg=50).hillshade(heights[::-1], vert_exag=1.5, dx=spacing, dy=spacing)[::-1]
    rows, columns = heights.shape
    x, y = np.meshgrid(field.x + spacing * np.arange(columns), field.y + spacing * np.arange(rows))
    points = np.stack([x, y, heights], axis=-1)
    cells = np.stack([points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]], axis=2).reshape(-1, 4, 3)
    share = heights[:-1, :-1].reshape(-1) / max(float(heights.max()), 1e-9)
    colours = shades()(share)[:, :3] * (0.65 + 0.5 * light[:-1, :-1].reshape(-1, 1)).clip(0, 1.1)
    order = np.argsort(EYE.nearness(cells.mean(axis=1)), kind="stable")
    fill = colours[order].clip(0, 1)
    axes.add_collection(
        PolyCollection(list(EYE.flat(cells[order])), facecolors=fill, edgecolors=fill, linewidths=0.4, zorder=0.4)
    )


def draw_profile(axes: Axes, profile: Profile, plan: Box) -> None:
    """Stairs and ramps: a strip for each piece of the line, as wide as the picture; those that face away are hidden."""
    x, z = np.array(profile.points).T
    x, z = np.concatenate([[plan.left - 2 * FAR], x, [plan.right + 2 * FAR]]), np.concatenate([z[:1], z, z[-1:]])
    low, high = plan.bottom - FAR, plan.top + FAR
    strips, colours = [], []
    towards = EYE.axes[2]
    for a, b, c, d in zip(x[:-1], z[:-1], x[1:], z[1:], strict=True):
        normal = np.array([b - d, 0.0, c - a])
        size = float(np.linalg.norm(normal))
        if size == 0 or normal @ towards <= 0:
            continue
        strips.append(np.array([(a, low, b), (c, low, d), (c, high, d), (a, high, b)]))
        colours.append(mixed(style.VALLEY, style.GROUND, float(normal[2]) / size))
    order = np.argsort([float(EYE.nearness(strip.mean(axis=0))) for strip in strips], kind="stable")
    axes.add_collection(
        PolyCollection(
            [EYE.flat(strips[k]) for k in order],
            facecolors=[colours[k] for k in order],
            edgecolors=style.PEG_EDGE,
            linewidths=0.6,
            zorder=0.4,
        )
    )


def space_stage(shown: Shown) -> Stage:
    """A run in three dimensions; the picture fills the frame."""
    high = float(empty(shown.size).get_size_inches()[1])
    place = (0.0, 0.0, 1.0, 1 - HEAD / high)
    picture = Aslant3D(shown, shape_of(shown.size, place))
    scale = f"; grid {picture.grid:g} m" if shown.run.scenario.built_world().terrain is None else ""
    return Stage(shown, picture, place, scale)
