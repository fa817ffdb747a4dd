"""What one step costs as the robot grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from benchmarks.case import Say
from benchmarks.requirement import Requirement, required
from benchmarks.runs import Prepared, empty_trace, prepare
from benchmarks.timing import interleaved_best
from pushpoint.errors import SolverFailure
from pushpoint.scenario import Scenario
from pushpoint.simulation import Setup
from pushpoint.tape import Tape
from pushpoint.types import CommandTable

DT, STEPS = 1e-3, 200  # [s], timed
SETTLING_STEPS = 500  # not timed in the settled runs: starting all links at once takes the solver more iterations


@dataclass(frozen=True)
class LongRobots:
    """Robots of several lengths in one kind of world."""

    world: str
    make: Callable[[int], Scenario]  # from the number of links
    plant: str
    sizes: Sequence[int]  # links
    settling: int  # steps that are not timed
    fit_from: int  # links, for the exponent
    largest_exponent: float


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
    dt: float  # [s]
    steps: int
    costs: tuple[LinkCost, ...]
    failed: tuple[int, ...]  # sizes whose run failed
    exponent: float | None  # from the sizes that ran to the end
    exponent_from: int  # links
    largest_exponent: float

    @property
    def requirements(self) -> list[Requirement]:
        """A size that cannot be simulated misses it."""
        what = f"{self.world}: cost per step ~ links ** exponent"
        return [required(what, self.exponent, "<=", self.largest_exponent, failed=bool(self.failed))]


def growth(kinds: Sequence[LongRobots], rounds: int, say: Say) -> list[Growth]:
    """Measure all sizes in all worlds, interleaved."""
    say(f"cost per link, {'; '.join(each.world for each in kinds)}, best of {rounds}")
    runs, failed = list[tuple[LongRobots, Settled, Tape]](), list[tuple[LongRobots, int]]()
    for kind, n in [(each, n) for each in kinds for n in each.sizes]:
        try:
            run = settled(prepare(kind.make(n), kind.plant, {"dt": DT}), kind.settling)
            runs.append((kind, run, run.onwards()))
        except SolverFailure as failure:
            say(str(failure))
            failed.append((kind, n))
    best = interleaved_best([run.onwards for _, run, _ in runs], rounds)
    costs = [(kind, cost(tape, seconds)) for (kind, _, tape), seconds in zip(runs, best, strict=True)]
    return [concluded(kind, [c for k, c in costs if k is kind], [n for k, n in failed if k is kind]) for kind in kinds]


def concluded(kind: LongRobots, costs: Sequence[LinkCost], failed: Sequence[int]) -> Growth:
    long = [c for c in costs if c.links >= kind.fit_from]
    exponent = log_slope([c.links for c in long], [c.us_per_step for c in long])
    return Growth(kind.world, DT, STEPS, tuple(costs), tuple(failed), exponent, kind.fit_from, kind.largest_exponent)


class Settled(NamedTuple):
    """A run that has settled: its state, and the commands of the steps to be timed."""

    setup: Setup
    state: Any
    table: CommandTable

    def onwards(self) -> Tape:
        """The timed part, from a copy of the state."""
        return rolled(self.setup, deepcopy(self.state), self.table)


def settled(run: Prepared, steps: int) -> Settled:
    """Run the first `steps` of a prepared run; what comes next is to be timed."""
    setup, pose, table = run
    start, end = steps // setup.substeps, (steps + STEPS) // setup.substeps
    first, rest = (CommandTable(*(column[part] for column in table)) for part in (slice(start), slice(start, end)))
    state = setup.plant.initial_state(pose)
    rolled(setup, state, first)
    return Settled(setup, state, rest)


def rolled(setup: Setup, state: Any, table: CommandTable) -> Tape:
    """The tape of a run that has to work."""
    ticks, plant = len(table.joint_angle), setup.plant
    tape = empty_trace(plant, setup.bodies, ticks, ticks * setup.substeps, 1)
    tape, failure = plant.rollout(state, table, setup.substeps, tape)
    if failure is not None:
        raise SolverFailure(f"a run with {setup.bodies} links failed: {failure}")
    return tape


def cost(tape: Tape, seconds: float) -> LinkCost:
    n, steps, rows = tape.link.shape[1], int(tape.cursor[0].step), int(tape.cursor[0].row)
    per_step = 1e6 * seconds / steps
    pushing = float(tape.cursor[0].contact) / rows
    return LinkCost(n, per_step, per_step / n, pushing, float(tape.step[:steps, 1].mean()))


def log_slope(sizes: Sequence[float], values: Sequence[float]) -> float | None:
    """Exponent of a power law through the points, by least squares; None with less than two."""
    if len(sizes) < 2:
        return None
    slope, _ = np.polyfit(np.log(sizes), np.log(values), 1)
    return float(slope)
