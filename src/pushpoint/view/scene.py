"""Ground and obstacles drawn to scale, and how much of them is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.collections import LineCollection, PatchCollection, PolyCollection
from matplotlib.patches import Circle, Rectangle

from pushpoint.view import style
from pushpoint.view.bodies import paled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray
    from pushpoint.worlds import GroundLaw, Patch, World

NEAR = 0.3  # [m], obstacles within this distance of where the robot was are shown
FAR = 0.6  # [m], and no part of a polygon that is further away
MARGIN = 0.08  # [m]
WALL_WIDTH = 2.0  # [points]


class Box(NamedTuple):
    """Limits of the axes [m]."""

    left: float
    right: float
    bottom: float
    top: float

    @property
    def shape(self) -> float:
        """Height over width."""
        return (self.top - self.bottom) / (self.right - self.left)

    def widened(self, shape: float) -> Box:
        """The same box made wider, if need be, until height over width is `shape`."""
        extra = max(0.0, (self.top - self.bottom) / shape - (self.right - self.left)) / 2
        return self._replace(left=self.left - extra, right=self.right + extra)


def united(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds all of them."""
    left, right, bottom, top = zip(*boxes, strict=True)
    return Box(min(left), max(right), min(bottom), max(top))


class Movable(NamedTuple):
    """Discs that can be pushed about."""

    radius: FloatArray  # [m], (discs,)
    place: FloatArray  # [m], (rows, discs, 2)


def movable(run: Recording) -> Movable:
    """Where they were at every row; in recordings that do not say, where they were at first."""
    world = run.scenario.built_world()
    discs = world.movable_discs
    radius = np.array([disc.radius for disc in discs])
    if "obstacle_position" in run.data:
        recorded = run.data["obstacle_position"].sel(movable=list(world.movable)).values
        return Movable(radius, np.asarray(recorded, dtype=float)[..., :2])
    start = np.array([(disc.x, disc.y) for disc in discs]).reshape(-1, 2)
    return Movable(radius, np.broadcast_to(start, (run.data.sizes["time"], *start.shape)))


# --- how much is shown ---


def view_box(run: Recording) -> Box:
    """Shows every place the robot was at, and the obstacles near them."""
    position = np.asarray(run.data["link_position"].values, dtype=float)[..., :2].reshape(-1, 2)
    reach = max(link.half_core + link.radius for link in run.scenario.built_robot().links)
    low, high = position.min(axis=0) - reach, position.max(axis=0) + reach
    lows, highs = _near_boxes(run, low, high)
    low, high = np.vstack([low, lows]).min(axis=0) - MARGIN, np.vstack([high, highs]).max(axis=0) + MARGIN
    return Box(float(low[0]), float(high[0]), float(low[1]), float(high[1]))


def _near_boxes(run: Recording, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Lower and upper corners [m] of what is near the box from `low` to `high`.

    Discs are shown whole, also wherever they were pushed to as long as they were near; polygons up to FAR; of
    walls, which may be long, the part that is near.
    """
    world, pushed = run.scenario.built_world(), movable(run)
    fixed = np.array([(d.x, d.y, d.radius) for d in world.discs if d.mass is None]).reshape(-1, 3)
    moved = pushed.place.reshape(-1, 2)
    centre, radius = np.vstack([fixed[:, :2], moved]), np.append(fixed[:, 2], np.tile(pushed.radius, len(pushed.place)))
    lows, highs = [centre - radius[:, np.newaxis]], [centre + radius[:, np.newaxis]]
    for polygon in _outlines(world):
        lows.append(np.minimum(np.maximum(polygon.min(axis=0), low - FAR), high + FAR)[np.newaxis])
        highs.append(np.maximum(np.minimum(polygon.max(axis=0), high + FAR), low - FAR)[np.newaxis])
    for wall in _walls(world):
        ends = _clipped(wall, low - NEAR, high + NEAR)
        lows.append(ends)
        highs.append(ends)
    all_low, all_high = np.concatenate(lows), np.concatenate(highs)
    near = np.all((all_high >= low - NEAR) & (all_low <= high + NEAR), axis=1)
    return all_low[near], all_high[near]


def _outlines(world: World) -> list[FloatArray]:
    return [np.array(obstacle.outline[:-1]) for obstacle in world.obstacles if obstacle.is_filled]


def _walls(world: World) -> list[FloatArray]:
    lines = [obstacle.outline for obstacle in world.obstacles if not obstacle.is_filled]
    return [np.array(line) for line in lines if len(line) > 1]


def _clipped(wall: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Ends of the parts of a wall that are in a box, (points, 2); its pieces run from share 0 to share 1."""
    start, step = wall[:-1], np.diff(wall, axis=0)
    along = np.where(step == 0, 1.0, step)
    one, other = (low - start) / along, (high - start) / along
    outside = (step == 0) & ((start < low) | (start > high))
    enter = np.where(step == 0, 0.0, np.minimum(one, other)).max(axis=1).clip(0.0, None)
    leave = np.where(step == 0, 1.0, np.maximum(one, other)).min(axis=1).clip(None, 1.0)
    inside = (enter <= leave) & ~outside.any(axis=1)
    shares = np.stack([enter[inside], leave[inside]])[..., np.newaxis]
    return np.asarray((start[inside] + shares * step[inside]).reshape(-1, 2))


# --- drawing ---


def draw_scene(axes: Axes, run: Recording, box: Box) -> None:
    """Ground, fixed obstacles and axes to scale; what moves comes on top."""
    world = run.scenario.built_world()
    axes.set_facecolor(style.GROUND)
    axes.grid(False)
    _draw_patches(axes, world)
    _draw_fixed(axes, world)
    axes.set(xlim=box[:2], ylim=box[2:], aspect="equal", xlabel="x [m]", ylabel="y [m]")


def draw_movable(axes: Axes, discs: Movable, row: int, strength: float = 1.0) -> PatchCollection | None:
    """The movable discs at one row; a `strength` below one pales them towards the ground. None if there are none."""
    if not len(discs.radius):
        return None
    circles = [Circle((float(x), float(y)), float(r)) for (x, y), r in zip(discs.place[row], discs.radius, strict=True)]
    fill, edge = paled(style.MOVABLE, strength), paled(style.PEG_EDGE, strength)
    drawn = PatchCollection(circles, facecolor=fill, edgecolor=edge, linewidth=0.8, zorder=1 + strength / 2)
    axes.add_collection(drawn)
    return drawn


def _draw_fixed(axes: Axes, world: World) -> None:
    discs = [Circle((disc.x, disc.y), disc.radius) for disc in world.discs if disc.mass is None]
    axes.add_collection(PatchCollection(discs, facecolor=style.PEG, edgecolor=style.PEG_EDGE, linewidth=0.8, zorder=1))
    polygons = _outlines(world)
    axes.add_collection(
        PolyCollection(polygons, facecolors=style.PEG, edgecolors=style.PEG_EDGE, linewidths=0.8, zorder=1)
    )
    axes.add_collection(
        LineCollection(_walls(world), colors=style.PEG_EDGE, linewidths=WALL_WIDTH, capstyle="round", zorder=1)
    )


def _draw_patches(axes: Axes, world: World) -> None:
    """Opaque, because of patches that overlap the last one holds."""
    for patch, colour in patch_colours(world):
        corner, width, height = (patch.x_min, patch.y_min), patch.x_max - patch.x_min, patch.y_max - patch.y_min
        axes.add_patch(Rectangle(corner, width, height, facecolor=colour, linewidth=0, zorder=0.5))


def patch_colours(world: World) -> list[tuple[Patch, str]]:
    """Patches of the ground, each with its colour; none if all have the law of the ground."""
    patches = world.ground.patches
    if all(_law(patch) == _law(world.ground) for patch in patches):
        return []
    return [(patch, _patch_colour(patch, world.ground)) for patch in patches]


def _patch_colour(patch: GroundLaw, ground: GroundLaw) -> str:
    """Darker where a link is held more, bluish like ice where it is held less."""
    if _law(patch) == _law(ground):
        return style.GROUND
    return style.ROUGH if sum(_law(patch)) >= sum(_law(ground)) else style.SMOOTH


def _law(law: GroundLaw) -> tuple[float, ...]:
    return law.along, law.across, law.backward, law.viscous, law.drag_across, law.torque
