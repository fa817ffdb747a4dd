"""Pegs placed for a gait by the rule of P2 VII-B and VII-D.

P2: curve the robot to the gait's first shape, and put obstacles along it, close to its centre line, where links are
steepest, on the side from which they push it forward. A robot whose equal links follow each other along that shape
finds the next pegs where the same wave goes on beyond its end; so does this world.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pushpoint import limits
from pushpoint import quantities as q
from pushpoint.errors import InvalidInput
from pushpoint.worlds import Disc, Ground, World, worlds

FloatArray = NDArray[np.float64]
Lengths = Annotated[tuple[q.Length, ...], Field(fail_fast=True, max_length=limits.LINKS)]

# P2 VIII-D: A_h, d_h, w_h
AMPLITUDE, PHASE_SHIFT, FREQUENCY = math.radians(40.0), math.radians(-50.0), math.radians(80.0)
STEEPEST = 2.18  # [rad], about 125 deg: a sine-generated curve that swings farther about its centre line meets itself
MOST_DRAWN = 100_000  # links of the wave, the robot's own and those beyond it
FARTHEST = 0.5  # of the length of a link: how much farther than the nearest link asks a peg may be moved aside
TRIALS = 100  # of places aside
SOURCE = "placed by the rule of P2 VII: Transeth et al. 2008, Snake Robot Obstacle Aided Locomotion"


class Wave(NamedTuple):
    """P2 (71) at t = 0: joint j of J, from the tail, is at amplitude sin((J - 1 - j) phase_shift + start_phase)."""

    amplitude: float  # [rad]
    phase_shift: float  # [rad], from joint to joint
    frequency: float  # [rad/s]; only its sign matters
    start_phase: float  # [rad]

    @property
    def forward(self) -> bool:
        """Whether the wave runs to the tail, and the robot forward."""
        return self.frequency * self.phase_shift < 0

    @property
    def swing(self) -> float:
        """Of the links about the centre line [rad], with the sign of its cosine in `heading`."""
        return self.amplitude / (2 * math.sin(self.phase_shift / 2))

    def heading(self, link: FloatArray, links: int) -> FloatArray:
        """Of links of a chain of `links`, and beyond its ends, from the centre line [rad]: sums of the joint angles."""
        return np.asarray(self.swing * np.cos((links - 1.5 - link) * self.phase_shift + self.start_phase))

    def steepest(self, first: float, last: float, links: int) -> list[float]:
        """Where the wave is steepest, as numbers of links with their fractions, from `first` to `last`, in order."""
        ahead = links - 1.5 + self.start_phase / self.phase_shift  # there the cosine is one
        spacing = math.pi / abs(self.phase_shift)
        begin, end = math.ceil((first - ahead) / spacing), math.floor((last - ahead) / spacing)
        return [ahead + k * spacing for k in range(begin, end + 1)]


class Body(NamedTuple):
    """What of a robot the places of pegs depend on, and where it starts."""

    length: tuple[float, ...]  # [m], of each link from the tail on
    half_width: float  # [m]
    link: int  # whose centre is at `position`
    position: tuple[float, float]  # [m]
    angle: float  # [rad], mean of the links'


class Drawn(NamedTuple):
    """Links along the wave: the robot's, and those that would follow them."""

    number: FloatArray  # 0 at the tail
    middle: FloatArray  # [m], (links, 2)
    heading: FloatArray  # [rad]
    length: FloatArray  # [m]


def mean_heading(wave: Wave, links: int) -> float:
    """Mean angle [rad] of the links from the centre line: the angle of a start whose centre line is the x axis."""
    return float(wave.heading(np.arange(links, dtype=float), links).mean())


@worlds.register("gait-pegs")
def gait_pegs(
    amplitude: q.Bend = AMPLITUDE,
    phase_shift: q.Angle = PHASE_SHIFT,
    frequency: q.Rate = FREQUENCY,
    start_phase: q.Angle = 0.0,
    links: q.Links = 11,
    link_length: q.Length | Lengths = 0.122,
    half_width: q.Width = 0.0525,
    link: q.Index | None = None,
    position: tuple[q.Coordinate, q.Coordinate] = (0.0, 0.0),
    angle: q.Angle = 0.0,
    radius: q.Length = 0.02,
    clearance: q.Width = 0.003,
    ahead: q.Obstacles = 6,
    friction: q.FrictionCoefficient = 0.2,
    peg_friction: q.FrictionCoefficient = 0.0,
) -> World:
    """Pegs for a serpenoid gait, where the wave of its first shape is steepest: along the robot, and `ahead` more.

    The gait is that of the controller `serpenoid`. `link` (default: the middle one, links // 2), `position` and `angle`
    are those of the scenario's start; `links`, `link_length` and `half_width` [m] those of the robot. Each peg is
    `clearance` [m] off the robot, or off the wave ahead of it. `ahead` is behind the tail if the gait moves backward.
    """
    lengths = link_length if isinstance(link_length, tuple) else (link_length,) * links
    wave = Wave(amplitude, phase_shift, frequency, start_phase)
    _refuse_waveless(wave)
    if len(lengths) != links:
        raise InvalidInput(f"world.link_length: {len(lengths)} lengths for {links} links; allowed are one, or {links}")
    anchor = links // 2 if link is None else link
    if anchor >= links:
        raise InvalidInput(f"world.link = {anchor}: the robot has links 0 (at the tail) to {links - 1}")
    body = Body(lengths, half_width, anchor, position, angle)
    centres = peg_centres(wave, body, radius, clearance, ahead)
    discs = tuple(Disc(x=x, y=y, radius=radius, friction=peg_friction) for x, y in centres)
    return World(name="gait-pegs", ground=Ground(friction=friction), obstacles=discs, source=SOURCE)


def _refuse_waveless(wave: Wave) -> None:
    """Gaits whose first shape is no wave that runs along the robot."""
    if wave.amplitude == 0:
        raise InvalidInput("world.amplitude = 0 rad: a straight robot has no place for pegs; should not be zero")
    if wave.frequency == 0:
        raise InvalidInput("world.frequency = 0 rad/s: nothing says where the gait goes; should not be zero")
    if not 1e-3 <= abs(wave.phase_shift) < math.pi:
        raise InvalidInput(
            f"world.phase_shift = {wave.phase_shift:g} rad: no wave runs along the robot; "
            "should be from 0.001 rad to below pi, with either sign"
        )
    if abs(wave.swing) > STEEPEST:
        most = STEEPEST * 2 * math.sin(abs(wave.phase_shift) / 2)
        raise InvalidInput(
            f"world.amplitude = {wave.amplitude:g} rad: with a phase shift of {wave.phase_shift:g} rad the wave meets "
            f"itself; should be at most {most:.3g} rad"
        )


def peg_centres(wave: Wave, body: Body, radius: float, clearance: float, ahead: int) -> list[tuple[float, float]]:
    """Centres [m] of pegs of `radius`, from the tail to the head."""
    links, spacing = len(body.length), math.pi / abs(wave.phase_shift)
    further = (ahead + 1) * spacing  # links of the wave that are drawn on
    if further + links > MOST_DRAWN:
        most = math.floor((MOST_DRAWN - links) / spacing) - 1
        raise InvalidInput(f"world.ahead = {ahead}: with {spacing:.3g} links from peg to peg should be at most {most}")
    first, last = (-0.5, links - 0.5 + further) if wave.forward else (-0.5 - further, links - 0.5)
    found = wave.steepest(first, last, links)
    beside = sum(-0.5 <= place <= links - 0.5 for place in found)
    places = found[: beside + ahead] if wave.forward else found[len(found) - beside - ahead :]
    if not places:
        raise InvalidInput(
            f"world.ahead = {ahead}: the robot of {links} links has no bend for a peg; should be 1 at least"
        )
    # The wave is drawn half a period farther than the pegs reach, so that each is clear of what comes near it.
    margin = math.ceil(spacing) + 1
    low, high = math.floor(min(places[0], 0.0)) - margin, math.ceil(max(places[-1], links - 1.0)) + margin
    drawn = _draw(wave, body, np.arange(low, high + 1, dtype=float))
    distance = body.half_width + radius + clearance
    pegs: list[tuple[float, float]] = []
    for place in places:
        near = slice(max(0, round(place) - low - 2 * margin), round(place) - low + 2 * margin + 1)
        peg = _peg(wave, place, Drawn(*(column[near] for column in drawn)), distance, links)
        if peg is None:
            raise InvalidInput(
                f"world.radius = {radius:g} m: with half_width = {body.half_width:g} m and clearance = {clearance:g} m "
                f"a peg beside link {place:.1f} would reach into the next bend; should be smaller"
            )
        pegs.append(peg)
    return pegs


def _draw(wave: Wave, body: Body, number: FloatArray) -> Drawn:
    """Links with these numbers, the robot's among them, where it starts, and those that would follow them."""
    links, own = len(body.length), np.asarray(body.length)
    inside = (number >= 0) & (number < links)
    length = np.where(inside, own[np.clip(number, 0, links - 1).astype(int)], own.mean())  # beyond the robot the mean
    heading = wave.heading(number, links) + body.angle - mean_heading(wave, links)
    half = 0.5 * length[:, np.newaxis] * np.stack([np.cos(heading), np.sin(heading)], axis=1)
    middle = np.zeros_like(half)
    middle[1:] = np.cumsum(half[:-1] + half[1:], axis=0)
    return Drawn(number, middle + np.asarray(body.position) - middle[int(body.link - number[0])], heading, length)


def _peg(wave: Wave, place: float, drawn: Drawn, distance: float, links: int) -> tuple[float, float] | None:
    """The centre [m] of one peg beside the wave at `place`, `distance` from all its links; None if it does not fit.

    Where the wave rises, a peg on its left pushes forward, and where it falls one on its right. It is moved straight
    aside if a neighbouring link bends towards it.
    """
    k = int(np.argmin(np.abs(drawn.number - place)))
    along = np.array([math.cos(drawn.heading[k]), math.sin(drawn.heading[k])])
    beside = drawn.middle[k] + (place - drawn.number[k]) * drawn.length[k] * along
    rises = float(wave.heading(np.array([place]), links)[0]) > 0
    across = np.array([-along[1], along[0]]) * (1.0 if rises == wave.forward else -1.0)
    for aside in np.linspace(distance, distance + FARTHEST * float(drawn.length.max()), TRIALS):
        centre = beside + aside * across
        if _nearest(centre, drawn) >= distance - 1e-12:
            return float(centre[0]), float(centre[1])
    return None


def _nearest(point: FloatArray, drawn: Drawn) -> float:
    """Distance [m] of a point from the axes of the links."""
    along = np.stack([np.cos(drawn.heading), np.sin(drawn.heading)], axis=1)
    away = point - drawn.middle
    place = np.clip((away * along).sum(axis=1), -drawn.length / 2, drawn.length / 2)
    return float(np.linalg.norm(away - place[:, np.newaxis] * along, axis=1).min())
