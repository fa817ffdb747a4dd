"""The ground and the obstacles of a world as MuJoCo's shapes.

| ours | MuJoCo's |
|---|---|
| disc of no height | upright capsule, longer than any robot: distances in closed form |
| disc, cylinder | cylinder |
| wall, box | boxes, those of a wall thin |
| polygon | convex prism (mesh) |
| profile | boxes and, under slopes, prisms, side by side |
| heightfield | height field, met by the capsules and by spheres in their ends: MuJoCo finds one point per cell only |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import mujoco
import numpy as np

from pushpoint.geometry.capsules import CapsuleOnLink
from pushpoint.mechanics.convex_parts import box_axes
from pushpoint.mechanics.rotation import quaternions
from pushpoint.types import FloatArray
from pushpoint.worlds import Box, Cylinder, Disc, Ground, Heightfield, Polygon, Profile, Wall, World

LINK_BIT, SELF_BIT = 1, 2  # what links meet: obstacles, each other
TERRAIN = "terrain"
REACH = 100.0  # [m], stands for infinitely far or high
DEPTH = 1.0  # [m], how far terrain goes on below its lowest point
HALF_WALL = 1e-6  # [m], half the thickness of a wall
IMPEDANCE = 0.99  # constant, so that nothing is softer at first touch
SPRING_STEPS = 5.0  # N, see `contact_firmness`
STOP_STEPS = 10.0  # M, see `friction_firmness`
LEAST_STIFFNESS = 1e-9  # [1/s2]: nothing pulls back what has slid
LEAST_FRICTION = 1e-5  # MuJoCo's mjMINMU
Points = Sequence[tuple[float, float]]


class LinkShape(NamedTuple):
    """A capsule of a link in MuJoCo's model."""

    name: str
    body: Any
    capsule: CapsuleOnLink


def contact_firmness(dt: float) -> tuple[list[float], list[float]]:
    """MuJoCo's solref and solimp: what touches is stopped within one step, and pushed out slowly.

    Reference acceleration: -velocity / dt - depth / (N dt)**2. Something that comes in with v is up to v dt deep when
    it is noticed, and the spring throws it out with up to v / N**2; what lies under its weight sinks in by
    (1 - d) / d * (N dt)**2 g. MuJoCo's own form with a time constant of 2 dt is N = 2.
    """
    return [-((IMPEDANCE / (SPRING_STEPS * dt)) ** 2), -IMPEDANCE / dt], [IMPEDANCE, IMPEDANCE, 0.001, 0.5, 1.0]


def friction_firmness(dt: float) -> list[float]:
    """MuJoCo's solreffriction, of pairs only: what sticks is stopped within M steps.

    MuJoCo's friction is convex: something that slides with v is lifted with mu v / M. With M = 1 it hops, and the
    normal forces do work; with many steps friction lags behind.
    """
    return [-LEAST_STIFFNESS, -IMPEDANCE / (STOP_STEPS * dt)]


def add_obstacles(spec: Any, world: World, shapes: Sequence[LinkShape], dt: float) -> None:
    """Fixed shapes. Smooth ones are left to MuJoCo's search for what is near; rough ones have pairs with all links, as
    only pairs have a firmness of friction of their own."""
    solref, solimp = contact_firmness(dt)
    for k, thing in enumerate(world.obstacles):
        smooth = thing.friction == 0
        for part, fields in enumerate(_shapes(spec, f"obstacle {k}", thing)):
            spec.worldbody.add_geom(
                name=f"obstacle {k} {part}",
                contype=0,
                conaffinity=LINK_BIT if smooth else 0,
                condim=1,
                solref=solref,
                solimp=solimp,
                **fields,
            )
            for shape in () if smooth else shapes:
                _add_pair(spec, Ground(friction=thing.friction), f"obstacle {k} {part}", shape.name, dt)


def _shapes(spec: Any, name: str, thing: Any) -> Iterator[dict[str, Any]]:
    """The fields of the shapes that an obstacle is made of."""
    kind = mujoco.mjtGeom
    if isinstance(thing, Disc):
        low, high = _from_to(thing.height)
        shape = kind.mjGEOM_CAPSULE if thing.height is None else kind.mjGEOM_CYLINDER
        where, size = [thing.x, thing.y, (low + high) / 2], [thing.radius, (high - low) / 2, 0]
        yield {"type": shape, "pos": where, "size": size}
    elif isinstance(thing, Cylinder):
        ends = [*thing.start, *thing.end]
        yield {"type": kind.mjGEOM_CYLINDER, "fromto": ends, "size": [thing.radius, 0, 0]}
    elif isinstance(thing, Box):
        turned, half_sizes = quaternions(box_axes(thing)), [size / 2 for size in thing.size]
        yield {"type": kind.mjGEOM_BOX, "pos": list(thing.centre), "quat": turned.tolist(), "size": half_sizes}
    elif isinstance(thing, Wall):
        yield from _wall(thing)
    elif isinstance(thing, Polygon):
        low, high = _from_to(thing.height)
        yield _prism(spec, name, [(x, y, z) for z in (low, high) for x, y in thing.points])


def _from_to(height: float | None) -> tuple[float, float]:
    """Heights [m] between which something upright stands."""
    return (-REACH, REACH) if height is None else (0.0, height)


def _wall(wall: Wall) -> Iterator[dict[str, Any]]:
    low, high = _from_to(wall.height)
    for a, b in pairwise(wall.points):
        along = np.subtract(b, a)
        half_yaw = 0.5 * np.arctan2(along[1], along[0])
        yield {
            "type": mujoco.mjtGeom.mjGEOM_BOX,
            "pos": [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (low + high) / 2],
            "quat": [np.cos(half_yaw), 0, 0, np.sin(half_yaw)],
            "size": [np.hypot(*along) / 2, HALF_WALL, (high - low) / 2],
        }


def _prism(spec: Any, name: str, corners: Sequence[tuple[float, float, float]]) -> dict[str, Any]:
    """The convex hull of the corners."""
    mesh = spec.add_mesh(name=name)
    mesh.uservert = [float(number) for corner in corners for number in corner]
    return {"type": mujoco.mjtGeom.mjGEOM_MESH, "meshname": name}


def add_ground(spec: Any, world: World, shapes: Sequence[LinkShape], dt: float) -> None:
    """The plane or the terrain, each as a pair with every capsule: only pairs have friction along and across."""
    parts = list(_terrain(spec, world)) if isinstance(world.terrain, Profile) else []
    names = [f"{TERRAIN} {k}" for k in range(len(parts))]
    for name, part in zip(names, parts, strict=True):
        spec.worldbody.add_geom(name=name, contype=0, conaffinity=0, **part)
    if not parts:  # a profile replaces the plane, a height field lies on it
        spec.worldbody.add_geom(
            name="plane", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=0, conaffinity=0
        )
        names = ["plane"]
    for shape in shapes:
        for name in names:
            _add_pair(spec, world.ground, name, shape.name, dt, shape.capsule.radius)
    if _has_hills(world):
        _add_heightfield(spec, world, shapes, dt)


def _add_pair(spec: Any, ground: Ground, name: str, shape: str, dt: float, radius: float = 0.0) -> None:
    """Friction on one capsule.

    MuJoCo's first tangent at a plane is the capsule's axis, so that `along` and `across` are those of the link.
    Rolling, P5 (59)-(60): a moment of up to rolling * radius * normal force. Turning on the spot is free.
    """
    along, across = max(ground.along, LEAST_FRICTION), max(ground.across, LEAST_FRICTION)
    rolling = max(ground.rolling * radius, LEAST_FRICTION)
    rough = max(ground.along, ground.across) > 0
    solref, solimp = contact_firmness(dt)
    spec.add_pair(
        geomname1=name,
        geomname2=shape,
        condim=6 if ground.rolling > 0 else 3 if rough else 1,
        friction=[along, across, LEAST_FRICTION, rolling, rolling],
        margin=0.0,
        solref=solref,
        solimp=solimp,
        solreffriction=friction_firmness(dt),
    )


def _terrain(spec: Any, world: World) -> Iterator[dict[str, Any]]:
    """Columns under the pieces of a profile, and under what is flat beyond both its ends."""
    assert isinstance(world.terrain, Profile)
    points: Points = world.terrain.points
    (x_first, z_first), (x_last, z_last) = points[0], points[-1]
    low = min(z for _, z in points) - DEPTH
    whole = [(x_first - REACH, z_first), *points, (x_last + REACH, z_last)]
    pieces = [(a, b) for a, b in pairwise(whole) if b[0] > a[0]]
    for k, ((x_a, z_a), (x_b, z_b)) in enumerate(pieces):
        if z_a == z_b:
            centre, half = [(x_a + x_b) / 2, 0, (z_a + low) / 2], [(x_b - x_a) / 2, REACH, (z_a - low) / 2]
            yield {"type": mujoco.mjtGeom.mjGEOM_BOX, "pos": centre, "size": half}
        else:
            section = [(x_a, low), (x_b, low), (x_b, z_b), (x_a, z_a)]
            yield _prism(spec, f"{TERRAIN} {k}", [(x, y, z) for y in (-REACH, REACH) for x, z in section])


def _has_hills(world: World) -> bool:
    return isinstance(world.terrain, Heightfield) and max(map(max, world.terrain.heights)) > 0


def _add_heightfield(spec: Any, world: World, shapes: Sequence[LinkShape], dt: float) -> None:
    field = world.terrain
    assert isinstance(field, Heightfield)
    rows, columns = len(field.heights), len(field.heights[0])
    half_x, half_y = (columns - 1) * field.spacing / 2, (rows - 1) * field.spacing / 2
    top = max(map(max, field.heights))
    spec.add_hfield(
        name=TERRAIN,
        nrow=rows,
        ncol=columns,
        size=[half_x, half_y, top, DEPTH],
        userdata=np.ravel(field.heights).tolist(),
    )
    spec.worldbody.add_geom(
        name=f"{TERRAIN} 0",
        type=mujoco.mjtGeom.mjGEOM_HFIELD,
        hfieldname=TERRAIN,
        pos=[field.x + half_x, field.y + half_y, 0],
        contype=0,
        conaffinity=0,
    )
    for shape in shapes:
        for name in (shape.name, *_add_ends(shape)):
            _add_pair(spec, world.ground, f"{TERRAIN} 0", name, dt, shape.capsule.radius)


def _add_ends(shape: LinkShape) -> Iterator[str]:
    """Spheres in the ends of a capsule, which change nothing of its outline."""
    capsule = shape.capsule
    for end, sign in enumerate((-1.0, 1.0)):
        name = f"{shape.name} {end}"
        place = [sign * capsule.half, capsule.left, capsule.up]
        size = [capsule.radius, 0, 0]
        sphere = mujoco.mjtGeom.mjGEOM_SPHERE
        shape.body.add_geom(name=name, type=sphere, pos=place, size=size, contype=0, conaffinity=0)
        yield name


def fill_heightfield(model: Any, world: World) -> None:
    """MuJoCo keeps heights as parts of the highest one, row by row along y."""
    if not _has_hills(world):
        return
    assert isinstance(world.terrain, Heightfield)
    heights: FloatArray = np.array(world.terrain.heights)
    model.hfield_data[:] = (heights / heights.max()).ravel()
