"""The ground and the obstacles of a world as MuJoCo's shapes.

| part (geometry.parts) | MuJoCo's |
|---|---|
| pillar of no height | upright capsule, longer than any robot: distances in closed form |
| pillar, rod | cylinder |
| sheet, block | boxes, those of a sheet thin |
| column, prism | convex mesh |
| profile | blocks and, under slopes, prisms, side by side |
| heightfield | height field, met by the capsules and by spheres in their ends: MuJoCo finds one point per cell only |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import mujoco
import numpy as np

from pushpoint.geometry.capsules import CapsuleOnLink
from pushpoint.geometry.parts import Block, Column, Part, Pillar, Prism, Rod, Sheet
from pushpoint.geometry.rotation import quaternions
from pushpoint.types import FloatArray
from pushpoint.worlds import Ground, Heightfield, Profile, World

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
    for k, obstacle in enumerate(world.obstacles):
        smooth = obstacle.friction == 0
        for name, fields in _shapes(spec, f"obstacle {k}", obstacle.parts):
            spec.worldbody.add_geom(
                name=name,
                contype=0,
                conaffinity=LINK_BIT if smooth else 0,
                condim=1,
                solref=solref,
                solimp=solimp,
                **fields,
            )
            for shape in () if smooth else shapes:
                _add_pair(spec, Ground(friction=obstacle.friction), name, shape.name, dt)


def _shapes(spec: Any, whose: str, parts: Iterable[Part]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names and fields of the shapes that parts are made of."""
    found = (fields for part in parts for fields in SHAPES[type(part)](part))
    for number, fields in enumerate(found):
        name = f"{whose} {number}"
        if "meshname" in fields:  # here, as meshes belong to the model and not to a body
            spec.add_mesh(name=name).uservert = np.ravel(fields.pop("meshname")).tolist()
            fields["meshname"] = name
        yield name, fields


def _pillar(part: Pillar) -> Iterator[dict[str, Any]]:
    low, high = _from_to(part.height)
    shape = mujoco.mjtGeom.mjGEOM_CAPSULE if part.height is None else mujoco.mjtGeom.mjGEOM_CYLINDER
    where, size = [part.x, part.y, (low + high) / 2], [part.radius, (high - low) / 2, 0]
    yield {"type": shape, "pos": where, "size": size}


def _rod(part: Rod) -> Iterator[dict[str, Any]]:
    yield {"type": mujoco.mjtGeom.mjGEOM_CYLINDER, "fromto": [*part.start, *part.end], "size": [part.radius, 0, 0]}


def _block(part: Block) -> Iterator[dict[str, Any]]:
    turned, half = quaternions(part.axes).tolist(), [size / 2 for size in part.size]
    yield {"type": mujoco.mjtGeom.mjGEOM_BOX, "pos": list(part.centre), "quat": turned, "size": half}


def _column(part: Column) -> Iterator[dict[str, Any]]:
    yield _hull([(x, y, z) for z in _from_to(part.height) for x, y in part.points])


def _prism(part: Prism) -> Iterator[dict[str, Any]]:
    yield _hull(part.hulls()[0])


def _hull(corners: Any) -> dict[str, Any]:
    return {"type": mujoco.mjtGeom.mjGEOM_MESH, "meshname": np.array(corners, dtype=float)}


def _from_to(height: float | None) -> tuple[float, float]:
    """Heights [m] between which something upright stands."""
    return (-REACH, REACH) if height is None else (0.0, height)


def _sheet(part: Sheet) -> Iterator[dict[str, Any]]:
    low, high = _from_to(part.height)
    for a, b in pairwise(part.points):
        along = np.subtract(b, a)
        half_yaw = 0.5 * np.arctan2(along[1], along[0])
        yield {
            "type": mujoco.mjtGeom.mjGEOM_BOX,
            "pos": [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (low + high) / 2],
            "quat": [np.cos(half_yaw), 0, 0, np.sin(half_yaw)],
            "size": [np.hypot(*along) / 2, HALF_WALL, (high - low) / 2],
        }


SHAPES: dict[type[Part], Callable[[Any], Iterator[dict[str, Any]]]] = {
    Pillar: _pillar,
    Column: _column,
    Sheet: _sheet,
    Rod: _rod,
    Block: _block,
    Prism: _prism,
}


def add_ground(spec: Any, world: World, shapes: Sequence[LinkShape], dt: float) -> None:
    """The plane or the terrain, each as a pair with every capsule: only pairs have friction along and across."""
    parts = list(_shapes(spec, TERRAIN, _profile(world.terrain) if isinstance(world.terrain, Profile) else ()))
    names = [name for name, _ in parts]
    for name, fields in parts:
        spec.worldbody.add_geom(name=name, contype=0, conaffinity=0, **fields)
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


def _profile(profile: Profile) -> Iterator[Part]:
    """Columns under the pieces of a profile, and under what is flat beyond both its ends."""
    (x_first, z_first), (x_last, z_last) = profile.points[0], profile.points[-1]
    low = min(z for _, z in profile.points) - DEPTH
    whole = [(x_first - REACH, z_first), *profile.points, (x_last + REACH, z_last)]
    for (x_a, z_a), (x_b, z_b) in pairwise(whole):
        if x_a == x_b:
            continue  # a riser
        if z_a == z_b:
            yield Block(((x_a + x_b) / 2, 0.0, (z_a + low) / 2), (x_b - x_a, 2 * REACH, z_a - low), np.eye(3))
        else:
            section = ((x_a, -REACH, low), (x_b, -REACH, low), (x_b, -REACH, z_b), (x_a, -REACH, z_a))
            yield Prism(section, (0.0, 2 * REACH, 0.0))


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
