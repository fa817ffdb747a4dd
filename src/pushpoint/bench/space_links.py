"""What one step in space costs as the robot grows, and the memory of a long run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi

from pushpoint.bench import memory
from pushpoint.bench.links import DT, STEPS, LinkCost, Settled, cost, log_slope, settled
from pushpoint.bench.runs import prepare
from pushpoint.bench.space_runs import OURS
from pushpoint.bench.startup import in_new_process
from pushpoint.bench.timing import interleaved_best
from pushpoint.errors import PushpointError, SolverFailure
from pushpoint.scenario import Choice, Scenario
from pushpoint.types import Trace

LINKS = (20, 50, 100, 200)
SETTLING_STEPS = 500  # not timed
ROUNDS = 40  # of some hundred milliseconds each: slow moments of a shared machine last longer than ten

MEMORY_LINKS, MEMORY_DURATION = 50, 60.0  # [s], recorded at 100 Hz
# The kernels have been compiled by a process before this one; the short run loads them and all packages. What counts is
# the peak during the long run above what the process held before it.
MEMORY = """
import json
import pushpoint
from pushpoint.bench.memory import held
from pushpoint.bench.space_links import sidewinder
run = sidewinder({links})
pushpoint.simulate(run.model_copy(update={{"duration": 0.1}}))
before = held("VmRSS")
rows = pushpoint.simulate(run.model_copy(update={{"duration": {duration}}})).data.sizes["time"]
print(json.dumps({{"megabytes": held("VmHWM") - before, "rows": rows}}))
"""


def sidewinder(links: int) -> Scenario:
    """A long Aiko with cardan joints, already bent as P5's sidewinding bends it; eleven links per wave."""
    gait = {"preset": "sidewinding", "soft_start": 0.0, "yaw_phase_shift": -2 * pi / 11}  # [rad]
    return Scenario(
        name="bench/sidewinder",
        robot=Choice(name="aiko-cardan", options={"links": links}),
        world=Choice(name="plane", options={"friction": 0.2}),
        plant=Choice(name=OURS, options={"dt": DT}),
        controller=Choice(name="gait", options=gait),
        duration=(SETTLING_STEPS + STEPS) * DT,
    )


@dataclass(frozen=True)
class SpaceGrowth:
    """Cost per step ~ links ** exponent, from the sizes that ran to the end."""

    costs: tuple[LinkCost, ...]
    failed: tuple[int, ...]  # sizes whose run failed
    exponent: float | None


def space_growth(say: Callable[[str], None], sizes: Sequence[int] = LINKS, rounds: int = ROUNDS) -> SpaceGrowth:
    """Measure all sizes, interleaved."""
    say(f"cost per link in space, {min(sizes)} to {max(sizes)} links, best of {rounds}")
    runs, traces, failed = list[Settled](), list[Trace](), list[int]()
    for n in sizes:
        try:
            run = settled(prepare(sidewinder(n), OURS, {"dt": DT}), SETTLING_STEPS)
            traces.append(run.onwards())
        except SolverFailure as failure:
            say(str(failure))
            failed.append(n)
        else:
            runs.append(run)
    best = interleaved_best([run.onwards for run in runs], rounds)
    costs = tuple(cost(trace, t) for trace, t in zip(traces, best, strict=True))
    exponent = log_slope([c.links for c in costs], [c.us_per_step for c in costs])
    return SpaceGrowth(costs, tuple(failed), exponent)


def space_memory(
    say: Callable[[str], None], links: int = MEMORY_LINKS, duration: float = MEMORY_DURATION
) -> float | None:
    """Peak memory of a long run above that of the process before it [MB]; None where the system does not tell, or the
    run failed."""
    if not memory.is_told():
        return None
    say(f"memory of {duration:g} s with {links} links in space")
    try:
        return float(in_new_process(MEMORY.format(links=links, duration=duration), os.environ)["megabytes"])
    except PushpointError as failure:
        say(str(failure))
        return None
