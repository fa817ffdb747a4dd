"""Which runs claims need: a scenario with changes and a seed, each once, and what is asked of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pushpoint.reproduction import Claim
from pushpoint.reproduction.published import curve
from pushpoint.scenario import Scenario
from pushpoint.scenarios import scenarios
from pushpoint.studies.jobs import Question

FIRST = 0  # seed of the run of an ensemble whose recording is kept


def labels(claim: Claim, seed: int = FIRST) -> tuple[str, ...]:
    """Names of the runs behind a claim, in the order of its scenarios; equal names are equal runs.

    The name is that of the scenario; what differs from the registered one follows in brackets. The seed counts
    for ensembles only: a single run has that of its scenario.
    """
    found = []
    for name in claim.scenarios:
        changes = _changes(claim, name, seed)
        changed = ", ".join(f"{key}={json.dumps(changes[key], default=str)}" for key in sorted(changes))
        found.append(f"{name} [{changed}]" if changed else name)
    return tuple(found)


def _changes(claim: Claim, name: str, seed: int) -> dict[str, Any]:
    if claim.seeds == 1 or seed == scenarios[name].seed:
        return claim.overrides
    return {**claim.overrides, "seed": seed}


def needed(selection: Iterable[Claim], seed: int = FIRST) -> dict[str, Scenario]:
    """The runs behind some claims by label, each once."""
    found: dict[str, Scenario] = {}
    for claim in selection:
        for name, label in zip(claim.scenarios, labels(claim, seed), strict=True):
            if label not in found:
                found[label] = scenarios[name].with_overrides(_changes(claim, name, seed))
    return found


def question(claim: Claim, seed: int = FIRST) -> Question:
    """What a claim asks of its runs."""
    options = dict(claim.measure.options)
    if claim.curve is not None:
        options["curve"] = curve(claim.curve)
    return Question(claim.measure.name, options, labels(claim, seed))


def clusters(selection: Sequence[Claim]) -> list[list[Claim]]:
    """Claims that share runs, together: they are measured in one process, so that no run is made twice."""
    found: list[tuple[set[str], list[Claim]]] = []
    for claim in selection:
        shared, members = set(labels(claim)), [claim]
        for other in [group for group in found if group[0] & shared]:
            found.remove(other)
            shared, members = shared | other[0], other[1] + members
        found.append((shared, members))
    return [members for _, members in found]
