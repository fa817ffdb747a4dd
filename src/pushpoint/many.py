"""Many runs at once, recorded: see `simulate_many`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pushpoint.api import Source, find_scenario
from pushpoint.errors import InvalidInput
from pushpoint.scenario import Scenario


def scenarios_of(
    scenarios: Source | Scenario | Sequence[Source | Scenario],
    overrides: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None,
    seeds: Sequence[int] | None,
    fields: Mapping[str, Any],
) -> list[Scenario]:
    """One scenario per robot; what is given once holds for all."""
    found = list(scenarios) if isinstance(scenarios, Sequence) and not isinstance(scenarios, str) else [scenarios]
    changes = [overrides or {}] if overrides is None or isinstance(overrides, Mapping) else list(overrides)
    seeded: list[dict[str, Any]] = [{}] if seeds is None else [{"seed": int(seed)} for seed in seeds]
    counts = {"scenarios": len(found), "overrides": len(changes), "seeds": len(seeded)}
    count = max(counts.values())
    for name, own in counts.items():
        if own == 0:
            raise InvalidInput(f"{name}: there are none; give one at least")
        if own not in (1, count):
            largest = next(other for other, number in counts.items() if number == count)
            raise InvalidInput(f"{own} {name} and {count} {largest}: give one for all robots, or as many")
    bases = [find_scenario(one) for one in found]
    return [
        bases[k % len(bases)]
        .with_overrides({**changes[k % len(changes)], **fields, **seeded[k % len(seeded)]})
        .pinned()
        for k in range(count)
    ]
