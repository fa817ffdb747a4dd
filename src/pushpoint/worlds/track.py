"""The track of seven pipes that Aiko pushed itself along (P2 VIII-D2), and its variants (P2 VIII-B)."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import Field

from pushpoint.quantities import Coordinate, FrictionCoefficient, Mass
from pushpoint.worlds import Disc, Ground, Polygon, World, worlds
from pushpoint.worlds._model import Point

SOURCE = "Transeth et al. 2008, Snake Robot Obstacle Aided Locomotion"

# P2 VIII-D2. The printed radius of 0.0125 m is a misprint: the pipes are 0.25 m across (P2 VIII-C).
CENTRES = (
    (0.0507, 0.1761), (0.4215, 0.0029), (0.8037, 0.1851), (1.1532, 0.0031),
    (1.5298, 0.1783), (1.8877, 0.0020), (2.2588, 0.1745),
)  # fmt: skip
RADIUS = 0.125

# P2 VIII-B lists eight radii for seven obstacles; the first seven are taken.
SMALL_RADII = (0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02)
# P2 does not give the small obstacles' places. Here their contact surfaces coincide with those of the large
# ones: each centre lies on the mean contact normal, which points down on upper and up on lower obstacles.
UPPER_NORMAL = math.radians(-53.0)
LOWER_NORMAL = math.radians(55.0)

LINK_DIAMETER = 0.105  # [m], 2 L_SC of Aiko

# Ours: what stands in the place of the pipes in `track-polygons`, by the number of corners the distance of the edges
# from the middle [m]. Edges are as long as 0.14, 0.12 and 0.09 m.
POLYGONS = (3, 4, 6, 3, 4, 6, 3)
EDGE_DISTANCE = {3: 0.04, 4: 0.06, 6: 0.08}
SET_BACK = 0.006  # [m]: the ends of an edge stick out farther than the round pipe


@worlds.register("track")
def track(
    friction: FrictionCoefficient = 0.2,
    peg3_left: Coordinate = 0.0,
    without: tuple[Annotated[int, Field(ge=1, le=7)], ...] = (),
    mass: Mass | None = None,
    ground_friction: FrictionCoefficient = 0.2,
    obstacle_friction: FrictionCoefficient = 0.0,
    ground_torque: bool = False,
) -> World:
    """Seven pipes; `peg3_left` [m] moves the third to the left, `without` leaves some out (counted from 1).

    Ours, not P2's: with a `mass` [kg] the pipes are loose and stand on the ground with `ground_friction`;
    `obstacle_friction` is that of pipes and links; with `ground_torque` the ground resists turning links, P1 (14).
    """
    ground = Ground(friction=friction, torque=ground_torque)
    laws = {"mass": mass, "ground_friction": ground_friction, "friction": obstacle_friction}
    discs = [Disc.parse({"x": x, "y": y, "radius": RADIUS, **laws}) for x, y in CENTRES]
    discs[2] = discs[2].model_copy(update={"y": discs[2].y + peg3_left})
    kept = tuple(disc for number, disc in enumerate(discs, start=1) if number not in without)
    return World(name="track", ground=ground, obstacles=kept, source=f"{SOURCE}, VIII-D2")


def mean_normal(number: int) -> float:
    """Direction [rad] in which pipe `number`, counted from 0, pushes the robot in the mean."""
    return UPPER_NORMAL if number % 2 == 0 else LOWER_NORMAL


@worlds.register("track-polygons")
def track_polygons(
    friction: FrictionCoefficient = 0.2, set_back: Coordinate = SET_BACK, obstacle_friction: FrictionCoefficient = 0.0
) -> World:
    """Triangles, squares and hexagons in the place of the pipes.

    The middle of an edge lies where the pipe pushes, `set_back` [m] farther from the robot.
    """
    polygons = tuple(
        Polygon(points=_regular(centre, mean_normal(number), corners, set_back), friction=obstacle_friction)
        for number, (centre, corners) in enumerate(zip(CENTRES, POLYGONS, strict=True))
    )
    return World(name="track-polygons", ground=Ground(friction=friction), obstacles=polygons, source="own")


def _inside(centre: Point, normal: float, distance: float) -> Point:
    """The point of a pipe that is this far from its centre towards where it pushes [m]."""
    return centre[0] + distance * math.cos(normal), centre[1] + distance * math.sin(normal)


def _regular(centre: Point, normal: float, corners: int, set_back: float) -> tuple[Point, ...]:
    """A regular polygon with an edge across `normal` that touches the pipe around `centre` from inside."""
    x, y = _inside(centre, normal, RADIUS - set_back - EDGE_DISTANCE[corners])
    radius = EDGE_DISTANCE[corners] / math.cos(math.pi / corners)
    turns = [normal + math.pi * (2 * k + 1) / corners for k in range(corners)]
    return tuple((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns)


@worlds.register("track-small-pegs")
def track_small_pegs(friction: FrictionCoefficient = 0.2) -> World:
    """Seven thin pegs that touch the robot where the pipes of the track do (P2 VIII-B)."""
    discs = []
    for number, (centre, radius) in enumerate(zip(CENTRES, SMALL_RADII, strict=True)):
        x, y = _inside(centre, mean_normal(number), RADIUS - radius)
        discs.append(Disc(x=x, y=y, radius=radius))
    ground, source = Ground(friction=friction), f"{SOURCE}, VIII-B"
    return World(name="track-small-pegs", ground=ground, obstacles=tuple(discs), source=source)
