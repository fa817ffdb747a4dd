"""What a world is: the ground a robot lies on and the obstacles it may push against."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import BeforeValidator, Field, SerializeAsAny, ValidationInfo, field_validator

from pushpoint import limits
from pushpoint.deprecation import renamed
from pushpoint.errors import InvalidInput
from pushpoint.fields import Fraction, Frozen, Name, Number
from pushpoint.quantities import Angle, Coordinate, FrictionCoefficient, Gain, Gravity, Height, Length, Mass, Speed

if TYPE_CHECKING:
    from pushpoint.geometry.parts import Part
    from pushpoint.types import FloatArray

Point = tuple[Coordinate, Coordinate]  # [m]
Point3 = tuple[Coordinate, Coordinate, Coordinate]  # [m]
Row = Annotated[tuple[Height, ...], Field(min_length=3, fail_fast=True)]  # [m]


class LawFeature(NamedTuple):
    """A part of ground laws that a plant may have a model of."""

    words: str  # how lists of features call it
    in_space: bool = False  # whether no planar model can have it


LAW_FEATURES = {
    "friction_across": LawFeature("other friction across the links"),
    "friction_backward": LawFeature("other friction backward"),
    "viscous": LawFeature("viscous ground"),
    "torque": LawFeature("`torque` of the ground"),
    "patches": LawFeature("patches of ground"),
    "rolling": LawFeature("rolling friction", in_space=True),
    "stribeck": LawFeature("Stribeck's curve", in_space=True),
}


class GroundLaw(Frozen):
    """What the ground does to a link that moves on it.

    Dry friction, P2 (50) and (52): `friction` holds along the link, `friction_across` across it, and
    `friction_backward` where it is dragged tail first; each is like `friction` unless given. The admissible
    forces form a disc, an ellipse, or two half ellipses in the link's frame. With `stribeck` dry friction is larger at
    rest and falls with the sliding speed v to what is given, as 1 + stribeck exp(-(v / stribeck_speed)^2). `viscous`
    adds a drag in proportion to the speed, per link. With `torque` a link that turns on the spot is held by
    mu m g l / 2, P1 (14).
    """

    friction: FrictionCoefficient = 0.2  # coefficient, along each link
    friction_across: FrictionCoefficient | None = None  # default: as along
    friction_backward: FrictionCoefficient | None = None  # default: as along
    viscous: Gain = 0.0  # [N s/m], along each link
    viscous_across: Gain | None = None  # [N s/m], default: as along
    torque: bool = False  # whether links that turn on the spot are held, P1 (14)
    rolling: FrictionCoefficient = 0.0  # coefficient of the friction that resists rolling, P5 (59)-(60); spatial plants
    stribeck: FrictionCoefficient = 0.0  # friction at rest is larger by this part of it; plant spatial_stepping
    stribeck_speed: Speed = 0.01  # [m/s], at which a third of that is left

    @property
    def along(self) -> float:
        """Coefficient of friction along a link."""
        return self.friction

    @property
    def across(self) -> float:
        """Coefficient of friction across a link."""
        return self.friction if self.friction_across is None else self.friction_across

    @property
    def backward(self) -> float:
        """Coefficient of friction of a link that is dragged tail first."""
        return self.friction if self.friction_backward is None else self.friction_backward

    @property
    def drag_across(self) -> float:
        """Drag across a link [N s/m]."""
        return self.viscous if self.viscous_across is None else self.viscous_across

    def features(self) -> Iterator[tuple[str, str]]:
        """What it has besides dry friction, as LAW_FEATURES lists it, and the field and value that say so."""
        found = (
            (self.across != self.along, "friction_across", f"friction_across = {self.across}"),
            (self.backward != self.along, "friction_backward", f"friction_backward = {self.backward}"),
            (self.viscous, "viscous", f"viscous = {self.viscous} N s/m"),
            (self.drag_across, "viscous", f"viscous_across = {self.drag_across} N s/m"),
            (self.torque, "torque", "torque = True"),
            (self.rolling, "rolling", f"rolling = {self.rolling}"),
            (self.stribeck, "stribeck", f"stribeck = {self.stribeck}"),
        )
        yield from ((feature, said) for is_there, feature, said in found if is_there)

    @property
    def is_basic(self) -> bool:
        """Whether it is P2's: dry friction alone, the same forward and backward."""
        return all(feature == "friction_across" for feature, _ in self.features())

    is_plain = renamed("is_plain", "is_basic")


class Patch(GroundLaw):
    """Another ground law for links whose centres are in a rectangle."""

    x_min: Coordinate  # [m]
    x_max: Coordinate  # [m]
    y_min: Coordinate  # [m]
    y_max: Coordinate  # [m]

    @field_validator("x_max", "y_max")
    @classmethod
    def _not_empty(cls, high: float, info: ValidationInfo) -> float:
        low = info.data.get(str(info.field_name).replace("max", "min"), -math.inf)
        if high <= low:
            raise ValueError(f"should be greater than {info.field_name!s:.1}_min = {low}")
        return high


class Ground(GroundLaw):
    """The law of the whole ground, and patches where another holds; of patches that overlap, the last."""

    patches: Annotated[tuple[Patch, ...], Field(fail_fast=True, max_length=limits.PATCHES)] = ()  # with another law


class Obstacle(Frozen):
    """What all obstacles have: Coulomb friction with links that slide along, Newton's coefficient of restitution.

    A subclass with a field `kind` is a kind of obstacle that worlds can have. It says what it is made of.
    """

    kinds: ClassVar[dict[str, type[Obstacle]]] = {}  # all of them, by name

    friction: FrictionCoefficient = 0.0  # coefficient, with links
    restitution: Fraction = 0.0  # share of the normal velocity that comes back
    if TYPE_CHECKING:
        kind: str

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        if "kind" not in cls.model_fields:
            return
        kind: str = cls.model_fields["kind"].default
        known = cls.kinds.setdefault(kind, cls)
        if not issubclass(cls, known):  # a subclass without a kind of its own is of that of its parent
            if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
                raise InvalidInput(f"obstacle kind {kind!r} is registered twice")
            cls.kinds[kind] = cls  # its module was run again

    @property
    def parts(self) -> tuple[Part, ...]:
        """Convex parts: plants in space, overlaps and pictures know no more of an obstacle."""
        raise NotImplementedError(f"obstacles of kind {self.kind!r} have no parts")

    @property
    def is_movable(self) -> bool:
        """Whether it can be pushed about."""
        return False

    @property
    def outline(self) -> tuple[tuple[float, float], ...]:
        """Points [m] that its straight edges join, seen from above: a closed outline ends where it begins, a disc is
        its centre, and what may lean has none."""
        return ()

    @property
    def rounding(self) -> float:
        """How far it reaches around its outline [m]."""
        return 0.0

    @property
    def is_filled(self) -> bool:
        """Whether it is solid within its outline."""
        return False

    def hulls(self) -> list[FloatArray]:
        """Corners [m], (points, 3), of each convex part; a circle has some twenty of them."""
        return [hull for part in self.parts for hull in part.hulls()]


class Upright(Obstacle):
    """What stands on the ground; spatial plants ask how high."""

    height: Length | None = None  # [m], from the ground z = 0; default: higher than any robot reaches


class Disc(Upright):
    """An upright cylinder: fixed to the ground, or, with a `mass`, one that can be pushed about."""

    kind: Literal["disc"] = "disc"
    x: Coordinate  # [m]
    y: Coordinate  # [m]
    radius: Length  # [m]
    mass: Mass | None = None  # [kg]; None: fixed
    ground_friction: FrictionCoefficient = 0.2  # of a disc that has a mass

    @property
    def is_movable(self) -> bool:
        return self.mass is not None

    @property
    def parts(self) -> tuple[Part, ...]:
        from pushpoint.geometry.parts import Pillar

        return (Pillar(self.x, self.y, self.radius, self.height),)

    @property
    def outline(self) -> tuple[tuple[float, float], ...]:
        return ((self.x, self.y),)

    @property
    def rounding(self) -> float:
        return self.radius


class Wall(Upright):
    """A thin fixed wall through two or more points; links are held off on either side."""

    kind: Literal["wall"] = "wall"
    points: Annotated[tuple[Point, ...], Field(min_length=2, fail_fast=True, max_length=limits.POINTS)]  # [m]

    @field_validator("points")
    @classmethod
    def _apart(cls, points: tuple[Point, ...]) -> tuple[Point, ...]:
        return _neighbours_apart(points, closed=False)

    @property
    def parts(self) -> tuple[Part, ...]:
        from pushpoint.geometry.parts import Sheet

        return (Sheet(self.points, self.height),)

    @property
    def outline(self) -> tuple[tuple[float, float], ...]:
        return self.points


class Polygon(Upright):
    """A fixed convex polygon, its corners in either sense of rotation."""

    kind: Literal["polygon"] = "polygon"
    points: Annotated[tuple[Point, ...], Field(min_length=3, fail_fast=True, max_length=limits.POINTS)]  # [m]

    @field_validator("points")
    @classmethod
    def _convex(cls, points: tuple[Point, ...]) -> tuple[Point, ...]:
        """In counter-clockwise order."""
        _neighbours_apart(points, closed=True)
        turns = [_cross(a, b, c) for a, b, c in zip(points, _after(points, 1), _after(points, 2), strict=True)]
        area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, _after(points, 1), strict=True))
        if area == 0 or any(turn * area < 0 for turn in turns) or not _turns_once(points):
            raise ValueError("should be the corners of a convex polygon, in order")
        return points if area > 0 else points[::-1]

    @property
    def parts(self) -> tuple[Part, ...]:
        from pushpoint.geometry.parts import Column

        return (Column(self.points, self.height),)

    @property
    def outline(self) -> tuple[tuple[float, float], ...]:
        return (*self.points, self.points[0])

    @property
    def is_filled(self) -> bool:
        return True


class Cylinder(Obstacle):
    """A fixed solid cylinder between the centres of its two flat ends, in any direction; spatial plants."""

    kind: Literal["cylinder"] = "cylinder"
    start: Point3  # [m]
    end: Point3  # [m]
    radius: Length  # [m]

    @field_validator("end")
    @classmethod
    def _apart(cls, end: Point3, info: ValidationInfo) -> Point3:
        if end == info.data.get("start"):
            raise ValueError("should not be where the start is")
        return end

    @property
    def parts(self) -> tuple[Part, ...]:
        from pushpoint.geometry.parts import Rod

        return (Rod(self.start, self.end, self.radius),)


class Box(Obstacle):
    """A fixed box: its centre, its sizes, and how it is turned about its own z, y and x axes, in this order."""

    kind: Literal["box"] = "box"
    centre: Point3  # [m]
    size: tuple[Length, Length, Length]  # [m], along its own axes
    yaw: Angle = 0.0  # [rad]
    pitch: Angle = 0.0  # [rad]
    roll: Angle = 0.0  # [rad]

    @property
    def parts(self) -> tuple[Part, ...]:
        from pushpoint.geometry.parts import Block
        from pushpoint.geometry.rotation import turned

        return (Block(self.centre, self.size, turned(self.roll, self.pitch, self.yaw)),)


class Profile(Frozen):
    """Terrain that is the same for all y: the ground's height along x, such as stairs; flat beyond both ends.

    Neighbouring points may lie above each other, which makes a riser, but never overhang.
    """

    kind: Literal["profile"] = "profile"
    points: Annotated[tuple[Point, ...], Field(min_length=2, fail_fast=True, max_length=limits.POINTS)]  # [m], x and z

    @field_validator("points")
    @classmethod
    def _forward(cls, points: tuple[Point, ...]) -> tuple[Point, ...]:
        _neighbours_apart(points, closed=False)
        relief = max(z for _, z in points) - min(z for _, z in points)
        if relief > limits.RELIEF:
            raise ValueError(f"heights differ by {relief:g} m; should be {limits.RELIEF:g} m at most")
        for k, (a, b) in enumerate(pairwise(points)):
            if b[0] < a[0]:
                raise ValueError(f"point {k + 1} at x = {b[0]} m lies before point {k} at x = {a[0]} m")
        return points


class Heightfield(Frozen):
    """Terrain over a rectangle of the ground: heights on a grid, two flat triangles per cell.

    `heights[row][column]` is the height at x + column * spacing, y + row * spacing. Heights are not negative, and zero
    all along the rim, where the plane goes on.
    """

    kind: Literal["heightfield"] = "heightfield"
    x: Coordinate  # [m]
    y: Coordinate  # [m]
    spacing: Length  # [m]
    heights: Annotated[tuple[Row, ...], Field(min_length=3, fail_fast=True)]  # [m]

    @field_validator("heights")
    @classmethod
    def _closed(cls, heights: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
        width = len(heights[0])
        if width * len(heights) > limits.HEIGHTS:
            raise ValueError(f"{len(heights)} rows of {width} heights; should be {limits.HEIGHTS} in all at most")
        for k, row in enumerate(heights):
            if len(row) != width:
                raise ValueError(f"row {k} has {len(row)} heights, row 0 has {width}")
        rim = (*heights[0], *heights[-1], *(row[0] for row in heights), *(row[-1] for row in heights))
        if any(rim):
            raise ValueError(f"should be zero along the rim, where the plane goes on, not {max(rim)} m")
        return heights


def _neighbours_apart(points: tuple[Point, ...], closed: bool) -> tuple[Point, ...]:
    for k in range(len(points) if closed else len(points) - 1):
        if points[k] == points[(k + 1) % len(points)]:
            raise ValueError(f"points {k} and {(k + 1) % len(points)} coincide at {points[k]}")
    return points


def _after(points: Sequence[Point], steps: int) -> Sequence[Point]:
    return [*points[steps:], *points[:steps]]


def _cross(a: Point, b: Point, c: Point) -> float:
    """Positive if a, b, c turn to the left; round-off of collinear points counts as straight."""
    turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
    return 0.0 if abs(turn) <= 1e-12 * math.dist(a, b) * math.dist(b, c) else turn


def _turns_once(points: Sequence[Point]) -> bool:
    """Whether the directions of the edges go round once: a star turns in the same direction, but more often."""
    heading = [math.atan2(b[1] - a[1], b[0] - a[0]) for a, b in zip(points, _after(points, 1), strict=True)]
    turn = [math.remainder(b - a, math.tau) for a, b in zip(heading, [*heading[1:], heading[0]], strict=True)]
    return abs(abs(sum(turn)) - math.tau) < 1e-6


def _of_kind(data: Any) -> Obstacle:
    """Discs need not say that they are."""
    if isinstance(data, Obstacle):
        return data
    kind = str(data.get("kind", "disc")) if isinstance(data, dict) else "disc"
    if kind not in Obstacle.kinds:
        raise ValueError(f"its kind should be one of {', '.join(map(repr, Obstacle.kinds))}")
    return Obstacle.kinds[kind].parse(data)


AnyObstacle = Annotated[Obstacle, BeforeValidator(_of_kind), SerializeAsAny()]


class World(Frozen):
    """Ground, gravity and obstacles.

    The ground is the plane z = 0 or, for spatial plants, a `terrain` on it. A slope is a plane whose `down` leans.

    Examples
    --------
    >>> pegs = tuple(pp.Disc(x=0.3 * k, y=0.1, radius=0.05) for k in range(3))
    >>> world = pp.World(name="pegs", ground=pp.Ground(friction=0.3), obstacles=pegs)
    >>> world.is_flat, len(world.discs)
    (True, 3)
    """

    name: Name  # for people
    ground: Ground = Ground()  # its law
    gravity: Gravity = 9.81  # [m/s2], presses the links to the ground
    down: tuple[Number, Number, Number] = (0.0, 0.0, -1.0)  # direction of gravity, of any length
    terrain: Annotated[Profile | Heightfield, Field(discriminator="kind")] | None = None  # on the plane z = 0
    obstacles: Annotated[tuple[AnyObstacle, ...], Field(fail_fast=True, max_length=limits.OBSTACLES)] = ()  # any kind
    source: str = ""  # where the numbers come from

    @field_validator("down")
    @classmethod
    def _somewhere(cls, down: tuple[float, float, float]) -> tuple[float, float, float]:
        if math.hypot(*down) < 1e-6:
            raise ValueError("should be a direction, not (0, 0, 0)")
        return down

    @field_validator("obstacles")
    @classmethod
    def _few_movable(cls, obstacles: tuple[Any, ...]) -> tuple[Any, ...]:
        movable = sum(obstacle.is_movable for obstacle in obstacles)
        if movable > limits.MOVABLE:
            raise ValueError(f"{movable} obstacles have a mass; should be {limits.MOVABLE} at most")
        return obstacles

    @property
    def is_flat(self) -> bool:
        """Whether a planar plant can represent it: everything stands upright on level ground."""
        level = self.terrain is None and self.down[0] == self.down[1] == 0 and self.down[2] < 0
        return level and all(isinstance(obstacle, Upright) for obstacle in self.obstacles)

    @property
    def movable(self) -> tuple[int, ...]:
        """Indices of the obstacles that can be pushed about."""
        return tuple(k for k, obstacle in enumerate(self.obstacles) if obstacle.is_movable)

    @property
    def movable_discs(self) -> tuple[Disc, ...]:
        """Discs that can be pushed about."""
        return tuple(disc for disc in self.discs if disc.is_movable)

    @property
    def discs(self) -> tuple[Disc, ...]:
        """Obstacles that are discs."""
        return tuple(obstacle for obstacle in self.obstacles if isinstance(obstacle, Disc))

    @property
    def is_basic(self) -> bool:
        """Whether it is a world of P2: dry friction and fixed smooth discs."""
        ground = self.ground.is_basic and not self.ground.patches
        return ground and all(_is_basic(obstacle) for obstacle in self.obstacles)

    is_plain = renamed("is_plain", "is_basic")


def _is_basic(obstacle: Obstacle) -> bool:
    return isinstance(obstacle, Disc) and not obstacle.is_movable and obstacle.friction == obstacle.restitution == 0


WorldFactory = Callable[..., World]
