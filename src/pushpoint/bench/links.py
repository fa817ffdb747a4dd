"""What one step costs as the robot grows: on the empty plane and among pegs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any, NamedTuple

import numpy as np

from pushpoint.bench.runs import OURS, Prepared, empty_trace, prepare
from pushpoint.bench.timing import interleaved_best
from pushpoint.errors import SolverFailure
from pushpoint.plants import Plant
from pushpoint.scenario import Choice, Scenario
from pushpoint.types import CommandTable, Trace
from pushpoint.worlds import Disc, Ground, World

LINKS = (11, 50, 100, 200, 500, 1000)
FIT_FROM = 50  # links; below that the costs of a step that do not grow weigh in
DT, STEPS = 1e-3, 200  # [s], timed
GROWTH_ROUNDS = 60  # of a quarter of a second each: slow moments of a shared machine last longer than a few
SETTLING_STEPS = 500  # not timed in the settled runs: starting all links at once takes the solver more iterations
WAVE_LINKS = 11  # links per wave of the gait
AMPLITUDE, FREQUENCY = 0.3, 1.4  # [rad], [rad/s]
PEG_RADIUS, PEG_CLEARANCE = 0.05, 0.001  # [m]
FRICTION = 0.2


@dataclass(frozen=True)
class LinkCost:
    """The cost of a step of a robot with so many links."""

    links: int
    us_per_step: float
    us_per_link: float
    contacts: float  # that push, mean over the recorded rows
    iterations: float  # of the contact solver, mean over the steps


@dataclass(frozen=True)
class Growth:
    """All sizes in one kind of world: cost per step ~ links ** exponent."""

    world: str
    costs: tuple[LinkCost, ...]
    exponent: float | None


def growth(say: Callable[[str], None], sizes: Sequence[int] = LINKS, rounds: int = GROWTH_ROUNDS) -> list[Growth]:
    """Measure all sizes in both worlds, interleaved."""
    say(f"cost per link, {min(sizes)} to {max(sizes)} links, best of {rounds}")
    # The same worlds from rest, where all links start at once, and after that has settled.
    makers = {"plane, from rest": (on_plane, 0), "pegs, from rest": (among_pegs, 0)}
    makers |= {"plane": (on_plane, SETTLING_STEPS), "pegs": (among_pegs, SETTLING_STEPS)}
    runs = [settled(prepare(make(n), OURS, {"dt": DT}), first) for make, first in makers.values() for n in sizes]
    traces = [run.onwards() for run in runs]
    best = interleaved_best([run.onwards for run in runs], rounds)
    costs = [cost(trace, t) for trace, t in zip(traces, best, strict=True)]
    found = []
    for k, world in enumerate(makers):
        part = tuple(costs[k * len(sizes) : (k + 1) * len(sizes)])
        found.append(Growth(world, part, fitted_exponent(part)))
    return found


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


class Settled(NamedTuple):
    """A run that has settled: its plant, its state, and the commands of the steps to be timed."""

    plant: Plant
    state: Any
    table: CommandTable
    substeps: int
    links: int

    def onwards(self) -> Trace:
        """The timed part, from a copy of the state."""
        return rolled(self.plant, deepcopy(self.state), self.table, self.substeps, self.links)


def rolled(plant: Plant, state: Any, table: CommandTable, substeps: int, links: int) -> Trace:
    """The trace of a run that has to work."""
    ticks = len(table.joint_angle)
    trace, failure = plant.rollout(state, table, substeps, empty_trace(plant, links, ticks, ticks * substeps, 1))
    if failure is not None:
        raise SolverFailure(f"a run with {links} links failed: {failure}")
    return trace


def settled(run: Prepared, steps: int) -> Settled:
    """Run the first `steps` of a prepared run; what comes next is to be timed."""
    setup, pose, table = run
    start, end = steps // setup.substeps, (steps + STEPS) // setup.substeps
    first, rest = (CommandTable(*(column[part] for column in table)) for part in (slice(start), slice(start, end)))
    state = setup.plant.initial_state(pose)
    rolled(setup.plant, state, first, setup.substeps, setup.bodies)
    return Settled(setup.plant, state, rest, setup.substeps, setup.bodies)


def cost(trace: Trace, seconds: float) -> LinkCost:
    n, steps, rows = trace.link.shape[1], int(trace.cursor[2]), int(trace.cursor[0])
    per_step = 1e6 * seconds / steps
    pushing = float(trace.cursor[1]) / rows
    return LinkCost(n, per_step, per_step / n, pushing, float(trace.step[:steps, 1].mean()))


def fitted_exponent(costs: Sequence[LinkCost], smallest: int = FIT_FROM) -> float | None:
    """Slope of log cost over log links, by least squares; None with less than two sizes."""
    large = [c for c in costs if c.links >= smallest]
    return log_slope([c.links for c in large], [c.us_per_step for c in large])


def log_slope(sizes: Sequence[float], values: Sequence[float]) -> float | None:
    """Exponent of a power law through the points, by least squares; None with less than two."""
    if len(sizes) < 2:
        return None
    slope, _ = np.polyfit(np.log(sizes), np.log(values), 1)
    return float(slope)
