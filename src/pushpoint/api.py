"""What people call: runs by the name of a scenario, by its file, or by the Scenario itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pushpoint.errors import InvalidInput
from pushpoint.recording import Recording
from pushpoint.scenario import Scenario
from pushpoint.scenarios import scenarios
from pushpoint.simulation import simulate as _simulate

FILE_ENDINGS = (".yaml", ".yml", ".json")


def find_scenario(scenario: str | os.PathLike[str] | Scenario) -> Scenario:
    """A Scenario as it is, the one in a .yaml file, or the registered one of that name."""
    if isinstance(scenario, Scenario):
        return scenario
    if isinstance(scenario, os.PathLike) or (isinstance(scenario, str) and scenario.endswith(FILE_ENDINGS)):
        return Scenario.from_yaml(Path(scenario))
    if isinstance(scenario, str):
        return scenarios[scenario]
    raise InvalidInput(f"scenario = {scenario!r}: give a name, a path to a .yaml file or a Scenario")


def simulate(
    scenario: str | os.PathLike[str] | Scenario,
    overrides: Mapping[str, Any] | None = None,
    *,
    progress: bool = False,
    **fields: Any,
) -> Recording:
    """Run a scenario and record it.

    ``simulate("transeth2008a/track", {"controller.amplitude": 0.6}, duration=5.0)``: overrides have dotted
    keys, keywords replace whole fields of the scenario (times in s). Raises SolverFailure, with the recording
    until then, when the plant cannot go on.
    """
    return _simulate(find_scenario(scenario), overrides, progress=progress, **fields)
