"""All that a benchmark finds out, what it has to reach, and how it is kept."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

from benchmarks.alignment import Alignment
from benchmarks.contest import Contest
from benchmarks.crowd import Crowd
from benchmarks.growth import Growth
from benchmarks.hybrid import Hybrid
from benchmarks.many import Many
from benchmarks.processes import Memory, Startup
from benchmarks.requirement import Requirement
from benchmarks.tables import SCHEMA
from pushpoint._version import __version__
from pushpoint.files import finite


class Required(Protocol):
    """A measurement that has to reach something."""

    @property
    def requirements(self) -> list[Requirement]: ...


@dataclass(frozen=True)
class Benchmark:
    """The results of one run; empty or None are parts that were not asked for."""

    contests: tuple[Contest, ...] = ()
    growth: tuple[Growth, ...] = ()
    crowd: Crowd | None = None
    many: Many | None = None
    memory: tuple[Memory, ...] = ()
    hybrid: Hybrid | None = None
    alignment: Alignment | None = None
    startup: Startup | None = None

    @property
    def requirements(self) -> list[Requirement]:
        single = (self.crowd, self.many, *self.memory, self.hybrid, self.alignment)
        parts: Iterable[Required | None] = (*self.contests, *self.growth, *single)
        return [requirement for part in parts if part is not None for requirement in part.requirements]

    @property
    def aims(self) -> list[Requirement]:
        """What is wanted, but does not count as missed yet."""
        return [] if self.hybrid is None else self.hybrid.aims

    @property
    def missed(self) -> bool:
        return any(r.met is False for r in self.requirements)


def as_data(benchmark: Benchmark, loads: tuple[float | None, float | None]) -> dict[str, Any]:
    """Plain data for JSON; times in seconds unless the name says us, distances in metres."""
    plain: dict[str, Any] = finite({
        "schema_version": SCHEMA,
        "status": "missed" if benchmark.missed else "ok",
        "requirements": [asdict(r) for r in benchmark.requirements],
        "aims": [asdict(r) for r in benchmark.aims],
        "machine": machine() | dict(zip(("load_before", "load_after"), loads, strict=True)),
        **asdict(benchmark),
    })  # fmt: skip
    return plain


def machine() -> dict[str, Any]:
    """What the numbers depend on; nothing that says whose machine it is."""
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


def load() -> float | None:
    """Processes that wanted the processor, mean of the last minute, where the system counts them: others were at work
    if it is above zero before a benchmark, or above one after it."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None
