"""A scenario by its name, its file, or as it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeGuard

from pushpoint.errors import InvalidInput
from pushpoint.registry import Registry
from pushpoint.scenario import Scenario
from pushpoint.user_code import refuse_unloaded

FILE_ENDINGS = (".yaml", ".yml", ".json")

Source = str | os.PathLike[str]
scenarios: Registry[Scenario] = Registry("scenario", "pushpoint.scenarios")


def find_scenario(scenario: Source | Scenario) -> Scenario:
    """A Scenario as it is, the one in a .yaml file, or the registered one of that name."""
    if isinstance(scenario, Scenario):
        return with_its_files(scenario)
    if is_file(scenario):
        return with_its_files(Scenario.from_yaml(Path(scenario)))
    if isinstance(scenario, str):
        return scenarios[scenario]
    raise InvalidInput(f"scenario = {scenario!r}: give a name, a path to a .yaml file or a Scenario")


def with_its_files(scenario: Scenario) -> Scenario:
    """The same, if the files that it goes with are loaded; data run no code, so the error says how."""
    if scenario.files:
        refuse_unloaded(scenario.files, f"scenario {scenario.name!r}")
    return scenario


def is_file(source: object) -> TypeGuard[Source]:
    """Whether this is a path, or a name that ends like that of a file."""
    return isinstance(source, os.PathLike) or (isinstance(source, str) and source.endswith(FILE_ENDINGS))
