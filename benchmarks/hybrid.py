"""What event tracking costs: a closed loop against real time, and an evaluation of the flow as the robot grows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.case import Say
from benchmarks.growth import log_slope
from benchmarks.planar import among_pegs
from benchmarks.requirement import Requirement, required
from benchmarks.timing import interleaved_best
from pushpoint.scenarios import scenarios
from pushpoint.simulation import simulate

SCENARIO, DURATION = "liljeback2010/rows", 10.0  # [s]; control at 200 Hz, ten links
LINKS, PEGS = (20, 50, 100, 200), 4
GROWTH_DURATION = 0.1  # [s]
ROUNDS = 5
LEAST_REAL_TIME, REAL_TIME_AIM, LARGEST_EXPONENT = 8.0, 20.0, 1.2


@dataclass(frozen=True)
class EvaluationCost:
    """Of the slopes of a robot with so many links."""

    links: int
    us: float
    contacts: float  # in the complementarity problem, mean over rows


@dataclass(frozen=True)
class Hybrid:
    """The speed of the plant planar_hybrid."""

    real_time_factor: float  # simulated over wall time, controller, observations and recording included
    evaluations_per_s: float  # of simulated time
    costs: tuple[EvaluationCost, ...]
    exponent: float | None  # cost of an evaluation ~ links ** exponent

    @property
    def requirements(self) -> list[Requirement]:
        what = "planar_hybrid: cost of an evaluation ~ links ** exponent"
        return [self.real_time(LEAST_REAL_TIME), required(what, self.exponent, "<=", LARGEST_EXPONENT)]

    @property
    def aims(self) -> list[Requirement]:
        return [self.real_time(REAL_TIME_AIM)]

    def real_time(self, least: float) -> Requirement:
        return required("planar_hybrid at 200 Hz: simulated over wall time", self.real_time_factor, ">=", least)


def hybrid(say: Say, sizes: Sequence[int] = LINKS, rounds: int = ROUNDS) -> Hybrid:
    say(f"planar_hybrid: {SCENARIO} in a closed loop, and {min(sizes)} to {max(sizes)} links, best of {rounds}")
    run = scenarios[SCENARIO].with_overrides({"duration": DURATION})
    long_runs = [
        among_pegs(n, PEGS).with_overrides({"plant": "planar_hybrid", "duration": GROWTH_DURATION}) for n in sizes
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pegs close together: here only the time counts
        recordings = [simulate(scenario) for scenario in (run, *long_runs)]
        loop = interleaved_best([partial(simulate, run)], rounds)[0]
        best = [min(simulate(scenario).wall_time_s for _ in range(rounds)) for scenario in long_runs]
    evaluations = [float(r.data["step_iterations"].sum()) for r in recordings]
    costs = tuple(
        EvaluationCost(n, 1e6 * wall / count, float(r.data["links_in_contact"].mean()))
        for n, r, wall, count in zip(sizes, recordings[1:], best, evaluations[1:], strict=True)
    )
    exponent = log_slope([c.links for c in costs], [c.us for c in costs])
    return Hybrid(DURATION / loop, evaluations[0] / DURATION, costs, exponent)
