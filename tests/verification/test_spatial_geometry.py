"""Contacts of capsules with solids in space, against distances by independent code: convex pieces, golden section."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pushpoint._jit import entry_point
from pushpoint.geometry.capsule_solids import segment_segment
from pushpoint.mechanics.capsule_gaps import capsules_of, contacts_of, gaps_of_capsules
from pushpoint.mechanics.put_down import put_down
from pushpoint.mechanics.solids import make_solids
from pushpoint.mechanics.spatial_overlap import spatial_overlaps
from pushpoint.mechanics.spatial_pose import Attitude, spatial_pose
from pushpoint.robots import Link, Robot
from pushpoint.robots.aiko import aiko
from pushpoint.worlds import Box, Cylinder, Disc, Heightfield, Polygon, Profile, Wall, World

REACH = 0.4  # [m]: gaps asked for
UP = np.array([0.0, 0.0, 1.0])


def hypot_outside(*parts):
    return np.sqrt(sum(np.maximum(p, 0.0) ** 2 for p in parts))


def to_segment(p, a, b):
    """Distance of points (..., d) from a segment."""
    along = b - a
    share = np.clip(np.sum((p - a) * along, axis=-1) / np.sum(along * along, axis=-1), 0.0, 1.0)
    return np.linalg.norm(p - a - share[..., None] * along, axis=-1)


def to_triangle(p, a, b, c):
    """Distance of points (..., 3) from a triangle: above its inside, else to one of its sides."""
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n)
    inside = np.ones(p.shape[:-1], dtype=bool)
    for s, e in ((a, b), (b, c), (c, a)):
        inside &= (p - s) @ np.cross(n, e - s) >= 0
    sides = np.minimum(np.minimum(to_segment(p, a, b), to_segment(p, b, c)), to_segment(p, c, a))
    return np.where(inside, np.abs((p - a) @ n), sides)


def turned(box):
    cz, sz, cy, sy, cx, sx = (f(v) for v in (box.yaw, box.pitch, box.roll) for f in (np.cos, np.sin))
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    return about_z @ about_y @ about_x


def pieces_of(solid):
    """Convex pieces as functions from points (..., 3) to distances."""
    if isinstance(solid, Box):
        axes = turned(solid)
        return [
            lambda p: hypot_outside(
                *np.moveaxis(np.abs((p - np.array(solid.centre)) @ axes) - np.array(solid.size) / 2, -1, 0)
            )
        ]
    top = np.inf if getattr(solid, "height", None) is None else getattr(solid, "height", None)
    if isinstance(solid, Disc):
        return [
            lambda p: hypot_outside(np.hypot(p[..., 0] - solid.x, p[..., 1] - solid.y) - solid.radius, p[..., 2] - top)
        ]
    if isinstance(solid, Cylinder):
        a, b = np.array(solid.start), np.array(solid.end)
        size = np.linalg.norm(b - a)

        def cylinder(p):
            along = (p - (a + b) / 2) @ (b - a) / size
            off = np.linalg.norm(p - (a + b) / 2 - along[..., None] * (b - a) / size, axis=-1)
            return hypot_outside(np.abs(along) - size / 2, off - solid.radius)

        return [cylinder]
    if isinstance(solid, Wall):
        ends = np.array(solid.points)
        return [
            lambda p, a=a, b=b: hypot_outside(to_segment(p[..., :2], a, b), p[..., 2] - top) for a, b in pairwise(ends)
        ]
    if isinstance(solid, Polygon):
        ends = np.array(solid.points)

        def prism(p):
            plan, out = np.full(p.shape[:-1], np.inf), np.zeros(p.shape[:-1], dtype=bool)
            for a, b in zip(ends, np.roll(ends, -1, axis=0), strict=True):
                plan = np.minimum(plan, to_segment(p[..., :2], a, b))
                out |= (p[..., :2] - a) @ np.array([b[1] - a[1], a[0] - b[0]]) > 0
            return hypot_outside(np.where(out, plan, 0.0), p[..., 2] - top)

        return [prism]
    if isinstance(solid, Profile):
        line = [(-50.0, solid.points[0][1]), *solid.points, (50.0, solid.points[-1][1])]
        return [lambda p, a=a, b=b: to_segment(p[..., [0, 2]], a, b) for a, b in pairwise(np.array(line))]
    z = np.array(solid.heights)
    found = []
    for r in range(z.shape[0] - 1):
        for c in range(z.shape[1] - 1):
            at = {
                (i, j): np.array(
                    [solid.x + (c + j) * solid.spacing, solid.y + (r + i) * solid.spacing, z[r + i, c + j]]
                )
                for i in (0, 1)
                for j in (0, 1)
            }
            for t in ((at[0, 0], at[0, 1], at[1, 0]), (at[0, 1], at[1, 1], at[1, 0])):
                if any(corner[2] for corner in t):
                    found.append(lambda p, t=t: to_triangle(p, *t))
    return found


def distance_at(pieces, point):
    return min(float(piece(np.asarray(point))) for piece in pieces)


def axis_distance(pieces, capsules):
    """Least distance of each capsule's axis (k, 8): golden section for every convex piece."""
    best = np.full(len(capsules), np.inf)
    ratio = (np.sqrt(5) - 1) / 2
    at_centre = np.array([piece(capsules[:, :3]) for piece in pieces])
    near = at_centre - 2 * capsules[:, 6] <= at_centre.min(axis=0)  # others are further, wherever on the axis
    for piece, which in zip(pieces, near, strict=True):
        centre, axis, half = capsules[which, :3], capsules[which, 3:6], capsules[which, 6]
        low, high = -half, half
        for _ in range(48 if len(centre) else 0):
            one, other = high - ratio * (high - low), low + ratio * (high - low)
            left = piece(centre + one[:, None] * axis) < piece(centre + other[:, None] * axis)
            low, high = np.where(left, low, one), np.where(left, other, high)
        for place in (low, -half, half):
            best[which] = np.minimum(best[which], piece(centre + place[:, None] * axis))
    return best


def random_capsules(rng, number, centre, spread, half=0.12, radius=0.03):
    """In all directions, and some along the axes of the world."""
    axis = rng.normal(size=(number, 3))
    axis[::4] = np.eye(3)[rng.integers(0, 3, len(axis[::4]))]
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    place = np.asarray(centre) + rng.uniform(-1, 1, (number, 3)) * np.asarray(spread)
    place[::8] = np.round(place[::8], 1)
    return np.column_stack([place, axis, np.full(number, half), np.full(number, radius)])


BUMPS = np.zeros((7, 8))
BUMPS[1:-1, 1:-1] = np.random.default_rng(5).uniform(0.0, 0.12, (5, 6)).round(3)
BUMPS[2:4, 2:4] = 0.08  # a flat top
STAIRS = ((-0.4, 0.0), (-0.2, 0.0), (-0.2, 0.1), (0.0, 0.1), (0.1, 0.1), (0.2, 0.2), (0.4, 0.05), (0.5, 0.15))
SOLIDS = {
    "box": Box(centre=(0, 0, 0.2), size=(0.3, 0.2, 0.15)),
    "turned box": Box(centre=(0, 0, 0.2), size=(0.3, 0.05, 0.15), yaw=0.4, pitch=-0.7, roll=1.1),
    "disc": Disc(x=0, y=0, radius=0.08),
    "low disc": Disc(x=0, y=0, radius=0.08, height=0.2),
    "cylinder": Cylinder(start=(-0.1, 0, 0.1), end=(0.15, 0.1, 0.3), radius=0.07),
    "upright cylinder": Cylinder(start=(0, 0, 0.1), end=(0, 0, 0.3), radius=0.1),
    "wall": Wall(points=((-0.2, 0), (0.1, 0), (0.2, 0.2)), height=0.2),
    "high wall": Wall(points=((-0.2, 0), (0.0, 0), (0.1, 0), (0.1, 0.2))),
    "polygon": Polygon(points=((-0.1, -0.1), (0.15, -0.1), (0.2, 0.1), (0, 0.2), (-0.1, 0.1)), height=0.2),
    "high polygon": Polygon(points=((-0.1, -0.1), (0.15, -0.1), (0, 0.2))),
    "stairs": Profile(points=STAIRS),
    "bumps": Heightfield(x=-0.35, y=-0.3, spacing=0.1, heights=tuple(map(tuple, BUMPS.tolist()))),
}


def world_of(*solids):
    terrain = [t for t in solids if isinstance(t, Profile | Heightfield)]
    return World(
        name="test",
        terrain=terrain[0] if terrain else None,
        obstacles=tuple(t for t in solids if t not in terrain),
    )


def is_below(solid, capsules):
    """Whether any of many points of the axis is below a terrain."""
    points = capsules[:, None, :3] + np.linspace(-1, 1, 201)[:, None] * capsules[:, None, 3:6] * capsules[:, None, 6:7]
    if isinstance(solid, Profile):
        x, z = np.array(solid.points).T
        ground = np.maximum(np.interp(points[..., 0], x + 1e-9 * np.arange(len(x)), z), 0.0)
        return np.any(points[..., 2] < ground + 1e-3, axis=1)
    if isinstance(solid, Heightfield):
        u, v = (points[..., 0] - solid.x) / solid.spacing, (points[..., 1] - solid.y) / solid.spacing
        z = np.pad(np.array(solid.heights), 20)
        c, r = np.floor(u).astype(int), np.floor(v).astype(int)
        u, v, c, r = u - c, v - r, c + 20, r + 20
        first = z[r, c] + u * (z[r, c + 1] - z[r, c]) + v * (z[r + 1, c] - z[r, c])
        second = z[r + 1, c + 1] + (1 - u) * (z[r + 1, c] - z[r + 1, c + 1]) + (1 - v) * (z[r, c + 1] - z[r + 1, c + 1])
        return np.any(points[..., 2] < np.where(u + v < 1, first, second) + 1e-9, axis=1)
    return np.zeros(len(capsules), dtype=bool)


@pytest.mark.parametrize("name", SOLIDS)
def test_smallest_gap_is_the_true_distance(name):
    solid = SOLIDS[name]
    number = 600 if name == "bumps" else 2000  # many pieces, each of which is asked
    capsules = random_capsules(np.random.default_rng(77), number, (0, 0, 0.25), (0.4, 0.4, 0.25))
    solids, pieces = make_solids(world_of(solid), 1.0), pieces_of(solid)
    rows, owner = contacts_of(solids, capsules, REACH)
    true = axis_distance(pieces, capsules)
    outside = (true > 1e-6) & ~is_below(solid, capsules)
    assert outside.sum() > 300
    least = np.full(len(capsules), np.inf)
    np.minimum.at(least, owner, rows[:, 0])
    near = outside & (true - capsules[:, 7] < REACH - 1e-9)
    if isinstance(solid, Heightfield):  # at its foot the plane is nearer, which is not asked here
        near &= true < capsules[:, 2] - capsules[:, 6] * np.abs(capsules[:, 5])
    np.testing.assert_allclose(least[near], (true - capsules[:, 7])[near], atol=1e-9)
    assert np.all(least[outside & (true - capsules[:, 7] > REACH + 1e-9)] == np.inf)
    check_rows(capsules, rows[near[owner]], owner[near[owner]], pieces)


def check_rows(capsules, rows, owner, pieces):
    """Normals are unit vectors, contacts lie on solids, and the nearest normal is the gradient of the distance."""
    np.testing.assert_allclose(np.linalg.norm(rows[:, 2:5], axis=1), 1.0, atol=1e-12)
    assert np.all(np.abs(rows[:, 1]) <= capsules[owner, 6] + 1e-15)
    point = capsules[owner, :3] + rows[:, 1:2] * capsules[owner, 3:6]
    touched = point - (rows[:, :1] + capsules[owner, 7:8]) * rows[:, 2:5]
    assert max(np.min([piece(touched) for piece in pieces], axis=0)) < 1e-8
    first = np.array([np.flatnonzero(owner == i)[np.argmin(rows[owner == i, 0])] for i in np.unique(owner)])
    point, normal = point[first], rows[first, 2:5]
    step = 1e-6
    here, nearer = (np.min([piece(point - s * step * normal) for piece in pieces], axis=0) for s in (0, 1))
    apart = rows[first, 0] + capsules[owner[first], 7] > 1e-4
    np.testing.assert_allclose(((here - nearer) / step)[apart], 1.0, atol=1e-8)  # the steepest slope there is


def one_capsule(solids, centre, axis, half, radius, reach):
    axis = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    return contacts_of(solids, np.array([[*centre, *axis, half, radius]]), reach)[0]


def test_flat_joints_do_not_catch():
    """Across joints of boxes side by side, straight points of profiles and triangles in one plane: only straight up."""
    boxes = [Box(centre=(k, 0, -0.1), size=(1, 2 + 0.3 * k, 0.2), friction=0.1) for k in range(3)]
    flat = np.zeros((6, 6))
    flat[1:-1, 1:-1] = 0.25
    grounds = {
        "boxes": world_of(*boxes),
        "profile": world_of(Profile(points=tuple((0.1 * k, 0.0) for k in range(20)))),
        "field": world_of(Heightfield(x=-1, y=-1.4, spacing=0.7, heights=tuple(map(tuple, flat.tolist())))),
        "polygon": world_of(Polygon(points=((-1, -1), (0.9, -1), (2, 0), (2, 1), (0.3, 1.5), (-1, 1)), height=0.25)),
    }
    rng = np.random.default_rng(3)
    for name, world in grounds.items():
        solids, top = make_solids(world, 0.5), 0.0 if name in ("boxes", "profile") else 0.25
        capsules = random_capsules(rng, 3000, (0.6, 0.0, 0.0), (0.5, 0.5, 0.0))
        capsules[:, 5] *= np.where(rng.random(3000) < 0.5, 0.0, 0.01)
        capsules = capsules[np.linalg.norm(capsules[:, 3:5], axis=1) > 0.3]
        capsules[:, 3:6] /= np.linalg.norm(capsules[:, 3:6], axis=1, keepdims=True)
        capsules[:, 2] = top + 0.0301
        capsules[::3, 2] -= 0.002  # sunk in a little
        rows, owner = contacts_of(solids, capsules, 0.01)
        ends = np.abs(rows[:, 1]) == capsules[owner, 6]
        assert len(np.unique(owner)) == len(capsules), name
        np.testing.assert_allclose(rows[ends, 4], 1.0, atol=1e-9, err_msg=name)
        assert np.all(np.bincount(owner[ends]) == 2), name  # each end once
        assert np.all(rows[:, 4] > 0.9999), name


def test_sphere_in_hollow_corner_touches_both_faces():
    solids = make_solids(world_of(Profile(points=((0, 0), (0.5, 0), (0.5, 0.3), (1, 0.3)))), 0.5)
    rows = one_capsule(solids, (0.47 - 1e-4, 0, 0.03), (0, 1, 0), 0.1, 0.03, 0.01)
    normals = {tuple(n) for n in (np.round(rows[:, 2:5], 12) + 0.0)}
    assert normals == {(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)}
    assert len(rows) == 4
    sunk = one_capsule(solids, (0.503, 0, 0.29), (0, 1, 0), 0.1, 0.03, 0.01)
    np.testing.assert_allclose(sunk[:, 2], -1.0)  # the link leaves by the riser, not the tread above
    np.testing.assert_allclose(sunk[:, 0], -0.033)


def test_lying_across():
    """What lies flat has two contacts that hold it, on edges or rims."""
    box = make_solids(world_of(Box(centre=(0, 0, 0.1), size=(0.1, 0.1, 0.2))), 0.6)
    disc = make_solids(world_of(Disc(x=0, y=0, radius=0.05, height=0.2)), 0.6)
    beam = make_solids(world_of(Cylinder(start=(-0.05, 0, 0.15), end=(0.05, 0, 0.15), radius=0.05)), 0.6)
    for solids in (box, disc, beam):
        rows = one_capsule(solids, (0.01, 0, 0.23), (1, 0, 0), 0.3, 0.03, 0.005)
        places = np.sort(rows[np.abs(rows[:, 0]) < 1e-12, 1])
        np.testing.assert_allclose([places[0], places[-1]], [-0.06, 0.04], atol=1e-9)
        np.testing.assert_allclose(rows[:, 4], 1.0)
        assert len(set(rows[:, 7])) == len(rows)


def test_sides_of_a_thin_wall():
    solids = make_solids(world_of(Wall(points=((-1, 0), (1, 0)), friction=0.3)), 0.3)
    for side in (1, -1):
        rows = one_capsule(solids, (0, side * 0.02, 0.1), (1, 0, 0), 0.1, 0.03, 0.01)
        np.testing.assert_allclose(rows[:, 3], side)
        np.testing.assert_allclose(rows[:, 0], -0.01)
        np.testing.assert_allclose(rows[:, 5], 0.3)


def test_axis_sunk_across_an_edge_is_pushed_back():
    solids = make_solids(world_of(Box(centre=(0, 0, 0.1), size=(0.2, 0.2, 0.2))), 0.5)
    rows = one_capsule(solids, (0.1, 0, 0.2 - 0.002), (1, 0, -1), 0.15, 0.001, 0.001)
    between = rows[rows[:, 7] % 3 == 2]
    np.testing.assert_allclose(between[0, 2:5], [np.sqrt(0.5), 0, np.sqrt(0.5)])
    np.testing.assert_allclose(between[0, 0], -0.002 * np.sqrt(0.5) - 0.001)


def test_never_past_the_end_of_the_table():
    solids = make_solids(world_of(SOLIDS["bumps"]), 1.0)
    capsules = random_capsules(np.random.default_rng(0), 20, (0, 0, 0.2), (0.2, 0.2, 0.02))
    every, _ = contacts_of(solids, capsules, REACH)
    for room in (0, 1, 5, len(every) - 1):
        out, rows = np.full((room + 3, 10), 7.0), np.zeros(len(capsules) + 1, dtype=np.int64)
        assert gaps_of_capsules(solids, capsules, REACH, out[:room], rows) == room + 1
        assert np.all(out[room:] == 7.0)
    out = np.zeros((len(every), 10))
    assert gaps_of_capsules(solids, capsules, REACH, out, rows) == len(every)
    np.testing.assert_array_equal(out[:, :8], every[:, :8])


def test_ten_thousand_obstacles():
    """The grid finds what a search of all finds, and nothing far away; also outside, where nothing is."""
    rng = np.random.default_rng(1)
    discs = [Disc(x=x, y=y, radius=0.05) for x, y in rng.uniform(-10, 10, (10_000, 2))]
    solids = make_solids(world_of(*discs), 0.25)
    assert len(solids.grid.item) < 40 * len(discs)
    capsules = random_capsules(rng, 300, (0, 0, 0.1), (11, 11, 0), half=0.1, radius=0.05)
    rows, owner = contacts_of(solids, capsules, 0.1)
    centre = np.array([(d.x, d.y) for d in discs])
    for i, capsule in enumerate(capsules):
        steep = np.hypot(capsule[3], capsule[4]) < 1e-9
        ends = [capsule[:2] + s * capsule[3:5] * 0.1 for s in (-1, 1)]
        near = np.linalg.norm(centre - capsule[:2], axis=1) if steep else to_segment(centre, *ends)
        expected = np.flatnonzero(near < 0.2)  # both radii and the gap asked for
        assert set(rows[owner == i, 6]) == set(expected)
    far, _ = contacts_of(solids, random_capsules(rng, 50, (0, 100, 0), (300, 50, 1)), 0.1)
    assert len(far) == 0


def test_long_walls_do_not_fill_the_grid():
    walls = [Wall(points=((-50, k), (50, 30 + k))) for k in range(20)]
    solids = make_solids(world_of(*walls, Disc(x=0, y=0, radius=0.1)), 0.3)
    assert len(solids.grid.item) < 0.3 * len(solids.grid.start) * len(walls)
    rows = one_capsule(solids, (0, 15.05, 0.1), (1, 0, 0), 0.01, 0.03, 0.05)
    np.testing.assert_allclose(rows[:, 0].min(), 0.05 * np.cos(np.arctan(0.3)) - 0.01 * np.sin(np.arctan(0.3)) - 0.03)


def test_terrain_for_ever():
    solids = make_solids(world_of(Profile(points=((0, 0), (1, 0.2))), Disc(x=0, y=0, radius=0.1)), 0.3)
    for x, z in ((-300, 0.0), (400, 0.2), (0.5, 0.1)):
        for y in (-200, 0.5, 333):
            rows = one_capsule(solids, (x, y, z + 0.05), (0, 1, 0), 0.1, 0.03, 0.05)
            slope = np.cos(np.arctan(0.2)) if x == 0.5 else 1.0
            np.testing.assert_allclose(rows[:, 0], 0.05 * slope - 0.03, atol=1e-12)
            assert len(rows) == 2


@entry_point
def nearest_places(one, other, out):
    for i in range(one.shape[0]):
        d = (one[i, 0] - other[i, 0], one[i, 1] - other[i, 1], one[i, 2] - other[i, 2])
        found = segment_segment(
            d[0], d[1], d[2], one[i, 3], one[i, 4], one[i, 5], one[i, 6],
            other[i, 3], other[i, 4], other[i, 5], other[i, 6],
        )  # fmt: skip
        for k in range(6):
            out[i, k] = found[k]


def test_segments():
    """Against the distance from dense points of one to the other; also parallel and crossing ones."""
    rng = np.random.default_rng(2)
    one, other = (random_capsules(rng, 2000, (0, 0, 0), (0.3, 0.3, 0.1)) for _ in range(2))
    other[::5, 3:6] = one[::5, 3:6]
    other[1::5, 3:6] = -one[1::5, 3:6] + 1e-7
    other[1::5, 3:6] /= np.linalg.norm(other[1::5, 3:6], axis=1, keepdims=True)
    other[::25, :3] = one[::25, :3] + 0.05 * one[::25, 3:6]
    out = np.empty((2000, 6))
    nearest_places(one, other, out)
    a, b = one[:, :3] + out[:, :1] * one[:, 3:6], other[:, :3] + out[:, 1:2] * other[:, 3:6]
    assert np.all(np.abs(out[:, :2]) <= 0.12)
    np.testing.assert_allclose(np.linalg.norm(a - b, axis=1), out[:, 5], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(out[:, 2:5], axis=1), 1.0)
    np.testing.assert_allclose(a - b, out[:, 2:5] * out[:, 5:6], atol=1e-12)
    reach = 0.12 * other[:, 3:6]
    true = axis_distance([lambda p: to_segment(p, other[:, :3] - reach, other[:, :3] + reach)], one)  # all are near
    np.testing.assert_allclose(out[:, 5], true, atol=1e-9)


def resting(robot, z=0.0, roll=0.0):
    angles = np.linspace(-0.3, 0.4, len(robot.freedoms))
    return spatial_pose(robot, angles, Attitude(roll=roll, pitch=0.1, heading=0.3), (0.05, 0.02, z))


@pytest.mark.parametrize("name", ["stairs", "bumps", "plane"])
@pytest.mark.parametrize("height", [0.0, 0.013])
def test_put_down(name, height):
    """The smallest distance from plane and terrain is the height asked for, from wherever the robot comes."""
    robot = aiko(links=4)
    square = robot.model_copy(
        update={"links": tuple(link.model_copy(update={"shape": "square"}) for link in robot.links)}
    )
    solid = SOLIDS.get(name)
    world = world_of(*filter(None, [solid]), Disc(x=0, y=0, radius=0.1))  # the disc does not count
    for machine, z in ((robot, -3.0), (square, 5.0)):
        pose = put_down(machine, world, resting(machine, z), height)
        capsules, _ = capsules_of(machine, pose)
        true = axis_distance(pieces_of(solid), capsules) if solid else np.full(len(capsules), np.inf)
        plane = capsules[:, 2] - capsules[:, 6] * np.abs(capsules[:, 5])
        if name != "stairs":
            true = np.minimum(true, plane)
        np.testing.assert_allclose(np.min(true - capsules[:, 7]), height, atol=2e-9)


def test_overlaps():
    """Deep inside, pierced by a thin wall, below the ground; and nothing where nothing is."""
    robot = Robot(name="stick", links=(Link(length=0.4, mass=1, inertia=0.01, radius=0.02),))
    level = spatial_pose(robot, np.zeros(0), Attitude(), (0.0, 0.0, 0.5))
    big = Box(centre=(0, 0, 0.5), size=(3, 2, 0.8))
    assert spatial_overlaps(robot, world_of(), level) == []
    (link, obstacle, depth), *others = spatial_overlaps(robot, world_of(big), level)
    assert (link, obstacle, len(others)) == (0, 0, 0)
    np.testing.assert_allclose(depth, 0.42)
    found = spatial_overlaps(
        robot, world_of(Wall(points=((0.043, -1), (0.043, 1))), Disc(x=0, y=0.07, radius=0.06)), level
    )
    assert [entry[:2] for entry in found] == [(0, 0), (0, 1)]
    assert 0.0101 <= found[0][2] <= 0.02
    np.testing.assert_allclose(found[1][2], 0.01)
    low = spatial_pose(robot, np.zeros(0), Attitude(), (0.0, 0.0, 0.015))
    ((link, obstacle, depth),) = spatial_overlaps(robot, world_of(), low)
    assert (link, obstacle) == (0, -1)
    np.testing.assert_allclose(depth, 0.005)
    stairs = spatial_overlaps(robot, world_of(SOLIDS["stairs"]), low)
    assert stairs[0][:2] == (0, -1)
    assert stairs[0][2] > 0.105 - 1e-9
