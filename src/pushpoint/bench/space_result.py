"""All that the benchmark finds out in space, and what it has to reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from pushpoint.bench.alignment import LARGEST_US, Alignment, alignment
from pushpoint.bench.requirement import Requirement
from pushpoint.bench.space import BRIEF, SpaceDuel, SpaceEffort, space_duel
from pushpoint.bench.space_creep import Creep, creep
from pushpoint.bench.space_links import (
    MEMORY_DURATION,
    MEMORY_LINKS,
    SpaceGrowth,
    space_growth,
    space_memory,
)
from pushpoint.bench.space_runs import sidewinding, square_links, undulation

LEAST_REAL_TIME, LEAST_RATIO, LEAST_CREEP_RATIO = 60.0, 8.0, 10.0
LARGEST_EXPONENT, MOST_MEMORY_MB = 1.2, 200.0


@dataclass(frozen=True)
class Space:
    """The results of the spatial part."""

    sidewinding: SpaceDuel  # required
    square_links: SpaceDuel  # for information
    creep: Creep
    growth: SpaceGrowth
    memory_mb: float | None  # above what the process held before; None where the system does not tell
    alignment: Alignment | None = None

    @property
    def duels(self) -> tuple[SpaceDuel, SpaceDuel]:
        return self.sidewinding, self.square_links


def measure_space(say: Callable[[str], None]) -> Space:
    """All of it, one after the other."""
    return Space(
        sidewinding=space_duel(sidewinding(), SpaceEffort(), say),
        square_links=space_duel(square_links(), BRIEF, say),
        creep=creep(undulation(), say),
        growth=space_growth(say),
        memory_mb=space_memory(say),
        alignment=alignment(say),
    )


def space_requirements(space: Space) -> list[Requirement]:
    found = [_real_time(space.sidewinding), _ratio(space.sidewinding), _creep(space.creep), *_size(space)]
    return found if space.alignment is None else [*found, _alignment(space.alignment)]


def _real_time(found: SpaceDuel) -> Requirement:
    factor = found.real_time_factor
    met = factor is not None and factor >= LEAST_REAL_TIME  # nothing accurate at any dt is missed too
    return Requirement(f"{found.scenario}: simulated over wall time", factor, f">= {LEAST_REAL_TIME:g}", met)


def _ratio(found: SpaceDuel) -> Requirement:
    met = None if found.ratio is None else found.ratio >= LEAST_RATIO
    if found.ours is None:
        met = False  # not accurate at any dt of the ladder
    return Requirement(f"{found.scenario}: MuJoCo's time over ours", found.ratio, f">= {LEAST_RATIO:g}", met)


def _creep(found: Creep) -> Requirement:
    met = None if found.ratio is None else found.ratio >= LEAST_CREEP_RATIO
    if found.peer is not None and found.ours is None:
        met = False  # less accurate than MuJoCo at every dt
    what = f"{found.scenario}: time of MuJoCo's best over ours"
    return Requirement(what, found.ratio, f">= {LEAST_CREEP_RATIO:g}", met)


def _size(space: Space) -> list[Requirement]:
    """What a long robot costs, in time and in memory. A size that cannot be simulated misses the requirement."""
    exponent, memory = space.growth.exponent, space.memory_mb
    linear = None if exponent is None else exponent <= LARGEST_EXPONENT
    if space.growth.failed:
        linear = False
    what = f"memory of {MEMORY_DURATION:g} s with {MEMORY_LINKS} links in space [MB]"
    fits = None if memory is None else memory < MOST_MEMORY_MB
    return [
        Requirement("in space: cost per step ~ links ** exponent", exponent, f"<= {LARGEST_EXPONENT:g}", linear),
        Requirement(what, memory, f"< {MOST_MEMORY_MB:g}", fits),
    ]


def _alignment(found: Alignment) -> Requirement:
    what = f"shape curves: one alignment of {found.joints} joints in us, a fixed loop taking {found.calibration_us:.3g}"
    return Requirement(what, found.call_us, f"<= {LARGEST_US:g}", found.call_us <= LARGEST_US)


def space_data(space: Space) -> dict[str, Any]:
    """For JSON; times in seconds unless the name says us, distances in metres, errors relative."""
    duels = [asdict(d) | {"ratio": d.ratio, "real_time_factor": d.real_time_factor} for d in space.duels]
    return {
        "runs": duels,
        "creep": asdict(space.creep) | {"ratio": space.creep.ratio},
        "links": asdict(space.growth),
        "memory_mb": space.memory_mb,
        "alignment": None if space.alignment is None else asdict(space.alignment),
    }
