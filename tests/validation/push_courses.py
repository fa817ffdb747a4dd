"""Courses for `push-along` at random: a chirped sine, pegs near its inflections, robots of other lengths.

Everything is drawn from a seed. Nothing here was chosen so that the robot gets along: some courses have motors that are
too weak or pegs that leave a gap.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control._push_options import PushAlongOptions, path_of
from pushpoint.control.push_along import PushAlong
from pushpoint.errors import SolverFailure
from pushpoint.planning.paths import Path
from pushpoint.robots import Servo
from pushpoint.scenario import Choice, Scenario
from pushpoint.simulation import Setup
from pushpoint.types import FloatArray
from pushpoint.worlds import Disc, Ground, World

SPEED = 0.15  # [m/s]
LINK = 0.3  # [m], length of a link of `fourteen-link`; its half width is a sixth of that
HALF_WIDTH = 0.05  # [m]
BEHIND, AHEAD = 0.6, 4.5  # [m], path behind the tail and ahead of the head at the start
SAMPLES = 0.01  # [m], between the points that describe a path
MOVED = 0.08  # [m], pegs from the inflections along the path, at most


class Drawn(NamedTuple):
    """What a seed gives."""

    links: int
    amplitude: float  # [m]
    waves: tuple[float, float]  # [m], wavelength at the begin and at the end
    radius: float  # [m], of the pegs
    moved: float  # [m], the farthest that a peg is moved
    ground: float  # friction
    rough: float  # friction of the pegs
    torque_limit: float  # [N m]


def drawn(seed: int) -> Drawn:
    draw = np.random.default_rng([seed, 1608])
    first = draw.uniform(1.6, 2.6)
    return Drawn(
        links=int(draw.integers(12, 21)),
        amplitude=float(draw.uniform(0.2, 0.4)),
        waves=(float(first), float(np.clip(first * draw.uniform(0.8, 1.25), 1.6, 2.6))),
        radius=float(draw.uniform(0.06, 0.15)),
        moved=float(draw.uniform(0.0, MOVED)),
        ground=0.1,
        rough=float(draw.choice([0.0, 0.1])),
        torque_limit=float(draw.uniform(4.0, 14.0)),
    )


def chirped_sine(amplitude: float, waves: tuple[float, float], extent: float) -> tuple[FloatArray, FloatArray]:
    """Points [m] of y = amplitude sin(phase(x)), and x of its inflections; the wavelength changes evenly."""
    x = np.arange(0.0, extent, SAMPLES)
    wave = waves[0] + (waves[1] - waves[0]) * x / extent
    phase = np.concatenate([[0.0], np.cumsum(SAMPLES * np.pi * (1 / wave[1:] + 1 / wave[:-1]))])
    turns = np.arange(1, int(phase[-1] / np.pi) + 1)
    return np.stack([x, amplitude * np.sin(phase)], axis=1), np.interp(turns * np.pi, phase, x)


def pegs_beside(path: Path, x: FloatArray, radius: float, moved: FloatArray) -> list[tuple[float, float, float]]:
    """Pegs that touch a robot on the path at its inflections at x [m], on the side that pushes it along."""
    grid = np.arange(0.0, path.length, 1e-3)
    s = np.interp(x, path(grid)[:, 0], grid)
    s = s + moved
    forward = path.tangent(s)
    left = np.stack([-forward[:, 1], forward[:, 0]], axis=1)
    centre = path(s) + (radius + HALF_WIDTH) * np.sign(forward[:, 1:]) * left
    return [(float(a), float(b), radius) for a, b in centre]


def course(seed: int, duration: float = 20.0, rough: float | None = None, **controller: Any) -> Scenario:
    """A run with the draw of a seed, or with pegs as `rough` as wanted; `controller`: more options of it."""
    given = drawn(seed) if rough is None else drawn(seed)._replace(rough=rough)
    extent = BEHIND + AHEAD + LINK * given.links
    points, x = chirped_sine(given.amplitude, given.waves, extent)
    path = Path(points)
    draw = np.random.default_rng([seed, 1609])
    pegs = pegs_beside(path, x, given.radius, draw.uniform(-given.moved, given.moved, len(x)))
    head = path.length * (BEHIND + LINK * given.links) / extent
    known = {
        "path": points.tolist(),
        "pegs": [list(peg) for peg in pegs],
        "head": float(head),
        "torque_limit": given.torque_limit,
        "ground_friction": given.ground,
        "peg_friction": given.rough,
    }
    discs = tuple(Disc(x=x, y=y, radius=r, friction=given.rough) for x, y, r in pegs)
    return Scenario(
        name=f"lab/course-{seed}",
        robot=Choice(name="fourteen-link", options={"links": given.links}),
        world=World(name="course", ground=Ground(friction=given.ground), obstacles=discs),
        controller=Choice(name="push-along", options=known | controller),
        servo=Servo(torque_limit=given.torque_limit),
        duration=duration,
        control_period=0.004,
        record_period=0.02,
    )


class Result(NamedTuple):
    """How a run went."""

    speed: float  # [m/s], of the head's end along the path, the start from rest included
    off: float  # [m], the farthest that the head's end was from the path
    events: list[str]

    @property
    def stalled(self) -> bool:
        """It stopped, or came less than 0.6 of the distance."""
        return bool(self.events) or self.speed < 0.6 * SPEED

    @property
    def ran(self) -> bool:
        """Within 5 % of the speed commanded, to the end."""
        return not self.events and abs(self.speed - SPEED) <= 0.05 * SPEED


def controller_of(scenario: Scenario) -> PushAlong:
    controller = Setup.of(scenario).controller
    assert isinstance(controller, PushAlong)
    return controller


def result_of(scenario: Scenario, begin: float = 0.0) -> Result:
    """Run it; the speed is the mean from `begin` [s] on. Where friction locks a robot, the plant may give up."""
    path = path_of(scenario.options_of("controller", PushAlongOptions))
    try:
        recording = pp.simulate(scenario)
    except SolverFailure as failure:
        recording = failure.recording or pytest.fail("a failure without a recording")
    angle, centre = (recording.data[name].values[:, -1] for name in ("link_angle", "link_position"))
    tip = centre + LINK / 2 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    s = [path.nearest(tip[0])]
    for point in tip[1:]:
        s.append(path.nearest(point, s[-1]))
    off = np.linalg.norm(tip - path(np.array(s)), axis=1)
    time = recording.data["time"].values
    first = int(np.searchsorted(time, begin))
    speed = (s[-1] - s[first]) / (scenario.duration - time[first])
    return Result(float(speed), float(off.max()), [str(detail) for detail in recording.events["detail"].values])
