"""The track of seven pipes that Aiko pushed itself along (P2 VIII-D2), and its variants (P2 VIII-B)."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import Field

from pushpoint.fields import NonNegative, Number
from pushpoint.worlds import Disc, Ground, World, worlds

SOURCE = "Transeth et al. 2008, Snake Robot Obstacle Aided Locomotion"

# P2 VIII-D2. The printed radius of 0.0125 m is a misprint: the pipes are 0.25 m across (P2 VIII-C).
CENTRES = (
    (0.0507, 0.1761),
    (0.4215, 0.0029),
    (0.8037, 0.1851),
    (1.1532, 0.0031),
    (1.5298, 0.1783),
    (1.8877, 0.0020),
    (2.2588, 0.1745),
)
RADIUS = 0.125

# P2 VIII-B lists eight radii for seven obstacles; the first seven are taken.
SMALL_RADII = (0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02)
# P2 does not give the small obstacles' places. Here their contact surfaces coincide with those of the large
# ones: each centre lies on the mean contact normal, which points down on upper and up on lower obstacles.
UPPER_NORMAL = math.radians(-53.0)
LOWER_NORMAL = math.radians(55.0)

LINK_DIAMETER = 0.105  # [m], 2 L_SC of Aiko


@worlds.register("track")
def track(
    friction: NonNegative = 0.2,
    peg3_left: Number = 0.0,
    without: tuple[Annotated[int, Field(ge=1, le=7)], ...] = (),
) -> World:
    """Seven pipes; `peg3_left` [m] moves the third to the left, `without` leaves some out (counted from 1)."""
    discs = [Disc(x=x, y=y, radius=RADIUS) for x, y in CENTRES]
    discs[2] = Disc(x=discs[2].x, y=discs[2].y + peg3_left, radius=RADIUS)
    kept = tuple(disc for number, disc in enumerate(discs, start=1) if number not in without)
    return World(name="track", ground=Ground(friction=friction), obstacles=kept, source=f"{SOURCE}, VIII-D2")


@worlds.register("track-small-pegs")
def track_small_pegs(friction: NonNegative = 0.2) -> World:
    """Seven thin pegs that touch the robot where the pipes of the track do (P2 VIII-B)."""
    discs = []
    for number, ((x, y), radius) in enumerate(zip(CENTRES, SMALL_RADII, strict=True)):
        normal = UPPER_NORMAL if number % 2 == 0 else LOWER_NORMAL
        inward = RADIUS - radius
        discs.append(Disc(x=x + inward * math.cos(normal), y=y + inward * math.sin(normal), radius=radius))
    return World(
        name="track-small-pegs",
        ground=Ground(friction=friction),
        obstacles=tuple(discs),
        source=f"{SOURCE}, VIII-B",
    )
