"""The solids of a world as features that capsules can touch (see geometry.solids).

Upright obstacles have no underside: they go on below the ground. A profile is the whole ground, for ever in all
directions; a heightfield lies on the plane z = 0, and what of it is flat at z = 0 is left to the plane.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pushpoint.geometry.parts import Block, Column, Part, Pillar, Prism, Rod, Sheet
from pushpoint.geometry.solids import FAR, Features, Owner, Solids, sort_into_grid
from pushpoint.types import FloatArray, IntArray
from pushpoint.worlds import Heightfield, Profile, World

FLAT = 1e-9  # [rad], about: faces that meet at less are one
THIN = -1.0  # depth of a face that is touched from both sides
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def make_solids(world: World, reach: float) -> Solids:
    """All obstacles and the terrain. `reach` [m]: half length, radius and margin of the largest query."""
    features = Features()
    if isinstance(world.terrain, Profile):
        features.owner = Owner(world.ground.friction)
        _profile(features, world.terrain)
    elif isinstance(world.terrain, Heightfield):
        features.owner = Owner(world.ground.friction)
        _heightfield(features, world.terrain)
    blocks: list[tuple[Owner, Block]] = []
    whole = [(k, obstacle.friction, part) for k, obstacle in enumerate(world.obstacles) for part in obstacle.parts]
    for number, (k, friction, part) in enumerate(whole):
        features.owner = Owner(friction, k, number)
        if isinstance(part, Block):
            blocks.append((features.owner, part))
        else:
            ADD[type(part)](features, part)
    if blocks:
        _blocks(features, blocks)
    return sort_into_grid(*features.table(), reach)


def has_plane(world: World) -> bool:
    """Whether the plane z = 0 is ground; a profile takes its place."""
    return not isinstance(world.terrain, Profile)


def _pillar(features: Features, part: Pillar) -> None:
    if part.height is None:
        features.pillar(part.x, part.y, part.radius)
    else:
        foot, top = np.array([part.x, part.y, -FAR]), np.array([part.x, part.y, part.height])
        features.cylinder(foot, top, part.radius, both=False)


def _rod(features: Features, part: Rod) -> None:
    features.cylinder(np.array(part.start), np.array(part.end), part.radius, both=True)


def _sheet(features: Features, sheet: Sheet) -> None:
    """Thin upright faces; free edges on top and at both ends, and one at each bend."""
    top = FAR if sheet.height is None else sheet.height
    high = np.array([[x, y, top] for x, y in sheet.points])
    down, none = np.array([0.0, 0.0, -top - FAR]), np.zeros(3)
    low, step = high + down, np.diff(high, axis=0)
    features.faces(low[:-1], step, np.broadcast_to(-down, step.shape), THIN, 0.0)
    if sheet.height is not None:
        features.edges(high[:-1], high[1:], np.broadcast_to(down, step.shape), np.zeros_like(step), THIN)
    last = len(high) - 1
    for k in range(len(high)):
        vectors = [p - high[k] for p in (*high[max(k - 1, 0) : k], *high[k + 1 : k + 2])]
        if 0 < k < last and _is_straight(vectors[0], vectors[1]):
            continue
        features.edges(low[k], high[k], vectors[0], vectors[1] if len(vectors) > 1 else none, THIN)
        if sheet.height is not None:
            features.vertex(high[k], low[k], *(high[k] + vector for vector in vectors))


def _is_straight(one: FloatArray, other: FloatArray) -> bool:
    """Whether two vectors point in opposite directions."""
    size = np.linalg.norm(one) * np.linalg.norm(other)
    return bool(np.linalg.norm(np.cross(one, other)) < FLAT * size and one @ other < 0)


def _column(features: Features, column: Column) -> None:
    top = FAR if column.height is None else column.height
    base = np.array([[x, y, -FAR] for x, y in column.points])
    _prism(features, base, np.array([0.0, 0.0, top + FAR]), (False, column.height is not None))


def _closed_prism(features: Features, prism: Prism) -> None:
    base, up = np.array(prism.base), np.array(prism.up)
    sense = np.sum(np.cross(base, np.roll(base, -1, axis=0)), axis=0) @ up
    _prism(features, base if sense > 0 else base[::-1], up, (True, True))


def _blocks(features: Features, owned: list[tuple[Owner, Block]]) -> None:
    """All boxes at once: there may be thousands, each with 26 features."""
    owners, blocks = zip(*owned, strict=True)
    # (m, 3, 3): rows are vectors from the centre to the middles of three faces
    half = np.stack([(block.axes * np.array(block.size) / 2).T for block in blocks])
    centre = np.array([block.centre for block in blocks])
    corner = centre[:, np.newaxis] + CORNERS @ half  # (m, 8, 3)
    friction, obstacle, part = (np.array(column) for column in zip(*owners, strict=True))

    def each(times: int) -> None:
        features.owner = Owner(*(np.repeat(column, times) for column in (friction, obstacle, part)))

    for axis in range(3):
        one, other = 2 * half[:, (axis + 1) % 3], 2 * half[:, (axis + 2) % 3]
        first, depth = centre - (one + other) / 2, np.linalg.norm(half[:, axis], axis=1)
        each(1)
        features.faces(first + half[:, axis], one, other, depth, 0.0)
        features.faces(first - half[:, axis], other, one, depth, 0.0)
        start = CORNERS[:, axis] < 0
        signs = CORNERS[start]
        begin, along = corner[:, start].reshape(-1, 3), np.repeat(2 * half[:, axis], 4, axis=0)
        inward = [-signs[:, [k]] * half[:, np.newaxis, k] for k in ((axis + 1) % 3, (axis + 2) % 3)]
        thin = np.minimum(np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1)) / 2
        each(4)
        features.edges(begin, begin + along, inward[0].reshape(-1, 3), inward[1].reshape(-1, 3), np.repeat(thin, 4))
    each(8)
    vectors = -CORNERS[:, :, np.newaxis] * half[:, np.newaxis]  # (m, 8, 3, 3)
    features.vertices(corner.reshape(-1, 3), np.repeat(np.arange(8 * len(blocks)), 3), vectors.reshape(-1, 3))


def _prism(features: Features, base: FloatArray, up: FloatArray, closed: tuple[bool, bool]) -> None:
    """A prism over a convex polygon, counter-clockwise as seen from where `up` points; `closed`: below and above."""
    before, after = np.roll(base, 1, axis=0), np.roll(base, -1, axis=0)
    real = [not _is_straight(b - p, a - p) for b, p, a in zip(before, base, after, strict=True)]
    base = base[np.array(real)]
    before, after = np.roll(base, 1, axis=0), np.roll(base, -1, axis=0)
    step, back = after - base, before - base
    outward = np.cross(step, up)
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    wide = np.max(np.sum((base[:, np.newaxis] - base[np.newaxis]) * outward[:, np.newaxis], axis=2), axis=1)
    features.faces(base, step, np.broadcast_to(up, base.shape), wide / 2, 0.0)
    height, thin = float(np.linalg.norm(up)), float(wide.min())
    features.edges(base, base + up, step, back, thin / 2)
    for level, wanted in zip((np.zeros(3), up), closed, strict=True):
        if not wanted:
            continue
        rim, other = base + level, up - 2 * level
        _cap(features, rim, height / 2, above=bool(level.any()))
        centre = rim.mean(axis=0)
        features.edges(rim, rim + step, centre - rim, np.broadcast_to(other, rim.shape), min(thin, height) / 2)
        vectors = np.stack([step, back, np.broadcast_to(other, rim.shape)], axis=1).reshape(-1, 3)
        features.vertices(rim, np.repeat(np.arange(len(rim)), 3), vectors)


def _cap(features: Features, rim: FloatArray, depth: float, above: bool) -> None:
    """The flat end of a prism: one face if it is a parallelogram, else a fan of triangles."""
    whole = len(rim) == 4 and np.allclose(rim[0] + rim[2], rim[1] + rim[3], rtol=0.0, atol=1e-12)
    one, other = (rim[1:2] - rim[0], rim[3:] - rim[0]) if whole else (rim[1:-1] - rim[0], rim[2:] - rim[0])
    corner, sides = np.broadcast_to(rim[0], one.shape), (one, other) if above else (other, one)
    features.faces(corner, *sides, depth, 0.0 if whole else 1.0)


def _profile(features: Features, profile: Profile) -> None:
    """Strips along y, and edges along y where the surface bends down."""
    line = _without_straight_points(np.array(profile.points))
    line = np.array([line[0] - [FAR, 0.0], *line, line[-1] + [FAR, 0.0]])
    line = _without_straight_points(line)
    points = np.stack([line[:, 0], np.full(len(line), -FAR), line[:, 1]], axis=1)
    step, wide = np.diff(points, axis=0), np.array([0.0, 2 * FAR, 0.0])
    features.faces(points[:-1], step, np.broadcast_to(wide, step.shape), FAR, 0.0)
    for k in range(1, len(points) - 1):
        back, forth = -step[k - 1], step[k]
        if back[0] * forth[2] - back[2] * forth[0] >= 0:
            features.edges(points[k], points[k] + wide, back, forth, FAR)


def _without_straight_points(line: FloatArray) -> FloatArray:
    """The polyline (k, 2) without points at which it goes straight on."""
    kept: list[FloatArray] = []
    for k, point in enumerate(line):
        inner = 0 < k < len(line) - 1
        if not inner or not _is_straight(np.append(kept[-1] - point, 0.0), np.append(line[k + 1] - point, 0.0)):
            kept.append(point)
    return np.array(kept)


def _heightfield(features: Features, field: Heightfield) -> None:
    """Two triangles per cell; the diagonal joins the corners with the larger x and with the larger y."""
    heights = np.array(field.heights)
    row, column = np.indices(heights.shape)
    place = np.stack([field.x + column * field.spacing, field.y + row * field.spacing, heights], axis=-1).reshape(-1, 3)
    number = np.arange(heights.size).reshape(heights.shape)
    a, b, c, d = (number[r, s].ravel() for r in (slice(-1), slice(1, None)) for s in (slice(-1), slice(1, None)))
    _mesh(features, place, np.concatenate([np.stack([a, b, c], axis=1), np.stack([b, d, c], axis=1)]))


def _mesh(features: Features, place: FloatArray, triangle: IntArray) -> None:
    """An open surface of triangles (m, 3), counter-clockwise from outside; what is flat at z = 0 is left out."""
    one, other = (place[triangle[:, k]] - place[triangle[:, 0]] for k in (1, 2))
    there = np.any(place[triangle, 2] != 0.0, axis=1)
    features.faces(place[triangle[there, 0]], one[there], other[there], FAR, 1.0)
    start, end, left, right = _inner_edges(triangle)
    normal = np.cross(one, other)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    opposite = triangle.sum(axis=1)
    into_left, into_right = (place[opposite[t] - start - end] - place[start] for t in (left, right))
    falls = np.sum(normal[left] * into_right, axis=1) < -FLAT * np.linalg.norm(into_right, axis=1)
    start, end = start[falls], end[falls]
    features.edges(place[start], place[end], into_left[falls], into_right[falls], FAR)
    _mesh_vertices(features, place, start, end)


def _inner_edges(triangle: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Edges between two triangles: start, end, and the triangles on either side."""
    start, end = triangle.ravel(), np.roll(triangle, -1, axis=1).ravel()
    owner = np.repeat(np.arange(len(triangle)), 3)
    low, high = np.minimum(start, end), np.maximum(start, end)
    order = np.lexsort((high, low))
    low, high, owner = low[order], high[order], owner[order]
    twin = np.flatnonzero((low[1:] == low[:-1]) & (high[1:] == high[:-1]))
    return low[twin], high[twin], owner[twin], owner[twin + 1]


def _mesh_vertices(features: Features, place: FloatArray, start: IntArray, end: IntArray) -> None:
    """Vertices at which three or more edges stick out: fewer do not make a point."""
    owner, other = np.concatenate([start, end]), np.concatenate([end, start])
    kept = np.bincount(owner, minlength=len(place)) >= 3
    order = np.argsort(owner, kind="stable")
    order = order[kept[owner[order]]]
    owner, other = owner[order], other[order]
    renumbered = np.cumsum(kept) - 1
    features.vertices(place[kept], renumbered[owner], place[other] - place[owner])


ADD: dict[type[Part], Callable[[Features, Any], None]] = {
    Pillar: _pillar, Column: _column, Sheet: _sheet, Rod: _rod, Prism: _closed_prism,
}  # fmt: skip
