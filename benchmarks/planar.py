"""What is measured in the plane: `planar_stepping` against MuJoCo, long robots, memory."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import cos, pi, sin

import numpy as np

from benchmarks.case import Case, Settings, Timing
from benchmarks.growth import DT, SETTLING_STEPS, STEPS, LongRobots
from benchmarks.judge import PathJudge
from benchmarks.processes import LongRun
from benchmarks.runs import prepare
from benchmarks.timing import best_in_turns
from pushpoint.scenario import Choice, Scenario
from pushpoint.scenarios import scenarios
from pushpoint.worlds import Disc, Ground, World

OURS = "planar_stepping"
SCENARIOS, DURATION = ("transeth2008a/track", "transeth2008a/flat"), 10.0  # [s]
TRACKED_LINK = 5  # the link in the middle of aiko, the one that P2's cameras follow
LADDER = (1e-1, 5e-2, 2.5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4)  # [s]

# First the defaults, whose solvers converge; then all that might be faster and still keep the path accurate enough.
OUR_SETTINGS: tuple[Settings, ...] = tuple({"tolerance": tolerance} for tolerance in (1e-8, 1e-6, 1e-4, 1e-3))
PEER_SETTINGS: tuple[Settings, ...] = tuple(
    {"solver": solver, "tolerance": tolerance, "max_iterations": iterations}
    for solver in ("cg", "newton")
    for tolerance, iterations in ((1e-8, 100), (1e-6, 100), (1e-4, 100), (1e-3, 100), (1e-4, 5), (1e-4, 3))
)


def contests() -> list[Case]:
    """Each run in two classes: any settings, which is required, and solvers that converge, for information."""
    runs = [fastest(scenarios[name].with_overrides({"duration": DURATION})) for name in SCENARIOS]
    return [*runs, *map(converging, runs)]


def fastest(scenario: Scenario) -> Case:
    return Case(
        scenario=scenario,
        ours=OURS,
        link=TRACKED_LINK,
        what="fastest settings that keep the path accurate",
        judge=PathJudge(),
        ladder=LADDER,
        our_settings=OUR_SETTINGS,
        peer_settings=PEER_SETTINGS,
        timing=timing(ladder_turns=7),
        required_ratio=25.0,
    )


def converging(case: Case) -> Case:
    """So that contact forces can be trusted too; MuJoCo with either of its methods."""
    return replace(
        case,
        what="solvers converged to 1e-8",
        our_settings=OUR_SETTINGS[:1],
        peer_settings=tuple(settings for settings in PEER_SETTINGS if settings["tolerance"] == 1e-8),
        timing=timing(ladder_turns=2),
        required_ratio=None,
    )


def timing(ladder_turns: int) -> Timing:
    """In turns of several runs, as a run takes less than a millisecond."""
    return Timing(best_in_turns, screening=1, final=7, ladder=partial(turns_at, ladder_turns), alternating=20)


def turns_at(most: int, dt: float) -> int:
    """`most` turns down to dt = 1 ms and fewer below, so that no rung takes much longer than that one."""
    return max(1, min(most, round(most * dt / 1e-3)))


WAVE_LINKS = 11  # links per wave of the gait
AMPLITUDE, FREQUENCY = 0.3, 1.4  # [rad], [rad/s]
PEG_RADIUS, PEG_CLEARANCE = 0.05, 0.001  # [m]
FRICTION = 0.2


def on_plane(links: int) -> Scenario:
    """A long aiko that undulates on the empty plane; the waves travel to the tail."""
    return Scenario(
        name="bench/plane",
        robot=Choice(name="aiko", options={"links": links}),
        world=World(name="plane", ground=Ground(friction=FRICTION)),
        controller=Choice(
            name="serpenoid",
            options={"amplitude": AMPLITUDE, "frequency": FREQUENCY, "phase_shift": -2 * pi / WAVE_LINKS},
        ),
        duration=(SETTLING_STEPS + STEPS) * DT,
    )


def among_pegs(links: int, most: int | None = None) -> Scenario:
    """The same with a peg beside each link that slopes most, twice per wave, on the side that pushes forward; or beside
    the first `most` of them."""
    scenario = on_plane(links)
    setup, pose, _ = prepare(scenario, OURS, {})
    slope = np.abs(pose.angle)
    steepest = 1 + np.flatnonzero((slope[1:-1] >= slope[:-2]) & (slope[1:-1] > slope[2:]))
    pegs = []
    for i in steepest[:most]:
        # A link that slopes up moves up when the wave runs to the tail, so that its peg is on its left.
        side = np.sign(pose.angle[i]) * (setup.robot.links[i].radius + PEG_RADIUS + PEG_CLEARANCE)
        (x, y), angle = pose.position[i], pose.angle[i]
        pegs.append(Disc(x=x - side * sin(angle), y=y + side * cos(angle), radius=PEG_RADIUS))
    world = World(name="pegs", ground=Ground(friction=FRICTION), obstacles=tuple(pegs))
    return scenario.model_copy(update={"name": "bench/pegs", "world": world})


GROWTH_ROUNDS = 60  # of a quarter of a second each: slow moments of a shared machine last longer than a few
# The same worlds from rest, where all links start at once, and after that has settled. Below 50 links the costs of a
# step that do not grow weigh in.
GROWTH = tuple(
    LongRobots(world, make, OURS, (11, 50, 100, 200, 500, 1000), settling=steps, fit_from=50, largest_exponent=1.1)
    for world, make, steps in (
        ("plane, from rest", on_plane, 0),
        ("pegs, from rest", among_pegs, 0),
        ("plane", on_plane, SETTLING_STEPS),
        ("pegs", among_pegs, SETTLING_STEPS),
    )
)
MEMORY = LongRun("", on_plane, links=1000, duration=60.0, most_mb=500.0)
