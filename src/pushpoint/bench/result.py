"""All that a benchmark finds out, what it has to reach, and how it is kept."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from pathlib import Path
from typing import Any

from pushpoint._version import __version__
from pushpoint.bench.crowd import FEW, MANY, MEMORY_DURATION, MEMORY_LINKS, Crowd
from pushpoint.bench.duel import Duel
from pushpoint.bench.hybrid import Hybrid
from pushpoint.bench.ladder import ACCURACY
from pushpoint.bench.links import DT, FIT_FROM, STEPS, Growth
from pushpoint.bench.requirement import Requirement
from pushpoint.bench.space_result import Space, space_data, space_requirements
from pushpoint.bench.startup import Startup

SCHEMA = 5
FOLDER = Path("results/bench")
LEAST_RATIO = 25.0
MOST_CROWD_RATIO, MOST_MEMORY_MB = 1.5, 500.0
LARGEST_EXPONENT = 1.1
LEAST_REAL_TIME, REAL_TIME_AIM, LARGEST_HYBRID_EXPONENT = 8.0, 20.0, 1.2  # of planar_hybrid


@dataclass(frozen=True)
class Benchmark:
    """The results of one run of `pushpoint bench`."""

    duels: tuple[Duel, ...]  # each plant with its fastest settings: these are required
    converged: tuple[Duel, ...]  # with solvers that converge: for information
    growth: tuple[Growth, ...]
    crowd: Crowd | None  # None, like all below: that part was not asked for
    hybrid: Hybrid | None
    startup: Startup | None
    space: Space | None
    load_before: float | None  # of the machine, mean of a minute; others were at work if it is above zero
    load_after: float | None  # about one process is the benchmark's own

    @property
    def requirements(self) -> list[Requirement]:
        hybrid = () if self.hybrid is None else (_real_time(self.hybrid), _hybrid_growth(self.hybrid))
        crowded = [] if self.crowd is None else _crowded(self.crowd)
        in_space = [] if self.space is None else space_requirements(self.space)
        return [*map(_speed, self.duels), *map(_linear, self.growth), *crowded, *hybrid, *in_space]

    @property
    def aims(self) -> list[Requirement]:
        """What is wanted, but does not count as missed yet."""
        return [] if self.hybrid is None else [_real_time(self.hybrid, REAL_TIME_AIM)]

    @property
    def missed(self) -> bool:
        return any(r.met is False for r in self.requirements)


def _speed(found: Duel) -> Requirement:
    met = None if found.ratio is None else found.ratio >= LEAST_RATIO
    if found.ours is None:
        met = False  # not accurate at any dt of the ladder
    return Requirement(f"{found.scenario}: MuJoCo's time over ours", found.ratio, f">= {LEAST_RATIO:g}", met)


def _linear(found: Growth) -> Requirement:
    met = None if found.exponent is None else found.exponent <= LARGEST_EXPONENT
    what = f"{found.world}: cost per step ~ links ** exponent"
    return Requirement(what, found.exponent, f"<= {LARGEST_EXPONENT:g}", met)


def _real_time(found: Hybrid, least: float = LEAST_REAL_TIME) -> Requirement:
    factor = found.real_time_factor
    return Requirement("planar_hybrid at 200 Hz: simulated over wall time", factor, f">= {least:g}", factor >= least)


def _hybrid_growth(found: Hybrid) -> Requirement:
    met = None if found.exponent is None else found.exponent <= LARGEST_HYBRID_EXPONENT
    what = "planar_hybrid: cost of an evaluation ~ links ** exponent"
    return Requirement(what, found.exponent, f"<= {LARGEST_HYBRID_EXPONENT:g}", met)


def _crowded(found: Crowd) -> list[Requirement]:
    many = f"{MANY} obstacles: time over that of {FEW}"
    memory = f"memory of {MEMORY_DURATION:g} s with {MEMORY_LINKS} links [MB]"
    fits = None if found.memory_mb is None else found.memory_mb < MOST_MEMORY_MB
    return [
        Requirement(many, found.ratio, f"<= {MOST_CROWD_RATIO:g}", found.ratio <= MOST_CROWD_RATIO),
        Requirement(memory, found.memory_mb, f"< {MOST_MEMORY_MB:g}", fits),
    ]


def as_data(benchmark: Benchmark) -> dict[str, Any]:
    """Plain data for JSON; times in seconds unless the name says us, distances in metres."""
    data = {
        "schema_version": SCHEMA,
        "status": "missed" if benchmark.missed else "ok",
        "requirements": [asdict(r) for r in benchmark.requirements],
        "aims": [asdict(r) for r in benchmark.aims],
        "machine": machine() | {"load_before": benchmark.load_before, "load_after": benchmark.load_after},
        "accuracy": {"rms": ACCURACY, "runs": [asdict(d) for d in benchmark.duels + benchmark.converged]},
        "links": {
            "dt": DT,
            "steps": STEPS,
            "exponent_from": FIT_FROM,
            "worlds": [asdict(g) for g in benchmark.growth],
        },
        "crowd": _data(benchmark.crowd),
        "hybrid": _data(benchmark.hybrid),
        "startup": _data(benchmark.startup),
        "space": None if benchmark.space is None else space_data(benchmark.space),
    }
    plain: dict[str, Any] = _plain(data)
    return plain


def _data(part: Crowd | Hybrid | Startup | None) -> dict[str, Any] | None:
    return None if part is None else asdict(part)


def machine() -> dict[str, Any]:
    """What the numbers depend on; nothing that tells whose machine it is."""
    packages = {name: _version(name) for name in ("numpy", "numba", "mujoco")}
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "cpu_count": os.cpu_count(),
        "python": platform.python_version(),
        "pushpoint": __version__,
        **packages,
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _plain(value: Any) -> Any:
    """Tuples as lists; numbers that JSON has no word for as None."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value


def as_text(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2, allow_nan=False) + "\n"
