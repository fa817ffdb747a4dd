"""Ground, terrain and obstacles of runs in space, from above and from the side."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.collections import LineCollection, PatchCollection, PolyCollection
from matplotlib.colors import LightSource, LinearSegmentedColormap
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from pushpoint.geometry.parts import HIGH
from pushpoint.view import style
from pushpoint.view.space import SIDE, TOP, hull, pose_in_space
from pushpoint.view.style import paled
from pushpoint.view.surroundings import FAR, MARGIN, NEAR, Box, Movable, draw_scene, united, view_box
from pushpoint.worlds import Heightfield, Profile

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pushpoint.recording.recording import Recording
    from pushpoint.robots import Link
    from pushpoint.types import FloatArray
    from pushpoint.worlds import World

CUT = 0.05  # [m], of the ground that is shown below its lowest place
CONTOURS = 6  # at most, between the lowest and the highest ground
BODY_POINTS = 8  # per link, where the ground below it is asked for
LABEL_ROOM = 0.6  # [inch] in the picture: treads that are longer have their height written on them
ALPHA = 0.55  # of obstacles seen from the side: one sees those behind


def shades() -> LinearSegmentedColormap:
    """Of uneven ground, from its lowest to its highest place."""
    return LinearSegmentedColormap.from_list("ground", [style.VALLEY, style.GROUND])


class Boxes(NamedTuple):
    """How much of the world both views show; x is the same."""

    top: Box
    side: Box

    def widened(self, shape: float) -> Boxes:
        """Both made wider, if need be, until height over width of the top view is `shape`."""
        top = self.top.widened(shape)
        return Boxes(top, self.side._replace(left=top.left, right=top.right))


def _solids(world: World) -> list[FloatArray]:
    """The corners of all parts of obstacles that may lean: the others are known by their outlines."""
    return [part for obstacle in world.obstacles if not obstacle.outline for part in obstacle.hulls()]


# --- how much is shown ---


def boxes_of(run: Recording) -> Boxes:
    """Every place the robot was at, and what is near: solids and walls up to FAR beyond the robot."""
    robot, world = run.scenario.built_robot(), run.scenario.built_world()
    thick, reach = (max(f(link) for link in robot.links) for f in (_thickness, _reach))
    place = np.asarray(run.data["link_position"].values, dtype=float).reshape(-1, 3)
    low, high = place.min(axis=0) - reach, place.max(axis=0) + reach
    flat = view_box(run)
    solid = _near(_solids(world), low, high)
    if len(solid):
        flat = united([flat, Box(*_limits(solid[:, 0]), *_limits(solid[:, 1]))])
    ground = _levels(world, flat)
    z = np.concatenate([place[:, 2] - thick, place[:, 2] + thick, ground])
    heights = _near([part for obstacle in world.obstacles for part in obstacle.hulls()], low, high)[:, 2]
    top = max([float(z.max()), *heights[heights < high[2] + FAR]])
    return Boxes(flat, Box(flat.left, flat.right, float(z.min()) - CUT, top + MARGIN))


def _thickness(link: Link) -> float:
    return link.radius


def _reach(link: Link) -> float:
    return link.half_core + link.radius


def _near(parts: list[FloatArray], low: FloatArray, high: FloatArray) -> FloatArray:
    """Corners [m], (points, 3), of the parts near the box from `low` to `high`, at most FAR away from it."""
    near = [p for p in parts if np.all((p.max(axis=0) >= low - NEAR) & (p.min(axis=0) <= high + NEAR))]
    return np.clip(np.vstack([*near, np.empty((0, 3))]), low - FAR, high + FAR)


def _limits(values: FloatArray) -> tuple[float, float]:
    return float(values.min()) - MARGIN, float(values.max()) + MARGIN


def _levels(world: World, box: Box) -> tuple[float, float]:
    """Lowest and highest ground in a box [m]."""
    terrain = world.terrain
    if isinstance(terrain, Profile):
        x, z = np.array(terrain.points).T
        inside = z[(x >= box.left) & (x <= box.right)]
        seen = np.concatenate([inside, np.interp([box.left, box.right], x, z)])
        return float(seen.min()), float(seen.max())
    if isinstance(terrain, Heightfield):
        return 0.0, float(np.max(_part(terrain, box)[2], initial=0.0))
    return 0.0, 0.0


def _part(field: Heightfield, box: Box) -> tuple[FloatArray, FloatArray, FloatArray]:
    """x and y of the grid's lines [m] that are in a box, and the heights there [m], (rows, columns)."""
    heights = np.array(field.heights)
    x, y = (
        np.asarray(start + field.spacing * np.arange(count), dtype=np.float64)
        for start, count in ((field.x, heights.shape[1]), (field.y, heights.shape[0]))
    )
    columns, rows = (x >= box.left) & (x <= box.right), (y >= box.bottom) & (y <= box.top)
    return x[columns], y[rows], heights[np.ix_(rows, columns)]


# --- from above ---


def draw_top(axes: Axes, run: Recording, box: Box) -> None:
    """Ground with its relief, and fixed obstacles."""
    world = run.scenario.built_world()
    if isinstance(world.terrain, Heightfield):
        _draw_relief(axes, world.terrain)
    if isinstance(world.terrain, Profile):
        _draw_steps(axes, world.terrain, box)
    draw_scene(axes, run, box)
    if isinstance(world.terrain, Heightfield):
        axes.set_facecolor(shades()(0.0))
    solids = _solids(world)
    solids.sort(key=lambda part: float(part[:, 2].max()))
    _draw_solids(axes, [hull(TOP.flat(part)) for part in solids], 1.0)


def _draw_solids(axes: Axes, outlines: list[FloatArray], alpha: float) -> None:
    fill = (*paled(style.PEG, 1.0), alpha)
    drawn = PolyCollection(outlines, facecolors=[fill], edgecolors=style.PEG_EDGE, linewidths=0.8, zorder=1.1)
    axes.add_collection(drawn)


def _draw_relief(axes: Axes, field: Heightfield) -> None:
    """Light from the upper left, lighter where it is higher, and lines of equal height."""
    heights, step = np.array(field.heights), field.spacing
    light = LightSource(azdeg=135, altdeg=50)
    shaded = light.shade(heights[::-1], shades(), blend_mode="soft", dx=step, dy=step, vert_exag=1.5)[::-1]
    rows, columns = heights.shape
    right, top = field.x + (columns - 1) * step, field.y + (rows - 1) * step
    extent = (field.x - step / 2, right + step / 2, field.y - step / 2, top + step / 2)
    axes.imshow(shaded, origin="lower", extent=extent, interpolation="bilinear", zorder=0.4)
    x, y = np.linspace(field.x, right, columns), np.linspace(field.y, top, rows)
    lines = axes.contour(x, y, heights, contour_levels(field), colors=style.PEG_EDGE, linewidths=0.6, zorder=0.6)
    axes.clabel(lines, fmt="%g", fontsize=6, colors=style.INK, zorder=0.7)


def contour_levels(field: Heightfield) -> FloatArray:
    """Round heights [m] above zero, evenly spaced."""
    levels = np.asarray(MaxNLocator(CONTOURS).tick_values(0.0, float(np.max(field.heights)) or 1.0))
    return levels[levels > 0]


def _draw_steps(axes: Axes, profile: Profile, box: Box) -> None:
    """Lighter where it is higher; lines where the ground rises, falls or bends; the heights of long treads."""
    (x, z), (low, high) = _bends(profile), _span(profile)
    if not len(x):
        return
    x, z = np.concatenate([[box.left - FAR], x, [box.right + FAR]]), np.concatenate([z[:1], z, z[-1:]])
    inner, colours = np.unique(x[1:-1]), shades()
    inches = axes.bbox.width / axes.figure.dpi / (box.right - box.left)  # of a metre
    axes.add_collection(
        LineCollection([[(at, -HIGH), (at, HIGH)] for at in inner], colors=style.PEG_EDGE, linewidths=0.8, zorder=0.6)
    )
    for (left, one), (right, other) in pairwise(zip(x, z, strict=True)):
        shade = colours(((one + other) / 2 - low) / max(high - low, 1e-9))
        axes.add_patch(Rectangle((left, -HIGH), right - left, 2 * HIGH, facecolor=shade, linewidth=0, zorder=0.4))
        seen = (max(left, box.left), min(right, box.right))
        if one == other and (seen[1] - seen[0]) * inches > LABEL_ROOM:
            place = (sum(seen) / 2, box.bottom + 0.02 * (box.top - box.bottom))
            label = f"z = {one:.2g} m".replace("-", "\N{MINUS SIGN}")
            axes.text(*place, label, ha="center", va="bottom", fontsize=7, color=style.INK, zorder=0.7)


def _bends(profile: Profile) -> tuple[FloatArray, FloatArray]:
    """x and z [m] of the points where the line changes its direction; beyond its ends it goes on level."""
    x, z = np.array(profile.points).T
    x, z = np.concatenate([[x[0] - 1], x, [x[-1] + 1]]), np.concatenate([z[:1], z, z[-1:]])
    run, rise = np.diff(x), np.diff(z)
    bends = np.abs(run[:-1] * rise[1:] - run[1:] * rise[:-1]) > 1e-12
    return x[1:-1][bends], z[1:-1][bends]


def _span(profile: Profile) -> tuple[float, float]:
    z = [point[1] for point in profile.points]
    return min(z), max(z)


# --- from the side ---


def draw_side(axes: Axes, run: Recording, boxes: Boxes) -> None:
    """The ground cut open, fixed obstacles and axes to scale, seen from the right (from -y)."""
    world, box = run.scenario.built_world(), boxes.side
    axes.set_facecolor(style.PAPER)
    axes.grid(False)
    parts = [part for obstacle in world.obstacles if not obstacle.is_movable for part in obstacle.hulls()]
    parts.sort(key=lambda part: float(SIDE.nearness(part).max()))
    _draw_solids(axes, [hull(SIDE.flat(part)) for part in parts], ALPHA)
    _draw_ground(axes, run, boxes)
    _draw_gravity(axes, world, box)
    axes.set(xlim=box[:2], ylim=box[2:], aspect="equal", xlabel="x [m]", ylabel="z [m]")
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))


def _draw_ground(axes: Axes, run: Recording, boxes: Boxes) -> None:
    """Of a heightfield: the lowest and, paler, the highest ground across the strip in which the robot was."""
    world, box = run.scenario.built_world(), boxes.side
    x, low = np.array([box.left, box.right]), np.zeros(2)
    high = low
    if isinstance(world.terrain, Profile):
        x, low = np.array(world.terrain.points).T
        x, low = np.concatenate([[box.left - FAR], x, [box.right + FAR]]), np.concatenate([low[:1], low, low[-1:]])
        high = low
    if isinstance(world.terrain, Heightfield):
        x, low, high = _envelope(world.terrain, box, _strip(run))
    axes.fill_between(x, low, high, color=style.EARTH, alpha=0.5, linewidth=0, zorder=1.2)
    axes.fill_between(x, box.bottom - FAR, low, color=style.EARTH, linewidth=0, zorder=1.2)
    axes.plot(x, high, color=style.PEG_EDGE, linewidth=0.9, zorder=1.3)


def _strip(run: Recording) -> tuple[float, float]:
    """Between which y [m] the robot was."""
    y = np.asarray(run.data["link_position"].values, dtype=float)[..., 1]
    thick = max(link.radius for link in run.scenario.built_robot().links)
    return float(y.min()) - thick, float(y.max()) + thick


def _envelope(field: Heightfield, box: Box, strip: tuple[float, float]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """x, lowest and highest ground over all y of a strip [m]; zero beyond the field."""
    x, _, heights = _part(field, Box(-np.inf, np.inf, strip[0] - field.spacing, strip[1] + field.spacing))
    heights = heights if len(heights) else np.zeros((1, len(x)))
    ends = np.array([box.left - FAR, box.right + FAR])
    x = np.concatenate([np.minimum(ends[:1], x[0]), x, np.maximum(ends[1:], x[-1])])
    low, high = (np.concatenate([[0.0], values, [0.0]]) for values in (heights.min(axis=0), heights.max(axis=0)))
    return x, low, high


def ground_below(run: Recording, row: int) -> FloatArray | None:
    """x and height of the ground [m], (points, 2), below the robot's axis from the tail on; None without hills."""
    field = run.scenario.built_world().terrain
    if not isinstance(field, Heightfield):
        return None
    ends = pose_in_space(run, row).ends(run.scenario.built_robot())
    share = np.linspace(0, 1, BODY_POINTS)[:, np.newaxis]
    place = (ends[:, np.newaxis, 0] * (1 - share) + ends[:, np.newaxis, 1] * share).reshape(-1, 3)
    return np.stack([place[:, 0], _heights_at(field, place)], axis=1)


def _heights_at(field: Heightfield, place: FloatArray) -> FloatArray:
    """Of the ground [m] below some places; between the points of the grid like a twisted plane, near enough to see."""
    heights = np.array(field.heights)
    column, row = ((place[:, k] - start) / field.spacing for k, start in ((0, field.x), (1, field.y)))
    j = np.clip(np.floor(column), 0, heights.shape[1] - 2).astype(int)
    i = np.clip(np.floor(row), 0, heights.shape[0] - 2).astype(int)
    u, v = np.clip(column - j, 0, 1), np.clip(row - i, 0, 1)
    near, far = (heights[k, j] * (1 - u) + heights[k, j + 1] * u for k in (i, i + 1))
    return np.asarray(near * (1 - v) + far * v)


def _draw_gravity(axes: Axes, world: World, box: Box) -> None:
    """An arrow where gravity leans: then x and y run along the slope."""
    down = np.array(world.down) / np.linalg.norm(world.down)
    if down[2] == -1:
        return
    size = 0.6 * (box.top - box.bottom)
    start = (box.left + 0.06 * (box.right - box.left), box.top - 0.15 * size)
    tip = (start[0] + size * float(down[SIDE.right]), start[1] + size * float(down[SIDE.up]))
    drawn_as = {"arrowstyle": "-|>", "color": style.INK, "linewidth": 1.2}
    axes.annotate("", tip, start, arrowprops=drawn_as, zorder=6)
    axes.annotate("gravity", start, (6, -2), textcoords="offset points", fontsize=8, color=style.INK, va="center")


def draw_movable_from_side(
    axes: Axes, run: Recording, discs: Movable, row: int, strength: float = 1.0
) -> PatchCollection | None:
    """The movable discs at one row, as high as they are; None if there are none."""
    solid = run.scenario.built_world().movable_discs
    if not solid:
        return None
    shapes = [
        Rectangle((float(place[0]) - disc.radius, 0.0), 2 * disc.radius, disc.height or HIGH)
        for disc, place in zip(solid, discs.place[row], strict=True)
    ]
    fill, edge = paled(style.MOVABLE, strength), paled(style.PEG_EDGE, strength)
    drawn = PatchCollection(shapes, facecolor=(*fill, ALPHA), edgecolor=edge, linewidth=0.8, zorder=1.1)
    axes.add_collection(drawn)
    return drawn
