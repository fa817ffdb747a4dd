"""Triangles of the shapes that robots, obstacles and ground are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pushpoint.geometry.parts import Block, Sheet

if TYPE_CHECKING:
    from pushpoint.geometry.parts import Part
    from pushpoint.robots import Link
    from pushpoint.types import FloatArray, IntArray
    from pushpoint.worlds import Heightfield

ROUND = 6  # points on a quarter of a circle
THIN = 0.007  # [m], least radius of a link: thinner ones are shown as thick as this
SHEET = 0.004  # [m], thickness of walls that have none
BLOCK = [0, 2, 6, 4, 1, 3, 7, 5]  # corners of a block in the order of a prism: bottom, then top


class Mesh(NamedTuple):
    """Triangles, counter-clockwise seen from outside."""

    vertices: FloatArray  # [m], (vertices, 3)
    faces: IntArray  # (faces, 3)

    @property
    def flat(self) -> Mesh:
        """The same with vertices of its own for each triangle, so that edges stay sharp when it is lit."""
        return Mesh(self.vertices[self.faces].reshape(-1, 3), np.arange(3 * len(self.faces)).reshape(-1, 3))


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """All of them as one."""
    first = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    vertices = [np.empty((0, 3)), *(mesh.vertices for mesh in meshes)]
    faces = [np.empty((0, 3), dtype=np.int64), *(m.faces + k for m, k in zip(meshes, first[:-1], strict=True))]
    return Mesh(np.concatenate(vertices), np.concatenate(faces))


# --- robots ---


def link_mesh(link: Link) -> Mesh:
    """A link about its centre, x forward: a capsule, or a bar with rounded edges."""
    radius = max(link.radius, THIN)
    if link.shape == "round":
        return rounded_bar(link.half_core, 0.0, radius)
    ball = min(link.rounding, radius)
    return rounded_bar(link.half_core, radius - ball, ball)


def eyes_of(link: Link) -> Mesh:
    """Two balls on the head, so that one sees where it looks."""
    radius = max(link.radius, THIN)
    ahead, up = link.half_core + (0.35 if link.shape == "round" else -0.2) * radius, 0.72
    if link.shape == "square":
        up = 0.95
    ball = rounded_bar(0.0, 0.0, 0.2 * radius)
    places = radius * np.array([(0.0, 0.5, up), (0.0, -0.5, up)]) + np.array([ahead, 0.0, 0.0])
    return joined([Mesh(ball.vertices + place, ball.faces) for place in places])


def rounded_bar(half: float, off: float, ball: float) -> Mesh:
    """What balls of a radius cover whose centres fill a square bar: `half` long and `off` wide to both sides [m]."""
    quarter = np.linspace(0.0, np.pi / 2, ROUND)
    rise = np.concatenate([-quarter[::-1], quarter])  # along x: first the rear end, then the front end
    x = np.where(np.arange(2 * ROUND) < ROUND, -half, half) + ball * np.sin(rise)
    around = np.concatenate([k * np.pi / 2 + quarter for k in range(4)])
    corner = off * np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]).repeat(ROUND, axis=0)
    arc = np.stack([np.cos(around), np.sin(around)], axis=1)
    rings = corner + (ball * np.cos(rise))[:, np.newaxis, np.newaxis] * arc
    along = np.broadcast_to(x[:, np.newaxis, np.newaxis], (*rings.shape[:2], 1))
    return Mesh(np.concatenate([along, rings], axis=2).reshape(-1, 3), _tube(len(x), len(around)))


def _tube(rings: int, points: int) -> IntArray:
    """Faces between neighbouring rings, and over the first and the last."""
    i, j = np.meshgrid(np.arange(rings - 1), np.arange(points), indexing="ij")
    a, b = (i * points + j).reshape(-1), (i * points + (j + 1) % points).reshape(-1)
    sides = np.concatenate([np.stack([a, b, b + points], axis=1), np.stack([a, b + points, a + points], axis=1)])
    inner = np.arange(1, points - 1)
    first = np.stack([np.zeros_like(inner), inner + 1, inner], axis=1)
    last = (rings - 1) * points + np.stack([np.zeros_like(inner), inner, inner + 1], axis=1)
    return np.concatenate([sides, first, last])


# --- obstacles ---


def part_meshes(part: Part, top: float) -> list[Mesh]:
    """A part of an obstacle; what is higher than `top` [m] is cut there."""
    return [prism(_cut(corners, top)) for corners in _prisms(part)]


def _prisms(part: Part) -> list[FloatArray]:
    """Corners [m] of each convex piece: its bottom in order, then its top in the same order."""
    if isinstance(part, Block):
        return [corners[BLOCK] for corners in part.hulls()]
    if isinstance(part, Sheet):
        return [_thick(corners) for corners in part.hulls()]
    return part.hulls()


def _thick(corners: FloatArray) -> FloatArray:
    """An upright face as a wall of some thickness."""
    start, end = corners[0], corners[1]
    along = (end - start) / np.linalg.norm(end - start)
    off = SHEET / 2 * np.array([-along[1], along[0], 0.0])
    low = np.stack([start - off, end - off, end + off, start + off])
    high = low.copy()
    high[:, 2] = corners[:, 2].max()
    return np.concatenate([low, high])


def _cut(corners: FloatArray, top: float) -> FloatArray:
    return np.concatenate([corners[:, :2], np.minimum(corners[:, 2:], top)], axis=1)


def prism(corners: FloatArray) -> Mesh:
    """Between two convex polygons with corners (2 n, 3) in the same order, whichever sense they have."""
    n = len(corners) // 2
    k = np.arange(n)
    after, inner = (k + 1) % n, np.arange(1, n - 1)
    zero = np.zeros_like(inner)
    faces = np.concatenate(
        [
            np.stack([k, after, after + n], axis=1),
            np.stack([k, after + n, k + n], axis=1),
            np.stack([zero, inner + 1, inner], axis=1),
            n + np.stack([zero, inner, inner + 1], axis=1),
        ]
    )
    return Mesh(corners, _outward(corners, faces))


def _outward(vertices: FloatArray, faces: IntArray) -> IntArray:
    """The faces of a convex shape, those that face its centre turned over."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * (a - vertices.mean(axis=0))).sum(axis=1) < 0
    return np.where(inward[:, np.newaxis], faces[:, ::-1], faces)


def cylinder(radius: float, height: float) -> Mesh:
    """Upright about the z axis, from z = 0 [m]."""
    rim = radius * _circle()
    return prism(np.concatenate([np.insert(rim, 2, z, axis=1) for z in (0.0, height)]))


def _circle() -> FloatArray:
    turn = np.linspace(0.0, 2 * np.pi, 4 * ROUND, endpoint=False)
    return np.stack([np.cos(turn), np.sin(turn)], axis=1)


# --- ground ---


def rectangle(left: float, right: float, bottom: float, top: float, z: float = 0.0) -> Mesh:
    """Level, at height z; all [m]."""
    corners = np.array([(left, bottom, z), (right, bottom, z), (right, top, z), (left, top, z)])
    return Mesh(corners, np.array([(0, 1, 2), (0, 2, 3)]))


def profile_mesh(x: FloatArray, z: FloatArray, low: float, high: float) -> Mesh:
    """Ground that is a line of x and z [m], drawn from y = `low` to `high`."""
    n = len(x)
    right, left = (np.stack([x, np.full(n, y), z], axis=1) for y in (low, high))
    k = np.arange(n - 1)
    faces = np.concatenate([np.stack([k, k + 1, n + k + 1], axis=1), np.stack([k, n + k + 1, n + k], axis=1)])
    return Mesh(np.concatenate([right, left]), faces).flat


def field_mesh(field: Heightfield) -> Mesh:
    """Two flat triangles per cell of its grid."""
    heights = np.array(field.heights)
    rows, columns = heights.shape
    y, x = np.meshgrid(
        field.y + field.spacing * np.arange(rows), field.x + field.spacing * np.arange(columns), indexing="ij"
    )
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij")
    a = (i * columns + j).reshape(-1)
    b = a + columns
    faces = np.concatenate([np.stack([a, a + 1, b + 1], axis=1), np.stack([a, b + 1, b], axis=1)])
    return Mesh(np.stack([x, y, heights], axis=2).reshape(-1, 3), faces)


# --- arrows ---


def arrow_mesh(shaft: float = 0.72) -> Mesh:
    """One long along x from the origin and about one wide, for scaling; the head begins at `shaft`."""
    head = np.concatenate([np.insert(0.5 * _circle(), 2, shaft, axis=1), [(0.0, 0.0, 1.0), (0.0, 0.0, shaft)]])
    n = len(head) - 2
    k, end = np.arange(n), np.full(n, n)
    faces = np.stack([k, (k + 1) % n, end], axis=1), np.stack([(k + 1) % n, k, end + 1], axis=1)
    upright = joined([cylinder(0.22, shaft).flat, Mesh(head, np.concatenate(faces)).flat])
    return Mesh(upright.vertices[:, [2, 0, 1]], upright.faces)
