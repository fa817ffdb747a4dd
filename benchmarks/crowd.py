"""What many obstacles cost."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt

from benchmarks.case import Say
from benchmarks.planar import OURS
from benchmarks.requirement import Requirement, required
from benchmarks.runs import Prepared, prepare, stepped
from benchmarks.timing import interleaved_best
from pushpoint.scenarios import scenarios
from pushpoint.worlds import Disc, World

SCENARIO, DURATION, DT = "transeth2008a/track", 2.0, 1e-3  # [s]
FEW, MANY = 10, 10_000
SPACING, RADIUS = 0.3, 0.05  # [m], of the obstacles beside the track
CLEAR = 1.0  # [m], from the track's obstacles
ROUNDS = 20
LARGEST_RATIO = 1.5


@dataclass(frozen=True)
class Crowd:
    """Wall times of the same run among few and many obstacles."""

    few_s: float
    many_s: float

    @property
    def requirements(self) -> list[Requirement]:
        what = f"{MANY} obstacles: time over that of {FEW}"
        return [required(what, self.many_s / self.few_s, "<=", LARGEST_RATIO)]


def crowd(say: Say) -> Crowd:
    say(f"{FEW} and {MANY} obstacles, best of {ROUNDS}")
    few, many = interleaved_best([partial(stepped, among(count)) for count in (FEW, MANY)], ROUNDS)
    return Crowd(few, many)


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
