"""What many obstacles cost, in time and in memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt

from pushpoint.bench import memory
from pushpoint.bench.runs import OURS, Prepared, prepare, stepped
from pushpoint.bench.startup import in_new_process
from pushpoint.bench.timing import ROUNDS, interleaved_best
from pushpoint.scenarios import scenarios
from pushpoint.worlds import Disc, World

SCENARIO, DURATION, DT = "transeth2008a/track", 2.0, 1e-3  # [s]
FEW, MANY = 10, 10_000
SPACING, RADIUS = 0.3, 0.05  # [m], of the obstacles that are not in the way
CLEAR = 1.0  # [m], from the track's obstacles

# Peak memory of a process that simulates a long robot for a minute, everything recorded as by default.
MEMORY_LINKS, MEMORY_DURATION = 1000, 60.0  # [s]
MEMORY = f"""
import json
import pushpoint
from pushpoint.bench.links import on_plane
from pushpoint.bench.memory import held
run = on_plane({MEMORY_LINKS}).model_copy(update={{"duration": {MEMORY_DURATION}}})
rows = pushpoint.simulate(run).data.sizes["time"]
print(json.dumps({{"megabytes": held("VmHWM"), "rows": rows}}))
"""


@dataclass(frozen=True)
class Crowd:
    """Wall times of the same run among few and many obstacles, and the memory of a large run."""

    few_s: float
    many_s: float
    memory_mb: float | None  # None where the system does not tell

    @property
    def ratio(self) -> float:
        return self.many_s / self.few_s


def crowd(say: Callable[[str], None], rounds: int = ROUNDS) -> Crowd:
    """Measure both."""
    say(f"{FEW} and {MANY} obstacles, best of {rounds}")
    runs = [among(count) for count in (FEW, MANY)]
    few, many = interleaved_best([partial(stepped, run) for run in runs], rounds)
    say(f"memory of {MEMORY_DURATION:g} s with {MEMORY_LINKS} links")
    return Crowd(few, many, peak_memory())


def among(count: int) -> Prepared:
    """The track, with so many obstacles in all: those beyond the track's own stand in rows around it."""
    scenario = scenarios[SCENARIO].with_overrides({"duration": DURATION})
    world = scenario.built_world()
    own = world.discs
    low, high = min(disc.y for disc in own) - CLEAR, max(disc.y for disc in own) + CLEAR
    others: list[Disc] = []
    side = ceil(sqrt(2 * count))
    for k in range(side * side):
        x, y = SPACING * (k % side - side / 2), SPACING * (k // side - side / 2)
        if len(own) + len(others) < count and not low < y < high:
            others.append(Disc(x=x, y=y, radius=RADIUS))
    crowded = World(name="crowd", ground=world.ground, gravity=world.gravity, obstacles=(*own, *others))
    return prepare(scenario.model_copy(update={"world": crowded}), OURS, {"dt": DT})


def peak_memory() -> float | None:
    """Of a process of its own [MB]."""
    if not memory.is_told():
        return None
    return float(in_new_process(MEMORY, os.environ)["megabytes"])
