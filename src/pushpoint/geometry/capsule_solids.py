"""Contacts between a capsule in space and the features of solids (see geometry.solids).

A capsule is all spheres of one radius along its axis. What it touches, it touches with the spheres at its two ends or,
at edges, vertices and cylinders, with one in between.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from pushpoint._jit import fused, kernel
from pushpoint.geometry import solids as col  # its columns and kinds of features
from pushpoint.geometry.solids import Solids
from pushpoint.types import FloatArray, IntArray

TAIL, HEAD, BETWEEN = 0, 1, 2
CONTACT_COLUMNS = ("gap", "place", "normal_x", "normal_y", "normal_z", "friction", "obstacle", "code")
# Neighbouring regions overlap by a little, so that round-off opens no hole between them; of what then touches twice
# `put` keeps one.
OVERLAP = 1e-9  # [m]
OVERLAP_SHARE = 1e-10  # of a face's size
INSIDE = 1.0 - 1e-9  # of the half axis: further out it is an end
SAME_PLACE = 1e-7  # [m]
SAME_NORMAL = 1e-10  # squared distance of unit vectors
LEANING = 0.7  # cosine: between axes that lie flat on the end of a cylinder and those beside it


class Query(NamedTuple):
    """A capsule, what it asks for, and where to look."""

    x: float  # [m], centre
    y: float  # [m]
    z: float  # [m]
    ux: float  # axis
    uy: float
    uz: float
    half: float  # [m]
    radius: float  # [m]
    reach: float  # [m]: gaps below this
    begin: int  # of the cell's items
    end: int
    first: int  # row of `out` with its first contact


@kernel
def capsule_contacts(
    solids: Solids,
    x: float, y: float, z: float, ux: float, uy: float, uz: float, half: float, radius: float,
    reach: float, out: FloatArray, at: int,
) -> int:  # fmt: skip
    """Append all contacts with gaps below `reach` [m] to `out` from row `at` on: the columns CONTACT_COLUMNS.

    Capsule: centre (x, y, z) [m], unit axis u, half length of the axis `half` [m]. Normals point from the solid to the
    capsule; `place` [m] is measured along the axis from the centre; `code`, 3 * feature + TAIL, HEAD or BETWEEN, is
    the same from step to step. Returns the number of rows, or one more than there are if they do not suffice.
    """
    grid = solids.grid
    column = int(min(max((x - grid.origin[0]) / grid.origin[2], 0.0), grid.shape[0] - 1.0))
    row = int(min(max((y - grid.origin[1]) / grid.origin[2], 0.0), grid.shape[1] - 1.0))
    cell = row * grid.shape[0] + column
    begin, end = grid.start[cell], grid.start[cell + 1]
    if begin == end:
        return at
    at += 0 * cell  # so that a caller's literal zero does not have everything compiled once more
    q = Query(x, y, z, ux, uy, uz, half, radius, reach, begin, end, at)
    t, thick = solids.feature, max(radius + reach, radius, col.DEEP)
    wide, deep, high = half * abs(ux) + thick, half * abs(uy) + thick, half * abs(uz) + thick
    for k in range(begin, end):
        f = grid.item[k]
        if (
            x + wide >= t[f, col.X_MIN]
            and x - wide <= t[f, col.X_MAX]
            and y + deep >= t[f, col.Y_MIN]
            and y - deep <= t[f, col.Y_MAX]
            and z + high >= t[f, col.Z_MIN]
            and z - high <= t[f, col.Z_MAX]
            and is_near_ball(t, f, q, thick)
        ):
            at = feature_contacts(solids, q, f, out, at)
    return at


@fused
def is_near_ball(t: FloatArray, f: int, q: Query, thick: float) -> bool:
    """Whether the axis comes within `thick` [m] of the ball about a feature."""
    dx, dy = 0.5 * (t[f, col.X_MIN] + t[f, col.X_MAX]) - q.x, 0.5 * (t[f, col.Y_MIN] + t[f, col.Y_MAX]) - q.y
    dz = 0.5 * (t[f, col.Z_MIN] + t[f, col.Z_MAX]) - q.z
    place = min(q.half, max(-q.half, dx * q.ux + dy * q.uy + dz * q.uz))
    dx, dy, dz = dx - place * q.ux, dy - place * q.uy, dz - place * q.uz
    limit = t[f, col.BALL] + thick
    return bool(dx * dx + dy * dy + dz * dz <= limit * limit)


@fused
def feature_contacts(solids: Solids, q: Query, f: int, out: FloatArray, at: int) -> int:
    """Contacts with one feature."""
    kind = int(solids.feature[f, col.KIND])
    if kind == col.FACE:
        return face_contacts(solids.feature, solids.grid.item, q, f, out, at)
    if kind == col.EDGE:
        return edge_contacts(solids, q, f, out, at)
    if kind == col.VERTEX:
        return vertex_contacts(solids, q, f, out, at)
    if kind == col.PILLAR:
        return pillar_contacts(solids.feature, q, f, out, at)
    if kind == col.CYLINDER:
        return cylinder_contacts(solids.feature, q, f, out, at)
    return rim_contacts(solids.feature, q, f, out, at)


@kernel
def put(
    t: FloatArray, q: Query, f: int,
    code: float, place: float, distance: float, nx: float, ny: float, nz: float,
    out: FloatArray, at: int,
) -> int:  # fmt: skip
    """Append a contact. Of two with one sphere in one direction only the nearer is kept: it implies the other.

    Of a sphere whose centre is behind several faces of a terrain, only the face nearest to it is kept: it comes out
    there.
    """
    gap = distance - q.radius
    if not gap < q.reach or at > out.shape[0]:
        return at
    row = at
    for k in range(q.first, at):
        if abs(out[k, 1] - place) < SAME_PLACE:
            dx, dy, dz = out[k, 2] - nx, out[k, 3] - ny, out[k, 4] - nz
            same = dx * dx + dy * dy + dz * dz < SAME_NORMAL
            buried = distance < 0.0 and out[k, 0] < -q.radius and t[int(out[k, 7]) // 3, col.PART] == t[f, col.PART]
            if same or buried:
                if buried == (gap < out[k, 0]):
                    return at
                row = k
    if row == out.shape[0]:
        return row + 1
    out[row, 0], out[row, 1], out[row, 2], out[row, 3], out[row, 4] = gap, place, nx, ny, nz
    out[row, 5], out[row, 6], out[row, 7] = t[f, col.FRICTION], t[f, col.OBSTACLE], code
    return max(at, row + 1)


@kernel
def dot(t: FloatArray, f: int, column: int, x: float, y: float, z: float) -> float:
    """Product of a vector with the one in three columns of feature f."""
    return float(t[f, column] * x + t[f, column + 1] * y + t[f, column + 2] * z)


@kernel
def from_feature(t: FloatArray, f: int, q: Query, place: float) -> tuple[float, float, float]:
    """The point of the axis at `place`, as seen from the place of feature f [m]."""
    x, y, z = q.x + place * q.ux, q.y + place * q.uy, q.z + place * q.uz
    return x - t[f, col.AT], y - t[f, col.AT + 1], z - t[f, col.AT + 2]


@kernel
def is_in_face(t: FloatArray, f: int, dx: float, dy: float, dz: float) -> bool:
    """Whether a point, as seen from the face's corner, projects into the face."""
    first, second = dot(t, f, col.FIRST, dx, dy, dz), dot(t, f, col.SECOND, dx, dy, dz)
    low, high = min(first, second), max(first, second)
    return low >= -OVERLAP_SHARE and high + t[f, col.FILL] * low <= 1.0 + OVERLAP_SHARE


@fused
def face_contacts(t: FloatArray, item: IntArray, q: Query, f: int, out: FloatArray, at: int) -> int:
    """Both ends above a face, or not far below."""
    lowest = -max(0.0, min(t[f, col.DEPTH], max(q.radius, col.DEEP)))
    for which in range(2):
        place = (2.0 * which - 1.0) * q.half
        dx, dy, dz = from_feature(t, f, q, place)
        above = dot(t, f, col.ALONG, dx, dy, dz)
        side = -1.0 if t[f, col.DEPTH] < 0.0 and above < 0.0 else 1.0
        above *= side
        if above - q.radius < q.reach and above >= lowest and is_in_face(t, f, dx, dy, dz):
            if above < 0.0 and not is_inside(t, item, q, f, place, above):
                continue
            nx, ny, nz = side * t[f, col.ALONG], side * t[f, col.ALONG + 1], side * t[f, col.ALONG + 2]
            at = put(t, q, f, 3.0 * f + which, place, above, nx, ny, nz, out, at)
    return at


@kernel
def is_inside(t: FloatArray, item: IntArray, q: Query, f: int, place: float, above: float) -> bool:
    """Whether a point behind face f is inside the solid, and not only beyond a sharp edge, on the other side.

    Parts of obstacles are convex: no other face may be nearer. Terrain: a face must be straight above the point.
    """
    terrain = t[f, col.OBSTACLE] < 0.0
    for k in range(q.begin, q.end):
        g = item[k]
        if t[g, col.KIND] == col.FACE and t[g, col.PART] == t[f, col.PART]:
            dx, dy, dz = from_feature(t, g, q, place)
            height, slope = dot(t, g, col.ALONG, dx, dy, dz), t[g, col.ALONG + 2]
            if terrain and height < 0.0 and slope > 1e-9 and is_in_face(t, g, dx, dy, dz - height / slope):
                return True
            if not terrain and height > above:
                return False
    return not terrain


@fused
def edge_contacts(solids: Solids, q: Query, f: int, out: FloatArray, at: int) -> int:
    """Both ends beside an edge, and the axis across it."""
    t, item = solids.feature, solids.grid.item
    dx, dy, dz = from_feature(t, f, q, 0.0)
    cosine = dot(t, f, col.ALONG, q.ux, q.uy, q.uz)
    square = 1.0 - cosine * cosine
    for which in range(3):
        place = (2.0 * which - 1.0) * q.half
        if which == BETWEEN and square > 1e-12:
            place = (cosine * dot(t, f, col.ALONG, dx, dy, dz) - (dx * q.ux + dy * q.uy + dz * q.uz)) / square
        if which < BETWEEN or abs(place) < INSIDE * q.half:
            at = edge_contact(t, item, q, f, which, place, out, at)
    return at


@fused
def edge_contact(
    t: FloatArray, item: IntArray, q: Query, f: int, which: int, place: float, out: FloatArray, at: int
) -> int:
    """A point of the axis and an edge. An axis that has sunk in across the edge is pushed back out."""
    dx, dy, dz = from_feature(t, f, q, place)
    along = dot(t, f, col.ALONG, dx, dy, dz)
    if along < -OVERLAP or along > t[f, col.LENGTH] + OVERLAP:
        return at
    dx, dy, dz = dx - along * t[f, col.ALONG], dy - along * t[f, col.ALONG + 1], dz - along * t[f, col.ALONG + 2]
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    if not (1e-12 < distance < q.radius + q.reach):
        return at
    one, other = dot(t, f, col.INTO_ONE, dx, dy, dz), dot(t, f, col.INTO_OTHER, dx, dy, dz)
    inverse = 1.0 / distance
    c = dot(t, f, col.INTO_ONE, t[f, col.INTO_OTHER], t[f, col.INTO_OTHER + 1], t[f, col.INTO_OTHER + 2])
    sunk = min(one, other, one - c * other, other - c * one) > 0.0  # inside the wedge, and it comes out across the edge
    if which == BETWEEN and sunk and distance < min(t[f, col.DEPTH], max(q.radius, col.DEEP)):
        distance, inverse = -distance, -inverse
    elif max(one, other) > OVERLAP:
        return at
    nx, ny, nz = inverse * dx, inverse * dy, inverse * dz
    # The nearest point of the edge, from the centre of the capsule.
    px, py, pz = place * q.ux - distance * nx, place * q.uy - distance * ny, place * q.uz - distance * nz
    if is_covered(t, item, q, f, q.x + px, q.y + py, q.z + pz, nx, ny, nz):
        return at
    return put(t, q, f, 3.0 * f + which, place, distance, nx, ny, nz, out, at)


@fused
def vertex_contacts(solids: Solids, q: Query, f: int, out: FloatArray, at: int) -> int:
    """Both ends and the axis against a vertex."""
    t, item = solids.feature, solids.grid.item
    dx, dy, dz = from_feature(t, f, q, 0.0)
    for which in range(3):
        place = (2.0 * which - 1.0) * q.half if which < BETWEEN else -(dx * q.ux + dy * q.uy + dz * q.uz)
        if which < BETWEEN or abs(place) < INSIDE * q.half:
            x, y, z = dx + place * q.ux, dy + place * q.uy, dz + place * q.uz
            distance = math.sqrt(x * x + y * y + z * z)
            if 1e-12 < distance < q.radius + q.reach and is_outside_all(t, solids.direction, f, x, y, z):
                nx, ny, nz = x / distance, y / distance, z / distance
                if not is_covered(t, item, q, f, t[f, col.AT], t[f, col.AT + 1], t[f, col.AT + 2], nx, ny, nz):
                    at = put(t, q, f, 3.0 * f + which, place, distance, nx, ny, nz, out, at)
    return at


@kernel
def is_outside_all(t: FloatArray, d: FloatArray, f: int, x: float, y: float, z: float) -> bool:
    """Whether no edge of vertex f comes towards the direction (x, y, z)."""
    begin, most = int(t[f, col.DIRECTIONS]), 0.0
    for k in range(begin, begin + int(t[f, col.COUNT])):
        most = max(most, d[k, 0] * x + d[k, 1] * y + d[k, 2] * z)
    return most <= OVERLAP


@kernel
def is_covered(
    t: FloatArray, item: IntArray, q: Query, f: int, x: float, y: float, z: float, nx: float, ny: float, nz: float
) -> bool:
    """Whether a point of solid f's edges lies on a face of another solid that leaves no room for the direction n.

    Otherwise the joint of two boxes side by side would catch what slides across. The face must not rise from the
    point towards n: none of its corners may.
    """
    if t[f, col.OBSTACLE] < 0.0:  # terrain has many edges, and seldom a box flush with it
        return False
    for k in range(q.begin, q.end):
        g = item[k]
        if t[g, col.KIND] == col.FACE and t[g, col.PART] != t[f, col.PART] and t[g, col.DEPTH] >= 0.0:
            dx, dy, dz = x - t[g, col.AT], y - t[g, col.AT + 1], z - t[g, col.AT + 2]
            on_it = abs(dot(t, g, col.ALONG, dx, dy, dz)) < OVERLAP and is_in_face(t, g, dx, dy, dz)
            if on_it and rises(t, g, dot(t, g, col.FIRST, dx, dy, dz), dot(t, g, col.SECOND, dx, dy, dz), nx, ny, nz):
                return True
    return False


@kernel
def rises(t: FloatArray, g: int, first: float, second: float, nx: float, ny: float, nz: float) -> bool:
    """Whether a corner of face g lies towards n from the point with these coordinates in the face."""
    one, other = dot(t, g, col.FIRST, nx, ny, nz), dot(t, g, col.SECOND, nx, ny, nz)
    aa = dot(t, g, col.FIRST, t[g, col.FIRST], t[g, col.FIRST + 1], t[g, col.FIRST + 2])
    bb = dot(t, g, col.SECOND, t[g, col.SECOND], t[g, col.SECOND + 1], t[g, col.SECOND + 2])
    ab = dot(t, g, col.FIRST, t[g, col.SECOND], t[g, col.SECOND + 1], t[g, col.SECOND + 2])
    square = aa * bb - ab * ab
    one, other = (one * bb - other * ab) / square, (other * aa - one * ab) / square  # n times the two sides [m]
    here = first * one + second * other
    highest = max(0.0, one, other)
    if t[g, col.FILL] == 0.0:
        highest = max(highest, one + other)
    return bool(highest - here > 1e-6)


@fused
def pillar_contacts(t: FloatArray, q: Query, f: int, out: FloatArray, at: int) -> int:
    """An upright cylinder without ends: the nearest point of the axis in plan view, and the ends if it is steep."""
    dx, dy, _ = from_feature(t, f, q, 0.0)
    plan = q.ux * q.ux + q.uy * q.uy
    nearest = min(q.half, max(-q.half, -(dx * q.ux + dy * q.uy) / plan)) if plan > 1e-18 else q.half
    for which in range(3):
        place = (2.0 * which - 1.0) * q.half
        if which == BETWEEN:
            place = nearest
        inside = abs(nearest) < INSIDE * q.half
        if (which == BETWEEN and inside) or (which < BETWEEN and (plan < 0.5 or (not inside and place * nearest >= 0))):
            x, y = dx + place * q.ux, dy + place * q.uy
            distance = math.sqrt(x * x + y * y)
            nx, ny = (
                (x / distance, y / distance) if distance > 1e-12 else (-q.uy / math.sqrt(plan), q.ux / math.sqrt(plan))
            )
            at = put(t, q, f, 3.0 * f + which, place, distance - t[f, col.RADIUS], nx, ny, 0.0, out, at)
    return at


@kernel
def from_cylinder(t: FloatArray, f: int, q: Query, place: float) -> tuple[float, float, float, float]:
    """Signed distance [m] of a point of the axis from a solid cylinder, and its gradient."""
    dx, dy, dz = from_feature(t, f, q, place)
    ax, ay, az = t[f, col.ALONG], t[f, col.ALONG + 1], t[f, col.ALONG + 2]
    along = dx * ax + dy * ay + dz * az
    dx, dy, dz = dx - along * ax, dy - along * ay, dz - along * az
    off = math.sqrt(dx * dx + dy * dy + dz * dz)
    beyond, beside = abs(along) - t[f, col.HALF], off - t[f, col.RADIUS]
    sign = 1.0 if along >= 0.0 else -1.0
    if beyond > beside and beside <= 0.0:
        return beyond, sign * ax, sign * ay, sign * az
    if off < 1e-12:  # on the axis of a long one: any direction across
        dx, dy, dz, off = -ay, ax, 0.0, math.sqrt(ax * ax + ay * ay)
        if off < 0.1:
            dx, dy, dz, off = 0.0, -az, ay, math.sqrt(ay * ay + az * az)
    dx, dy, dz = dx / off, dy / off, dz / off
    if beyond <= 0.0:
        return beside, dx, dy, dz
    distance = math.sqrt(beyond * beyond + beside * beside)
    beyond, beside = sign * beyond / distance, beside / distance
    return distance, beside * dx + beyond * ax, beside * dy + beyond * ay, beside * dz + beyond * az


@kernel
def cylinder_contacts(t: FloatArray, q: Query, f: int, out: FloatArray, at: int) -> int:
    """A solid cylinder: both ends, and the nearest point of the axis if it is none of them.

    The distance is a convex function of the place; its slope is the normal's part along the axis.
    """
    tail, nx, ny, nz = from_cylinder(t, f, q, -q.half)
    fall = nx * q.ux + ny * q.uy + nz * q.uz
    at = put(t, q, f, 3.0 * f + TAIL, -q.half, tail, nx, ny, nz, out, at)
    head, nx, ny, nz = from_cylinder(t, f, q, q.half)
    rise = nx * q.ux + ny * q.uy + nz * q.uz
    at = put(t, q, f, 3.0 * f + HEAD, q.half, head, nx, ny, nz, out, at)
    if not (fall < -1e-12 and rise > 1e-12):
        return at
    # The tangents at both ends bound the distance from below.
    lowest = (rise * tail - fall * head + 2.0 * q.half * fall * rise) / (rise - fall)
    if lowest - q.radius > q.reach:
        return at
    place = lowest_place(t, f, q, fall, rise)
    distance, nx, ny, nz = from_cylinder(t, f, q, place)
    dx, dy, dz = from_feature(t, f, q, place)
    along = dot(t, f, col.ALONG, dx, dy, dz)
    off = math.sqrt(max(0.0, dx * dx + dy * dy + dz * dz - along * along))
    # Flat on an end, the rim has two contacts for this one.
    on_end = abs(along) > t[f, col.HALF] and off < t[f, col.RADIUS] - 1e-6
    if distance < min(tail, head) - 1e-14 and not on_end:
        at = put(t, q, f, 3.0 * f + BETWEEN, place, distance, nx, ny, nz, out, at)
    return at


@kernel
def lowest_place(t: FloatArray, f: int, q: Query, fall: float, rise: float) -> float:
    """Where the slope of the distance changes sign: regula falsi, safeguarded by bisection."""
    low, high, place, last = -q.half, q.half, 0.0, 0.0
    for k in range(150):
        place = low - fall * (high - low) / (rise - fall)
        if k % 4 == 3 or not (low < place < high):
            place = 0.5 * (low + high)
        _, nx, ny, nz = from_cylinder(t, f, q, place)
        slope = nx * q.ux + ny * q.uy + nz * q.uz
        if abs(slope) < 1e-15 or high - low < 1e-13:
            break
        if slope < 0.0:
            rise = 0.5 * rise if last < 0.0 else rise  # Illinois: the side that stays counts half
            low, fall = place, slope
        else:
            fall = 0.5 * fall if last > 0.0 else fall
            high, rise = place, slope
        last = slope
    return place


@kernel
def rim_contacts(t: FloatArray, q: Query, f: int, out: FloatArray, at: int) -> int:
    """Where an axis crosses the rim of a cylinder's flat end, in the plane of that end or seen from above it.

    An axis parallel to the flat end, or to the side, is equally near in a whole stretch, which these limit.
    """
    dx, dy, dz = from_feature(t, f, q, 0.0)
    nx, ny, nz = t[f, col.ALONG], t[f, col.ALONG + 1], t[f, col.ALONG + 2]
    above, slope = dx * nx + dy * ny + dz * nz, q.ux * nx + q.uy * ny + q.uz * nz
    dx, dy, dz = dx - above * nx, dy - above * ny, dz - above * nz
    wx, wy, wz = q.ux - slope * nx, q.uy - slope * ny, q.uz - slope * nz
    if abs(slope) > LEANING:
        place = -above / slope
        x, y, z = dx + place * wx, dy + place * wy, dz + place * wz
        off = math.sqrt(x * x + y * y + z * z)
        if abs(place) < INSIDE * q.half and off > t[f, col.RADIUS]:
            at = put(t, q, f, 3.0 * f + BETWEEN, place, off - t[f, col.RADIUS], x / off, y / off, z / off, out, at)
        return at
    a, b = wx * wx + wy * wy + wz * wz, dx * wx + dy * wy + dz * wz
    c = dx * dx + dy * dy + dz * dz - t[f, col.RADIUS] * t[f, col.RADIUS]
    root = b * b - a * c
    if root <= 0.0:
        return at
    for which in range(2):
        place = (-b + (2.0 * which - 1.0) * math.sqrt(root)) / a
        if abs(place) < INSIDE * q.half and above + place * slope > 0.0:
            at = put(t, q, f, 3.0 * f + which, place, above + place * slope, nx, ny, nz, out, at)
    return at


@kernel
def segment_segment(
    dx: float, dy: float, dz: float,
    ux: float, uy: float, uz: float, half: float,
    vx: float, vy: float, vz: float, other: float,
) -> tuple[float, float, float, float, float, float]:  # fmt: skip
    """Nearest points of two segments: their places s, t [m], the unit vector from the second to the first, distance.

    d: from the centre of the second to that of the first [m]; u, `half`: direction and half length [m] of the first;
    v, `other`: of the second. Of parallel segments, the middle of the stretch in which they are side by side.
    """
    c, du, dv = ux * vx + uy * vy + uz * vz, dx * ux + dy * uy + dz * uz, dx * vx + dy * vy + dz * vz
    x, y, z = ux - c * vx, uy - c * vy, uz - c * vz  # of u, what is across v
    square = x * x + y * y + z * z
    if square > 1e-16:
        s = min(half, max(-half, -(dx * x + dy * y + dz * z) / square))
    else:  # the second covers, along the first, its shadow about -du
        low, high = max(-half, -du - other), min(half, -du + other)
        s = 0.5 * (low + high) if low < high else min(half, max(-half, -du))
    t = min(other, max(-other, dv + s * c))
    s = min(half, max(-half, t * c - du))
    x, y, z = dx + s * ux - t * vx, dy + s * uy - t * vy, dz + s * uz - t * vz
    distance = math.sqrt(x * x + y * y + z * z)
    if distance > 1e-12:
        return s, t, x / distance, y / distance, z / distance, distance
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx  # they cross: apart across both
    size = math.sqrt(x * x + y * y + z * z)
    if size < 1e-6:
        x, y, z = (-uy, ux, 0.0) if abs(uz) < 0.9 else (0.0, -uz, uy)
        size = math.sqrt(x * x + y * y + z * z)
    return s, t, x / size, y / size, z / size, distance
