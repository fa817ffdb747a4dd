"""What a path is planned for, and how."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pushpoint.errors import InvalidInput
from pushpoint.fields import Fraction, Frozen
from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.mechanics.tail_kernels import Pegs
from pushpoint.planning.feasibility import Drag
from pushpoint.quantities import Angle, HalfTurn, Length, Ratio, Seed, Width
from pushpoint.robots import Robot
from pushpoint.scenario import Scenario
from pushpoint.types import FloatArray, IntArray
from pushpoint.worlds import Disc, World

SPEED, TORQUE_LIMIT = 0.15, 10.0  # [m/s], [N m]: where nobody says
PLAIN = ("friction_across", "friction_backward", "viscous_across", "patches", "rolling", "stribeck")
FEWEST = 3  # pegs, and links: fewer never push along
NO_DRAG = Drag(0.1, 0.0)  # stands for ground without friction: any says where push-points have to be
LEAST_SPEED, MOST_SPEED = 1e-9, 1e4  # [m/s]
LEAST_TORQUE, MOST_TORQUE = 1e-9, 1e9  # [N m]
LONGEST_RUN = 86_000.0  # [s], along a path: a run may last a day, and takes some seconds more
ORIGIN_STEP = 100.0  # [m]: within half of it coordinates are exact to 1e-14 m
LEAST_BEND, BEFORE_STOPS = 0.1, 0.03  # [rad], of joints; that paths keep from stops
SAME_WIDTH = 1e-3  # [m]: pegs count within twice this
STEEPEST = math.radians(60.0)  # directions of a path at pegs, from the one in which it should go


class PlanOptions(Frozen):
    """How paths are sought, and when they are good enough."""

    distance: Length = 2.0  # [m] of path, for the head
    direction: Angle = 0.0  # [rad], in which it should go
    plans: Annotated[int, Field(ge=1, le=20)] = 3  # how many, through different pegs
    kept: Annotated[int, Field(ge=1, le=10_000)] = 600  # paths that are followed up, of each 0.7 links of length
    refined: Annotated[int, Field(ge=1, le=100)] = 12  # of these, with different pegs, are fitted to the links
    steps: Annotated[int, Field(ge=1, le=1_000_000)] = 2700  # random ones, by which a path is fitted to the links
    most_laid: Annotated[int, Field(ge=0, le=10**10)] = 34_000_000  # links laid on paths to fit them, about: work
    reserve: Ratio = 1.3  # torque limit over the largest torque that a path may need
    contact_distance: Width = 2e-3  # [m]: pegs count that are nearer than this to a robot on its path
    curvature_limit: Ratio = 1.0  # of the path, times the longest link: P4 (3.51)
    largest_angle: HalfTurn = math.radians(65.0)  # [rad], of joints
    lacking: Fraction = 0.01  # share of the path that may lack push
    seed: Seed = 0  # of the random steps


class Request(NamedTuple):
    """A robot among pegs."""

    chain: TailChain
    pegs: Pegs
    drag: Drag
    peg_friction: float
    torque_limit: float  # [N m]
    speed: float  # [m/s]
    start: FloatArray | None = None  # [m], (n + 1, 2): tail end, joints and head's end; None: it may lie anywhere
    bend: float = math.inf  # [rad], to which all joints can bend, to both sides
    frictions: FloatArray | None = None  # (m,): of each peg, where they differ
    origin: tuple[float, float] = (0.0, 0.0)  # [m], on the map, of the coordinates of pegs and start

    @property
    def reach(self) -> float:
        """[m]: the length of the robot."""
        return float(self.chain.length.sum())

    @property
    def link(self) -> float:
        """[m]: the longest."""
        return float(self.chain.length.max())

    @property
    def width(self) -> float:
        """[m]: half of that of the widest link."""
        return float(self.chain.radius.max())

    def among(self, chosen: IntArray) -> Request:
        """The same with some of the pegs, and the friction of the roughest of these."""
        rough = self.peg_friction if self.frictions is None else float(self.frictions[chosen].max(initial=0.0))
        return self._replace(
            pegs=Pegs(self.pegs.centre[chosen], self.pegs.radius[chosen]), peg_friction=rough, frictions=None
        )

    def centred(self) -> Request:
        """The same in coordinates about the pegs, as numbers far from zero have few digits for distances. By whole
        steps, so that ordinary maps stay as they are."""
        if not len(self.pegs.radius):
            return self
        shift = ORIGIN_STEP * np.round(self.pegs.centre.mean(axis=0) / ORIGIN_STEP)
        x, y = (shift + self.origin).tolist()
        return self._replace(
            pegs=Pegs(self.pegs.centre - shift, self.pegs.radius),
            start=None if self.start is None else self.start - shift,
            origin=(x, y),
        )

    def bounded(self, options: PlanOptions) -> PlanOptions:
        """The options with joints within their stops, and a curvature that links can follow: chords of a circle meet
        at an angle."""
        angle = min(options.largest_angle, self.bend - BEFORE_STOPS)
        chord = 2.0 * math.sin(angle / 2.0)
        return options.model_copy(
            update={"largest_angle": angle, "curvature_limit": min(options.curvature_limit, chord)}
        )

    def links_drag(self) -> FloatArray:
        """[N], (n,): that of links that move along the path at the reference speed."""
        drag = self.drag if self.drag.holds_back else NO_DRAG
        return np.asarray(drag.friction * drag.gravity * self.chain.mass + drag.viscous * self.speed)

    def allowed(self, reserve: float) -> float:
        """[N m]: the largest torque that a path may need. Motors without limit: what the drag could do at most."""
        most = float(self.links_drag().sum()) * self.reach
        return min(self.torque_limit / reserve, most) if self.drag.holds_back else most


def request_in(scenario: Scenario, speed: float = SPEED, limit: float | None = None) -> Request:
    """What a path is planned for that may begin anywhere in the world of a scenario."""
    robot, world = scenario.built_robot(), scenario.built_world()
    refuse_unfit(robot)
    if limit is None:
        servo = scenario.servo or robot.servo
        limit = servo.torque_limit if servo.torque_limit < 1e6 else TORQUE_LIMIT
    frictions = np.array([obstacle.friction for obstacle in world.obstacles], dtype=float)
    return Request(
        chain=TailChain.of(robot),
        pegs=Pegs.of(peg_rows(world)),
        drag=Drag(world.ground.friction, world.ground.viscous, world.gravity),
        peg_friction=float(frictions.max(initial=0.0)),
        torque_limit=float(limit),
        speed=speed,
        bend=bend_of(robot),
        frictions=frictions,
    )


def bend_of(robot: Robot) -> float:
    """[rad], to which all joints can bend, to both sides."""
    joints = [robot.joint(j) for j in range(len(robot.links) - 1)]
    return min((min(-joint.lower, joint.upper) for joint in joints), default=math.inf)


def refuse_unfit(robot: Robot) -> None:
    """Robots that paths of push-points say nothing about."""
    for j in range(len(robot.links) - 1):
        joint = robot.joint(j)
        if joint.axes != "yaw":
            raise InvalidInput(
                f"robot.joints.{j}.axes = {joint.axes!r}: paths of push-points need joints that turn sideways; should "
                "be 'yaw'"
            )
        if not joint.actuated:
            raise InvalidInput(f"robot.joints.{j}.actuated = false: paths of push-points need a motor at every joint")
        if joint.stiffness > 0.0:
            raise InvalidInput(
                f"robot.joints.{j}.stiffness = {joint.stiffness:g} N m/rad: paths of push-points know no springs; "
                "should be 0"
            )
        if min(-joint.lower, joint.upper) < LEAST_BEND:
            raise InvalidInput(
                f"robot.joints.{j}: stops from {joint.lower:g} to {joint.upper:g} rad; paths of push-points bend "
                f"joints to both sides, by {LEAST_BEND:g} rad at least"
            )
    radii = [link.radius for link in robot.links]
    if max(radii) - min(radii) > SAME_WIDTH:
        raise InvalidInput(
            f"robot.links: radii from {min(radii):g} to {max(radii):g} m; paths of push-points run beside pegs at one "
            f"distance, so that radii should differ by {SAME_WIDTH:g} m at most"
        )


def peg_rows(world: World) -> tuple[tuple[float, float, float], ...]:
    """x, y, radius [m] of the pegs of a world that has nothing else; others are refused."""
    if world.terrain is not None or world.down[:2] != (0.0, 0.0) or world.down[2] > 0.0:
        what = "terrain" if world.terrain is not None else f"down = {list(world.down)}"
        raise InvalidInput(f"world.{what}: paths of push-points know flat, level ground alone; should be left out")
    for name in PLAIN:
        if getattr(world.ground, name):
            raise InvalidInput(f"world.ground.{name}: paths of push-points know dry and viscous ground that is alike")
    rows = []
    for k, obstacle in enumerate(world.obstacles):
        if not isinstance(obstacle, Disc) or obstacle.is_movable:
            what = "a disc that moves" if isinstance(obstacle, Disc) else repr(obstacle.kind)
            raise InvalidInput(f"world.obstacles.{k}: is {what}; paths of push-points know fixed discs alone")
        rows.append((obstacle.x, obstacle.y, obstacle.radius))
    return tuple(rows)


def refuse_senseless(request: Request, options: PlanOptions) -> None:
    """Requests that make no sense."""
    if request.chain.links < FEWEST:
        raise InvalidInput(f"robot: has {request.chain.links} links; a path of push-points needs {FEWEST} at least")
    if not np.isfinite(request.pegs.centre).all() or not (request.pegs.radius > 0.0).all():
        raise InvalidInput("pegs: should be finite, with radii above zero")
    limit = request.torque_limit
    if not (LEAST_TORQUE <= limit <= MOST_TORQUE or limit == math.inf):
        raise InvalidInput(
            f"torque_limit = {limit:g} N m: should be from {LEAST_TORQUE:g} to {MOST_TORQUE:g} N m, or inf for none"
        )
    if not LEAST_SPEED <= request.speed <= MOST_SPEED:
        raise InvalidInput(f"speed = {request.speed:g} m/s: should be from {LEAST_SPEED:g} to {MOST_SPEED:g} m/s")
    least = options.distance / LONGEST_RUN
    if request.speed < least:
        raise InvalidInput(
            f"speed = {request.speed:g} m/s: {options.distance:g} m of path would take more than the "
            f"{LONGEST_RUN:g} s that a run may last; should be at least {least:.2g} m/s, or the distance shorter"
        )
